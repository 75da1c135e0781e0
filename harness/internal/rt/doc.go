// Package rt is the run-time library of lowered scripts: what their values,
// panics, output and timers need so that they behave as Go's, although the
// interpreter never sees a type of the script.
//
// Package front/emit erases types: a script type with methods becomes its
// underlying type, and its methods become functions. A value that goes into an
// interface gets its real type back, which package gotype makes, so that the
// library prints, encodes and compares it as Go does. A [Machine] holds, for one
// program, the table of its go/types types, their erased forms and their real
// types, and the functions that are their methods.
//
//	machine.go  the Machine: its types and their methods
//	types.go    go/types type -> reflect type of its erased form
//	box.go      interface values of script types, == and type tests on them
//	assert.go   panics of failed assertions
//	call.go     calls of methods of library values
//	sort.go, keyed.go, keys.go  generic library functions, ranges over maps
//	select.go   select statements
//	panic.go    panics, deferred calls and recover, kept here and not by the
//	            interpreter; Go's texts for the interpreter's own panics
//	runtimeerror.go  the errors of package runtime
//	goroutine*.go  which goroutine runs
//	timers.go   timers that may still wake the script
//	output.go, log.go, flags.go  what the script prints and logs; flags
//	tool.go, params.go, presence.go  calls of tools, and which fields of their
//	            parameters the script wrote
//	answer.go, fields.go, scan.go  a tool's result, decoded into the type that the
//	            script reads it into
//	prelude.go  the predeclared functions
//	symbols.go  the names that lowered programs call
//
// Nothing here trusts the script: a panic of native code under a script's call
// is a panic of the script.
package rt
