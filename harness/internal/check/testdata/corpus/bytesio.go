package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

type LineCounter struct {
	lines, bytes int
	last         byte
}

func (l *LineCounter) Write(p []byte) (n int, err error) {
	l.lines += bytes.Count(p, []byte{'\n'})
	l.bytes += len(p)
	if len(p) > 0 {
		l.last = p[len(p)-1]
	}
	return len(p), nil
}

type prefixer struct {
	io.Writer
	prefix string
	fresh  bool
}

func Prefix(w io.Writer, p string) io.Writer { return &prefixer{w, p, true} }
func (p *prefixer) Write(b []byte) (int, error) {
	for _, line := range bytes.SplitAfter(b, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		if p.fresh {
			if _, err := io.WriteString(p.Writer, p.prefix); err != nil {
				return 0, err
			}
		}
		if _, err := p.Writer.Write(line); err != nil {
			return 0, err
		}
		p.fresh = line[len(line)-1] == '\n'
	}
	return len(b), nil
}

type limitedWriter struct {
	w io.Writer
	n int
}

var ErrFull = errors.New("writer full")

func (l *limitedWriter) Write(p []byte) (int, error) {
	if len(p) > l.n {
		n, _ := l.w.Write(p[:l.n])
		l.n = 0
		return n, ErrFull
	}
	l.n -= len(p)
	return l.w.Write(p)
}

type titler struct {
	r  io.Reader
	up bool
}

func (t *titler) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	for i, c := range p[:n] {
		if t.up {
			p[i] = byte(unicode.ToUpper(rune(c)))
		}
		t.up = c == ' ' || c == '\n'
	}
	return n, err
}

type errReader struct{ left int }

func (e *errReader) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, fmt.Errorf("disk: %w", io.ErrUnexpectedEOF)
	}
	n := min(e.left, len(p))
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.left -= n
	return n, nil
}

func main() {
	lc := &LineCounter{}
	w := io.MultiWriter(Prefix(os.Stdout, "| "), lc)
	fmt.Fprintf(w, "one\ntw")
	fmt.Fprint(w, "o\n", "three\n")
	fmt.Println(lc.lines, lc.bytes, string(rune(lc.last)) == "\n")
	var buf bytes.Buffer
	lw := &limitedWriter{&buf, 10}
	n, err := io.Copy(lw, strings.NewReader("hello wonderful world"))
	fmt.Println(n, err, errors.Is(err, ErrFull), buf.String())
	b, err := io.ReadAll(&titler{strings.NewReader("the go\nprogramming language"), true})
	fmt.Printf("%s %v\n", b, err)
	b, err = io.ReadAll(io.MultiReader(strings.NewReader("ab"), &errReader{3}))
	fmt.Printf("%q %v %t\n", b, err, errors.Is(err, io.ErrUnexpectedEOF))
	var tee bytes.Buffer
	r := io.TeeReader(strings.NewReader("tee me"), &tee)
	p := make([]byte, 3)
	k, err := io.ReadFull(r, p)
	fmt.Println(k, err, string(p), tee.String())
	_, err = io.ReadFull(strings.NewReader("x"), p)
	fmt.Println(err)
	_, err = io.ReadAtLeast(strings.NewReader("abcdef"), p[:2], 3)
	fmt.Println(err)
	sr := io.NewSectionReader(strings.NewReader("0123456789"), 3, 4)
	b, _ = io.ReadAll(sr)
	fmt.Println(string(b), sr.Size())
	buf.Reset()
	buf.WriteString("line1\nline2\nrest")
	line, err := buf.ReadString('\n')
	fmt.Printf("%q %v %d\n", line, err, buf.Len())
	buf.Truncate(5)
	fmt.Println(buf.String(), buf.Cap() > 0)
	c, err := buf.ReadByte()
	fmt.Println(c, err, buf.UnreadByte(), string(buf.Next(3)))
	s := []byte("hello")
	t := s[:3]
	t = append(t, 'X')
	fmt.Println(string(s), string(t), bytes.Equal(s, []byte("helXo")), bytes.ToUpper(t), bytes.Fields([]byte(" a b ")))
	copy(s[1:], "ABCDEFG")
	fmt.Printf("%s %q %v %x\n", s, s, s[:2], s)
	fmt.Println(bytes.TrimSpace([]byte(" x ")), bytes.Contains(s, []byte("BC")), bytes.IndexByte(s, 'C'), cap(s[1:2:3]))
	rp := strings.NewReplacer("<", "&lt;", ">", "&gt;", "a", "b", "b", "a")
	fmt.Println(rp.Replace("<ab>"), strings.Title("hello world"), strings.EqualFold("Straße", "STRASSE"), strings.ToTitle("ǆ"))
	fmt.Println(strings.SplitN("a,b,c,d", ",", 2), strings.SplitAfter("a,b", ","), strings.LastIndex("go gopher", "go"), strings.IndexAny("golang", "ny"), strings.TrimFunc("123abc456", unicode.IsDigit), strings.TrimLeft("xxabc", "x"), strings.Fields("  "))
	fmt.Printf("%q %q\n", strings.Split("", ","), strings.Split("abc", ""))
	rd := strings.NewReader("seek")
	rd.Seek(-2, io.SeekEnd)
	b, _ = io.ReadAll(rd)
	fmt.Println(string(b), rd.Len(), rd.Size())
	_, err = rd.Seek(-1, io.SeekStart)
	fmt.Println(err)
}
