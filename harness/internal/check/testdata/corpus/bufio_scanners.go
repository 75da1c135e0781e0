// Scanners: lines, words, runes, custom split funcs, buffers too small; readers: ReadRune, Peek, UnreadByte, ReadLine.
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

func splitOn(sep byte) bufio.SplitFunc {
	return func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		if i := bytes.IndexByte(data, sep); i >= 0 {
			return i + 1, bytes.TrimSpace(data[:i]), nil
		}
		if atEOF && len(data) > 0 {
			return len(data), bytes.TrimSpace(data), bufio.ErrFinalToken
		}
		return 0, nil, nil
	}
}

var errBadNumber = errors.New("bad number")

func numbers(data []byte, atEOF bool) (int, []byte, error) {
	adv, tok, err := bufio.ScanWords(data, atEOF)
	if err == nil && tok != nil {
		for _, c := range tok {
			if !unicode.IsDigit(rune(c)) {
				return adv, nil, fmt.Errorf("%q: %w", tok, errBadNumber)
			}
		}
	}
	return adv, tok, err
}

func scan(r io.Reader, f bufio.SplitFunc) (toks []string, err error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 8), 20)
	if f != nil {
		sc.Split(f)
	}
	for sc.Scan() {
		toks = append(toks, sc.Text())
	}
	return toks, sc.Err()
}

type slowReader struct {
	s    string
	step int
	err  error
}

func (r *slowReader) Read(p []byte) (n int, err error) {
	if r.s == "" {
		if r.err != nil {
			return 0, r.err
		}
		return 0, io.EOF
	}
	n = copy(p, r.s[:min(r.step, len(r.s))])
	r.s = r.s[n:]
	return
}

func main() {
	text := "alpha beta\r\ngamma\n\nlast"
	fmt.Printf("%q ", []any{})
	for _, f := range []bufio.SplitFunc{nil, bufio.ScanWords, bufio.ScanRunes, splitOn('a'), numbers} {
		toks, err := scan(&slowReader{s: text, step: 3}, f)
		fmt.Printf("%q %v\n", toks[:min(len(toks), 6)], err)
	}
	toks, err := scan(strings.NewReader("12 34 5x 6"), numbers)
	fmt.Println(toks, err, errors.Is(err, errBadNumber))
	_, err = scan(strings.NewReader("short\n"+strings.Repeat("y", 40)), nil)
	fmt.Println(err, err == bufio.ErrTooLong)
	toks, err = scan(&slowReader{"a,b", 1, io.ErrNoProgress}, splitOn(','))
	fmt.Println(toks, err)

	br := bufio.NewReaderSize(&slowReader{s: "héllo, wörld\nline two is rather long\nend", step: 5}, 16)
	pk, err := br.Peek(3)
	fmt.Printf("%q %v\n", pk, err)
	var runes []string
	for {
		r, size, err := br.ReadRune()
		if err != nil || r == ',' {
			br.UnreadRune()
			break
		}
		runes = append(runes, fmt.Sprintf("%c%d", r, size))
	}
	fmt.Println(runes)
	b, _ := br.ReadByte()
	rest, err := br.ReadString('\n')
	fmt.Printf("%c %q %v\n", b, rest, err)
	for i := 0; i < 4; i++ {
		line, prefix, err := br.ReadLine()
		fmt.Printf("%q %t %v; ", line, prefix, err)
	}
	fmt.Println()
	_, err = bufio.NewReader(strings.NewReader("no newline")).ReadBytes('\n')
	fmt.Println(err, br.Buffered())

	var buf bytes.Buffer
	bw := bufio.NewWriterSize(&buf, 4)
	fmt.Fprint(bw, "ab")
	fmt.Println(buf.Len(), bw.Buffered(), bw.Available())
	bw.WriteRune('é')
	bw.WriteString("xyz")
	bw.WriteByte('!')
	fmt.Print(buf.String(), "|")
	fmt.Println(bw.Flush(), buf.String())
	rw := bufio.NewReadWriter(bufio.NewReader(strings.NewReader("in")), bw)
	s, _ := rw.ReadString(0)
	rw.WriteString(strings.ToUpper(s))
	rw.Flush()
	fmt.Println(buf.String())

	var name string
	var n int
	var f float64
	c, err := fmt.Sscanf("bob:42 3.5", "%3s:%d %g", &name, &n, &f)
	fmt.Println(c, err, name, n, f)
	c, err = fmt.Sscanf("x:y", "%1s:%d", &name, &n)
	fmt.Println(c, err, name)
	c, err = fmt.Sscan("7 seven 0x1F", &n, &name, &f)
	fmt.Println(c, err, n, name, f)
	var a, d int
	c, err = fmt.Fscanln(strings.NewReader("1 2 3\n"), &a, &d)
	fmt.Println(c, err, a, d)
	pr, pw := io.Pipe()
	go func() {
		fmt.Fprint(pw, "through ", "pipe")
		pw.CloseWithError(errors.New("closed on purpose"))
	}()
	all, err := io.ReadAll(io.TeeReader(pr, &buf))
	fmt.Printf("%s %v %s\n", all, err, buf.String())
	sr := io.NewSectionReader(strings.NewReader("0123456789"), 2, 5)
	sr.Seek(-2, io.SeekEnd)
	tail, _ := io.ReadAll(io.MultiReader(sr, io.LimitReader(strings.NewReader("abcdef"), 3)))
	fmt.Println(string(tail), sr.Size())
	_, err = io.ReadFull(strings.NewReader("abc"), make([]byte, 5))
	_, err2 := io.ReadAtLeast(strings.NewReader(""), make([]byte, 5), 2)
	fmt.Println(err, err2)
}
