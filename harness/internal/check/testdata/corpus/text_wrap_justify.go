// Text wrapping, justification, columns and centring, rune-aware.
package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

type Align int

const (
	Left Align = iota - 1
	Center
	Right
	Justify
)

var alignNames = map[Align]string{Left: "left", Center: "center", Right: "right", Justify: "justify"}

func (a Align) String() string { return alignNames[a] }

func words(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		i := 0
		for w := range strings.FieldsSeq(s) {
			if !yield(i, w) {
				return
			}
			i++
		}
	}
}

func wrap(s string, width int) (lines [][]string) {
	n := 0
	for i, w := range words(s) {
		l := utf8.RuneCountInString(w)
		if i == 0 || n+1+l > width {
			lines = append(lines, nil)
			n = -1
		}
		last := &lines[len(lines)-1]
		*last = append(*last, w)
		n += 1 + l
	}
	return lines
}

func layout(line []string, width int, a Align, final bool) string {
	s := strings.Join(line, " ")
	gap := width - utf8.RuneCountInString(s)
	if gap <= 0 {
		return s
	}
	switch a {
	case Left:
		return s + strings.Repeat("·", gap)
	case Right:
		return strings.Repeat("·", gap) + s
	case Center:
		return strings.Repeat("·", gap/2) + s + strings.Repeat("·", gap-gap/2)
	case Justify:
		if final || len(line) < 2 {
			return layout(line, width, Left, true)
		}
		var b strings.Builder
		slots := len(line) - 1
		for i, w := range line {
			if i > 0 {
				k := gap / slots
				if i-1 < gap%slots {
					k++
				}
				b.WriteString(strings.Repeat("·", k+1))
			}
			b.WriteString(w)
		}
		return b.String()
	}
	panic("unknown alignment")
}

func Format(s string, width int, a Align) string {
	lines := wrap(s, width)
	out := make([]string, 0, len(lines))
	for i, l := range lines {
		out = append(out, "|"+layout(l, width, a, i == len(lines)-1)+"|")
	}
	return strings.Join(out, "\n")
}

func columns(gap int, blocks ...string) string {
	var cols [][]string
	height := 0
	for _, b := range blocks {
		ls := slices.Collect(strings.Lines(b + "\n"))
		for i := range ls {
			ls[i] = strings.TrimSuffix(ls[i], "\n")
		}
		cols = append(cols, ls)
		height = max(height, len(ls))
	}
	var sb strings.Builder
	for r := range height {
		for c, col := range cols {
			w := 0
			for _, l := range col {
				w = max(w, utf8.RuneCountInString(l))
			}
			cell := ""
			if r < len(col) {
				cell = col[r]
			}
			if c == len(cols)-1 {
				sb.WriteString(cell)
				break
			}
			fmt.Fprintf(&sb, "%-*s%*s", w, cell, gap, "")
		}
		sb.WriteByte('\n')
	}
	return sb.String()
}

func main() {
	text := "Die Größe  eines Wörterbuchs wächst\tmit jedem neuen Eintrag; naïve façade 世界 supercalifragilistic end."
	for a := Left; a <= Justify; a++ {
		fmt.Printf("%v (%d)\n%s\n", a, a, Format(text, 18, a))
	}
	fmt.Print(columns(3, Format("one two three four", 8, Right), Format("a b c d e f g h i j k", 5, Justify), "last\ncolumn"))
	fmt.Printf("%q %q\n", Format("", 5, Left), wrap("   ", 3))
	defer func() { fmt.Println(recover()) }()
	fmt.Println(Format("boom", 10, Align(9)))
}
