package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type Expr interface {
	Accept(v Visitor) any
	fmt.Stringer
}

type Visitor interface {
	VisitNum(*Num) any
	VisitBin(*Bin) any
	VisitVar(*Ident) any
	VisitLet(*Let) any
	VisitIf(*If) any
	VisitFn(*Fn) any
	VisitApp(*App) any
}

type (
	Num   struct{ V int }
	Ident struct{ Name string }
	Bin   struct {
		Op   rune
		L, R Expr
	}
	Let struct {
		Name string
		X, B Expr
	}
	If struct{ C, T, E Expr }
	Fn struct {
		P string
		B Expr
	}
	App struct{ F, A Expr }
)

func (n *Num) Accept(v Visitor) any   { return v.VisitNum(n) }
func (n *Ident) Accept(v Visitor) any { return v.VisitVar(n) }
func (n *Bin) Accept(v Visitor) any   { return v.VisitBin(n) }
func (n *Let) Accept(v Visitor) any   { return v.VisitLet(n) }
func (n *If) Accept(v Visitor) any    { return v.VisitIf(n) }
func (n *Fn) Accept(v Visitor) any    { return v.VisitFn(n) }
func (n *App) Accept(v Visitor) any   { return v.VisitApp(n) }

func (n *Num) String() string   { return fmt.Sprint(n.V) }
func (n *Ident) String() string { return n.Name }
func (n *Bin) String() string   { return fmt.Sprintf("(%v %c %v)", n.L, n.Op, n.R) }
func (n *Let) String() string   { return fmt.Sprintf("let %s = %v in %v", n.Name, n.X, n.B) }
func (n *If) String() string    { return fmt.Sprintf("if %v then %v else %v", n.C, n.T, n.E) }
func (n *Fn) String() string    { return "λ" + n.P + "." + n.B.String() }
func (n *App) String() string   { return fmt.Sprintf("%v(%v)", n.F, n.A) }

type scope struct {
	name string
	val  any
	up   *scope
}

func (s *scope) get(name string) any {
	for ; s != nil; s = s.up {
		if s.name == name {
			return s.val
		}
	}
	panic(undefined(name))
}

type undefined string

func (u undefined) Error() string { return "undefined variable " + string(u) }

type closure struct {
	*Fn
	env *scope
}

type evaluator struct {
	env   *scope
	steps int
}

func (e *evaluator) with(name string, val any) *evaluator {
	return &evaluator{&scope{name, val, e.env}, e.steps}
}
func (e *evaluator) VisitNum(n *Num) any   { return n.V }
func (e *evaluator) VisitVar(n *Ident) any { return e.env.get(n.Name) }
func (e *evaluator) VisitBin(n *Bin) any {
	l, r := n.L.Accept(e).(int), n.R.Accept(e).(int)
	switch n.Op {
	case '+':
		return l + r
	case '*':
		return l * r
	case '-':
		return l - r
	case '/':
		return l / r
	case '<':
		return l < r
	}
	return nil
}
func (e *evaluator) VisitLet(n *Let) any {
	s := &scope{name: n.Name, up: e.env}
	s.val = n.X.Accept(&evaluator{env: s})
	return n.B.Accept(&evaluator{env: s})
}
func (e *evaluator) VisitIf(n *If) any {
	if n.C.Accept(e).(bool) {
		return n.T.Accept(e)
	}
	return n.E.Accept(e)
}
func (e *evaluator) VisitFn(n *Fn) any { return closure{n, e.env} }
func (e *evaluator) VisitApp(n *App) any {
	f := n.F.Accept(e).(closure)
	a := n.A.Accept(e)
	return f.B.Accept((&evaluator{env: f.env}).with(f.P, a))
}

type freeVars struct {
	bound map[string]int
	free  map[string]bool
}

func (f freeVars) scoped(name string, fn func()) any {
	f.bound[name]++
	defer func() { f.bound[name]-- }()
	fn()
	return nil
}
func (f freeVars) VisitNum(*Num) any { return nil }
func (f freeVars) VisitVar(n *Ident) any {
	if f.bound[n.Name] == 0 {
		f.free[n.Name] = true
	}
	return nil
}
func (f freeVars) VisitBin(n *Bin) any { n.L.Accept(f); return n.R.Accept(f) }
func (f freeVars) VisitLet(n *Let) any {
	return f.scoped(n.Name, func() { n.X.Accept(f); n.B.Accept(f) })
}
func (f freeVars) VisitIf(n *If) any {
	for _, x := range [...]Expr{n.C, n.T, n.E} {
		x.Accept(f)
	}
	return nil
}
func (f freeVars) VisitFn(n *Fn) any   { return f.scoped(n.P, func() { n.B.Accept(f) }) }
func (f freeVars) VisitApp(n *App) any { n.F.Accept(f); n.A.Accept(f); return nil }

func run(x Expr) (s string) {
	defer func() {
		if r := recover(); r != nil {
			if u, ok := r.(undefined); ok {
				s = "ERR " + u.Error()
				return
			}
			s = fmt.Sprintf("PANIC %v", r)
		}
	}()
	v := x.Accept(&evaluator{})
	return fmt.Sprintf("%v (%T)", v, v)
}

func main() {
	v := func(s string) Expr { return &Ident{s} }
	n := func(i int) Expr { return &Num{i} }
	fact := &Let{"f", &Fn{"n", &If{&Bin{'<', v("n"), n(2)}, n(1), &Bin{'*', v("n"), &App{v("f"), &Bin{'-', v("n"), n(1)}}}}}, &App{v("f"), n(10)}}
	exprs := []Expr{
		&Bin{'+', n(1), &Bin{'*', n(2), n(3)}}, fact,
		&App{&App{&Fn{"x", &Fn{"y", &Bin{'-', v("x"), v("y")}}}, n(5)}, n(8)},
		&Bin{'+', v("z"), n(1)}, &App{n(1), n(2)}, &If{n(1), n(2), n(3)}, &Bin{'+', n(1), &Bin{'<', n(1), n(2)}}, &Bin{'/', n(4), n(0)},
	}
	for _, x := range exprs {
		fv := freeVars{map[string]int{}, map[string]bool{}}
		x.Accept(fv)
		var names []string
		for k := range fv.free {
			names = append(names, k)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stdout, "%v => %s free=%s\n", x, run(x), strings.Join(names, ","))
	}
}
