// An AST with visitors: printing, folding, generic Walk, double dispatch and pointer identity maps.
package main

import (
	"errors"
	"fmt"
	"strings"
)

type Visitor[R any] interface {
	VisitNum(*Num) R
	VisitBin(*Bin) R
	VisitLet(*Let) R
	VisitVar(*Var) R
}

type Node interface {
	Children() []Node
	fmt.Stringer
}

type (
	Num struct{ V int }
	Var struct{ Name string }
	Bin struct {
		Op   rune
		L, R Node
	}
	Let struct {
		Name       string
		Init, Body Node
	}
)

func (*Num) Children() []Node   { return nil }
func (*Var) Children() []Node   { return nil }
func (b *Bin) Children() []Node { return []Node{b.L, b.R} }
func (l *Let) Children() []Node { return []Node{l.Init, l.Body} }
func (n *Num) String() string   { return fmt.Sprint(n.V) }
func (v *Var) String() string   { return v.Name }
func (b *Bin) String() string   { return fmt.Sprintf("(%v %c %v)", b.L, b.Op, b.R) }
func (l *Let) String() string   { return fmt.Sprintf("let %s=%v in %v", l.Name, l.Init, l.Body) }

func Accept[R any](n Node, v Visitor[R]) R {
	switch n := n.(type) {
	case *Num:
		return v.VisitNum(n)
	case *Bin:
		return v.VisitBin(n)
	case *Let:
		return v.VisitLet(n)
	case *Var:
		return v.VisitVar(n)
	default:
		panic(fmt.Sprintf("unexpected %T", n))
	}
}

type evaluator struct{ scope []map[string]int }

var errUndef = errors.New("undefined")

func (e *evaluator) VisitNum(n *Num) int { return n.V }
func (e *evaluator) VisitVar(v *Var) int {
	for i := len(e.scope) - 1; i >= 0; i-- {
		if x, ok := e.scope[i][v.Name]; ok {
			return x
		}
	}
	panic(fmt.Errorf("%s: %w", v.Name, errUndef))
}
func (e *evaluator) VisitBin(b *Bin) int {
	l, r := Accept(b.L, e), Accept(b.R, e)
	switch b.Op {
	case '+':
		return l + r
	case '*':
		return l * r
	case '/':
		return l / r
	}
	panic(b.Op)
}
func (e *evaluator) VisitLet(l *Let) int {
	e.scope = append(e.scope, map[string]int{l.Name: Accept(l.Init, e)})
	defer func() { e.scope = e.scope[:len(e.scope)-1] }()
	return Accept(l.Body, e)
}

type rpn struct{}

func (rpn) VisitNum(n *Num) string { return n.String() }
func (rpn) VisitVar(v *Var) string { return "$" + v.Name }
func (r rpn) VisitBin(b *Bin) string {
	return strings.Join([]string{Accept(b.L, Visitor[string](r)), Accept(b.R, Visitor[string](r)), string(b.Op)}, " ")
}
func (r rpn) VisitLet(l *Let) string {
	return Accept[string](l.Init, r) + " @" + l.Name + " " + Accept[string](l.Body, r)
}

func Walk(n Node, f func(Node, int) bool) { walk(n, 0, f) }
func walk(n Node, depth int, f func(Node, int) bool) {
	if !f(n, depth) {
		return
	}
	for _, c := range n.Children() {
		walk(c, depth+1, f)
	}
}

func Rewrite(n Node, f func(Node) Node) Node {
	switch x := n.(type) {
	case *Bin:
		cp := *x
		cp.L, cp.R = Rewrite(x.L, f), Rewrite(x.R, f)
		n = &cp
	case *Let:
		n = &Let{x.Name, Rewrite(x.Init, f), Rewrite(x.Body, f)}
	}
	return f(n)
}

func fold(n Node) Node {
	b, ok := n.(*Bin)
	if !ok {
		return n
	}
	l, lok := b.L.(*Num)
	r, rok := b.R.(*Num)
	switch {
	case lok && rok && b.Op != '/':
		return &Num{Accept(n, Visitor[int](&evaluator{}))}
	case lok && l.V == 1 && b.Op == '*':
		return b.R
	case rok && r.V == 0 && b.Op == '*':
		return r
	}
	return b
}

func Eval(n Node) (v int, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = r
		case rune:
			err = fmt.Errorf("bad operator %q", r)
		default:
			err = fmt.Errorf("%v", r)
		}
	}()
	return Accept[int](n, &evaluator{}), nil
}

func main() {
	x := &Var{"x"}
	tree := &Let{"x", &Bin{'+', &Num{2}, &Num{3}}, &Bin{'*', &Bin{'*', &Num{1}, x}, &Let{"y", &Num{4}, &Bin{'+', x, &Var{"y"}}}}}
	fmt.Println(tree)
	fmt.Println(Eval(tree))
	fmt.Println(Accept[string](tree, rpn{}))
	small := Rewrite(tree, fold)
	fmt.Println(small, "|", tree)
	fmt.Println(Eval(small))
	seen := map[Node]int{}
	Walk(tree, func(n Node, d int) bool {
		seen[n]++
		if _, isLet := n.(*Let); isLet && d > 0 {
			fmt.Println("skip", n, d)
			return false
		}
		return true
	})
	fmt.Println(len(seen), seen[x])
	for _, bad := range []Node{&Bin{'/', &Num{1}, &Num{0}}, &Bin{'?', x, x}, &Bin{'?', &Num{1}, &Num{1}}, &Bin{'+', nil, nil}} {
		_, err := Eval(bad)
		fmt.Println(err, errors.Is(err, errUndef))
	}
}
