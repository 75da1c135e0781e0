package wrappers

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/registry/jsontree"
)

// kind says which Go type represents a schema.
type kind int

const (
	kindAny    kind = iota // unions, untyped and free-form values
	kindString             // string
	kindInt                // int
	kindFloat              // float64
	kindBool               // bool
	kindList               // []elem
	kindMap                // map[string]elem
	kindStruct             // a named struct
)

// typ is the Go type of a schema.
type typ struct {
	kind    kind
	pointer bool // *T: required but nullable, or a recursive struct
	elem    *typ // of lists and maps
	object  *object
	note    string // what the Go type cannot say: "string or list of strings"
}

// object is an object schema of a tool that became a struct.
type object struct {
	name   string // like GitLogCommit, unique in the server
	short  string // its last words; used as the name if all such objects have one shape
	fields []*field
	root   bool  // these are the arguments
	result bool  // this is the result
	union  bool  // the fields are alternatives; one of them is written and sent
	decl   *decl // the Go declaration, shared by objects of one shape
	weight int   // number of fields of a value, including those of structs in it
	open   bool  // being built: a reference to it is recursive
	// argument reports that its values are sent.
	argument bool
}

// field is one property.
type field struct {
	property string
	name     string // Go name
	typ      *typ
	required bool
	nullable bool
	doc      string
	fixed    string   // the only allowed value, as JSON; it is sent automatically
	variant  bool     // an alternative: exactly one of the struct's fields is written
	extra    bool     // a map of additional properties with names that the schema does not list
	enum     []string // allowed values as JSON
	def      string   // default as JSON; "" if it is missing, invalid or a zero value
	unset    string   // JSON that is sent if the script does not write the field, or ""
	limits   string   // "1 to 100", "at most 5 items" …
	title    string
	labels   []string // titles of the values in enum; nil if the schema has none
}

// maxDepth bounds the nesting of a schema. Deeper parts allow anything.
const maxDepth = 64

// maxAlternatives bounds the alternatives of a union that are distinguished.
const maxAlternatives = 128

// maxWeight is the number of fields above which a struct becomes a pointer. Real tools have fewer
// than 100.
const maxWeight = 500

// maxObjects bounds the structs of one tool. Further objects become maps.
const maxObjects = 400

// builder turns the schemas of one tool into Go types.
type builder struct {
	fn      string          // the Go function's name, the prefix of its nested types
	root    *jsontree.Value // the document for $ref
	refs    map[string]*typ
	built   map[*jsontree.Value]*object // by the schema that they were made from
	objects []*object                   // nested ones, in order of first occurrence
	names   scope
	steps   int
	result  bool // the schema describes a result
	// observed reports that no result field may take the name of a method.
	observed bool
}

// maxSteps bounds the work for one schema, because references can multiply.
const maxSteps = 20_000

// convert returns the Go type of a schema. path has the words for names of nested types: those of
// the property, singular inside lists.
func (b *builder) convert(s *jsontree.Value, path []string, depth int) *typ {
	b.steps++
	if s == nil || s.Kind != jsontree.Object || len(s.Keys) == 0 || depth > maxDepth/2 || b.steps > maxSteps {
		return &typ{}
	}
	if ref := s.Str("$ref"); ref != "" {
		return b.reference(ref, path, depth)
	}
	if len(s.List("allOf")) > 0 {
		s = b.merge(s, depth)
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if alts := s.List(k); len(alts) > 0 && s.Get("properties") == nil {
			return b.union(s, alts, path, depth)
		}
	}
	name, _ := schemaType(s)
	switch name {
	case "string":
		return &typ{kind: kindString}
	case "integer":
		return &typ{kind: kindInt}
	case "number":
		return &typ{kind: kindFloat}
	case "boolean":
		return &typ{kind: kindBool}
	case "array":
		return b.list(s, path, depth)
	case "object":
		return b.object(s, path, depth)
	}
	return &typ{note: cmp.Or(unionNote(s), s.Str("$comment"))}
}

