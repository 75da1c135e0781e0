package check

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/usetools/usetools/harness/internal/stack"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/registry/text"
)

// Options configure a check. If nil, the script has the standard library only.
type Options struct {
	// Units are the packages that are not Go's: servers/<name>, discovery, and
	// what those import. Only what the script reaches is checked.
	Units []Unit

	// Prelude is the source of a package of the host whose exported names the
	// script has predeclared, like Go's own: a declaration of the script at
	// package level or in a block hides them. Empty means none.
	Prelude string

	// Strict makes an error of everything that is otherwise mended with a
	// warning.
	Strict bool
}

// A Unit is a package given as source.
type Unit struct {
	Path   string // "servers/git"
	Name   string // what scripts may call it as well: "mcp-server-git"
	Source string
	Host   bool // compiled into the program: its functions have no bodies, and scripts cannot import it
}

// maxCheck bounds a check; usual scripts take a thousandth of it.
const maxCheck = 3 * time.Second

// preludePath is the import path of the predeclared names.
const preludePath = "usetools/prelude"

// Checked is a script that Go accepts, with all that is known about it.
type Checked struct {
	Fset     *token.FileSet // positions in the script are those of the text as sent
	Packages []*Package     // what the script reaches of its own and of generated code, each after what it imports; the script is the last
	Info     *types.Info    // about the syntax of all Packages
	Importer types.Importer // of the standard library and of Packages
	Unused   map[types.Object]bool
	Warnings []Diagnostic
	checker  *checker
}

// A Package is one type-checked package of a [Checked].
type Package struct {
	Path      string
	Types     *types.Package
	Files     []*ast.File
	InitOrder []*types.Initializer
}

// LogPlaces returns a function that maps a line of the script as sent to its file and the
// line there. It returns nil if the script does not use log.Lshortfile.
func (c *Checked) LogPlaces() func(line int) (file string, at int) {
	if c.checker.shortfile == nil {
		return nil
	}
	return func(line int) (string, int) {
		if c.checker.parts == nil {
			return fileName, line
		}
		return Place(c.checker.parts, line)
	}
}

// Main returns the package of the script.
func (c *Checked) Main() *Package { return c.Packages[len(c.Packages)-1] }

// Diagnose makes a diagnostic of the given kind at a line and column of the
// script, for stages that refuse what the types allow. Line 0 means no place.
func (c *Checked) Diagnose(line, column int, kind, message, hint string) Diagnostic {
	d := Diagnostic{Kind: kind, Line: line, Column: column, Message: message, Hint: hint}
	return tidy([]Diagnostic{d}, c.checker.text)[0]
}

// Check type-checks the script as Go 1.26 does, and checks what goes into tools'
// arguments as far as it is known before a run. It reports all mistakes of the
// script together, at most 20 and without what follows from others, sorted by
// position; when there is any, the result is nil. A fault of a unit or of the
// prelude has the kind [Internal], and is reported alone.
//
// It corrects the script's syntax tree where a mistake is forgiven, so that a
// Script is checked once. It gives up after 3 s: a few lines can keep go/types
// busy for ever, which cannot be interrupted. The check then goes on in the
// background, so that the process should end soon.
func (s *Script) Check(o *Options) (*Checked, []Diagnostic) {
	if o == nil {
		o = &Options{}
	}
	c := newChecker(s, o)
	answer := make(chan []Diagnostic, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil { // a bug of go/types must not end the worker
				answer <- []Diagnostic{{Kind: Internal, Message: text.CutBytes(fmt.Sprintf("checking the script failed: %v", fault), maxMessage)}}
			}
		}()
		stack.Grow()
		answer <- c.run()
	}()
	select {
	case list := <-answer:
		if len(list) > 0 {
			return nil, tidy(list, s.text)
		}
	case <-time.After(maxCheck):
		return nil, []Diagnostic{{Kind: Refused, Message: fmt.Sprintf("the script's types take more than %v to check", maxCheck),
			Hint: "declare fewer types, or let them hold each other through pointers"}}
	}
	return &Checked{Fset: s.fset, Packages: append(c.done, c.main), Info: c.info, Importer: c, Unused: c.unused,
		Warnings: tidy(slices.Concat(s.warnings, s.notes, c.doubts), s.text), checker: c}, nil
}

