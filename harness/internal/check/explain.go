package check

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// explain converts an error of go/types to a diagnostic: Go's own words, and a hint how to
// correct the script.
func (c *checker) explain(f fault) Diagnostic {
	message := strings.ReplaceAll(strings.ReplaceAll(c.plain(f.Msg), "\n\t", " "), "\t", " ")
	message, _, _ = strings.Cut(message, " (declared at "+fileName) // a position in another text
	d := c.diagnose(Compile, f.Pos, "%s", message)
	a := advices[f.code]
	if d.Hint = a.hint; a.explain != nil {
		a.explain(c, f, &d)
	}
	if d.Hint == "" {
		d.Hint = c.wrappedAt(f.Pos)
	}
	if d.Code == "" && f.code == undeclaredName {
		d.concern(CodeUndefined, "", c.undefined(f), "")
	}
	if d.Code == "" && slices.Contains(ofValues, f.code) {
		c.concernValue(f, &d)
	}
	c.adviseIdiom(&d)
	return d
}

// wrappedAt returns a hint if a bare argument at a place should be a field of the
// struct that a tool takes.
func (c *checker) wrappedAt(pos token.Pos) string {
	call, ok := innermost(c, pos, func(*ast.CallExpr) bool { return true })
	if !ok || len(call.Args) != 1 || call.Args[0].Pos() != pos {
		return ""
	}
	if f := c.toolOf(call); f != nil {
		if _, right := c.wrapped(call, f); right != "" {
			return "write " + right
		}
	}
	return ""
}

// concernValue sets the server's type that a fault with a value is about: the type of the
// value, or of the struct whose field receives it.
func (c *checker) concernValue(f fault, d *Diagnostic) {
	path := c.pathTo(f.Pos)
	if c.concernPlace(f.Pos, path, d) {
		return
	}
	for _, n := range path {
		e, ok := n.(ast.Expr)
		if !ok || e.Pos() != f.Pos {
			continue
		}
		about := []ast.Expr{e}
		if b, ok := e.(*ast.BinaryExpr); ok {
			about = append(about, b.X, b.Y)
		}
		for _, e := range about {
			if owner := elementOfServer(c.info.TypeOf(e)); owner != nil {
				d.concern(CodeType, serverOf(owner.Obj()), owner.Obj().Name(), "")
				return
			}
		}
		if isKnown(c.info.TypeOf(e)) {
			return
		}
	}
}

// concernPlace sets the server's field or function that receives the value at a position, and
// reports whether there is one.
func (c *checker) concernPlace(pos token.Pos, path []ast.Node, d *Diagnostic) bool {
	for i, n := range slices.Backward(path) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			id, ok := n.Key.(*ast.Ident)
			if !ok || i == 0 {
				continue
			}
			if lit, ok := path[i-1].(*ast.CompositeLit); ok {
				if s, owner := serverStruct(c.info.TypeOf(lit)); s != nil {
					d.concern(CodeType, serverOf(owner.Obj()), owner.Obj().Name(), id.Name)
					return true
				}
			}
		case *ast.CallExpr:
			if tool := c.toolOf(n); tool != nil && pos > n.Lparen {
				d.concern(CodeCall, serverOf(tool), tool.Name(), "")
				return true
			}
		case *ast.AssignStmt:
			if at := slices.IndexFunc(n.Rhs, func(e ast.Expr) bool { return e.Pos() <= pos && pos < e.End() }); at >= 0 && len(n.Lhs) == len(n.Rhs) {
				if sel, ok := ast.Unparen(n.Lhs[at]).(*ast.SelectorExpr); ok {
					if s, owner := serverStruct(c.info.TypeOf(sel.X)); s != nil {
						d.concern(CodeType, serverOf(owner.Obj()), owner.Obj().Name(), sel.Sel.Name)
						return true
					}
				}
			}
		case *ast.FuncLit:
			return false
		}
	}
	return false
}

// elementOfServer returns the server's struct type that t is, or that t is a list of, a map of,
// or a pointer to; otherwise nil.
func elementOfServer(t types.Type) *types.Named {
	for range 4 {
		if s, n := serverStruct(t); s != nil {
			return n
		}
		if t == nil {
			return nil
		}
		holder, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			return nil
		}
		t = holder.Elem()
	}
	return nil
}

