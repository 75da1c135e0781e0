package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type (
	Sexp    any
	Symbol  string
	Cons    []Sexp
	Builtin func(args ...Sexp) (Sexp, error)
	Lambda  struct {
		params []Symbol
		body   Sexp
		env    *Scope
	}
	Scope struct {
		vars  map[Symbol]Sexp
		outer *Scope
	}
)

var errArgs = errors.New("bad arguments")

func (s *Scope) lookup(n Symbol) (Sexp, bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.vars[n]; ok {
			return v, true
		}
	}
	return nil, false
}

func read(toks []string) (Sexp, []string, error) {
	if len(toks) == 0 {
		return nil, nil, errors.New("unexpected end")
	}
	switch t := toks[0]; t {
	case "(":
		list := Cons{}
		for toks = toks[1:]; len(toks) > 0 && toks[0] != ")"; {
			var x Sexp
			var err error
			if x, toks, err = read(toks); err != nil {
				return nil, nil, err
			}
			list = append(list, x)
		}
		if len(toks) == 0 {
			return nil, nil, errors.New("missing )")
		}
		return list, toks[1:], nil
	case ")":
		return nil, nil, errors.New("unexpected )")
	case "#t", "#f":
		return t == "#t", toks[1:], nil
	default:
		if f, err := strconv.ParseFloat(t, 64); err == nil {
			return f, toks[1:], nil
		}
		return Symbol(t), toks[1:], nil
	}
}

func eval(x Sexp, env *Scope) (Sexp, error) {
	for {
		switch v := x.(type) {
		case Symbol:
			if r, ok := env.lookup(v); ok {
				return r, nil
			}
			return nil, fmt.Errorf("unbound %s", v)
		case Cons:
			if len(v) == 0 {
				return v, nil
			}
			if head, ok := v[0].(Symbol); ok {
				switch head {
				case "quote":
					return v[1], nil
				case "if":
					c, err := eval(v[1], env)
					if err != nil {
						return nil, err
					}
					if b, isBool := c.(bool); isBool && !b {
						if len(v) < 4 {
							return Cons{}, nil
						}
						x = v[3]
					} else {
						x = v[2]
					}
					continue
				case "define":
					val, err := eval(v[2], env)
					if err != nil {
						return nil, err
					}
					env.vars[v[1].(Symbol)] = val
					return v[1], nil
				case "lambda":
					l := &Lambda{body: v[2], env: env}
					for _, p := range v[1].(Cons) {
						l.params = append(l.params, p.(Symbol))
					}
					return l, nil
				case "let":
					inner := &Scope{map[Symbol]Sexp{}, env}
					for _, b := range v[1].(Cons) {
						pair := b.(Cons)
						val, err := eval(pair[1], env)
						if err != nil {
							return nil, fmt.Errorf("let %v: %w", pair[0], err)
						}
						inner.vars[pair[0].(Symbol)] = val
					}
					x, env = v[2], inner
					continue
				}
			}
			vals := make([]Sexp, len(v))
			for i := range v {
				var err error
				if vals[i], err = eval(v[i], env); err != nil {
					return nil, err
				}
			}
			switch f := vals[0].(type) {
			case Builtin:
				return f(vals[1:]...)
			case *Lambda:
				if len(f.params) != len(vals)-1 {
					return nil, fmt.Errorf("%w: want %d, got %d", errArgs, len(f.params), len(vals)-1)
				}
				inner := &Scope{make(map[Symbol]Sexp, len(f.params)), f.env}
				for i, p := range f.params {
					inner.vars[p] = vals[i+1]
				}
				x, env = f.body, inner
				continue
			default:
				return nil, fmt.Errorf("not a function: %s (%T)", show(f), f)
			}
		default:
			return v, nil
		}
	}
}

func show(x Sexp) string {
	switch v := x.(type) {
	case Cons:
		s := make([]string, len(v))
		for i, e := range v {
			s[i] = show(e)
		}
		return "(" + strings.Join(s, " ") + ")"
	case bool:
		return map[bool]string{true: "#t", false: "#f"}[v]
	case *Lambda:
		return fmt.Sprintf("<lambda %v>", v.params)
	case Builtin:
		return "<builtin>"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(x)
}

func numeric(f func(a, b float64) Sexp) Builtin {
	return func(args ...Sexp) (Sexp, error) {
		if len(args) == 0 {
			return nil, errArgs
		}
		acc := args[0]
		for _, a := range args[1:] {
			x, ok1 := acc.(float64)
			y, ok2 := a.(float64)
			if !ok1 || !ok2 {
				return nil, fmt.Errorf("%w: %s, %s", errArgs, show(acc), show(a))
			}
			acc = f(x, y)
		}
		return acc, nil
	}
}

func main() {
	g := &Scope{vars: map[Symbol]Sexp{
		"+":    numeric(func(a, b float64) Sexp { return a + b }),
		"*":    numeric(func(a, b float64) Sexp { return a * b }),
		"-":    numeric(func(a, b float64) Sexp { return a - b }),
		"<":    numeric(func(a, b float64) Sexp { return a < b }),
		"=":    numeric(func(a, b float64) Sexp { return a == b }),
		"list": Builtin(func(args ...Sexp) (Sexp, error) { return Cons(args), nil }),
		"car":  Builtin(func(args ...Sexp) (Sexp, error) { return args[0].(Cons)[0], nil }),
		"cdr":  Builtin(func(args ...Sexp) (Sexp, error) { return args[0].(Cons)[1:], nil }),
		"null": Builtin(func(args ...Sexp) (Sexp, error) { c, ok := args[0].(Cons); return ok && len(c) == 0, nil }),
		"cons": Builtin(func(a ...Sexp) (Sexp, error) { return append(Cons{a[0]}, a[1].(Cons)...), nil }),
	}}
	for _, src := range []string{
		"(define fact (lambda (n) (if (< n 2) 1 (* n (fact (- n 1))))))", "(fact 20)",
		"(define loop (lambda (i acc) (if (= i 0) acc (loop (- i 1) (+ acc i)))))", "(loop 2000 0)",
		"(define map (lambda (f l) (if (null l) l (cons (f (car l)) (map f (cdr l))))))",
		"(map (lambda (x) (* x x)) (list 1 2 3 4.5))", "(let ((x 2) (y (+ 1 2))) (list x y (quote (a b))))",
		"((lambda (n) (lambda (m) (+ n m))) 3)", "(((lambda (n) (lambda (m) (+ n m))) 3) 4)",
		"(fact)", "(foo 1)", "(1 2)", "(+ 1 #t)", "(car (list))", "(if #f 1)", "(", ")", "+", "(let ((x zz)) x)",
	} {
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Println("panic:", r)
				}
			}()
			x, rest, err := read(strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(src)))
			if err != nil || len(rest) > 0 {
				fmt.Println("read error:", err, rest)
				return
			}
			v, err := eval(x, g)
			if err != nil {
				fmt.Printf("error: %v (args=%v)\n", err, errors.Is(err, errArgs))
				return
			}
			fmt.Println(show(v))
		}()
	}
}