type checker struct {
	*Script
	units   map[string]Unit
	checked map[string]*Package
	done    []*Package // the values of checked, each after what it imports
	busy    []string   // units whose check has begun, to see cycles
	info    *types.Info
	main    *Package
	library types.Importer // of the standard library, for the package that is being checked
	prelude *types.Package // what the script uses of it
	aliases map[string]string
	untidy  []fault // what the last check of the script found unused
	unused  map[types.Object]bool
	doubts  []Diagnostic // what vet finds
	strict  bool
	failed  bool // some imports failed, which was reported
	// standing are faults whose places were changed since, so that what they
	// hide is seen too.
	standing []Diagnostic
	guesses  []guess // types that were put where the script names others
	// shortfile is the first log.Lshortfile of the script, where there is one.
	shortfile *ast.Ident
}

func newChecker(s *Script, o *Options) *checker {
	c := &checker{Script: s, strict: o.Strict, units: map[string]Unit{}, checked: map[string]*Package{}, aliases: map[string]string{}, unused: map[types.Object]bool{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}}}
	for _, u := range o.Units {
		c.units[u.Path] = u
	}
	if o.Prelude != "" {
		c.units[preludePath] = Unit{Path: preludePath, Source: o.Prelude, Host: true}
	}
	return c
}

// run takes the script from syntax to types.
func (c *checker) run() []Diagnostic {
	if err := c.predeclare(); err != nil {
		return []Diagnostic{{Kind: Internal, Message: err.Error()}}
	}
	c.qualifyPrints()
	list := append(c.faults, c.missingUnits()...)
	if at := slices.IndexFunc(list, func(d Diagnostic) bool { return d.Kind == Internal }); at >= 0 {
		return list[at : at+1]
	}
	list = append(list, c.bind()...)
	c.failed = len(list) > 0
	faults := c.forgive(c.checkScript())
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Compare(a.Pos, b.Pos) })
	refused, at := c.refusedNames()
	said := map[string]bool{}
	for _, f := range c.ownFaults(faults, at) {
		if !said[f.Msg] && len(said) < maxDiagnostics {
			said[f.Msg] = true
			list = append(list, c.explain(f))
		}
	}
	list = slices.Concat(list, c.standing, refused, c.refusedPlaces())
	list = append(list, c.required(list)...)
	list = append(list, c.dropped()...)
	if list = c.settle(list); len(list) == 0 {
		c.noteUnused()
		c.noteUncalled()
		c.vet()
	}
	if c.strict {
		for _, w := range c.warnings {
			w.Kind = Compile
			list = append(list, w)
		}
	}
	return list
}

// missingUnits reports imports of server packages that were not given. One that
// the script does not use is dropped, as an unused import of a given one is.
func (c *checker) missingUnits() []Diagnostic {
	var list []Diagnostic
	for _, f := range c.files {
		list = append(list, c.missingUnitsOf(f)...)
	}
	return list
}

