package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// predeclaredPath is the path of a package made for one script: the names of the prelude that
// it uses and does not declare. The script dot-imports it, so the prelude keeps its own
// universe even if the script redeclares string.
const predeclaredPath = "usetools/predeclared"

// predeclare makes the exported names of the prelude visible in the script.
func (c *checker) predeclare() error {
	if c.units[preludePath].Source == "" {
		return nil
	}
	complete, err := c.Import(preludePath)
	if err != nil {
		return err
	}
	c.prelude = types.NewPackage(predeclaredPath, complete.Name())
	for _, f := range c.files {
		uses := false
		for _, id := range f.Unresolved {
			if o := complete.Scope().Lookup(id.Name); o != nil && o.Exported() {
				c.prelude.Scope().Insert(o)
				uses = true
			}
		}
		if uses {
			f.addImport(predeclaredPath, ".")
		}
	}
	c.prelude.MarkComplete()
	return nil
}

// addImport adds an import without a position to a file's syntax tree. If name is empty, it is
// the package's own.
func (f *file) addImport(path, name string) *ast.ImportSpec {
	spec := &ast.ImportSpec{Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
	if name != "" {
		spec.Name = ast.NewIdent(name)
	}
	f.Imports = append(f.Imports, spec)
	f.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}}}, f.Decls...)
	return spec
}

// imports reports whether a file imports a path.
func (f *file) imports(path string) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return importedPath(s) == path })
}

// dropImports removes imports from a file's syntax tree.
func (f *file) dropImports(dropped map[ast.Spec]bool) {
	f.Imports = slices.DeleteFunc(f.Imports, func(s *ast.ImportSpec) bool { return dropped[s] })
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			return false
		}
		g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool { return dropped[s] })
		return len(g.Specs) == 0 // without specs, it has no end position
	})
}
