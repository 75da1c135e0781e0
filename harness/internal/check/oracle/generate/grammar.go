package generate

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

//go:embed grammar/*.txt
var grammarFiles embed.FS

// maxDepth is the nesting of productions from which those marked deep are omitted.
const maxDepth = 6

// An alternative is one text for the name of a production.
type alternative struct {
	text   string
	weight int
	deep   bool // refers to its own kind
}

// grammar contains the alternatives in grammar/*.txt by production.
//
// A line "== NAME [WEIGHT] [deep]" begins an alternative for NAME. Lines that
// begin with "#" are comments.
var grammar = readGrammar()

// sceneFamilies are the X of the productions scene.X.
var sceneFamilies = families()

func readGrammar() map[string][]alternative {
	out := map[string][]alternative{}
	files, _ := fs.Glob(grammarFiles, "grammar/*.txt")
	for _, file := range files {
		b, err := grammarFiles.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, part := range strings.Split("\n"+string(b), "\n== ")[1:] {
			head, text, _ := strings.Cut(part, "\n")
			words := strings.Fields(head)
			a := alternative{text: withoutComments(text), weight: 1}
			for _, w := range words[1:] {
				if n, err := strconv.Atoi(w); err == nil {
					a.weight = n
				} else {
					a.deep = a.deep || w == "deep"
				}
			}
			out[words[0]] = append(out[words[0]], a)
		}
	}
	return out
}

func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func families() map[string]bool {
	out := map[string]bool{}
	for name := range grammar {
		if family, ok := strings.CutPrefix(name, "scene."); ok {
			out[family] = true
		}
	}
	return out
}

// An expander fills the holes of one scene. A hole is one of:
//
//	«a|b|c»          one of the texts
//	«? a»            the text, or nothing
//	«* 1 4 a»        the text, one to four times; «i» in it is the turn, from 0
//	«n 2 9»          a number from 2 to 9
//	«#»              the scene's number, to make names of package level unique
//	«x:=a|b»         nothing; «x» is from now on what was chosen. A word fresh in front (fresh v)
//	                 makes a new name, type, type comparable or type plain a random type
//	«e T»            an expression of type T; «c T» one that is not constant; «k T» a literal
//	«zero T»         the zero value of T
//	«var x T»        nothing; the core may use the variable x from here to the end of the production
//	«forget x»       nothing; the core may not use x any more
//	«stmts 3»        up to three statements of the core
//	«block 3»        the same, and what they declare is forgotten
//	«show x T»       prints x in a way that T allows
//	«name»           a text of the production of that name
//
// Holes nest. Bindings and variables last until the end of their production.
type expander struct {
	*program
	number string
	bound  []map[string]string
	depth  int
}

// production expands one alternative of a name.
func (e *expander) production(name string) string {
	all := grammar[name]
	if len(all) == 0 {
		panic(fmt.Sprintf("the grammar has no %q", name))
	}
	var list []alternative
	total := 0
	for _, a := range all {
		if !a.deep || e.depth < maxDepth {
			list = append(list, a)
			total += a.weight
		}
	}
	at := e.IntN(total)
	for _, a := range list {
		if at -= a.weight; at < 0 {
			return e.inside(func() string { return e.expand(a.text) })
		}
	}
	panic("not reached")
}

// inside calls f in a new scope of bindings and variables.
func (e *expander) inside(f func() string) string {
	e.depth++
	e.bound = append(e.bound, map[string]string{})
	vars, loops := len(e.scope), e.loops
	if e.depth == 1 {
		e.loops = nil
	}
	s := f()
	e.scope, e.loops = e.scope[:vars], loops
	e.bound = e.bound[:len(e.bound)-1]
	e.depth--
	return s
}

// expand fills the holes of a text from left to right.
func (e *expander) expand(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "«")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		hole, after := closing(rest)
		b.WriteString(e.hole(hole))
		text = after
	}
}

// closing splits s behind the » that closes a « before s.
func closing(s string) (inside, after string) {
	open := 1
	for i, r := range s {
		switch r {
		case '«':
			open++
		case '»':
			if open--; open == 0 {
				return s[:i], s[i+len("»"):]
			}
		}
	}
	panic(fmt.Sprintf("« is not closed before %q", s))
}

func (e *expander) hole(h string) string {
	if name, value, ok := strings.Cut(h, ":="); ok && isName(name) {
		e.bound[len(e.bound)-1][name] = e.value(value)
		return ""
	}
	word, rest, _ := strings.Cut(h, " ")
	switch word {
	case "#":
		return e.number
	case "?":
		if e.chance(50) {
			return e.expand(rest)
		}
		return ""
	case "*":
		return e.repeat(rest)
	case "n":
		var low, high int
		fmt.Sscan(rest, &low, &high)
		return strconv.Itoa(low + e.IntN(high-low+1))
	case "e":
		return e.expr(e.typeOf(rest), 2)
	case "c":
		return e.variable(e.typeOf(rest), 2)
	case "k":
		return e.literal(e.typeOf(rest), 2)
	case "zero":
		return e.zero(e.typeOf(rest))
	case "var":
		name, t, _ := strings.Cut(rest, " ")
		e.declare(e.word(name), e.typeOf(t))
		return ""
	case "forget":
		i := e.index(e.word(rest))
		e.scope = slices.Delete(e.scope, i, i+1)
		return ""
	case "stmts":
		n, _ := strconv.Atoi(rest)
		return e.statements(n, 2)
	case "block":
		n, _ := strconv.Atoi(rest)
		return e.block(n, 2)
	case "show":
		x, t, _ := strings.Cut(rest, " ")
		return e.show(e.word(x), e.typeOf(t))
	}
	if v, ok := e.binding(h); ok {
		return v
	}
	if _, ok := grammar[h]; ok {
		return e.production(h)
	}
	return e.expand(pick(e.program, choices(h)))
}

func (e *expander) binding(name string) (string, bool) {
	for i := len(e.bound) - 1; i >= 0; i-- {
		if v, ok := e.bound[i][name]; ok {
			return v, true
		}
	}
	return "", false
}

// word returns the value of a bound word, or the word itself.
func (e *expander) word(s string) string {
	if v, ok := e.binding(s); ok {
		return v
	}
	return e.expand(s)
}

// repeat expands "LOW HIGH TEXT".
func (e *expander) repeat(s string) string {
	words := strings.SplitN(s, " ", 3)
	low, _ := strconv.Atoi(words[0])
	high, _ := strconv.Atoi(words[1])
	var b strings.Builder
	for i := range low + e.IntN(high-low+1) {
		e.bound = append(e.bound, map[string]string{"i": strconv.Itoa(i)})
		b.WriteString(e.expand(words[2]) + "\n")
		e.bound = e.bound[:len(e.bound)-1]
	}
	return b.String()
}

// value returns the value for a binding.
func (e *expander) value(s string) string {
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "fresh":
		return e.fresh(rest)
	case "type":
		return e.typ(rest, 1).text
	}
	return e.expand(pick(e.program, choices(s)))
}

func (e *expander) typeOf(s string) *typ {
	return e.typed(e.word(s))
}

// choices splits at bars outside inner holes. "||" is Go's operator.
func choices(h string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(h); i++ {
		switch {
		case strings.HasPrefix(h[i:], "«"):
			depth++
		case strings.HasPrefix(h[i:], "»"):
			depth--
		case strings.HasPrefix(h[i:], "||"):
			i++
		case h[i] == '|' && depth == 0:
			out = append(out, h[from:i])
			from = i + 1
		}
	}
	return append(out, h[from:])
}

func isName(s string) bool {
	for _, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
