package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/scanner"
)

type Temp struct {
	Deg  float64
	Unit rune
}

func (t *Temp) Scan(state fmt.ScanState, verb rune) error {
	state.SkipSpace()
	if _, err := fmt.Fscanf(state, "%f%c", &t.Deg, &t.Unit); err != nil {
		return err
	}
	if t.Unit != 'C' && t.Unit != 'F' {
		return fmt.Errorf("bad unit %q", t.Unit)
	}
	return nil
}

type Rect struct{ W, H int }

type Grammar map[string][]string

func tokens(src string) (out []string, err error) {
	var s scanner.Scanner
	s.Init(strings.NewReader(src))
	s.Filename = "in"
	s.Error = func(s *scanner.Scanner, msg string) { err = errors.Join(err, fmt.Errorf("%v: %s", s.Pos(), msg)) }
	for tok := s.Scan(); tok != scanner.EOF; tok = s.Scan() {
		out = append(out, fmt.Sprintf("%s:%s", scanner.TokenString(tok), s.TokenText()))
	}
	return
}

type cmd struct {
	name string
	run  func(args []string, out io.Writer) error
}

func main() {
	var a, b int
	var s string
	n, err := fmt.Sscanf("12-0x1f:word", "%d-%v:%s", &a, &b, &s)
	fmt.Println(n, err, a, b, s)
	n, err = fmt.Sscanf("7 x", "%d %d", &a, &b)
	fmt.Println(n, err, a)
	var r Rect
	n, err = fmt.Sscanf("3x4", "%dx%d", &r.W, &r.H)
	fmt.Println(n, err, r)
	var f float64
	var t bool
	var c rune
	n, err = fmt.Sscan("2.5 true 65", &f, &t, &c)
	fmt.Println(n, err, f, t, c)
	n, err = fmt.Sscanln("1 2 3", &a, &b)
	fmt.Println(n, err)
	rd := strings.NewReader("10 20\n30 abc")
	sum := 0
	for {
		var x int
		if _, err := fmt.Fscan(rd, &x); err != nil {
			fmt.Println("stop:", err)
			break
		}
		sum += x
	}
	fmt.Println(sum)
	var tt Temp
	n, err = fmt.Sscan("36.6C", &tt)
	fmt.Println(n, err, tt.Deg, string(tt.Unit))
	n, err = fmt.Sscan("36.6K", &tt)
	fmt.Println(n, err)
	toks, err := tokens("x := 3.14 + foo(\"s\", 'c') // comment\n y")
	fmt.Println(strings.Join(toks, " "), err)
	toks, err = tokens("\"open")
	fmt.Println(toks, err)
	cmds := []cmd{
		{"echo", func(a []string, w io.Writer) error { _, err := fmt.Fprintln(w, strings.Join(a, " ")); return err }},
		{"fail", func(a []string, _ io.Writer) error {
			if len(a) > 0 {
				return errors.New(a[0])
			}
			return io.ErrShortWrite
		}},
		{"count", func(a []string, w io.Writer) (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("count: %v", r)
				}
			}()
			fmt.Fprintf(w, "%d %q\n", len(a), a[1])
			return
		}},
	}
	for _, line := range []string{"echo a  b", "fail", "fail now", "count x y", "count", "nope"} {
		f := strings.Fields(line)
		found := false
		for _, c := range cmds {
			if found = c.name == f[0]; found {
				if err := c.run(f[1:], os.Stdout); err != nil {
					fmt.Printf("%s: %v (%t)\n", c.name, err, err == io.ErrShortWrite)
				}
				break
			}
		}
		if !found {
			fmt.Printf("unknown %q\n", f[0])
		}
	}
	g := Grammar{"S": {"A B", "b"}, "A": {"a"}, "B": {"b"}}
	var expand func(sym string, depth int) []string
	expand = func(sym string, depth int) (out []string) {
		prods, ok := g[sym]
		if !ok || depth == 0 {
			return []string{sym}
		}
		for _, p := range prods {
			parts := []string{""}
			for _, q := range strings.Fields(p) {
				var next []string
				for _, pre := range parts {
					for _, e := range expand(q, depth-1) {
						next = append(next, pre+e)
					}
				}
				parts = next
			}
			out = append(out, parts...)
		}
		return
	}
	fmt.Println(expand("S", 3), expand("S", 1))
}
