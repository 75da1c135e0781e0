// Package config reads the files in which MCP clients keep their servers and
// turns them into server definitions: .mcp.json (Claude), .vscode/mcp.json,
// .cursor/mcp.json, Gemini's settings.json, the Inspector's files, and whatever
// else has a "mcpServers" or "servers" object; Codex's config.toml; and
// .codex/tools.json, a manifest of command-line tools.
//
// In go the paths of the files; out comes a [Config] with one [Server] per
// name, its variables expanded, its paths made absolute, its type inferred.
// Nothing is started, and nothing but these files, env files, files of secrets
// and (for their digest) the files of snapshots, manifests and OpenAPI documents is read.
//
// Variables are those of the client that the file is for: ${NAME},
// ${NAME:-default}, ${env:NAME}, ${workspaceFolder} and ${userHome}; in a
// .gemini/settings.json also $NAME; in a TOML file none. ${file:PATH} is the
// content of a file that only the user (and root) can read.
//
// [Search] finds the file that is meant where none is named.
//
// Two kinds of fault are kept apart. A file that is not JSON, or holds no
// servers, fails the whole [Load] with an [*Error] that has file, line and
// column. What is wrong with one server only (a variable that is not set, a
// wrong type, two files that disagree about it) is that server's
// [Server.Err]: it cannot be used, the others can.
//
// Tolerated: comments, trailing commas, a byte order mark, unknown fields.
// The values of environment variables and headers are secrets: no error, no
// digest and no formatted value of this package holds them.
package config
