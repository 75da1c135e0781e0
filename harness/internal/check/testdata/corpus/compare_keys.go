package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sort"
	"strings"
)

type Pos struct{ X, Y int }
type Board [3][3]byte
type Key struct {
	Pos
	kind string
	any
}

type Shape interface{ Area() int }
type Sq struct{ s int }
type Rc struct{ w, h int }

func (s Sq) Area() int  { return s.s * s.s }
func (r *Rc) Area() int { return r.w * r.h }

func (b Board) String() string {
	rows := make([]string, 0, 3)
	for _, r := range b {
		row := ""
		for _, c := range r {
			if c == 0 {
				c = '.'
			}
			row += string(rune(c))
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "/")
}

func (b Board) winner() (byte, bool) {
	lines := [...][3]Pos{{{0, 0}, {1, 1}, {2, 2}}, {{0, 2}, {1, 1}, {2, 0}}}
	all := lines[:]
	for i := range 3 {
		all = append(all, [3]Pos{{i, 0}, {i, 1}, {i, 2}}, [3]Pos{{0, i}, {1, i}, {2, i}})
	}
	for _, l := range all {
		if c := b[l[0].X][l[0].Y]; c != 0 && c == b[l[1].X][l[1].Y] && c == b[l[2].X][l[2].Y] {
			return c, true
		}
	}
	return 0, false
}

var memo = map[Board]int{}

func solve(b Board, turn byte) (score int) {
	if s, ok := memo[b]; ok {
		return s
	}
	defer func() { memo[b] = score }()
	if w, ok := b.winner(); ok {
		if w == 'X' {
			return 1
		}
		return -1
	}
	other := byte('X' + 'O' - turn)
	best, moved := -2, false
	if turn == 'O' {
		best = 2
	}
	for i := range b {
		for j := range b[i] {
			if b[i][j] != 0 {
				continue
			}
			moved = true
			nb := b
			nb[i][j] = turn
			if s := solve(nb, other); turn == 'X' && s > best || turn == 'O' && s < best {
				best = s
			}
		}
	}
	if !moved {
		return 0
	}
	return best
}

func try(name string, f func()) {
	defer func() {
		r := recover()
		if re, ok := r.(runtime.Error); ok {
			fmt.Println(name, "runtime:", re.Error())
		} else if r != nil {
			fmt.Println(name, "other:", r)
		} else {
			fmt.Println(name, "ok")
		}
	}()
	f()
}

func main() {
	fmt.Println(solve(Board{}, 'X'), len(memo))
	b := Board{{'X', 'O', 'X'}, {0, 'X', 0}}
	c := b
	c[2][2] = 'O'
	fmt.Println(b, c, b == c, b != Board{}, &b == &b)
	m := map[Key]int{{Pos{1, 2}, "a", nil}: 1}
	m[Key{Pos{1, 2}, "a", nil}]++
	m[Key{kind: "a", any: 3}]++
	m[Key{kind: "a", any: "3"}]++
	fmt.Println(len(m), m[Key{Pos{1, 2}, "a", nil}], m[Key{Pos{}, "a", 3}])
	var s1, s2 Shape = Sq{2}, Sq{2}
	r := &Rc{1, 4}
	var s3 Shape = r
	fmt.Println(s1 == s2, s3 == Shape(r), s3 == Shape(&Rc{1, 4}), s1 == s3, s1 != nil, s1 == Sq{2})
	shapes := map[Shape]string{s1: "sq", s3: "rc"}
	fmt.Println(shapes[Sq{2}], shapes[r], shapes[&Rc{}] == "")
	anon := struct {
		A int
		B string
	}{1, "x"}
	type same struct {
		A int
		B string
	}
	fmt.Println(anon == same{1, "x"}, same(anon) == same{1, "y"}, any(anon) == any(same{1, "x"}))
	var e1, e2 error = errors.New("a"), errors.New("a")
	fmt.Println(e1 == e2, e1 == e1, io.EOF == io.EOF, any(1) == any(1.0), any(int8(1)) == any(int8(1)), any(nil) == nil)
	chs := map[chan int]int{}
	ch := make(chan int)
	chs[ch]++
	chs[ch]++
	fmt.Println(chs[ch], [2]any{1, "a"} == [2]any{1, "a"})
	try("uncomparable", func() { fmt.Println(any([]int{1}) == any([]int{1})) })
	try("mapkey", func() { map[any]int{}[[]int{1}] = 2 })
	try("mapkey2", func() { fmt.Println(map[any]int{}[map[string]int{}]) })
	try("structkey", func() { fmt.Println(any(struct{ f func() }{}) == any(struct{ f func() }{})) })
	try("nilmap", func() { var m map[Pos]bool; m[Pos{}] = true })
	try("conv", func() { var x any = "s"; fmt.Println(x.(int)) })
	try("conv2", func() { var x any; fmt.Println(x.(fmt.Stringer)) })
	try("conv3", func() { var x Shape = Sq{1}; fmt.Println(x.(*Rc)) })
	try("conv4", func() { var x any = Sq{}; fmt.Println(x.(interface{ Perimeter() int })) })
	try("div", func() { z := 0; fmt.Println(1 / z) })
	try("slice", func() { s := []int{1, 2, 3}; i, j := 2, 1; fmt.Println(s[i:j]) })
	try("slice2", func() { s := "abc"; n := 10; fmt.Println(s[n:]) })
	try("cap", func() { s := make([]int, 2, 4); n := 5; fmt.Println(s[:n]) })
	try("arr", func() { var a [4]int; i := -1; a[i+0]++ })
	try("make", func() { n := -5; _ = make([]int, n) })
	try("chan", func() { n := -5; _ = make(chan int, n) })
	try("arrptr", func() { s := []int{1}; _ = [2]int(s) })
	try("nilptr", func() { var p *Pos; p.X = 1 })
	try("nilfunc", func() { var f func(); f() })
	try("custom", func() { panic(fmt.Sprintf("%v", Pos{1, 2})) })
	try("errpanic", func() { panic(fmt.Errorf("wrapped: %w", io.EOF)) })
	try("panicnil", func() { panic(nil) })
	try("send", func() { c := make(chan int); close(c); c <- 1 })
	try("shift", func() { n := -1; fmt.Println(1 << n) })
	try("repeat", func() { strings.Repeat("x", -1) })
	ks := []string{}
	for k := range shapes {
		ks = append(ks, fmt.Sprintf("%T", k))
	}
	sort.Strings(ks)
	fmt.Println(ks)
}
