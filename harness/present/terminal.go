package present

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

// Terminal writes a Document for a terminal.
func (d Document) Terminal(w io.Writer, o *Options) error {
	p := newPage(nil, o)
	p.add(d)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// add writes the blocks of a document.
func (p *page) add(d Document) {
	for _, b := range d {
		b.terminal(p)
	}
}

// colours maps styles to colours.
var colours = map[Style]string{Strong: bold, Dim: dim, Good: green, Warn: yellow, Bad: red, Accent: cyan, Tool: bold}

// inline returns a Text as one line of at most limit columns, and the number of its columns.
func (p *page) inline(t Text, limit int) (shown string, columns int) {
	var b strings.Builder
	t = t.in(p.Zone, time.DateTime)
	for i, s := range t {
		rest := limit - columns
		if rest <= 0 {
			break
		}
		if rest == 1 && i < len(t)-1 { // only the mark of a cut fits
			s.Text += strings.Repeat(" ", 2)
		}
		part := p.safe(s.Text, rest)
		columns += utf8.RuneCountInString(part)
		b.WriteString(p.paint(colours[s.Style], part))
	}
	return b.String(), columns
}

// wrapText breaks a Text into lines of at most so many columns. Only a Text of one span may itself
// contain several lines.
func (p *page) wrapText(t Text, columns int) (out []Text) {
	t = t.in(p.Zone, time.DateTime)
	if len(t) == 1 {
		for _, l := range p.wrapped(t[0].Text, columns, math.MaxInt) {
			out = append(out, Words(t[0].Style, l))
		}
		return out
	}
	var line Text
	n := 0
	for _, s := range t {
		for i, word := range strings.SplitAfter(p.safe(untabbed(s.Text), math.MaxInt), " ") {
			bare := strings.TrimRight(word, " ")
			if n > 0 && n+utf8.RuneCountInString(bare) > columns && (i > 0 || len(line) > 0) {
				out, line, n = append(out, line), nil, 0
			}
			for utf8.RuneCountInString(bare) > columns { // a word longer than a line
				part := text.First(bare, columns)
				out, bare, word = append(out, Words(s.Style, part)), bare[len(part):], word[len(part):]
			}
			line = line.Add(s.Style, word)
			n += utf8.RuneCountInString(word)
		}
	}
	if n > 0 {
		out = append(out, line)
	}
	return out
}

// indented writes a Text, wrapped at the width.
func (p *page) indented(t Text, first, others string) {
	for _, l := range p.wrapText(t, p.Width-utf8.RuneCountInString(others)) {
		shown, _ := p.inline(l, math.MaxInt)
		p.line("%s%s", first, shown)
		first = others
	}
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
	p.indented(x.Text, "  ", "  ")
}

// nameColumns is the minimum width of the names of Facts.
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
		lines := []Text{f.Value}
		if f.Wrap {
			lines = p.wrapText(f.Value, columns)
		}
		name := f.Name
		for _, l := range lines {
			shown, _ := p.inline(l, columns)
			p.line("  %s %s", p.paint(dim, name+pad(name, room)), shown)
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
		p.indented(item, "  - ", "    ")
	}
	if n := len(l.Items) - len(shown); n > 0 {
		p.line("  %s", p.paint(dim, l.more(n)))
	}
}

// more returns the number of omitted items in words.
func (l *List) more(n int) string { return "and " + text.Count(n, "more "+cmp.Or(l.Noun, "item")) }

func (t *Table) terminal(p *page) {
	indent := ""
	if t.Inset {
		indent = "  "
	}
	room := t.widths(p, p.Width-len(indent))
	row := func(cells []Text) {
		lines := make([][]Text, len(cells)) // by cell
		height := 1
		most := slices.Clone(room)
		for i, cell := range cells {
			if lines[i] = []Text{cell}; t.Columns[i].Wrap {
				lines[i], most[i] = p.wrapText(cell, room[i]), math.MaxInt
			}
			height = max(height, len(lines[i]))
		}
		for n := range height {
			var b strings.Builder
			for i, cell := range lines {
				var shown string
				var columns int
				if n < len(cell) {
					shown, columns = p.inline(cell[n], most[i])
				}
				gap := strings.Repeat(" ", max(room[i]-columns, 0))
				if t.Columns[i].Number {
					shown, gap = gap+shown, ""
				}
				b.WriteString(shown + gap + "  ")
			}
			p.line("%s%s", indent, strings.TrimRight(b.String(), " "))
		}
	}
	if t.Header {
		var titles []Text
		for _, c := range t.Columns {
			titles = append(titles, Words(Strong, c.Title))
		}
		row(titles)
	}
	for _, r := range t.Rows {
		row(r.Cells[:min(len(r.Cells), len(t.Columns))])
		for _, below := range r.Below {
			p.indented(below, "    ", "    ")
		}
		if r.Quote != nil {
			p.bars(Indented(r.Quote))
		}
	}
}

// leastColumns is the minimum width of a narrowed column.
const leastColumns = 8

// widths returns the widths of a table's columns: as wide as their cells, with the widest columns
// narrowed until all fit.
func (t *Table) widths(p *page, most int) []int {
	room := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		room[i] = c.Least
		if t.Header {
			room[i] = max(room[i], utf8.RuneCountInString(c.Title))
		}
		for _, r := range t.Rows {
			if i < len(r.Cells) {
				room[i] = max(room[i], utf8.RuneCountInString(p.safe(r.Cells[i].String(), math.MaxInt)))
			}
		}
		most -= 2
	}
	for {
		sum, widest := 0, 0
		for i, w := range room {
			if sum += w; w >= room[widest] {
				widest = i
			}
		}
		if excess := sum - most - 2; excess <= 0 || len(room) == 0 || room[widest] <= leastColumns {
			return room
		}
		room[widest]--
	}
}

func (c *Callout) terminal(p *page) {
	t := c.Text
	if c.Title != "" {
		t = append(Words(c.Style, c.Title+": "), t...)
	}
	p.indented(t, "  ", "  ")
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

func (q *Quote) terminal(p *page) { p.bars(q.shown()) }

// shown returns the text as people see it.
func (q *Quote) shown() string {
	if q.JSON {
		return Indented([]byte(q.Text))
	}
	return q.Text
}

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

// maxContrast limits the lines of each value of a Contrast.
const maxContrast = 6

func (d *UnifiedDiff) terminal(p *page) {
	for line := range strings.Lines(d.Text) {
		line = strings.TrimSuffix(line, "\n")
		colour := ""
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
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
