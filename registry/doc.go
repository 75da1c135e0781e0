// Package registry has the program's knowledge about tools as plain data: every
// tool with its schemas, the servers that offer them, and the vectors with which
// package discovery finds them. It starts nothing and connects to nothing.
//
// Package registry/config reads the servers from config files, registry/backend
// talks to them, and registry/build asks them for their tools and makes a
// [Registry]. [Load] reads one from a tool_registry.json, and [Registry.Save]
// writes it. [Diff] compares two builds, [Registry.Tool] returns a tool by its ID.
//
// [Pins] are the definitions of pinned tools that a person accepted. They have a
// file of their own. A tool with a changed definition is in the registry with the
// accepted definition, and Held.
//
// The registry file is deterministic: servers are sorted by name, tools by ID, with
// one tool per line, so that version control shows which tools changed. It is
// replaced atomically: a reader sees the old file or the new one. [Load] refuses a
// file of another version, a truncated file and a file with a duplicate tool ID, and
// says where the fault is. It ignores unknown fields. [FileSchema] is the JSON
// Schema of the file.
package registry
