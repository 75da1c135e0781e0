package console

import (
	"go/scanner"
	"go/token"
	"html/template"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/registry"
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

// source is a script that is shown: its lines as HTML, and where it says what.
type source struct {
	lines []codeLine
	// declared are the calls of UseTools: the lines on which they begin and end.
	declared [][2]int
	literals map[string]int // texts of one line to the first line that has them
	returns  []int          // lines with Return
}

// codeLine is one line: how far it is indented, and the rest.
type codeLine struct {
	indent int
	html   string
}

// predeclared are the functions that scripts have without an import.
var predeclared = map[string]bool{"UseTools": true, "Return": true, "Input": true, "Stored": true, "RunScript": true}

var typeNames = map[string]bool{"any": true, "bool": true, "byte": true, "comparable": true, "complex64": true,
	"complex128": true, "error": true, "float32": true, "float64": true, "int": true, "int8": true, "int16": true,
	"int32": true, "int64": true, "rune": true, "string": true, "uint": true, "uint8": true, "uint16": true,
	"uint32": true, "uint64": true, "uintptr": true, "true": true, "false": true, "nil": true, "iota": true}

// piece is a token with the white space after it.
type piece struct {
	at  int // offset
	tok token.Token
	lit string
}

// readSource takes a script apart. tools are the classes of the colours of functions
// that call tools, by their name in Go: shop.GetOrder. Any bytes have lines.
func readSource(src string, tools map[string]string) *source {
	pieces := scan(src)
	packages := map[string]bool{}
	for name := range tools {
		pkg, _, _ := strings.Cut(name, ".")
		packages[pkg] = true
	}
	out := &source{literals: map[string]int{}}
	w := &lineWriter{}
	at := 0
	open, depth := -1, 0 // the call of UseTools that is being read
	w.write("", src[:pieces[0].at])
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		end := func(i int) int {
			if i+1 < len(pieces) {
				return pieces[i+1].at
			}
			return len(src)
		}
		class := classOf(p.tok, p.lit)
		if p.tok == token.IDENT {
			if i+2 < len(pieces) && packages[p.lit] && pieces[i+1].tok == token.PERIOD && pieces[i+2].tok == token.IDENT {
				class = "t"
				if hue, ok := tools[p.lit+"."+pieces[i+2].lit]; ok {
					class = "call " + hue
				}
				i += 2
			} else if predeclared[p.lit] && i+1 < len(pieces) && pieces[i+1].tok == token.LPAREN {
				class = "p"
				switch p.lit {
				case "UseTools":
					if open < 0 {
						open, depth = len(out.declared), 0
						out.declared = append(out.declared, [2]int{w.line + 1, w.line + 1})
					}
				case "Return":
					out.returns = append(out.returns, w.line+1)
				}
			}
		}
		if p.tok == token.STRING {
			if s, err := strconv.Unquote(p.lit); err == nil && len(s) <= maxPhrase && out.literals[s] == 0 {
				out.literals[s] = w.line + 1
			}
		}
		at = end(i)
		w.write(class, src[p.at:at])
		switch {
		case open < 0:
		case p.tok == token.LPAREN:
			depth++
		case p.tok == token.RPAREN:
			if depth--; depth == 0 {
				out.declared[open][1] = w.lineOf(src[p.at:at])
				open = -1
			}
		}
	}
	out.lines = w.end()
	return out
}

// maxPhrase bounds the literals that are looked for among phrases, in bytes.
const maxPhrase = 2000

// scan returns the tokens of a source, at least one, in their order.
func scan(src string) []piece {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	s.Init(file, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	var out []piece
	last := -1
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Offset(pos)
		if tok == token.SEMICOLON && lit == "\n" || at <= last {
			continue
		}
		last = at
		out = append(out, piece{at, tok, lit})
	}
	if len(out) == 0 {
		out = append(out, piece{0, token.ILLEGAL, ""})
	}
	return out
}

func classOf(tok token.Token, lit string) string {
	switch {
	case tok == token.COMMENT:
		return "c"
	case tok == token.STRING, tok == token.CHAR:
		return "s"
	case tok == token.INT, tok == token.FLOAT, tok == token.IMAG:
		return "n"
	case tok.IsKeyword():
		return "k"
	case tok == token.IDENT && typeNames[lit]:
		return "t"
	}
	return ""
}

// lineWriter writes pieces of text as lines.
type lineWriter struct {
	markup
	line  int // from 0
	begun bool
	in    int
	lines []codeLine
}

// lineOf is the line, from 1, on which the last piece that was written ends, without
// the white space after it.
func (w *lineWriter) lineOf(last string) int {
	rest := last[len(strings.TrimRight(last, " \t\r\n")):]
	return w.line + 1 - strings.Count(rest, "\n")
}

func (w *lineWriter) write(class, s string) {
	word := len(strings.TrimRight(s, " \t\r\n"))
	for s != "" {
		part, rest, ended := strings.Cut(s, "\n")
		used := len(part)
		if !w.begun {
			for part != "" && part[0] == '\t' {
				part = part[1:]
				word--
				w.in++
				used--
			}
			w.begun = part != ""
		}
		if n := min(max(word, 0), used); n > 0 && class != "" {
			w.markup.write(`<span class="`, class, `">`)
			w.text(part[:n])
			w.markup.write("</span>")
			w.text(strings.TrimSuffix(part[n:], "\r"))
		} else {
			w.text(strings.TrimSuffix(part, "\r"))
		}
		word -= used + 1
		if ended {
			w.next()
		}
		s = rest
	}
}

// next ends a line.
func (w *lineWriter) next() {
	w.lines = append(w.lines, codeLine{w.in, w.String()})
	w.Reset()
	w.in, w.begun = 0, false
	w.line++
}

func (w *lineWriter) end() []codeLine {
	if w.Len() > 0 || w.in > 0 || len(w.lines) == 0 {
		w.next()
	}
	return w.lines
}