// advices are the hints for faults by their codes, or the functions that write them.
var advices = map[code]struct {
	hint    string
	explain func(*checker, fault, *Diagnostic)
}{
	undeclaredName:         {"", (*checker).explainUndefined},
	undeclaredImportedName: {"", (*checker).explainUndefined},
	unexportedName:         {"", (*checker).explainUndefined},
	missingFieldOrMethod:   {"", (*checker).explainMember},
	missingLitField:        {"", (*checker).explainMember},
	wrongAssignCount:       {"", (*checker).explainMismatch},
	notAType:               {"", (*checker).explainNoType},
	wrongArgCount:          {"", (*checker).explainCall},
	tooManyValues:          {"", (*checker).explainMultiple},
	incompatibleAssign:     {"", (*checker).explainConversion},
	invalidIfaceAssign:     {"", (*checker).explainConversion},
	numericOverflow:        {"", (*checker).explainConversion},
	truncatedFloat:         {"", (*checker).explainConversion},
	wrongResultCount:       {"", (*checker).explainReturn},
	invalidRangeExpr:       {"", (*checker).explainNoList},
	nonIndexableOperand:    {"", (*checker).explainNoList},
	nonSliceableOperand:    {"", (*checker).explainNoList},
	invalidLen:             {"", (*checker).explainNoList},

	unusedVar:                {"check it: if err != nil { panic(err) }; or assign to _ where a failure does not matter", nil},
	invalidStructLit:         {"name the fields: T{Name: …}", nil},
	unexportedLitField:       {"name the fields: T{Name: …}", nil},
	missingReturn:            {"end every path of a function that has results with return or panic", nil},
	unsupportedFeature:       {olderHint, nil},
	tooNew:                   {olderHint, nil},
	unaddressableFieldAssign: {"a struct in a map cannot be changed in place: copy it, change it, store it", nil},
}

const olderHint = "remove the //go:build line: it selects an older release of Go, and scripts use the newest"

const anyHint = "a value of type any has to be asserted first: m, ok := v.(map[string]any); or decode the whole result: r.JSON(&x)"

// explainUndefined suggests names for an undefined one.
func (c *checker) explainUndefined(f fault, d *Diagnostic) {
	if at := slices.IndexFunc(c.refs, func(r reference) bool { return r.name.Pos() == f.Pos }); at >= 0 {
		c.explainQualified(c.refs[at], d)
		return
	}
	if at := slices.IndexFunc(c.refs, func(r reference) bool { return r.x.Pos() == f.Pos }); at >= 0 {
		c.explainPackage(c.refs[at], d)
		return
	}
	name := c.undefined(f)
	if callers[normal(name)] || strings.HasPrefix(name, "mcp__") {
		d.Hint = toolHint
		return
	}
	objects := c.visible(f.Pos)
	near := nearest(name, names(objects))
	if len(near) == 0 || distance(name, near[0]) > 0.1 {
		if known, library := everydayNames(name); len(known) > 0 {
			near, objects = known, library
		}
	}
	if len(near) > 0 {
		d.ask(near)
		d.Signatures = c.signatures(near[:1], objects)
		return
	}
	for _, n := range c.pathTo(f.Pos) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if n.Fun.Pos() == f.Pos {
				d.Hint = toolHint
			}
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN && slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return e.Pos() == f.Pos }) {
				d.Hint = "declare it where it gets its first value: " + name + " := …"
			}
		}
	}
}

const toolHint = `a tool is a Go function of its server's package: UseTools("show the commit history") and then log, err := git.Log(git.LogParams{…})`

// callers are functions that scripts for other harnesses use to call tools.
var callers = map[string]bool{"calltool": true, "usetool": true, "runtool": true, "invoketool": true, "executetool": true, "toolcall": true, "invoke": true, "call": true, "run": true, "execute": true}

// explainQualified suggests names for an undefined name of a package.
func (c *checker) explainQualified(r reference, d *Diagnostic) {
	name, ok := c.info.Uses[r.x].(*types.PkgName)
	if !ok {
		return
	}
	if server, ok := strings.CutPrefix(name.Imported().Path(), serverPrefix); ok {
		d.concern(CodeNoName, server, r.name.Name, "")
	}
	scope := export.Complete(name.Imported()).Scope()
	objects := map[string]types.Object{}
	var declared []string
	for _, n := range scope.Names() {
		o := scope.Lookup(n)
		_, refused := export.Refused(name.Imported().Path(), n)
		if !o.Exported() || refused {
			continue
		}
		objects[n] = o
		if _, ok := o.(*types.Func); ok {
			declared = append(declared, n)
		}
	}
	near := nearest(r.name.Name, names(objects))
	isUnit := c.units[name.Imported().Path()].Path != ""
	if isUnit && !c.isCalled(r) {
		declared = structTypes(name.Imported())
		near = nearest(r.name.Name, declared)
	}
	if len(near) > 0 {
		d.Signatures = c.signatures(near[:1], objects)
		for i := range near {
			near[i] = c.plain(r.x.Name) + "." + near[i]
		}
		d.ask(near)
		return
	}
	if len(declared) > 0 && isUnit {
		d.Hint = c.plain(r.x.Name) + " has " + listed(declared)
	}
}

