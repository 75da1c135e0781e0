package main

import (
	"encoding/json"
	"fmt"
	"sort"
)

func Process[K comparable, V any](m map[K]V, less func(a, b K) bool) any {
	type color int
	const (
		red color = iota
		green
	)
	type row struct {
		C   color
		Tag string `json:"tag"`
	}
	type pair struct {
		row
		K K
		V *V
	}
	var ps []pair
	for k, v := range m {
		ps = append(ps, pair{row{green, "t"}, k, &v})
	}
	sort.Slice(ps, func(i, j int) bool { return less(ps[i].K, ps[j].K) })
	byC := map[color][]row{red: {{C: red}}, green: nil}
	f := func(r row) (out row) {
		type deep struct{ R row }
		d := deep{r}
		defer func() { out = d.R }()
		d.R.C++
		return
	}
	var x any = f(row{})
	switch x := x.(type) {
	case row:
		fmt.Println("row", x.C == green, x)
	default:
		fmt.Println("other")
	}
	b, err := json.Marshal(ps[0].row)
	fmt.Println(string(b), err, len(byC), ps[0].K, *ps[0].V, ps[0].C)
	fmt.Printf("%T %T %v\n", ps[0].row, red, byC)
	var r2 row
	fmt.Println(json.Unmarshal([]byte(`{"C":1,"tag":"z"}`), &r2), r2, r2 == row{1, "z"})
	ch := make(chan row, 1)
	ch <- r2
	got, ok := <-ch
	fmt.Println(got, ok)
	arr := [...]color{green: 7}
	fmt.Println(arr, len(arr))
	return row{C: 5}
}

type Box[T any] struct{ v T }

func (b Box[T]) Kind() any {
	type local struct{ n int }
	return local{1}
}

func rec[T any](n int, prev any) bool {
	type me struct{ n int }
	if p, ok := prev.(me); ok && n > 0 {
		return p.n == n-1
	}
	return rec[T](n+1, me{n})
}

func main() {
	a := Process(map[string]int{"b": 1, "a": 2}, func(a, b string) bool { return a < b })
	b := Process(map[int]bool{2: true}, func(a, b int) bool { return a < b })
	c := Process(map[string]int{"z": 1}, func(a, b string) bool { return a < b })
	fmt.Println(a == b, a == c)
	fmt.Printf("%T %T %+v\n", a, b, a)
	fmt.Println(Box[int]{}.Kind() == Box[string]{}.Kind(), Box[int]{}.Kind() == Box[int]{}.Kind())
	fmt.Printf("%T\n", Box[[]int]{}.Kind())
	fmt.Println(rec[int](0, nil))
}
