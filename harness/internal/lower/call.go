package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// Calls. A call is a statement of its own in the lowered program: its results go to fresh
// variables at once. The interpreter lets a callee write into the variable that its result
// will be assigned to, and does not evaluate operands around calls in Go's order.
//
// The callee is known here: a function by its name, a method as a function with the
// receiver first, a method of a script interface through a dispatch function. Script
// functions take a variadic parameter as a slice.

// callValue emits a call and returns its result.
func (f *fn) callValue(x *ast.CallExpr) string {
	if tv := f.value(ast.Unparen(x.Fun)); tv.IsType() {
		return f.conversion(x, f.subst(tv.Type))
	}
	if f.value(ast.Unparen(x.Fun)).IsBuiltin() {
		return f.builtin(x)
	}
	c := f.call(x)
	if c.results.Len() != 1 {
		f.refuse(x, "a call with %d results here", c.results.Len())
	}
	if c.names != nil {
		return c.names[0]
	}
	return f.hoist(c.text, f.p.typ(c.results.At(0).Type()))
}

// callMulti emits a call with several results and returns their names.
func (f *fn) callMulti(x *ast.CallExpr) ([]string, *types.Tuple) {
	c := f.call(x)
	if c.names == nil {
		c.names = f.receive(c.text, c.results)
	}
	return c.names, c.results
}

// receive puts the results of a call into fresh variables.
func (f *fn) receive(text string, results *types.Tuple) []string {
	names := make([]string, results.Len())
	for i := range names {
		names[i] = f.p.fresh("t")
	}
	f.w("%s := %s\n", strings.Join(names, ", "), text)
	return names
}

// callStatement emits a call whose results are unused.
func (f *fn) callStatement(x *ast.CallExpr) {
	if tv := f.value(ast.Unparen(x.Fun)); tv.IsType() || tv.IsBuiltin() {
		if text := f.callValue(x); text != "" {
			f.discard(text, f.typeOf(x))
		}
		return
	}
	if c := f.call(x); c.text != "" {
		f.w("%s\n", c.text)
	}
}

// called is a call whose operands have been emitted. It has the call's text, or the names
// of its results if the call has been emitted too.
type called struct {
	text    string
	names   []string
	results *types.Tuple
}

// A callee is a function or method, ready to be given arguments.
type callee struct {
	sig     *types.Signature
	library bool   // takes a variadic parameter as such
	recv    string // the receiver, or ""; evaluated when the call is made
	recvTyp string
	// recvType is recvTyp before erasure, for a named callee.
	recvType types.Type
	named    bool // direct is the name of a function of the lowered program
	iface    bool // the receiver is an interface value
	// direct is the lowered function that takes the receiver and the arguments. If "", only
	// invoke can make the call.
	direct string
	invoke func(recv string, args []string) string
}

// call emits the arguments of a call.
func (f *fn) call(x *ast.CallExpr) called {
	if text, results, ok := f.special(x); ok {
		f.noteLine(x)
		return called{text: text, results: results}
	}
	x, try := f.sorted(x)
	c := f.callee(x)
	args := f.arguments(x, c)
	test := ""
	if c.named {
		test = f.signedZeros(x, &c, args)
	}
	switch {
	case c.lifted() == "" || f.isTool(x): // other callees record their own lines
		f.noteLine(x)
	case c.direct == f.lowered && f.notedSelf != f.line(x): // it may recurse without end
		f.noteLine(x)
	}
	f.noted = 0
	name := c.lifted()
	if c.iface {
		name = c.direct
	}
	f.calls = append(f.calls, Call{name, f.unit.fset.Position(x.Pos()).Line})
	out := called{text: c.invoke(c.recv, args), results: c.sig.Results()}
	if test != "" {
		out.names = f.callExact(test, &c, args, out.text)
		out.text = ""
	}
	if try != "" {
		f.w("if !%s {\n%s\n}\n", try, out.text)
		out.text = ""
	}
	return out
}

// isTool reports whether a call is a call of a function of a server's package, which has no
// lines of the script.
func (f *fn) isTool(x *ast.CallExpr) bool {
	id := calledIdent(ast.Unparen(x.Fun))
	if id == nil {
		return false
	}
	fo, ok := f.use(id).(*types.Func)
	return ok && fo.Signature().Recv() == nil && fo.Pkg() != nil && strings.HasPrefix(fo.Pkg().Path(), "servers/")
}

// lifted returns the name of a callee that is a lowered function, or "" for a function
// value.
func (c *callee) lifted() string {
	if c.named && strings.HasPrefix(c.direct, "f_") { // a variable named f begins so too
		return c.direct
	}
	return ""
}

