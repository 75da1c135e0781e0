package engine

import "github.com/usetools/usetools/harness/internal/exec"

// panicHints has hints for the most common errors that end a script, by code.
var panicHints = map[exec.Code]string{
	exec.CodeNilMap: "create the map before its first key: m := map[K]V{}; create each inner map too",
	exec.CodeNilPointer: "a pointer, map value or interface is nil here: check err, or compare with nil, before " +
		"its first use",
	exec.CodeFloatNotInt: "JSON numbers are float64: int(v.(float64))",
	exec.CodeAssertion:   "assert with v, ok := x.(T), or print the value with %T to see its type",
	exec.CodeNoMain:      "return from main, so that the script ends",
	exec.CodeDeadlock: "nothing will ever send, receive or unlock: close the channel, call Done as often as Add, " +
		"send from another goroutine",
	exec.CodeIndex:       "compare the index with len first; a list may be empty",
	exec.CodeSliceBounds: "compare the bounds with len first: s[:min(n, len(s))]",
	exec.CodeNoPointer:   "pass a pointer: json.Unmarshal(data, &v)",
	exec.CodeErrorTarget: "declare the variable with the type that has the method Error, often a pointer: " +
		"var e *MyError; errors.As(err, &e)",
	exec.CodeClosedChannel: "close the channel once, in the sender, after the last send",
	exec.CodeZeroDivisor:   "compare the divisor with 0 first",
}
