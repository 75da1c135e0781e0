package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Parts of functions. A call costs a variable for each operation in the
// function's text, whether it comes to it or not. So in a long function, blocks
// at whose end it returns become functions of their own:
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
// As nothing of the function runs any more then, what the block writes to
// variables is seen by nobody else, and it gets them by value, but for those that
// closures and pointers have.

// A part is a block that becomes a function.
type part struct {
	block  ast.Node // *ast.BlockStmt or *ast.CaseClause
	stmts  []ast.Stmt
	weight int
	rare   bool   // taken once at most in most runs: it fails
	inner  []part // of it instead
}

const (
	partWeight = 8   // of a part, from which on it pays
	partOthers = 20  // weight of the other parts from which on it pays where a part is taken
	partSize   = 128 // bytes of a variable from which on a part gets its address

	maxParts  = 3  // parts inside of each other
	maxBlocks = 12 // blocks inside of each other that are looked at
)

// plan chooses the parts of a function, or of a part, which consists of stmts.
// body is that of the function.
func (f *fn) plan(stmts []ast.Stmt, body *ast.BlockStmt) {
	f.parts = map[ast.Node]*part{}
	if f.nested > 0 || f.defers != "" || f.within >= maxParts || len(f.usage.gotos) > 0 {
		return
	}
	f.whole = body
	var end *ast.ReturnStmt
	if f.sig.Results().Len() == 0 {
		end = &ast.ReturnStmt{Return: body.Rbrace}
	}
	parts := f.partsOf(stmts, end, 0)
	for again := true; again; {
		again = false
		sum := 0
		for _, p := range parts {
			sum += p.weight
		}
		for i, p := range parts {
			if !p.rare && sum-p.weight < partOthers {
				parts, again = slices.Replace(parts, i, i+1, p.inner...), true
				break
			}
		}
	}
	for i := range parts {
		f.parts[parts[i].block] = &parts[i]
	}
}

// partsOf finds the outermost blocks in stmts that can be parts. end is the
// return statement that follows; nil: there is none, or too long a one. depth is
// how many blocks are around.
func (f *fn) partsOf(stmts []ast.Stmt, end *ast.ReturnStmt, depth int) []part {
	var parts []part
	if depth > maxBlocks {
		return nil
	}
	depth++
	block := func(n ast.Node, list []ast.Stmt, end *ast.ReturnStmt) {
		p := part{block: n, stmts: list, inner: f.partsOf(list, end, depth)}
		if !f.terminates(list, 0) {
			if end == nil {
				parts = append(parts, p.inner...)
				return
			}
			p.stmts = append(slices.Clip(list), end)
		}
		p.weight, p.rare = f.weight(list), f.fails(list)
		if p.weight < partWeight || !f.separable(list) {
			parts = append(parts, p.inner...)
			return
		}
		parts = append(parts, p)
	}
	var statement func(s ast.Stmt, end *ast.ReturnStmt)
	clauses := func(b *ast.BlockStmt, end *ast.ReturnStmt) {
		for _, c := range b.List {
			switch c := c.(type) {
			case *ast.CaseClause:
				block(c, c.Body, end)
			case *ast.CommClause:
				parts = append(parts, f.partsOf(c.Body, end, depth)...)
			}
		}
	}
	statement = func(s ast.Stmt, end *ast.ReturnStmt) {
		switch s := s.(type) {
		case *ast.BlockStmt:
			parts = append(parts, f.partsOf(s.List, end, depth)...)
		case *ast.LabeledStmt:
			statement(s.Stmt, end)
		case *ast.IfStmt:
			block(s.Body, s.Body.List, end)
			switch e := s.Else.(type) {
			case *ast.BlockStmt:
				block(e, e.List, end)
			case *ast.IfStmt:
				statement(e, end)
			}
		case *ast.SwitchStmt:
			clauses(s.Body, end)
		case *ast.TypeSwitchStmt:
			clauses(s.Body, end)
		case *ast.SelectStmt:
			clauses(s.Body, end)
		case *ast.ForStmt:
			parts = append(parts, f.partsOf(s.Body.List, nil, depth)...)
		case *ast.RangeStmt:
			if !isIterator(f.typeOf(s.X)) { // its body is a closure
				parts = append(parts, f.partsOf(s.Body.List, nil, depth)...)
			}
		}
	}
	for i, s := range stmts {
		next := end
		if i+1 < len(stmts) {
			next, _ = stmts[i+1].(*ast.ReturnStmt)
			if next != nil && !isShort(next) {
				next = nil
			}
		}
		statement(s, next)
	}
	return parts
}

