package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// fn emits the body of one function of the lowered program.
//
// Expressions are lowered to texts. What does not fit into one text is written before the
// statement that uses it, in one of two ways:
//
//   - hoisted at once: calls, receives, assertions, slicing, && and ||;
//   - carried by the text as a prefix (see [guarded]) and written just before
//     the statement: index checks and reads of variables, whose order among calls
//     is open.
//     is open.
type fn struct {
	p       *program
	unit    *unit
	env     env
	usage   *usage
	out     *strings.Builder
	vars    map[types.Object]variable
	sig     *types.Signature // of the source, with type parameters
	results []variable       // explicit result variables; none if return works without
	targets []*target        // the targets of break and continue here, innermost last
	// controls are the state variables of the iterator bodies in targets.
	controls map[*target]variable
	label    string // label of the statement being emitted
	defers   string // the Defers of this function, "" if it defers nothing
	rescue   string // the Defers that recover uses when this literal is deferred directly
	nested   int    // generated frames between this body and its function
	name     string // in traces
	lowered  string // the name in the lowered program
	at       string // the parameter with the place of the call, in a placed function
	calls    []Call
	// addressed reports whether the next composite literal will be pointed to.
	addressed bool
	loop      *loopText // the outermost loop around here, nil outside of loops
	used      []slot    // temporaries in use, the latest last
	lastCall  token.Pos // where the last call of the statement begins
	noted     int       // the line that the program knows here; 0 if unknown
	notedSelf int       // the line last recorded here, whatever was called since; 0 if unknown
	literals  int       // number of func literals so far, for their names in traces
	// parts are the blocks that become functions, see outline.go; whole is the body of the
	// function that contains them.
	parts     map[ast.Node]bool
	outerBody *ast.BlockStmt
}

// A variable says how this function reaches a variable of the script.
type variable struct {
	name    string
	pointer bool // name is a pointer to it
}

func (v variable) text() string {
	if v.pointer {
		return "(*" + v.name + ")"
	}
	return v.name
}

func (v variable) address() string {
	if v.pointer {
		return v.name
	}
	return "&" + v.name
}

func (p *program) newFn(u *unit, e env, uses *usage) *fn {
	return &fn{p: p, unit: u, env: e, usage: uses, out: &strings.Builder{}, vars: map[types.Object]variable{}, controls: map[*target]variable{}}
}

// Prefixes. A text may carry statements that must run just before the statement it becomes
// a part of: prefixOpen statements prefixClose text.
const prefixOpen, prefixClose = '\x01', '\x02'

// guarded attaches statements to a text. Statements carried by these statements come before
// them.
func guarded(statements, text string) string {
	before, statements := split(statements)
	if before+statements == "" {
		return text
	}
	return string(prefixOpen) + before + statements + string(prefixClose) + text
}

// split separates the statements that texts carry from the text itself.
func split(text string) (statements, rest string) {
	if strings.IndexByte(text, prefixOpen) < 0 {
		return "", text
	}
	var before, after strings.Builder
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == prefixOpen:
			depth++
		case c == prefixClose:
			depth--
		case depth > 0:
			before.WriteByte(c)
		default:
			after.WriteByte(c)
		}
	}
	return before.String(), after.String()
}

func isGuarded(text string) bool { return strings.IndexByte(text, prefixOpen) >= 0 }

// w writes a statement, preceded by the statements that its texts carry.
func (f *fn) w(format string, args ...any) {
	before, text := split(fmt.Sprintf(format, args...))
	f.out.WriteString(before)
	f.out.WriteString(text)
	if strings.HasSuffix(text, "{\n") || strings.HasSuffix(text, ":\n") || strings.HasSuffix(text, "}\n") {
		f.noted, f.notedSelf = 0, 0 // paths part or meet
	}
}

// bare removes parentheses around a whole text. Each pair is an operation to the
// interpreter.
func bare(text string) string {
	before, text := split(text)
	for strings.HasPrefix(text, "(") && matches(text) && !strings.HasPrefix(text, "(*") && !strings.HasPrefix(text, "(&") {
		text = text[1 : len(text)-1]
	}
	return guarded(before, text)
}

// hoist evaluates text, of the erased type typ, into a variable now.
func (f *fn) hoist(text, typ string) string {
	t, set := f.temp(typ, bare(text))
	f.w("%s", set)
	return t
}

// hoistFresh is hoist into a new variable that can be pointed to.
func (f *fn) hoistFresh(text, typ string) string {
	t := f.p.fresh("t")
	f.w("var %s %s = %s\n", t, typ, bare(text))
	return t
}

// discard evaluates a text for its effects.
func (f *fn) discard(text string, t types.Type) { f.hoist(text, f.p.typ(types.Default(t))) }

func (f *fn) subst(t types.Type) types.Type { return f.p.subst(t, f.env) }

// value, typeOf and use query the checker's tables, which are read-only. Expressions made
// by the lowering are in p.made.
func (f *fn) value(x ast.Expr) types.TypeAndValue {
	if m, ok := f.p.made[x]; ok {
		return types.TypeAndValue{Type: m.typ}
	}
	return f.unit.info.Types[x]
}

