package emit

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Go's specification leaves open when a variable is read in a statement that
// calls functions which change it. What the compiler does depends on where it
// keeps the variable: in registers, of which it takes a copy early, or in memory,
// which it reads late.

var sizes = types.SizesFor("gc", "amd64")

// inMemory: x is, or is a part of, something that the compiler keeps in memory.
func (f *fn) inMemory(x ast.Expr) bool {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.StarExpr:
			return true
		case *ast.SelectorExpr:
			s, ok := f.unit.info.Selections[y]
			if !ok { // of a package
				_, ok := f.unit.info.Uses[y.Sel].(*types.Var)
				return ok
			}
			if s.Kind() != types.FieldVal || s.Indirect() {
				return s.Kind() == types.FieldVal
			}
			x = y.X
		case *ast.IndexExpr:
			switch f.typeOf(y.X).Underlying().(type) {
			case *types.Slice, *types.Pointer:
				return true
			case *types.Array:
				x = y.X
				continue
			}
			return false
		case *ast.Ident:
			v, ok := f.object(y).(*types.Var)
			return ok && f.variableInMemory(v)
		default:
			return false
		}
	}
}

func (f *fn) variableInMemory(v *types.Var) bool {
	if v.Parent() == v.Pkg().Scope() || v.Kind() != types.LocalVar || f.usage == nil {
		return true
	}
	return f.usage.addressed[v] || !inRegisters(f.subst(v.Type())) || f.usage.byReference(v)
}

// inRegisters: the compiler can keep variables of type t in registers.
func inRegisters(t types.Type) bool {
	const words = 4
	if sizes.Sizeof(t) > words*8 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() == 0 || u.Len() == 1 && inRegisters(u.Elem())
	case *types.Struct:
		if u.NumFields() > words {
			return false
		}
		for field := range u.Fields() {
			if !inRegisters(field.Type()) {
				return false
			}
		}
	}
	return true
}

// byReference: a closure has a pointer to variable v. A closure that the
// compiler inlines has not.
func (s *usage) byReference(v *types.Var) bool {
	if s.referenced == nil {
		s.findReferences()
	}
	return s.referenced[v]
}

// findReferences notes the variables that closures which are not inlined take
// from outside.
func (s *usage) findReferences() {
	s.referenced = map[*types.Var]bool{}
	kept := s.keptClosures()
	var around []*ast.FuncLit // the kept closures around n
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				if m == n || !kept[m] {
					return true
				}
				around = append(around, m)
				walk(m)
				around = around[:len(around)-1]
				return false
			case *ast.Ident:
				v, ok := s.unit.info.Uses[m].(*types.Var)
				if ok && len(around) > 0 && !inside(v.Pos(), around[len(around)-1]) {
					s.referenced[v] = true
				}
			}
			return true
		})
	}
	walk(s.node)
}

// keptClosures are those that the compiler does not inline: what is called where
// it stands, or is the one value of a variable that is only called, is inlined
// when it is short enough. It is a guess at the compiler's.
func (s *usage) keptClosures() map[*ast.FuncLit]bool {
	const budget, budgetOnce = 80, 800 // for a closure that is called at one place
	kept := map[*ast.FuncLit]bool{}
	direct := map[*ast.FuncLit]bool{}
	holders := map[*ast.FuncLit]types.Object{}
	uses, calls := map[types.Object]int{}, map[types.Object]int{}
	late := map[*ast.CallExpr]bool{} // of go and defer statements
	hold := func(id *ast.Ident, x ast.Expr) {
		if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
			holders[lit] = s.unit.info.Defs[id]
		}
	}
	ast.Inspect(s.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			kept[n] = true
		case *ast.GoStmt:
			late[n.Call] = true
		case *ast.DeferStmt:
			late[n.Call] = true
		case *ast.CallExpr:
			if late[n] {
				break
			}
			switch fun := ast.Unparen(n.Fun).(type) {
			case *ast.FuncLit:
				direct[fun] = true
			case *ast.Ident:
				calls[s.unit.info.Uses[fun]]++
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
				for i, x := range n.Rhs {
					hold(n.Lhs[i].(*ast.Ident), x)
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i, x := range n.Values {
					hold(n.Names[i], x)
				}
			}
		case *ast.Ident:
			uses[s.unit.info.Uses[n]]++
		}
		return true
	})
	for lit := range kept {
		holder := holders[lit]
		switch {
		case direct[lit]:
			kept[lit] = s.cost(lit, budgetOnce) > budgetOnce
		case holder != nil && uses[holder] == calls[holder] && !s.mutable[holder]:
			most := budget
			if calls[holder] == 1 {
				most = budgetOnce
			}
			kept[lit] = s.cost(lit, most) > most
		}
	}
	return kept
}

// cost is about what the compiler counts for a closure to be inlined, or more
// than enough.
func (s *usage) cost(lit *ast.FuncLit, enough int) int {
	const call, never = 57, 1000
	cost := 0
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.GoStmt, *ast.SelectStmt:
			cost += never
		case *ast.CallExpr:
			if tv := s.unit.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				cost += call
			}
			cost++
		case ast.Expr, ast.Stmt:
			cost++
		}
		return cost <= enough
	})
	return cost
}
