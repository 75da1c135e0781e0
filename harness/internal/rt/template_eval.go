package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"text/template/parse"
)

// The values of pipelines.

// missing stands for the value of a command that no other feeds.
var missing = ReflectValueOf(missingValue{})

type missingValue struct{}

func isMissing(v ReflectValue) bool {
	return v.t == nil && v.v.IsValid() && v.v.Type() == reflect.TypeFor[missingValue]()
}

func (f *templateFrame) pipe(dot ReflectValue, p *parse.PipeNode) (v ReflectValue) {
	if p == nil {
		return v
	}
	f.at = p
	v = missing
	for _, c := range p.Cmds {
		v = f.command(dot, c, v)
		if v.Kind() == reflect.Interface && v.Type().NumMethod() == 0 {
			v = v.Elem()
		}
	}
	for _, d := range p.Decl {
		if p.IsAssign {
			f.set(d.Ident[0], v)
		} else {
			f.vars = append(f.vars, templateVar{d.Ident[0], v})
		}
	}
	return v
}

// command evaluates one command; final is the value of the one before it.
func (f *templateFrame) command(dot ReflectValue, c *parse.CommandNode, final ReflectValue) ReflectValue {
	args := c.Args[1:]
	switch n := c.Args[0].(type) {
	case *parse.IdentifierNode:
		return f.function(dot, n, c, args, final)
	case *parse.FieldNode, *parse.ChainNode:
		return f.access(dot, n, args, final)
	case *parse.VariableNode:
		if len(n.Ident) == 1 {
			f.at = n
			v := f.get(n.Ident[0])
			f.noArguments(n, args, final)
			return v
		}
		return f.access(dot, n, args, final)
	case *parse.PipeNode:
		f.noArguments(n, args, final)
		return f.pipe(dot, n)
	case *parse.NilNode:
		f.at = n
		f.noArguments(n, args, final)
		f.fail("nil is not a command")
	}
	f.at = c.Args[0]
	f.noArguments(c.Args[0], args, final)
	v, ok := f.constant(dot, c.Args[0])
	if !ok {
		f.fail("can't evaluate command %q", c.Args[0])
	}
	return v
}

func (f *templateFrame) noArguments(n parse.Node, args []parse.Node, final ReflectValue) {
	if len(args) > 0 || !isMissing(final) {
		f.fail("can't give argument to non-function %s", n)
	}
}

// constant is the value of a literal, or of the dot, where no type is asked for.
func (f *templateFrame) constant(dot ReflectValue, n parse.Node) (v ReflectValue, ok bool) {
	f.at = n
	switch n := n.(type) {
	case *parse.DotNode:
		return dot, true
	case *parse.BoolNode:
		return ReflectValueOf(n.True), true
	case *parse.StringNode:
		return ReflectValueOf(n.Text), true
	case *parse.NumberNode:
		hex := len(n.Text) > 2 && n.Text[0] == '0' && strings.ContainsAny(n.Text[1:2], "xX") && !strings.ContainsAny(n.Text, "pP")
		switch {
		case n.IsComplex:
			return ReflectValueOf(n.Complex128), true
		case n.IsFloat && !hex && n.Text[0] != '\'' && strings.ContainsAny(n.Text, ".eEpP"):
			return ReflectValueOf(n.Float64), true
		case n.IsInt && int64(int(n.Int64)) == n.Int64:
			return ReflectValueOf(int(n.Int64)), true
		case n.IsInt || n.IsUint:
			f.fail("%s overflows int", n.Text)
		}
		return ReflectValue{}, true
	}
	return v, false
}

// access evaluates .A.B, $x.A or (…).A; the last name may get arguments.
func (f *templateFrame) access(dot ReflectValue, n parse.Node, args []parse.Node, final ReflectValue) ReflectValue {
	f.at = n
	v := dot
	var names []string
	switch n := n.(type) {
	case *parse.FieldNode:
		names = n.Ident
	case *parse.VariableNode:
		v, names = f.get(n.Ident[0]), n.Ident[1:]
	case *parse.ChainNode:
		names = n.Field
		if n.Node.Type() == parse.NodeNil {
			f.fail("indirection through explicit nil in %s", n)
		}
		v = f.argument(dot, anyParameter, n.Node)
	}
	for _, name := range names[:len(names)-1] {
		v = f.member(dot, v, name, n, nil, missing)
	}
	return f.member(dot, v, names[len(names)-1], n, args, final)
}

