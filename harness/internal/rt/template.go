package rt

import (
	"errors"
	"fmt"
	"go/types"
	"io"
	"maps"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
)

// text/template looks at dynamic types by itself: fields by reflection, methods
// by name. So a template that gets script values is executed in a copy in which
// every .Field is a call of [Machine.templateField], which knows the script's
// types. Structs stay boxes, which print as Go prints them; slices and maps
// become ones of such values, so that range, len and index see them.

func (m *Machine) templateExecute(t *template.Template, w io.Writer, x any) error {
	c, err := m.rewritten(t)
	if err != nil {
		return err
	}
	defer m.presenting()()
	return asWritten(c.Execute(w, m.present(x)))
}

func (m *Machine) templateExecuteTemplate(t *template.Template, w io.Writer, name string, x any) error {
	c, err := m.rewritten(t)
	if err != nil {
		return err
	}
	defer m.presenting()()
	return asWritten(c.ExecuteTemplate(w, name, m.present(x)))
}

// rewritten copies a template with all that it can call, and rewrites it.
func (m *Machine) rewritten(t *template.Template) (*template.Template, error) {
	c, err := t.Clone()
	if err != nil {
		return nil, err
	}
	calls := &templateCalls{}
	c.Funcs(m.templateFunctions(reflect.ValueOf(t).Elem(), calls, func(x any) any { return templateShown(m.original(x)) }))
	for _, sub := range c.Templates() {
		if sub.Tree == nil || sub.Root == nil {
			continue
		}
		tree := sub.Tree.Copy()
		(&rewriter{tree: tree, calls: calls}).list(tree.Root)
		if _, err := c.AddParseTree(sub.Name(), tree); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// templateFunctions are what a rewritten template calls: t is the text/template
// that it was. What the script calls by the name of one is the script's.
func (m *Machine) templateFunctions(t reflect.Value, calls *templateCalls, shown func(any) any) template.FuncMap {
	functions := template.FuncMap{
		fieldFunc: m.templateFields(missingKeyOption(t), calls), truthFunc: m.templateTruth, wrapFunc: m.wrapFalse, unwrapFunc: unwrapFalse, rangeFunc: m.templateRange(calls), shownFunc: shownValue(shown), callFunc: m.templateCall, "len": templateLen, "slice": templateSlice, "index": m.templateIndex,
		"print":   func(a ...any) string { return sprint(m.originals(a)...) },
		"html":    func(a ...any) string { return template.HTMLEscaper(m.originals(a)...) },
		"println": func(a ...any) string { return sprintln(m.originals(a)...) },
		"printf":  func(format string, a ...any) (string, error) { return templatePrintf(format, m.originals(a)...) },
		"eq":      m.comparison("eq"), "ne": m.comparison("ne"), "lt": m.comparison("lt"),
		"le": m.comparison("le"), "gt": m.comparison("gt"), "ge": m.comparison("ge"),
		"not": func(x any) bool { return !m.templateTruth(x) },
	}
	if own := t.FieldByName("common"); !own.IsNil() {
		own = own.Elem().FieldByName("execFuncs")
		calls.ownCall = own.MapIndex(reflect.ValueOf("call")).IsValid()
		maps.DeleteFunc(functions, func(name string, _ any) bool { return own.MapIndex(reflect.ValueOf(name)).IsValid() })
	}
	return functions
}

// shownValue is shown for the values of a template. One that is nil and of an
// interface type with methods stays so, and is printed as <nil>.
func shownValue(shown func(any) any) func(reflect.Value) reflect.Value {
	return func(v reflect.Value) reflect.Value {
		if v.IsValid() && v.Kind() == reflect.Interface && v.NumMethod() > 0 && v.IsNil() {
			return v
		}
		return reflect.ValueOf(shown(heldBy(v)))
	}
}

const (
	fieldFunc  = "script_field"
	truthFunc  = "script_truth"
	wrapFunc   = "script_wrap"
	unwrapFunc = "script_unwrap"
	rangeFunc  = "script_range"
	shownFunc  = "script_shown"
	callFunc   = "script_call"
)

// {{and}}, {{or}} and {{with}} ask a value whether it is true, by its kind, and
// go on with the value. A script value is a box, a struct, and always true; so
// one that is false goes through them as an empty slice with the box behind its
// end.

func (m *Machine) wrapFalse(x any) any {
	if _, ok := unbox(x); ok && !m.templateTruth(x) {
		return falseValue{x}[:0]
	}
	return x
}

type falseValue []any

func unwrapFalse(x any) any {
	if f, ok := x.(falseValue); ok {
		return f[:1][0]
	}
	return x
}

// templatePrintf is {{printf}}. Of a number or a string without methods only the
// value is left, so that its type cannot be asked for.
func templatePrintf(format string, args ...any) (string, error) {
	for _, i := range typeOperands(format) {
		for k, a := range args {
			if i >= 0 && i != k {
				continue
			}
			if t := reflect.TypeOf(a); t != nil && basicOf(t.Kind()) == t {
				return "", errors.New("the verbs %T and %#v of a value without methods are not supported in templates; print with fmt")
			}
		}
	}
	return sprintf(format, args...), nil
}

// typeOperands are the operands whose type a format shows, -1 for any of them.
func typeOperands(format string) (list []int) {
	counted := true // no operand is named, none is a width
	for n, rest := 0, format; ; n++ {
		_, after, ok := strings.Cut(rest, "%")
		verb := strings.TrimLeft(after, "+-# 0123456789.*[]")
		switch {
		case ok && verb != "":
		case counted || len(list) == 0:
			return list
		default:
			return []int{-1}
		}
		flags := after[:len(after)-len(verb)]
		if verb[0] == 'T' || verb[0] == 'v' && strings.Contains(flags, "#") {
			list = append(list, n)
		}
		counted = counted && !strings.ContainsAny(flags, "*[")
		if rest = verb[1:]; verb[0] == '%' {
			n--
		}
	}
}

// fieldCall is a rewritten field access in an error message.
var fieldCall = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(?` + fieldFunc + ` (\(.*?\)|\S+) "([^"]+)"\)?`) })

// fieldPlace is the place of an error in a method call: Go names it without its
// arguments.
var fieldPlace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`at <\(?(` + fieldFunc + ` (?:\(.*?\)|\S+) "[^"]+")[^>]*>`)
})

