// Package check parses and type-checks a script. It runs inside the worker, because a
// hostile text can overflow a parser's stack as well as an interpreter's.
//
// A script goes through it in two steps, with the resolution of its tools in
// between:
//
//	script, bad := check.Parse(src)     // text → syntax; nothing is known of servers yet
//	script.Phrases(), script.Used()     // what to ask the parent for
//	checked, bad := script.Check(&check.Options{Units: generated})
//
// [Parse] takes whole files, several files in one text ([Parts]), and bare
// statements, in a Markdown fence or not,
// and bounds what later stages have to survive: size, nesting, encoding. It
// finds imports beyond the lists in package export. [Script.Check] adds the
// generated server packages and the predeclared functions, type-checks all of
// it with go/types as Go 1.26 does, and returns what the emitter (package
// lower) needs, or all mistakes of the script at once: a fault does not keep
// others from being found, and what only follows from one is left out. Of a text
// that does not parse, [Mentions] guesses what it asks for. Faults are
// [Diagnostic] values: Go's own sentence, the line with a caret, and the one
// thing that helps next. All positions are those of the text as it was sent.
//
// Mistakes with only one possible meaning, which would only cost a round trip, are
// corrected with a warning: unused variables and imports, missing imports of a file,
// names of server packages that are right but for case, underscores or the
// server's prefix, several values for Return, and what a tool's parameters decide: the
// names of nested types, the & before a struct, numbers in quotes. A field that
// certainly means another parameter is corrected in read calls only.
package check
