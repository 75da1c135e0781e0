package rt

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	htmltemplate "html/template"
	"io"
	"reflect"
	"text/template"
	"text/template/parse"
)

// html/template is text/template with an escaper for the place of each value,
// which looks at its dynamic type too: what it knows as HTML goes through, what
// is in a script becomes JSON. So its templates are rewritten as those of
// text/template are, and a value of the script is handed to the escaper as an
// [htmlValue].

func (m *Machine) htmlExecute(t *htmltemplate.Template, w io.Writer, x any) error {
	c, err := m.rewrittenHTML(t)
	if err != nil {
		return err
	}
	defer m.presenting()()
	return htmlAsWritten(c.Execute(w, m.present(x)))
}

func (m *Machine) htmlExecuteTemplate(t *htmltemplate.Template, w io.Writer, name string, x any) error {
	c, err := m.rewrittenHTML(t)
	if err != nil {
		return err
	}
	defer m.presenting()()
	return htmlAsWritten(c.ExecuteTemplate(w, name, m.present(x)))
}

func (m *Machine) rewrittenHTML(t *htmltemplate.Template) (*htmltemplate.Template, error) {
	m.htmlExecuted.Store(htmlSet(t), t)
	c, err := t.Clone()
	if err != nil {
		return nil, err
	}
	text := reflect.ValueOf(t).Elem().FieldByName("text").Elem()
	calls := &templateCalls{}
	c.Funcs(m.templateFunctions(text, calls, m.htmlShown))
	for _, sub := range c.Templates() {
		if sub.Tree == nil || sub.Tree.Root == nil {
			continue
		}
		tree := sub.Tree.Copy()
		(&rewriter{tree: tree, html: true, calls: calls}).list(tree.Root)
		if _, err := c.AddParseTree(sub.Name(), tree); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// htmlSet identifies the set that a template belongs to. What is executed is a
// copy, so that package html/template does not know that the set has been.
func htmlSet(t *htmltemplate.Template) uintptr {
	return reflect.ValueOf(t).Elem().FieldByName("nameSpace").Pointer()
}

func (m *Machine) htmlCanParse(t *htmltemplate.Template) error {
	if _, executed := m.htmlExecuted.Load(htmlSet(t)); executed {
		return errors.New("html/template: cannot Parse after Execute")
	}
	return nil
}

func (m *Machine) htmlParse(t *htmltemplate.Template, text string) (*htmltemplate.Template, error) {
	if err := m.htmlCanParse(t); err != nil {
		return nil, err
	}
	return t.Parse(text)
}

func (m *Machine) htmlAddParseTree(t *htmltemplate.Template, name string, tree *parse.Tree) (*htmltemplate.Template, error) {
	if err := m.htmlCanParse(t); err != nil {
		return nil, err
	}
	return t.AddParseTree(name, tree)
}

func (m *Machine) htmlClone(t *htmltemplate.Template) (*htmltemplate.Template, error) {
	if m.htmlCanParse(t) != nil {
		return nil, fmt.Errorf("html/template: cannot Clone %q after it has executed", t.Name())
	}
	return t.Clone()
}

func (m *Machine) htmlFuncs(t *htmltemplate.Template, funcs template.FuncMap) *htmltemplate.Template {
	return t.Funcs(m.presentedFuncs(funcs))
}

// htmlAsWritten is asWritten for the errors of the escaper too.
func htmlAsWritten(err error) error {
	var e *htmltemplate.Error
	if errors.As(err, &e) {
		e.Description = textAsWritten(e.Description)
		return err
	}
	return asWritten(err)
}

// htmlShown hands a value to the escaper.
func (m *Machine) htmlShown(x any) any {
	x = m.original(x)
	if b, ok := unbox(x); ok {
		if b.V == nil && types.IsInterface(b.T.typ) {
			return nil
		}
		return htmlValue{m, x}
	}
	if t := reflect.TypeOf(x); t != nil && t.Name() == "" && holdsInterfaces(t) {
		return htmlValue{m, x}
	}
	return x
}

func holdsInterfaces(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Pointer:
		return holdsInterfaces(t.Elem())
	}
	return false
}

// htmlValue is a value of the script as the escaper sees it: its text in HTML
// and CSS and URLs, its JSON in JavaScript.
type htmlValue struct {
	m *Machine
	x any
}

func (v htmlValue) String() string { return sprint(pointed(v.x, "String", "Error")) }

func (v htmlValue) MarshalJSON() ([]byte, error) {
	x := pointed(v.x, "MarshalJSON")
	if b, ok := unbox(x); ok {
		a := adapter{b}
		if !a.can("MarshalJSON", "() ([]uint8, error)") && a.can("String", "() string") {
			return json.Marshal(stringer{a}.String())
		}
	}
	return v.m.jsonMarshal(x)
}

// pointed follows pointers of the script until one has one of the methods.
func pointed(x any, methods ...string) any {
	for {
		b, ok := unbox(canonical(x))
		if !ok {
			return x
		}
		elem, isPtr := pointee(b.T.typ)
		v := reflect.ValueOf(b.V)
		if !isPtr || v.Kind() != reflect.Pointer || v.IsNil() {
			return x
		}
		for _, name := range methods {
			if _, ok := b.T.method(name); ok {
				return x
			}
		}
		e := b.T.m.typeOf(elem)
		if e.plain {
			return v.Elem().Interface()
		}
		x = e.boxed(v.Elem().Interface())
	}
}

// escaperLast reports whether a pipeline ends in one of the escapers that
// html/template allows at its end only.
func escaperLast(p *parse.PipeNode) bool {
	id, ok := p.Cmds[len(p.Cmds)-1].Args[0].(*parse.IdentifierNode)
	return ok && (id.Ident == "html" || id.Ident == "urlquery")
}

// shownBefore lets the last command of a pipeline, an escaper, have what is shown.
func (r *rewriter) shownBefore(p *parse.PipeNode) {
	last := p.Cmds[len(p.Cmds)-1]
	for i, a := range last.Args {
		if i > 0 {
			show := r.command(a.Position(), shownFunc)
			show.Args = append(show.Args, a)
			last.Args[i] = &parse.PipeNode{NodeType: parse.NodePipe, Pos: a.Position(), Cmds: []*parse.CommandNode{show}}
		}
	}
	if n := len(p.Cmds) - 1; n > 0 {
		p.Cmds = append(p.Cmds[:n:n], r.command(last.Pos, shownFunc), last)
	}
}