// asWritten makes an error of the rewritten template one of the script's.
func asWritten(err error) error {
	var e template.ExecError
	if !errors.As(err, &e) {
		return err
	}
	text := e.Error()
	var arg *argumentError
	if errors.As(err, &arg) && arg.node != nil {
		place, context := (&parse.Tree{}).ErrorContext(arg.node)
		text = fmt.Sprintf("template: %s: executing %q at <%s>: %s", place, e.Name, context, arg.text)
	}
	return template.ExecError{Name: e.Name, Err: &textError{textAsWritten(text), errors.Unwrap(e.Err)}}
}

func textAsWritten(text string) string {
	text = fieldPlace().ReplaceAllString(text, "at <$1>")
	for range strings.Count(text, fieldFunc) { // one in another
		text = fieldCall().ReplaceAllStringFunc(text, func(s string) string {
			part := fieldCall().FindStringSubmatch(s)
			return strings.TrimPrefix(part[1], ".") + "." + part[2]
		})
	}
	text = strings.ReplaceAll(text, callFunc+"  ", "call ")
	text = strings.ReplaceAll(text, "error calling "+callFunc, "error calling call")
	text = strings.ReplaceAll(text, "error calling "+fieldFunc+": ", "")
	text = strings.ReplaceAll(text, fieldFunc+" ", "") // of what is no single name
	return strings.ReplaceAll(text, " | "+shownFunc, "")
}

// rewriter changes the field accesses of one template.
type rewriter struct {
	tree  *parse.Tree
	html  bool // of html/template
	calls *templateCalls
}

// templateCalls are the arguments, as they were written, of the field accesses
// that have some. The name that is handed to fieldFunc ends in the number of its.
type templateCalls struct {
	nodes   [][]parse.Node
	ownCall bool // the script has a function of its own by the name of call
}

// add returns the number of the nodes.
func (c *templateCalls) add(nodes ...parse.Node) int {
	c.nodes = append(c.nodes, nodes)
	return len(c.nodes) - 1
}

const callMark = "\x00"

// named takes the number from a name that fieldFunc got.
func (c *templateCalls) named(text string) (name string, nodes []parse.Node) {
	name, number, ok := strings.Cut(text, callMark)
	if i, err := strconv.Atoi(number); ok && err == nil && i < len(c.nodes) {
		nodes = c.nodes[i]
	}
	return name, nodes
}

func (r *rewriter) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for i, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			r.pipe(n.Pipe)
			switch {
			case len(n.Pipe.Decl) > 0:
			case r.html && escaperLast(n.Pipe):
				r.shownBefore(n.Pipe)
			default:
				n.Pipe.Cmds = append(n.Pipe.Cmds, r.command(n.Pos, shownFunc))
			}
		case *parse.IfNode:
			r.branch(&n.BranchNode)
			l.Nodes[i] = r.scoped(n, &n.BranchNode, truthFunc)
		case *parse.RangeNode:
			ranges := lastNode(n.Pipe).Copy()
			r.branch(&n.BranchNode)
			over := r.command(n.Pos, rangeFunc)
			over.Args = append(over.Args, &parse.NumberNode{NodeType: parse.NodeNumber, Pos: n.Pos, IsInt: true, Int64: int64(r.calls.add(ranges)), Text: "0"})
			n.Pipe.Cmds = append(n.Pipe.Cmds, over)
		case *parse.WithNode:
			r.branch(&n.BranchNode)
			l.Nodes[i] = r.scoped(n, &n.BranchNode, wrapFunc)
		case *parse.TemplateNode:
			r.pipe(n.Pipe)
		case *parse.ListNode:
			r.list(n)
		}
	}
}

