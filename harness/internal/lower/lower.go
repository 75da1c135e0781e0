package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/internal/gotype"
	"github.com/usetools/usetools/harness/internal/native"
	"github.com/usetools/usetools/harness/internal/stdlib/source"
)

// Input is a program that go/types has accepted.
type Input struct {
	Fset *token.FileSet
	Info *types.Info // of all packages
	// Packages are lowered from source, in the order in which they are initialised; package
	// main is the last. A package whose functions have no bodies belongs to the host, and
	// package yaegi needs its symbols.
	Packages []Package
	// Place returns the file of a line of package main as log.Lshortfile names it, and the
	// line in that file. If nil, loggers do not get the place of a call.
	Place func(line int) (file string, at int)
	// Ordered makes a range over a map, sync.Map's Range and reflect's MapKeys visit keys
	// that can be ordered in an order that follows from the run's seed. If false, they use
	// Go's order, which is faster.
	Ordered bool
}

// A Package is one package of an Input.
type Package struct {
	Types *types.Package
	Files []*ast.File
	Init  []*types.Initializer // Info.InitOrder after this package was checked
}

// LibraryPrefix begins the import paths of library packages in a lowered program. Without
// it, the interpreter would replace some of their functions by versions that write to its
// own streams.
const LibraryPrefix = "std/"

// Program is a lowered program, ready for package yaegi.
type Program struct {
	Source string // one file of package main
	// Types are the types that the program names by number; 0 is nil.
	Types []types.Type
	// Structs has the numbers of the types of package t, by name: erased structs that the
	// program names, and interfaces and folded types that are made at run time. Type T of
	// the script is t.T_7 when Structs["T_7"] is 7.
	Structs map[string]int
	// Converters are the functions of package t, by the numbers of the types that
	// they convert to: To_5 to an interface, Fold_7 and Unfold_7 between a type
	// that contains itself without a struct in between and its underlying type.
	Converters map[string]int
	// Libraries are the import paths of the library packages used.
	Libraries []string
	// Funcs describes the functions of the lowered program that implement functions of the
	// script, by their lowered names.
	Funcs map[string]Func
	// Reflects reports whether the script imports reflect.
	Reflects bool
	// Uncounted reports whether the script uses timers whose methods package reflect or a
	// template may call.
	Uncounted bool
	// Makes is where the script first needs a type that is made at run time. Its Line is 0
	// if the position is not in the script's text. If nil, the script needs none.
	Makes *token.Position
	// Ordered is Input.Ordered.
	Ordered bool
	// Natives are the pure comparisons, which package native compiles.
	Natives []*native.Func
	// MapWrites are the lines on which a script that starts goroutines writes to maps. The
	// runtime ends the process when two goroutines write at once, and does not report the
	// line.
	MapWrites []int

	source map[*types.Package]bool
}

// A Func is a function of the script.
type Func struct {
	Name       string         // as Go prints it in a trace: main.(*T).M; "" for a function that is not the script's
	Start, End token.Position // of its body
	Script     bool           // written by the script's author, not part of the harness
	// Calls are the calls in it. With them, a trace can tell the line of this function from
	// the line of the function that it called.
	Calls []Call
	// Part reports whether this is a part of the function that calls it; the caller then
	// returns.
	Part bool
}

// A Call is one call in a function.
type Call struct {
	Callee string // in the lowered program; "" if it is known only at run time
	Line   int
}

// IsDispatcher reports whether the function of a lowered program with this name calls a
// method of an interface.
func IsDispatcher(name string) bool { return strings.HasPrefix(name, "d_") }

// IsSource reports whether pkg was lowered, so that its types are erased.
func (p *Program) IsSource(pkg *types.Package) bool { return p.source[pkg] || source.Is(pkg) }

// program is the state of one lowering.
type program struct {
	in    *Input
	units map[*types.Package]*unit
	out   *Program

	context    *types.Context
	locals     map[string]*types.Named // local types of generic functions by instance
	reshaped   map[*types.Named]bool   // see reshape
	inner      map[*types.Named]bool   // generic types that generic functions declare, and their instances
	decls      map[*types.Func]*declaration
	recovering map[string]bool      // the names of methods that may call recover
	older      map[*token.File]bool // files of a Go release in which a loop has one variable for all iterations
	usages     map[ast.Node]*usage
	made       map[ast.Expr]made // expressions made by the lowering
	work       []func()          // bodies still to be emitted
	funcs      strings.Builder
	inits      strings.Builder
	globals    map[types.Object]string
	names      map[string]string // names of instances, makers and wrappers, by keys that identify them
	counter    int

	numbers map[string][]int          // type numbers by type string
	sizes   map[types.Type]int64      // see size
	structs map[string][]erasedStruct // by the names of their fields
	imports map[string]string
	nils    map[string]string
	nilList []string

	methodSets map[int]*types.MethodSet // by type number
	boxed      map[int]bool             // types of values that became boxes
	boxOrder   []int
	reached    map[int]bool
	tables     []*dispatcher
	byMethod   map[string]*dispatcher
	register   strings.Builder

	written    map[*types.Var]bool // variables of libraries that the script changes
	concurrent bool                // the script starts goroutines
	templates  bool                // the script imports text/template or html/template
	position   token.Position      // of the statement being lowered
}

