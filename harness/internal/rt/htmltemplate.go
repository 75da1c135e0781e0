package rt

import (
	"encoding/json"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
)

// html/template is text/template with an escaper for the place of each value,
// which looks at its dynamic type too: what it knows as HTML goes through, what
// is in a script becomes JSON. A value of the script is handed to the escaper as
// an [htmlValue].

func (m *Machine) htmlExecute(t *htmltemplate.Template, w io.Writer, x any) error {
	e, err := m.htmlEscaped(t)
	if err != nil {
		return err
	}
	c := e.copy
	if e.of != t {
		c = c.Lookup(t.Name())
	}
	if c == nil {
		return fmt.Errorf("template: %q is an incomplete or empty template", t.Name())
	}
	return e.run(c, w, x, c.Execute(io.Discard, nil))
}

func (m *Machine) htmlExecuteTemplate(t *htmltemplate.Template, w io.Writer, name string, x any) error {
	e, err := m.htmlEscaped(t)
	if err != nil {
		return err
	}
	c := e.copy.Lookup(name)
	if c == nil && t.Lookup(name) != nil { // added after the copy was made, when nothing can be parsed
		return fmt.Errorf("html/template: %q is an incomplete template", name)
	}
	return e.run(c, w, x, e.copy.ExecuteTemplate(io.Discard, name, nil))
}

// An escapedSet is a set of html/template that was executed, with a copy that
// package html/template has escaped. It does so when a template is executed; in
// the copy, each begins with an action that ends that at once.
type escapedSet struct {
	m    *Machine
	of   *htmltemplate.Template
	copy *htmltemplate.Template
}

const escapeStop = "_usetools_stop"

// escapedName is a function of a set that was executed, which gives the
// [escapedSet]. So that lives as long as the set, even when a function of the set
// holds one of its templates; and nothing more can be parsed that would call it.
const escapedName = "_usetools_escaped"

var errEscaped = errors.New("escaped")

// stopAction is {{_usetools_stop}}.
var stopAction = sync.OnceValue(func() parse.Node {
	trees, err := parse.Parse("stop", "{{"+escapeStop+"}}", "", "", map[string]any{escapeStop: true})
	if err != nil {
		panic(err)
	}
	return trees["stop"].Root.Nodes[0]
})

func isEscapeStop(n *parse.ActionNode) bool {
	if len(n.Pipe.Cmds) == 0 || len(n.Pipe.Cmds[0].Args) == 0 {
		return false
	}
	id, ok := n.Pipe.Cmds[0].Args[0].(*parse.IdentifierNode)
	return ok && id.Ident == escapeStop
}

// htmlEscaped is the set that t belongs to. From now on it counts as executed.
func (m *Machine) htmlEscaped(t *htmltemplate.Template) (*escapedSet, error) {
	m.htmlMu.Lock()
	defer m.htmlMu.Unlock()
	if e := htmlExecuted(t); e != nil {
		return e, nil
	}
	c, err := t.Clone()
	if err != nil {
		return nil, err // of one that package html/template itself has executed
	}
	c.Funcs(htmltemplate.FuncMap{escapeStop: func() (string, error) { return "", errEscaped }})
	for _, sub := range c.Templates() {
		if sub.Tree != nil && sub.Tree.Root != nil {
			sub.Tree.Root.Nodes = append([]parse.Node{stopAction().Copy()}, sub.Tree.Root.Nodes...)
		}
	}
	e := &escapedSet{m, t, c}
	t.Funcs(htmltemplate.FuncMap{escapedName: func() *escapedSet { return e }})
	return e, nil
}

// run executes t, a template of the copy; err is what escaping it gave.
func (e *escapedSet) run(t *htmltemplate.Template, w io.Writer, x any, err error) error {
	if !errors.Is(err, errEscaped) {
		return err
	}
	text := textOf(t)
	escapers := commonOf(text)
	return (&execution{e.m, commonOf(textOf(e.of)), &escapers}).run(text, w, x)
}

// textOf is the text/template that t is made of.
func textOf(t *htmltemplate.Template) *template.Template {
	return (*template.Template)(reflect.ValueOf(t).Elem().FieldByName("text").UnsafePointer())
}

// htmlExecuted is what was made of the set of t when it was executed, nil before.
// That was a copy, so that package html/template does not know of it.
func htmlExecuted(t *htmltemplate.Template) *escapedSet {
	if t == nil || textOf(t) == nil {
		return nil // package html/template says what is wrong with it
	}
	common := commonOf(textOf(t))
	if f := common.function(escapedName); f.IsValid() {
		return f.Interface().(func() *escapedSet)()
	}
	return nil
}

func (m *Machine) htmlCanParse(t *htmltemplate.Template) error {
	if htmlExecuted(t) != nil {
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

func (m *Machine) htmlParseFS(t *htmltemplate.Template, fsys fs.FS, patterns ...string) (*htmltemplate.Template, error) {
	if err := m.htmlCanParse(t); err != nil {
		return nil, err
	}
	return t.ParseFS(fsys, patterns...)
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
	return t.Funcs(m.takenFuncs(funcs))
}

// escaper calls a function of package html/template, which takes values of any
// type and returns a string.
func (m *Machine) escaper(f reflect.Value) func([]reflect.Value) []reflect.Value {
	return func(args []reflect.Value) []reflect.Value {
		failed := false
		for i, a := range args {
			args[i] = argument(m.htmlShown(heldBy(a), &failed), anyType)
		}
		out := f.Call(args)
		if failed {
			ours := "json: error calling MarshalJSON for type " + reflect.TypeFor[htmlValue]().String() + ": "
			out[0] = reflect.ValueOf(strings.Replace(out[0].String(), ours, "", 1))
		}
		return out
	}
}

// htmlShown hands a value to the escaper; failed is set when it has no JSON.
func (m *Machine) htmlShown(x any, failed *bool) any {
	if isBoxed(x) {
		return htmlValue{m, x, failed}
	}
	if t := reflect.TypeOf(x); t != nil && t.Name() == "" && holdsInterfaces(t) {
		return htmlValue{m, x, failed}
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
	m      *Machine
	x      any
	failed *bool
}

func (v htmlValue) String() string { return sprint(pointed(v.x, "String", "Error")) }

func (v htmlValue) MarshalJSON() (b []byte, err error) {
	defer func() { *v.failed = err != nil }()
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