func (r *rewriter) branch(b *parse.BranchNode) {
	r.pipe(b.Pipe)
	r.list(b.List)
	r.list(b.ElseList)
}

// scoped makes a condition ask by our function. A variable that it declares
// gets its value before that, in a scope of its own:
//
//	{{if $x := .A}}…{{end}}    {{if true}}{{$x := .A}}{{if script_truth $x}}…{{end}}{{end}}
func (r *rewriter) scoped(n parse.Node, b *parse.BranchNode, function string) parse.Node {
	if len(b.Pipe.Decl) == 0 {
		b.Pipe.Cmds = append(b.Pipe.Cmds, r.command(b.Pos, function))
		return n
	}
	declare := &parse.ActionNode{NodeType: parse.NodeAction, Pos: b.Pos, Line: b.Line, Pipe: b.Pipe}
	ask := r.command(b.Pos, function)
	v := *b.Pipe.Decl[0]
	ask.Args = append(ask.Args, &v)
	b.Pipe = &parse.PipeNode{NodeType: parse.NodePipe, Pos: b.Pos, Line: b.Line, Cmds: []*parse.CommandNode{ask}}
	outer := &parse.IfNode{}
	outer.BranchNode = *b
	outer.NodeType = parse.NodeIf
	outer.Pipe = &parse.PipeNode{NodeType: parse.NodePipe, Pos: b.Pos, Line: b.Line, Cmds: []*parse.CommandNode{{
		NodeType: parse.NodeCommand, Pos: b.Pos, Args: []parse.Node{&parse.BoolNode{NodeType: parse.NodeBool, Pos: b.Pos, True: true}},
	}}}
	outer.List = &parse.ListNode{NodeType: parse.NodeList, Pos: b.Pos, Nodes: []parse.Node{declare, n}}
	outer.ElseList = nil
	return outer
}

func (r *rewriter) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	defer r.logic(p)
	for _, c := range p.Cmds {
		written := make([]parse.Node, 0, len(c.Args)-1)
		for i, a := range c.Args {
			if i > 0 {
				written = append(written, a.Copy())
				c.Args[i] = r.argument(a)
			}
		}
		if call := r.access(c.Args[0]); call != nil {
			c.Pos = c.Args[0].Position()
			if len(written) > 0 {
				call[2].(*parse.StringNode).Text += callMark + strconv.Itoa(r.calls.add(written...))
			}
			c.Args = append(call, c.Args[1:]...)
		} else if p, ok := c.Args[0].(*parse.PipeNode); ok {
			r.pipe(p)
		}
	}
}

// logic lets {{and}} and {{or}} see which of their operands are true.
func (r *rewriter) logic(p *parse.PipeNode) {
	var cmds []*parse.CommandNode
	for i, c := range p.Cmds {
		id, ok := c.Args[0].(*parse.IdentifierNode)
		if ok && id.Ident == "call" && len(c.Args) > 1 && !r.calls.ownCall {
			id.Ident = callFunc
			c.Args = append([]parse.Node{id, &parse.StringNode{NodeType: parse.NodeString, Pos: c.Pos, Text: textAsWritten(c.Args[1].String())}}, c.Args[1:]...)
		}
		if !ok || id.Ident != "and" && id.Ident != "or" {
			cmds = append(cmds, c)
			continue
		}
		if i > 0 {
			cmds = append(cmds, r.command(c.Pos, wrapFunc))
		}
		for k, a := range c.Args[1:] {
			wrap := r.command(a.Position(), wrapFunc)
			wrap.Args = append(wrap.Args, a)
			c.Args[k+1] = &parse.PipeNode{NodeType: parse.NodePipe, Pos: a.Position(), Cmds: []*parse.CommandNode{wrap}}
		}
		cmds = append(cmds, c, r.command(c.Pos, unwrapFunc))
	}
	p.Cmds = cmds
}

// argument rewrites a node that is not the first of its command.
func (r *rewriter) argument(n parse.Node) parse.Node {
	if p, ok := n.(*parse.PipeNode); ok {
		r.pipe(p)
		return p
	}
	call := r.access(n)
	if call == nil {
		return n
	}
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Position(), Cmds: []*parse.CommandNode{{NodeType: parse.NodeCommand, Pos: n.Position(), Args: call}}}
}

// access returns the call that stands for .A.B, $x.A or (…).A; nil for any
// other node.
func (r *rewriter) access(n parse.Node) []parse.Node {
	var base parse.Node
	var names []string
	switch n := n.(type) {
	case *parse.FieldNode:
		base, names = &parse.DotNode{NodeType: parse.NodeDot, Pos: n.Pos}, n.Ident
	case *parse.VariableNode:
		if len(n.Ident) < 2 {
			return nil
		}
		names = n.Ident[1:]
		v := *n
		v.Ident = n.Ident[:1]
		base = &v
	case *parse.ChainNode:
		base, names = r.argument(n.Node), n.Field
	default:
		return nil
	}
	text := strings.Join(names, ".")
	name := &parse.StringNode{NodeType: parse.NodeString, Pos: n.Position(), Quoted: fmt.Sprintf("%q", text), Text: text}
	return append(r.command(n.Position(), fieldFunc).Args, base, name)
}

