// Package config reads the files in which MCP clients keep their servers and
// turns them into server definitions: .mcp.json (Claude), .vscode/mcp.json,
// .cursor/mcp.json, Gemini's settings.json, the Inspector's files, and any other
// file with a "mcpServers" or "servers" object; Codex's config.toml; and
// .codex/tools.json, a manifest of command-line tools.
//
// [Load] takes the paths of the files and returns a [Config] with one [Server] per
// name, with expanded variables, absolute paths and an inferred type. It starts
// nothing. It reads only these files, env files, files of secrets and, for their
// digest, the files of snapshots, manifests and OpenAPI documents.
//
// The syntax of variables is that of the file's client: ${NAME},
// ${NAME:-default}, ${env:NAME}, ${workspaceFolder} and ${userHome}; in a
// .gemini/settings.json also $NAME; in a TOML file none. ${file:PATH} is the
// content of a file that only the user and root can read.
//
// [Search] finds the config file if none is named.
//
// There are two kinds of faults. If a file is not JSON, or has no servers, [Load]
// fails with an [*Error] that has file, line and column. A fault of one server (a
// variable that is not set, a wrong type, two files that contradict each other) is
// that server's [Server.Err]: only this server is unusable.
//
// The parser accepts comments, trailing commas, a byte order mark and unknown
// fields. The values of environment variables and headers are secrets: no error,
// digest or formatted value of this package contains them.
package config