func (f *fn) typeOf(x ast.Expr) types.Type {
	if m, ok := f.p.made[x]; ok {
		return m.typ
	}
	return f.subst(f.unit.info.TypeOf(x))
}

func (f *fn) use(id *ast.Ident) types.Object {
	if m, ok := f.p.made[id]; ok {
		return m.object
	}
	return f.unit.info.Uses[id]
}

// object returns the object that an identifier uses or defines.
func (f *fn) object(id *ast.Ident) types.Object {
	if m, ok := f.p.made[id]; ok {
		return m.object
	}
	return f.unit.info.ObjectOf(id)
}

func (f *fn) isNil(x ast.Expr) bool { return f.value(x).IsNil() }

// made has the checker's data for an expression made by the lowering.
type made struct {
	typ    types.Type
	object types.Object
}

// standIn makes an expression for a generated variable.
func (f *fn) standIn(at ast.Node, name string, t types.Type) ast.Expr {
	v := types.NewVar(at.Pos(), nil, "held", t)
	id := &ast.Ident{NamePos: at.Pos(), Name: "held"}
	f.p.made[id] = made{t, v}
	f.vars[v] = variable{name: name}
	return id
}

// withArgs copies a call and gives the copy other arguments.
func (f *fn) withArgs(x *ast.CallExpr, args []ast.Expr) *ast.CallExpr {
	copied := *x
	copied.Args = args
	f.p.made[&copied] = made{typ: f.typeOf(x)}
	return &copied
}

// signatureOf returns the signature of a function-typed expression.
func (f *fn) signatureOf(x ast.Expr) *types.Signature {
	return f.typeOf(x).Underlying().(*types.Signature)
}

// capture runs emit and returns the statements that it wrote.
func (f *fn) capture(emit func()) string {
	saved := f.out
	f.out = &strings.Builder{}
	emit()
	text := f.out.String()
	f.out = saved
	return text
}

// mark notes the position of a node for refusals, and its line for traces.
func (f *fn) mark(n ast.Node) {
	if !f.unit.script || !n.Pos().IsValid() {
		return
	}
	f.p.position = f.unit.fset.Position(n.Pos())
	f.w("//line _.go:%d\n", f.p.position.Line)
}

// noteLine emits code that records the running line, before a statement that can panic by
// itself: the interpreter knows only which function it was in. Once is enough until a
// function of the script is called or paths meet. Several goroutines have no
// single running line, so only failing checks report theirs.
func (f *fn) noteLine(n ast.Node) {
	if !f.unit.script || f.p.concurrent {
		return
	}
	line := f.line(n)
	if line != f.noted {
		f.w("*ln = %d\n", line)
		f.noted, f.notedSelf = line, line
	}
}

// line returns the line on which n begins.
func (f *fn) line(n ast.Node) int { return f.unit.fset.Position(n.Pos()).Line }

// lineText returns code that records the line, for a check that has failed.
func (f *fn) lineText() string {
	if !f.unit.script {
		return ""
	}
	return fmt.Sprintf("*ln = %d\n", f.p.position.Line)
}

// declare names a variable of the script. Every name is unique in the program, so that
// scopes cannot be confused.
func (f *fn) declare(v types.Object) string {
	name := v.Name()
	if name == "" || name == "_" {
		name = "blank"
	}
	name = f.p.fresh(asciiName(name))
	f.vars[v] = variable{name: name}
	return name
}

func (f *fn) param(v *types.Var) string {
	return f.declare(v) + " " + f.p.typ(f.subst(v.Type()))
}

// body emits the statements of a function and returns its result list.
//
// Results: the interpreter passes a call's result slots to the callee, so a result variable
// starts with an old value and is shared with closures. Here a function returns values
// only: named results are plain local variables, and a function that defers keeps its
// results on the heap, where deferred calls find them.
func (f *fn) body(sig *types.Signature, body *ast.BlockStmt) string {
	f.sig = sig
	defers := f.usage.defers[body] && !f.onlyUnlocks(body)
	explicit := f.usage.iterates[body] || defers
	for i := range sig.Results().Len() {
		v := sig.Results().At(i)
		if v.Name() != "" || explicit {
			f.results = append(f.results, f.declareResult(v))
		}
	}
	if defers {
		f.deferringBody(body)
	} else {
		f.plan(body)
		f.block(body)
	}
	return f.resultList()
}

// resultList returns the function's result list as its declaration writes it.
func (f *fn) resultList() string {
	if f.sig.Results().Len() == 0 {
		return ""
	}
	return f.p.typ(f.subst(f.sig.Results()))
}

func (f *fn) declareResult(v *types.Var) variable {
	f.usage.mutable[v] = true // by return
	f.usage.history(v).open = true
	name := f.declare(v)
	f.w("var %s %s\n", name, f.p.typ(f.subst(v.Type())))
	return f.vars[v]
}