// unit is one source package with the tables of its checking.
type unit struct {
	pkg    *types.Package
	info   *types.Info
	fset   *token.FileSet
	script bool
}

type declaration struct {
	unit *unit
	decl *ast.FuncDecl
}

// Lower lowers a program. It returns a *Refusal for a construct that it cannot give Go's
// meaning.
func Lower(in *Input) (out *Program, err error) {
	p := &program{
		units: map[*types.Package]*unit{}, context: types.NewContext(), locals: map[string]*types.Named{}, inner: map[*types.Named]bool{}, reshaped: map[*types.Named]bool{},
		out:   &Program{Ordered: in.Ordered, Types: []types.Type{nil}, Structs: map[string]int{}, Converters: map[string]int{}, Funcs: map[string]Func{}, source: map[*types.Package]bool{}},
		decls: map[*types.Func]*declaration{}, recovering: map[string]bool{}, older: map[*token.File]bool{}, usages: map[ast.Node]*usage{}, made: map[ast.Expr]made{}, globals: map[types.Object]string{}, written: map[*types.Var]bool{}, names: map[string]string{},
		numbers: map[string][]int{}, sizes: map[types.Type]int64{}, structs: map[string][]erasedStruct{}, imports: map[string]string{}, nils: map[string]string{},
		methodSets: map[int]*types.MethodSet{}, boxed: map[int]bool{}, reached: map[int]bool{}, byMethod: map[string]*dispatcher{},
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal:
			out, err = nil, r
		default:
			panic(r)
		}
	}()
	if len(in.Packages) == 0 {
		return nil, &Refusal{Msg: "a program without packages"}
	}
	p.in = &Input{Fset: in.Fset, Info: in.Info, Place: in.Place}
	for _, pkg := range in.Packages {
		if !hasBodies(pkg) {
			continue // a library of the host's
		}
		p.in.Packages = append(p.in.Packages, pkg)
		p.out.source[pkg.Types] = true
		script := pkg.Types == in.Packages[len(in.Packages)-1].Types
		p.addUnit(&unit{pkg.Types, in.Info, in.Fset, script}, pkg.Files)
	}
	p.weigh()
	for _, file := range p.in.Packages[len(p.in.Packages)-1].Files {
		p.scanFile(file)
	}
	replaces, timers := false, false
	for _, imported := range p.units[p.in.Packages[len(p.in.Packages)-1].Types].pkg.Imports() {
		path := imported.Path()
		timers, p.out.Reflects = timers || path == "time", p.out.Reflects || path == "reflect"
		p.templates = p.templates || path == "text/template" || path == "html/template"
		replaces = replaces || source.ReplacesType(path)
	}
	p.out.Uncounted = timers && (p.out.Reflects || p.templates)
	if replaces {
		p.reshape(in.Info)
	}
	main := p.initialise()
	p.drain()
	p.finish(main)
	return p.out, nil
}

// scanFile notes whether a file of the script starts goroutines, with a go statement or
// through a library function that calls a function in a goroutine. It also notes the
// library variables that the file writes to or takes the address of.
func (p *program) scanFile(file *ast.File) {
	written := func(list ...ast.Expr) {
		for _, x := range list {
			if v := libraryVariableOf(p.in.Info, x); v != nil && !p.out.source[v.Pkg()] {
				p.written[v] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			p.concurrent = true
		case *ast.SelectorExpr:
			p.concurrent = p.concurrent || n.Sel.Name == "Go" || n.Sel.Name == "AfterFunc"
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				written(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				written(n.Key, n.Value)
			}
		case *ast.IncDecStmt:
			written(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				written(n.X)
			}
		}
		return true
	})
}