// isShort: nothing is lost where a return statement stands twice.
func isShort(s *ast.ReturnStmt) bool {
	for _, x := range s.Results {
		switch x := ast.Unparen(x).(type) {
		case *ast.Ident, *ast.BasicLit:
		case *ast.SelectorExpr:
			if _, ok := x.X.(*ast.Ident); !ok {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// terminates: the end of a list of statements is not reached, as far as that
// shows without looking into too many blocks.
func (f *fn) terminates(list []ast.Stmt, depth int) bool {
	if len(list) == 0 || depth > maxBlocks {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		return f.isPanic(s)
	case *ast.BlockStmt:
		return f.terminates(s.List, depth+1)
	case *ast.IfStmt:
		return s.Else != nil && f.terminates(s.Body.List, depth+1) && f.terminates([]ast.Stmt{s.Else}, depth)
	case *ast.SwitchStmt:
		return f.clausesTerminate(s.Body, depth+1)
	case *ast.TypeSwitchStmt:
		return f.clausesTerminate(s.Body, depth+1)
	}
	return false
}

// clausesTerminate is terminates for a switch.
func (f *fn) clausesTerminate(body *ast.BlockStmt, depth int) bool {
	hasDefault := false
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		hasDefault = hasDefault || c.List == nil
		if !f.terminates(c.Body, depth) || !closed(c.Body) {
			return false
		}
	}
	return hasDefault
}

func (f *fn) isPanic(s *ast.ExprStmt) bool {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok || !f.value(call.Fun).IsBuiltin() {
		return false
	}
	id := calledIdent(call.Fun)
	return id != nil && id.Name == "panic"
}

// fails: the list ends by a panic, or by the return of an error and otherwise
// nothing.
func (f *fn) fails(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ExprStmt:
		return f.isPanic(s)
	case *ast.ReturnStmt:
		n := f.sig.Results().Len()
		if n < 1 || len(s.Results) != n || !types.Identical(f.sig.Results().At(n-1).Type(), types.Universe.Lookup("error").Type()) {
			return false
		}
		for _, x := range s.Results[:n-1] {
			lit, ok := ast.Unparen(x).(*ast.CompositeLit)
			if f.value(x).Value == nil && !f.isNil(x) && (!ok || len(lit.Elts) > 0) {
				return false
			}
		}
		return n > 1 && !f.isNil(s.Results[n-1])
	}
	return false
}

// separable: the statements can be those of another function.
func (f *fn) separable(list []ast.Stmt) bool {
	if !closed(list) {
		return false
	}
	for _, s := range list {
		if recovers(s) {
			return false
		}
		defers := false
		ast.Inspect(s, func(n ast.Node) bool {
			_, ok := n.(*ast.DeferStmt)
			defers = defers || ok
			_, lit := n.(*ast.FuncLit)
			return !lit
		})
		if defers {
			return false
		}
	}
	return true
}

// closed: no break, continue, goto or fallthrough leaves the statements.
func closed(list []ast.Stmt) bool {
	leaves := false
	labels := map[string]bool{}
	var walk func(n ast.Node, breaks, continues bool)
	walk = func(n ast.Node, breaks, continues bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.LabeledStmt:
				labels[m.Label.Name] = true
			case *ast.ForStmt, *ast.RangeStmt:
				walk(m, true, true)
				return false
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				walk(m, true, continues)
				return false
			case *ast.BranchStmt:
				switch {
				case m.Label != nil:
					leaves = leaves || !labels[m.Label.Name]
				case m.Tok == token.BREAK:
					leaves = leaves || !breaks
				case m.Tok == token.CONTINUE:
					leaves = leaves || !continues
				}
			}
			return true
		})
	}
	walk(&ast.BlockStmt{List: list}, false, false)
	if n := len(list); n > 0 {
		b, ok := list[n-1].(*ast.BranchStmt)
		leaves = leaves || ok && b.Tok == token.FALLTHROUGH
	}
	return !leaves
}