func (r *rewriter) command(pos parse.Pos, name string) *parse.CommandNode {
	id := parse.NewIdentifier(name).SetPos(pos).SetTree(r.tree)
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{id}}
}

// templateFields evaluates x.A.B with arguments for the last name; option is what
// the template says of keys that a map does not have.
func (m *Machine) templateFields(option int64, calls *templateCalls) func(x any, names string, args ...any) (any, error) {
	return func(x any, text string, args ...any) (any, error) {
		names, nodes := calls.named(text)
		list := strings.Split(names, ".")
		declared := "" // the interface type of the variable that x came from
		for i, name := range list {
			var given []any
			if i == len(list)-1 {
				given = args
			}
			owner := x
			var err error
			x, err = m.member(x, name, given, nodes)
			var none missingKey
			if errors.As(err, &none) {
				if option == 0 {
					return nil, nil // and so has what is below it
				}
				x, err = none.choose(option)
			}
			if err != nil {
				return nil, inDeclared(err, owner, declared)
			}
			if t := pointerField(owner, name); x == nil && t != nil && i < len(list)-1 {
				return nil, fmt.Errorf("nil pointer evaluating %s.%s", TypeName(t), list[i+1])
			}
			if declared = m.declaredType(owner, name); x == nil && declared != "" && i < len(list)-1 {
				return nil, fmt.Errorf("nil pointer evaluating %s.%s", declared, list[i+1])
			}
		}
		return x, nil
	}
}

// declaredType names the interface type of the field or the elements that owner.name
// is one of, "" for any other type.
func (m *Machine) declaredType(owner any, name string) string {
	if b, ok := unbox(canonical(owner)); ok {
		obj, _, _ := types.LookupFieldOrMethod(b.T.typ, true, packageOf(b.T.typ), name)
		if f, ok := obj.(*types.Var); ok && types.IsInterface(f.Type()) {
			return TypeName(f.Type())
		}
		return ""
	}
	v := reflect.ValueOf(owner)
	if v.Kind() != reflect.Map || v.Type().Elem().Kind() != reflect.Interface {
		return ""
	}
	if known, ok := m.presented.Load(v.Pointer()); ok {
		if elem := known.(presentedMap).elem; types.IsInterface(elem) {
			return TypeName(elem)
		}
		return ""
	}
	return v.Type().Elem().String()
}

// inDeclared is an error of a field that x does not have, in Go's words: it names
// the type of the variable that x came from.
func inDeclared(err error, x any, declared string) error {
	text, ok := strings.CutSuffix(err.Error(), " type "+dynamicName(x))
	if _, isMissing := err.(missingKey); isMissing || !ok || declared == "" {
		return err
	}
	return errors.New(text + " type " + declared)
}

// missingKey is the error for a key that a map does not have.
type missingKey struct {
	key  string
	zero reflect.Value
}

func (k missingKey) Error() string { return fmt.Sprintf("map has no entry for key %q", k.key) }

// choose does what the template's option missingkey says: 1 for zero, 2 for error.
func (k missingKey) choose(option int64) (any, error) {
	if option == 1 {
		return k.zero.Interface(), nil
	}
	return nil, k
}

// missingKeyOption reads the option missingkey of a template, which has no
// function for it.
func missingKeyOption(t reflect.Value) int64 {
	o := t.FieldByName("option")
	if o.IsValid() {
		o = o.FieldByName("missingKey")
	}
	if !o.IsValid() || !o.CanInt() {
		return 0
	}
	return o.Int()
}

// pointerField is the type of a field of a script value, if it is a pointer.
func pointerField(x any, name string) types.Type {
	b, ok := unbox(canonical(x))
	if !ok {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(b.T.typ, true, nil, name)
	if f, ok := obj.(*types.Var); ok {
		if _, isPtr := pointee(f.Type()); isPtr {
			return f.Type()
		}
	}
	return nil
}

// member evaluates x.name: a method, a field or an entry of a map.
func (m *Machine) member(x any, name string, args []any, nodes []parse.Node) (any, error) {
	x = canonical(x)
	if x == nil {
		return nil, fmt.Errorf("nil data; no entry for key %q", name)
	}
	b, ok := unbox(x)
	if !ok {
		if b, ok := unbox(m.original(x)); ok {
			if r, found, err := m.callMethod(b, name, args, nodes); found {
				return r, err
			}
			if v := reflect.ValueOf(x); v.Kind() != reflect.Map {
				return nil, fmt.Errorf("can't evaluate field %s in type %s", name, TypeName(b.T.typ))
			}
		}
		return m.libraryMember(reflect.ValueOf(x), name, args)
	}
	if r, found, err := m.callMethod(b, name, args, nodes); found {
		return r, err
	}
	v, t := reflect.ValueOf(b.V), b.T.typ
	if types.IsInterface(t) {
		return nil, fmt.Errorf("nil pointer evaluating %s.%s", TypeName(t), name)
	}
	if elem, isPtr := pointee(t); isPtr {
		if v.IsNil() {
			return nil, fmt.Errorf("nil pointer evaluating %s.%s", TypeName(t), name)
		}
		v, t = v.Elem(), elem
	}
	obj, path, _ := types.LookupFieldOrMethod(t, true, packageOf(t), name)
	f, isField := obj.(*types.Var)
	if isField && !f.Exported() {
		return nil, fmt.Errorf("%s is an unexported field of struct type %s", name, TypeName(b.T.typ))
	}
	if !isField {
		return nil, fmt.Errorf("can't evaluate field %s in type %s", name, TypeName(b.T.typ))
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("%s has arguments but cannot be invoked as function", name)
	}
	for i, k := range path {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return nil, fmt.Errorf("nil pointer evaluating %s.%s", TypeName(b.T.typ), name)
			}
			v = v.Elem()
		}
		v = v.Field(k)
	}
	return m.presentValue(f.Type(), v, 0), nil
}