// callee determines the callee of a call.
func (f *fn) callee(x *ast.CallExpr) callee {
	fun := ast.Unparen(x.Fun)
	sig := f.signatureOf(fun)
	if id := calledIdent(fun); id != nil {
		if fo, ok := f.use(id).(*types.Func); ok {
			if fo.Signature().Recv() == nil {
				return f.functionCallee(x, fo, sig)
			}
			if sel, ok := fun.(*ast.SelectorExpr); ok && !f.value(sel.X).IsType() {
				return f.methodCallee(x, sel, sig)
			}
		}
	}
	t := f.typeOf(fun)
	text := f.core(f.expr(fun), t)
	return callee{sig: sig, direct: text, invoke: func(_ string, args []string) string {
		if !isSimple(text) {
			text = f.hoist(text, f.p.typ(t.Underlying()))
		}
		return text + "(" + strings.Join(args, ", ") + ")"
	}}
}

func plainCall(name string) func(string, []string) string {
	return func(recv string, args []string) string {
		if recv != "" {
			args = append([]string{recv}, args...)
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	}
}

// calledIdent returns the identifier of the function in an expression that calls it, or
// nil.
func calledIdent(x ast.Expr) *ast.Ident {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.IndexExpr:
		return calledIdent(x.X)
	case *ast.IndexListExpr:
		return calledIdent(x.X)
	}
	return nil
}

func (f *fn) functionCallee(x *ast.CallExpr, fo *types.Func, sig *types.Signature) callee {
	if c, ok := f.replacedGeneric(x, fo, sig); ok {
		return c
	}
	if c, ok := f.overConcrete(x, fo); ok {
		return c
	}
	if f.p.isSource(fo.Pkg()) || f.ownFunction(fo) != nil {
		name := f.sourceFunction(x.Fun, calledIdent(x.Fun), fo)
		if f.p.isPlaced(fo) {
			return atPlace(f.placeOf(ast.Unparen(x.Fun).Pos()), name, sig)
		}
		return callee{sig: sig, direct: name, named: true, invoke: plainCall(name)}
	}
	if _, generic := f.unit.info.Instances[calledIdent(x.Fun)]; generic {
		f.refuse(x, "the generic library function %s", fo.FullName())
	}
	c := callee{sig: sig, library: true, invoke: replaced(fo, f.placeOf(ast.Unparen(x.Fun).Pos()))}
	if c.invoke == nil {
		f.mark(x)
		c.invoke = plainCall(f.p.librarySymbol(fo))
	}
	if f.logsPlace(fo) {
		logger := f.p.librarySymbol(export.Complete(fo.Pkg()).Scope().Lookup("Default")) + "()"
		c.invoke = func(_ string, args []string) string { return f.loggerAt(x, fo, logger, args) }
	}
	return c
}

// logsPlace reports whether the script calls a logger that writes the place of the call.
func (f *fn) logsPlace(fo *types.Func) bool {
	return f.p.in.Place != nil && f.unit.script && export.WritesPlace(fo)
}

// loggerAt emits call x of fo, or of the logger method of the same name, with the place.
func (f *fn) loggerAt(x *ast.CallExpr, fo *types.Func, logger string, args []string) string {
	file, line := f.p.in.Place(f.unit.fset.Position(x.Lparen).Line)
	at := "rt.LoggerAt"
	if fo.Pkg().Path() == "log/slog" {
		at = "rt.SlogAt"
	}
	prints := lineOf(f.placeOf(x.Pos()))
	return fmt.Sprintf("%s(%s, %s, %q, %d).%s(%s)", at, prints, logger, file, line, fo.Name(), strings.Join(args, ", "))
}

func (f *fn) methodCallee(x *ast.CallExpr, sel *ast.SelectorExpr, sig *types.Signature) callee {
	t := f.typeOf(sel.X)
	obj, path, _ := types.LookupFieldOrMethod(t, true, f.selectedPackage(sel), sel.Sel.Name)
	m, ok := obj.(*types.Func)
	if !ok {
		f.refuse(x, "the method %s", sel.Sel.Name)
	}
	if takesAddress(m) && !isInterface(t) {
		f.writesField(sel)
	}
	text, at := f.path(f.core(f.expr(sel.X), t), t, path[:len(path)-1])
	c := f.bind(text, at, m, f.placeOf(sel.Pos()))
	c.sig = sig
	if f.logsPlace(m) {
		c.invoke = func(recv string, args []string) string { return f.loggerAt(x, m, recv, args) }
	}
	return c
}

// takesAddress reports whether the method has a pointer receiver.
func takesAddress(m *types.Func) bool {
	_, ok := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	return ok
}

// refusedMethod reports whether m is a library method that scripts may not call, and
// returns its name with its type. The front end refuses the calls that it sees; the others
// panic.
func refusedMethod(m *types.Func) (string, bool) {
	recv := m.Signature().Recv().Type()
	if ptr, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = ptr.Elem()
	}
	n, ok := types.Unalias(recv).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return "", false
	}
	name := n.Obj().Name() + "." + m.Name()
	_, refused := export.Refused(n.Obj().Pkg().Path(), name)
	return n.Obj().Pkg().Name() + "." + name, refused
}