// schemaType returns the single JSON type that a schema allows besides null, or "" if there are
// several or none. nullable reports whether it allows null.
func schemaType(s *jsontree.Value) (name string, nullable bool) {
	one := func(t string) {
		switch {
		case t == "null":
			nullable = true
		case name == "" || name == t:
			name = t
		case name == "integer" && t == "number", name == "number" && t == "integer":
			name = "number"
		default:
			name = "?"
		}
	}
	switch t := s.Get("type"); {
	case t != nil && t.Kind == jsontree.String:
		one(t.Text)
	case t != nil && t.Kind == jsontree.List:
		for _, x := range t.Items {
			one(x.Text)
		}
	case s.Get("properties") != nil:
		one("object")
	case s.Get("items") != nil || s.Get("prefixItems") != nil:
		one("array")
	default:
		vals := s.List("enum")
		if c := s.Get("const"); c != nil {
			vals = []*jsontree.Value{c}
		}
		for _, v := range vals {
			one(jsonType(v))
		}
	}
	if y := s.Get("nullable"); y != nil && y.Kind == jsontree.Bool && y.Yes { // OpenAPI 3.0
		nullable = true
	}
	for _, v := range s.List("enum") {
		if v.Kind == jsontree.Null {
			nullable = true
		}
	}
	if name == "?" {
		name = ""
	}
	return name, nullable
}

// jsonType returns the JSON Schema name of a value's type.
func jsonType(v *jsontree.Value) string {
	switch v.Kind {
	case jsontree.Object:
		return "object"
	case jsontree.List:
		return "array"
	case jsontree.String:
		return "string"
	case jsontree.Bool:
		return "boolean"
	case jsontree.Null:
		return "null"
	}
	if strings.ContainsAny(v.Text, ".eE") {
		return "number"
	}
	return "integer"
}

// unionNote returns in words which types an untyped value may have.
func unionNote(s *jsontree.Value) string {
	t := s.Get("type")
	if t == nil || t.Kind != jsontree.List {
		return ""
	}
	var names []string
	for _, x := range t.Items {
		if x.Text != "null" {
			names = append(names, x.Text)
		}
	}
	return strings.Join(names, " or ")
}

// note stores the struct of a schema, for references to it.
func (b *builder) note(s *jsontree.Value, o *object) {
	if b.built == nil {
		b.built = map[*jsontree.Value]*object{}
	}
	b.built[s] = o
}

// reference returns the type of a $ref inside the document.
func (b *builder) reference(ref string, path []string, depth int) *typ {
	if t, ok := b.refs[ref]; ok {
		if t == nil { // a reference to itself without a struct between
			return &typ{}
		}
		c := *t
		c.pointer = c.kind == kindStruct && c.object.open
		return &c
	}
	target := b.root.At(ref)
	if target == nil {
		return &typ{}
	}
	if last := ref[strings.LastIndexByte(ref, '/')+1:]; strings.Contains(ref, "/$defs/") ||
		strings.Contains(ref, "/definitions/") {
		path = Words(jsontree.Key(last))
	}
	b.refs[ref] = nil
	if o := b.built[target]; o != nil {
		b.refs[ref] = &typ{kind: kindStruct, object: o}
		return &typ{kind: kindStruct, object: o, pointer: o.open}
	}
	if isObject(target) {
		// The struct must be known before its fields are read.
		o := b.newObject(path)
		b.note(target, o)
		b.refs[ref] = &typ{kind: kindStruct, object: o}
		b.fill(o, target, depth)
		return &typ{kind: kindStruct, object: o}
	}
	t := b.convert(target, path, depth+1)
	b.refs[ref] = t
	return t
}

// isObject reports whether a schema becomes a struct.
func isObject(s *jsontree.Value) bool {
	p := s.Get("properties")
	if p == nil || len(p.Keys) == 0 {
		return false
	}
	name, _ := schemaType(s)
	return name == "object"
}

