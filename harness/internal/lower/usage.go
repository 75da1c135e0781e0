package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// usage says what one declared function does with its variables. It decides which variables
// a closure can take by value, and which functions need holders for their results.
type usage struct {
	// mutable variables change after their declaration, or have their address taken.
	mutable map[types.Object]bool
	// escaping variables have their address taken or are used by a closure.
	escaping map[types.Object]bool
	// defers and iterates are the bodies of functions and literals that directly contain a
	// defer statement, or a range over a function.
	defers, iterates map[*ast.BlockStmt]bool
	// gotos are the labels that goto statements name.
	gotos map[string]bool
	// recovers are the bodies that call recover themselves.
	recovers map[*ast.BlockStmt]bool
	// histories say where variables change.
	histories map[types.Object]*history
	// initial has the expressions with which variables are declared, where each has its
	// own.
	initial map[types.Object]ast.Expr
	// loops are all for and range statements.
	loops []ast.Node
}

// A history says where a variable changes after its declaration.
type history struct {
	changes []token.Pos // ends of the statements that change it
	open    bool        // a closure or a pointer can change it too
}

func (s *usage) history(o types.Object) *history {
	h := s.histories[o]
	if h == nil {
		h = &history{}
		s.histories[o] = h
	}
	return h
}

// isSettled reports whether v, which n uses, can no longer change once n is made a closure.
func (s *usage) isSettled(v types.Object, n ast.Node) bool {
	h := s.histories[v]
	if h == nil || h.open || len(s.gotos) > 0 {
		return false
	}
	for _, end := range h.changes {
		if end > n.Pos() {
			return false
		}
		for _, l := range s.loops {
			if inside(n.Pos(), l) && inside(end-1, l) && !inside(v.Pos(), l) {
				return false
			}
		}
	}
	return true
}

func inside(pos token.Pos, n ast.Node) bool { return n.Pos() <= pos && pos < n.End() }

func (p *program) usage(u *unit, n ast.Node) *usage {
	if s := p.usages[n]; s != nil {
		return s
	}
	s := &usage{
		mutable: map[types.Object]bool{}, escaping: map[types.Object]bool{},
		defers: map[*ast.BlockStmt]bool{}, iterates: map[*ast.BlockStmt]bool{}, recovers: map[*ast.BlockStmt]bool{}, gotos: map[string]bool{}, histories: map[types.Object]*history{}, initial: map[types.Object]ast.Expr{},
	}
	p.usages[n] = s
	w := &usageWalker{u: u, s: s}
	w.walk(n, nil)
	return s
}

type usageWalker struct {
	u *unit
	s *usage
	// literals are the enclosing func literals, innermost last.
	literals []*ast.FuncLit
}

// walk visits node n, whose enclosing function body is body.
func (w *usageWalker) walk(n ast.Node, body *ast.BlockStmt) {
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncDecl:
			if m.Body != nil {
				w.walk(m.Body, m.Body)
			}
			return false
		case *ast.FuncLit:
			w.captures(m)
			w.literals = append(w.literals, m)
			w.walk(m.Body, m.Body)
			w.literals = w.literals[:len(w.literals)-1]
			return false
		case *ast.ForStmt:
			w.s.loops = append(w.s.loops, m)
		case *ast.BranchStmt:
			if m.Tok == token.GOTO {
				w.s.gotos[m.Label.Name] = true
			}
		case *ast.DeferStmt:
			w.s.defers[body] = true
		case *ast.RangeStmt:
			w.s.loops = append(w.s.loops, m)
			if m.Tok == token.ASSIGN {
				w.change(m.Key, m)
				w.change(m.Value, m)
			}
			if isIterator(w.u.info.TypeOf(m.X)) {
				w.s.iterates[body] = true
				w.captures(m.Body)
			}
		case *ast.AssignStmt:
			for i, l := range m.Lhs {
				if id, ok := l.(*ast.Ident); ok && w.u.info.Defs[id] != nil {
					if len(m.Lhs) == len(m.Rhs) {
						w.s.initial[w.u.info.Defs[id]] = m.Rhs[i]
					}
					continue
				}
				w.change(l, m)
			}
		case *ast.ValueSpec:
			if len(m.Values) == len(m.Names) {
				for i, id := range m.Names {
					w.s.initial[w.u.info.Defs[id]] = m.Values[i]
				}
			}
		case *ast.IncDecStmt:
			w.change(m.X, m)
		case *ast.UnaryExpr:
			if m.Op == token.AND {
				w.address(m.X)
			}
		case *ast.SliceExpr:
			if _, ok := under(w.u.info.TypeOf(m.X)).(*types.Array); ok {
				w.address(m.X)
			}
		case *ast.SelectorExpr:
			w.method(m)
		case *ast.CallExpr:
			if id, ok := ast.Unparen(m.Fun).(*ast.Ident); ok && id.Name == "recover" && w.u.info.Types[m.Fun].IsBuiltin() {
				w.s.recovers[body] = true
			}
		}
		return true
	})
}

