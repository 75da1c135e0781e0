package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

type Align uint8

const (
	Left Align = iota
	Right
	Center
)

func (a Align) pad(s string, w int) string {
	gap := w - utf8.RuneCountInString(s)
	if gap <= 0 {
		return s
	}
	switch a {
	case Right:
		return strings.Repeat(" ", gap) + s
	case Center:
		l := gap / 2
		return strings.Repeat(" ", l) + s + strings.Repeat(" ", gap-l)
	}
	return s + strings.Repeat(" ", gap)
}

type Column[T any] struct {
	Title string
	Align Align
	Get   func(T) any
}

type Style struct{ H, V, TL, TR, BL, BR, X string }

var (
	ASCII = Style{"-", "|", "+", "+", "+", "+", "+"}
	Box   = Style{H: "─", V: "│", TL: "┌", TR: "┐", BL: "└", BR: "┘", X: "┼"}
)

type Table[T any] struct {
	Style
	cols []Column[T]
}

func (t *Table[T]) Col(title string, a Align, get func(T) any) *Table[T] {
	t.cols = append(t.cols, Column[T]{title, a, get})
	return t
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "∅"
	case float64:
		return fmt.Sprintf("%.2f", v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case fmt.Stringer:
		return "<" + v.String() + ">"
	case []string:
		return strings.Join(v, "/")
	case error:
		return "!" + v.Error()
	default:
		return fmt.Sprint(v)
	}
}

func (t Table[T]) Render(rows []T) string {
	var sb strings.Builder
	widths := make([]int, len(t.cols))
	grid := make([][]string, 0, len(rows))
	for i, c := range t.cols {
		widths[i] = utf8.RuneCountInString(c.Title)
	}
	for _, r := range rows {
		line := make([]string, len(t.cols))
		for i, c := range t.cols {
			line[i] = cell(c.Get(r))
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
		grid = append(grid, line)
	}
	rule := func(l, m, r string) {
		sb.WriteString(l)
		for i, w := range widths {
			if i > 0 {
				sb.WriteString(m)
			}
			sb.WriteString(strings.Repeat(t.H, w+2))
		}
		sb.WriteString(r + "\n")
	}
	put := func(cells []string, force ...Align) {
		for i, s := range cells {
			a := t.cols[i].Align
			if len(force) > 0 {
				a = force[0]
			}
			fmt.Fprintf(&sb, "%s %s ", t.V, a.pad(s, widths[i]))
		}
		sb.WriteString(t.V)
		sb.WriteByte('\n')
	}
	rule(t.TL, t.H, t.TR)
	titles := []string{}
	for _, c := range t.cols {
		titles = append(titles, strings.ToUpper(c.Title))
	}
	put(titles, Center)
	rule(t.V, t.X, t.V)
	for _, g := range grid {
		put(g)
	}
	rule(t.BL, t.H, t.BR)
	return sb.String()
}

type Grade rune

func (g Grade) String() string { return string(rune(g)) }

type Student struct {
	Name  string
	Score float64
	Grade Grade
	Tags  []string
	Ext   any
}

func main() {
	ss := []Student{
		{"Zoë", 91.256, 'A', []string{"math", "art"}, nil},
		{"Bartholomew", 72, 'C', nil, fmt.Errorf("late by %d", 3)},
		{"李雷", 88.8, 'B', []string{"go"}, true},
		{"Ann", 88.8, 'B', []string{}, [2]int{1, 2}},
	}
	slices.SortStableFunc(ss, func(a, b Student) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name))
	})
	t := (&Table[Student]{Style: Box}).
		Col("name", Left, func(s Student) any { return s.Name }).
		Col("score", Right, func(s Student) any { return s.Score }).
		Col("grade", Center, func(s Student) any { return s.Grade }).
		Col("tags", Left, func(s Student) any { return s.Tags }).
		Col("ext", Right, func(s Student) any { return s.Ext })
	fmt.Print(t.Render(ss))
	t.Style = ASCII
	t.cols = slices.Delete(t.cols, 1, 4)
	fmt.Print(t.Render(ss[:2]))
	m := Table[map[string]int]{ASCII, []Column[map[string]int]{{"n", Right, func(m map[string]int) any { return len(m) }}, {"map", Left, func(m map[string]int) any { return m }}}}
	fmt.Print(m.Render([]map[string]int{{"b": 2, "a": 1}, nil, {}}))
	fmt.Printf("%v %+v %q\n", ss[0], ss[1].Ext, ss[2].Grade)
}