func (c *checker) missingUnitsOf(f *file) []Diagnostic {
	referred := map[string][]reference{}
	for _, r := range c.refs {
		if r.file == f {
			referred[r.x.Name] = append(referred[r.x.Name], r)
		}
	}
	var list []Diagnostic
	dropped := map[ast.Spec]bool{}
	for _, spec := range f.Imports {
		p := importedPath(spec)
		if p != discoveryPath && !strings.HasPrefix(p, serverPrefix) {
			continue
		}
		_, err := c.Import(p)
		var missing *missingUnitError
		switch {
		case err == nil:
		case !errors.As(err, &missing):
			list = append(list, c.diagnose(Internal, spec.Path.Pos(), "%s", err))
		case len(referred[importedName(spec)]) == 0:
			dropped[spec] = true
			c.warn(spec.Path.Pos(), "%q imported and not used", p)
		case c.serverNamed(strings.TrimPrefix(p, serverPrefix)) != "":
			right := c.serverNamed(strings.TrimPrefix(p, serverPrefix))
			c.warn(spec.Path.Pos(), "package %s: taken as %s", p, right)
			if spec.Name == nil {
				spec.Name = &ast.Ident{NamePos: spec.Path.Pos(), Name: importedName(spec)}
			}
			spec.Path.Value = strconv.Quote(right)
		default:
			d := c.diagnose(Compile, spec.Path.Pos(), "%s", err)
			if near := nearest(p, c.serverPaths()); len(near) > 0 {
				d.ask([]string{strconv.Quote(near[0])})
			}
			d.concern(CodeNoServer, strings.TrimPrefix(p, serverPrefix), "", "")
			list = append(append(list, d), c.namesOfMissing(d.Package, referred[importedName(spec)])...)
		}
	}
	if len(dropped) > 0 {
		f.dropImports(dropped)
	}
	return list
}

// namesOfMissing reports what the script uses of a server's package that is not
// there, each name once, and of a function and its parameters' type the function.
func (c *checker) namesOfMissing(pkg string, refs []reference) []Diagnostic {
	said := map[string]bool{}
	for _, r := range refs {
		said[r.name.Name+paramsSuffix] = true
	}
	for _, a := range c.literalArguments() {
		if slices.ContainsFunc(refs[:min(len(refs), maxCorrected)], func(r reference) bool { return r.name == a.of }) {
			said[a.of.Name] = true
		}
	}
	var list []Diagnostic
	for _, r := range refs {
		if name := r.name.Name; !said[name] && len(list) < maxDiagnostics {
			said[name] = true
			d := c.diagnose(Compile, r.x.Pos(), "undefined: %s.%s", r.x.Name, name)
			d.concern(CodeNoServer, pkg, name, "")
			list = append(list, d)
		}
	}
	return list
}

// paramsSuffix is what the generator appends to a function's name to name the
// type of its parameters.
const paramsSuffix = "Params"

func (c *checker) serverPaths() []string {
	var out []string
	for _, p := range slices.Sorted(maps.Keys(c.units)) {
		if strings.HasPrefix(p, serverPrefix) {
			out = append(out, p)
		}
	}
	return out
}

// serverNamed returns the path of the one server's package that has a name, or
// whose server has it, when case and punctuation are ignored; else "".
func (c *checker) serverNamed(name string) string {
	want := folded(name)
	return only(c.serverPaths(), func(p string) bool {
		return want != "" && (folded(strings.TrimPrefix(p, serverPrefix)) == want || folded(c.units[p].Name) == want)
	})
}

// folded returns the letters and digits of a name in lower case.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

type missingUnitError struct{ path string }

func (e *missingUnitError) Error() string { return fmt.Sprintf("package %s is not there", e.path) }

// Import returns a unit, checked when it is first asked for, or a standard
// package.
func (c *checker) Import(p string) (*types.Package, error) {
	if p == predeclaredPath {
		return c.prelude, nil
	}
	if done := c.checked[p]; done != nil {
		return done.Types, nil
	}
	u, ok := c.units[p]
	if !ok {
		if strings.HasPrefix(p, serverPrefix) || p == discoveryPath {
			return nil, &missingUnitError{p}
		}
		return c.library.Import(p)
	}
	if slices.Contains(c.busy, p) {
		return nil, fmt.Errorf("import cycle: %s imports itself through %s", p, strings.Join(c.busy, ", "))
	}
	if u.Host {
		t, err := importCompiled(u, c.units)
		if err != nil {
			return nil, fmt.Errorf("package %s does not compile: %w", p, err)
		}
		return t, nil
	}
	c.busy = append(c.busy, p)
	defer func() { c.busy = c.busy[:len(c.busy)-1] }()
	done, err := c.checkUnit(u)
	if err != nil {
		return nil, fmt.Errorf("package %s does not compile: %w", p, err)
	}
	c.checked[p] = done
	c.done = append(c.done, done)
	return done.Types, nil
}

