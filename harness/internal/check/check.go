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

// Options configure a check. If nil, only the standard library is available to the script.
type Options struct {
	// Units are the packages outside the standard library: servers/<name>, discovery, and their
	// imports. Only those that the script reaches are checked.
	Units []Unit

	// Prelude is the source of a host package whose exported names are predeclared in the
	// script, like Go's own: the script can shadow them at package level or in a block. If
	// empty, no names are added.
	Prelude string

	// Strict reports everything that is otherwise corrected with a warning as an error.
	Strict bool
}

// A Unit is a package given as source code.
type Unit struct {
	Path   string // "servers/git"
	Name   string // another name that scripts may use for it: "mcp-server-git"
	Source string
	Host   bool // compiled into the program: its functions have no bodies, and scripts cannot import it
}

// maxCheck is the time limit of a check. Typical scripts take a thousandth of it.
const maxCheck = 3 * time.Second

// preludePath is the import path of the predeclared names.
const preludePath = "usetools/prelude"

// Checked is a script that Go accepts, with all that is known about it.
type Checked struct {
	Fset     *token.FileSet // positions in the script refer to the text as sent
	Packages []*Package     // the reachable packages, each after its imports; the script's is the last
	Info     *types.Info    // for the syntax of all Packages
	Importer types.Importer // for the standard library and Packages
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

// Diagnose returns a diagnostic of the given kind at a line and column of the script, for
// stages that refuse well-typed code. If line is 0, it has no position.
func (c *Checked) Diagnose(line, column int, kind, message, hint string) Diagnostic {
	d := Diagnostic{Kind: kind, Line: line, Column: column, Message: message, Hint: hint}
	return tidy([]Diagnostic{d}, c.checker.text)[0]
}

// Check type-checks the script as Go 1.26 does, and checks tools' arguments as far as they are
// known before a run. It reports all mistakes of the script together, at most 20, sorted by
// position and without those that follow from others. If there are any, the result is nil. A
// fault of a unit or of the prelude has the kind [Internal] and is reported alone.
//
// Call Check once per Script: it corrects the script's syntax tree where it forgives a mistake.
// It gives up after 3 s, because a few lines can keep go/types busy forever, which cannot be
// interrupted. The check then continues in the background, so the process should exit soon.
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
			Hint: "declare fewer types, or let them refer to each other through pointers"}}
	}
	return &Checked{Fset: s.fset, Packages: append(c.done, c.main), Info: c.info, Importer: c, Unused: c.unused,
		Warnings: tidy(slices.Concat(s.warnings, s.notes, c.doubts), s.text), checker: c}, nil
}

type checker struct {
	*Script
	units   map[string]Unit
	checked map[string]*Package
	done    []*Package // the values of checked, each after its imports
	busy    []string   // units being checked, to detect cycles
	info    *types.Info
	main    *Package
	library types.Importer // of the standard library, for the package being checked
	prelude *types.Package // the names of the prelude that the script uses
	aliases map[string]string
	untidy  []fault // unused variables and imports in the script's last check
	unused  map[types.Object]bool
	doubts  []Diagnostic // findings of vet
	strict  bool
	failed  bool // some imports failed and were reported
	// standing are faults that were reported and then corrected in the syntax tree, so that the
	// mistakes that they hide are found too.
	standing []Diagnostic
	guesses  []guess // types substituted for unknown ones in the script
	// shortfile is the first use of log.Lshortfile in the script, or nil.
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

// run checks the parsed script and returns its faults.
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
	reported := map[string]bool{}
	for _, f := range c.ownFaults(faults, at) {
		if !reported[f.Msg] && len(reported) < maxDiagnostics {
			reported[f.Msg] = true
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

// missingUnits reports imports of server packages that are not among the units. It drops one
// that the script does not use, like any unused import.
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
			c.correct(spec.Path.Pos(), p, right)
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

// namesOfMissing reports the names that the script uses of a missing server package, each once.
// For a function and its parameter type, it reports the function only.
func (c *checker) namesOfMissing(pkg string, refs []reference) []Diagnostic {
	reported := map[string]bool{}
	for _, r := range refs {
		reported[r.name.Name+paramsSuffix] = true
	}
	for _, a := range c.literalArguments() {
		if slices.ContainsFunc(refs[:min(len(refs), maxCorrected)], func(r reference) bool { return r.name == a.of }) {
			reported[a.of.Name] = true
		}
	}
	var list []Diagnostic
	for _, r := range refs {
		if name := r.name.Name; !reported[name] && len(list) < maxDiagnostics {
			reported[name] = true
			d := c.diagnose(Compile, r.x.Pos(), "undefined: %s.%s", r.x.Name, name)
			d.concern(CodeNoServer, pkg, name, "")
			list = append(list, d)
		}
	}
	return list
}

// paramsSuffix is the suffix that the generator appends to a function's name to name the type
// of its parameters.
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

// serverNamed returns the path of the only server package with a name, by the package's or the
// server's name, ignoring case and punctuation; otherwise "".
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

// Import returns a unit, which it checks at the first request, or a standard package.
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

// takeInitOrder empties Info.InitOrder, because checking the next package would overwrite it.
func (c *checker) takeInitOrder() []*types.Initializer {
	order := slices.Clone(c.info.InitOrder)
	c.info.InitOrder = nil
	return order
}

// checkScript type-checks the script once and returns the errors of go/types, except unused
// variables, imports and labels.
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
			// a continuation of the error before: see types.Config.Error
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
	_ = pass.Files(p.Files) // all errors were reported to conf.Error
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
		// After any error, even one that is tolerated here, go/types does not detect generics
		// that instantiate themselves without end. A pass over no more files does.
		_ = pass.Files(nil)
		c.info.InitOrder = nil
	}
	c.main = p
	return faults
}

// forget drops the results of the script's last check, which would survive where this check
// cannot determine a type.
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

// losesError reports whether an unused variable is an error. Ignoring it would turn a failure
// into a wrong result.
func losesError(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && types.Identical(v.Type(), types.Universe.Lookup("error").Type())
}

// definitions returns the declared objects by their positions.
func (c *checker) definitions() map[token.Pos]types.Object {
	at := make(map[token.Pos]types.Object, len(c.info.Defs))
	for id, o := range c.info.Defs {
		if o != nil {
			at[id.Pos()] = o
		}
	}
	return at
}

// noteUnused warns of unused variables, imports and labels, which Go would refuse.
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

// noteUncalled warns of methods of results that are passed as a value of type any instead of
// being called: fmt.Println(r.Text) prints an address.
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
				c.warn(sel.Sel.Pos(), "%s is a method: call %s()", name, name)
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

// plain replaces the aliases of packages that share an identifier with the name in the script.
func (c *checker) plain(message string) string {
	for alias, name := range c.aliases {
		message = strings.ReplaceAll(message, alias, name)
	}
	return message
}

// refusedNames reports the names of allowed packages that scripts may not use, and their positions.
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
				continue // checked first, because finding its struct takes longer
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

// setToFalse reports whether the field of a literal is set to false, its zero value.
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
	scope := export.Complete(field.Pkg()).Scope()
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok {
			if s, ok := t.Type().Underlying().(*types.Struct); ok && slices.Contains(slices.Collect(s.Fields()), field) {
				return name
			}
		}
	}
	return ""
}

// receiver returns the name of a method's receiver type.
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
