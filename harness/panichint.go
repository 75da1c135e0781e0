package harness

import "strings"

// panicHints are the most frequent causes of panics, by a part of the message.
var panicHints = []struct{ sign, hint string }{
	{"assignment to entry in nil map", "make the map first: m := map[K]V{}, and those inside it before their first key"},
	{"nil pointer dereference", "a pointer, map value or interface is nil there: look at err, or compare with nil, " +
		"before its first use"},
	{"is float64, not int", "numbers of JSON are float64: int(v.(float64))"},
	{"interface conversion: ", "assert with v, ok := x.(T), or print the value with %T to see its type"},
	{"main called runtime.Goexit", "return from main, so that the script ends"},
	{"all goroutines are asleep", "nothing will ever send, receive or unlock: close the channel, call Done as often as " +
		"Add, send from another goroutine"},
	{"index out of range", "compare the index with len first; a list may be empty"},
	{"slice bounds out of range", "compare the bounds with len first: s[:min(n, len(s))]"},
	{"json: Unmarshal(non-pointer", "hand over a pointer: json.Unmarshal(data, &v)"},
	{"errors: *target must be", "the variable is of the type that has the method Error, often a pointer: var e " +
		"*MyError; errors.As(err, &e)"},
	{"send on closed channel", "only the sender closes, once, when all is sent"},
	{"integer divide by zero", "compare the divisor with 0 first"},
}

// ofGo matches the panics that are not the script's own.
var ofGo = pattern(`^(panic: (runtime error|assignment to entry|interface conversion|json|errors|send on closed)|fatal error)`)

func adviceFor(message string) string {
	if !ofGo().MatchString(message) {
		return ""
	}
	for _, a := range panicHints {
		if strings.Contains(message, a.sign) {
			return a.hint
		}
	}
	return ""
}