// libraryVariableOf returns the package variable that x is or is a part of, or nil.
func libraryVariableOf(info *types.Info, x ast.Expr) *types.Var {
	for {
		var id *ast.Ident
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			id = y
		case *ast.IndexExpr:
			x = y.X
			continue
		case *ast.SelectorExpr:
			id = y.Sel
			if v, ok := info.Uses[id].(*types.Var); !ok || v.IsField() {
				x = y.X
				continue
			}
		default:
			return nil
		}
		if v, ok := info.Uses[id].(*types.Var); ok && isPackageVariable(v) {
			return v
		}
		return nil
	}
}

// hasBodies reports whether the package is to be lowered. A package of declarations only is
// compiled into the host.
func hasBodies(pkg Package) bool {
	for _, file := range pkg.Files {
		for _, d := range file.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body == nil {
				return false
			}
		}
	}
	return true
}

func (p *program) addUnit(u *unit, files []*ast.File) {
	p.units[u.pkg] = u
	for _, file := range files {
		if v := file.GoVersion; v != "" && version.Compare(v, "go1.22") < 0 {
			p.older[u.fset.File(file.FileStart)] = true
		}
		for _, d := range file.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if f, ok := u.info.Defs[fd.Name].(*types.Func); ok {
				p.decls[f] = &declaration{u, fd}
				if fd.Recv != nil && fd.Body != nil && recovers(fd.Body) {
					p.recovering[fd.Name.Name] = true
				}
			}
		}
	}
}

// library loads the harness's own source of a library package and makes it known.
func (p *program) library(path string) *source.Package {
	l, err := source.Load(path)
	if err != nil {
		p.refuse("the library package %s: %v", path, err)
	}
	if p.units[l.Types] == nil {
		p.addUnit(&unit{l.Types, l.Info, l.Fset, false}, l.Files)
	}
	return l
}

// drain emits bodies until no new function, dispatch table or registration
// turns up.
func (p *program) drain() {
	for {
		for len(p.work) > 0 {
			next := p.work[0]
			p.work = p.work[1:]
			next()
		}
		if !p.fillTables() {
			return
		}
	}
}

// initialise names the package variables and returns the text of main: their initialisation
// in Go's order, the init functions, the script's main.
func (p *program) initialise() *fn {
	var f *fn
	for _, pkg := range p.in.Packages {
		u := p.units[pkg.Types]
		for _, file := range pkg.Files {
			p.nameGlobals(u, file)
		}
	}
	f = p.newFn(p.units[p.in.Packages[len(p.in.Packages)-1].Types], nil, nil)
	for _, pkg := range p.in.Packages {
		f.unit = p.units[pkg.Types]
		for _, in := range pkg.Init {
			f.initializer(in)
		}
		for _, file := range pkg.Files {
			for _, d := range file.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == "init" && fd.Body != nil {
					name := p.fresh("f_init")
					p.emitFunc(name, &declaration{f.unit, fd}, f.unit.info.Defs[fd.Name].(*types.Func), nil)
					f.w("%s()\n", name)
				}
			}
		}
	}
	main, _ := f.unit.pkg.Scope().Lookup("main").(*types.Func)
	if main == nil {
		p.refuse("a script without func main")
	}
	f.w("%s()\n", p.funcName(main, nil))
	return f
}

func (p *program) nameGlobals(u *unit, file *ast.File) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			for _, id := range spec.(*ast.ValueSpec).Names {
				v, ok := u.info.Defs[id].(*types.Var)
				if !ok || id.Name == "_" {
					continue
				}
				p.position = u.fset.Position(id.Pos())
				name := p.fresh("g_" + asciiName(id.Name))
				p.globals[v] = name
				fmt.Fprintf(&p.inits, "var %s %s\n", name, p.typ(v.Type()))
			}
		}
	}
}

// initializer emits the initialisation of package variables by one expression.
func (f *fn) initializer(in *types.Initializer) {
	if len(in.Lhs) == 0 {
		return
	}
	f.usage = f.p.usage(f.unit, in.Rhs)
	f.mark(in.Rhs)
	f.noteCalls(in.Rhs)
	var values []value
	if len(in.Lhs) > 1 {
		values = f.multi(in.Rhs)
	} else {
		values = []value{{f.to(in.Rhs, in.Lhs[0].Type()), in.Lhs[0].Type(), in.Rhs}}
	}
	for i, v := range in.Lhs {
		text := f.convert(values[i].text, values[i].typ, v.Type())
		if name := f.p.globals[v]; name != "" {
			f.w("%s = %s\n", name, text)
		} else {
			f.discard(text, v.Type())
		}
	}
}

