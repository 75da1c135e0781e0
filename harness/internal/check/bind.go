package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// A binding holds the possible meanings of an identifier before a dot: a standard package, a
// unit, or both under one name.
type binding struct {
	name        string
	file        *file  // its imports decide
	std         string // the standard package's path, or ""
	unit        *types.Package
	stdSpec     *ast.ImportSpec // nil if the import is missing
	unitSpec    *ast.ImportSpec
	unitPath    string
	renamed     bool // unitPath is that of a unit with another name
	refs        []reference
	toStd, toUn []reference
}

// bind decides what each qualified name of the script refers to. It adds missing imports,
// corrects misspelled names of units, and separates a server from a standard package with the
// same name.
func (c *checker) bind() []Diagnostic {
	var list []Diagnostic
	for _, f := range c.files {
		bindings := c.bindings(f)
		for _, name := range slices.Sorted(maps.Keys(bindings)) {
			b := bindings[name]
			c.findUnit(b)
			c.findStd(b)
			for _, r := range b.refs {
				if d := c.choose(b, r); d != nil {
					list = append(list, *d)
					c.setAside(b.file, r)
				}
			}
			c.separate(b)
		}
	}
	return list
}

func (c *checker) bindings(f *file) map[string]*binding {
	out := map[string]*binding{}
	get := func(name string) *binding {
		if out[name] == nil {
			out[name] = &binding{name: name, file: f}
		}
		return out[name]
	}
	for _, r := range c.refs {
		if r.file == f && types.Universe.Lookup(r.x.Name) == nil {
			get(r.x.Name).refs = append(get(r.x.Name).refs, r)
		}
	}
	for _, spec := range f.Imports {
		name, path := importedName(spec), importedPath(spec)
		if name == "." || name == "_" || path == predeclaredPath {
			continue
		}
		b := get(name)
		if _, isUnit := c.units[path]; isUnit {
			b.unitSpec, b.unitPath = spec, path
		} else {
			b.stdSpec = spec
		}
	}
	return out
}

// findUnit finds the unit of a binding: the imported one, or else the one with that name.
func (c *checker) findUnit(b *binding) {
	if b.unitSpec == nil {
		if b.stdSpec != nil && b.stdSpec.Name != nil {
			return
		}
		for _, path := range []string{serverPrefix + b.name, discoveryPath} {
			if u, ok := c.units[path]; ok && !u.Host && (path != discoveryPath || b.name == path) {
				b.unitPath = path
			}
		}
		if b.unitPath == "" && b.stdSpec == nil && len(b.refs) > 0 && len(export.ByName(b.name)) == 0 {
			c.correctPackage(b)
		}
	}
	if b.unitPath != "" {
		b.unit, _ = c.Import(b.unitPath)
	}
}

// correctPackage finds the unit that a binding's name means under another spelling. The script
// keeps its name, because the added import declares it.
func (c *checker) correctPackage(b *binding) {
	if path := c.serverNamed(b.name); path != "" {
		b.unitPath, b.renamed = path, true
		c.correct(b.refs[0].x.Pos(), b.name, "package "+path)
	}
}

// findStd finds the standard package of a binding: the imported one, or else the first of that
// name that has every referenced name which the unit lacks.
func (c *checker) findStd(b *binding) {
	if b.stdSpec != nil {
		if path := importedPath(b.stdSpec); export.Available(path) {
			b.std = path
		}
		return
	}
	if b.unitSpec != nil && b.unitSpec.Name != nil {
		return
	}
	candidates := export.ByName(b.name)
	for _, path := range candidates {
		if b.suits(path) {
			b.std = path
			return
		}
	}
	if b.unit == nil && len(candidates) > 0 {
		b.std = candidates[0]
	}
}

// suits reports whether a standard package has at least one of the referenced names and all of
// those that the unit lacks.
func (b *binding) suits(path string) bool {
	found := false
	for _, r := range b.refs {
		if export.Declares(path, r.name.Name) {
			found = true
		} else if b.unit == nil || match(b.unit, r.name.Name) == "" {
			return false
		}
	}
	return found
}

func hasName(p *types.Package, name string) bool {
	return token.IsExported(name) && p.Scope().Lookup(name) != nil
}