func packageOf(t types.Type) *types.Package {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	return nil
}

// callMethod calls a method of a script value, by its address if need be.
func (m *Machine) callMethod(b Box, name string, args []any, nodes []parse.Node) (result any, found bool, err error) {
	t, recv := b.T, reflect.ValueOf(b.V)
	f, ok := t.templateMethod(name)
	if !ok {
		t = m.typeOf(types.NewPointer(b.T.typ))
		if f, ok = t.templateMethod(name); !ok {
			return nil, false, nil
		}
		ptr := reflect.New(recv.Type())
		ptr.Elem().Set(recv)
		recv = ptr
	}
	sel := types.NewMethodSet(t.typ).Lookup(nil, name)
	if sel == nil {
		return nil, false, nil
	}
	sig := sel.Type().(*types.Signature)
	if sig.Results().Len() == 0 || sig.Results().Len() > 2 {
		return nil, true, fmt.Errorf("can't call method/function %q with %d results", name, sig.Results().Len())
	}
	in, err := m.templateArguments(name, sig, args, nodes, true, func(i int) reflect.Type { return f.Type().In(i + 1) })
	if err != nil {
		return nil, true, err
	}
	out, err := m.safeCall(f, append([]reflect.Value{recv}, in...))
	if err != nil {
		return nil, true, fmt.Errorf("error calling %s: %w", name, err)
	}
	return m.presentValue(sig.Results().At(0).Type(), out[0], 0), true, nil
}

// libraryMember is member for a value of a library, or one that present made.
func (m *Machine) libraryMember(v reflect.Value, name string, args []any) (any, error) {
	if full, refused := m.refusedMethod(v.Type(), name); refused {
		return nil, fmt.Errorf("%s is not available to scripts", full)
	}
	if f := v.MethodByName(name); f.IsValid() {
		in := make([]reflect.Value, len(args))
		for i, a := range args {
			if i >= f.Type().NumIn() {
				return nil, fmt.Errorf("wrong number of args for %s: want %d got %d", name, f.Type().NumIn(), len(args))
			}
			in[i] = argument(a, f.Type().In(i))
		}
		if f.Type().NumIn() != len(in) || f.Type().NumOut() == 0 {
			return nil, fmt.Errorf("wrong number of args for %s: want %d got %d", name, f.Type().NumIn(), len(args))
		}
		out := f.Call(in)
		if len(out) == 2 {
			if err := asError(out[1]); err != nil {
				return nil, fmt.Errorf("error calling %s: %w", name, err)
			}
		}
		return m.present(out[0].Interface()), nil
	}
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		if f := v.FieldByName(name); f.IsValid() && f.CanInterface() {
			return m.present(f.Interface()), nil
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			e := v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
			if !e.IsValid() {
				return nil, missingKey{name, reflect.Zero(v.Type().Elem())}
			}
			if e.Kind() == reflect.Interface && e.NumMethod() > 0 && e.IsNil() {
				return m.typeOf(types.Universe.Lookup("error").Type()).boxed(nil), nil // prints as <nil>, as any such
			}
			return m.present(e.Interface()), nil
		}
	}
	return nil, fmt.Errorf("can't evaluate field %s in type %s", name, v.Type())
}

// templateShown is what a template prints for a value: what a pointer points to,
// unless the pointer prints itself.
func templateShown(x any) any {
	b, ok := unbox(canonical(x))
	if !ok {
		return x
	}
	elem, isPtr := pointee(b.T.typ)
	v := reflect.ValueOf(b.V)
	if !isPtr || v.Kind() != reflect.Pointer || v.IsNil() {
		return x
	}
	for _, name := range []string{"Error", "String"} {
		if _, ok := b.T.method(name); ok {
			return x
		}
	}
	return b.T.m.typeOf(elem).boxed(v.Elem().Interface())
}

// templateLen is the function len of templates.
func templateLen(x any) (int, error) {
	v := reflect.ValueOf(erased(x))
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid:
		return 0, errors.New("len of nil pointer")
	case reflect.String, reflect.Array, reflect.Chan, reflect.Map, reflect.Slice:
		return v.Len(), nil
	}
	return 0, fmt.Errorf("len of type %s", dynamicName(x))
}

