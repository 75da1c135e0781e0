package main

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

type board []int

func (b board) String() string {
	var sb strings.Builder
	for _, c := range b {
		row := slices.Repeat([]byte{'.'}, len(b))
		row[c] = 'Q'
		sb.Write(row)
		sb.WriteRune('\n')
	}
	return sb.String()
}
func (b board) transform() iter.Seq[board] {
	return func(yield func(board) bool) {
		cur := slices.Clone(b)
		for range 4 {
			rot := make(board, len(cur))
			for r, c := range cur {
				rot[c] = len(cur) - 1 - r
			}
			mirror := make(board, len(rot))
			for r, c := range rot {
				mirror[len(rot)-1-r] = c
			}
			if !yield(rot) || !yield(mirror) {
				return
			}
			cur = rot
		}
	}
}
func (b board) canonical() string {
	best := ""
	for t := range b.transform() {
		s := fmt.Sprint([]int(t))
		if best == "" || s < best {
			best = s
		}
	}
	return best
}
func queens(n int) iter.Seq[board] {
	return func(yield func(board) bool) {
		cur := make(board, 0, n)
		var place func(cols, d1, d2 uint) bool
		place = func(cols, d1, d2 uint) bool {
			if len(cur) == n {
				return yield(slices.Clone(cur))
			}
			free := ^(cols | d1 | d2) & (1<<n - 1)
			for ; free != 0; free &= free - 1 {
				bit := free & -free
				cur = append(cur, bits.TrailingZeros(bit))
				if !place(cols|bit, (d1|bit)<<1, (d2|bit)>>1) {
					return false
				}
				cur = cur[:len(cur)-1]
			}
			return true
		}
		place(0, 0, 0)
	}
}
func count(seq iter.Seq[board]) (n int) {
	for range seq {
		n++
	}
	return
}
func permutations[T any](xs []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		xs := slices.Clone(xs)
		c := make([]int, len(xs))
		if !yield(xs) {
			return
		}
		for i := 0; i < len(xs); {
			if c[i] >= i {
				c[i] = 0
				i++
				continue
			}
			if i%2 == 0 {
				xs[0], xs[i] = xs[i], xs[0]
			} else {
				xs[c[i]], xs[i] = xs[i], xs[c[i]]
			}
			if !yield(xs) {
				return
			}
			c[i]++
			i = 0
		}
	}
}
func subsets[S ~[]E, E any](s S) iter.Seq2[int, S] {
	return func(yield func(int, S) bool) {
		for m := range 1 << len(s) {
			var sub S
			for i := range s {
				if m>>i&1 == 1 {
					sub = append(sub, s[i])
				}
			}
			if !yield(bits.OnesCount(uint(m)), sub) {
				return
			}
		}
	}
}

func main() {
	for b := range queens(6) {
		fmt.Print(b)
		fmt.Println([]int(b), b.canonical())
		break
	}
	res := make([]int, 9)
	var wg sync.WaitGroup
	for n := 1; n < len(res); n++ {
		wg.Go(func() { res[n] = count(queens(n)) })
	}
	wg.Wait()
	fmt.Println(res)
	classes := map[string]int{}
	for b := range queens(6) {
		classes[b.canonical()]++
	}
	fmt.Println(len(classes), classes)
	letters := []string{"a", "b", "c"}
	var all []string
	for p := range permutations(letters) {
		all = append(all, strings.Join(p, ""))
	}
	slices.Sort(all)
	fmt.Println(all, letters)
	type coins []int
	for k, s := range subsets(coins{1, 5, 10, 25}) {
		sum := 0
		for _, c := range s {
			sum += c
		}
		if k == 2 && sum > 20 {
			fmt.Printf("%v=%d %T ", s, sum, s)
		}
		if len(s) == 4 {
			fmt.Println()
		}
	}
	k := 0
outer:
	for p := range permutations([]int{1, 2, 3, 4, 5}) {
		for i, v := range p {
			if i+1 == v {
				continue outer
			}
		}
		if k++; k <= 2 {
			fmt.Print(p, " ")
		}
	}
	fmt.Println("derangements:", k)
}
