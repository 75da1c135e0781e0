// Strings package tour with builders, replacers, custom io.Writer formatting, cutting, and text boxes.
package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
)

type indentWriter struct {
	w     io.Writer
	pre   string
	start bool
}

func (iw *indentWriter) Write(p []byte) (n int, err error) {
	for line := range bytes.Lines(p) {
		if !iw.start {
			if _, err = io.WriteString(iw.w, iw.pre); err != nil {
				return
			}
		}
		k, err := iw.w.Write(line)
		n += k
		if err != nil {
			return n, err
		}
		iw.start = line[len(line)-1] != '\n'
	}
	return
}

type box struct {
	title string
	lines []string
}

func (b *box) Printf(format string, args ...any) *box {
	b.lines = append(b.lines, strings.Split(fmt.Sprintf(format, args...), "\n")...)
	return b
}

func (b box) WriteTo(w io.Writer) (total int64, err error) {
	width := len(b.title) + 2
	for _, l := range b.lines {
		width = max(width, len([]rune(l)))
	}
	emit := func(s string) {
		if err == nil {
			var n int
			n, err = fmt.Fprintln(w, s)
			total += int64(n)
		}
	}
	emit("┌" + strings.Repeat("─", 1) + " " + b.title + " " + strings.Repeat("─", width-len(b.title)-1) + "┐")
	for _, l := range b.lines {
		emit(fmt.Sprintf("│ %-*s │", width, l))
	}
	emit("└" + strings.Repeat("─", width+2) + "┘")
	return
}

func (b box) String() string {
	var sb strings.Builder
	b.WriteTo(&sb)
	return sb.String()
}

type quota struct {
	io.Writer
	left int
}

func (q *quota) Write(p []byte) (int, error) {
	if len(p) <= q.left {
		q.left -= len(p)
		return q.Writer.Write(p)
	}
	n, _ := q.Writer.Write(p[:q.left])
	q.left = 0
	return n, fmt.Errorf("quota: %w after %d of %d bytes", io.ErrShortWrite, n, len(p))
}

func pluralize(n int, word string, forms ...string) string {
	switch {
	case n == 1:
		return "1 " + word
	case len(forms) > 0:
		return fmt.Sprint(n, " ", forms[0])
	case strings.HasSuffix(word, "y"):
		return fmt.Sprint(n, " ", word[:len(word)-1], "ies")
	}
	return fmt.Sprint(n, " ", word, "s")
}

func main() {
	b := new(box)
	b.title = "status"
	b.Printf("%d%% done", 42).Printf("files: %s\nerrs: %v", "a,b", nil).Printf("wörld")
	fmt.Print(b, b.lines[1], "\n")
	var sb strings.Builder
	iw := &indentWriter{w: &sb, pre: "> "}
	n, err := b.WriteTo(iw)
	fmt.Fprint(iw, "tail ", "end\nlast")
	fmt.Println(n, err)
	fmt.Println(sb.String(), sb.Len())
	sb.Reset()
	q := &quota{&sb, 10}
	n, err = b.WriteTo(q)
	fmt.Printf("%d %v %q\n", n, err, sb.String())
	fmt.Println(pluralize(1, "city"), pluralize(2, "city"), pluralize(0, "dog"), pluralize(3, "mouse", "mice"))
	r := strings.NewReplacer("a", "b", "b", "a", "ab", "X", "", "")
	fmt.Println(r.Replace("aabb"), strings.NewReplacer("<", "&lt;", "&", "&amp;").Replace("<&>"))
	fmt.Println(strings.Cut("k=v=w", "="))
	fmt.Println(strings.CutPrefix("prefix-x", "prefix-"))
	fmt.Println(strings.SplitN("a,b,c,d", ",", 2), strings.SplitAfter("a,b", ","), strings.Split("", ","), len(strings.Split("", ",")), len(strings.Fields("")), strings.Split("abc", ""))
	fmt.Println(strings.LastIndex("go gopher", "go"), strings.IndexAny("golang", "ly"), strings.IndexRune("chicken", 'k'), strings.ContainsFunc("ab1", unicode.IsDigit))
	fmt.Printf("%q %q %q %q\n", strings.Trim("xxhixx", "x"), strings.TrimLeft("aabc", "ab"), strings.TrimRight("abcc", "c"), strings.TrimSpace("\t x \n"))
	fmt.Println(strings.Compare("a", "b"), strings.Repeat("=", 5), strings.Join(nil, ","), strings.Clone("c"), strings.Map(func(r rune) rune {
		if r == 'x' {
			return -1
		}
		return unicode.ToUpper(r)
	}, "axbxc"))
	for w := range strings.FieldsFuncSeq("a1b22c", unicode.IsDigit) {
		fmt.Print(w, ".")
	}
	for i, s := range strings.SplitAfterN("x-y-z", "-", 2) {
		fmt.Print(i, s, " ")
	}
	for part := range strings.SplitAfterSeq("p;q;r", ";") {
		if part == "q;" {
			continue
		}
		fmt.Print(part)
	}
	fmt.Println()
	var buf bytes.Buffer
	buf.WriteString("hello ")
	buf.Write([]byte{'w', 'x'})
	buf.Truncate(buf.Len() - 1)
	x, _ := buf.ReadByte()
	buf.UnreadByte()
	rest := buf.Next(3)
	line, err := buf.ReadString('o')
	fmt.Println(string(x), string(rest), line, err, buf.Len(), buf.String(), bytes.Contains(buf.Bytes(), nil))
}
