package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

type chunkReader struct {
	data string
	n    int
	err  error
}

func (c *chunkReader) Read(p []byte) (int, error) {
	if c.data == "" {
		if c.err != nil {
			return 0, c.err
		}
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(c.n, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}

func splitOn(sep string) bufio.SplitFunc {
	return func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		if i := bytes.Index(data, []byte(sep)); i >= 0 {
			return i + len(sep), data[:i], nil
		}
		if atEOF && len(data) > 0 {
			return len(data), data, bufio.ErrFinalToken
		}
		return 0, nil, nil
	}
}
func quoted(data []byte, atEOF bool) (int, []byte, error) {
	i := 0
	for i < len(data) && unicode.IsSpace(rune(data[i])) {
		i++
	}
	if i == len(data) {
		return i, nil, nil
	}
	if data[i] == '"' {
		if j := bytes.IndexByte(data[i+1:], '"'); j >= 0 {
			return i + j + 2, data[i+1 : i+1+j], nil
		}
		if atEOF {
			return 0, nil, errUnclosed
		}
		return i, nil, nil
	}
	for j := i; j < len(data); j++ {
		if unicode.IsSpace(rune(data[j])) {
			return j, data[i:j], nil
		}
	}
	if atEOF {
		return len(data), data[i:], nil
	}
	return i, nil, nil
}

var errUnclosed = errors.New("unclosed quote")

type upper struct{ w io.Writer }

func (u upper) Write(p []byte) (int, error) { return u.w.Write(bytes.ToUpper(p)) }

type limited struct {
	bytes.Buffer
	max int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.max {
		n, _ := l.Buffer.Write(p[:l.max-l.Len()])
		return n, io.ErrShortWrite
	}
	return l.Buffer.Write(p)
}

type rot13 struct{ r io.Reader }

func (r rot13) Read(p []byte) (n int, err error) {
	n, err = r.r.Read(p)
	for i, b := range p[:n] {
		switch {
		case 'a' <= b && b <= 'z':
			p[i] = 'a' + (b-'a'+13)%26
		case 'A' <= b && b <= 'Z':
			p[i] = 'A' + (b-'A'+13)%26
		}
	}
	return
}

func scan(r io.Reader, split bufio.SplitFunc) (out []string, err error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 8), 64)
	sc.Split(split)
	for sc.Scan() {
		out = append(out, sc.Text())
	}
	return out, sc.Err()
}

func main() {
	fmt.Println(scan(&chunkReader{data: "a--b----c", n: 2}, splitOn("--")))
	out, err := scan(&chunkReader{data: `one "two three"  four "" "5"`, n: 3}, quoted)
	fmt.Printf("%q %v\n", out, err)
	out, err = scan(strings.NewReader(`x "y`), quoted)
	fmt.Printf("%q %v %t\n", out, err, errors.Is(err, errUnclosed))
	out, err = scan(&chunkReader{data: "l1\nl2\r\n", n: 4, err: io.ErrUnexpectedEOF}, bufio.ScanLines)
	fmt.Printf("%q %v\n", out, err)
	_, err = scan(strings.NewReader(strings.Repeat("z", 100)), bufio.ScanWords)
	fmt.Println(err, err == bufio.ErrTooLong)
	out, _ = scan(strings.NewReader("héé"), bufio.ScanRunes)
	fmt.Println(out, len(out))
	var sb strings.Builder
	bw := bufio.NewWriterSize(upper{&sb}, 4)
	fmt.Fprintf(bw, "hello %d %s", 42, "world")
	fmt.Println(sb.String(), bw.Buffered())
	bw.Flush()
	fmt.Println(sb.String())
	l := &limited{max: 10}
	n, err := io.Copy(l, strings.NewReader("0123456789abc"))
	fmt.Println(n, err, l.String())
	b, err := io.ReadAll(rot13{rot13{io.TeeReader(strings.NewReader("Hello, Tee"), &sb)}})
	fmt.Println(string(b), err, sb.Len())
	br := bufio.NewReader(io.MultiReader(strings.NewReader("key=val\nnext"), rot13{strings.NewReader(" yvar\ngnvy")}))
	for {
		line, err := br.ReadString('\n')
		fmt.Printf("%q %v; ", line, err)
		if err != nil {
			break
		}
	}
	fmt.Println()
	pr, pw := io.Pipe()
	go func() {
		defer pw.CloseWithError(errors.New("writer gone"))
		for i := range 3 {
			fmt.Fprintln(pw, "msg", i)
		}
	}()
	b, err = io.ReadAll(pr)
	fmt.Printf("%q %v\n", b, err)
	sr := io.NewSectionReader(strings.NewReader("0123456789"), 2, 5)
	sr.Seek(-2, io.SeekEnd)
	b, _ = io.ReadAll(sr)
	rd := bufio.NewReader(strings.NewReader("peek me"))
	p, _ := rd.Peek(4)
	r, size, _ := rd.ReadRune()
	fmt.Printf("%s %s %c %d %v\n", b, p, r, size, rd.UnreadRune())
	buf := bytes.NewBufferString("abc def")
	tok, err := buf.ReadBytes(' ')
	fmt.Printf("%q %v %q %v\n", tok, err, buf.Next(2), buf.Len())
	fmt.Println(bytes.Fields([]byte(" a b ")), bytes.TrimFunc([]byte("12x3"), unicode.IsDigit), bytes.EqualFold([]byte("Go"), []byte("GO")))
}