// member evaluates x.name: a method, a field or an entry of a map.
func (f *templateFrame) member(dot, x ReflectValue, name string, n parse.Node, args []parse.Node, final ReflectValue) ReflectValue {
	if !x.v.IsValid() {
		if f.common.missingKey == 2 {
			f.fail("nil data; no entry for key %q", name)
		}
		return ReflectValue{}
	}
	of := typeText(x)
	x, isNil := pointedTo(x)
	if isNil && x.Kind() == reflect.Interface {
		f.fail("nil pointer evaluating %s.%s", of, name)
	}
	owner := x
	if x.Kind() != reflect.Pointer && x.v.CanAddr() {
		owner = x.Addr()
	}
	if m, ok := f.method(owner, name); ok {
		return f.invoke(dot, m, n, args, final)
	}
	given := len(args) > 0 || !isMissing(final)
	switch x.Kind() {
	case reflect.Struct:
		if field, ok := x.Type().FieldByName(name); ok {
			return f.field(x, field, of, given)
		}
	case reflect.Map:
		key := x.Type().Key()
		if !assignableTo(reflect.TypeFor[string](), key) {
			break
		}
		if given {
			f.fail("%s is not a method but has arguments", name)
		}
		e := x.part(x.v.MapIndex(erase(ReflectValueOf(name), key, erasedType(key))), false)
		if e.v.IsValid() {
			return e
		}
		switch f.common.missingKey {
		case 1:
			return zeroElem(x)
		case 2:
			f.fail("map has no entry for key %q", name)
		}
		return e
	case reflect.Pointer:
		if elem := x.Type().Elem(); elem.Kind() == reflect.Struct {
			if _, ok := elem.FieldByName(name); !ok {
				break
			}
		}
		f.fail("nil pointer evaluating %s.%s", of, name)
	}
	f.fail("can't evaluate field %s in type %s", name, of)
	return ReflectValue{}
}

// zeroElem is what a map has for a key that is not in it.
func zeroElem(x ReflectValue) ReflectValue {
	return x.part(reflect.Zero(x.v.Type().Elem()), false)
}

func (f *templateFrame) field(x ReflectValue, field reflect.StructField, of string, given bool) ReflectValue {
	if !field.IsExported() {
		f.fail("%s is an unexported field of struct type %s", field.Name, of)
	}
	for i, k := range field.Index {
		if i > 0 && x.Kind() == reflect.Pointer {
			if x.v.IsNil() {
				f.fail("reflect: indirection through nil pointer to embedded struct field %s", x.Type().Elem().Name())
			}
			x = x.Elem()
		}
		if x.t == nil {
			x = ReflectValue{m: f.m, v: x.v.Field(k)}
			continue
		}
		// An embedded struct may be of a type that is not exported.
		x = f.m.reflectValue(x.t.Underlying().(*types.Struct).Field(k).Type(), x.v.Field(k), false)
	}
	if given {
		f.fail("%s has arguments but cannot be invoked as function", field.Name)
	}
	return x
}

// A callee is a function, or a method of a value, that a template calls.
type callee struct {
	name     string
	in       []parameter // of a variadic function, the last is that of one element
	variadic bool
	out      []reflect.Type // as they are in the script
	// call takes values as the parameters have them; those of a variadic
	// function one by one.
	call func([]reflect.Value) []reflect.Value
	// builtin: it is one of package template.
	builtin bool
}

// A parameter has a type and the form that its values have.
type parameter struct {
	t    reflect.Type
	form reflect.Type
}

var anyParameter = parameter{}

func (p parameter) takesValue() bool { return p.form == reflectValueType }

func (p parameter) canBeNil() bool {
	switch p.t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return true
	}
	return p.takesValue()
}

// calleeOf makes a callee of a function.
func (m *Machine) calleeOf(name string, v ReflectValue) *callee {
	if v.t == nil {
		return nativeCallee(name, v.v)
	}
	return m.scriptCallee(name, v.t.Underlying().(*types.Signature), v.v, nil)
}

func nativeCallee(name string, f reflect.Value) *callee {
	t := f.Type()
	c := &callee{name: name, variadic: t.IsVariadic(), call: f.Call}
	for i := range t.NumIn() {
		in := t.In(i)
		if c.variadic && i == t.NumIn()-1 {
			in = in.Elem()
		}
		c.in = append(c.in, parameter{in, in})
	}
	for i := range t.NumOut() {
		c.out = append(c.out, t.Out(i))
	}
	return c
}

// scriptCallee makes a callee of a lowered function, whose first arguments are
// bound.
func (m *Machine) scriptCallee(name string, sig *types.Signature, f reflect.Value, bound []reflect.Value) *callee {
	c := &callee{name: name, variadic: sig.Variadic()}
	n := sig.Params().Len()
	for i := range n {
		in, form := m.reflectTypeOf(sig.Params().At(i).Type()), f.Type().In(len(bound)+i)
		if c.variadic && i == n-1 {
			in, form = in.Elem(), form.Elem()
		}
		c.in = append(c.in, parameter{in, form})
	}
	for i := range sig.Results().Len() {
		c.out = append(c.out, m.reflectTypeOf(sig.Results().At(i).Type()))
	}
	c.call = func(args []reflect.Value) []reflect.Value {
		args = append(bound[:len(bound):len(bound)], args...)
		if c.variadic && !f.Type().IsVariadic() {
			fixed := len(bound) + n - 1
			rest := reflect.MakeSlice(f.Type().In(fixed), 0, len(args)-fixed)
			args = append(args[:fixed:fixed], reflect.Append(rest, args[fixed:]...))
		}
		return f.Call(args)
	}
	return c
}

