// Line diff by LCS with hunks and a generic edit script, patch application and Levenshtein.
package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

type Op byte

const (
	Keep Op = ' '
	Del  Op = '-'
	Ins  Op = '+'
)

type Edit[T any] struct {
	Op
	Val T
}

func Diff[T comparable](a, b []T) []Edit[T] {
	n, m := len(a), len(b)
	lcs := make([][]int, n+1)
	for i := range lcs {
		lcs[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var out []Edit[T]
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && a[i] == b[j]:
			out = append(out, Edit[T]{Keep, a[i]})
			i, j = i+1, j+1
		case j >= m || i < n && lcs[i+1][j] >= lcs[i][j+1]:
			out = append(out, Edit[T]{Del, a[i]})
			i++
		default:
			out = append(out, Edit[T]{Ins, b[j]})
			j++
		}
	}
	return out
}

type PatchError[T any] struct {
	At   int
	Want T
	Got  *T
}

func (e *PatchError[T]) Error() string {
	if e.Got == nil {
		return fmt.Sprintf("patch: at %d want %v, got end", e.At, e.Want)
	}
	return fmt.Sprintf("patch: at %d want %v, got %v", e.At, e.Want, *e.Got)
}

func Apply[T comparable](a []T, es []Edit[T]) (out []T, err error) {
	i := 0
	for _, e := range es {
		if e.Op == Ins {
			out = append(out, e.Val)
			continue
		}
		if i >= len(a) {
			return out, &PatchError[T]{At: i, Want: e.Val}
		}
		if a[i] != e.Val {
			return out, &PatchError[T]{i, e.Val, &a[i]}
		}
		if e.Op == Keep {
			out = append(out, a[i])
		}
		i++
	}
	return append(out, a[i:]...), nil
}

func Invert[T any](es []Edit[T]) []Edit[T] {
	flip := map[Op]Op{Keep: Keep, Del: Ins, Ins: Del}
	inv := slices.Clone(es)
	for i := range inv {
		inv[i].Op = flip[inv[i].Op]
	}
	return inv
}

func levenshtein(a, b string) int {
	x, y := []rune(a), []rune(b)
	prev := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i, r := range x {
		cur := []int{i + 1}
		for j, s := range y {
			cost := 1
			if r == s {
				cost = 0
			}
			cur = append(cur, min(prev[j]+cost, prev[j+1]+1, cur[j]+1))
		}
		prev = cur
	}
	return prev[len(y)]
}

func main() {
	a := strings.Split("the\nquick\nbrown\nfox\njumps", "\n")
	b := strings.Split("a\nquick\nred\nfox\njumps\nhigh", "\n")
	es := Diff(a, b)
	for _, e := range es {
		fmt.Printf("%c %s\n", e.Op, e.Val)
	}
	got, err := Apply(a, es)
	fmt.Println(slices.Equal(got, b), err)
	back, err := Apply(b, Invert(es))
	fmt.Println(back, err, es[0].Op)
	partial, err := Apply(a[:3], es)
	var pe *PatchError[string]
	fmt.Println(partial, err, errors.As(err, &pe), pe.Got == nil)
	_, err = Apply(b, es)
	fmt.Println(err, errors.As(err, &pe), *pe.Got)
	ints := Diff([]int{1, 2, 3, 4}, []int{2, 4, 5})
	fmt.Printf("%v %+v %T\n", ints, ints[0], ints[0])
	runes := Diff([]rune("kitten"), []rune("sitting"))
	var sb strings.Builder
	for _, e := range runes {
		fmt.Fprintf(&sb, "%c%c", e.Op, e.Val)
	}
	fmt.Println(sb.String())
	for _, p := range [][2]string{{"kitten", "sitting"}, {"", "abc"}, {"größe", "grösse"}, {"same", "same"}} {
		fmt.Print(levenshtein(p[0], p[1]), " ")
	}
	fmt.Println(Diff[bool](nil, nil) == nil, len(Diff([]float64{1}, nil)))
}
