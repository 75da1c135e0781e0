package check

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// Limits of a script's phrases.
const (
	maxPhrases    = 64
	maxPhraseSize = 1 << 10 // bytes
)

// A Phrase is an argument of UseTools.
type Phrase struct {
	Text         string
	Line, Column int
	Handled      bool // the script reads UseTools' error, so an unresolved phrase need not stop it
}

// A Name is a name of a server package that the script uses. It is reported once, at its first use.
type Name struct {
	Package      string // of servers/<package>
	Name         string // as the script writes it: GitLog, git_log
	Line, Column int
	Imported     bool // if false, the import is missing and Package is only a guess
	Std          bool // a standard package of that name has it too, so it may not be the server's
	// Fields are the field names in literals of the type Name, or the keys of a map passed to
	// the function Name: at most 20, of at most 60 bytes each.
	Fields []string
}

// Phrases returns the arguments of UseTools in source order.
func (s *Script) Phrases() []Phrase { return slices.Clone(s.phrases) }

// Used returns the names that the script uses of server packages, and of packages that it does
// not import and that are not in the standard library. It finds them by syntax alone, before
// types are known.
func (s *Script) Used() []Name { return slices.Clone(s.used) }

// A reference is a qualified name x.name whose x the script does not declare.
type reference struct {
	x, name *ast.Ident
	file    *file
}

// findNames collects phrases and references, and reports uses of UseTools whose phrases are
// unknown before the script runs.
func (s *Script) findNames() []Diagnostic {
	c := collector{s: s, free: map[*ast.Ident]bool{}, ignored: map[ast.Expr]bool{}, called: map[*ast.Ident]bool{}, sizes: map[ast.Expr]int{}}
	for _, f := range s.files {
		c.file = f
		for _, id := range f.Unresolved {
			c.free[id] = true
		}
		ast.Inspect(f.File, c.visit)
		for _, id := range f.Unresolved {
			if id.Name == "UseTools" && !c.called[id] {
				d := s.diagnose(Refused, id.Pos(), "UseTools is not called here")
				d.Hint = `call it with constant phrases: UseTools("what the tool should do")`
				c.bad = append(c.bad, d)
			}
		}
	}
	slices.SortStableFunc(s.phrases, func(a, b Phrase) int { return cmp.Compare(a.Line, b.Line) })
	s.used = s.usedNames()
	return c.bad
}

type collector struct {
	s       *Script
	file    *file
	free    map[*ast.Ident]bool // declared neither at package level nor in an enclosing block
	ignored map[ast.Expr]bool   // calls whose results are unused
	called  map[*ast.Ident]bool
	sizes   map[ast.Expr]int // bytes of constant strings
	bad     []Diagnostic
}

func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ExprStmt:
		c.ignored[n.X] = true
	case *ast.GoStmt:
		c.ignored[n.Call] = true
	case *ast.DeferStmt:
		c.ignored[n.Call] = true
	case *ast.AssignStmt:
		if len(n.Lhs) == 1 && len(n.Rhs) == 1 && isBlank(n.Lhs[0]) {
			c.ignored[n.Rhs[0]] = true
		}
	case *ast.BinaryExpr:
		c.weigh(n)
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && c.free[x] && !c.file.failed[x.Name] {
			c.s.refs = append(c.s.refs, reference{x, n.Sel, c.file})
		}
	case *ast.CompositeLit:
		c.literal(n)
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 1 && c.isQualified(f) {
			if m, ok := n.Args[0].(*ast.CompositeLit); ok {
				if _, ok := m.Type.(*ast.MapType); ok {
					c.noteFields(f.Sel, m)
				}
			}
		}
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "UseTools" && c.free[f] {
			c.called[f] = true
			c.phrases(n)
		}
	}
	return true
}

// isQualified reports whether a selector may be a qualified name of a package.
func (c *collector) isQualified(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && c.free[x]
}

// literal notes the fields of a literal of a qualified type, or of the untyped elements of a
// list or map of that type.
func (c *collector) literal(lit *ast.CompositeLit) {
	t := lit.Type
	switch of := t.(type) {
	case *ast.ArrayType:
		t = of.Elt
	case *ast.MapType:
		t = of.Value
	}
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if !c.isQualified(t) {
		return
	}
	id := t.(*ast.SelectorExpr).Sel
	if t == lit.Type {
		c.noteFields(id, lit)
		return
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if elem, ok := e.(*ast.CompositeLit); ok && elem.Type == nil {
			c.noteFields(id, elem)
		}
	}
}

// noteFields notes the fields of a struct literal, or the constant keys of a map literal, as
// those of a name.
func (c *collector) noteFields(of *ast.Ident, lit *ast.CompositeLit) {
	_, isMap := lit.Type.(*ast.MapType)
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		name := ""
		if id, ok := kv.Key.(*ast.Ident); ok && !isMap {
			name = id.Name
		} else if key, ok := kv.Key.(*ast.BasicLit); ok && key.Kind == token.STRING {
			name, _ = strconv.Unquote(key.Value)
		}
		if c.s.fields == nil {
			c.s.fields = map[*ast.Ident][]string{}
		}
		c.s.fields[of] = addField(c.s.fields[of], name)
	}
}

// Limits of the fields of one Name.
const (
	maxFields    = 20
	maxFieldSize = 60 // bytes
)

