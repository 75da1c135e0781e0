package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Switches become a switch without a tag over plain conditions. Where a case needs
// statements before its condition, the cases are tried in order first, and the switch
// selects by the number of the case that matched.

func (f *fn) switchStatement(s *ast.SwitchStmt, label string) {
	f.w("{\n")
	defer f.w("}\n")
	if s.Init != nil {
		f.statement(s.Init)
	}
	var tag side
	if s.Tag != nil {
		f.mark(s.Tag)
		f.noteCalls(s.Tag)
		tag.typ = types.Default(f.typeOf(s.Tag))
		tag.text = f.hoist(f.to(s.Tag, tag.typ), f.p.typ(tag.typ))
	}
	f.cases(s.Body.List, label, func(x ast.Expr) string {
		if s.Tag == nil && isInterface(f.typeOf(x)) {
			return f.equal(side{"true", types.Typ[types.Bool], false}, f.side(x, x), token.EQL)
		}
		if s.Tag == nil {
			return f.condition(x)
		}
		return f.equal(tag, f.side(x, s.Tag), token.EQL)
	}, nil)
}

// cases emits the clauses of a switch. test emits the condition of one case expression.
// enter, if not nil, begins a clause's body, which may be in another function.
func (f *fn) cases(list []ast.Stmt, label string, test func(ast.Expr) string, enter func(*ast.CaseClause, *fn, *enclosure)) {
	falls, selected := fallsFromDefault(list), ""
	if !falls {
		// After a default, the interpreter takes a case of several alternatives even if one
		// before it is selected.
		i := slices.IndexFunc(list, func(c ast.Stmt) bool { return c.(*ast.CaseClause).List == nil })
		if i >= 0 {
			list = slices.Concat(list[:i], list[i+1:], list[i:i+1])
		}
	}
	conds := make([]string, len(list))
	if falls || f.casesNeedStatements(list, test) {
		selected = f.hoist("-1", "int")
	}
	for i, c := range list {
		c := c.(*ast.CaseClause)
		if selected != "" {
			for _, x := range c.List {
				f.w("if %s < 0 {\n", selected)
				if f.canFail(x) {
					f.noteLine(x)
				}
				f.noteCalls(x)
				cond := test(x)
				f.w("if %s {\n%s = %d\n}\n}\n", cond, selected, i)
			}
			conds[i] = fmt.Sprintf("%s == %d", selected, i)
			continue
		}
		var alternatives []string
		for _, x := range c.List {
			f.noteCalls(x)
			alternatives = append(alternatives, test(x))
		}
		conds[i] = strings.Join(alternatives, " || ")
	}
	if selected != "" {
		for i, c := range list {
			if c.(*ast.CaseClause).List == nil {
				f.w("if %s < 0 {\n%s = %d\n}\n", selected, selected, i)
				conds[i] = fmt.Sprintf("%s == %d", selected, i)
			}
		}
	}
	f.writeLabel(label)
	f.w("switch {\n")
	f.push(&target{kind: switchBody, label: label})
	for i, c := range list {
		c := c.(*ast.CaseClause)
		if c.List == nil && selected == "" {
			f.w("default:\n")
		} else {
			// Without parentheses: the interpreter fails where a goto leads back over a
			// parenthesized case.
			f.w("case %s:\n", bare(conds[i]))
		}
		var begin func(*fn, *enclosure)
		if enter != nil {
			begin = func(f *fn, e *enclosure) { enter(c, f, e) }
		}
		f.arm(c, &ast.BlockStmt{Lbrace: c.Colon, List: c.Body, Rbrace: c.End()}, begin)
	}
	f.pop()
	f.w("}\n")
}

// fallsFromDefault reports whether there is a default clause and a fallthrough. The
// interpreter tries default last and cannot fall through from it.
func fallsFromDefault(list []ast.Stmt) bool {
	hasDefault, falls := false, false
	for _, c := range list {
		c := c.(*ast.CaseClause)
		hasDefault = hasDefault || c.List == nil
		if n := len(c.Body); n > 0 {
			b, ok := c.Body[n-1].(*ast.BranchStmt)
			falls = falls || ok && b.Tok == token.FALLTHROUGH
		}
	}
	return hasDefault && falls
}

// casesNeedStatements reports whether a case expression does not fit into one text.
func (f *fn) casesNeedStatements(list []ast.Stmt, test func(ast.Expr) string) bool {
	need := false
	counter := f.p.counter
	written := f.capture(func() {
		for _, c := range list {
			for _, x := range c.(*ast.CaseClause).List {
				f.noteCalls(x)
				need = need || f.hoists(x) || isGuarded(test(x))
			}
		}
	})
	if !need && written == "" {
		f.p.counter = counter
	}
	return need || written != ""
}

// typeSwitch compares type numbers: the interpreter's type switch never matches case error
// and confuses types of one shape.
func (f *fn) typeSwitch(s *ast.TypeSwitchStmt, label string) {
	f.w("{\n")
	defer f.w("}\n")
	if s.Init != nil {
		f.statement(s.Init)
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	x = ast.Unparen(x).(*ast.TypeAssertExpr).X
	from := f.typeOf(x)
	original := f.hoist(f.expr(x), f.p.typ(from))
	typ := f.p.typ(from)
	test := func(y ast.Expr) string {
		if f.isNil(y) {
			return "rt.IsNil(" + original + ")"
		}
		t := f.subst(f.unit.info.TypeOf(y))
		if isInterface(t) {
			return fmt.Sprintf("rt.Implements(%s, %d)", original, f.p.number(t))
		}
		return fmt.Sprintf("rt.IsType(%s, %d)", original, f.p.number(t))
	}
	if types, index := f.caseTypes(s); len(types) > 2 { // finding the case at once costs as much as two tests
		table := f.p.fresh("types")
		fmt.Fprintf(&f.p.inits, "var %s []int = []int{%s}\n", table, strings.Join(types, ", "))
		found := f.hoist(fmt.Sprintf("rt.TypeCase(%s, %s)", original, table), "int")
		test = func(y ast.Expr) string { return fmt.Sprintf("%s == %d", found, index[y]) }
	}
	f.cases(s.Body.List, label, test, func(c *ast.CaseClause, g *fn, e *enclosure) {
		v, ok := f.unit.info.Implicits[c].(*types.Var)
		if !ok {
			return
		}
		if len(c.List) != 1 || f.isNil(c.List[0]) {
			g.define(v, e.take(original, typ))
			return
		}
		t := f.subst(f.unit.info.TypeOf(c.List[0]))
		held := e.take(original, typ)
		switch t.Underlying().(type) {
		case *types.Basic, *types.Pointer, *types.Struct:
			g.define(v, f.p.unboxed(t, held))
		default:
			g.define(v, fmt.Sprintf("%s(%s, 0)", f.p.asserter(t, from, false), held))
		}
	})
}

// caseTypes returns the numbers of the types in a type switch, 0 for nil, and the index of
// each in that list.
func (f *fn) caseTypes(s *ast.TypeSwitchStmt) (numbers []string, index map[ast.Expr]int) {
	index = map[ast.Expr]int{}
	for _, c := range s.Body.List {
		for _, y := range c.(*ast.CaseClause).List {
			n := 0
			if !f.isNil(y) {
				n = f.p.number(f.subst(f.unit.info.TypeOf(y)))
			}
			index[y] = len(numbers)
			numbers = append(numbers, fmt.Sprint(n))
		}
	}
	return numbers, index
}
