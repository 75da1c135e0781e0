// Package runtime is the run-time library of lowered scripts: what their operations on
// interfaces, panics and goroutines need, and the few functions of Go's library that
// reach beyond the script.
//
// The front end erases types (package lower): in the interpreter a script type
// is its underlying type, and its methods are functions. A value that goes into an
// interface is boxed: it keeps its memory and gets its real type, with its name,
// fields and methods, which package gotype makes. So the library is Go's own, and
// sees of a script's values what it sees of compiled ones. A [Machine] knows, for one
// program, the table of its go/types types, their erased and real reflect types, and
// the functions that are their methods.
//
//	machine.go  the program's types and methods
//	types.go    go/types type -> reflect type of its erased form
//	box.go, assert.go  interface values: boxing, ==, type tests, failed assertions
//	call.go     methods of what an interface holds that is no type of the script
//	panic.go, runtimeerror.go  panics, deferred calls and recover, kept here and not by
//	            the interpreter; Go's errors for the interpreter's own panics
//	select.go, output.go  select, print, os.Exit
//	mark.go     the lines that print
//	goroutine*.go, strand.go  which goroutine it is
//	random.go   random numbers, which follow from the run's seed
//	order.go    the order of maps, which follows from it, too
//	timers.go   the timers that may still wake the script
//	clock.go    what the script reads from its clock, noted
//	replay.go   the clock and the timers of a script that is run again
//	sort.go, keyed.go  generic functions of the library
//	native.go   sorts and heaps whose comparison only computes
//	log.go, flags.go  log.Fatal and flag.Parse, which end the script; places in logs
//	tool.go, answer.go, scan.go  a tool's call, and its answer as the script reads it
//	params.go, presence.go, fields.go  which fields of a tool's parameters were written
//	prelude.go  Return, Input, Stored and RunScript
//	symbols.go  the names that lowered programs call
//
// What is replaced of the library, and why, is in the table of lower/library.go.
//
// Nothing here trusts the script: a panic of native code under a script's call
// is a panic of the script.
package runtime
