// Markdown tables: parse, align, sort, sum, emit; plus a tiny inline renderer with html escaping.
package main

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

type align byte

const (
	none   align = 0
	left   align = 'l'
	center align = 'c'
	right  align = 'r'
)

type Table struct {
	Head  []string
	Align []align
	Rows  [][]string
}

func cells(line string) []string {
	line = strings.Trim(strings.TrimSpace(line), "|")
	var out []string
	for c := range strings.SplitSeq(line, "|") {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}

func Parse(src string) (t *Table, err error) {
	t = &Table{}
	n := 0
	for line := range strings.Lines(src) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		n++
		cs := cells(line)
		switch n {
		case 1:
			t.Head = cs
		case 2:
			for i, c := range cs {
				if strings.Trim(c, ":-") != "" {
					return nil, fmt.Errorf("column %d: bad rule %q", i+1, c)
				}
				a := none
				l, r := strings.HasPrefix(c, ":"), strings.HasSuffix(c, ":")
				if l && r {
					a = center
				} else if l {
					a = left
				} else if r {
					a = right
				}
				t.Align = append(t.Align, a)
			}
		default:
			if len(cs) != len(t.Head) {
				return t, fmt.Errorf("row %d has %d cells, want %d", n-2, len(cs), len(t.Head))
			}
			t.Rows = append(t.Rows, cs)
		}
	}
	return
}

func pad(s string, w int, a align) string {
	gap := w - utf8.RuneCountInString(s)
	switch a {
	case right:
		return strings.Repeat(" ", gap) + s
	case center:
		return strings.Repeat(" ", gap/2) + s + strings.Repeat(" ", (gap+1)/2)
	}
	return s + strings.Repeat(" ", gap)
}

func (t Table) String() string {
	w := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, c := range row {
			w[i] = max(w[i], utf8.RuneCountInString(c), 3)
		}
	}
	var sb strings.Builder
	emit := func(row []string) {
		for i, c := range row {
			sb.WriteString("| " + pad(c, w[i], t.Align[i]) + " ")
		}
		sb.WriteString("|\n")
	}
	emit(t.Head)
	for i, a := range t.Align {
		rule := []byte(strings.Repeat("-", w[i]))
		switch a {
		case center:
			rule[0], rule[len(rule)-1] = ':', ':'
		case left:
			rule[0] = ':'
		case right:
			rule[len(rule)-1] = ':'
		}
		fmt.Fprintf(&sb, "| %s ", rule)
	}
	sb.WriteString("|\n")
	for _, r := range t.Rows {
		emit(r)
	}
	return sb.String()
}

func (t *Table) SortBy(col string, desc bool) *Table {
	i := slices.Index(t.Head, col)
	if i < 0 {
		return t
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) (c int) {
		defer func() {
			if desc {
				c = -c
			}
		}()
		x, e1 := strconv.ParseFloat(a[i], 64)
		y, e2 := strconv.ParseFloat(b[i], 64)
		if e1 == nil && e2 == nil {
			return cmp.Compare(x, y)
		}
		return strings.Compare(a[i], b[i])
	})
	return t
}

var inline = []struct {
	re  *regexp.Regexp
	sub string
}{
	{regexp.MustCompile(`\*\*(.+?)\*\*`), "<b>$1</b>"},
	{regexp.MustCompile("`([^`]+)`"), "<code>${1}</code>"},
	{regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`), `<a href="$2">$1</a>`},
}

func render(s string) string {
	s = html.EscapeString(s)
	for _, r := range inline {
		s = r.re.ReplaceAllString(s, r.sub)
	}
	return s
}

func main() {
	t, err := Parse("| Name | Qty | Näme |\n|:--|--:|:-:|\n|b|10|é|\n|a|9|ÿÿÿÿ|\n|c|100||\n")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(t.SortBy("Qty", true), t.SortBy("Name", false).SortBy("nope", true))
	sum := 0
	for _, r := range t.Rows {
		n, _ := strconv.Atoi(r[1])
		sum += n
	}
	fmt.Println(sum, t.Align, string(t.Align[1]))
	t, err = Parse("a|b\n-|-\n1|2\n3\n4|5")
	fmt.Println(len(t.Rows), err)
	_, err = Parse("a|b\n-|x\n")
	fmt.Println(err)
	fmt.Println(render("**a < b** & `x<y>` [q](http://e.x/?a=1&b=2) **un**closed**"))
	fmt.Println(html.UnescapeString("&lt;&amp;&#39;&eacute;"))
}
