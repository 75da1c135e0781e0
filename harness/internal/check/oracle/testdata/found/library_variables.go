package main

import (
	"crypto/rand"
	. "flag"
	"fmt"
	"image/color"
	"io"
	"unicode"
)

type z struct{ b byte }

func (z z) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = z.b
	}
	return len(p), nil
}

var reader, usage = rand.Reader, Usage

func show(s string) {
	b := make([]byte, 3)
	_, _ = io.ReadFull(rand.Reader, b)
	fmt.Println(s, b)
}

// Variables of libraries that hold interface values and functions are set.
func main() {
	defer func() { rand.Reader, Usage = reader, usage }()
	var n int
	Usage, n = func() { fmt.Println("usage", n) }, 5
	Usage()
	fs := NewFlagSet("x", ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = Usage
	fmt.Println(fs.Parse([]string{"-h"}))
	p := &Usage
	*p = func() { fmt.Println("by pointer") }
	Usage()
	g := Usage
	g()
	rand.Reader = z{1}
	show("plain")
	for _, rand.Reader = range []io.Reader{z{2}, z{3}} {
		show("range")
	}
	rand.Reader, n = z{4}, n+1
	show("tuple")
	c := make(chan io.Reader, 1)
	c <- z{5}
	rand.Reader = <-c
	show("receive")
	c <- z{6}
	select {
	case rand.Reader = <-c:
	}
	show("select")
	var ok bool
	var x any = z{7}
	rand.Reader, ok = x.(io.Reader)
	show("assertion")
	rand.Reader, ok = func() (io.Reader, bool) { return z{8}, true }()
	show("call")
	fmt.Println(n, ok)
	white, black, letter := color.White, color.Black, unicode.Letter
	defer func() { color.White, color.Black, unicode.Letter = white, black, letter }()
	color.Black.Y = 7
	w := &color.White
	w.Y = 9
	color.White, color.Black = color.Black, color.White
	fmt.Println(color.White, color.Black)
	unicode.Letter = unicode.Digit
	fmt.Println(unicode.Is(unicode.Letter, '5'))
}
