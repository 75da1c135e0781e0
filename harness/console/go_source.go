package console

import (
	"go/token"
	"strconv"
	"strings"
)

// source is a script that is shown: its lines as HTML, and where it says what.
type source struct {
	lines []codeLine
	// declared are the calls of UseTools: the lines on which they begin and end.
	declared [][2]int
	literals map[string]int // texts to the first line that has them
	returns  []int          // lines with a call of Return
}

// codeLine is one line: how far it is indented, and the rest.
type codeLine struct {
	indent int
	html   string
}

// maxPhrase bounds the literals that are looked for among phrases, in bytes.
const maxPhrase = 2000

// readSource takes a script apart. hue is the class of the colour of a server's
// package. Any bytes have lines.
func readSource(src string, hue func(pkg string) string) *source {
	out := &source{literals: map[string]int{}}
	for _, spans := range highlight(strings.TrimSuffix(src, "\n"), hue) {
		var m markup
		line := codeLine{}
		if len(spans) > 0 && spans[0].Class == "" {
			rest := strings.TrimLeft(spans[0].Text, "\t")
			line.indent = len(spans[0].Text) - len(rest)
			spans[0].Text = rest
		}
		for _, s := range spans {
			if s.Class == "" {
				m.text(s.Text)
			} else {
				m.span(s.Class, s.Text)
			}
		}
		line.html = m.String()
		out.lines = append(out.lines, line)
	}
	parts, line := scan(src), 1
	open, depth := false, 0 // in a call of UseTools
	for i, p := range parts {
		line += strings.Count(p.gap, "\n")
		called := p.tok == token.IDENT && at(parts, i+1).tok == token.LPAREN
		switch {
		case called && p.text == "UseTools" && !open:
			open, depth = true, 0
			out.declared = append(out.declared, [2]int{line, line})
		case called && p.text == "Return":
			out.returns = append(out.returns, line)
		case p.tok == token.STRING && len(p.text) <= maxPhrase:
			if s, err := strconv.Unquote(p.text); err == nil && out.literals[s] == 0 {
				out.literals[s] = line
			}
		case open && p.tok == token.LPAREN:
			depth++
		case open && p.tok == token.RPAREN:
			if depth--; depth == 0 {
				out.declared[len(out.declared)-1][1] = line
				open = false
			}
		}
		line += strings.Count(p.text, "\n")
	}
	return out
}