// merge combines allOf into one schema. It has all properties and all required names; of other
// keywords, the first wins.
func (b *builder) merge(s *jsontree.Value, depth int) *jsontree.Value {
	out := jsontree.NewObject()
	var add func(s *jsontree.Value, depth int)
	add = func(s *jsontree.Value, depth int) {
		b.steps++
		if s == nil || s.Kind != jsontree.Object || depth > maxDepth/2 || b.steps > maxSteps {
			return
		}
		for i, k := range s.Keys {
			v := s.Items[i]
			old := out.Get(k)
			switch {
			case k == "allOf" || k == "$ref":
			case old == nil:
				out.Set(k, v)
			case k == "properties" && v.Kind == jsontree.Object && old.Kind == jsontree.Object:
				out.Set(k, allOf(old, v))
			case k == "required" && v.Kind == jsontree.List && old.Kind == jsontree.List:
				out.Set(k, jsontree.NewList(append(slices.Clone(old.Items), v.Items...)...))
			}
		}
		if ref := s.Str("$ref"); ref != "" {
			add(b.root.At(ref), depth+1)
		}
		for _, part := range s.List("allOf") {
			add(part, depth+1)
		}
	}
	add(s, depth)
	return out
}

// allOf returns an object with the members of both. A member that both have must satisfy both.
func allOf(a, b *jsontree.Value) *jsontree.Value {
	out := jsontree.NewObject()
	for i, k := range a.Keys {
		out.Set(k, a.Items[i])
	}
	for i, k := range b.Keys {
		x := b.Items[i]
		if old := out.Get(k); old != nil && old.Kind == jsontree.Object && x.Kind == jsontree.Object {
			x = jsontree.NewObject().Set("allOf", jsontree.NewList(old, x))
		} else if old != nil {
			continue
		}
		out.Set(k, x)
	}
	return out
}

// both returns an object with the members of both. For common members, a wins.
func both(a, b *jsontree.Value) *jsontree.Value {
	out := jsontree.NewObject()
	for i, k := range a.Keys {
		out.Set(k, a.Items[i])
	}
	for i, k := range b.Keys {
		if out.Get(k) == nil {
			out.Set(k, b.Items[i])
		}
	}
	return out
}

// resolve returns a schema merged with its reference and its allOf. Its own keywords win.
func (b *builder) resolve(s *jsontree.Value) *jsontree.Value {
	if s.Str("$ref") == "" && len(s.List("allOf")) == 0 {
		return s
	}
	return b.merge(s, 0)
}

// union returns the type of anyOf and oneOf: the only alternative besides null, a scalar if all
// alternatives are that scalar, a struct for objects that a constant property distinguishes,
// otherwise any.
func (b *builder) union(s *jsontree.Value, alts []*jsontree.Value, path []string, depth int) *typ {
	var real []*jsontree.Value
	for _, a := range alts {
		if name, nullable := schemaType(a); name == "" && nullable && a.Str("$ref") == "" {
			continue
		}
		real = append(real, a)
	}
	if len(real) == 1 {
		return b.convert(real[0], path, depth+1)
	}
	if len(real) > maxAlternatives {
		return &typ{}
	}
	if b.result && len(b.objects) < maxObjects &&
		!slices.ContainsFunc(real, func(a *jsontree.Value) bool { return !isObject(b.resolve(a)) }) {
		return b.object(b.spread(jsontree.NewObject().Set("oneOf", jsontree.NewList(real...))), path, depth)
	}
	if tag, values := b.discriminator(real); tag != "" && len(b.objects) < maxObjects {
		return b.variants(real, tag, values, path, depth)
	}
	var names []string
	scalar := ""
	for _, a := range real {
		r := b.resolve(a)
		name, _ := schemaType(r)
		if name == "" {
			name = cmp.Or(r.Str("$comment"), "any")
		}
		if word := alternative(r, name); !slices.Contains(names, word) {
			names = append(names, word)
		}
		switch {
		case scalar == "" || scalar == name:
			scalar = name
		case (scalar == "integer" || scalar == "number") && (name == "integer" || name == "number"):
			scalar = "number"
		default:
			scalar = "any"
		}
	}
	if k, ok := scalars[scalar]; ok {
		return &typ{kind: k}
	}
	if slices.Contains(names, "any") {
		return &typ{}
	}
	return &typ{note: strings.Join(names, " or ")}
}

// scalars maps JSON types to scalar Go types.
var scalars = map[string]kind{"string": kindString, "integer": kindInt, "number": kindFloat, "boolean": kindBool}

