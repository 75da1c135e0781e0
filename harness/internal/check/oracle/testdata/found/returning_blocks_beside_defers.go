package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

var depth, maxDepth int

type node struct {
	op   string
	kids []*node
	v    float64
}

func eval(n *node, env map[string]any) (res any, err error) {
	depth++
	maxDepth = max(maxDepth, depth)
	defer func() { depth-- }()
	switch n.op {
	case "num":
		return n.v, nil
	case "add":
		sum := 0.0
		for _, k := range n.kids {
			v, err := eval(k, env)
			if err != nil {
				return nil, fmt.Errorf("add at %d: %w", depth, err)
			}
			f, ok := v.(float64)
			if !ok {
				return nil, fmt.Errorf("not a number: %v %T", v, v)
			}
			sum += f
		}
		return sum, nil
	case "neg":
		v, err := eval(n.kids[0], env)
		if err != nil {
			return nil, err
		}
		f, ok := v.(float64)
		if !ok {
			return nil, errors.New("neg of " + fmt.Sprint(v))
		}
		return -f, nil
	case "cat":
		var sb strings.Builder
		for i, k := range n.kids {
			v, e := eval(k, env)
			if e != nil {
				err = e
				return
			}
			fmt.Fprint(&sb, i, ":", v, ";")
		}
		res = sb.String()
		return
	case "fn":
		captured := n.v
		f := func(x float64) float64 { captured += x; return captured }
		env["f"] = f
		return f(1) + f(2), nil
	case "panic":
		xs := []int{1, 2, 3}
		i := int(n.v)
		fmt.Println("about to", i, depth)
		return xs[i], nil
	case "die":
		a := fmt.Sprint(n.v, depth)
		b := strings.Repeat(a, 2)
		panic(errors.New("died " + b))
	case "f":
		f, ok := env["f"].(func(float64) float64)
		if !ok {
			err = fmt.Errorf("no f in %d", len(env))
			return -1, err
		}
		return f(n.v), err
	}
	return nil, fmt.Errorf("unknown %q", n.op)
}

type m struct {
	log []string
	n   int
}

func (x *m) run(k int) (out string) {
	old := x.n
	x.n = k
	defer func() { x.n = old; x.log = append(x.log, fmt.Sprint("end ", k, old)) }()
	if k > 5 {
		a := k * 2
		b := x.n + a
		s := fmt.Sprint(a, b, len(x.log))
		x.log = append(x.log, s)
		return s + "!"
	}
	if k > 3 {
		out = fmt.Sprint(k, x.n, old)
		for i := range k {
			out += x.run(i)[:1]
			x.log = append(x.log, out)
		}
		return
	}
	switch {
	case k == 1:
		y := x.run(8) + x.run(9)
		z := strings.ToUpper(y)
		return z + fmt.Sprint(x.n, len(z))
	case k == 2:
		v := k
		p := &v
		*p += 3
		g := func() int { v++; return v }
		return fmt.Sprint(g(), g(), v, *p)
	}
	return fmt.Sprint("small ", k)
}

func local(k int) (int, float64) {
	x, z := k, 0.0
	defer func() { fmt.Println("x is", x, "z", z, 1/z) }()
	if k == 1 {
		x = 10
		z = math.Copysign(0, -1)
		y := x * 3
		s := fmt.Sprint(y, x)
		fmt.Println(s)
		return y + len(s), z
	}
	if k == 2 {
		for x < 20 {
			x += 7
			if x == 16 {
				w := x * 2
				q := fmt.Sprint(w, x, w-x)
				fmt.Println(q)
				return w, -z
			}
		}
		x++
		return x, math.Copysign(0, -1)
	}
	a, b := x+1, x+2
	x = a * b
	fmt.Println(a, b)
	return a, math.Inf(-1) * z
}

func none(k int, w *strings.Builder) {
	defer w.WriteString("|")
	if k == 1 {
		a := k + 1
		b := fmt.Sprint(a, k)
		w.WriteString(b)
		w.WriteString(strings.ToUpper("one"))
		return
	}
	if k == 2 {
		a := k + 2
		b := fmt.Sprint(a, k)
		w.WriteString(b)
		w.WriteString(strings.ToUpper("two"))
	} else {
		c := fmt.Sprint(k, k*k, len(w.String()))
		w.WriteString(c)
		w.WriteString(c[:1])
	}
}

func main() {
	num := func(v float64) *node { return &node{op: "num", v: v} }
	env := map[string]any{}
	for _, n := range []*node{
		{op: "add", kids: []*node{num(1), num(2), {op: "neg", kids: []*node{num(5)}}}},
		{op: "neg", kids: []*node{num(0)}},
		{op: "add", kids: []*node{num(1), {op: "bad"}}},
		{op: "add", kids: []*node{{op: "cat"}}},
		{op: "cat", kids: []*node{num(1), num(2), {op: "fn", v: 10}}},
		{op: "cat", kids: []*node{num(1), {op: "zz"}}},
		{op: "f", v: 4}, {op: "fn", v: 1}, {op: "f", v: 4}, {op: "panic", v: 1},
	} {
		v, err := eval(n, env)
		fmt.Println(v, err, depth, maxDepth)
	}
	for _, n := range []*node{{op: "panic", v: 7}, {op: "add", kids: []*node{num(1), {op: "die"}}}} {
		func() {
			defer func() { fmt.Println("recovered:", recover(), depth) }()
			eval(n, env)
		}()
	}
	x := &m{}
	for k := range 8 {
		fmt.Println(x.run(k), x.n)
	}
	fmt.Println(strings.Join(x.log, "\n"))
	for k := range 3 {
		a, z := local(k)
		fmt.Println(a, z, 1/z)
	}
	var w strings.Builder
	for k := range 4 {
		none(k, &w)
	}
	fmt.Println(w.String())
	defer func() { fmt.Println("at last:", recover()) }()
	eval(&node{op: "add", kids: []*node{{op: "neg", kids: []*node{{op: "die"}}}}}, env)
}
