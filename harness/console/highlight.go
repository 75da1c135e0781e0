package console

import (
	"go/scanner"
	"go/token"
	"strings"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/registry/text"
)

// span is a piece of text with a class of style.css, or "".
type span struct{ Class, Text string }

// predeclared are the names that scripts have without an import, in addition to those of Go.
var predeclared = map[string]bool{"UseTools": true, "Return": true, "Input": true, "Stored": true, "RunScript": true,
	"ToolNotFoundError": true}

// types are Go's predeclared types.
var types = map[string]bool{"any": true, "bool": true, "byte": true, "comparable": true, "complex64": true,
	"complex128": true, "error": true, "float32": true, "float64": true, "int": true, "int8": true, "int16": true,
	"int32": true, "int64": true, "rune": true, "string": true, "uint": true, "uint8": true, "uint16": true,
	"uint32": true, "uint64": true, "uintptr": true}

// maxHighlighted limits highlighted text, in bytes. Longer text is plain.
const maxHighlighted = 1 << 20

// highlight returns the lines of a text that is Go, or nearly Go, as spans. hue returns the colour
// class of a server's package, or "". Names of tool functions are one span, git.Log.
func highlight(source string, hue func(pkg string) string) [][]span {
	l := lines{out: [][]span{{}}}
	if len(source) > maxHighlighted {
		l.add("", source)
		l.end()
		return l.out
	}
	parts := scan(source)
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		class := p.class
		if p.tok == token.IDENT {
			before, after := at(parts, i-1), at(parts, i+1)
			name := at(parts, i+2)
			server := ""
			if before.tok != token.PERIOD && after.tok == token.PERIOD && after.gap == "" && name.tok == token.IDENT &&
				name.gap == "" {
				server = hue(p.text)
			}
			switch {
			case server != "":
				class = "t"
				if at(parts, i+3).tok == token.LPAREN {
					class = "call " + server
				}
				p.text += "." + name.text
				i += 2
			case before.tok == token.PERIOD:
			case predeclared[p.text]:
				class = "p"
			case types[p.text], before.tok == token.TYPE:
				class = "t"
			}
		}
		l.add("", p.gap)
		l.add(class, p.text)
	}
	l.end()
	return l.out
}

// part is a token with the white space before it.
type part struct {
	gap, text, class string
	tok              token.Token
}

func at(parts []part, i int) part {
	if i < 0 || i >= len(parts) {
		return part{}
	}
	return parts[i]
}

// scan splits a text into tokens. Their gaps and texts together are the full text.
func scan(source string) []part {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
	type start struct {
		at  int
		tok token.Token
	}
	var starts []start
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok != token.SEMICOLON || lit == ";" { // automatic semicolons are not in the text
			starts = append(starts, start{file.Offset(pos), tok})
		}
	}
	var parts []part
	end := 0
	for i, t := range starts {
		next := len(source)
		if i+1 < len(starts) {
			next = starts[i+1].at
		}
		p := part{gap: source[end:t.at], text: strings.TrimRight(source[t.at:next], " \t\r\n"), tok: t.tok}
		end = t.at + len(p.text)
		switch {
		case t.tok.IsKeyword():
			p.class = "k"
		case t.tok == token.STRING, t.tok == token.CHAR:
			p.class = "s"
		case t.tok == token.INT, t.tok == token.FLOAT, t.tok == token.IMAG:
			p.class = "n"
		case t.tok == token.COMMENT:
			p.class = "c"
		}
		parts = append(parts, p)
	}
	return append(parts, part{gap: source[end:], tok: token.EOF})
}

// lines collects spans by line. Adjacent pieces of one class form one span; its text is built once,
// when the span ends.
type lines struct {
	out   [][]span
	class string
	text  strings.Builder // text of the current span
}

func (l *lines) add(class, text string) {
	for line := range strings.SplitAfterSeq(text, "\n") {
		rest, ends := strings.CutSuffix(line, "\n")
		if ends {
			rest = strings.TrimSuffix(rest, "\r")
		}
		if rest != "" {
			if class != l.class {
				l.end()
				l.class = class
			}
			l.text.WriteString(shownLine(rest))
		}
		if ends {
			l.end()
			l.out = append(l.out, []span{})
		}
	}
}

// end ends the current span.
func (l *lines) end() {
	if l.text.Len() > 0 {
		last := &l.out[len(l.out)-1]
		*last = append(*last, span{l.class, l.text.String()})
		l.text.Reset()
	}
}

// shownLine escapes characters of a piece of code that are invisible or change the direction of
// text. It keeps tabs.
func shownLine(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }) {
		return s
	}
	var b strings.Builder
	for i, piece := range strings.Split(s, "\t") {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(present.Visible(piece, 10*len(piece), false))
	}
	return b.String()
}

// jsonSpans returns JSON, which may be truncated, as spans. Keys have the colour of types.
func jsonSpans(s string) [][]span {
	all := highlight(s, func(string) string { return "" })
	for _, line := range all {
		for i := range line[:max(len(line)-1, 0)] {
			if line[i].Class == "s" && strings.HasPrefix(line[i+1].Text, ":") {
				line[i].Class = "t"
			}
		}
	}
	return all
}

// maxProse limits a text of several lines, in bytes.
const maxProse = 32 << 10

// prose returns a text of several lines with invisible characters escaped.
func prose(s string) string {
	lines := strings.Split(text.CutBytes(s, maxProse), "\n")
	for i, l := range lines {
		lines[i] = shownLine(strings.TrimSuffix(l, "\r"))
	}
	return strings.Join(lines, "\n")
}
