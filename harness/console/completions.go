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

// named is a name that the editor offers.
type named struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // namespace, function, type, property, method, variable, constant
	Says string `json:"says,omitempty"`
	Doc  string `json:"doc,omitempty"`
	// Of a function of a server, the types of its argument and its result; "": none.
	Params string `json:"params,omitempty"`
	Result string `json:"result,omitempty"`
	// Type is that of a field, as the server's package writes it.
	Type string `json:"type,omitempty"`
	Hue  string `json:"hue,omitempty"` // of a server
}

const (
	maxNames     = 2000 // in one answer
	maxNameDoc   = 300
	maxNameTypes = 500
	maxFields    = 1000 // of a type
)

// names answers what the editor completes: without a query the packages; of=PACKAGE its
// functions and types; of=PACKAGE&type=TYPE the fields of that type of a server and of
// those that it is made of.
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

// offers reports whether policy lets the viewer's scripts call a tool, perhaps with
// somebody's yes.
func (k *known) offers(t *wrappers.Tool) bool { return k.decide(t.Tool).Verdict != policy.IsDenied }

// packages are those of the servers with tools, then those of the library.
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

// functions are the tools of a server that the viewer's scripts may call, and the types
// of their arguments.
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

// fieldsOf are the fields and methods of a type of a server and of the types that it is
// made of, by the types' names.
func (k *known) fieldsOf(s *wrappers.Server, name string) map[string][]named {
	out := map[string][]named{}
	var tools []*wrappers.Tool
	for _, t := range s.Type(name) {
		if k.offers(t) && len(tools) == 0 { // what several have is alike
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

// fieldsIn are the fields of a struct that scripts may write.
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

// firstLine is the first paragraph of a comment.
func firstLine(doc string) string {
	doc, _, _ = strings.Cut(doc, "\n\n")
	return present.Visible(strings.TrimSpace(doc), maxNameDoc, false)
}

// standard are the names of a package of the standard library, "" where there is none.
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