// finish joins the parts in an order that the interpreter accepts: variables before their use.
func (p *program) finish(main *fn) {
	p.writeTables()
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"rt\"\n")
	if len(p.out.Structs)+len(p.out.Converters) > 0 {
		b.WriteString("\t\"t\"\n")
	}
	for path := range p.imports {
		p.out.Libraries = append(p.out.Libraries, path)
	}
	slices.Sort(p.out.Libraries)
	for _, path := range p.out.Libraries {
		fmt.Fprintf(&b, "\t%s %q\n", p.imports[path], LibraryPrefix+path)
	}
	b.WriteString(")\n\nvar ln *int = rt.Line()\n")
	for _, t := range p.nilList {
		fmt.Fprintf(&b, "var %s %s\n", p.nils[t], t)
	}
	b.WriteString(p.inits.String())
	b.WriteString(p.funcs.String())
	fmt.Fprintf(&b, "\nfunc main() {\n%s%s}\n", p.register.String(), main.out.String())
	p.out.Source = b.String()
}

// fresh returns a new unique name.
func (p *program) fresh(prefix string) string {
	p.counter++
	return fmt.Sprintf("%s_%d", prefix, p.counter)
}

// asciiName returns the name, or "v" if the interpreter does not accept its letters.
func asciiName(name string) string {
	for i := 0; i < len(name); i++ {
		if name[i] >= 0x80 {
			return "v"
		}
	}
	return name
}

const maxInstances = 4000 // functions and methods emitted for one script

// funcName returns the name of a function instance and ensures that its body is emitted.
func (p *program) funcName(f *types.Func, targs []types.Type) string {
	f = f.Origin()
	key := fmt.Sprintf("func %p", f)
	for _, t := range targs {
		key += fmt.Sprintf(" %d", p.entry(t))
	}
	if name, ok := p.names[key]; ok {
		return name
	}
	d := p.decls[f]
	if d == nil || d.decl.Body == nil {
		p.refuse("%s, which has no body here", f.FullName())
	}
	if len(p.names) > maxInstances {
		p.refuse("more than %d functions and methods, counting each instance of a generic one", maxInstances)
	}
	name := p.fresh("f_" + asciiName(f.Name()))
	p.names[key] = name
	params := f.Signature().TypeParams()
	if f.Signature().Recv() != nil {
		params = f.Signature().RecvTypeParams()
	}
	e := env{}
	for i := range params.Len() {
		e[params.At(i)] = targs[i]
	}
	p.work = append(p.work, func() { p.emitFunc(name, d, f, e) })
	return name
}

// methodName returns the lowered function of a method of a script type.
func (p *program) methodName(m *types.Func) string {
	recv := types.Unalias(m.Signature().Recv().Type())
	if ptr, ok := recv.(*types.Pointer); ok {
		recv = types.Unalias(ptr.Elem())
	}
	named := recv.(*types.Named)
	var targs []types.Type
	for i := range named.TypeArgs().Len() {
		targs = append(targs, named.TypeArgs().At(i))
	}
	return p.funcName(m, targs)
}

// emitFunc emits a declared function.
func (p *program) emitFunc(name string, d *declaration, f *types.Func, e env) {
	b := p.newFn(d.unit, e, p.usage(d.unit, d.decl))
	b.name, b.lowered = traceName(f), name
	p.position = d.unit.fset.Position(d.decl.Pos())
	sig := f.Signature()
	var params []string
	if p.isPlaced(f) {
		b.at = p.fresh("at")
		params = append(params, b.at+" string")
	}
	if d.decl.Recv != nil {
		params = append(params, b.param(sig.Recv()))
	}
	for i := range sig.Params().Len() {
		params = append(params, b.param(sig.Params().At(i)))
	}
	results := b.body(sig, d.decl.Body)
	fmt.Fprintf(&p.funcs, "\nfunc %s(%s) %s {\n%s}\n", name, strings.Join(params, ", "), results, b.out.String())
	b.describe(d.decl.Body)
}

// describe records which function of the script a lowered function implements.
func (f *fn) describe(body *ast.BlockStmt) {
	u := f.unit
	f.p.out.Funcs[f.lowered] = Func{f.name, u.fset.Position(body.Lbrace), u.fset.Position(body.Rbrace), u.script, f.calls, false}
}

func traceName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Pkg().Name() + "." + f.Name()
	}
	t := types.Unalias(recv.Type())
	if ptr, ok := t.(*types.Pointer); ok {
		return fmt.Sprintf("%s.(*%s).%s", f.Pkg().Name(), ptr.Elem().(*types.Named).Obj().Name(), f.Name())
	}
	return fmt.Sprintf("%s.%s.%s", f.Pkg().Name(), t.(*types.Named).Obj().Name(), f.Name())
}

// typeName returns a type as messages write it.
func typeName(t types.Type) string { return gotype.TypeName(t) }
