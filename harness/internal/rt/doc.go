// Package rt is the run-time library of lowered scripts: what a script's
// values, panics, prints and JSON need so that they come out as Go's although
// the interpreter never sees a type of the script.
//
// The front end erases types (package front/emit): a script type with methods
// becomes its underlying type, its methods become functions, and only here is
// it known again what a value was. A [Machine] holds that knowledge for one
// program: the table of its go/types types, the reflect types that stand for
// them, and the functions that are their methods.
//
//	types.go    go/types type -> reflect type of its erased form
//	box.go      interface values of script types, == and type tests on them
//	call.go     methods called by native code, and methods of library values
//	adapter.go  library interfaces (io.Reader, sort.Interface …) over a box
//	errs.go     error boxes: Error, Unwrap, Is, As
//	panic.go    panics, deferred calls and recover, kept here and not by the
//	            interpreter; Go's texts for the interpreter's own panics
//	print.go    fmt over script types
//	marshal.go, unmarshal.go, fields.go  encoding/json over script types
//	answer.go   what a tool's result has for the type that a script reads it into
//	mirror.go   types that encoding/json takes for those of the script
//	xml.go      encoding/xml over script types
//	gob*.go     encoding/gob over script types
//	log.go      calls of loggers with their place
//	slog.go     what log/slog writes of script values
//	binary.go   encoding/binary over script types
//	template.go, template_eval.go, template_builtins.go, funcmap.go,
//	htmltemplate.go  templates over script types
//	reflect_*.go  package reflect over script types
//	scanning.go, flags.go  what fmt scans into, and flags
//	symbols.go  the names that lowered programs call
//
// Nothing here trusts the script: a panic of native code under a script's call
// is a panic of the script.
package rt