func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func isIterator(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Signature); ok {
		return true
	}
	if i, ok := t.Underlying().(*types.Interface); ok { // a type parameter
		for e := range i.NumEmbeddeds() {
			if u, ok := i.EmbeddedType(e).(*types.Union); ok {
				for k := range u.Len() {
					if _, ok := u.Term(k).Type().Underlying().(*types.Signature); ok {
						return true
					}
				}
			}
			if _, ok := i.EmbeddedType(e).Underlying().(*types.Signature); ok {
				return true
			}
		}
	}
	return false
}

// root returns the variable that an operand is a part of, or nil if it is behind a pointer.
func (w *usageWalker) root(x ast.Expr) types.Object {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.SelectorExpr:
			if sel := w.u.info.Selections[y]; sel == nil || sel.Indirect() {
				return nil
			}
			x = y.X
		case *ast.IndexExpr:
			if _, ok := under(w.u.info.TypeOf(y.X)).(*types.Array); !ok {
				return nil
			}
			x = y.X
		case *ast.Ident:
			return w.u.info.ObjectOf(y)
		default:
			return nil
		}
	}
}

// change notes that statement by changes x, which may be nil.
func (w *usageWalker) change(x ast.Expr, by ast.Node) {
	o := w.root(x)
	if o == nil {
		return
	}
	w.s.mutable[o] = true
	h := w.s.history(o)
	h.changes = append(h.changes, by.End())
	if n := len(w.literals); n > 0 && o.Pos() < w.literals[n-1].Pos() {
		h.open = true
	}
}

func (w *usageWalker) address(x ast.Expr) {
	if o := w.root(x); o != nil {
		w.s.mutable[o] = true
		w.s.escaping[o] = true
		w.s.history(o).open = true
	}
}

// method notes that a method with a pointer receiver takes its operand's address, unless it
// is called on a pointer.
func (w *usageWalker) method(x *ast.SelectorExpr) {
	f, ok := w.u.info.Uses[x.Sel].(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return
	}
	if _, ok := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer); ok {
		if _, ok := under(w.u.info.TypeOf(x.X)).(*types.Pointer); !ok {
			w.address(x.X)
		}
		return
	}
	if t := w.u.info.TypeOf(x.X); t != nil {
		if _, ok := types.Unalias(t).(*types.TypeParam); ok { // may be instantiated with such a type
			w.address(x.X)
		}
	}
}

// captures notes the variables that a closure uses from outside.
func (w *usageWalker) captures(n ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok {
			if v, ok := w.u.info.Uses[id].(*types.Var); ok && !v.IsField() && (v.Pos() < n.Pos() || v.Pos() >= n.End()) {
				w.s.escaping[v] = true
			}
		}
		return true
	})
}
