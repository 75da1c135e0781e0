package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Statements and the flow between them.

type targetKind int

const (
	loop targetKind = iota
	switchBody
	iteratorBody // the body of a range over a function
)

// A target is a statement that break or continue can refer to.
type target struct {
	kind  targetKind
	label string // in the source
	// ahead emits the code that must run before a continue: the parts of a for statement
	// that are not in the header of the lowered loop.
	ahead func()
	// exits are the ways out of an iteratorBody that the code after the loop must handle.
	exits   []exit
	returns bool
	body    ast.Node // of the loop or the iteratorBody
	// index is the variable of this loop, if its bounds are known.
	index  types.Object
	bounds bounds
}

type exit struct {
	code  int
	tok   token.Token
	label string
	to    *target
}

func (f *fn) push(t *target) { f.targets = append(f.targets, t) }
func (f *fn) pop()           { f.targets = f.targets[:len(f.targets)-1] }

func (f *fn) block(b *ast.BlockStmt) { f.statements(b.List) }

func (f *fn) statements(list []ast.Stmt) {
	for _, s := range list {
		f.statement(s)
	}
}

func (f *fn) statement(s ast.Stmt) {
	label := f.label
	f.label = ""
	defer f.release(len(f.used))
	switch s.(type) {
	case *ast.BlockStmt, *ast.EmptyStmt, *ast.LabeledStmt:
	default:
		f.noteCalls(nil)
		f.mark(s)
		if f.mayPanic(s) {
			f.noteLine(s)
		}
	}
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		f.labeledBlock(s, label)
	case *ast.LabeledStmt:
		if f.usage.gotos[s.Label.Name] {
			f.w("G_%s:\nrt.Nop()\n", s.Label.Name)
		}
		f.label = s.Label.Name
		f.statement(s.Stmt)
		f.label = ""
	case *ast.ExprStmt:
		f.noteCalls(s)
		f.exprStatement(s)
	case *ast.SendStmt:
		f.noteCalls(s)
		ch, value := f.sent(s, f.typeOf(s.Chan).Underlying().(*types.Chan).Elem())
		f.noteLine(s)
		f.w("%s <- %s\n", ch, value)
	case *ast.IncDecStmt:
		f.noteCalls(s)
		f.incDec(s)
	case *ast.AssignStmt:
		f.noteCalls(s)
		f.assign(s)
	case *ast.DeclStmt:
		f.declaration(s)
	case *ast.GoStmt:
		f.noteCalls(s)
		f.goStatement(s)
	case *ast.DeferStmt:
		f.noteCalls(s)
		f.deferStatement(s)
	case *ast.ReturnStmt:
		f.noteCalls(s)
		f.returnStatement(s)
	case *ast.BranchStmt:
		f.branchStatement(s)
	case *ast.IfStmt:
		f.ifStatement(s)
	case *ast.ForStmt:
		f.forStatement(s, label)
	case *ast.RangeStmt:
		f.rangeStatement(s, label)
	case *ast.SwitchStmt:
		f.switchStatement(s, label)
	case *ast.TypeSwitchStmt:
		f.typeSwitch(s, label)
	case *ast.SelectStmt:
		f.selectStatement(s, label)
	default:
		f.refuse(s, "the statement %T", s)
	}
}

// mayPanic reports whether the statement can fail by itself, or is a loop, where a script
// can be when it is stopped. Calls and checked operations do not count: they record the
// line themselves.
func (f *fn) mayPanic(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return false
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return f.canFail(s)
}

func (f *fn) canFail(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.TypeAssertExpr, *ast.SendStmt:
			found = true
		case *ast.SelectorExpr:
			if t := f.unit.info.TypeOf(n.X); t != nil {
				_, ptr := t.Underlying().(*types.Pointer)
				found = found || ptr
			}
			if s := f.unit.info.Selections[n]; s != nil && s.Kind() == types.FieldVal { // promoted through an embedded pointer
				found = found || s.Indirect()
			}
		case *ast.BinaryExpr:
			found = found || (n.Op == token.QUO || n.Op == token.REM || n.Op == token.EQL || n.Op == token.NEQ) && f.value(n).Value == nil && f.value(n.Y).Value == nil && !f.isNil(n.X) && !f.isNil(n.Y)
			found = found || n.Op == token.ADD && f.value(n).Value == nil && f.isText(n)
		case *ast.AssignStmt:
			found = found || (n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN) && f.value(n.Rhs[0]).Value == nil
			found = found || n.Tok == token.ADD_ASSIGN && f.isText(n.Lhs[0])
		case *ast.CallExpr: // memory may run out
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && (id.Name == "append" || id.Name == "make") {
				found = found || f.unit.info.Types[n.Fun].IsBuiltin()
			}
		}
		return !found
	})
	return found
}

// isText reports whether x is a string. Expressions made by the lowering have no type here.
func (f *fn) isText(x ast.Expr) bool {
	t := f.unit.info.TypeOf(x)
	return t != nil && isString(t)
}

func (f *fn) exprStatement(s *ast.ExprStmt) {
	switch x := ast.Unparen(s.X).(type) {
	case *ast.CallExpr:
		f.callStatement(x)
	case *ast.UnaryExpr:
		text := f.received(x.X, false)
		f.w("%s\n", text)
	default:
		f.refuse(s, "the statement %T", x)
	}
}

func (f *fn) incDec(s *ast.IncDecStmt) {
	before, place := split(f.target(s.X))
	f.w("%s", before)
	f.w("%s%s\n", place, s.Tok)
	f.wrote(s.X)
}