// bind returns the callee for method m, named at a place, on text, an operand of type t.
func (f *fn) bind(text string, t types.Type, m *types.Func, place string) callee {
	p := f.p
	if name, refused := refusedMethod(m); refused { // through an embedded field or a type parameter
		pre, rest := split(text)
		text = guarded(pre+fmt.Sprintf("rt.NotAvailable(%q)\n", name), rest)
	}
	native := func(recv string, args []string) string {
		return recv + "." + m.Name() + "(" + strings.Join(args, ", ") + ")"
	}
	if isInterface(t) {
		if p.libraryInterface(t) {
			invoke := replaced(m, place)
			if invoke == nil {
				invoke = native
			}
			return callee{recv: text, recvTyp: p.typ(t), iface: true, library: true, invoke: invoke}
		}
		name := p.dispatch(t, m, p.subst(m.Signature(), f.env).(*types.Signature))
		return callee{recv: text, recvTyp: p.typ(t), recvType: t, named: true, iface: true, direct: name, invoke: plainCall(name)}
	}
	_, isPtr := types.Unalias(t).(*types.Pointer)
	_, wantsPtr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	c := callee{recv: text}
	if hiddenType(t) {
		// binary.BigEndian: a variable of a type that only the library can name
		c.library, c.invoke = true, native
		return c
	}
	c.recvTyp, c.recvType = p.typ(t), t
	switch {
	case wantsPtr && !isPtr:
		pre, text := split(text)
		addr := "(&" + text + ")"
		if strings.HasPrefix(text, "(*") && matches(text) {
			addr = text[2 : len(text)-1]
		}
		c.recv, c.recvTyp, c.recvType = guarded(pre, addr), "*"+c.recvTyp, types.NewPointer(t)
	case !wantsPtr && isPtr:
		elem := t.Underlying().(*types.Pointer).Elem()
		pre, text := split(text)
		if !isSimple(text) {
			v, set := f.temp(p.typ(t), text)
			pre, text = pre+set, v
		}
		c.recv = guarded(pre+"if "+text+" == nil {\n"+f.lineText()+"rt.BadNil()\n}\n", "(*"+text+")")
		c.recvTyp, c.recvType = p.typ(elem), elem
	}
	if p.isLibraryish(t) {
		c.library, c.invoke = true, replaced(m, place)
		if c.invoke == nil {
			c.invoke = native
		}
		return c
	}
	c.direct, c.named = p.methodName(m), true
	c.invoke = plainCall(c.direct)
	return c
}

// checkWrapped begins a function that takes a pointer for a method of the pointed-to value.
// Go makes such functions for interfaces and method expressions, with a message of their
// own for a nil pointer.
func (f *fn) checkWrapped(text string, t types.Type, m *types.Func) {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok || takesAddress(m) {
		return
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok || isInterface(n) || !types.Identical(n, types.Unalias(m.Signature().Recv().Type())) {
		return
	}
	name := n.Obj().Name()
	if n.TypeArgs().Len() > 0 {
		name += "[...]"
	}
	f.w("if %s == nil {\nrt.BadWrapped(%q, %q, %q)\n}\n", text, n.Obj().Pkg().Name(), name, m.Name())
}

// hiddenType reports whether t is a library type that only the library can name.
func hiddenType(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && !n.Obj().Exported() && export.Available(n.Obj().Pkg().Path())
}

// matches reports whether the parenthesis that opens text closes at its end.
func matches(text string) bool {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i == len(text)-1
			}
		}
	}
	return false
}

// arguments emits the arguments of a call with the parameter types of the callee.
func (f *fn) arguments(x *ast.CallExpr, c callee) []string {
	if len(x.Args) == 1 {
		if tuple, ok := f.typeOf(x.Args[0]).(*types.Tuple); ok {
			return f.spread(ast.Unparen(x.Args[0]).(*ast.CallExpr), tuple, c)
		}
	}
	n := c.sig.Params().Len()
	var list []operand
	for i, a := range x.Args {
		to := c.sig.Params().At(min(i, n-1)).Type()
		if c.sig.Variadic() && i >= n-1 && !x.Ellipsis.IsValid() {
			to = elemOf(to)
		}
		list = append(list, operand{a, to})
	}
	texts := f.operands(list...)
	for i := range texts {
		if texts[i] = bare(texts[i]); c.library {
			texts[i] = plainOperand(texts[i])
		}
	}
	if x.Ellipsis.IsValid() {
		if c.library {
			texts[len(texts)-1] += "..."
		}
		return texts
	}
	return f.packVariadic(texts, c)
}

