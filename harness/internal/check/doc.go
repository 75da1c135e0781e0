// Package check parses and type-checks a script. It runs inside the worker, because a hostile
// script can overflow a parser's stack as well as an interpreter's.
//
// A script is checked in two steps, and its tools are resolved in between:
//
//	script, bad := check.Parse(src)     // text → syntax, without knowledge of servers
//	script.Phrases(), script.Used()     // what to ask the parent for
//	checked, bad := script.Check(&check.Options{Units: generated})
//
// [Parse] accepts whole files, several files in one text ([Parts]), and bare statements, each
// optionally in a Markdown fence. It limits size, nesting and encoding to what later stages can
// handle, and reports imports beyond the lists in package export. [Script.Check] adds the
// generated server packages and the predeclared functions, type-checks everything with go/types
// as Go 1.26 does, and returns the input of the emitter (package lower), or all mistakes of the
// script at once: a fault does not hide others, and faults that only follow from another one
// are left out. For a text that does not parse, [Mentions] guesses the tools that it needs.
// Faults are [Diagnostic] values: Go's own sentence, the line with a caret, and a hint. All
// positions are those of the text as sent.
//
// Mistakes with only one possible meaning are corrected with a warning, to save a round trip:
// unused variables and imports, missing imports of a file, names of server packages with the
// wrong case, underscores or server prefix, several values for Return, and mistakes that a
// tool's parameters settle: the names of nested types, the & before a struct, numbers in
// quotes. An unknown field that certainly means another parameter is corrected in read calls only.
package check
