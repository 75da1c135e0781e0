package bind

import (
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// typeSuffixes are the suffixes with which scripts name the types of a function.
var typeSuffixes = []string{"Params", "Args", "Arguments", "Input", "Request", "Options", "Result", "Response",
	"Output"}

// function returns the name of the function that a name refers to, directly or by its type.
func function(name string) string {
	for _, suffix := range typeSuffixes {
		if fn, ok := strings.CutSuffix(name, suffix); ok && fn != "" {
			return fn
		}
	}
	return name
}

// join joins the names of things.
func join[T any](sep string, things []T, name func(T) string) string {
	var names []string
	for _, t := range things {
		names = append(names, name(t))
	}
	return strings.Join(names, sep)
}

// Snippet returns a line of the script, shortened.
func Snippet(source string, line int) string {
	return text.Cut(strings.ToValidUTF8(sourceLine(source, line), "\uFFFD"), 160)
}

// sourceLine returns a line of the script, counted from 1, without its end.
func sourceLine(source string, line int) string {
	lines := strings.Split(source, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[line-1], "\r")
}