// labeledBlock emits a block; one with a label is a switch of one case, which
// break can leave.
func (f *fn) labeledBlock(s *ast.BlockStmt, label string) {
	if label == "" {
		f.w("{\n")
		f.block(s)
		f.w("}\n")
		return
	}
	f.writeLabel(label)
	f.w("switch {\ncase true:\n")
	f.push(&target{kind: switchBody, label: label})
	f.block(s)
	f.pop()
	f.w("}\n")
}

func (f *fn) writeLabel(label string) {
	if label != "" {
		f.w("L_%s:\n", label)
	}
}

func (f *fn) branchStatement(s *ast.BranchStmt) {
	label := ""
	if s.Label != nil {
		label = s.Label.Name
	}
	switch s.Tok {
	case token.FALLTHROUGH:
		f.w("fallthrough\n")
	case token.GOTO:
		f.jump(s.Label)
	default:
		f.branch(s.Tok, label, len(f.targets))
	}
}

// jump emits goto. Out of the body of an iterator, the code after the loop jumps.
func (f *fn) jump(label *ast.Ident) {
	at := f.use(label).Pos()
	for _, t := range f.targets {
		if t.kind == iteratorBody && (at < t.body.Pos() || at >= t.body.End()) {
			f.leave(t, token.GOTO, label.Name, nil)
			return
		}
	}
	f.w("goto G_%s\n", label.Name)
}

// branch emits break or continue as seen from the first n targets.
func (f *fn) branch(tok token.Token, label string, n int) {
	var left []*target // iterator bodies left on the way, innermost first
	for i := n - 1; i >= 0; i-- {
		t := f.targets[i]
		hit := tok == token.BREAK || t.kind != switchBody
		if label != "" {
			hit = t.label == label
		}
		switch {
		case !hit && t.kind == iteratorBody:
			left = append(left, t)
		case !hit:
		case len(left) > 0:
			f.leave(left[len(left)-1], tok, label, t)
			return
		case t.kind == iteratorBody:
			f.endIteration(t, tok)
			return
		default:
			if tok == token.CONTINUE && t.ahead != nil {
				t.ahead()
			}
			if label != "" {
				f.w("%s L_%s\n", tok, label)
			} else {
				f.w("%s\n", tok)
			}
			return
		}
	}
	f.p.refuse("%s %s, which has no target", tok, label)
}

// ifStatement emits an if. Each condition and the statements that it needs are in a block
// of their own.
func (f *fn) ifStatement(s *ast.IfStmt) {
	if s.Init != nil {
		f.w("{\n")
		defer f.w("}\n")
		f.statement(s.Init)
	}
	if f.canFail(s.Cond) {
		f.noteLine(s.Cond)
	}
	f.noteCalls(s.Cond)
	cond := f.condition(s.Cond)
	f.w("if %s {\n", bare(cond))
	f.arm(s.Body, s.Body, nil)
	if s.Else != nil {
		f.w("} else {\n")
		f.statement(s.Else)
	}
	f.w("}\n")
}

func (f *fn) returnStatement(s *ast.ReturnStmt) {
	results := f.sig.Results()
	inner := f.iterator()
	if inner == nil && f.nested == 0 {
		f.plainReturn(s, results)
		return
	}
	if len(s.Results) > 0 {
		texts := f.returnValues(s, results)
		if len(texts) > 1 {
			for i := range texts {
				texts[i] = f.hoist(texts[i], f.p.typ(f.subst(results.At(i).Type())))
			}
		}
		for i, r := range f.results {
			f.w("%s = %s\n", r.text(), texts[i])
		}
	}
	if inner == nil {
		f.w("return\n")
		return
	}
	inner.returns = true
	f.endBodies(inner)
	f.w("%s = -1\nreturn false\n", f.controls[inner].text())
}

// iterator returns the outermost enclosing iterator body, or nil.
func (f *fn) iterator() *target {
	for _, t := range f.targets {
		if t.kind == iteratorBody {
			return t
		}
	}
	return nil
}

func (f *fn) plainReturn(s *ast.ReturnStmt, results *types.Tuple) {
	if len(s.Results) == 0 {
		f.returnResults()
		return
	}
	seen := f.seenResults()
	texts := f.returnValues(s, results)
	if seen {
		for i := range texts {
			texts[i] = f.hoist(texts[i], f.p.typ(f.subst(results.At(i).Type())))
		}
		for i, r := range f.results {
			f.w("%s = %s\n", r.text(), texts[i])
		}
	} else if len(texts) > 1 {
		// The interpreter computes some operands in the first result variable.
		for i := range texts {
			if _, text := split(texts[i]); !isSimple(text) {
				texts[i] = f.hoist(texts[i], f.p.typ(f.subst(results.At(i).Type())))
			}
		}
	}
	if len(texts) == 1 {
		texts[0] = bare(texts[0])
	}
	f.w("return %s\n", strings.Join(texts, ", "))
}

// seenResults reports whether closures or pointers have the variables of results, and so
// see the returned values.
func (f *fn) seenResults() bool {
	for i := range f.results {
		if f.usage.escaping[f.sig.Results().At(i)] {
			return true
		}
	}
	return false
}

// returnValues emits the values of a return statement as the results' types.
func (f *fn) returnValues(s *ast.ReturnStmt, results *types.Tuple) []string {
	if len(s.Results) == 1 && results.Len() > 1 {
		names, tuple := f.callMulti(ast.Unparen(s.Results[0]).(*ast.CallExpr))
		for i := range names {
			names[i] = f.convert(names[i], tuple.At(i).Type(), f.subst(results.At(i).Type()))
		}
		return names
	}
	var list []operand
	for i, x := range s.Results {
		list = append(list, operand{x, f.subst(results.At(i).Type())})
	}
	return f.operands(list...)
}