// refusedPackages are packages that are used without an import and that scripts cannot import.
var refusedPackages = map[string]string{"debug": "runtime/debug", "exec": "os/exec", "ioutil": "io/ioutil", "net": "net", "reflect": "reflect",
	"runtime": "runtime", "signal": "os/signal", "sql": "database/sql", "syscall": "syscall", "testing": "testing", "unsafe": "unsafe"}

// explainPackage explains an undeclared identifier before a dot.
func (c *checker) explainPackage(r reference, d *Diagnostic) {
	name := r.x.Name
	if path := refusedPackages[name]; path != "" {
		d.Kind, d.Hint = Refused, "package "+path+" is not available to scripts: "+export.Advice(path)
		return
	}
	var servers []string
	for _, p := range c.serverPaths() {
		servers = append(servers, strings.TrimPrefix(p, serverPrefix))
	}
	objects := c.visible(r.x.Pos())
	// Variables are often named after the package: quaysList := quays.List().
	maps.DeleteFunc(objects, func(_ string, o types.Object) bool { return !isKnown(o.Type()) })
	near := nearest(name, append(servers, names(objects)...))
	isVariable := false
	if len(near) > 0 {
		_, isVariable = objects[near[0]].(*types.Var)
		isVariable = isVariable && distance(name, near[0]) < 0.3
	}
	if isServerName(name) && !isVariable && c.namesTool(r) {
		d.concern(CodeNoServer, name, r.name.Name, "")
	}
	if len(near) > 0 {
		d.ask(near)
	} else if len(servers) > 0 {
		d.Hint = "it is neither a variable nor a package; the servers declared here are " + listed(servers)
	} else {
		d.Hint = "it is neither a variable nor a package; declare the tools it stands for with UseTools"
	}
}

// namesTool reports whether a qualified name is called or is a type. A field of a variable
// would only be read.
func (c *checker) namesTool(r reference) bool {
	path := c.pathTo(r.name.Pos())
	for i, n := range path {
		if n.Pos() != r.x.Pos() || n.End() != r.name.End() || i == 0 {
			continue
		}
		switch parent := path[i-1].(type) {
		case *ast.CallExpr:
			return parent.Fun == n
		case *ast.CompositeLit:
			return parent.Type == n
		case *ast.ArrayType, *ast.MapType, *ast.ValueSpec, *ast.Field:
			return true
		}
	}
	return false
}

// visible returns the objects in scope at a position, including Go's predeclared names.
func (c *checker) visible(pos token.Pos) map[string]types.Object {
	out := map[string]types.Object{}
	scope := c.main.Types.Scope()
	if pos.IsValid() {
		if inner := scope.Innermost(pos); inner != nil {
			scope = inner
		}
	}
	for ; scope != nil; scope = scope.Parent() {
		for _, n := range scope.Names() {
			if _, ok := out[n]; !ok && n != "_" {
				out[n] = scope.Lookup(n)
			}
		}
	}
	return out
}

// everydayNames returns the function of a common package with an unqualified name, ignoring case.
func everydayNames(name string) ([]string, map[string]types.Object) {
	for _, path := range []string{"fmt", "strings", "slices", "maps", "sort", "strconv", "errors", "math"} {
		p, err := export.Importer().Import(path)
		if err != nil {
			continue
		}
		for _, n := range p.Scope().Names() {
			if strings.EqualFold(n, name) && token.IsExported(n) {
				full := path + "." + n
				return []string{full}, map[string]types.Object{full: p.Scope().Lookup(n)}
			}
		}
	}
	return nil, nil
}

