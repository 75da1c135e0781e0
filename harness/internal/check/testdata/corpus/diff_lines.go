package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

type Op byte

const (
	Keep Op = ' '
	Add  Op = '+'
	Del  Op = '-'
)

type Change[T comparable] struct {
	Op
	Val  T
	A, B int
}

func (c Change[T]) String() string { return fmt.Sprintf("%c%v", c.Op, c.Val) }

func Diff[S ~[]T, T comparable](a, b S) []Change[T] {
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
	var out []Change[T]
	i, j := 0, 0
	emit := func(op Op, v T) { out = append(out, Change[T]{Op: op, Val: v, A: i, B: j}) }
	for i < n && j < m {
		switch {
		case a[i] == b[j]:
			emit(Keep, a[i])
			i, j = i+1, j+1
		case lcs[i+1][j] >= lcs[i][j+1]:
			emit(Del, a[i])
			i++
		default:
			emit(Add, b[j])
			j++
		}
	}
	for ; i < n; i++ {
		emit(Del, a[i])
	}
	for ; j < m; j++ {
		emit(Add, b[j])
	}
	return out
}

func Hunks[T comparable](cs []Change[T], ctx int) iter.Seq[[]Change[T]] {
	return func(yield func([]Change[T]) bool) {
		start, last := -1, -1
		for i, c := range cs {
			if c.Op == Keep {
				continue
			}
			if start >= 0 && i-last > 2*ctx {
				if !yield(cs[start:min(last+ctx+1, len(cs))]) {
					return
				}
				start = -1
			}
			if start < 0 {
				start = max(0, i-ctx)
			}
			last = i
		}
		if start >= 0 {
			yield(cs[start:min(last+ctx+1, len(cs))])
		}
	}
}

func apply[T comparable](cs []Change[T]) (out []T) {
	for _, c := range cs {
		if c.Op != Del {
			out = append(out, c.Val)
		}
	}
	return
}

const before = `package a
import "fmt"
func main() {
	x := 1
	y := 2
	fmt.Println(x)
	// one
	// two
	// three
	return
}`

func main() {
	a := strings.Split(before, "\n")
	b := slices.Clone(a)
	b[0] = "package b"
	b = slices.Insert(b, 5, "\ty++")
	b = slices.Delete(b, 7, 9)
	b = append(b, "// end")
	cs := Diff(a, b)
	n := 0
	for h := range Hunks(cs, 1) {
		var dels, adds int
		for _, c := range h {
			switch c.Op {
			case Add:
				adds++
			case Del:
				dels++
			}
		}
		n++
		fmt.Printf("@@ %d: -%d,%d +%d,%d @@\n", n, h[0].A+1, dels, h[0].B+1, adds)
		for _, c := range h {
			fmt.Println(c)
		}
	}
	fmt.Println(slices.Equal(apply(cs), b))
	type Chars []rune
	w := Diff(Chars("kitten"), Chars("sitting"))
	for _, c := range w {
		fmt.Printf("%c%c ", c.Op, c.Val)
	}
	fmt.Println()
	fmt.Printf("%v %+v %T\n", w[0], w[:1], w[0])
	nums := Diff([]int{1, 2, 3}, nil)
	fmt.Println(nums, len(nums), string(nums[0].Op))
	for h := range Hunks(Diff([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{0, 2, 3, 4, 5, 6, 7, 8, 1}), 1) {
		fmt.Println(len(h), h)
		break
	}
}
