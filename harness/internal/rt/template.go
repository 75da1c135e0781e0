package rt

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
	"unsafe"
)

// text/template looks at dynamic types by itself: fields by reflection, methods
// by name, types in errors. Of a value of the script it would see the erased
// form. So the templates, which the library has parsed and html/template has
// escaped, are executed here, over [ReflectValue], which knows the script's types.

func (m *Machine) templateExecute(t *template.Template, w io.Writer, x any) error {
	return (&execution{m: m, common: commonOf(t)}).run(t, w, x)
}

func (m *Machine) templateExecuteTemplate(t *template.Template, w io.Writer, name string, x any) error {
	named := t.Lookup(name)
	if named == nil {
		return fmt.Errorf("template: no template %q associated with template %q", name, t.Name())
	}
	return m.templateExecute(named, w, x)
}

// An execution is what stays the same while a template and those that it calls
// are executed.
type execution struct {
	m      *Machine
	common templateCommon
	// escapers has the functions that html/template has added, nil for
	// text/template.
	escapers *templateCommon
}

// templateCommon is what the templates of one set share and package template
// has no functions for.
type templateCommon struct {
	missingKey int64 // the option: 0 for default, 1 for zero, 2 for error
	mu         *sync.RWMutex
	functions  map[string]reflect.Value
}

func commonOf(t *template.Template) (c templateCommon) {
	own := reflect.ValueOf(t).Elem().FieldByName("common")
	if own.IsNil() {
		return c
	}
	own = own.Elem()
	c.missingKey = own.FieldByName("option").FieldByName("missingKey").Int()
	c.mu = (*sync.RWMutex)(unsafe.Pointer(own.FieldByName("muFuncs").UnsafeAddr()))
	c.functions = *(*map[string]reflect.Value)(unsafe.Pointer(own.FieldByName("execFuncs").UnsafeAddr()))
	return c
}

func (c *templateCommon) function(name string) (f reflect.Value) {
	if c != nil && c.mu != nil {
		c.mu.RLock()
		defer c.mu.RUnlock()
		f = c.functions[name]
	}
	return f
}

// stopped ends an execution: what is wrong, or what the writer said.
type stopped struct{ err error }

// brokenOff leaves the iterator that a {{break}} stands in.
type brokenOff struct{ r *parse.RangeNode }

// thrown is what a panic that came through functions of the script began with.
func thrown(r any) any {
	for {
		switch x := r.(type) {
		case *Panic:
			r = x.Value
			continue
		case reflect.Value:
			if x.IsValid() && x.CanInterface() {
				r = x.Interface()
				continue
			}
		}
		return r
	}
}

func (e *execution) run(t *template.Template, w io.Writer, x any) (err error) {
	defer func() {
		if e.m.exited.Load() {
			return
		}
		r := recover()
		if r == nil {
			return
		}
		stop, ok := thrown(r).(*stopped)
		if !ok {
			panic(r)
		}
		e.m.panicking.forget(goroutine())
		err = stop.err
	}()
	dot, ok := x.(ReflectValue)
	if !ok {
		dot = ReflectValueOf(x)
	}
	f := &templateFrame{execution: e, t: t, w: w, vars: []templateVar{{"$", dot}}}
	if t.Tree == nil || t.Root == nil {
		f.fail("%q is an incomplete or empty template", t.Name())
	}
	f.list(dot, t.Root)
	return nil
}

// A templateFrame is the execution of one template.
type templateFrame struct {
	*execution
	t     *template.Template
	w     io.Writer
	at    parse.Node // for errors
	vars  []templateVar
	depth int
}

type templateVar struct {
	name string
	v    ReflectValue
}

const maxTemplateDepth = 100000 // as in package template

// fail ends the execution. As in package template, the place is a part of the
// format in which a % of the template's name is not doubled.
func (f *templateFrame) fail(format string, args ...any) {
	twice := func(s string) string { return strings.ReplaceAll(s, "%", "%%") }
	if f.at == nil {
		format = fmt.Sprintf("template: %s: %s", twice(f.t.Name()), format)
	} else {
		place, context := f.t.ErrorContext(f.at)
		format = fmt.Sprintf("template: %s: executing %q at <%s>: %s", place, twice(f.t.Name()), twice(context), format)
	}
	panic(&stopped{template.ExecError{Name: f.t.Name(), Err: fmt.Errorf(format, args...)}})
}

func (f *templateFrame) write(b []byte) {
	if _, err := f.w.Write(b); err != nil {
		panic(&stopped{err})
	}
}

// set gives the innermost variable of that name a value.
func (f *templateFrame) set(name string, v ReflectValue) {
	for i := len(f.vars) - 1; i >= 0; i-- {
		if f.vars[i].name == name {
			f.vars[i].v = v
			return
		}
	}
	f.fail("undefined variable: %s", name)
}

func (f *templateFrame) get(name string) ReflectValue {
	for i := len(f.vars) - 1; i >= 0; i-- {
		if f.vars[i].name == name {
			return f.vars[i].v
		}
	}
	f.fail("undefined variable: %s", name)
	return ReflectValue{}
}

