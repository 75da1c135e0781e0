// Package runtime is the run-time library of lowered scripts: support for interfaces,
// panics and goroutines, and replacements of the few library functions with effects outside
// the script.
//
// The front end erases types (package lower): in the interpreter a script type is its
// underlying type, and its methods are functions. A value that goes into an interface is
// boxed: it keeps its memory and gets its real type, with its name, fields and methods,
// which package gotype makes. So the library is Go's own, and sees script values as it sees
// compiled ones. A [Machine] has, for one program, the table of its go/types types, their
// erased and real reflect types, and the functions that are their methods.
//
//	machine.go  the program's types and methods
//	types.go    go/types type -> reflect type of its erased form
//	box.go, assert.go  interface values: boxing, ==, type tests, failed assertions
//	call.go     methods of interface values that are not of a script type
//	panic.go, runtimeerror.go  panics, deferred calls and recover, kept here instead of in
//	            the interpreter; Go's errors for the interpreter's own panics
//	select.go, output.go  select, print, os.Exit
//	print_marks.go  the line of each print
//	goroutine*.go  the identity of a goroutine
//	random.go   random numbers, derived from the run's seed
//	map_order.go  the order of maps, derived from the seed too
//	timers.go   the timers that may still wake the script
//	clock.go    the script's clock readings, recorded
//	replay.go   the clock and the timers of a replayed script
//	sort.go, hkdf.go  generic functions of the library
//	native.go   sorts and heaps with pure comparisons
//	log.go, flags.go  log.Fatal and flag.Parse, which end the script; places in logs
//	tool.go, decode_answer.go, json_scan.go  a tool's call, and its decoded answer
//	written_params.go, presence.go, json_fields.go  which fields of a tool's parameters were written
//	prelude.go  Return, Input, Stored and RunScript
//	symbols.go  the names that lowered programs call
//
// The table in lower/library.go lists the replaced library functions, with reasons.
//
// Nothing here trusts the script: a panic of native code under a script's call is a panic
// of the script.
package runtime