func (c *checker) checkUnit(u Unit) (*Package, error) {
	file, err := parser.ParseFile(c.fset, path.Clean(u.Path)+".go", u.Source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	outer := c.library
	c.library = export.ImporterFor(file)
	defer func() { c.library = outer }()
	conf := types.Config{GoVersion: goVersion, Sizes: sizes, Importer: c}
	p := &Package{Path: u.Path, Files: []*ast.File{file}}
	p.Types, err = conf.Check(u.Path, c.fset, p.Files, c.info)
	p.InitOrder = c.takeInitOrder()
	return p, err
}

const goVersion = "go1.26"

var sizes = types.SizesFor("gc", "amd64")

// takeInitOrder empties Info.InitOrder, which the next package would overwrite.
func (c *checker) takeInitOrder() []*types.Initializer {
	order := slices.Clone(c.info.InitOrder)
	c.info.InitOrder = nil
	return order
}

// checkScript type-checks the script once and returns what Go has against it.
// Variables, imports and labels that are not used are no faults here.
func (c *checker) checkScript() []fault {
	if c.main != nil {
		c.forget()
	}
	var faults []fault
	c.untidy = nil
	conf := types.Config{GoVersion: goVersion, Sizes: sizes, Importer: c, Error: func(err error) {
		switch f := faultOf(err); {
		case f.isUntidy():
			c.untidy = append(c.untidy, f)
		case strings.HasPrefix(f.Msg, "\t"):
			// the other place of the fault before: types.Config.Error says so
		default:
			faults = append(faults, f)
		}
	}}
	p := &Package{Path: "main", Types: types.NewPackage("main", "main")}
	for _, f := range c.files {
		p.Files = append(p.Files, f.File)
	}
	c.library = export.ImporterFor(p.Files...)
	pass := types.NewChecker(&conf, c.fset, p.Types, c.info)
	_ = pass.Files(p.Files) // all errors have come through conf.Error
	p.InitOrder = c.takeInitOrder()
	if len(c.untidy) > 0 {
		at := c.definitions()
		c.untidy = slices.DeleteFunc(c.untidy, func(e fault) bool {
			lost := losesError(at[e.Pos])
			if lost {
				faults = append(faults, e)
			}
			return lost
		})
	}
	if len(faults) == 0 && len(c.untidy) > 0 {
		// After any error, even one that is tolerated here, go/types does not
		// look for generics that instantiate themselves without end. A pass
		// over no more files makes up for it.
		_ = pass.Files(nil)
		c.info.InitOrder = nil
	}
	c.main = p
	return faults
}

// forget drops what the last check of the script found, which what this one
// cannot understand would keep.
func (c *checker) forget() {
	drop(c, c.info.Types)
	drop(c, c.info.Defs)
	drop(c, c.info.Uses)
	drop(c, c.info.Implicits)
	drop(c, c.info.Selections)
	drop(c, c.info.Instances)
}

func drop[N interface {
	comparable
	ast.Node
}, V any](c *checker, m map[N]V) {
	maps.DeleteFunc(m, func(n N, _ V) bool { return c.holds(n.Pos()) })
}

// losesError reports whether a variable that is never read holds an error. To
// let that pass would turn a failure into a wrong result.
func losesError(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && types.Identical(v.Type(), types.Universe.Lookup("error").Type())
}

// definitions returns the declared objects by their places.
func (c *checker) definitions() map[token.Pos]types.Object {
	at := make(map[token.Pos]types.Object, len(c.info.Defs))
	for id, o := range c.info.Defs {
		if o != nil {
			at[id.Pos()] = o
		}
	}
	return at
}

// noteUnused warns of what Go would refuse for tidiness only.
func (c *checker) noteUnused() {
	at := c.definitions()
	for n, o := range c.info.Implicits {
		if spec, ok := n.(*ast.ImportSpec); ok {
			at[spec.Pos()] = o
		}
	}
	for _, e := range c.untidy {
		if !c.holds(e.Pos) {
			continue // an import that was added
		}
		if o := at[e.Pos]; o != nil {
			c.unused[o] = true
		}
		c.warn(e.Pos, "%s", c.plain(e.Msg))
	}
}

// noteUncalled warns of methods of results that are given away where any value
// goes: fmt.Println(r.Text) prints an address.
func (c *checker) noteUncalled() {
	c.inspect(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for i, arg := range call.Args {
			sel, ok := ast.Unparen(arg).(*ast.SelectorExpr)
			if !ok {
				continue
			}
			s := c.info.Selections[sel]
			if s != nil && s.Kind() == types.MethodVal && c.isUnits(s.Recv()) && c.takesAny(call, i) {
				name := c.plain(types.ExprString(sel))
				c.warn(sel.Sel.Pos(), "%s is a method: %s() has its result", name, name)
			}
		}
		return true
	})
}

