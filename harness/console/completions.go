package console

import (
	"go/ast"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/wrappers"
)

// named is a completion that the editor offers.
type named struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // namespace, function, type, property, method, variable, constant
	Says string `json:"says,omitempty"`
	Doc  string `json:"doc,omitempty"`
	// Params and Result are the types of a tool function, "" if it has none.
	Params string `json:"params,omitempty"`
	Result string `json:"result,omitempty"`
	// Type is the type of a field, or the signature of a tool function.
	Type string `json:"type,omitempty"`
	Hue  string `json:"hue,omitempty"` // colour of the server
}

const (
	maxNames     = 2000 // in one response
	maxNameDoc   = 300
	maxNameTypes = 500
	maxFields    = 1000 // of a type
)

// names returns completions. Without a query, these are packages; with of=PACKAGE, its functions
// and types; with of=PACKAGE&type=TYPE, the fields of that server type and of the types it
// contains.
func (c *Console) names(v *view) error {
	k, err := v.known()
	if err != nil {
		return err
	}
	var s *wrappers.Server
	of, kind := v.r.URL.Query().Get("of"), v.r.URL.Query().Get("type")
	if k != nil {
		s, _ = k.view.Package(of)
	}
	switch {
	case of == "":
		return v.json(map[string]any{"names": k.packages()})
	case s == nil:
		return v.json(map[string]any{"names": standard(of)})
	case kind != "":
		return v.json(map[string]any{"types": k.fieldsOf(s, kind)})
	}
	return v.json(map[string]any{"names": k.functions(s)})
}

// offers reports whether policy permits the viewer's scripts to call a tool, with or
// without approval.
func (k *known) offers(t *wrappers.Tool) bool { return k.decide(t.Tool).Verdict != policy.IsDenied }

// packages returns the packages of servers with tools, then the standard packages.
func (k *known) packages() []named {
	out := []named{}
	if k != nil {
		for _, s := range k.view.Servers() {
			n := 0
			for _, t := range s.Tools {
				if k.offers(t) {
					n++
				}
			}
			if n > 0 && len(out) < maxNames {
				out = append(out, named{Name: s.Package, Kind: "namespace", Says: count(n, "tool"), Hue: k.hue(s.Name)})
			}
		}
	}
	for _, path := range export.Packages() {
		name := export.PackageName(path)
		if !slices.ContainsFunc(out, func(n named) bool { return n.Name == name }) {
			out = append(out, named{Name: name, Kind: "namespace", Says: path})
		}
	}
	return out
}

// functions returns the tools of a server that the viewer's scripts may call, and their
// parameter and result types.
func (k *known) functions(s *wrappers.Server) []named {
	out := []named{}
	for _, t := range s.Tools {
		if !k.offers(t) || len(out) >= maxNames {
			continue
		}
		doc := present.Visible(k.index.Short(t.ID), maxNameDoc, false)
		n := named{Name: t.Func, Kind: "function", Says: strings.TrimPrefix(t.Mark(), " // "), Doc: doc, Params: t.ParamsType(),
			Result: t.ResultType()}
		n.Type = present.Visible(t.Signature(), 2*maxNameDoc, false)
		out = append(out, n)
		for _, name := range []string{t.ParamsType(), t.ResultType()} {
			if name != "" && !slices.ContainsFunc(out, func(n named) bool { return n.Name == name }) {
				out = append(out, named{Name: name, Kind: "type", Says: "of " + t.Func})
			}
		}
	}
	return out
}

// fieldsOf returns the fields and methods of a server type and of the types it contains,
// by type name.
func (k *known) fieldsOf(s *wrappers.Server, name string) map[string][]named {
	out := map[string][]named{}
	var tools []*wrappers.Tool
	for _, t := range s.Type(name) {
		if k.offers(t) && len(tools) == 0 { // tools that share a type have the same one
			tools = append(tools, t)
		}
	}
	if len(tools) == 0 {
		return out
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", s.Source(tools, true), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return out
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) == 1 && d.Name.IsExported() {
				of := strings.TrimPrefix(gotypes.ExprString(d.Recv.List[0].Type), "*")
				says := strings.TrimPrefix(gotypes.ExprString(d.Type), "func")
				out[of] = append(out[of], named{Name: d.Name.Name, Kind: "method", Says: says, Doc: firstLine(d.Doc.Text())})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && len(out) < maxNameTypes {
					if st, ok := t.Type.(*ast.StructType); ok {
						out[t.Name.Name] = append(fieldsIn(st), out[t.Name.Name]...)
					}
				}
			}
		}
	}
	return out
}

// fieldsIn returns the exported fields of a struct.
func fieldsIn(st *ast.StructType) []named {
	var out []named
	for _, f := range st.Fields.List {
		kind := gotypes.ExprString(f.Type)
		for _, n := range f.Names {
			if n.IsExported() && len(out) < maxFields {
				doc := firstLine(strings.TrimPrefix(f.Doc.Text(), n.Name+": "))
				out = append(out, named{Name: n.Name, Kind: "property", Says: kind, Type: kind, Doc: doc})
			}
		}
	}
	return out
}

// firstLine returns the first paragraph of a comment, shortened.
func firstLine(doc string) string {
	doc, _, _ = strings.Cut(doc, "\n\n")
	return present.Visible(strings.TrimSpace(doc), maxNameDoc, false)
}

// standard returns the exported names of a standard package, or none if it does not exist.
func standard(name string) []named {
	out := []named{}
	paths := export.ByName(name)
	if len(paths) == 0 {
		return out
	}
	pkg, err := export.Importer().Import(paths[0])
	if err != nil {
		return out
	}
	own := func(p *gotypes.Package) string {
		if p.Path() == pkg.Path() {
			return ""
		}
		return p.Name()
	}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		if _, refused := export.Refused(paths[0], name); refused || !token.IsExported(name) || len(out) >= maxNames {
			continue
		}
		o := scope.Lookup(name)
		n := named{Name: name, Kind: "variable", Says: gotypes.TypeString(o.Type(), own)}
		switch o.(type) {
		case *gotypes.Func:
			n.Kind, n.Says = "function", strings.TrimPrefix(n.Says, "func")
		case *gotypes.TypeName:
			n.Kind, n.Says = "type", ""
		case *gotypes.Const:
			n.Kind = "constant"
		}
		out = append(out, n)
	}
	return out
}
