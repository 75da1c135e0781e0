// Package lower lowers a checked script to the small Go that the interpreter
// runs exactly.
//
// # Why
//
// The interpreter, Yaegi v0.16.1, runs statements over plain values correctly. It gets
// typing wrong, mostly without an error: methods, interfaces, generics, and the types of
// script values that reach the library. It also mishandles frames: closures, results,
// deferred calls. So go/types checks a script, and this package rewrites it until nothing
// is left that the interpreter could get wrong. A construct that cannot be rewritten is
// refused with a *[Refusal], which has a position and advice. A script means what Go's
// specification says. Where the specification leaves the order of evaluation open, the
// order may differ from the compiler's. negative_zero.go documents the one known difference.
//
// # An example
//
//	type Celsius float64
//
//	func (c Celsius) String() string { return fmt.Sprintf("%.1f°C", float64(c)) }
//
//	func main() {
//		var warm fmt.Stringer = Celsius(21)
//		fs := []func(){}
//		for i := 0; i < 2; i++ {
//			fs = append(fs, func() { fmt.Println(i, warm) })
//		}
//		for _, f := range fs {
//			f()
//		}
//	}
//
// becomes, without //line directives and with shorter names:
//
//		func make_1(i int, warm p_fmt.Stringer) func() {         // (5)
//			return func() {
//				*ln = 13                                         // (7)
//				rt.Println(i, warm)                              // (2)
//			}
//		}
//
//		func f_main() {
//			var warm p_fmt.Stringer = t.To_1_2(float64(21.0))    // (3)
//			var fs []func() = []func(){}
//			var i int = 0
//			var first bool = true
//			for {
//				var i_2 int = i                                  // (4)
//				…                                                // i_2++ except the first time; i_2 < 2
//				var t_3 []func() = append(fs, make_1(i_2, warm))
//				fs = t_3
//				i = i_2
//			}
//			…
//		}
//
//		func f_String(c float64) string {                        // (1)
//			var t_4 string = p_fmt.Sprintf("%.1f°C", c)          // (2)
//			return t_4
//		}
//
//		func main() {
//			rt.RegisterGuarded(2, "String", f_String)            // (6)
//			…
//			f_main()
//		}
//
//	 1. Types are erased: Celsius is float64, its method a function (erase.go).
//	    The interpreter loses methods below the top level of a value.
//	 2. A call of a library function is unchanged. The few functions with effects outside
//	    the script, such as fmt.Println, which writes to the script's output, are
//	    replaced by functions of package runtime (library.go).
//	 3. A script value in an interface is a box: the erased value with its real type,
//	    which package gotype makes, so that the library sees what it would see in
//	    Go. t.To_1_2 returns a float64 as type 2, Celsius, in interface type 1,
//	    fmt.Stringer (box.go). The numbers are indices into Program.Types.
//	 4. A captured loop variable gets one variable per iteration (for.go). The
//	    interpreter has one per loop.
//	 5. A func literal is made in a function of its own that takes the captured
//	    variables as parameters (closure.go): closures of the interpreter share their
//	    frame. A variable that changes later is passed by its address. A call is a
//	    statement (call.go), because the interpreter does not evaluate operands around
//	    calls in Go's order.
//	 6. The methods of made types call the functions that are registered for them. A
//	    method of an interface of the script goes through a dispatch function
//	    (dispatch.go).
//	 7. Before a statement that can fail, the program records its line for traces
//	    (fn.go).
//
// "harness check -lowered" prints the whole text.
//
// # The files
//
//	lower.go          Input, Program; packages, functions, initialisation
//	fn.go             one function: variables, hoisting, results
//	usage.go          which variables change, escape, need holders
//	bound.go          which index checks are omitted because they cannot fail
//	erase.go          types
//	subst.go          generics: one function for each set of type arguments
//	box.go            interfaces: boxes, conversions, assertions
//	constant.go       constants, folded
//	expr.go           expressions and their order; comparisons, literals
//	operand.go        fields, elements, slices, with checks that give Go's messages
//	call.go, builtin.go, conversion.go, method.go    calls by kind
//	native.go         pure comparisons, described for package native
//	closure.go        func literals
//	defer.go          defer, recover, go
//	assign.go         assignments and declarations
//	parallel.go       several assignments at once
//	temporaries.go    temporaries, and variables in loops
//	negative_zero.go  negative zeros, whose sign calls would lose
//	outline.go        blocks that become functions
//	control.go        statements, if, labels, return
//	for.go, range.go, switch.go, select.go
//	place.go          where the script names a tool or starts a goroutine
//	dispatch.go       methods of interfaces, methods for native code
//	library.go        the library functions that functions of rt replace
//	presence.go       which fields of a tool's parameters a script wrote
//	written_size.go   types too big to be written out
//	refuse.go         Refusal
//
// The top of each file says which defect of the interpreter it works around.
//
// # Order
//
// Go's specification orders calls, receives and && and ||: they are evaluated in lexical
// order, and hoisted into variables at once. It does not order reads of variables, fields
// and elements. These reads stay in the text and run after all calls of the statement;
// their checks are carried along until the statement is written (see [guarded]). Go's
// compilers mostly do the same.
//
// # Cost
//
// An operation of the interpreter takes 5 to 25 ns, a call of a function of the script 350
// ns, a call of native code 120 ns and more. A call allocates a variable for each operation
// in the function's text, whether the operation runs or not. So the emitted text is kept
// short, not only its steps: checks are omitted where they cannot fail (bound.go),
// temporaries are shared (temporaries.go), and in a long function, blocks that end in a return
// become functions of their own (outline.go).
//
// Against the bare interpreter, by BenchmarkRatio of package yaegi, least times on
// a loaded machine, Yaegi v0.16.1: ranges over slices, maps and integers 1.0,
// also where the script recovers; calls 1.0 to 1.1, recursion through pointers
// 1.5, calls through interfaces 1.2, closures 1.1, methods 0.3; counting in maps
// 1.4; a tree walked by a switch of nine cases 0.9; strings.Builder 1.0, += of
// strings 1.3; sort.Slice 1.7, slices.SortFunc 1.25 of a bare sort.Slice where their
// functions are not native; JSON of 5 MB into structs of the script and back 1.1.
//
// A sort calls a pure comparison (native.go) in about 20 ns. Native code calls any other
// function in 1.2 µs and more. The script calls a method of an interface in 2 to 4 µs:
// BenchmarkHot of package yaegi.
//
// A range over a map that is ordered (Input.Ordered) costs 0.4 µs more to begin. By
// BenchmarkRangeMap, least times, relative to a range in Go's order: for maps of 1 key 2.2
// and of 10 keys 1.6 where the body does next to nothing, 1.2 where it makes a string; for
// large maps 1.0 to 1.5.
//
// Remaining costs: indices into matrices 1.9 and sieves 1.3, since each check is two more
// operations where neither loop nor length shows that it cannot fail (bound.go); walks
// along pointers 1.7, for the line that is recorded before a statement that can fail. A
// second way of running functions beside the interpreter would have to save more than this.
// It would save nothing for programs that spend their time in calls of tools.
//
// A function that defers takes two to three times as long as in the bare interpreter, about
// 5 µs, because its body and its deferred calls are closures. One that only unlocks a mutex
// takes about as long (defer.go).
//
// The same script lowers to the same text; testdata/golden has one for each
// construct.
package lower