// takesAny reports whether the parameter for an argument is of type any.
func (c *checker) takesAny(call *ast.CallExpr, arg int) bool {
	sig, ok := c.typeOf(call.Fun).(*types.Signature)
	if !ok || sig.Params().Len() == 0 {
		return false
	}
	t := sig.Params().At(min(arg, sig.Params().Len()-1)).Type()
	if list, ok := t.(*types.Slice); ok && sig.Variadic() && arg >= sig.Params().Len()-1 {
		t = list.Elem()
	}
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

// plain gives packages that share an identifier the name that the script uses.
func (c *checker) plain(message string) string {
	for alias, name := range c.aliases {
		message = strings.ReplaceAll(message, alias, name)
	}
	return message
}

// refusedNames reports names of allowed packages that scripts may not use, and
// where they stand.
func (c *checker) refusedNames() (list []Diagnostic, at []token.Pos) {
	for id, o := range c.info.Uses {
		if o.Pkg() == nil || !o.Exported() || !c.holds(id.Pos()) || c.units[o.Pkg().Path()].Path != "" {
			continue
		}
		name := o.Name()
		if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
			name = receiver(f) + "." + name
		} else if v, ok := o.(*types.Var); ok && v.IsField() {
			if !export.RefusesMember(o.Pkg().Path(), name) || c.setToFalse(id) {
				continue // which is quicker to know than its struct
			}
			name = structOf(v) + "." + name
		} else if o.Parent() != o.Pkg().Scope() {
			continue
		}
		if advice, refused := export.Refused(o.Pkg().Path(), name); refused {
			d := c.diagnose(Refused, id.Pos(), "%s.%s is not available to scripts", o.Pkg().Name(), name)
			d.Hint = advice
			list, at = append(list, d), append(at, id.Pos())
		}
	}
	return list, at
}

// setToFalse reports whether a field of a literal is set to false, which it is anyway.
func (c *checker) setToFalse(id *ast.Ident) bool {
	path := c.pathTo(id.Pos())
	kv, ok := path[max(len(path)-2, 0)].(*ast.KeyValueExpr)
	if !ok || kv.Key != id {
		return false
	}
	v := c.info.Types[kv.Value].Value
	return v != nil && v.Kind() == constant.Bool && !constant.BoolVal(v)
}

// structOf returns the name of the struct type that has a field.
func structOf(field *types.Var) string {
	scope := export.Whole(field.Pkg()).Scope()
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok {
			if s, ok := t.Type().Underlying().(*types.Struct); ok && slices.Contains(slices.Collect(s.Fields()), field) {
				return name
			}
		}
	}
	return ""
}

// receiver returns the name of a method's type.
func receiver(f *types.Func) string {
	t := f.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}