// alternative describes one alternative of a union in words.
func alternative(s *jsontree.Value, name string) string {
	switch name {
	case "array":
		if of, _ := schemaType(s.Get("items")); of != "" {
			return "list of " + of
		}
	case "object":
		if p := s.Get("properties"); p != nil && len(p.Keys) > 0 && len(p.Keys) <= 8 {
			return "{" + strings.Join(p.Keys, ", ") + "}"
		}
	}
	return name
}

// discriminator returns the property with a different constant in each object, and its value for
// each.
func (b *builder) discriminator(alts []*jsontree.Value) (tag string, values []string) {
	var first *jsontree.Value
	for i, a := range alts {
		r := b.resolve(a)
		if r == nil || !isObject(r) {
			return "", nil
		}
		if i == 0 {
			first = r.Get("properties")
		}
	}
	for _, p := range first.Keys {
		seen := map[string]bool{}
		values = values[:0]
		for _, a := range alts {
			ps := b.resolve(b.resolve(a).Get("properties").Get(p))
			vs := ps.List("enum")
			if c := ps.Get("const"); c != nil {
				vs = []*jsontree.Value{c}
			}
			if len(vs) != 1 || vs[0].Kind != jsontree.String || seen[vs[0].Text] {
				break
			}
			seen[vs[0].Text] = true
			values = append(values, vs[0].Text)
		}
		if len(values) == len(alts) && len(alts) > 1 {
			return p, values
		}
	}
	return "", nil
}

// variants returns the type of distinguished objects in arguments: a struct with a pointer for
// each.
func (b *builder) variants(alts []*jsontree.Value, tag string, values []string, path []string, depth int) *typ {
	o := b.newObject(path)
	o.union = true
	names := scope{}
	for i, a := range alts {
		t := *b.convert(a, append(slices.Clone(path), Words(values[i])...), depth+1)
		t.pointer = t.kind == kindStruct
		if t.kind == kindStruct {
			for _, f := range t.object.fields {
				if f.property == tag {
					f.fixed = quoteJSON(values[i])
				}
			}
		}
		o.fields = append(o.fields, &field{property: values[i], name: names.take(identifier(values[i])), variant: true,
			typ: &t, doc: b.resolve(a).Str("description")})
	}
	return &typ{kind: kindStruct, object: o}
}

// spread adds the properties of its alternatives to an object schema. Differing properties become
// unions. Only properties that all alternatives require are required.
func (b *builder) spread(s *jsontree.Value) *jsontree.Value {
	alts := append(slices.Clone(s.List("anyOf")), s.List("oneOf")...)
	if len(alts) > maxAlternatives {
		return s
	}
	own := s.Get("properties")
	props := jsontree.NewObject()
	if own != nil && own.Kind == jsontree.Object {
		props = both(own, props)
	}
	counts, objects := map[string]int{}, 0
	for _, a := range alts {
		r := b.resolve(a)
		p := r.Get("properties")
		if p == nil || p.Kind != jsontree.Object {
			continue
		}
		objects++
		for i, k := range p.Keys {
			old := props.Get(k)
			switch {
			case old == nil:
				props.Set(k, p.Items[i])
			case own.Get(k) == nil && old.JSON() != p.Items[i].JSON():
				list := old.List("anyOf")
				if len(list) == 0 || len(old.Keys) > 1 {
					list = []*jsontree.Value{old}
				}
				props.Set(k, jsontree.NewObject().Set("anyOf", jsontree.NewList(append(slices.Clone(list), p.Items[i])...)))
			}
		}
		for _, r := range r.List("required") {
			counts[r.Text]++
		}
	}
	if objects == 0 {
		return s
	}
	required := slices.Clone(s.List("required"))
	for _, k := range props.Keys {
		if counts[k] == len(alts) {
			required = append(required, jsontree.NewString(k))
		}
	}
	out := jsontree.NewObject().Set("type", jsontree.NewString("object")).Set("properties", props).
		Set("required", jsontree.NewList(required...))
	for _, k := range []string{"additionalProperties", "patternProperties", "unevaluatedProperties", "propertyNames",
		"title", "x-fastmcp-wrap-result"} {
		if v := s.Get(k); v != nil {
			out.Set(k, v)
		}
	}
	return out
}

