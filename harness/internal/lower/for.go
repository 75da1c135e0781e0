package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"
)

// For statements. The interpreter has one variable per loop where Go has one per iteration.
// Only a loop whose variables are captured pays for that: condition, body and post
// statement work on copies, which are stored back after the body. Go makes an iteration's
// variables before its post statement, so here the post statement runs at the beginning of
// the next iteration.
//
//	for i := 0; i < n; i++ { fs = append(fs, func() int { return i }) }
//
//	var i_1 int = 0
//	var first_2 bool = true
//	for {
//		var i_3 int = i_1
//		if first_2 {
//			first_2 = false
//		} else {
//			i_3++
//		}
//		if i_3 >= n {
//			break
//		}
//		fs = append(fs, make_4(&i_3))
//		i_1 = i_3
//	}

func (f *fn) forStatement(s *ast.ForStmt, label string) {
	f.w("{\n")
	if s.Init != nil {
		f.statement(s.Init)
	}
	defer f.w("}\n")
	defer f.enterLoop()()
	t := &target{kind: loop, label: label, body: s.Body}
	copies := f.iterationVars(s)
	if len(copies) > 0 {
		f.forWithCopies(s, t, copies)
		return
	}
	t.index, t.bounds = f.bounded(s)
	cond := ""
	condBefore := ""
	f.push(t)
	if s.Cond != nil {
		condBefore = f.capture(func() {
			if f.canFail(s.Cond) {
				f.noteLine(s.Cond)
			}
			f.noteCalls(s.Cond)
			var before string
			before, cond = split(f.condition(s.Cond))
			f.w("%s", before)
		})
	}
	post := ""
	if s.Post != nil {
		post = f.capture(func() { f.statement(s.Post) })
	}
	header, simple := simplePost(post)
	if !simple {
		header = ""
		t.ahead = func() { f.w("%s", post) }
	}
	f.writeLabel(label)
	switch {
	case condBefore != "":
		f.w("for ; ; %s {\n%sif %s {\nbreak\n}\n", header, condBefore, bare(negate(cond)))
	case header == "" && cond == "":
		f.w("for {\n")
	case header == "":
		f.w("for %s {\n", bare(cond))
	default:
		f.w("for ; %s; %s {\n", bare(cond), header)
	}
	f.block(s.Body)
	if t.ahead != nil {
		t.ahead()
	}
	f.pop()
	f.w("}\n")
}

// forWithCopies emits a loop in which each iteration has its own variables.
func (f *fn) forWithCopies(s *ast.ForStmt, t *target, copies []*types.Var) {
	first := f.hoist("true", "bool")
	f.push(t)
	f.writeLabel(t.label)
	f.w("for {\n")
	outer, back := map[types.Object]variable{}, ""
	for _, v := range copies {
		outer[v] = f.vars[v]
		typ := f.p.typ(f.subst(v.Type()))
		name := f.declare(v)
		f.w("var %s %s = %s\n", name, typ, outer[v].text())
		back += outer[v].text() + " = " + name + "\n"
	}
	f.w("if %s {\n%s = false\n}", first, first)
	if s.Post != nil {
		f.w(" else {\n")
		f.statement(s.Post)
		f.w("}")
	}
	f.w("\n")
	if s.Cond != nil {
		if f.canFail(s.Cond) {
			f.noteLine(s.Cond)
		}
		f.noteCalls(s.Cond)
		before, cond := split(f.condition(s.Cond))
		f.w("%sif %s {\nbreak\n}\n", before, bare(negate(cond)))
	}
	t.ahead = func() { f.w("%s", back) }
	f.block(s.Body)
	t.ahead()
	f.pop()
	maps.Copy(f.vars, outer)
	f.w("}\n")
}

// simplePost returns a post statement that fits into the loop's header, and whether it
// does.
func simplePost(text string) (string, bool) {
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if l != "" && !strings.HasPrefix(l, "//line") {
			lines = append(lines, l)
		}
	}
	switch {
	case len(lines) == 0:
		return "", true
	case len(lines) == 1 && !strings.HasPrefix(lines[0], "var ") && !strings.HasPrefix(lines[0], "t_"):
		return lines[0], true
	}
	return "", false
}

// iterationVars returns the loop variables that outlive their iteration.
func (f *fn) iterationVars(s *ast.ForStmt) []*types.Var {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return nil
	}
	var list []*types.Var
	for _, l := range init.Lhs {
		v := f.defined(l)
		if v == nil || isBlank(l) || !f.usage.escaping[v] {
			continue
		}
		list = append(list, v)
	}
	if len(list) > 0 {
		f.oneForEach(s, list[0])
	}
	return list
}

// oneForEach refuses a loop whose iterations share their variables where a script could
// observe it.
func (f *fn) oneForEach(s ast.Stmt, v *types.Var) {
	if f.p.older[f.unit.fset.File(s.Pos())] {
		f.refuse(s, "a loop of Go before 1.22, where all iterations share the variable %s; remove the //go:build line to give each its own", v.Name())
	}
}

// isStable reports whether o is a local variable that only the function itself can change.
func (f *fn) isStable(o types.Object) bool {
	v, ok := o.(*types.Var)
	if !ok || f.usage.escaping[v] {
		return false
	}
	_, local := f.vars[v]
	return local
}

// changedIn reports whether n assigns to the variable itself.
func changedIn(f *fn, n ast.Node, o types.Object) bool {
	found := false
	is := func(x ast.Expr) {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok && f.object(id) == o {
			found = true
		}
	}
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.AssignStmt:
			for _, l := range m.Lhs {
				is(l)
			}
		case *ast.IncDecStmt:
			is(m.X)
		case *ast.RangeStmt:
			if m.Tok == token.ASSIGN {
				if m.Key != nil {
					is(m.Key)
				}
				if m.Value != nil {
					is(m.Value)
				}
			}
		}
		return !found
	})
	return found
}
