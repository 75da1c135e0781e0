package console

import (
	"go/token"
	"html/template"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// markup is HTML that is being written. What comes from outside goes through text;
// write takes only what this package itself says.
type markup struct{ strings.Builder }

func (m *markup) write(parts ...string) {
	for _, p := range parts {
		m.WriteString(p)
	}
}

// text writes a text: what HTML means something by, and what does not show or turns
// the text around, is escaped. Tabs stay.
func (m *markup) text(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '<':
			m.WriteString("&lt;")
		case c == '>':
			m.WriteString("&gt;")
		case c == '&':
			m.WriteString("&amp;")
		case c == '"':
			m.WriteString("&#34;")
		case c == '\'':
			m.WriteString("&#39;")
		case c == '\t' || c >= ' ' && c < 0x7F:
			m.WriteByte(c)
		case c < utf8.RuneSelf:
			m.WriteString(show.Visible(s[i:i+1], 8, false))
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if unicode.IsLetter(r) && !registry.Invisible(r) {
				m.WriteString(s[i : i+size])
			} else {
				m.WriteString(show.Visible(s[i:i+size], 12, false))
			}
			i += size
			continue
		}
		i++
	}
}

// html is what was written.
func (m *markup) html() template.HTML { return template.HTML(m.String()) }

// maxProse bounds a text that is shown in its lines, in bytes.
const maxProse = 16 << 10

// prose is a text of several lines in which what does not show, or turns the text
// around, is an escape.
func prose(s string) template.HTML {
	var m markup
	for i, line := range strings.Split(text.CutBytes(s, maxProse), "\n") {
		if i > 0 {
			m.write("\n")
		}
		m.text(strings.TrimSuffix(line, "\r"))
	}
	return m.html()
}

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