// presenting begins the execution of a template. What was noted of the maps
// that present makes is forgotten when the last execution under way ends.
func (m *Machine) presenting() (end func()) {
	m.executions.mu.Lock()
	defer m.executions.mu.Unlock()
	m.executions.n++
	return func() {
		m.executions.mu.Lock()
		defer m.executions.mu.Unlock()
		if m.executions.n--; m.executions.n == 0 {
			m.presented.Clear()
			m.origins.Clear()
		}
	}
}

// present makes a value fit for a template.
func (m *Machine) present(x any) any {
	x = canonical(x)
	if b, ok := unbox(x); ok {
		return m.presentValue(b.T.typ, reflect.ValueOf(b.V), 0)
	}
	return x
}

func (m *Machine) presentValue(t types.Type, v reflect.Value, depth int) any {
	if types.IsInterface(t) {
		if v.Kind() == reflect.Interface && v.IsNil() {
			if t.Underlying().(*types.Interface).Empty() {
				return nil
			}
			return m.typeOf(t).boxed(nil) // prints as <nil>, not as <no value>
		}
		return m.present(v.Interface())
	}
	e := m.typeOf(t)
	if e.plain || depth > 100 {
		return v.Interface()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && Folded(n) {
		v = printer{m: m}.unfold(n, v)
	}
	part := func(t types.Type, v reflect.Value) any { return m.presentValue(t, v, depth+1) }
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return presentList(e, v, u.Elem(), part)
	case *types.Array:
		return presentList(e, v, u.Elem(), part)
	case *types.Map:
		out := reflect.MakeMap(reflect.MapOf(v.Type().Key(), anyType))
		for _, k := range v.MapKeys() {
			elem := reflect.New(anyType).Elem()
			if x := part(u.Elem(), v.MapIndex(k)); x != nil {
				elem.Set(reflect.ValueOf(x))
			}
			out.SetMapIndex(k, elem)
		}
		m.presented.Store(out.Pointer(), presentedMap{m.typeOf(u.Key()), u.Elem(), v.Type().Elem(), out.Interface()})
		m.origins.Store(out.Pointer(), origin{e.boxed(v.Interface()), out.Interface()})
		return out.Interface()
	case *types.Basic:
		if types.NewMethodSet(types.NewPointer(t)).Len() == 0 {
			return v.Interface()
		}
	}
	return e.boxed(v.Interface())
}

// presentedMap is what a map made by present was: its keys may have methods,
// which {{range}} shows, and its elements a zero value, which {{index}} gives for
// a key that is not there. The map in it stays alive, so that no other has its
// address.
type presentedMap struct {
	key  *Type
	elem types.Type
	in   reflect.Type // an element as the interpreter has it
	m    any
}

// lastNode is what is evaluated last of a pipeline.
func lastNode(p *parse.PipeNode) parse.Node {
	args := p.Cmds[len(p.Cmds)-1].Args
	last := args[len(args)-1]
	if in, ok := last.(*parse.PipeNode); ok {
		return lastNode(in)
	}
	return last
}

// templateRange checks what {{range}} is to run over.
func (m *Machine) templateRange(calls *templateCalls) func(call int, x any) (any, error) {
	return func(call int, x any) (any, error) {
		over := m.ranged(x)
		v := reflect.ValueOf(over)
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		switch k := v.Kind(); {
		case k == reflect.Bool, k == reflect.String, k == reflect.Struct, k >= reflect.Float32 && k <= reflect.Complex128:
			return nil, &argumentError{calls.nodes[call][0], "range can't iterate over " + sprint(m.original(x))}
		}
		return over, nil
	}
}

// ranged is what {{range}} runs over.
func (m *Machine) ranged(x any) any {
	if b, ok := unbox(canonical(x)); ok {
		return m.rangedBox(b, x)
	}
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Map {
		return x
	}
	known, ok := m.presented.Load(v.Pointer())
	if !ok {
		return x
	}
	key := known.(presentedMap).key
	if key.plain || len(key.methods) == 0 {
		return x
	}
	out := make(map[any]any, v.Len())
	for _, k := range v.MapKeys() {
		out[key.boxed(k.Interface())] = v.MapIndex(k).Interface()
	}
	return out
}

// rangedBox is what {{range}} runs over for a box, x itself where it cannot: the
// numbers below one, what a channel or an iterator gives.
func (m *Machine) rangedBox(b Box, x any) any {
	t, v := b.T.typ, reflect.ValueOf(b.V)
	if elem, isPtr := pointee(t); isPtr && v.Kind() == reflect.Pointer && !v.IsNil() {
		y := m.presentValue(elem, v.Elem(), 0)
		if e, ok := unbox(y); ok {
			return m.rangedBox(e, x)
		}
		return m.ranged(y)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if v.CanInt() || v.CanUint() {
			return func(yield func(any) bool) {
				for i := range v.Seq() {
					if !yield(m.presentValue(t, i, 0)) {
						return
					}
				}
			}
		}
	case *types.Chan:
		if u.Dir() == types.SendOnly || v.IsNil() {
			return x
		}
		return func(yield func(any) bool) {
			for {
				e, ok := v.Recv()
				if !ok || !yield(m.presentValue(u.Elem(), e, 0)) {
					return
				}
			}
		}
	case *types.Signature:
		return m.rangedFunc(u, v, x)
	}
	return x
}

