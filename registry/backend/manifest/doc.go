// Package manifest makes tools of command-line programs that a manifest, such
// as .codex/tools.json, describes.
//
// The manifest has {"cli_tools": [{"id": "rg", "name": "ripgrep", "description": …,
// "capabilities": […], "min_version": "13.0.0", "verify": "rg --version",
// "usage": …}]}. Each becomes a tool that takes {"args", "stdin", "cwd"} and returns
// {"stdout", "stderr", "exitCode"}. An exit code is a result, not an error:
// grep has three.
//
// The program of a tool is its "command" if set, otherwise its id, otherwise the first
// word of a two-word verify (fd is called fdfind on Debian). It is started without a
// shell, in the workspace or a folder inside it, with the environment of this process.
// The call's deadline ends it and its descendants. The first [MaxOutput] bytes of each
// stream are kept.
//
// A listing runs each verify once. A tool whose program is missing, fails to
// verify or is older than min_version is listed as stale, with the reason;
// calling it fails with [backend.ErrUnavailable].
//
// The manifest's llm_tools belong to the agent itself. The server's instructions only
// name them, and its api_keys: by name, and whether they are set, never with a value.
package manifest