// flow is how a part of a template ended.
type flow int

const (
	onward flow = iota
	breaks
	continues
)

func (f *templateFrame) list(dot ReflectValue, l *parse.ListNode) flow {
	f.at = l
	for _, n := range l.Nodes {
		if how := f.node(dot, n); how != onward {
			return how
		}
	}
	return onward
}

func (f *templateFrame) node(dot ReflectValue, n parse.Node) flow {
	f.at = n
	switch n := n.(type) {
	case *parse.TextNode:
		f.write(n.Text)
	case *parse.ActionNode:
		if f.escapers != nil && isEscapeStop(n) {
			break
		}
		if v := f.pipe(dot, n.Pipe); len(n.Pipe.Decl) == 0 {
			f.show(n, v)
		}
	case *parse.CommentNode:
	case *parse.BreakNode:
		return breaks
	case *parse.ContinueNode:
		return continues
	case *parse.ListNode:
		return f.list(dot, n)
	case *parse.IfNode:
		return f.branch(dot, &n.BranchNode, false)
	case *parse.WithNode:
		return f.branch(dot, &n.BranchNode, true)
	case *parse.RangeNode:
		f.ranges(dot, n)
	case *parse.TemplateNode:
		f.call(dot, n)
	default:
		f.fail("unknown node: %s", n)
	}
	return onward
}

// branch is {{if}}, or {{with}}, which sets the dot.
func (f *templateFrame) branch(dot ReflectValue, b *parse.BranchNode, with bool) flow {
	mark := len(f.vars)
	defer func() { f.vars = f.vars[:mark] }()
	v := f.pipe(dot, b.Pipe)
	truth, ok := templateTruth(concrete(v))
	switch {
	case !ok:
		f.fail("if/with can't use %v", v)
	case truth && with:
		return f.list(v, b.List)
	case truth:
		return f.list(dot, b.List)
	case b.ElseList != nil:
		return f.list(dot, b.ElseList)
	}
	return onward
}

// call is {{template}}.
func (f *templateFrame) call(dot ReflectValue, n *parse.TemplateNode) {
	t := f.t.Lookup(n.Name)
	if t == nil {
		f.fail("template %q not defined", n.Name)
	}
	if f.depth == maxTemplateDepth {
		f.fail("exceeded maximum template depth (%v)", maxTemplateDepth)
	}
	dot = f.pipe(dot, n.Pipe)
	inner := &templateFrame{execution: f.execution, t: t, w: f.w, at: f.at, vars: []templateVar{{"$", dot}}, depth: f.depth + 1}
	inner.list(dot, t.Root)
}

// ranges is {{range}}.
func (f *templateFrame) ranges(dot ReflectValue, r *parse.RangeNode) {
	outer := len(f.vars)
	defer func() { f.vars = f.vars[:outer] }()
	v, _ := pointedTo(f.pipe(dot, r.Pipe))
	if f.rangesOver(v, r) || r.ElseList == nil {
		return
	}
	// {{break}} belongs to a range around this one; the parser sees to that.
	f.list(dot, r.ElseList)
}

// rangesOver executes the body for each part of v; false when there is none.
func (f *templateFrame) rangesOver(v ReflectValue, r *parse.RangeNode) (some bool) {
	mark := len(f.vars)
	// body executes the list once; false after a {{break}}.
	body := func(index, elem ReflectValue) bool {
		some = true
		switch decl := r.Pipe.Decl; {
		case len(decl) == 0:
		case r.Pipe.IsAssign && len(decl) > 1:
			f.set(decl[0].Ident[0], index)
			f.set(decl[1].Ident[0], elem)
		case r.Pipe.IsAssign:
			f.set(decl[0].Ident[0], elem)
		default:
			f.vars[len(f.vars)-1].v = elem
			if len(decl) > 1 {
				f.vars[len(f.vars)-2].v = index
			}
		}
		defer func() { f.vars = f.vars[:mark] }()
		return f.list(elem, r.List) != breaks
	}
	switch k := v.Kind(); {
	case isInteger(k):
		if len(r.Pipe.Decl) > 1 {
			f.fail("can't use %v to iterate over more than one variable", v)
		}
		for i := range v.v.Seq() {
			if !body(ReflectValue{}, f.same(v, i)) {
				break
			}
		}
	case k == reflect.Array || k == reflect.Slice:
		for i := 0; i < v.v.Len(); i++ {
			if !body(ReflectValueOf(i), v.Index(i)) {
				break
			}
		}
	case k == reflect.Map:
		keys := sortedKeys(v.v)
		elems := make([]reflect.Value, len(keys))
		for i, key := range keys {
			elems[i] = v.v.MapIndex(key)
		}
		for i, key := range keys {
			if !body(v.part(key, true), v.part(elems[i], false)) {
				break
			}
		}
	case k == reflect.Chan:
		f.rangesChannel(v, body)
	case k == reflect.Invalid:
	case k == reflect.Func && iterates(v.Type(), 1):
		if len(r.Pipe.Decl) > 1 {
			f.fail("can't use %v iterate over more than one variable", v)
		}
		f.iterate(v, r, func(args []ReflectValue) bool { return body(ReflectValue{}, args[0]) })
	case k == reflect.Func && iterates(v.Type(), 2):
		f.iterate(v, r, func(args []ReflectValue) bool {
			if len(r.Pipe.Decl) > 1 {
				return body(args[0], args[1])
			}
			return body(ReflectValue{}, args[0])
		})
	default:
		f.fail("range can't iterate over %v", v)
	}
	return some
}