// explainMember lists the fields and methods of a type that lacks the one in the script.
func (c *checker) explainMember(f fault, d *Diagnostic) {
	id, owner := c.member(f)
	if id == nil || owner == nil {
		return
	}
	if owner == types.Typ[types.Int] {
		d.Hint = "a range with one variable gives the index: for _, x := range xs"
		return
	}
	switch u := owner.Underlying().(type) {
	case *types.Interface:
		if u.Empty() {
			d.Hint = anyHint
			return
		}
		if callers[normal(id.Name)] {
			d.Hint = toolHint
			return
		}
	case *types.Slice, *types.Array:
		d.Hint = "it is a list: take an element first, x[i]." + id.Name + ", or range over it"
	}
	if d.Hint != "" {
		if elem := elementOfServer(owner); elem != nil {
			d.concern(CodeType, serverOf(elem.Obj()), elem.Obj().Name(), "")
		}
		return
	}
	if hidden := c.hidesPackage(f.Pos); hidden != "" {
		d.Hint = hidden + " is a variable here and hides the package servers/" + hidden + ": give it another name"
		return
	}
	if s, n := serverStruct(owner); s != nil {
		d.concern(CodeNoField, serverOf(n.Obj()), n.Obj().Name(), id.Name)
	}
	if field, inner := around(owner, id.Name); field != "" {
		right, of := matchOne(id.Name, fields(inner)), field
		s, _ := serverStruct(owner)
		if named(s.Field(fieldNamed(s, field)).Type()) != inner {
			of = "each element of " + field
		}
		d.Hint = fmt.Sprintf("%s is a field of %s, which has %s", right, of, listed(fields(inner)))
		d.Signatures = []string{c.typeLine(inner, []string{right})}
		return
	}
	has := members(owner)
	if given := c.givenBeside(id); given != nil {
		has = slices.DeleteFunc(fields(owner), func(name string) bool { return given[name] != nil })
	}
	near := nearest(id.Name, has)
	if all := fields(owner); len(near) == 0 && len(all) == 1 && f.code == missingFieldOrMethod {
		near = all
	}
	if len(near) > 0 {
		d.ask(near)
	}
	if line := c.typeLine(owner, near); line != "" {
		d.Signatures = []string{line}
	}
}

// explainNoList suggests the list fields of a struct that is used as a list.
func (c *checker) explainNoList(f fault, d *Diagnostic) {
	structOf := func(e ast.Expr) *types.Struct {
		if t := c.info.TypeOf(e); t != nil && e.Pos() == f.Pos {
			s, _ := deref(t).Underlying().(*types.Struct)
			return s
		}
		return nil
	}
	e, ok := innermost(c, f.Pos, func(e ast.Expr) bool { return structOf(e) != nil })
	if !ok {
		return
	}
	var lists []string
	for field := range structOf(e).Fields() {
		if _, isList := field.Type().Underlying().(*types.Slice); isList && field.Exported() {
			lists = append(lists, c.source(e)+"."+field.Name())
		}
	}
	switch d.Hint = "a struct is not a list, and none of its fields is one"; len(lists) {
	case 0:
	case 1:
		d.Hint = "a struct is not a list: use " + lists[0]
	default:
		d.Hint = "a struct is not a list: use one of its lists, " + listed(lists)
	}
}

// around returns the field of a server's struct whose struct type, or element type, has the
// field name, and that type: for example Body, if it wraps all arguments. It returns nothing if
// several fields fit.
func around(owner types.Type, name string) (field string, inner *types.Named) {
	s, _ := serverStruct(owner)
	if s == nil {
		return "", nil
	}
	for f := range s.Fields() {
		n := elementOfServer(f.Type())
		switch {
		case !f.Exported() || n == nil || matchOne(name, fields(n)) == "":
		case field != "":
			return "", nil
		default:
			field, inner = f.Name(), n
		}
	}
	return field, inner
}

// explainNoType suggests types for a function that is used as a type.
func (c *checker) explainNoType(f fault, d *Diagnostic) {
	at := slices.IndexFunc(c.refs, func(r reference) bool { return r.name.Pos() == f.Pos || r.x.Pos() == f.Pos })
	if at < 0 {
		return
	}
	r := c.refs[at]
	p, ok := c.info.Uses[r.x].(*types.PkgName)
	if !ok {
		return
	}
	if server, ok := strings.CutPrefix(p.Imported().Path(), serverPrefix); ok {
		d.concern(CodeCall, server, r.name.Name, "")
	}
	complete := export.Complete(p.Imported())
	near := nearest(r.name.Name, structTypes(complete))
	if len(near) == 0 {
		return
	}
	d.Hint = "it is a function; did you mean the type " + c.plain(r.x.Name) + "." + strings.Join(near, " or "+c.plain(r.x.Name)+".") + "?"
	d.Signatures = nil
	if o := complete.Scope().Lookup(near[0]); o != nil {
		d.Signatures = []string{c.signature(o)}
	}
}

