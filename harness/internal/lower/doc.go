// Package lower lowers a checked script to the small Go that the interpreter
// runs exactly.
//
// # Why
//
// The interpreter, Yaegi v0.16.1, runs statements over plain values right. What
// it gets wrong, mostly without a word, is typing: methods, interfaces,
// generics, and the types of script values that reach the library; and around its
// frames: closures, results, deferred calls. So a script is checked by go/types,
// and rewritten here until nothing is left that the interpreter could get
// wrong. What cannot be rewritten is refused, with a position and advice: a
// *[Refusal]. A script means what Go's specification says it means; where that
// leaves the order of evaluation open, the order may be another than the
// compiler's. exact.go names the one known difference.
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
//				…                                                // i_2++ but for the first, i_2 < 2
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
//	 2. A call of a library function stays what it is. The few that reach beyond the
//	    script, such as fmt.Println, which writes to the script's output, are
//	    replaced by functions of package runtime (library.go).
//	 3. A script value in an interface is a box: the erased value with its real type,
//	    which package gotype makes, so that the library sees what it would see in
//	    Go. t.To_1_2 returns a float64 as type 2, Celsius, in interface type 1,
//	    fmt.Stringer (box.go). The numbers are indices into Program.Types.
//	 4. A variable per iteration, where it is captured (for.go). The interpreter
//	    has one per loop.
//	 5. A func literal is made in a function of its own, with what it uses as
//	    parameters (closure.go): closures of the interpreter share their frame.
//	    A variable that changes later is passed by its address. A call is a
//	    statement (call.go), because the interpreter evaluates operands around calls
//	    in an order of its own.
//	 6. The methods of made types call the functions that are registered for them. A
//	    method of an interface of the script goes through a dispatch function
//	    (dispatch.go).
//	 7. Before a statement that can fail the program notes its line, for traces
//	    (fn.go).
//
// "harness check -lowered" prints the whole text.
//
// # The files
//
//	lower.go      Input, Program; packages, functions, initialisation
//	fn.go         one function: variables, hoisting, results
//	usage.go      which variables change, escape, need holders
//	bound.go      which checks of indices are left out, because they cannot fail
//	erase.go      types
//	subst.go      generics: one function for each set of type arguments
//	box.go        interfaces: boxes, conversions, assertions
//	constant.go   constants, folded
//	expr.go       expressions and their order; comparisons, literals
//	operand.go    fields, elements, slices, with checks that give Go's messages
//	call.go, builtin.go, conversion.go, method.go
//	native.go     comparisons that only compute, for package native
//	closure.go    func literals
//	defer.go      defer, recover, go
//	assign.go     assignments and declarations
//	parallel.go   several of them at once
//	slot.go       temporaries, and variables in loops
//	exact.go      negative zeros, which calls would lose
//	outline.go    blocks that become functions
//	control.go    statements, if, labels, return
//	for.go, range.go, switch.go, select.go
//	place.go      where a tool is named, and a goroutine started
//	dispatch.go   methods of interfaces, methods for native code
//	library.go    the library functions that functions of rt replace
//	presence.go   which fields of a tool's parameters a script wrote
//	weigh.go      types too big to be written out
//	refuse.go     Refusal
//
// Each says at its top which defect of the interpreter it answers.
//
// # Order
//
// Go's specification orders calls, receives and && and ||: they are evaluated in
// lexical order, and hoisted into variables at once. When variables, fields and
// elements are read is open; they stay in the text and are read after all calls of
// the statement, and their checks are carried along until the statement is written
// (see [guarded]). So do Go's compilers, mostly.
//
// # What it costs
//
// An operation of the interpreter takes 5 to 25 ns, a call of a function of the
// script 350 ns, one of native code 120 ns and more. A call allocates a variable
// for each operation in the function's text, whether it comes to it or not. So
// what is emitted is kept short in its text and not only in its steps: checks are
// left out where they cannot fail (bound.go), temporaries are shared (slot.go), and
// blocks at whose end a long function returns become functions of their own
// (outline.go).
//
// Against the bare interpreter, by BenchmarkRatio of package yaegi, least times on
// a loaded machine, Yaegi v0.16.1: ranges over slices, maps and integers 1.0,
// also where the script recovers; calls 1.0 to 1.1, recursion through pointers
// 1.5, calls through interfaces 1.2, closures 1.1, methods 0.3; counting in maps
// 1.4; a tree walked by a switch of nine cases 0.9; strings.Builder 1.0, += of
// strings 1.3; sort.Slice 1.7, slices.SortFunc 1.25 of a bare sort.Slice where their
// functions are not native; JSON of 5 MB into structs of the script and back 1.1.
//
// A sort calls a comparison that only computes (native.go) in some 20 ns. Native code
// calls any other function in 1.2 µs and more, and the script a method of an interface in
// 2 to 4 µs: BenchmarkHot of package yaegi.
//
// A range over a map that is ordered (Input.Ordered) costs 0.4 µs more to begin, by
// BenchmarkRangeMap, least times: over maps of 1 key 2.2 and of 10 keys 1.6 of one in
// Go's order where the body does next to nothing, 1.2 where it makes a string; over
// large ones 1.0 to 1.5.
//
// What is left: indices into matrices 1.9 and sieves 1.3, since each check is two
// more operations where neither loop nor length tells that it cannot fail
// (bound.go); walks along pointers 1.7, for the line that is noted before what can
// fail. A second way of running functions beside the interpreter would have to win
// back more than these; for programs whose time goes into calls of tools it would
// win nothing.
//
// A function that defers costs two to three times what it does in the bare
// interpreter, some 5 µs, because its body and its deferred calls are closures. One
// that only unlocks a mutex costs about as much as there (defer.go).
//
// The same script lowers to the same text; testdata/golden has one for each
// construct.
package lower
