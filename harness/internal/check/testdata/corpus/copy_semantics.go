// Value semantics: arrays, structs in maps, slices aliasing, range copies, interface copies, method receivers.
package main

import (
	"fmt"
	"slices"
)

type Grid [3][3]rune

func (g Grid) With(r, c int, v rune) Grid { g[r][c] = v; return g }
func (g *Grid) Set(r, c int, v rune)      { g[r][c] = v }
func (g Grid) String() string {
	var b []byte
	for _, row := range g {
		for _, c := range row {
			if c == 0 {
				c = '.'
			}
			b = append(b, byte(c))
		}
		b = append(b, '/')
	}
	return string(b)
}

type Inner struct {
	Vals [2]int
	List []int
}
type Outer struct {
	Inner
	P *Inner
	M map[string]int
}

func mutate(o Outer) Outer {
	o.Vals[0] = 100
	o.List[0] = 100
	o.P.Vals[1] = 100
	o.M["k"] = 100
	o.List = append(o.List, 5)
	return o
}

type Counter struct{ n int }

func (c Counter) IncVal() Counter { c.n++; return c }
func (c *Counter) Inc() *Counter  { c.n++; return c }

func main() {
	var g Grid
	h := g.With(0, 0, 'x').With(1, 1, 'o')
	g.Set(2, 2, '#')
	fmt.Println(g, h, g == h, g == Grid{2: {2: '#'}})
	seen := map[Grid]int{g: 1, h: 2}
	seen[g.With(2, 2, 0)]++
	seen[Grid{}]++
	fmt.Println(len(seen), seen[Grid{}])

	o := Outer{Inner: Inner{List: []int{1, 2}}, P: &Inner{}, M: map[string]int{}}
	q := mutate(o)
	fmt.Println(o.Vals, o.List, *o.P, o.M)
	fmt.Println(q.Vals, q.List, *q.P, q.M)

	ms := map[string]Counter{"a": {1}}
	c := ms["a"]
	c.Inc().Inc()
	fmt.Println(ms["a"], c, ms["a"].IncVal(), ms["zzz"].IncVal().IncVal())
	mp := map[string]*Counter{"a": {1}}
	mp["a"].Inc()
	mp["a"].n *= 7
	fmt.Println(*mp["a"])

	arr := [3]Counter{{1}, {2}, {3}}
	for i, c := range arr {
		arr[2].n = 50
		c.Inc()
		arr[i].n += c.n
	}
	fmt.Println(arr)
	sl := arr[:]
	for i, c := range sl {
		sl[2].n = 7
		if i < 2 {
			sl = append(sl, c)
		}
	}
	fmt.Println(sl, arr)
	for i := range &arr {
		arr[i].Inc()
	}
	pa := &arr
	brr := *pa
	pa[0].n = -1
	fmt.Println(arr, brr, len(pa))

	var x any = arr
	arr[1].n = 1234
	y := x.([3]Counter)
	y[0].n = 1
	fmt.Println(x, y, x == any(y), any(arr) == any(*pa))

	base := make([]int, 3, 10)
	a1, a2 := append(base, 1), append(base, 2)
	a3 := append(slices.Clip(base), 3)
	a2[0] = 9
	fmt.Println(base, a1, a2, a3, len(base[:5]), base[:4:4])
	copy(a1[1:], a1)
	fmt.Println(a1, copy(base, []int{5, 6}), copy([]byte{1, 2}, "abc"), base)
	s := []string{"a", "b", "c", "d", "e"}
	t := append(s[:1], s[3:]...)
	fmt.Println(s, t, len(t), cap(t))

	ch := make(chan vec, 1)
	v := vec{1, 2}
	ch <- v
	v[0] = 9
	got := <-ch
	f := v.sum
	v[1] = 100
	fmt.Println(got, v, f())
	arr4 := *(*[2]int)(base[:2])
	base[0] = 77
	fmt.Println(arr4, [2]int(base[:2]))
}

type vec [2]int

func (v vec) sum() int { return v[0] + v[1] }