// list returns a slice type. A tuple is a slice of the type that its items share.
func (b *builder) list(s *jsontree.Value, path []string, depth int) *typ {
	places := s.List("prefixItems")
	item := s.Get("items")
	if item != nil && item.Kind == jsontree.List {
		places, item = item.Items, s.Get("additionalItems")
	}
	if len(places) == 0 {
		t := &typ{kind: kindList, elem: direct(b.convert(item, singular(path), depth+1))}
		if t.elem.note != "" {
			t.note = "each " + strings.TrimPrefix(t.elem.note, "each ")
		}
		return t
	}
	if item != nil && item.Kind == jsontree.Object && len(item.Keys) > 0 {
		places = append(slices.Clone(places), item)
	}
	common, names := "", []string(nil)
	for i, p := range places {
		name, _ := schemaType(p)
		if i > 0 && name != common {
			common = "?"
		} else {
			common = name
		}
		if name == "" {
			name = "any"
		}
		names = append(names, name)
	}
	k, ok := scalars[common]
	if !ok {
		k = kindAny
	}
	return &typ{kind: kindList, elem: &typ{kind: k}, note: "[" + strings.Join(names, ", ") + "]"}
}

// direct removes the pointer of a recursive struct in a list or a map, which already make the
// type finite.
func direct(t *typ) *typ {
	c := *t
	c.pointer = false
	return &c
}

// object returns a struct type if the schema names properties, otherwise a map type.
func (b *builder) object(s *jsontree.Value, path []string, depth int) *typ {
	if o := b.built[s]; o != nil {
		return &typ{kind: kindStruct, object: o, pointer: o.open}
	}
	if isObject(s) && len(b.objects) < maxObjects {
		o := b.newObject(path)
		b.note(s, o)
		b.fill(o, s, depth)
		return &typ{kind: kindStruct, object: o}
	}
	elem := &typ{}
	if extra := mapValue(s); extra != nil && s.Get("properties") == nil {
		elem = direct(b.convert(extra, append(slices.Clone(path), "value"), depth+1))
	}
	return &typ{kind: kindMap, elem: elem, note: keysNote(s)}
}

// mapValue returns the schema of the values of unnamed properties, or nil if they are not allowed
// or can be anything.
func mapValue(s *jsontree.Value) *jsontree.Value {
	if extra := s.Get("additionalProperties"); extra != nil && extra.Kind == jsontree.Object {
		return extra
	}
	if pats := s.Get("patternProperties"); pats != nil && pats.Kind == jsontree.Object && len(pats.Keys) > 0 {
		if len(pats.Keys) == 1 && pats.Items[0].Kind == jsontree.Object {
			return pats.Items[0]
		}
		return jsontree.NewObject()
	}
	if extra := s.Get("unevaluatedProperties"); extra != nil && extra.Kind == jsontree.Object {
		return extra
	}
	return nil
}

// keysNote returns in words which names the unnamed properties may have.
func keysNote(s *jsontree.Value) string {
	if pats := s.Get("patternProperties"); pats != nil && len(pats.Keys) == 1 && len(pats.Keys[0]) <= maxPattern {
		return "names match " + pats.Keys[0]
	}
	if e := s.Get("propertyNames").List("enum"); len(e) > 0 && len(e) <= 40 {
		var names []string
		for _, v := range e {
			names = append(names, v.JSON())
		}
		return "names are " + strings.Join(names, ", ")
	}
	return ""
}

// newObject returns a new nested struct, named after the function and the property.
func (b *builder) newObject(path []string) *object {
	short := exported(path)
	o := &object{name: b.names.take(b.fn + short), short: short, argument: !b.result}
	b.objects = append(b.objects, o)
	return o
}