func addField(fields []string, name string) []string {
	if name == "" || len(name) > maxFieldSize || len(fields) >= maxFields || slices.Contains(fields, name) {
		return fields
	}
	return append(fields, name)
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// phrases reads the arguments of one call of UseTools.
func (c *collector) phrases(call *ast.CallExpr) {
	for _, arg := range call.Args {
		fault := ""
		text, ok := constantString(arg, 0)
		switch {
		case !ok || call.Ellipsis.IsValid():
			fault = "argument of UseTools is not a constant string"
		case strings.TrimSpace(text) == "":
			fault = "UseTools got an empty phrase"
		case len(text) > maxPhraseSize:
			fault = "UseTools got a phrase of more than 1024 bytes"
		case len(c.s.phrases) == maxPhrases:
			fault = "UseTools got more than 64 phrases"
		}
		if fault != "" {
			d := c.s.diagnose(Refused, arg.Pos(), "%s", fault)
			d.Hint = `tools are found before the script runs: write short constant phrases, UseTools("what the tool should do")`
			c.bad = append(c.bad, d)
			return
		}
		line, column := c.s.at(arg.Pos())
		c.s.phrases = append(c.s.phrases, Phrase{text, line, column, !c.ignored[call]})
	}
}

// constantString evaluates string literals, their concatenation, and constants of the script
// with such a value.
func constantString(e ast.Expr, depth int) (string, bool) {
	if depth > 50 {
		return "", false
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return constant.StringVal(constant.MakeFromLiteral(e.Value, e.Kind, 0)), true
		}
	case *ast.ParenExpr:
		return constantString(e.X, depth+1)
	case *ast.BinaryExpr:
		x, ok := constantString(e.X, depth+1)
		if !ok || e.Op != token.ADD || len(x) > maxPhraseSize {
			return x, ok && e.Op == token.ADD
		}
		y, ok := constantString(e.Y, depth+1)
		return x + y, ok
	case *ast.Ident:
		if value := constantValue(e); value != nil {
			return constantString(value, depth+1)
		}
	}
	return "", false
}

// constantValue returns the expression that a constant of the script is declared with.
func constantValue(id *ast.Ident) ast.Expr {
	if id.Obj == nil || id.Obj.Kind != ast.Con {
		return nil
	}
	spec, ok := id.Obj.Decl.(*ast.ValueSpec)
	if !ok || len(spec.Values) != len(spec.Names) {
		return nil
	}
	for i, name := range spec.Names {
		if name.Name == id.Name {
			return spec.Values[i]
		}
	}
	return nil
}

// weigh refuses constant strings that a few lines would make larger than memory.
func (c *collector) weigh(e *ast.BinaryExpr) {
	if e.Op == token.ADD && c.size(e) > MaxSize {
		d := c.s.diagnose(Refused, e.Pos(), "constant string of more than %d bytes", MaxSize)
		d.Hint = "build long texts at run time with strings.Repeat or strings.Builder"
		c.bad = append(c.bad, d)
	}
}

// size returns the bytes of a constant string, at most twice MaxSize. For other expressions it
// returns 0.
func (c *collector) size(e ast.Expr) int {
	if n, ok := c.sizes[e]; ok {
		return n
	}
	c.sizes[e] = 0 // ends the recursion for a constant declared by itself
	n := 0
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			n = len(e.Value)
		}
	case *ast.ParenExpr:
		n = c.size(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			n = c.size(e.X) + c.size(e.Y)
		}
	case *ast.Ident:
		if value := constantValue(e); value != nil {
			n = c.size(value)
		}
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			n = c.size(e.Args[0])
		}
	}
	c.sizes[e] = min(n, 2*MaxSize)
	return c.sizes[e]
}

func (s *Script) usedNames() []Name {
	var servers, std map[string]string
	var last *file
	type key struct {
		pkg, name     string
		imported, std bool
	}
	seen := map[key]int{} // index in out plus 1
	var out []Name
	for _, r := range s.refs {
		if r.file != last {
			last = r.file
			servers, std = last.importedAs()
		}
		n := Name{Package: r.x.Name, Name: r.name.Name, Std: isStd(std[r.x.Name], r.x.Name, r.name.Name)}
		renamed := std[r.x.Name] != "" && export.PackageName(std[r.x.Name]) != r.x.Name
		server, imported := servers[r.x.Name]
		switch {
		case imported:
			n.Package, n.Imported = server, true
		case n.Std, renamed, r.x.Name == discoveryPath, types.Universe.Lookup(r.x.Name) != nil:
			continue
		}
		k := key{n.Package, n.Name, n.Imported, n.Std}
		if !isServerName(n.Package) {
			continue
		}
		if at := seen[k]; at > 0 {
			for _, name := range s.fields[r.name] {
				out[at-1].Fields = addField(out[at-1].Fields, name)
			}
			continue
		}
		seen[k] = len(out) + 1
		n.Fields = s.fields[r.name]
		n.Line, n.Column = s.at(r.x.Pos())
		out = append(out, n)
	}
	return out
}

// importedAs returns the packages of the identifiers that imports declare: servers' names, and
// paths of standard packages. "discovery" is not a server.
func (f *file) importedAs() (servers, std map[string]string) {
	servers, std = map[string]string{}, map[string]string{}
	for _, spec := range f.Imports {
		path, name := importedPath(spec), importedName(spec)
		if server, ok := strings.CutPrefix(path, serverPrefix); ok {
			servers[name] = server
		} else if path != discoveryPath {
			std[name] = path
		}
	}
	return servers, std
}

// isStd reports whether the standard package with a path has a name or, if path is empty,
// whether any package named pkg has it. A refused name without an import may be a server's: http.Get.
func isStd(path, pkg, name string) bool {
	paths := []string{path}
	if path == "" {
		paths = slices.DeleteFunc(export.ByName(pkg), func(path string) bool {
			_, refused := export.Refused(path, name)
			return refused
		})
	}
	for _, path := range paths {
		if export.Declares(path, name) {
			return true
		}
	}
	return false
}
