// Balanced brackets, shunting yard, monotonic stacks, tower of Hanoi with named pegs as arrays of slices.
package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Stack[T any] []T

func (s *Stack[T]) Push(vs ...T) *Stack[T] { *s = append(*s, vs...); return s }
func (s *Stack[T]) Pop() T {
	old := *s
	defer func() { *s = old[:len(old)-1] }()
	return old[len(old)-1]
}
func (s Stack[T]) Peek() (v T, ok bool) {
	if len(s) > 0 {
		return s[len(s)-1], true
	}
	return
}

type BalanceError struct {
	Pos  int
	Want rune
}

func (b BalanceError) Error() string {
	if b.Want == 0 {
		return fmt.Sprintf("unexpected closer at %d", b.Pos)
	}
	return fmt.Sprintf("want %c at %d", b.Want, b.Pos)
}

func balanced(s string) (depth int, err error) {
	var st Stack[rune]
	closers := map[rune]rune{'(': ')', '[': ']', '{': '}'}
	for i, r := range s {
		if c, ok := closers[r]; ok {
			st.Push(c)
			depth = max(depth, len(st))
			continue
		}
		if !strings.ContainsRune(")]}", r) {
			continue
		}
		top, ok := st.Peek()
		if !ok {
			return depth, BalanceError{Pos: i}
		}
		if st.Pop() != r {
			return depth, BalanceError{i, top}
		}
	}
	if top, ok := st.Peek(); ok {
		err = BalanceError{len(s), top}
	}
	return
}

type assoc struct {
	prec  int
	right bool
	f     func(a, b int) (int, error)
}

var errDiv = errors.New("division by zero")

var ops = map[string]assoc{
	"+": {1, false, func(a, b int) (int, error) { return a + b, nil }},
	"-": {1, false, func(a, b int) (int, error) { return a - b, nil }},
	"*": {prec: 2, f: func(a, b int) (int, error) { return a * b, nil }},
	"/": {2, false, func(a, b int) (r int, err error) {
		if b == 0 {
			return 0, errDiv
		}
		return a / b, nil
	}},
	"^": {3, true, func(a, b int) (int, error) {
		r := 1
		for range b {
			r *= a
		}
		return r, nil
	}},
}

func eval(src string) (rpn []string, v int, err error) {
	var out Stack[int]
	var st Stack[string]
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("malformed %q: %v", src, r)
		}
	}()
	reduce := func() {
		op := st.Pop()
		rpn = append(rpn, op)
		b, a := out.Pop(), out.Pop()
		res, e := ops[op].f(a, b)
		if e != nil {
			err = errors.Join(err, e)
		}
		out.Push(res)
	}
	for t := range strings.FieldsSeq(src) {
		switch o, isOp := ops[t]; {
		case isOp:
			for top, ok := st.Peek(); ok && top != "("; top, ok = st.Peek() {
				if p := ops[top]; p.prec > o.prec || p.prec == o.prec && !o.right {
					reduce()
					continue
				}
				break
			}
			st.Push(t)
		case t == "(":
			st.Push(t)
		case t == ")":
			for top, _ := st.Peek(); top != "("; top, _ = st.Peek() {
				reduce()
			}
			st.Pop()
		default:
			n, e := strconv.Atoi(t)
			if e != nil {
				return rpn, 0, e
			}
			rpn = append(rpn, t)
			out.Push(n)
		}
	}
	for len(st) > 0 {
		reduce()
	}
	return rpn, out.Pop(), err
}

func nextGreater(xs ...int) []int {
	out := make([]int, len(xs))
	var st Stack[int]
	for i, x := range xs {
		for top, ok := st.Peek(); ok && xs[top] < x; top, ok = st.Peek() {
			out[st.Pop()] = x
		}
		st.Push(i)
	}
	for len(st) > 0 {
		out[st.Pop()] = -1
	}
	return out
}

func hanoi(n int, pegs *[3]Stack[int], from, to int) (moves int) {
	if n == 0 {
		return
	}
	via := 3 - from - to
	moves = hanoi(n-1, pegs, from, via)
	pegs[to].Push(pegs[from].Pop())
	return moves + 1 + hanoi(n-1, pegs, via, to)
}

func main() {
	for _, s := range []string{"{[()]}", "(]", "((", "a)", ""} {
		d, err := balanced(s)
		var be BalanceError
		fmt.Println(s, d, err, errors.As(err, &be), be.Pos)
	}
	for _, s := range []string{"3 + 4 * 2 / ( 1 - 5 ) ^ 2 ^ 3", "2 ^ 3 ^ 2", "1 / 0 + 2", "1 +", "( 1", "1 )", "x", "10 - 4 - 3"} {
		rpn, v, err := eval(s)
		fmt.Println(strings.Join(rpn, " "), "=", v, err, errors.Is(err, errDiv))
	}
	fmt.Println(nextGreater(2, 1, 2, 4, 3))
	var pegs [3]Stack[int]
	pegs[0].Push(4, 3, 2, 1)
	before := pegs
	fmt.Println(hanoi(4, &pegs, 0, 2), pegs, len(before[0]))
}
