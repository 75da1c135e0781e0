// A generic bitset with set algebra as methods and operators over uint64 words.
package main

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

type Set []uint64

func Of(ns ...int) (s Set) {
	for _, n := range ns {
		s.Add(n)
	}
	return
}

func (s *Set) Add(n int) bool {
	w, b := n>>6, uint(n&63)
	if need := w + 1 - len(*s); need > 0 {
		*s = append(*s, make([]uint64, need)...)
	}
	old := (*s)[w]
	(*s)[w] |= 1 << b
	return (*s)[w] != old
}

func (s Set) Has(n int) bool { return n>>6 < len(s) && s[n>>6]>>(n&63)&1 != 0 }

func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 | bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

func combine(a, b Set, op func(x, y uint64) uint64) Set {
	out := make(Set, max(len(a), len(b)))
	at := func(s Set, i int) (w uint64) {
		if i < len(s) {
			w = s[i]
		}
		return
	}
	for i := range out {
		out[i] = op(at(a, i), at(b, i))
	}
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out
}

func (s Set) Or(o Set) Set     { return combine(s, o, func(x, y uint64) uint64 { return x | y }) }
func (s Set) And(o Set) Set    { return combine(s, o, func(x, y uint64) uint64 { return x & y }) }
func (s Set) AndNot(o Set) Set { return combine(s, o, func(x, y uint64) uint64 { return x &^ y }) }
func (s Set) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return
}

func (s Set) String() string {
	var parts []string
	prev, start := -2, -1
	flush := func() {
		switch {
		case start < 0:
		case start == prev:
			parts = append(parts, fmt.Sprint(start))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", start, prev))
		}
	}
	for n := range s.All() {
		if n != prev+1 {
			flush()
			start = n
		}
		prev = n
	}
	flush()
	return "{" + strings.Join(parts, ",") + "}"
}

func sieve(n int) (primes Set) {
	var comp Set
	for i := 2; i <= n; i++ {
		if comp.Has(i) {
			continue
		}
		primes.Add(i)
		for j := i * i; j <= n; j += i {
			comp.Add(j)
		}
	}
	return
}

func main() {
	a, b := Of(1, 2, 3, 64, 65, 200), Of(3, 4, 64, 300)
	fmt.Println(a, b, a.Or(b), a.And(b), a.AndNot(b), len(a.And(b)), a.Len())
	fmt.Println(a.Add(5), a.Add(5), a.Has(5), a.Has(6), a.Has(9999), Set(nil), Set(nil).Len())
	p := sieve(130)
	fmt.Println(p.Len(), p, slices.Max(slices.Collect(p.All())))
	for n := range p.AndNot(Of(2, 3, 5)).All() {
		if n > 20 {
			break
		}
		fmt.Print(n, " ")
	}
	fmt.Printf("%v %d %x %T\n", Of(0, 63), Of(0, 63), []uint64(Of(0, 63)), p)
	union := Set.Or
	fmt.Println(union(Of(7), Of(8)), [...]Set{Of(1), nil}, map[string]Set{"k": Of(2, 4)})
	var x uint8 = 0b1011_0000
	fmt.Printf("%08b %08b %08b %d\n", x>>3, x<<2, ^x, int8(x))
}