// hidesPackage returns the name before a dot if it is a variable that shadows a server's
// package, or "".
func (c *checker) hidesPackage(pos token.Pos) string {
	sel, ok := innermost(c, pos, func(sel *ast.SelectorExpr) bool { return sel.Sel.Pos() == pos })
	if !ok {
		return ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || c.units[serverPrefix+id.Name].Path == "" {
		return ""
	}
	if _, isVar := c.info.Uses[id].(*types.Var); isVar {
		return id.Name
	}
	return ""
}

// explainMismatch shows the results of a call that is assigned to too few or too many variables.
func (c *checker) explainMismatch(f fault, d *Diagnostic) {
	for _, n := range slices.Backward(c.pathTo(f.Pos)) {
		var left int
		var right []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			left, right = len(n.Lhs), n.Rhs
		case *ast.ValueSpec:
			left, right = len(n.Names), n.Values
		default:
			continue
		}
		if len(right) != 1 {
			return
		}
		call, ok := ast.Unparen(right[0]).(*ast.CallExpr)
		if !ok {
			return
		}
		results := c.describeCall(call, d)
		if results != nil && results.Len() == left+1 && types.Identical(results.At(left).Type(), types.Universe.Lookup("error").Type()) {
			d.Hint = "take the error too: …, err := " + types.ExprString(call.Fun) + "(…)"
		}
		if results != nil && left == 2 && results.Len() == 1 {
			switch name := types.ExprString(call.Fun); {
			case name == "UseTools":
				d.Hint = "it returns only an error, and needs no variable: UseTools(…)"
			case strings.HasSuffix(name, ".JSON"):
				d.Hint = "it decodes into a variable: var v any; err := " + name + "(&v)"
			}
		}
		return
	}
}

// explainCall shows the signature of a function that is called with wrong arguments.
func (c *checker) explainCall(f fault, d *Diagnostic) {
	call, ok := innermost(c, f.Pos, func(call *ast.CallExpr) bool { return call.Lparen < f.Pos })
	if !ok {
		return
	}
	c.describeCall(call, d)
	c.explainToolCall(call, d)
	if c.isReturn(call) && slices.ContainsFunc(call.Args, c.isError) {
		d.Hint = "check the error first: if err != nil { panic(err) }; then Return(v)"
	}
}

// explainToolCall describes the arguments of a tool's function that is called with others.
func (c *checker) explainToolCall(call *ast.CallExpr, d *Diagnostic) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	fn, ok := c.info.Uses[sel.Sel].(*types.Func)
	if !ok || !ofServer(fn.Pkg()) || fn.Signature().Recv() != nil {
		return
	}
	if len(call.Args) > 0 {
		t := c.info.TypeOf(call.Args[0])
		if t != nil && t.String() == "context.Context" || !isKnown(t) && isContext(call.Args[0]) {
			d.Hint = "leave out the context: the harness applies the deadline"
			return
		}
	}
	name := c.plain(types.ExprString(call.Fun))
	if params := fn.Signature().Params(); params.Len() == 0 {
		d.Hint = "it takes no arguments: " + name + "()"
	} else {
		d.Hint = "its arguments are the fields of one struct: " + name + "(" + c.plain(types.ExprString(sel.X)) + "." + params.At(0).Type().(*types.Named).Obj().Name() + "{…})"
	}
}

// isContext reports whether an argument has the usual name of a context.
func isContext(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "ctx"
}

// explainMultiple describes how to use one of several results.
func (c *checker) explainMultiple(f fault, d *Diagnostic) {
	if call, ok := innermost(c, f.Pos, func(call *ast.CallExpr) bool { return call.Pos() == f.Pos }); ok {
		c.describeCall(call, d)
	}
	d.Hint = "assign the results first: v, err := …; then use v"
}

// describeCall adds the signature of the called function and returns its results.
func (c *checker) describeCall(call *ast.CallExpr, d *Diagnostic) *types.Tuple {
	var o types.Object
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		o = c.info.Uses[f]
	case *ast.SelectorExpr:
		o = c.info.Uses[f.Sel]
	}
	if o != nil && o.Pkg() != nil {
		d.Signatures = []string{c.signature(o)}
		if fn, ok := o.(*types.Func); ok && serverOf(fn) != "" {
			if d.concern(CodeCall, serverOf(fn), fn.Name(), ""); fn.Signature().Recv() != nil {
				d.Name, d.Member = receiver(fn), fn.Name()
			}
		}
	}
	if s, ok := c.typeOf(call.Fun).(*types.Signature); ok {
		return s.Results()
	}
	return nil
}

