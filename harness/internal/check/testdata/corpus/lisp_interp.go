// A small Lisp: reader, environments, closures, tail recursion by trampolining, errors with context.
package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type (
	Sym    string
	List   []any
	Fn     func(args []any) (any, error)
	Lambda struct {
		params []Sym
		body   any
		env    *Env
	}
	Env struct {
		vars  map[Sym]any
		outer *Env
	}
)

func (l *Lambda) String() string { return fmt.Sprintf("<lambda/%d>", len(l.params)) }
func (Fn) String() string        { return "<builtin>" }

func (e *Env) find(s Sym) (*Env, bool) {
	for ; e != nil; e = e.outer {
		if _, ok := e.vars[s]; ok {
			return e, true
		}
	}
	return nil, false
}

var errEOF = errors.New("unexpected end")

func read(toks *[]string) (any, error) {
	if len(*toks) == 0 {
		return nil, errEOF
	}
	t := (*toks)[0]
	*toks = (*toks)[1:]
	switch t {
	case "(":
		l := List{}
		for {
			if len(*toks) == 0 {
				return l, errEOF
			}
			if (*toks)[0] == ")" {
				*toks = (*toks)[1:]
				return l, nil
			}
			x, err := read(toks)
			if err != nil {
				return l, err
			}
			l = append(l, x)
		}
	case ")":
		return nil, errors.New("unexpected )")
	case "'":
		x, err := read(toks)
		return List{Sym("quote"), x}, err
	case "#t", "#f":
		return t == "#t", nil
	}
	if n, err := strconv.Atoi(t); err == nil {
		return n, nil
	}
	return Sym(t), nil
}

func tokenize(s string) []string {
	return strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", "'", " ' ").Replace(s))
}

func truthy(v any) bool { b, ok := v.(bool); return !ok || b }

func eval(x any, env *Env) (any, error) {
	for {
		switch v := x.(type) {
		case Sym:
			e, ok := env.find(v)
			if !ok {
				return nil, fmt.Errorf("unbound: %s", v)
			}
			return e.vars[v], nil
		case List:
			if len(v) == 0 {
				return v, nil
			}
			if head, ok := v[0].(Sym); ok {
				switch head {
				case "quote":
					return v[1], nil
				case "if":
					c, err := eval(v[1], env)
					if err != nil {
						return nil, err
					}
					if truthy(c) {
						x = v[2]
					} else {
						x = v[3]
					}
					continue
				case "define":
					val, err := eval(v[2], env)
					if err != nil {
						return nil, fmt.Errorf("define %v: %w", v[1], err)
					}
					env.vars[v[1].(Sym)] = val
					return v[1], nil
				case "lambda":
					l := &Lambda{body: v[2], env: env}
					for _, p := range v[1].(List) {
						l.params = append(l.params, p.(Sym))
					}
					return l, nil
				}
			}
			vals := make([]any, len(v))
			for i, a := range v {
				var err error
				if vals[i], err = eval(a, env); err != nil {
					return nil, err
				}
			}
			switch f := vals[0].(type) {
			case Fn:
				return f(vals[1:])
			case *Lambda:
				if len(f.params) != len(vals)-1 {
					return nil, fmt.Errorf("%v called with %d args", f, len(vals)-1)
				}
				env = &Env{map[Sym]any{}, f.env}
				for i, p := range f.params {
					env.vars[p] = vals[i+1]
				}
				x = f.body
				continue
			default:
				return nil, fmt.Errorf("not callable: %v (%T)", f, f)
			}
		default:
			return v, nil
		}
	}
}

func arith(name string, f func(a, b int) int) Fn {
	return func(args []any) (res any, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%s: %v", name, r)
			}
		}()
		acc := args[0].(int)
		for _, a := range args[1:] {
			acc = f(acc, a.(int))
		}
		return acc, nil
	}
}

func show(v any) string {
	if l, ok := v.(List); ok {
		var parts []string
		for _, x := range l {
			parts = append(parts, show(x))
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	return fmt.Sprint(v)
}

func main() {
	global := &Env{vars: map[Sym]any{
		"+":    arith("+", func(a, b int) int { return a + b }),
		"-":    arith("-", func(a, b int) int { return a - b }),
		"*":    arith("*", func(a, b int) int { return a * b }),
		"/":    arith("/", func(a, b int) int { return a / b }),
		"<":    Fn(func(a []any) (any, error) { return a[0].(int) < a[1].(int), nil }),
		"list": Fn(func(a []any) (any, error) { return List(a), nil }),
		"car": Fn(func(a []any) (any, error) {
			if l, ok := a[0].(List); ok && len(l) > 0 {
				return l[0], nil
			}
			return nil, fmt.Errorf("car of %s", show(a[0]))
		}),
	}}
	for _, src := range []string{
		"(+ 1 (* 2 3) -4)",
		"(define fact (lambda (n acc) (if (< n 2) acc (fact (- n 1) (* acc n)))))",
		"(fact 20 1)",
		"(define loop (lambda (n) (if (< n 1) 'done (loop (- n 1)))))", "(loop 5000)",
		"(define adder (lambda (n) (lambda (x) (+ x n))))", "((adder 10) 5)", "(adder 1)",
		"(list 1 'a '(b (c)) #t)", "(/ 1 0)", "(+ 1 'x)", "(car '())", "(car (list (list 7) 8))", "(nope 1)", "(define q (undefined))",
		"(1 2)", "(", ")", "((lambda (x y) x) 1)", "(+)", "car",
	} {
		toks := tokenize(src)
		x, err := read(&toks)
		if err == nil {
			x, err = eval(x, global)
		}
		if err != nil {
			fmt.Println(src, "! ", err)
			continue
		}
		fmt.Println(src, "=>", show(x))
	}
}
