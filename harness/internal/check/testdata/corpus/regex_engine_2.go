package main

import (
	"fmt"
	"sort"
	"strings"
)

type frag struct {
	start *state
	out   []**state
}
type state struct {
	kind byte // 'c' char, '.' any, '[' set, '|' split, 'm' match
	ch   rune
	set  *class
	a, b *state
	mark int
	id   int
}
type class struct {
	neg    bool
	ranges [][2]rune
}

func (c *class) has(r rune) (in bool) {
	defer func() { in = in != c.neg }()
	for _, p := range c.ranges {
		if p[0] <= r && r <= p[1] {
			return true
		}
	}
	return
}

type compiler struct {
	src []rune
	pos int
	n   int
}
type compileError struct {
	pos int
	msg string
}

func (e *compileError) Error() string { return fmt.Sprintf("%s at %d", e.msg, e.pos) }
func (c *compiler) fail(format string, a ...any) {
	panic(&compileError{c.pos, fmt.Sprintf(format, a...)})
}
func (c *compiler) peek() rune {
	if c.pos < len(c.src) {
		return c.src[c.pos]
	}
	return 0
}
func (c *compiler) state(s state) *state { c.n++; s.id = c.n; return &s }
func patch(outs []**state, s *state) {
	for _, o := range outs {
		*o = s
	}
}

func (c *compiler) alt() frag {
	f := c.cat()
	for c.peek() == '|' {
		c.pos++
		g := c.cat()
		f = frag{c.state(state{kind: '|', a: f.start, b: g.start}), append(f.out, g.out...)}
	}
	return f
}
func (c *compiler) cat() (f frag) {
	for first := true; ; first = false {
		switch c.peek() {
		case 0, '|', ')':
			if first {
				s := c.state(state{kind: '|'})
				return frag{s, []**state{&s.a}}
			}
			return
		}
		g := c.rep()
		if first {
			f = g
		} else {
			patch(f.out, g.start)
			f.out = g.out
		}
	}
}
func (c *compiler) rep() frag {
	f := c.atom()
	for {
		switch c.peek() {
		case '*':
			s := c.state(state{kind: '|', a: f.start})
			patch(f.out, s)
			f = frag{s, []**state{&s.b}}
		case '+':
			s := c.state(state{kind: '|', a: f.start})
			patch(f.out, s)
			f.out = []**state{&s.b}
		case '?':
			s := c.state(state{kind: '|', a: f.start})
			f = frag{s, append(f.out, &s.b)}
		default:
			return f
		}
		c.pos++
	}
}
func (c *compiler) atom() frag {
	r := c.peek()
	c.pos++
	var s *state
	switch r {
	case '(':
		f := c.alt()
		if c.peek() != ')' {
			c.fail("missing )")
		}
		c.pos++
		return f
	case '*', '+', '?':
		c.fail("nothing to repeat with %c", r)
	case '[':
		cl := &class{}
		if c.peek() == '^' {
			cl.neg = true
			c.pos++
		}
		for c.peek() != ']' {
			lo := c.peek()
			if lo == 0 {
				c.fail("missing ]")
			}
			hi := lo
			c.pos++
			if c.peek() == '-' && c.pos+1 < len(c.src) && c.src[c.pos+1] != ']' {
				hi = c.src[c.pos+1]
				c.pos += 2
			}
			cl.ranges = append(cl.ranges, [2]rune{lo, hi})
		}
		c.pos++
		s = c.state(state{kind: '[', set: cl})
	case '.':
		s = c.state(state{kind: '.'})
	case '\\':
		r = c.peek()
		c.pos++
		fallthrough
	default:
		s = c.state(state{kind: 'c', ch: r})
	}
	return frag{s, []**state{&s.a}}
}

type Regex struct {
	start *state
	gen   int
	n     int
}

func Compile(src string) (re *Regex, err error) {
	defer func() {
		if e, ok := recover().(*compileError); ok {
			re, err = nil, e
		}
	}()
	c := &compiler{src: []rune(src)}
	f := c.alt()
	if c.pos < len(c.src) {
		c.fail("unexpected %c", c.peek())
	}
	patch(f.out, c.state(state{kind: 'm'}))
	return &Regex{start: f.start, n: c.n}, nil
}

func (re *Regex) add(list []*state, s *state) []*state {
	if s == nil || s.mark == re.gen {
		return list
	}
	s.mark = re.gen
	if s.kind == '|' {
		return re.add(re.add(list, s.a), s.b)
	}
	return append(list, s)
}

func (re *Regex) Match(in string) bool {
	re.gen++
	cur := re.add(nil, re.start)
	for _, r := range in {
		re.gen++
		var next []*state
		for _, s := range cur {
			ok := false
			switch s.kind {
			case 'c':
				ok = s.ch == r
			case '.':
				ok = true
			case '[':
				ok = s.set.has(r)
			}
			if ok {
				next = re.add(next, s.a)
			}
		}
		cur = next
	}
	for _, s := range cur {
		if s.kind == 'm' {
			return true
		}
	}
	return false
}

func main() {
	tests := map[string][]string{
		"a(b|c)*d":       {"ad", "abcbcd", "abx", "d"},
		"[a-c]+[^0-9]?":  {"abc", "abcZ", "abc1", ""},
		"h.llo|w(o)+rld": {"hello", "hállo", "woorld", "wrld"},
		`\(x\)\*`:        {"(x)*", "x"},
		"(a*)*b":         {strings.Repeat("a", 40) + "b", strings.Repeat("a", 40)},
		"":               {"", "a"},
		"(ab":            nil, "*a": nil, "[a": nil, "a)b": nil,
	}
	pats := []string{}
	for p := range tests {
		pats = append(pats, p)
	}
	sort.Strings(pats)
	for _, p := range pats {
		re, err := Compile(p)
		if err != nil {
			fmt.Printf("%q error: %v %T\n", p, err, err)
			continue
		}
		fmt.Printf("%q %d:", p, re.n)
		for _, in := range tests[p] {
			fmt.Printf(" %t", re.Match(in))
		}
		fmt.Println()
	}
}
