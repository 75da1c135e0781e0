package check

import (
	"regexp"
	"strings"
	"sync"
)

// An idiom is the Go form of a habit from other languages, or of a common mistake: message and
// line are patterns for Go's message and for the source line. The hint may refer to groups of message.
type idiom struct {
	message, line, hint string
	// first replaces a hint that the message alone would give.
	first bool
}

const (
	numbers   = `u?int(?:8|16|32|64)?|uintptr|byte|rune|float32|float64`
	converted = "Go has no implicit conversions: write $1(…) around the other operand"
)

var idioms = []idiom{
	// Numbers and texts.
	{message: `mismatched types int\w* and time\.Duration`, hint: "convert the number: time.Duration(n) * time.Second"},
	{message: `cannot convert "?.* to type interface\{Error\(\) string\}`, line: `\+`, hint: "the text of an error is err.Error() or fmt.Sprint(\"…\", err)", first: true},
	{message: `mismatched types string and untyped nil`, hint: `a string is never nil: compare with ""`, first: true},
	{message: `mismatched types (?:untyped )?(?:` + numbers + `) and (?:untyped )?(float\d\d)\)`, hint: converted},
	{message: `mismatched types (?:untyped )?(` + numbers + `) and (?:untyped )?(?:` + numbers + `)\)`, hint: converted},
	{message: `mismatched types (?:(?:untyped )?string and \S+Result|\S+Result and (?:untyped )?string)\)`, hint: "a result is a struct: its text is r.Text()"},
	{message: `mismatched types (?:(?:untyped )?string and (?:untyped )?\S+|(?:untyped )?\S+ and (?:untyped )?string)\)`, hint: "convert the other operand to a string: fmt.Sprint(x)"},
	{message: `mismatched types \S+Result and untyped nil\)`, hint: "a result is a struct, which is never nil: check err"},
	{message: `cannot use nil as (string|bool|u?int\w*|float\w+|[A-Z]\w*) value`, hint: "nil is for pointers, slices, maps, channels, funcs and interfaces; leave the value out for the zero value"},
	{message: `string constant.* as \[\]byte value`, hint: "convert it: []byte(…)"},
	// Lists and maps.
	{message: `^append\((\w+),.* is not used`, hint: "append returns the longer list: $1 = append($1, …)", first: true},
	{message: `value of type (\[\]\w+)\) as \w+ value in argument to append`, hint: "spread the list: append(xs, ys...)", first: true},
	{message: `slice can only be compared to nil`, hint: "use slices.Equal(a, b)"},
	{message: `invalid map key type`, hint: "a key is compared with ==: use a string, a number, an array, or a struct of them"},
	{message: `iter\.Seq\[.*\) as \[\]`, hint: "it is an iterator, not a list: slices.Collect(…), or slices.Sorted(…)", first: true},
	{message: `permits only one iteration variable`, hint: "leave out the second variable: for i := range …"},
	{message: `slices\.(Sort\w*|Reverse)\(.*\(no value\) used as value`, hint: "it changes the list in place: call it as a statement", first: true},
	{message: `of struct type \w+\.\w+Result\) to type (?:\[\]byte|string)`, hint: "a result is a struct: its text is r.Text(), and r.JSON(&v) decodes it"},
	{message: `no field or method (?:push|append|add|Append|Push|Add)\b`, line: `\.\w+\(`, hint: "to add to a list: xs = append(xs, x); to a map: m[k] = v", first: true},
	{message: `type (?:string|\[\]\S+) has no field or method (?:length|len|Len|Length|size|count)\b`, hint: "use len(x)", first: true},
	{message: `type error has no field or method [A-Z]`, line: `\.\w+\(`, hint: "UseTools returns an error, not the tools: a tool is a function of its server's package, git.Log(git.LogParams{…})"},
	{message: `type string has no field or method (?:Year|Month|Day|Hour|Weekday|Unix|Format|Before|After|Sub|AddDate|Truncate)\b`, hint: "it is a text: t, err := time.Parse(time.RFC3339, s)", first: true},
	{message: `too many arguments in call to .* have \([^()]*error\)`, hint: "the inner call also returns an error: assign its results first, then check err"},
	{message: `assignment mismatch: 2 variables but .* returns 1 value`, hint: "it has one result: assign only that"},
	// Methods, structs, generics.
	{message: `method (\w+) has pointer receiver`, hint: "$1 belongs to the pointer: write &T{…}", first: true},
	{message: `cannot refer to unexported (?:field|method)`, hint: "lower-case names are private to their package; use its exported functions and methods"},
	{message: `cannot infer (\w+)`, hint: "write the type arguments: f[int](…)"},
	{message: `cannot use generic (?:type|function) (\w+)`, hint: "write the type arguments: $1[int]"},
	{message: `type parameter (\w+) cannot use operator [<>]`, hint: "constrain it: [$1 cmp.Ordered]"},
	{message: `to type interface\{Error\(\) string\}`, hint: "an error is compared with nil: err != nil"},
	{message: `interface type any`, hint: anyHint},
	{message: `requires go1\.`, hint: olderHint},
	// Syntax.
	{message: `^syntax error: missing import path`, hint: `an import path is written in quotes: import "strings"; a script is Go`},
	{message: `illegal character U\+003F`, hint: "Go has no ?: write if … { … } else { … }"},
	{message: `^syntax error: expected ';', found '(\+\+|--)'`, hint: "$1 is a statement and has no value: write it on its own line"},
	{message: `^syntax error: expected '\(', found`, line: `^\s*func \w+\(`, hint: "inside a function: name := func(…) … { … }"},
	{message: `^syntax error: missing ',' in argument list`, line: `\w+\(.*\w+:`, hint: "arguments have no names in Go: write the values in their order"},
	{message: `^syntax error: illegal rune literal`, hint: `strings are written in double quotes: "hello"; 'x' is one character`},
	{message: `missing ',' before newline`, hint: "end the last line of the list with a comma, too"},
	{message: `^syntax error: missing ',' in type argument list`, line: `^\s*func \(`, hint: "a method has no type parameters of its own: make it a function, func Map[T, U any](l List[T], …)", first: true},
}

var idiomPatterns = sync.OnceValue(func() [][2]*regexp.Regexp {
	out := make([][2]*regexp.Regexp, len(idioms))
	for i, d := range idioms {
		out[i] = [2]*regexp.Regexp{regexp.MustCompile(d.message), regexp.MustCompile(d.line)}
	}
	return out
})

// adviseIdiom sets the hint of the first idiom that matches a diagnostic.
func (s *Script) adviseIdiom(d *Diagnostic) {
	if d.Kind != Compile || d.Line < 1 || d.Line > len(s.lines) {
		return
	}
	line, _, _ := strings.Cut(string(s.text[s.lines[d.Line-1]:]), "\n")
	for i, p := range idiomPatterns() {
		if d.Hint != "" && !idioms[i].first {
			continue
		}
		if m := p[0].FindStringSubmatchIndex(d.Message); m != nil && p[1].MatchString(line) {
			d.Hint, d.Near = string(p[0].ExpandString(nil, idioms[i].hint, d.Message, m)), nil
			return
		}
	}
}