// method finds a method of a value.
func (f *templateFrame) method(x ReflectValue, name string) (*callee, bool) {
	if x.t == nil {
		fn := f.m.method(x.v, name)
		if !fn.IsValid() {
			return nil, false
		}
		if full, refused := f.m.refusedMethod(x.v.Type(), name); refused {
			f.fail("%s is not available to scripts", full)
		}
		return nativeCallee(name, fn), true
	}
	fn, ok := f.m.typeOf(x.t).templateMethod(name)
	if !ok {
		return nil, false
	}
	sel := types.NewMethodSet(x.t).Lookup(nil, name)
	if sel == nil {
		return nil, false
	}
	return f.m.scriptCallee(name, sel.Type().(*types.Signature), fn, []reflect.Value{x.v}), true
}

// good says what keeps templates from calling the function.
func (c *callee) good() error {
	switch n := len(c.out); {
	case n == 1, n == 2 && c.out[1] == errorType:
		return nil
	case n == 2:
		return fmt.Errorf("invalid function signature for %s: second return value should be error; is %s", c.name, typeTextOf(c.out[1]))
	default:
		return fmt.Errorf("function %s has %d return values; should be 1 or 2", c.name, n)
	}
}

// parameter is that of the argument i.
func (c *callee) parameter(i int) parameter { return c.in[min(i, len(c.in)-1)] }

func (f *templateFrame) function(dot ReflectValue, n *parse.IdentifierNode, place parse.Node, args []parse.Node, final ReflectValue) ReflectValue {
	f.at = n
	return f.invoke(dot, f.named(n.Ident), place, args, final)
}

// named finds a function: the script's, one of html/template, or a builtin.
func (f *templateFrame) named(name string) *callee {
	if fn := f.common.function(name); fn.IsValid() {
		if box, ok := fn.Interface().(scriptFunc); ok {
			return f.m.calleeOf(name, ReflectValueOf(box()))
		}
		return nativeCallee(name, fn)
	}
	if fn := f.escapers.function(name); fn.IsValid() {
		c := nativeCallee(name, fn)
		c.call = f.m.escaper(fn)
		return c
	}
	fn, ok := templateBuiltins()[name]
	if !ok {
		f.fail("%q is not a defined function", name)
	}
	c := nativeCallee(name, fn)
	c.builtin = true
	return c
}

// invoke calls a function with arguments that are written, and final after them.
func (f *templateFrame) invoke(dot ReflectValue, c *callee, n parse.Node, args []parse.Node, final ReflectValue) ReflectValue {
	count := len(args)
	if !isMissing(final) {
		count++
	}
	switch want := len(c.in); {
	case c.variadic && count < want-1:
		f.fail("wrong number of args for %s: want at least %d got %d", c.name, want-1, len(args))
	case !c.variadic && count != want:
		f.fail("wrong number of args for %s: want %d got %d", c.name, want, count)
	}
	if err := c.good(); err != nil {
		f.fail("%v", err)
	}
	if c.builtin && (c.name == "and" || c.name == "or") {
		var v ReflectValue
		for _, a := range args {
			v = f.argument(dot, c.in[0], a)
			if truth, _ := templateTruth(concrete(v)); truth == (c.name == "or") {
				return v
			}
		}
		if !isMissing(final) {
			v = f.fit(final, c.in[0])
		}
		return v
	}
	values := make([]ReflectValue, 0, count)
	for i, a := range args {
		values = append(values, f.argument(dot, c.parameter(i), a))
	}
	if !isMissing(final) {
		values = append(values, f.fit(final, c.parameter(len(args))))
	}
	var v ReflectValue
	var err error
	if c.builtin && c.name == "call" {
		text := ""
		if len(args) > 0 {
			text = args[0].String()
		} else {
			text = final.String()
		}
		v, err = f.m.templateCall(text, values[0], values[1:])
	} else {
		v, err = f.m.invoked(c, values)
	}
	if err != nil {
		f.at = n
		f.fail("error calling %s: %w", c.name, err)
	}
	return v
}

