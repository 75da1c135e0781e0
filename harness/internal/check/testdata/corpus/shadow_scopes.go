// Shadowing everywhere: if/else chains, switch inits, closures over loop variables, redeclared universe names.
package main

import (
	"errors"
	"fmt"
	"strconv"
)

type string_ = string

func atoi(s string) (n int, err error) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, nil
	} else if n, err := strconv.ParseInt(s, 16, 64); err == nil {
		return int(n), nil
	} else if f, err := strconv.ParseFloat(s, 64); err == nil {
		n := int(f * 10)
		return n, errors.New("rounded")
	}
	return n, fmt.Errorf("bad %q: %w", s, strconv.ErrSyntax)
}

func universe() (out []any) {
	len := func(x any) int { return 42 }
	out = append(out, len("abc"))
	{
		true := false
		nil := "nil!"
		out = append(out, true, nil)
		type int struct{ v float64 }
		x := int{1.5}
		out = append(out, x)
	}
	new := func(i int) *int { return &i }
	copy := *new(3)
	string := func(r rune) string_ { return "<" + fmt.Sprint(r) + ">" }
	out = append(out, copy, string('A'))
	for max := range 3 {
		min := max * max
		out = append(out, min)
	}
	iota := 5
	out = append(out, iota)
	return
}

func closures() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for i := range fs {
		i := i * 2
		fs = append(fs, func() int { i++; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), " ", f(), "; ")
	}
	fmt.Println()
	var ptrs []*int
	for i := 0; i < 6; i++ {
		ptrs = append(ptrs, &i)
		if i%2 == 0 {
			i++
		}
	}
	for _, p := range ptrs {
		fmt.Print(*p, " ")
	}
	fmt.Println(len(ptrs))
	var setters [3]func(string)
	words := [3]string{"a", "b", "c"}
	for i, w := range words {
		setters[i] = func(s string) { w += s; words[i] = w }
		words[2] = "changed"
	}
	for _, set := range setters {
		set("!")
		set("?")
	}
	fmt.Println(words)
}

func gensum() func() func(int) int {
	total := 0
	return func() func(int) int {
		base := total
		total += 100
		return func(n int) int {
			base, n := base+n, n*2
			total += n
			return base + n
		}
	}
}

func main() {
	for _, s := range []string{"12", "ff", "2.55", "zz"} {
		fmt.Println(atoi(s))
	}
	fmt.Println(universe()...)
	closures()
	g := gensum()
	a, b := g(), g()
	fmt.Println(a(1), b(1), a(2), g()(0))
	x := 1
	{
		x, y := x+1, x
		x, z := x+y, 5
		fmt.Println(x, y, z)
	}
	switch x := any(x).(type) {
	case int:
		x++
		fmt.Println("inner", x)
	}
	if x := x * 2; x > 1 {
		x := fmt.Sprintf("s%d", x)
		defer func(x string) { fmt.Println("deferred", x) }(x)
		x = "late"
		defer func() { fmt.Println("deferred closure", x) }()
		x += "r"
	} else {
		fmt.Println(x)
	}
	fmt.Println("outer", x)
	err := errors.New("outer")
	for range 2 {
		_, err := strconv.Atoi("q")
		if err, ok := errors.AsType[*strconv.NumError](err); ok {
			fmt.Println(err.Func, err.Num, err.Err)
		}
	}
	fmt.Println(err)
}