// choose assigns a reference to the standard package or to the unit.
func (c *checker) choose(b *binding, r reference) *Diagnostic {
	inStd := b.std != "" && export.Declares(b.std, r.name.Name)
	inUnit := b.unit != nil && hasName(b.unit, r.name.Name)
	if inStd && inUnit && (b.stdSpec == nil) == (b.unitSpec == nil) {
		if b.stdSpec != nil || b.file.imports(b.unitPath) == b.file.imports(b.std) {
			d := c.diagnose(Compile, r.x.Pos(), "%s.%s is both Go's and the server's", b.name, r.name.Name)
			d.Hint = aliasHint(b.name, b.unitPath)
			return &d
		}
		inStd = !b.file.imports(b.std) // the other one has another name here
		inUnit = !inStd
	}
	if inStd && (!inUnit || b.unitSpec == nil) {
		b.toStd = append(b.toStd, r)
		return nil
	}
	if b.unit == nil {
		b.toStd = append(b.toStd, r)
		return nil
	}
	if !inUnit {
		if right := match(b.unit, r.name.Name); right != "" {
			c.rename(b.name+".", r.name, right)
		} else if b.stdSpec != nil && b.unitSpec == nil {
			b.toStd = append(b.toStd, r)
			return nil
		}
	}
	b.toUn = append(b.toUn, r)
	return nil
}

// aliasHint returns the hint for importing a server that shares its name with a standard package.
func aliasHint(name, path string) string {
	return "import the server under another name: import server" + name + ` "` + path + `"`
}

// setAside redirects a reported reference to a package that cannot be imported, so that
// go/types reports nothing more about it.
func (c *checker) setAside(f *file, r reference) {
	name := "refused_" + r.x.Name
	if !f.failed[name] {
		f.refuse(f.addImport(refusedPath, name))
	}
	r.x.Name = name
}

// rename corrects an identifier of the script.
func (c *checker) rename(before string, id *ast.Ident, right string) {
	c.correct(id.Pos(), before+id.Name, before+right)
	id.Name = right
}

// separate adds and renames the script's imports as choose decided.
func (c *checker) separate(b *binding) {
	both := (len(b.toStd) > 0 || b.stdSpec != nil) && (len(b.toUn) > 0 || b.unitSpec != nil)
	unitName := ""
	if both {
		unitName = "servers_" + b.name
		for c.declares(unitName) {
			unitName += "_"
		}
		c.aliases[unitName] = b.name
		for _, r := range b.toUn {
			r.x.Name = unitName
		}
		if b.unitSpec != nil {
			b.unitSpec.Name = &ast.Ident{NamePos: b.unitSpec.Pos(), Name: unitName}
		}
	}
	if b.renamed && unitName == "" {
		unitName = b.name
	}
	if len(b.toUn) > 0 && b.unitSpec == nil {
		c.warnImport(b.toUn[0].x.Pos(), b.unitPath)
		b.file.addImport(b.unitPath, unitName)
	}
	if len(b.toStd) > 0 && b.stdSpec == nil && b.std != "" {
		c.warnImport(b.toStd[0].x.Pos(), b.std)
		b.file.addImport(b.std, "")
	}
}

// match returns the only exported name of a unit that equals name, ignoring case, underscores
// and the server's prefix; otherwise "".
func match(p *types.Package, name string) string {
	names := p.Scope().Names()
	if found := matchOne(name, names); found != "" {
		return found
	}
	want := normal(name)
	return only(names, func(n string) bool {
		return token.IsExported(n) && (isPrefixed(want, normal(n), p.Name()) || isPrefixed(normal(n), want, p.Name()))
	})
}

// isPrefixed reports whether long is short behind the server's prefix, which is the beginning
// of the package's name: git_log in package gitcyanheads.
func isPrefixed(long, short, pkg string) bool {
	prefix, ok := strings.CutSuffix(long, short)
	return ok && len(prefix) > 1 && short != "" && strings.HasPrefix(pkg, prefix)
}

// matchOne returns the only exported name that equals name, ignoring case and underscores;
// otherwise "".
func matchOne(name string, names []string) string {
	want := normal(name)
	return only(names, func(n string) bool { return token.IsExported(n) && normal(n) == want })
}

// normal returns a name in lower case without underscores.
func normal(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// warnImport warns that an import was added, unless the script consists of bare statements.
func (c *checker) warnImport(pos token.Pos, path string) {
	if !c.bare {
		c.correct(pos, "missing import", "import "+strconv.Quote(path))
	}
}
