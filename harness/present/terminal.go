package present

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

// Terminal writes a Document for a terminal.
func (d Document) Terminal(w io.Writer, o *Options) error {
	p := newPage(nil, o)
	for _, b := range d {
		b.terminal(p)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// colours of the styles.
var colours = map[Style]string{Strong: bold, Dim: dim, Good: green, Warn: yellow, Bad: red, Accent: cyan, Tool: bold}

// inline returns a Text on one line of at most so many columns, and how many it has.
func (p *page) inline(t Text, most int) (shown string, columns int) {
	var b strings.Builder
	for i, s := range t {
		rest := most - columns
		if rest <= 0 {
			break
		}
		if rest == 1 && i < len(t)-1 { // room for the mark of a cut only
			s.Text += strings.Repeat(" ", 2)
		}
		part := p.safe(s.Text, rest)
		columns += utf8.RuneCountInString(part)
		b.WriteString(p.paint(colours[s.Style], part))
	}
	return b.String(), columns
}

// wrapText breaks a Text into lines of at most so many columns.
func (p *page) wrapText(t Text, columns int) (out []string) {
	if len(t) == 1 {
		for _, l := range p.wrapped(t[0].Text, columns, math.MaxInt) {
			out = append(out, p.paint(colours[t[0].Style], l))
		}
		return out
	}
	var line strings.Builder
	n := 0
	for _, s := range t {
		for i, word := range strings.SplitAfter(p.safe(untabbed(s.Text), math.MaxInt), " ") {
			size := utf8.RuneCountInString(word)
			if n > 0 && n+utf8.RuneCountInString(strings.TrimRight(word, " ")) > columns && (i > 0 || line.Len() > 0) {
				out = append(out, strings.TrimRight(line.String(), " "))
				line.Reset()
				n = 0
			}
			line.WriteString(p.paint(colours[s.Style], word))
			n += size
		}
	}
	if n > 0 {
		out = append(out, strings.TrimRight(line.String(), " "))
	}
	return out
}

func (h *Heading) terminal(p *page) {
	shown, _ := p.inline(h.Text, p.Width)
	if p.b.Len() > 0 {
		p.line("")
	}
	if len(h.Text) == 1 && h.Text[0].Style == Plain {
		shown = p.paint(bold, shown)
	}
	p.line("%s", shown)
}

func (x *Paragraph) terminal(p *page) {
	for _, l := range p.wrapText(x.Text, p.Width-2) {
		p.line("  %s", l)
	}
}

// nameColumns is the least width of the names of Facts.
const nameColumns = 9

func (all Facts) terminal(p *page) {
	room := nameColumns
	for _, f := range all {
		if len(f.Value) > 0 {
			room = max(room, utf8.RuneCountInString(f.Name))
		}
	}
	columns := p.Width - room - 3
	for _, f := range all {
		if f.Value.String() == "" {
			continue
		}
		var lines []string
		if f.Whole {
			lines = p.wrapText(f.Value, columns)
		} else {
			one, _ := p.inline(f.Value, columns)
			lines = []string{one}
		}
		name := f.Name
		for _, l := range lines {
			p.line("  %s %s", p.paint(dim, name+pad(name, room)), l)
			name = ""
		}
	}
}

func (l *List) terminal(p *page) {
	shown := l.Items
	if l.Most > 0 && !p.All && len(shown) > l.Most {
		shown = shown[:l.Most]
	}
	for _, item := range shown {
		mark := "- "
		for _, part := range p.wrapText(item, p.Width-4) {
			p.line("  %s%s", mark, part)
			mark = "  "
		}
	}
	if n := len(l.Items) - len(shown); n > 0 {
		p.line("  %s", p.paint(dim, l.more(n)))
	}
}

// more says how many items are left out.
func (l *List) more(n int) string { return "and " + text.Count(n, "more "+cmp.Or(l.Noun, "item")) }

func (t *Table) terminal(p *page) {
	room := make([]int, len(t.Columns))
	measure := func(i int, s string) {
		if i < len(room) {
			room[i] = max(room[i], min(utf8.RuneCountInString(p.safe(s, math.MaxInt)), p.Width/2))
		}
	}
	for i, c := range t.Columns {
		if t.Header {
			measure(i, c.Title)
		}
		for _, r := range t.Rows {
			if i < len(r.Cells) {
				measure(i, r.Cells[i].String())
			}
		}
	}
	row := func(cells []Text) {
		var b strings.Builder
		used := 0
		for i, c := range t.Columns {
			var cell Text
			if i < len(cells) {
				cell = cells[i]
			}
			most := room[i]
			if i == len(t.Columns)-1 {
				most = max(p.Width-used, 10)
			}
			shown, n := p.inline(cell, most)
			gap := strings.Repeat(" ", max(room[i]-n, 0))
			if c.Number {
				shown = gap + shown
			} else {
				shown += gap
			}
			b.WriteString(shown + "  ")
			used += max(room[i], n) + 2
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
	if t.Header {
		var titles []Text
		for _, c := range t.Columns {
			titles = append(titles, Words(Strong, c.Title))
		}
		row(titles)
	}
	for _, r := range t.Rows {
		row(r.Cells)
		for _, below := range r.Below {
			shown, _ := p.inline(below, p.Width-4)
			p.line("    %s", shown)
		}
	}
}

func (c *Callout) terminal(p *page) {
	t := c.Text
	if c.Title != "" {
		t = append(Words(c.Style, c.Title+": "), t...)
	}
	for _, l := range p.wrapText(t, p.Width-2) {
		p.line("  %s", l)
	}
}

func (c *Code) terminal(p *page) {
	digits := len(fmt.Sprint(c.First + len(c.Lines) - 1))
	for i, l := range c.Lines {
		mark := " "
		if c.First+i == c.Mark {
			mark = ">"
		}
		p.line("  %s %s  %s", mark, p.paint(dim, fmt.Sprintf("%*d", digits, c.First+i)), p.safe(untabbed(l), p.Width-digits-8))
	}
}

// title writes the heading of a section.
func (p *page) title(s string) { (&Heading{2, Words(Plain, s)}).terminal(p) }

func (q *Quote) terminal(p *page) { p.bars(q.Text) }

func (c *Command) terminal(p *page) { p.line("  %s", p.safe(c.Line, math.MaxInt)) }

func (c *Contrast) terminal(p *page) {
	p.line("  %s", p.safe(c.Name, p.Width-2))
	for _, l := range p.wrapped(c.A, p.Width-6, maxContrast) {
		p.line("    %s", p.paint(red, "- "+l))
	}
	for _, l := range p.wrapped(c.B, p.Width-6, maxContrast) {
		p.line("    %s", p.paint(green, "+ "+l))
	}
}

// maxContrast bounds the lines of each value of a Contrast.
const maxContrast = 6

func (d *UnifiedDiff) terminal(p *page) {
	for line := range strings.Lines(d.Text) {
		line = strings.TrimSuffix(line, "\n")
		colour := ""
		switch {
		case strings.HasPrefix(line, "--- a"), strings.HasPrefix(line, "+++ b"):
			colour = bold
		case strings.HasPrefix(line, "@@"):
			colour = cyan
		case strings.HasPrefix(line, "-"):
			colour = red
		case strings.HasPrefix(line, "+"):
			colour = green
		}
		p.line("%s", p.paint(colour, p.safe(untabbed(line), p.Width)))
	}
}
