// Package registry holds what the program knows about tools without asking a
// server again: every tool with its schemas, the servers they live on, and the
// vectors that make them findable.
//
// In goes the result of a build (package registry/build) or the bytes of a
// tool_registry.json; out come the same bytes again, a [Diff] between two
// builds, or a [Tool] by its ID. A registry is plain data: it starts nothing,
// connects to nothing and imports nothing of this module.
//
// What was accepted of pinned tools is in a file of its own ([Pins]): a tool
// that has changed since stands in the registry as it was accepted, and Held.
//
// The file is deterministic (servers sorted by name, tools by ID, one tool to
// a line, so that version control shows which tools changed), versioned, and
// replaced atomically: a reader sees the old file or the new one, never half.
// A file of another version, a truncated file and a file with two tools of one
// ID are refused with the place of the fault. Fields that this version does
// not know are ignored. The JSON Schema of the file is [FileSchema].
package registry
