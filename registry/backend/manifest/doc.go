// Package manifest makes tools of command-line programs that a manifest, such
// as .codex/tools.json, describes.
//
// In goes {"cli_tools": [{"id": "rg", "name": "ripgrep", "description": …,
// "capabilities": […], "min_version": "13.0.0", "verify": "rg --version",
// "usage": …}]}; out come tools that take {"args", "stdin", "cwd"} and return
// {"stdout", "stderr", "exitCode"}. An exit code is a result, not an error:
// grep has three.
//
// The program of a tool is its "command" where it has one, else its id, else
// the first word of a two-word verify: fd is called fdfind on Debian. It is
// started without a shell, in the workspace or a folder inside it, with the
// environment of this process. The call's deadline ends it and what it
// started; of each stream the first [MaxOutput] bytes are kept.
//
// A listing runs each verify once. A tool whose program is missing, fails to
// verify or is older than min_version is listed as stale, with the reason;
// calling it fails with [backend.ErrUnavailable].
//
// The manifest's llm_tools belong to the agent itself and are only named in
// the server's instructions, as are its api_keys: by name, and whether they
// are set, never with a value.
package manifest
