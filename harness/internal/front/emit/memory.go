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
	found := false
	ast.Inspect(s.node, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok && !inside(v.Pos(), lit) && s.mentions(lit, v) && !s.inlined(lit) {
			found = true
		}
		return !found
	})
	return found
}

func (s *usage) mentions(n ast.Node, o types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && s.unit.info.Uses[id] == o
		return !found
	})
	return found
}

// inlined: lit is called where it stands, or is the one value of a variable that
// is only called, and is short enough. It is a guess at the compiler's.
func (s *usage) inlined(lit *ast.FuncLit) bool {
	const budget, budgetOnce = 80, 800 // for a closure that is called at one place
	var holder types.Object
	direct := false
	uses, calls := 0, 0
	ast.Inspect(s.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.GoStmt:
			return ast.Unparen(calledBy(n)) != lit
		case *ast.CallExpr:
			direct = direct || ast.Unparen(n.Fun) == lit
		case *ast.AssignStmt:
			for i, x := range n.Rhs {
				if id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok && ast.Unparen(x) == lit && n.Tok == token.DEFINE {
					holder = s.unit.info.Defs[id]
				}
			}
		case *ast.ValueSpec:
			for i, x := range n.Values {
				if ast.Unparen(x) == lit {
					holder = s.unit.info.Defs[n.Names[i]]
				}
			}
		}
		return true
	})
	if direct || holder == nil {
		return direct && s.cost(lit) <= budgetOnce
	}
	ast.Inspect(s.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if s.unit.info.Uses[n] == holder {
				uses++
			}
		case *ast.DeferStmt, *ast.GoStmt:
			if id, ok := ast.Unparen(calledBy(n)).(*ast.Ident); ok && s.unit.info.Uses[id] == holder {
				calls-- // not one that is inlined
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && s.unit.info.Uses[id] == holder {
				calls++
			}
		}
		return true
	})
	if uses != calls || s.mutable[holder] {
		return false
	}
	return s.cost(lit) <= budget || calls == 1 && s.cost(lit) <= budgetOnce
}

// cost is about what the compiler counts for a closure to be inlined.
func (s *usage) cost(lit *ast.FuncLit) int {
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
		return true
	})
	return cost
}

// calledBy is what a go or defer statement calls.
func calledBy(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.DeferStmt:
		return n.Call.Fun
	case *ast.GoStmt:
		return n.Call.Fun
	}
	return nil
}