func (f *templateFrame) rangesChannel(v ReflectValue, body func(index, elem ReflectValue) bool) {
	if v.v.IsNil() {
		return
	}
	t := v.Type()
	if v.v.Type().ChanDir() == reflect.SendDir {
		f.fail("range over send-only channel %v", v)
	}
	for i := 0; ; i++ {
		x, ok := f.m.cfg.Timers.receivedFrom(v.v)
		if !ok || !body(ReflectValueOf(i), f.typed(t.Elem(), x)) {
			return
		}
	}
}

// iterates reports whether t is a function that gives n values to its argument.
func iterates(t reflect.Type, n int) bool {
	if t.NumIn() != 1 || t.NumOut() != 0 || t.In(0).Kind() != reflect.Func {
		return false
	}
	yield := t.In(0)
	return yield.NumIn() == n && yield.NumOut() == 1 && yield.Out(0).Kind() == reflect.Bool
}

// iterate calls an iterator. As in package template, a {{break}} leaves it with
// a panic.
func (f *templateFrame) iterate(v ReflectValue, r *parse.RangeNode, body func([]ReflectValue) bool) {
	defer func() {
		if f.m.exited.Load() {
			return
		}
		x := recover()
		if x == nil {
			return
		}
		if b, ok := thrown(x).(brokenOff); !ok || b.r != r {
			panic(x)
		}
		f.m.panicking.forget(goroutine())
	}()
	yield := v.Type().In(0)
	v.v.Call([]reflect.Value{reflect.MakeFunc(v.v.Type().In(0), func(args []reflect.Value) []reflect.Value {
		values := make([]ReflectValue, len(args))
		for i, a := range args {
			values[i] = f.typed(yield.In(i), a)
		}
		if !body(values) {
			panic(brokenOff{r})
		}
		return []reflect.Value{reflect.ValueOf(true).Convert(v.v.Type().In(0).Out(0))}
	})})
}

// typed is a value of type t, which may be the script's.
func (e *execution) typed(t reflect.Type, v reflect.Value) ReflectValue {
	if s, ok := t.(reflectType); ok {
		return e.m.reflectValue(s.t.typ, v, false)
	}
	if v.IsValid() && v.Type() == reflectValueType {
		return v.Interface().(ReflectValue)
	}
	return ReflectValue{m: e.m, v: v}
}

// same is a value of v's type.
func (e *execution) same(v ReflectValue, x reflect.Value) ReflectValue {
	return ReflectValue{m: e.m, t: v.t, v: x}
}

var reflectValueType = reflect.TypeFor[ReflectValue]()

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uintptr }

// concrete takes a value out of an interface.
func concrete(v ReflectValue) ReflectValue {
	if v.Kind() != reflect.Interface {
		return v
	}
	return v.Elem()
}

// pointedTo follows pointers and interfaces to their end, or to a nil.
func pointedTo(v ReflectValue) (end ReflectValue, isNil bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.v.IsNil() {
			return v, true
		}
		v = v.Elem()
	}
	return v, false
}

// templateTruth is what {{if}} thinks of a value.
func templateTruth(v ReflectValue) (truth, ok bool) {
	if v.Kind() == reflect.Struct {
		return true, true
	}
	if !v.v.IsValid() {
		return false, true
	}
	return template.IsTrue(v.v.Interface())
}

// show prints the value of an action.
func (f *templateFrame) show(n parse.Node, v ReflectValue) {
	f.at = n
	x, ok := printable(v)
	if !ok {
		f.fail("can't print %s of type %s", n, typeText(v))
	}
	f.write([]byte(sprint(x)))
}

// printable is what fmt gets of a value: what a pointer points to, unless the
// pointer prints itself.
func printable(v ReflectValue) (x any, ok bool) {
	if v.Kind() == reflect.Pointer {
		v, _ = pointedTo(v)
	}
	if !v.v.IsValid() {
		return "<no value>", true
	}
	if !speaks(v) {
		if k := v.Kind(); v.v.CanAddr() && speaks(v.Addr()) {
			v = v.Addr()
		} else if k == reflect.Chan || k == reflect.Func {
			return nil, false
		}
	}
	return v.held(), true
}

// speaks reports whether fmt would call a method Error or String of the value.
func speaks(v ReflectValue) bool {
	t := v.Type()
	return t.Implements(errorType) || t.Implements(reflect.TypeFor[fmt.Stringer]())
}

// typeText is the name of a value's type.
func typeText(v ReflectValue) string { return typeTextOf(v.Type()) }

func typeTextOf(t reflect.Type) string {
	if isScriptType(t) {
		return t.String()
	}
	return libraryName(t)
}