// fill reads an object schema's properties: required ones first, each group in the order of the
// document.
func (b *builder) fill(o *object, s *jsontree.Value, depth int) {
	o.open = true
	defer func() {
		o.open = false
		for _, f := range o.fields {
			o.weight++
			if f.typ.kind == kindStruct && !f.typ.pointer {
				o.weight += f.typ.object.weight
			}
		}
	}()
	s = b.spread(s)
	required := map[string]bool{}
	for _, r := range s.List("required") {
		required[r.Text] = true
	}
	names := scope{}
	if o.result && b.observed {
		for _, m := range methods {
			names.add(m.name)
		}
	}
	if props := s.Get("properties"); props != nil && props.Kind == jsontree.Object {
		for _, first := range []bool{true, false} {
			for i, p := range props.Keys {
				ps := props.Items[i]
				if required[p] == first && (ps.Kind != jsontree.Bool || ps.Yes) {
					f := b.field(p, ps, first, depth)
					f.name = names.take(identifier(p))
					o.fields = append(o.fields, f)
				}
			}
		}
		slices.SortStableFunc(o.fields, func(f, g *field) int { // a default makes a field optional
			switch {
			case f.required == g.required:
				return 0
			case f.required:
				return -1
			}
			return 1
		})
	}
	extra := s.Get("additionalProperties")
	if o.root && s.Get("type") == nil && s.Get("properties") == nil && extra == nil {
		o.fields = append(o.fields, &field{name: "Args", typ: &typ{kind: kindMap, elem: &typ{}}, extra: true,
			doc: "the arguments by name; the server does not declare them"})
	}
	if open := mapValue(s); open != nil {
		extra = open
	}
	if !b.result && extra != nil && (extra.Kind == jsontree.Object || extra.Kind == jsontree.Bool && extra.Yes && len(o.fields) == 0) {
		elem := direct(b.convert(extra, []string{"extra"}, depth+1))
		o.fields = append(o.fields, &field{name: names.take("Extra"), typ: &typ{kind: kindMap, elem: elem, note: keysNote(s)},
			extra: true, doc: "additional properties by name"})
	}
}

// field reads one property.
func (b *builder) field(property string, s *jsontree.Value, required bool, depth int) *field {
	t := *b.convert(s, Words(property), depth+1)
	s = b.resolve(s)
	f := &field{property: property, typ: &t, required: required, doc: s.Str("description"), nullable: isNullable(s)}
	if required && f.nullable && t.kind != kindList && t.kind != kindMap && t.kind != kindAny {
		t.pointer = true
		if !b.result {
			t.note = strings.TrimPrefix(t.note+", nil is null", ", ")
		}
	}
	if t.kind == kindStruct && t.object.weight > maxWeight {
		t.pointer = true // references that multiply would make the type huge
	}
	f.enum, f.limits, f.title = b.enumOf(s, 0), limitsOf(s), s.Str("title")
	if labels := b.labelsOf(s); len(labels) == len(f.enum) {
		f.labels = labels
	}
	if len(f.enum) == 1 && required && !f.nullable && t.kind != kindList && !b.result {
		f.fixed = f.enum[0]
	}
	if c := s.Get("const"); c != nil && required && !b.result {
		f.fixed = c.JSON()
	}
	f.def = defaultOf(s, f)
	if f.def != "" && required && f.fixed == "" && !b.result {
		f.required, f.unset = false, f.def
	}
	if len(f.def) > maxDefault || slices.Contains([]string{`""`, "[]", "{}", "false", "0", "null"}, f.def) {
		f.def = ""
	}
	return f
}

// maxDefault bounds a default that descriptions show, in bytes.
const maxDefault = 80

func isNullable(s *jsontree.Value) bool {
	if s == nil || s.Kind != jsontree.Object {
		return false
	}
	if _, n := schemaType(s); n {
		return true
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		for _, a := range s.List(k) {
			if name, n := schemaType(a); n && name == "" {
				return true
			}
		}
	}
	return false
}