// weight is about how many operations statements are for the interpreter.
func (f *fn) weight(list []ast.Stmt) int {
	n := 0
	for _, s := range list {
		ast.Inspect(s, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				n += 3
				return false
			case *ast.CallExpr, *ast.TypeAssertExpr:
				n += 2
			case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.RangeStmt:
				n += 3
			case *ast.BinaryExpr:
				if f.value(m).Value != nil {
					return false
				}
				n++
			case *ast.SelectorExpr, *ast.UnaryExpr, *ast.CompositeLit, *ast.KeyValueExpr, *ast.AssignStmt, *ast.ValueSpec, *ast.IncDecStmt, *ast.ReturnStmt, *ast.IfStmt, *ast.ForStmt, *ast.CaseClause, *ast.SendStmt:
				n++
			}
			return true
		})
	}
	return n
}

// arm emits the statements of a block, or the call of the function that it has
// become. begin, if any, emits what comes first; e is nil where they stay.
func (f *fn) arm(n ast.Node, stmts []ast.Stmt, begin func(f *fn, e *enclosure)) {
	p := f.parts[n]
	if p == nil {
		if begin != nil {
			begin(f, nil)
		}
		f.statements(stmts)
		return
	}
	name := f.p.fresh("part")
	e := &enclosure{inner: f.p.newFn(f.unit, f.env, f.usage)}
	g := e.inner
	g.sig, g.name, g.lowered, g.literals = f.sig, f.name, f.lowered, f.literals
	g.within = f.within + 1
	if f.at != "" {
		g.at = e.hand(f.at, "string")
	}
	g.targets = slices.Clone(f.targets) // for the bounds of indices
	for _, v := range f.free(&ast.BlockStmt{List: p.stmts}) {
		f.pass(e, v, n)
	}
	if len(f.results) > 0 && (f.seenResults() || usesResults(p.stmts)) {
		for v := range f.sig.Results().Variables() {
			f.pass(e, v, n)
			g.results = append(g.results, g.vars[v])
		}
	}
	if begin != nil {
		begin(g, e)
	}
	g.plan(p.stmts, f.whole)
	g.statements(p.stmts)
	f.literals = g.literals
	results := ""
	if f.sig.Results().Len() > 0 {
		results = f.p.typ(f.subst(f.sig.Results()))
	}
	fmt.Fprintf(&f.p.funcs, "\nfunc %s(%s) %s {\n%s}\n", name, strings.Join(e.params, ", "), results, g.out.String())
	g.lowered = name
	g.describe(f.whole)
	as := f.p.out.Funcs[name]
	as.Part = true
	f.p.out.Funcs[name] = as
	call := fmt.Sprintf("%s(%s)", name, strings.Join(e.args, ", "))
	f.w("%s%s\n%s", returns(f.sig), call, returnsNothing(f.sig))
}

// pass hands variable v over to a part, which n becomes.
func (f *fn) pass(e *enclosure, v *types.Var, n ast.Node) {
	g := e.inner
	if _, ok := g.vars[v]; ok {
		return
	}
	t := f.subst(v.Type())
	if f.usage.escaping[v] && f.usage.mutable[v] && !f.usage.settled(v, n) || f.p.size(t) > partSize {
		g.vars[v] = variable{e.hand(f.vars[v].address(), "*"+f.p.typ(t)), true}
		return
	}
	g.vars[v] = variable{name: e.handValue(f.vars[v], f.p.typ(t), t)}
}

// usesResults: the statements use the variables of the results without their
// names.
func usesResults(list []ast.Stmt) bool {
	found := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.RangeStmt: // over a function, perhaps
				found = true
			case *ast.ReturnStmt:
				found = found || len(n.Results) == 0
			}
			return !found
		})
	}
	return found
}
