package main

import (
	"fmt"
	"sort"
	"strings"
)

// A tiny Hindley-Milner type checker.
type Type interface {
	apply(s subst) Type
	ftv(set map[int]bool)
	String() string
}
type (
	TVar  int
	TCon  string
	TFun  struct{ From, To Type }
	TList struct{ Elem Type }
)
type subst map[int]Type
type scheme struct {
	vars []int
	t    Type
}

func (v TVar) apply(s subst) Type {
	if t, ok := s[int(v)]; ok {
		return t.apply(s)
	}
	return v
}
func (c TCon) apply(subst) Type    { return c }
func (f *TFun) apply(s subst) Type { return &TFun{f.From.apply(s), f.To.apply(s)} }
func (l TList) apply(s subst) Type { return TList{l.Elem.apply(s)} }

func (v TVar) ftv(m map[int]bool)  { m[int(v)] = true }
func (TCon) ftv(map[int]bool)      {}
func (f *TFun) ftv(m map[int]bool) { f.From.ftv(m); f.To.ftv(m) }
func (l TList) ftv(m map[int]bool) { l.Elem.ftv(m) }

func (v TVar) String() string { return string(rune('a' + int(v)%26)) }
func (c TCon) String() string { return string(c) }
func (f *TFun) String() string {
	if _, ok := f.From.(*TFun); ok {
		return "(" + f.From.String() + ") -> " + f.To.String()
	}
	return f.From.String() + " -> " + f.To.String()
}
func (l TList) String() string { return "[" + l.Elem.String() + "]" }

type Expr interface{ infer(*checker, env) Type }
type env map[string]scheme
type (
	EVar string
	ELam struct {
		P string
		B Expr
	}
	EApp struct{ F, X Expr }
	ELet struct {
		N    string
		X, B Expr
	}
	ELit struct{ V any }
)

type checker struct {
	next int
	s    subst
}
type typeError struct{ msg string }

func (c *checker) fresh() TVar { c.next++; return TVar(c.next - 1) }
func (c *checker) unify(a, b Type) {
	a, b = a.apply(c.s), b.apply(c.s)
	switch x := a.(type) {
	case TVar:
		if a == b {
			return
		}
		m := map[int]bool{}
		b.ftv(m)
		if m[int(x)] {
			panic(typeError{fmt.Sprintf("infinite type %v = %v", a, b)})
		}
		c.s[int(x)] = b
		return
	case *TFun:
		if y, ok := b.(*TFun); ok {
			c.unify(x.From, y.From)
			c.unify(x.To, y.To)
			return
		}
	case TList:
		if y, ok := b.(TList); ok {
			c.unify(x.Elem, y.Elem)
			return
		}
	}
	if _, ok := b.(TVar); ok {
		c.unify(b, a)
		return
	}
	if a != b {
		panic(typeError{fmt.Sprintf("cannot unify %v with %v", a, b)})
	}
}

func (v EVar) infer(c *checker, e env) Type {
	sc, ok := e[string(v)]
	if !ok {
		panic(typeError{"unbound " + string(v)})
	}
	s := subst{}
	for _, tv := range sc.vars {
		s[tv] = c.fresh()
	}
	return sc.t.apply(s)
}
func (l ELam) infer(c *checker, e env) Type {
	tv := c.fresh()
	ne := make(env, len(e)+1)
	for k, v := range e {
		ne[k] = v
	}
	ne[l.P] = scheme{t: tv}
	return &TFun{tv, l.B.infer(c, ne)}
}
func (a EApp) infer(c *checker, e env) Type {
	ft, xt, r := a.F.infer(c, e), a.X.infer(c, e), c.fresh()
	c.unify(ft, &TFun{xt, r})
	return r
}
func (l ELet) infer(c *checker, e env) Type {
	t := l.X.infer(c, e).apply(c.s)
	free, bound := map[int]bool{}, map[int]bool{}
	t.ftv(free)
	for _, sc := range e {
		sc.t.apply(c.s).ftv(bound)
	}
	var vars []int
	for v := range free {
		if !bound[v] {
			vars = append(vars, v)
		}
	}
	sort.Ints(vars)
	ne := env{l.N: {vars, t}}
	for k, v := range e {
		if k != l.N {
			ne[k] = v
		}
	}
	return l.B.infer(c, ne)
}
func (l ELit) infer(*checker, env) Type {
	switch l.V.(type) {
	case int:
		return TCon("int")
	case bool:
		return TCon("bool")
	}
	return TCon(fmt.Sprintf("%T", l.V))
}

func typeOf(x Expr) (res string) {
	defer func() {
		if r := recover(); r != nil {
			te, ok := r.(typeError)
			if !ok {
				panic(r)
			}
			res = "error: " + te.msg
		}
	}()
	c := &checker{s: subst{}, next: 5}
	base := env{
		"inc": {t: &TFun{TCon("int"), TCon("int")}},
		"map": {[]int{0, 1}, &TFun{&TFun{TVar(0), TVar(1)}, &TFun{TList{TVar(0)}, TList{TVar(1)}}}},
		"nil": {[]int{0}, TList{TVar(0)}},
	}
	t := x.infer(c, base).apply(c.s)
	m := map[int]bool{}
	t.ftv(m)
	var ids []int
	for v := range m {
		ids = append(ids, v)
	}
	sort.Ints(ids)
	ren := subst{}
	for i, v := range ids {
		ren[v] = TCon("'" + string(rune('a'+i)))
	}
	return t.apply(ren).String()
}

func main() {
	id := ELam{"x", EVar("x")}
	for _, x := range []Expr{
		id, ELam{"f", ELam{"x", EApp{EVar("f"), EApp{EVar("f"), EVar("x")}}}}, EApp{EVar("map"), EVar("inc")},
		ELet{"i", id, EApp{EApp{EVar("i"), EVar("i")}, ELit{3}}}, ELam{"x", EApp{EVar("x"), EVar("x")}}, EApp{EVar("inc"), ELit{true}}, EVar("zz"),
		EApp{EApp{EVar("map"), ELam{"x", ELit{"s"}}}, EVar("nil")}, ELit{2.5},
	} {
		fmt.Println(typeOf(x))
	}
	fmt.Println(strings.Repeat("=", 10), TVar(27), &TFun{TCon("a"), TList{TVar(1)}})
}