// enumOf returns a schema's allowed values as JSON. It also looks into list items and nullable
// unions.
func (b *builder) enumOf(s *jsontree.Value, depth int) []string {
	b.steps++
	if s = b.resolve(s); s == nil || depth > 8 || b.steps > maxSteps {
		return nil
	}
	if c := s.Get("const"); c != nil {
		return []string{c.JSON()}
	}
	var out []string
	for _, v := range s.List("enum") {
		if v.Kind != jsontree.Null {
			out = append(out, v.JSON())
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		for _, a := range s.List(k) {
			e := b.enumOf(a, depth+1)
			if name, n := schemaType(a); len(e) == 0 && !(n && name == "") {
				return nil
			}
			out = append(out, e...)
		}
	}
	if it := s.Get("items"); len(out) == 0 && it != nil && it.Kind == jsontree.Object {
		return b.enumOf(it, depth+1)
	}
	return out
}

// labelsOf returns the titles of a schema's constants, for forms.
func (b *builder) labelsOf(s *jsontree.Value) (out []string) {
	if it := b.resolve(s.Get("items")); it != nil && it.Kind == jsontree.Object {
		s = it
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		for _, a := range s.List(k) {
			if a.Get("const") != nil {
				out = append(out, a.Str("title"))
			}
		}
	}
	return out
}

// defaultOf returns the default as JSON, or "" if it is missing or contradicts the schema. Many
// Python servers declare null for a plain string.
func defaultOf(s *jsontree.Value, f *field) string {
	d := s.Get("default")
	if d == nil {
		return ""
	}
	if d.Kind == jsontree.Null {
		if f.nullable {
			return "null"
		}
		return ""
	}
	k := f.typ.kind
	want, typed := map[kind]jsontree.Kind{kindString: jsontree.String, kindInt: jsontree.Number, kindFloat: jsontree.Number,
		kindBool: jsontree.Bool, kindList: jsontree.List, kindMap: jsontree.Object, kindStruct: jsontree.Object}[k]
	if typed && d.Kind != want || !typed && k != kindAny || k == kindInt && jsonType(d) != "integer" {
		return ""
	}
	j := d.JSON()
	if d.Kind != jsontree.List && len(f.enum) > 0 && !slices.Contains(f.enum, j) || d.Kind == jsontree.Number && !within(s, d.Text) {
		return ""
	}
	return j
}

// within reports whether a number is within a schema's bounds.
func within(s *jsontree.Value, number string) bool {
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false
	}
	bound := func(key string, holds func(limit float64) bool) bool {
		v := s.Get(key)
		if v == nil || v.Kind != jsontree.Number {
			return true
		}
		limit, err := strconv.ParseFloat(v.Text, 64)
		return err != nil || holds(limit)
	}
	return bound("minimum", func(x float64) bool { return n >= x }) &&
		bound("maximum", func(x float64) bool { return n <= x }) &&
		bound("exclusiveMinimum", func(x float64) bool { return n > x }) &&
		bound("exclusiveMaximum", func(x float64) bool { return n < x })
}

// quoteJSON returns a string as JSON.
func quoteJSON(s string) string { return jsontree.NewString(s).JSON() }

// maxPattern is the longest regular expression that is shown.
const maxPattern = 40

// limitsOf returns the numeric and length bounds in words.
func limitsOf(s *jsontree.Value) string {
	var parts []string
	bound := func(lo, hi, unit string) {
		l, h := s.Get(lo), s.Get(hi)
		switch {
		case l != nil && h != nil && l.Kind == jsontree.Number && h.Kind == jsontree.Number:
			parts = append(parts, fmt.Sprintf("%s to %s%s", l.Text, h.Text, unit))
		case l != nil && l.Text == "1" && unit != "" && h == nil:
			parts = append(parts, "not empty")
		case l != nil && l.Kind == jsontree.Number && l.Text != "0":
			parts = append(parts, fmt.Sprintf("at least %s%s", l.Text, unit))
		case h != nil && h.Kind == jsontree.Number:
			parts = append(parts, fmt.Sprintf("at most %s%s", h.Text, unit))
		}
	}
	if m := s.Get("maximum"); m == nil || m.Text != "9007199254740991" { // zod's "an integer"
		bound("minimum", "maximum", "")
	}
	bound("exclusiveMinimum", "exclusiveMaximum", " (exclusive)")
	bound("minLength", "maxLength", " characters")
	bound("minItems", "maxItems", " items")
	if f := s.Str("format"); f != "" {
		parts = append(parts, "format "+f)
	}
	if e := s.Str("contentEncoding"); e != "" {
		parts = append(parts, e)
	}
	if p := s.Str("pattern"); p != "" && len(p) <= maxPattern {
		parts = append(parts, "matches "+p)
	}
	if m := s.Get("multipleOf"); m != nil && m.Kind == jsontree.Number && m.Text != "1" {
		parts = append(parts, "a multiple of "+m.Text)
	}
	return strings.Join(parts, ", ")
}
