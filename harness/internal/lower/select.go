package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// selectStatement lets the run-time library select, and runs the chosen body in a switch
// after it. In a select of the interpreter, a break below an if leaves the enclosing loop,
// and channels of unnamed types cannot be used.
//
//	select {                           t_1, t_2, t_3 := rt.Select([]rt.Case{rt.Receiving(c), rt.Sending(d, 1)}, false)
//	case v := <-c: …                   switch {
//	case d <- 1: …                     case t_1 == 0: var v_4 int = t_2.(int) …
//	}                                  case t_1 == 1: …
func (f *fn) selectStatement(s *ast.SelectStmt, label string) {
	f.w("{\n")
	defer f.w("}\n")
	var cases []string
	numbers := make([]int, len(s.Body.List))
	for i, c := range s.Body.List {
		c := c.(*ast.CommClause)
		numbers[i] = -1 // default
		if c.Comm != nil {
			numbers[i] = len(cases)
			cases = append(cases, f.hoist(f.comm(c.Comm), "rt.Case"))
		}
	}
	chosen, value, ok := f.p.fresh("t"), f.p.fresh("t"), f.p.fresh("t")
	f.noteLine(s)
	f.w("%s, %s, %s := rt.Select([]rt.Case{%s}, %t)\n", chosen, value, ok, strings.Join(cases, ", "), len(cases) < len(s.Body.List))
	f.writeLabel(label)
	f.w("switch {\n")
	f.push(&target{kind: switchBody, label: label})
	for i, c := range s.Body.List {
		c := c.(*ast.CommClause)
		f.w("case %s == %d:\n", chosen, numbers[i])
		if a, isAssign := c.Comm.(*ast.AssignStmt); isAssign {
			f.receivedInto(a, value, ok)
		}
		f.statements(c.Body)
	}
	f.pop()
	f.w("}\n")
}

// comm emits the rt.Case of a clause, with its operands evaluated.
func (f *fn) comm(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.SendStmt:
		elem := f.typeOf(s.Chan).Underlying().(*types.Chan).Elem()
		ch, v := f.sent(s, elem)
		return "rt.Sending(" + ch + ", " + v + ")"
	case *ast.ExprStmt:
		return "rt.Receiving(" + f.channel(ast.Unparen(s.X).(*ast.UnaryExpr).X) + ")"
	}
	return "rt.Receiving(" + f.channel(ast.Unparen(s.(*ast.AssignStmt).Rhs[0]).(*ast.UnaryExpr).X) + ")"
}

// sent emits a channel and the value that is sent to it.
func (f *fn) sent(s *ast.SendStmt, elem types.Type) (ch, v string) {
	t := f.typeOf(s.Chan)
	o := f.operands(operand{s.Chan, nil}, operand{s.Value, elem})
	return f.hoist(f.core(o[0], t), f.p.typ(t.Underlying())), o[1]
}

// receivedInto assigns the result of a receive.
func (f *fn) receivedInto(a *ast.AssignStmt, received, ok string) {
	t := f.typeOf(ast.Unparen(a.Rhs[0]).(*ast.UnaryExpr).X).Underlying().(*types.Chan).Elem()
	values := []value{{f.p.fromAny(received, t), t, nil}, {ok, types.Typ[types.Bool], nil}}
	f.store(a.Lhs, f.places(a.Lhs, a.Tok == token.DEFINE), values[:len(a.Lhs)])
}

// fromAny extracts a value of the erased form of t from a generated any.
func (p *program) fromAny(text string, t types.Type) string {
	switch {
	case p.keepsInterface(t):
		return p.adapt(t, text)
	case p.typ(t) == "any":
		return text
	case isEmptyStruct(t):
		return p.null(t)
	}
	return fmt.Sprintf("%s.(%s)", text, p.typ(t))
}