// plainOperand returns a text for an interface parameter of native code: without rt.Raw,
// since native code does not need it.
func plainOperand(text string) string {
	before, text := split(text)
	if of, isRaw := strings.CutPrefix(text, "rt.Raw("); isRaw && matches(text[len("rt.Raw"):]) {
		text = strings.TrimSuffix(of, ")")
	}
	return guarded(before, text)
}

// packVariadic makes the slice for a variadic parameter of a script function.
func (f *fn) packVariadic(texts []string, c callee) []string {
	n := c.sig.Params().Len()
	if !c.sig.Variadic() || c.library {
		return texts
	}
	t := c.sig.Params().At(n - 1).Type()
	if len(texts) < n {
		return append(texts, f.p.null(t))
	}
	for i := n - 1; i < len(texts); i++ {
		texts[i] = f.part(texts[i], elemOf(t))
	}
	rest := f.literal(f.p.typ(t), texts[n-1:], false)
	return append(texts[:n-1:n-1], rest)
}

// spread emits f(g()) where g has several results.
func (f *fn) spread(g *ast.CallExpr, tuple *types.Tuple, c callee) []string {
	names, _ := f.callMulti(g)
	n := c.sig.Params().Len()
	texts := make([]string, len(names))
	for i, name := range names {
		to := c.sig.Params().At(min(i, n-1)).Type()
		if c.sig.Variadic() && i >= n-1 {
			to = elemOf(to)
		}
		texts[i] = f.convert(name, tuple.At(i).Type(), to)
	}
	return f.packVariadic(texts, c)
}

func elemOf(t types.Type) types.Type { return t.Underlying().(*types.Slice).Elem() }

// function emits a function as a value. The value goes through a variable, so that the
// interpreter wraps it: to library code, a bare name would be a node of the interpreter.
func (f *fn) function(x ast.Expr) string {
	id := calledIdent(x)
	if id == nil {
		f.refuse(x, "this function expression")
	}
	fo, ok := f.use(id).(*types.Func)
	if !ok { // a variable in parentheses or the like
		return f.expr(x)
	}
	if f.p.isSource(fo.Pkg()) || f.ownFunction(fo) != nil {
		name := f.sourceFunction(x, id, fo)
		if f.p.isPlaced(fo) {
			name = f.placedValue(x, name, f.signatureOf(x), nil)
		}
		return f.hoist(name, f.p.typ(f.typeOf(x)))
	}
	if _, generic := f.unit.info.Instances[id]; generic {
		f.refuse(x, "the generic library function %s", fo.FullName())
	}
	return f.libraryValue(x, fo)
}

// sourceFunction names the instance of a function whose source is available.
func (f *fn) sourceFunction(x ast.Expr, id *ast.Ident, fo *types.Func) string {
	var targs []types.Type
	if in, ok := f.unit.info.Instances[id]; ok {
		for i := range in.TypeArgs.Len() {
			targs = append(targs, f.subst(in.TypeArgs.At(i)))
		}
	}
	if !f.p.isSource(fo.Pkg()) {
		fo = f.ownFunction(fo)
	}
	return f.p.funcName(fo, targs)
}

// libraryValue emits a library function used as a value. Like all function values of the
// script, it takes a variadic parameter as a slice.
func (f *fn) libraryValue(x ast.Expr, fo *types.Func) string {
	name, r := replacedBy(fo)
	sig := fo.Signature()
	switch {
	case r == nil:
		f.mark(x)
		name = f.p.librarySymbol(fo)
	case r.placed || r.lined:
		return f.placedValue(x, name, sig, r)
	}
	if !sig.Variadic() {
		return name
	}
	wrapper := "value_" + strings.NewReplacer(".", "_").Replace(name)
	f.p.once(wrapper, func() string {
		params, args := f.p.parameters(sig)
		args[len(args)-1] += "..."
		return fmt.Sprintf("func %s(%s) %s {\n%s%s(%s)\n}\n", wrapper, strings.Join(params, ", "), f.p.results(sig), returns(sig), name, strings.Join(args, ", "))
	})
	return wrapper
}

// parameters invents names for the parameters of a signature.
func (p *program) parameters(sig *types.Signature) (params, args []string) {
	for i := range sig.Params().Len() {
		a := fmt.Sprintf("a%d", i)
		params = append(params, a+" "+p.typ(sig.Params().At(i).Type()))
		args = append(args, a)
	}
	return params, args
}

func (p *program) results(sig *types.Signature) string {
	if sig.Results().Len() == 0 {
		return ""
	}
	return p.typ(sig.Results())
}

// returns returns the keyword before a call that gives a function its results.
func returns(sig *types.Signature) string {
	if sig.Results().Len() == 0 {
		return ""
	}
	return "return "
}