// invoked calls a function. Its panic is an error, and so is its second result.
func (m *Machine) invoked(c *callee, args []ReflectValue) (v ReflectValue, err error) {
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		p := c.parameter(i)
		in[i] = erase(a, p.t, p.form)
	}
	defer func() {
		if m.exited.Load() {
			return
		}
		r := recover()
		if r == nil {
			return
		}
		x := m.ended(r)
		if c.builtin {
			x = thrown(r)
		}
		if e, ok := x.(error); ok {
			err = e
		} else {
			err = fmt.Errorf("%s", sprint(x))
		}
	}()
	out := c.call(in)
	if len(out) == 2 {
		if err := asError(out[1]); err != nil {
			return ReflectValue{}, err
		}
	}
	return (&execution{m: m}).typed(c.out[0], out[0]), nil
}

// heldBy is the value that an argument holds.
func heldBy(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

// erase gives a value the form that a parameter of type t has.
func erase(v ReflectValue, t, form reflect.Type) reflect.Value {
	switch {
	case form == reflectValueType:
		return reflect.ValueOf(v)
	case !v.v.IsValid():
		return reflect.Zero(form)
	case t.Kind() != reflect.Interface:
		return v.v
	}
	x := v.held()
	if x == nil {
		return reflect.Zero(form)
	}
	in, _ := inInterface(x, form)
	return in
}

// argument evaluates a node as an argument for p.
func (f *templateFrame) argument(dot ReflectValue, p parameter, n parse.Node) ReflectValue {
	f.at = n
	switch n := n.(type) {
	case *parse.DotNode:
		return f.fit(dot, p)
	case *parse.NilNode:
		if p.t == nil || !p.canBeNil() {
			f.fail("cannot assign nil to %s", typeTextOf(p.t))
		}
		return ReflectValue{}
	case *parse.FieldNode, *parse.ChainNode:
		return f.fit(f.access(dot, n, nil, missing), p)
	case *parse.VariableNode:
		if len(n.Ident) == 1 {
			return f.fit(f.get(n.Ident[0]), p)
		}
		return f.fit(f.access(dot, n, nil, missing), p)
	case *parse.PipeNode:
		return f.fit(f.pipe(dot, n), p)
	case *parse.IdentifierNode:
		return f.fit(f.function(dot, n, n, nil, missing), p)
	}
	return f.literal(dot, p, n)
}

// literal makes a parameter of a literal.
func (f *templateFrame) literal(dot ReflectValue, p parameter, n parse.Node) ReflectValue {
	k := p.t.Kind()
	if k == reflect.Interface && p.t.NumMethod() == 0 || p.takesValue() {
		v, ok := f.constant(dot, n)
		if !ok {
			f.fail("can't handle assignment of %s to empty interface argument", n)
		}
		return v
	}
	v := reflect.New(p.form).Elem()
	number, _ := n.(*parse.NumberNode)
	want, ok := "", false
	switch {
	case k == reflect.Bool:
		var b *parse.BoolNode
		if b, ok = n.(*parse.BoolNode); ok {
			v.SetBool(b.True)
		}
		want = "bool"
	case k == reflect.String:
		var s *parse.StringNode
		if s, ok = n.(*parse.StringNode); ok {
			v.SetString(s.Text)
		}
		want = "string"
	case v.CanInt():
		if ok = number != nil && number.IsInt; ok {
			v.SetInt(number.Int64)
		}
		want = "integer"
	case v.CanUint():
		if ok = number != nil && number.IsUint; ok {
			v.SetUint(number.Uint64)
		}
		want = "unsigned integer"
	case v.CanFloat():
		if ok = number != nil && number.IsFloat; ok {
			v.SetFloat(number.Float64)
		}
		want = "float"
	case v.CanComplex():
		if ok = number != nil && number.IsComplex; ok {
			v.SetComplex(number.Complex128)
		}
		want = "complex"
	default:
		f.fail("can't handle %s for arg of type %s", n, typeTextOf(p.t))
	}
	if !ok {
		f.fail("expected %s; found %s", want, n)
	}
	return f.typed(p.t, v)
}

// fit makes a value one that can be assigned to a parameter.
func (f *templateFrame) fit(v ReflectValue, p parameter) ReflectValue {
	switch {
	case p.t == nil || p.takesValue():
		return v
	case !v.v.IsValid():
		if !p.canBeNil() {
			f.fail("invalid value; expected %s", typeTextOf(p.t))
		}
		return v
	case assignableTo(v.Type(), p.t):
		return v
	}
	if v.Kind() == reflect.Interface && !v.v.IsNil() {
		v = v.Elem()
		if assignableTo(v.Type(), p.t) {
			return v
		}
	}
	switch {
	case v.Kind() == reflect.Pointer && assignableTo(v.Type().Elem(), p.t):
		if v.v.IsNil() {
			f.fail("dereference of nil pointer of type %s", typeTextOf(p.t))
		}
		return v.Elem()
	case v.v.CanAddr() && assignableTo(pointerTo(v.Type()), p.t):
		return v.Addr()
	}
	f.fail("wrong type for value; expected %s; got %s", typeTextOf(p.t), typeText(v))
	return v
}
