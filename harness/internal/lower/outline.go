package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// Parts of functions. A call costs a variable for each operation in the function's text,
// whether it runs or not. So in a long function, clauses of a switch and blocks of an if
// that return become functions of their own:
//
//	switch n := e.(type) {               switch {
//	case *Add:                           case rt.IsType(e_1, 4):
//		l, err := eval(n.L, env)             return part_7(e_1, env_2)
//		if err != nil {                  case rt.IsType(e_1, 5):
//			return 0, err                    return part_8(e_1)
//		}                                …
//		…                                }
//		return l + r, nil
//	case *Neg:
//		…
//	}
//
// They get variables as closures do.

const (
	partWeight   = 12 // minimum number of nodes of a block that becomes a part
	othersWeight = 40 // minimum number of nodes of the other parts
)

// plan chooses the blocks of a function that become functions.
func (f *fn) plan(body *ast.BlockStmt) {
	if f.nested > 0 || f.usage.defers[body] || f.usage.recovers[body] || len(f.usage.gotos) > 0 {
		return
	}
	f.outerBody = body
	weights, sum := map[ast.Node]int{}, 0
	isPart := func(n ast.Node, list []ast.Stmt) bool {
		w := weight(n)
		if w < partWeight || !endsByReturn(list) {
			return false
		}
		weights[n] = w
		sum += w
		return true
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			return !isIterator(f.typeOf(n.X)) // whose body is a closure
		case *ast.CaseClause:
			return !isPart(n, n.Body)
		case *ast.IfStmt:
			isPart(n.Body, n.Body.List)
		case *ast.BlockStmt:
			return weights[n] == 0
		}
		return true
	})
	f.parts = map[ast.Node]bool{}
	for n, w := range weights {
		f.parts[n] = sum-w >= othersWeight
	}
}

// endsByReturn reports whether control leaves a list of statements only by return,
// including at its end.
func endsByReturn(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].(*ast.ReturnStmt)
	e := exitsOf(&ast.BlockStmt{List: list})
	return ok && !e.breaks && !e.continues && !e.labels
}

// weight returns the approximate number of operations of a node in the interpreter.
func weight(n ast.Node) int {
	count := 0
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Ident, *ast.BasicLit, *ast.BlockStmt, *ast.ExprStmt:
		default:
			count++
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
	return count
}

// exits says how control leaves a block other than at its end.
type exits struct {
	returns, breaks, continues bool
	labels                     bool // by a branch that names a label
}

func exitsOf(block *ast.BlockStmt) exits {
	var e exits
	var walk func(n ast.Node, inLoop, inSwitch bool)
	walk = func(n ast.Node, inLoop, inSwitch bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				walk(m, true, false)
				return false
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				walk(m, inLoop, true)
				return false
			case *ast.ReturnStmt:
				e.returns = true
			case *ast.BranchStmt:
				switch {
				case m.Label != nil:
					e.labels = true
				case m.Tok == token.CONTINUE:
					e.continues = e.continues || !inLoop
				default: // break, or fallthrough
					e.breaks = e.breaks || !inLoop && !inSwitch
				}
			}
			return true
		})
	}
	walk(block, false, false)
	return e
}

// arm emits a block, or the call of the function that the block has become. body is the
// body of n. begin, if not nil, emits the first statements; its e is nil if the block
// stays.
func (f *fn) arm(n ast.Node, body *ast.BlockStmt, begin func(f *fn, e *enclosure)) {
	g, e := f, (*enclosure)(nil)
	if f.parts[n] {
		e = f.encloseSame(body)
		g = e.inner
		g.nested, g.lowered, g.literals = f.nested, f.p.fresh("part"), f.literals
	}
	if begin != nil {
		begin(g, e)
	}
	g.statements(body.List)
	if e == nil {
		return
	}
	f.literals = g.literals
	fmt.Fprintf(&f.p.funcs, "\nfunc %s(%s) %s {\n%s}\n", g.lowered, strings.Join(e.params, ", "), f.resultList(), g.out.String())
	g.describe(f.outerBody)
	part := f.p.out.Funcs[g.lowered]
	part.Part = true
	f.p.out.Funcs[g.lowered] = part
	f.w("%s%s(%s)\n%s", returns(f.sig), g.lowered, strings.Join(e.args, ", "), returnsNothing(f.sig))
}
