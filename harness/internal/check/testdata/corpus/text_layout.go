package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

type Align int

const (
	Left Align = iota
	Right
	Center
)

type Column struct {
	Title string
	Align Align
	Fmt   string
	width int
}

type Table struct {
	cols []*Column
	rows [][]string
	foot func(rows [][]string) []string
}

func (t *Table) Col(title string, a Align, format ...string) *Table {
	c := &Column{Title: title, Align: a, Fmt: "%v", width: utf8.RuneCountInString(title)}
	if len(format) > 0 {
		c.Fmt = format[0]
	}
	t.cols = append(t.cols, c)
	return t
}

func (t *Table) Row(cells ...any) *Table {
	row := make([]string, len(t.cols))
	for i, c := range t.cols {
		if i < len(cells) {
			row[i] = fmt.Sprintf(c.Fmt, cells[i])
		}
		c.width = max(c.width, utf8.RuneCountInString(row[i]))
	}
	t.rows = append(t.rows, row)
	return t
}

func pad(s string, w int, a Align) string {
	n := w - utf8.RuneCountInString(s)
	switch a {
	case Right:
		return strings.Repeat(" ", n) + s
	case Center:
		return strings.Repeat(" ", n/2) + s + strings.Repeat(" ", n-n/2)
	}
	return s + strings.Repeat(" ", n)
}

func (t *Table) WriteTo(w io.Writer) (total int64, err error) {
	bw := bufio.NewWriter(w)
	defer func() {
		if e := bw.Flush(); err == nil {
			err = e
		}
	}()
	write := func(cells []string) {
		for i, c := range cells {
			if i > 0 {
				n, _ := bw.WriteString(" │ ")
				total += int64(n)
			}
			n, _ := bw.WriteString(pad(c, t.cols[i].width, t.cols[i].Align))
			total += int64(n)
		}
		bw.WriteByte('\n')
		total++
	}
	var head, rule []string
	for _, c := range t.cols {
		head = append(head, c.Title)
		rule = append(rule, strings.Repeat("─", c.width))
	}
	write(head)
	write(rule)
	for _, r := range t.rows {
		write(r)
	}
	if t.foot != nil {
		write(rule)
		write(t.foot(t.rows))
	}
	return total, nil
}

type failAfter struct {
	n int
	w io.Writer
}

func (f *failAfter) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, fmt.Errorf("quota exceeded by %d", -f.n)
	}
	return f.w.Write(p)
}

type Money float64

func (m Money) Format(s fmt.State, verb rune) {
	if verb == 'v' && s.Flag('+') {
		fmt.Fprintf(s, "EUR %.2f", float64(m))
		return
	}
	w, hasW := s.Width()
	str := fmt.Sprintf("€%.2f", float64(m))
	if hasW && len(str) < w {
		str = strings.Repeat("_", w-len(str)) + str
	}
	io.WriteString(s, str)
}

func bar(v, most float64, w int) string {
	full := int(v / most * float64(w) * 8)
	s := strings.Repeat("█", full/8)
	if r := full % 8; r > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[r-1])
	}
	return s
}

func main() {
	t := new(Table).Col("Item", Left).Col("Qty", Right, "%d").Col("Price", Right, "%.2f").Col("Note", Center, "%q").Col("M", Left, "%+v")
	t.Row("Café", 3, 2.5, "hot", Money(7.5)).Row("日本茶", 12, 10.0, nil, Money(120)).Row("x")
	t.foot = func(rows [][]string) []string {
		return []string{fmt.Sprint(len(rows), " rows"), "", "", "-", "."}
	}
	n, err := t.WriteTo(os.Stdout)
	fmt.Println(n, err)
	var buf bytes.Buffer
	_, err = t.WriteTo(&failAfter{20, &buf})
	fmt.Println(err, buf.Len())
	fmt.Printf("%v|%+v|%10v|%s|%d\n", Money(1), Money(2), Money(3), []Money{4, 5}, Money(6))
	for _, v := range []float64{1, 2.5, 7, 10} {
		fmt.Printf("%5.1f %s\n", v, bar(v, 10, 10))
	}
	for _, flags := range []uint{0, tabwriter.AlignRight, tabwriter.Debug | tabwriter.DiscardEmptyColumns} {
		tw := tabwriter.NewWriter(os.Stdout, 6, 8, 1, '.', flags)
		fmt.Fprintln(tw, "a\tbbb\tc\t")
		fmt.Fprintln(tw, "aaaaaaa\tb\t\tlast")
		fmt.Fprintln(tw, "é\t\tcc\t")
		tw.Flush()
	}
	var sb strings.Builder
	w := bufio.NewWriterSize(&sb, 16)
	for i := range 5 {
		fmt.Fprintf(w, "%d:%s;", i, strings.Repeat("x", i*3))
	}
	fmt.Println(w.Buffered(), w.Available(), sb.Len(), w.Size())
	w.Flush()
	fmt.Println(sb.String())
	rw := bufio.NewReadWriter(bufio.NewReader(strings.NewReader("in put\nrest")), w)
	tok, err := rw.ReadString(' ')
	r, sz, _ := rw.ReadRune()
	rw.UnreadRune()
	pk, _ := rw.Peek(3)
	line, isP, err2 := rw.ReadLine()
	fmt.Printf("%q %v %c %d %q %q %t %v\n", tok, err, r, sz, pk, line, isP, err2)
}
