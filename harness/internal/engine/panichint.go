package engine

import "github.com/usetools/usetools/harness/internal/exec"

// panicHints has hints for the most common errors that end a script, by code.
var panicHints = map[exec.Code]string{
	exec.CodeNilMap: "make the map first: m := map[K]V{}, and those inside it before their first key",
	exec.CodeNilPointer: "a pointer, map value or interface is nil there: look at err, or compare with nil, before " +
		"its first use",
	exec.CodeFloatNotInt: "numbers of JSON are float64: int(v.(float64))",
	exec.CodeAssertion:   "assert with v, ok := x.(T), or print the value with %T to see its type",
	exec.CodeNoMain:      "return from main, so that the script ends",
	exec.CodeDeadlock: "nothing will ever send, receive or unlock: close the channel, call Done as often as Add, " +
		"send from another goroutine",
	exec.CodeIndex:       "compare the index with len first; a list may be empty",
	exec.CodeSliceBounds: "compare the bounds with len first: s[:min(n, len(s))]",
	exec.CodeNoPointer:   "hand over a pointer: json.Unmarshal(data, &v)",
	exec.CodeErrorTarget: "the variable is of the type that has the method Error, often a pointer: var e *MyError; " +
		"errors.As(err, &e)",
	exec.CodeClosedChannel: "only the sender closes, once, when all is sent",
	exec.CodeZeroDivisor:   "compare the divisor with 0 first",
}
