package console

import (
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/present"
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
			m.WriteString(present.Visible(s[i:i+1], 8, false))
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if unicode.IsLetter(r) && !registry.Invisible(r) {
				m.WriteString(s[i : i+size])
			} else {
				m.WriteString(present.Visible(s[i:i+size], 12, false))
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

// json writes JSON in colours, of at most so many bytes.
func (m *markup) json(s string, most int) {
	cut := len(s) > most
	if cut {
		s = strings.ToValidUTF8(s[:most], "")
	}
	for i := 0; i < len(s); {
		j := i
		switch c := s[i]; {
		case c == '"':
			for j++; j < len(s) && s[j] != '"'; j++ {
				if s[j] == '\\' {
					j++
				}
			}
			j = min(j+1, len(s))
			class := "s"
			if rest := strings.TrimLeft(s[j:], " "); rest != "" && rest[0] == ':' {
				class = "t"
			}
			m.span(class, s[i:j])
		case c == '-' || c >= '0' && c <= '9':
			for j++; j < len(s) && strings.IndexByte("0123456789.eE+-", s[j]) >= 0; j++ {
			}
			m.span("n", s[i:j])
		case c >= 'a' && c <= 'z':
			for j++; j < len(s) && s[j] >= 'a' && s[j] <= 'z'; j++ {
			}
			m.span("n", s[i:j])
		case c == '\n':
			m.write("\n")
			j++
		default:
			for j++; j < len(s) && strings.IndexByte("\"-0123456789\n", s[j]) < 0 && (s[j] < 'a' || s[j] > 'z'); j++ {
			}
			m.text(s[i:j])
		}
		i = j
	}
	if cut {
		m.write("…")
	}
}

func (m *markup) span(class, s string) {
	m.write(`<span class="`, class, `">`)
	m.text(s)
	m.write(`</span>`)
}