// rangedFunc is rangedBox for an iterator.
func (m *Machine) rangedFunc(sig *types.Signature, v reflect.Value, x any) any {
	if sig.Params().Len() != 1 || sig.Results().Len() > 0 || v.IsNil() {
		return x
	}
	body, ok := sig.Params().At(0).Type().Underlying().(*types.Signature)
	if !ok || body.Results().Len() != 1 || v.Type().NumIn() != 1 {
		return x
	}
	part := func(args []reflect.Value, i int) any { return m.presentValue(body.Params().At(i).Type(), args[i], 0) }
	run := func(yield func(args []reflect.Value) bool) {
		f := reflect.MakeFunc(v.Type().In(0), func(args []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(yield(args))}
		})
		v.Call([]reflect.Value{f})
	}
	switch body.Params().Len() {
	case 1:
		return func(yield func(any) bool) {
			run(func(args []reflect.Value) bool { return yield(part(args, 0)) })
		}
	case 2:
		return func(yield func(any, any) bool) {
			run(func(args []reflect.Value) bool { return yield(part(args, 0), part(args, 1)) })
		}
	}
	return x
}

// templateSlice is the function slice of templates.
func templateSlice(x reflect.Value, indexes ...reflect.Value) (reflect.Value, error) {
	held := heldBy(x)
	b, ok := unbox(held)
	if !ok {
		return builtinOnce("slice", x, indexes, "")
	}
	if v := reflect.ValueOf(b.V); v.Kind() == reflect.String {
		x = v
	}
	return builtinOnce("slice", x, indexes, TypeName(b.T.typ))
}

// builtinOnce has a function of package template do it. name is that of the type
// of x, where x is a box.
func builtinOnce(function string, x reflect.Value, args []reflect.Value, name string) (found reflect.Value, err error) {
	text := "{{keep (" + function + " .X"
	for i := range args {
		text += fmt.Sprintf(" (arg %d)", i)
	}
	t, err := template.New("").Funcs(template.FuncMap{
		"keep": func(x reflect.Value) string { found = x; return "" },
		"arg": func(i int) reflect.Value {
			if b, ok := unbox(heldBy(args[i])); ok && kindOfType(b.T.typ) <= reflect.Complex128 {
				return reflect.ValueOf(b.V)
			}
			return args[i]
		},
	}).Parse(text + ")}}")
	if err != nil {
		return x, err
	}
	if err = t.Execute(io.Discard, map[string]any{"X": heldBy(x)}); err != nil {
		_, text, _ := strings.Cut(err.Error(), "error calling "+function+": ")
		return x, errors.New(strings.ReplaceAll(text, boxName, name))
	}
	return found, nil
}

// templateCall is the function call of templates; callee is the function as it was
// written.
func (m *Machine) templateCall(callee string, f reflect.Value, args ...reflect.Value) (reflect.Value, error) {
	b, ok := unbox(heldBy(f))
	if !ok {
		found, err := builtinOnce("call", f, args, "")
		if err != nil {
			err = &textError{strings.ReplaceAll(err.Error(), " .X", " "+callee), err}
		}
		return found, err
	}
	sig, ok := b.T.typ.Underlying().(*types.Signature)
	if !ok {
		return f, fmt.Errorf("non-function %s of type %s", callee, TypeName(b.T.typ))
	}
	switch n := sig.Params().Len(); {
	case sig.Variadic() && len(args) < n-1:
		return f, fmt.Errorf("wrong number of args for %s: got %d want at least %d", callee, len(args), n-1)
	case !sig.Variadic() && len(args) != n:
		return f, fmt.Errorf("wrong number of args for %s: got %d want %d", callee, len(args), n)
	case b.V == nil || reflect.ValueOf(b.V).IsNil():
		return f, errors.New("reflect.Value.Call: call of nil function")
	}
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = heldBy(a)
	}
	x, err := m.templateFunc(callee, sig, reflect.ValueOf(b.V))(list...)
	return reflect.ValueOf(x), err
}

// templateIndex is the function index of templates.
func (m *Machine) templateIndex(x reflect.Value, indexes ...reflect.Value) (reflect.Value, error) {
	if len(indexes) == 0 && !x.IsValid() {
		return x, errors.New("index of untyped nil")
	}
	for _, at := range indexes {
		found, known, err := m.presentedElement(x, at)
		if !known {
			err = indexOnce().Execute(io.Discard, map[string]any{"X": heldBy(x), "At": heldBy(at), "Found": &found})
		}
		if err != nil {
			for errors.Unwrap(err) != nil {
				err = errors.Unwrap(err)
			}
			name := dynamicName(heldBy(x))
			if _, ok := unbox(heldBy(x)); !ok {
				name = dynamicName(heldBy(at))
			}
			return x, errors.New(strings.ReplaceAll(err.Error(), boxName, name))
		}
		x = found
	}
	return x, nil
}

