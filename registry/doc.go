// Package registry holds what the program knows about tools without asking a
// server again: every tool with its schemas, the servers they live on, and the
// vectors that make them findable.
//
// Package registry/build makes a Registry by asking servers; [Load] reads one
// from a tool_registry.json, and [Registry.Save] writes it. [Diff] compares two
// builds, [Registry.Tool] returns a tool by its ID. A registry is plain data:
// it starts nothing and connects to nothing.
//
// The definitions of pinned tools that a person accepted are in a file of their
// own ([Pins]). A tool whose definition has changed since is in the registry
// with the accepted definition, and Held.
//
// The file is deterministic (servers sorted by name, tools by ID, one tool to a
// line, so that version control shows which tools changed), versioned, and
// replaced atomically: a reader sees the old file or the new one, never half. A
// file of another version, a truncated file and a file with two tools of one ID
// are refused with the place of the fault. Fields that this version does not
// know are ignored. The JSON Schema of the file is [FileSchema].
package registry