func (c *checker) typeOf(e ast.Expr) types.Type {
	if t := c.info.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return nil
}

// isNumber reports whether a type name is a predeclared integer or float type.
func isNumber(name string) bool {
	t, ok := types.Universe.Lookup(name).(*types.TypeName)
	if !ok {
		return false
	}
	b, ok := types.Unalias(t.Type()).(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0
}

// Regular expressions are compiled at first use, to keep the start of workers fast.
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`type ([^()]+)\) as (\S+) value in (argument)?`)
})

// explainConversion describes how to convert a value to the expected type.
func (c *checker) explainConversion(f fault, d *Diagnostic) {
	if c.explainConstant(f, d) {
		return
	}
	m := assigned().FindStringSubmatch(f.Msg)
	if m == nil {
		return
	}
	from, to := m[1], m[2]
	switch {
	case from == "int" && c.isIndex(f.Pos):
		d.Hint = "a range with one variable gives the index: for _, x := range xs"
	case isNumber(from) && isNumber(to):
		d.Hint = "convert it: " + to + "(…)"
	case to == "*"+from && strings.Contains(f.Msg, "(variable of "):
		d.Hint = "take its address: &x"
	case to == "*"+from:
		d.Hint = "make a pointer to it: new(x)"
	case from == "*"+to:
		d.Hint = "leave out the &, or take the value: *x"
	case strings.HasPrefix(from, "[]") && to == "[]any":
		d.Hint = "write the list as []any{…}"
	case from == "map[string]any" || from == "[]map[string]any" || strings.HasPrefix(from, "[]struct{") || strings.HasPrefix(from, "struct{"):
		d.Hint = "write it as " + to + "{…}"
	}
	if m[3] != "" && d.Hint == "" {
		c.explainCall(f, d)
	}
}

// isIndex reports whether the identifier at pos is the only variable of a range over a list.
func (c *checker) isIndex(pos token.Pos) bool {
	id, ok := innermost(c, pos, func(id *ast.Ident) bool { return c.info.Uses[id] != nil })
	if !ok {
		return false
	}
	at := c.info.Uses[id].Pos()
	r, ok := innermost(c, pos, func(r *ast.RangeStmt) bool { return r.Value == nil && r.Key != nil && r.Key.Pos() == at })
	return ok && !isNumber(types.TypeString(c.info.TypeOf(r.X), nil))
}

var constantAs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^cannot use (\S.*) \((?:untyped (string|int|float|bool|rune) constant|constant .* of type (\w+)).*\) as (\S+) value in`)
})

// namedConstant matches a constant or variable of a type that the script defines from the expected one.
var namedConstant = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(` of (\w+) type \S+\) as (\S+) value in`)
})

// explainConstant describes how to write a constant of the expected type.
func (c *checker) explainConstant(f fault, d *Diagnostic) bool {
	if m := namedConstant().FindStringSubmatch(f.Msg); m != nil && m[1] == m[2] {
		d.Hint = "convert it: " + m[2] + "(…)"
		return true
	}
	m := constantAs().FindStringSubmatch(f.Msg)
	if m == nil {
		return false
	}
	text, kind, to := m[1], cmp.Or(m[2], m[3]), m[4]
	elem, isList := strings.CutPrefix(to, "[]")
	pointed, isPointer := strings.CutPrefix(to, "*")
	switch {
	case isPointer && (pointed == kind || pointed == "float64" && kind == "float"):
		d.Hint = "make a pointer to it: new(" + text + ")"
	case isPointer && pointed == "float64" && kind == "int":
		d.Hint = "make a pointer to it: new(float64(" + text + "))"
	case isList && (elem == kind || elem == "any" || isNumber(elem) && isNumber(kind+"64")):
		d.Hint = "it is a list: " + to + "{" + text + "}"
	case kind == "string" && isNumber(to):
		d.Hint = "write a number"
	default:
		return false
	}
	return true
}

func (c *checker) explainReturn(f fault, d *Diagnostic) {
	if tooMany, _ := c.counted(f); !tooMany {
		d.Hint = "return a value for each result"
		return
	}
	d.Hint = "the function has fewer results"
	for _, n := range slices.Backward(c.pathTo(f.Pos)) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "main" {
				d.Hint = "return the script's value with Return(v)"
				if strings.Contains(f.Msg, "have (error)") {
					d.Hint = "main has no results: end the script with panic(err)"
				}
			}
			return
		}
	}
}