// boxName is what package template calls every value of the script.
var boxName = reflect.TypeFor[boxValue]().String()

// heldBy is the value that an argument of a template's function holds.
func heldBy(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

// indexOnce has the index of package template look up one key.
var indexOnce = sync.OnceValue(func() *template.Template {
	keep := func(found *reflect.Value, x reflect.Value) string { *found = x; return "" }
	return template.Must(template.New("").Funcs(template.FuncMap{"keep": keep}).Parse(`{{keep .Found (index .X .At)}}`))
})

// presentedElement looks up a key in a map made by present, as it was before;
// known is false where x is none.
func (m *Machine) presentedElement(x, at reflect.Value) (elem reflect.Value, known bool, err error) {
	v := reflect.ValueOf(heldBy(x))
	if v.Kind() != reflect.Map {
		return elem, false, nil
	}
	made, ok := m.presented.Load(v.Pointer())
	if !ok {
		return elem, false, nil
	}
	p, in := made.(presentedMap), v.Type().Key()
	key := heldBy(at)
	k := reflect.ValueOf(erased(key))
	if !k.IsValid() && !canBeNil(p.key.typ) {
		return elem, true, fmt.Errorf("value is nil; should be of type %s", TypeName(p.key.typ))
	}
	if !k.IsValid() || !k.Comparable() || in.Kind() == reflect.Interface {
		return elem, false, nil
	}
	b, boxed := unbox(key)
	switch {
	case boxed && types.Identical(b.T.typ, p.key.typ), !boxed && k.Type() == in && p.key.plain:
	case isInteger(k.Kind()) && isInteger(in.Kind()):
		k = k.Convert(in)
	default:
		return elem, true, fmt.Errorf("value has type %s; should be %s", dynamicName(key), dynamicName(p.key.boxed(reflect.Zero(in).Interface())))
	}
	if elem = v.MapIndex(k); !elem.IsValid() {
		elem = reflect.ValueOf(m.presentValue(p.elem, reflect.Zero(p.in), 0))
	}
	return elem, true, nil
}

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uintptr }

// presentList makes a list whose value before is behind its end.
func presentList(e *Type, v reflect.Value, elem types.Type, part func(types.Type, reflect.Value) any) any {
	n := v.Len()
	out := make([]any, n, n+1)
	for i := range out {
		out[i] = part(elem, v.Index(i))
	}
	out[:n+1][n] = origin{e.boxed(v.Interface()), n}
	return out
}

// origin is what a presented list or map was made of: a box, which has the
// methods that a list or map has not.
type origin struct {
	box any
	of  any // the length of the list; the map, so that no other has its address
}

// original returns the box that a presented list or map was made of; x itself
// where it is none.
func (m *Machine) original(x any) any {
	if list, ok := x.([]any); ok {
		if n := len(list); cap(list) > n {
			if o, ok := list[:n+1][n].(origin); ok && o.of == n {
				return o.box
			}
		}
		return x
	}
	if v := reflect.ValueOf(x); v.Kind() == reflect.Map {
		if o, ok := m.origins.Load(v.Pointer()); ok {
			return o.(origin).box
		}
	}
	return x
}

// originals replaces presented lists and maps among arguments of fmt.
func (m *Machine) originals(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = m.original(a)
	}
	return out
}

// templateTruth is what {{if}} thinks of a value.
func (m *Machine) templateTruth(x any) bool {
	truth, _ := template.IsTrue(erased(x))
	return truth
}

// comparison is one of the comparison functions of templates over erased
// values.
func (m *Machine) comparison(name string) func(x any, list ...any) (bool, error) {
	return func(x any, list ...any) (bool, error) {
		if len(list) == 0 {
			return false, fmt.Errorf("missing argument for comparison")
		}
		x, list = m.original(x), m.originals(list)
		text := "{{" + name + " .X"
		data := map[string]any{"X": erased(x)}
		for i, y := range list {
			key := fmt.Sprintf("Y%d", i)
			data[key] = erased(y)
			text += " ." + key
		}
		t, err := template.New("").Parse(text + "}}")
		if err != nil {
			return false, err
		}
		var out strings.Builder
		if err := t.Execute(&out, data); err != nil {
			for errors.Unwrap(err) != nil {
				err = errors.Unwrap(err)
			}
			if first, _, ok := strings.Cut(err.Error(), ": "); ok && len(list) == 1 {
				if strings.HasPrefix(first, "non-comparable type ") {
					return false, fmt.Errorf("%s: %s", first, dynamicName(x))
				}
				return false, fmt.Errorf("%s: %s and %s", first, dynamicName(x), dynamicName(list[0]))
			}
			return false, err
		}
		return out.String() == "true", nil
	}
}
