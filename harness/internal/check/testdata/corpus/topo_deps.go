// Dependency resolver: versions, cycles found with coloured DFS, layers.
package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type color uint8

const (
	white color = iota
	grey
	black
)

func (c color) String() string { return [...]string{"white", "grey", "black"}[c] }

type CycleError []string

func (c CycleError) Error() string { return "cycle: " + strings.Join(c, " > ") }

type MissingError struct{ Pkg, Wants string }

func (m MissingError) Error() string { return m.Pkg + " wants missing " + m.Wants }

type Deps map[string][]string

func (d Deps) Resolve(roots ...string) (order []string, err error) {
	state := make(map[string]color)
	var stack []string
	var visit func(string) error
	visit = func(n string) error {
		switch state[n] {
		case black:
			return nil
		case grey:
			i := slices.Index(stack, n)
			return CycleError(append(slices.Clone(stack[i:]), n))
		}
		state[n] = grey
		stack = append(stack, n)
		defer func() { stack = stack[:len(stack)-1] }()
		for _, m := range d[n] {
			if _, ok := d[m]; !ok {
				return MissingError{n, m}
			}
			if err := visit(m); err != nil {
				return err
			}
		}
		state[n] = black
		order = append(order, n)
		return nil
	}
	var errs []error
	for _, r := range roots {
		if err := visit(r); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r, err))
		}
	}
	return order, errors.Join(errs...)
}

func (d Deps) Layers() [][]string {
	indeg := map[string]int{}
	users := map[string][]string{}
	for n, ds := range d {
		indeg[n] += len(ds)
		for _, m := range ds {
			users[m] = append(users[m], n)
		}
	}
	var layers [][]string
	ready := slices.Sorted(func(yield func(string) bool) {
		for n, k := range indeg {
			if k == 0 && !yield(n) {
				return
			}
		}
	})
	for len(ready) > 0 {
		layers = append(layers, ready)
		var next []string
		for _, n := range ready {
			for _, u := range users[n] {
				if indeg[u]--; indeg[u] == 0 {
					next = append(next, u)
				}
			}
		}
		slices.Sort(next)
		ready = next
	}
	return layers
}

func main() {
	d := Deps{
		"app":   {"web", "db", "log"},
		"web":   {"http", "log"},
		"http":  {"net"},
		"db":    {"net", "log"},
		"net":   nil,
		"log":   {},
		"loopA": {"loopB"},
		"loopB": {"loopC", "log"},
		"loopC": {"loopA"},
		"bad":   {"log", "ghost"},
	}
	order, err := d.Resolve("app")
	fmt.Println(order, err)
	order, err = d.Resolve("web", "loopB", "bad", "db")
	fmt.Println("partial:", order)
	fmt.Println(err)
	var ce CycleError
	if errors.As(err, &ce) {
		fmt.Printf("%d %q\n", len(ce), []string(ce))
	}
	if me, ok := errors.AsType[MissingError](err); ok {
		fmt.Printf("%+v\n", me)
	}
	for i, l := range d.Layers() {
		fmt.Printf("layer %d: %s\n", i, strings.Join(l, ", "))
	}
	maps.DeleteFunc(d, func(k string, v []string) bool { return strings.HasPrefix(k, "loop") || k == "bad" })
	fmt.Println(len(d), len(d.Layers()))
	fmt.Println(white, grey, black, []color{black, white})
}
