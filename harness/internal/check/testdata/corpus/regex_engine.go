// A backtracking regex matcher: literal, ., classes, groups, |, *, +, ?, anchors; compared with package regexp.
package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

type node interface {
	match(s []rune, i int, k func(int) bool) bool
}

type (
	char  rune
	anyCh struct{}
	class struct {
		neg    bool
		ranges [][2]rune
	}
	seq    []node
	alt    struct{ opts []node }
	repeat struct {
		n        node
		min, max int
	}
	anchor byte
)

func (c char) match(s []rune, i int, k func(int) bool) bool {
	return i < len(s) && s[i] == rune(c) && k(i+1)
}
func (anyCh) match(s []rune, i int, k func(int) bool) bool { return i < len(s) && k(i+1) }
func (c class) match(s []rune, i int, k func(int) bool) bool {
	if i >= len(s) {
		return false
	}
	in := false
	for _, r := range c.ranges {
		in = in || r[0] <= s[i] && s[i] <= r[1]
	}
	return in != c.neg && k(i+1)
}
func (q seq) match(s []rune, i int, k func(int) bool) bool {
	if len(q) == 0 {
		return k(i)
	}
	return q[0].match(s, i, func(j int) bool { return q[1:].match(s, j, k) })
}
func (a alt) match(s []rune, i int, k func(int) bool) bool {
	for _, o := range a.opts {
		if o.match(s, i, k) {
			return true
		}
	}
	return false
}
func (r repeat) match(s []rune, i int, k func(int) bool) bool {
	var rec func(n, at int) bool
	rec = func(n, at int) bool {
		if n < r.max || r.max < 0 {
			if r.n.match(s, at, func(j int) bool { return j > at && rec(n+1, j) }) {
				return true
			}
		}
		return n >= r.min && k(at)
	}
	return rec(0, i)
}
func (a anchor) match(s []rune, i int, k func(int) bool) bool {
	return (a == '^' && i == 0 || a == '$' && i == len(s)) && k(i)
}

type compiler struct {
	src []rune
	pos int
}

var errNothing = errors.New("nothing to repeat")

func (c *compiler) more() bool { return c.pos < len(c.src) }
func (c *compiler) alt() (node, error) {
	var opts []node
	for {
		var q seq
		for c.more() && !strings.ContainsRune("|)", c.src[c.pos]) {
			n, err := c.atom()
			if err != nil {
				return nil, err
			}
			q = append(q, n)
		}
		opts = append(opts, q)
		if !c.more() || c.src[c.pos] != '|' {
			break
		}
		c.pos++
	}
	if len(opts) == 1 {
		return opts[0], nil
	}
	return alt{opts}, nil
}

func (c *compiler) atom() (n node, err error) {
	r := c.src[c.pos]
	c.pos++
	switch r {
	case '.':
		n = anyCh{}
	case '^', '$':
		return anchor(r), nil
	case '(':
		if n, err = c.alt(); err != nil {
			return
		}
		if !c.more() {
			return nil, errors.New("missing )")
		}
		c.pos++
	case '[':
		cl := class{}
		if c.more() && c.src[c.pos] == '^' {
			cl.neg = true
			c.pos++
		}
		for c.more() && c.src[c.pos] != ']' {
			lo := c.src[c.pos]
			hi := lo
			if c.pos+2 < len(c.src) && c.src[c.pos+1] == '-' && c.src[c.pos+2] != ']' {
				hi = c.src[c.pos+2]
				c.pos += 2
			}
			c.pos++
			cl.ranges = append(cl.ranges, [2]rune{lo, hi})
		}
		if !c.more() {
			return nil, fmt.Errorf("missing ] after %d ranges", len(cl.ranges))
		}
		c.pos++
		n = cl
	case '*', '+', '?':
		return nil, fmt.Errorf("at %d: %w", c.pos-1, errNothing)
	case '\\':
		r = c.src[c.pos]
		c.pos++
		fallthrough
	default:
		n = char(r)
	}
	for c.more() {
		switch c.src[c.pos] {
		case '*':
			n = repeat{n, 0, -1}
		case '+':
			n = repeat{n, 1, -1}
		case '?':
			n = repeat{n, 0, 1}
		default:
			return n, nil
		}
		c.pos++
	}
	return
}

func Find(pat, s string) (start, end int, err error) {
	c := &compiler{src: []rune(pat)}
	n, err := c.alt()
	if err == nil && c.more() {
		err = errors.New("unmatched )")
	}
	if err != nil {
		return -1, -1, fmt.Errorf("compile %q: %w", pat, err)
	}
	rs := []rune(s)
	for start = 0; start <= len(rs); start++ {
		if n.match(rs, start, func(j int) bool { end = j; return true }) {
			return start, end, nil
		}
	}
	return -1, -1, nil
}

func main() {
	for _, c := range [][2]string{
		{"a.c", "xxabcx"}, {"^(ab|a)(c|bcd)$", "abcd"}, {"[a-c]+d?", "zzabcabd"}, {"[^0-9]*$", "123abc"}, {"(a*)*b", "aaaaab"},
		{"x|y|", "q"}, {`\.\*`, "a.*"}, {"(ab)+", "ababa"}, {"é+", "caféé"}, {"^$", ""}, {"colou?r", "my color"}, {"a(b", "x"}, {"a)", "x"}, {"*a", "x"}, {"[ab", "x"}, {"a|+", ""},
	} {
		s, e, err := Find(c[0], c[1])
		if err != nil {
			fmt.Println(err, errors.Is(err, errNothing))
			continue
		}
		std := regexp.MustCompile(c[0]).FindStringIndex(c[1])
		got := "none"
		if s >= 0 {
			got = string([]rune(c[1])[s:e])
		}
		fmt.Printf("%-16s %-10s [%d,%d) %q std=%v\n", c[0], c[1], s, e, got, std)
	}
}
