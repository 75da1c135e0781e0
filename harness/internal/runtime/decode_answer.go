package runtime

import (
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/gotype"
	"github.com/usetools/usetools/registry"
)

// decodeResult decodes a tool's answer into v. It is the method JSON of results. It reads
// like encoding/json, except that a field with the option "string" in its tag accepts a
// number, a bool or a text with or without quotes. An error names the field and the value
// that the answer has for it. A warning lists the fields that are missing from the answer.
func (m *Machine) decodeResult(r *bridge.Result, v any) error {
	data, err := bridge.JSON(r)
	if err != nil {
		return err
	}
	b := m.known(v)
	if b == nil {
		return m.jsonUnmarshal(data, v)
	}
	t, isPtr := pointee(b.typ)
	if !isPtr {
		return m.jsonUnmarshal(data, v)
	}
	a := newAnswer(m, data)
	a.value(a.data, t, field{})
	if err := m.jsonUnmarshal(a.rewritten(), v); err != nil {
		a := newAnswer(m, data)
		a.checks = true
		if a.value(a.data, t, field{}); a.misfit == "" {
			return err
		}
		return &misfitError{r.Name + ": " + a.misfit, err}
	}
	for _, missing := range a.missing() {
		m.warnOnce(r.Name+": "+missing.fields, missing.has)
	}
	return nil
}

// misfitError is an error of encoding/json, worded in terms of the answer.
type misfitError struct {
	text string
	json error
}

func (e *misfitError) Error() string { return e.text }
func (e *misfitError) Unwrap() error { return e.json }

// warnOnce warns with a message in two parts. It warns once for each first part.
func (m *Machine) warnOnce(what, more string) {
	m.mu.Lock()
	known := m.warned[what]
	m.warned[what] = true
	m.mu.Unlock()
	if !known {
		bridge.Warn(what + more)
	}
}

// An answer is JSON that is compared with the type into which it is decoded.
type answer struct {
	m     *Machine
	data  []byte
	edits []edit // in order
	depth int

	checks bool   // look for a misfit
	misfit string // the first value that does not fit, "" if all do

	open    map[types.Type]*place // of the enclosing structs
	places  map[string]*place     // by path
	order   []*place
	decodes map[types.Type]bool // cache of decodesItself
}

// An edit replaces data[from:to] by text.
type edit struct {
	from, to int
	text     []byte
}

// A place is a struct in the type, with all objects that are decoded into it: those of a
// list share one place. A struct inside one of its own type shares its place.
type place struct {
	path   string
	fields []jsonField
	found  map[string]bool // by the field's name
	keys   []string        // of the objects, at most maxNames+1
}

// A field is the place in a type to which a value belongs.
type field struct {
	path  string // stays[].captain, ships.*; "" for the whole answer and its elements
	owner string // the name of the struct that contains it
	// name is the field's name if its tag could have the option "string", otherwise "".
	name   string
	quoted bool // whether the tag has it
}

const (
	maxPlaces   = 3  // maximum number of places that one answer is warned about
	maxNames    = 12 // in a list of names
	longestName = 40 // runes
)

func newAnswer(m *Machine, data []byte) *answer {
	return &answer{m: m, data: trim(data), open: map[types.Type]*place{}, places: map[string]*place{}, decodes: map[types.Type]bool{}}
}

// value checks a value that is decoded into a t.
func (a *answer) value(raw []byte, t types.Type, at field) {
	t = types.Unalias(t)
	if a.depth >= maxJSONDepth || string(raw) == "null" || a.decodesItself(t) {
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		a.value(raw, u.Elem(), at)
	case *types.Basic:
		if a.checks && !fits(raw, u) {
			a.misfits(raw, t, at)
		}
	case *types.Slice:
		if elem, ok := u.Elem().Underlying().(*types.Basic); !ok || elem.Kind() != types.Uint8 || raw[0] != '"' { // base64
			a.list(raw, t, u.Elem(), at)
		}
	case *types.Array:
		a.list(raw, t, u.Elem(), at)
	case *types.Map:
		if raw[0] != '{' {
			a.misfits(raw, t, at)
			return
		}
		in := at.inside(".*")
		_ = members(raw, func(_ string, value, _ []byte) error {
			a.value(value, u.Elem(), in)
			return nil
		})
	case *types.Struct:
		if raw[0] != '{' {
			a.misfits(raw, t, at)
			return
		}
		a.object(raw, t, u, at.path)
	}
}

func (a *answer) list(raw []byte, t, elem types.Type, at field) {
	if raw[0] != '[' {
		a.misfits(raw, t, at)
		return
	}
	in := at.inside("[]")
	for _, value := range elements(raw) {
		a.value(value, elem, in)
	}
}

// inside returns the field of the elements of a list or a map.
func (f field) inside(suffix string) field {
	if f.path == "" {
		return f
	}
	return field{path: f.path + suffix, owner: f.owner}
}

func (a *answer) object(raw []byte, t types.Type, u *types.Struct, path string) {
	p := a.open[t]
	if p == nil {
		p = a.place(path, t, u)
		a.open[t] = p
		defer delete(a.open, t)
	}
	owner := ""
	if n, ok := t.(*types.Named); ok {
		owner = gotype.TypeName(n)
	}
	_ = members(raw, func(key string, value, _ []byte) error {
		if len(p.keys) <= maxNames && !slices.Contains(p.keys, key) {
			p.keys = append(p.keys, key)
		}
		f := findField(p.fields, key)
		if f == nil {
			return nil
		}
		p.found[f.name] = true
		at := field{path: strings.TrimPrefix(path+"."+f.name, "."), owner: owner, quoted: f.quoted}
		if quotable(f.typ) {
			at.name = f.name
		}
		if f.quoted {
			a.quoted(value, f.typ, at)
		} else {
			a.value(value, f.typ, at)
		}
		return nil
	})
}

func (a *answer) place(path string, t types.Type, u *types.Struct) *place {
	p := a.places[path]
	if p == nil {
		p = &place{path: path, fields: a.m.jsonFields(t, u), found: map[string]bool{}}
		a.places[path] = p
		a.order = append(a.order, p)
	}
	return p
}

// quoted checks the value of a field with the option "string". encoding/json expects the
// JSON of a t in a string, so quoted rewrites the value to that.
func (a *answer) quoted(raw []byte, t types.Type, at field) {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	t = types.Unalias(t)
	u := t.Underlying().(*types.Basic) // quotable
	switch {
	case string(raw) == "null" || a.decodesItself(t):
	case raw[0] == '[' || raw[0] == '{':
		a.misfits(raw, t, at)
	case u.Info()&types.IsString != 0:
		if inner, isText := content(raw); !isText {
			a.put(raw, quote(quote(raw)))
		} else if inner == "" || inner[0] != '"' || !fits([]byte(inner), u) {
			a.put(raw, quote(raw))
		}
	default:
		inner, isText := content(raw)
		if !isText {
			a.put(raw, quote(raw))
		}
		if a.checks && !fits([]byte(inner), u) {
			a.misfits(raw, t, at)
		}
	}
}

// content returns the text of a JSON string, or otherwise the JSON itself.
func content(raw []byte) (text string, isText bool) {
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	return string(raw), false
}

func quote(raw []byte) []byte {
	out, _ := json.Marshal(string(raw)) // a string cannot fail
	return out
}

func (a *answer) put(raw, text []byte) {
	from := cap(a.data) - cap(raw) // raw is a part of data
	a.edits = append(a.edits, edit{from, from + len(raw), text})
}

// rewritten returns the JSON with its edits applied.
func (a *answer) rewritten() []byte {
	if len(a.edits) == 0 {
		return a.data
	}
	var out []byte
	at := 0
	for _, e := range a.edits {
		out = append(append(out, a.data[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, a.data[at:]...)
}

// decodesItself reports whether t, or the library that declares it, has its own decoding.
func (a *answer) decodesItself(t types.Type) bool {
	n, ok := t.(*types.Named)
	if !ok {
		if _, ok := t.(*types.Struct); !ok { // which can have promoted methods
			return false
		}
	} else if n.Obj().Pkg() == nil || !a.m.cfg.Source(n.Obj().Pkg()) {
		return true
	}
	known, ok := a.decodes[t]
	if !ok {
		set := types.NewMethodSet(types.NewPointer(t))
		known = set.Lookup(nil, "UnmarshalJSON") != nil || set.Lookup(nil, "UnmarshalText") != nil
		a.decodes[t] = known
	}
	return known
}

// fits reports whether encoding/json reads raw into a value of type t.
func fits(raw []byte, t *types.Basic) bool {
	r := basicTypes[t.Kind()]
	return r == nil || json.Unmarshal(raw, reflect.New(r).Interface()) == nil
}

// misfits records the first value that does not fit.
func (a *answer) misfits(raw []byte, t types.Type, at field) {
	if !a.checks || a.misfit != "" {
		return
	}
	what := ""
	switch text, isText := content(raw); {
	case isText:
		what = fmt.Sprintf("the string %.60q", text)
	case raw[0] == '[':
		what = "a list"
	case raw[0] == '{':
		var keys []string
		_ = members(raw, func(key string, _, _ []byte) error {
			if len(keys) <= maxNames {
				keys = append(keys, key)
			}
			return nil
		})
		what = "an object with " + nameList(keys)
	case raw[0] == 't' || raw[0] == 'f':
		what = text
	default:
		what = "the number " + registry.Printable(text, longestName)
	}
	wants := registry.Printable(gotype.TypeName(t), 2*longestName)
	if at.path == "" {
		a.misfit = fmt.Sprintf("the result is %s; want %s", what, wants)
		return
	}
	of := ""
	if at.owner != "" {
		of = " of " + at.owner
	}
	a.misfit = fmt.Sprintf("field %s%s is %s, but the result has %s%s", at.path, of, wants, what, advice(raw, t, at))
}

// advice returns a hint how to accept a value that does not fit, or "".
func advice(raw []byte, t types.Type, at field) string {
	u, ok := t.Underlying().(*types.Basic)
	if !ok || at.name == "" || raw[0] == '[' || raw[0] == '{' {
		return ""
	}
	tag := fmt.Sprintf("the tag json:%q", at.name+",string")
	text, isText := content(raw)
	switch {
	case u.Info()&types.IsString != 0:
		return "; " + tag + " accepts numbers and bools as strings"
	case text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') && (text[0] != 't' && text[0] != 'f'):
		return ""
	case isText && !at.quoted && fits([]byte(text), u):
		if u.Info()&types.IsBoolean != 0 {
			return "; " + tag + " accepts bools in strings"
		}
		return "; " + tag + " accepts numbers in strings"
	case u.Info()&types.IsInteger == 0 || !fits([]byte(text), types.Typ[types.Float64]):
		return ""
	case isText:
		return "; a float64 with " + tag + " accepts it"
	}
	return "; float64 accepts it"
}

// missingFields describes, as text of a warning, fields without a value anywhere in an
// answer, and the fields that the answer has instead.
type missingFields struct{ fields, has string }

// missing lists the places with fields that the answer lacks although it has objects there.
// Optional fields are not listed.
func (a *answer) missing() []missingFields {
	var out []missingFields
	for _, p := range a.order {
		var names []string
		for _, f := range p.fields {
			_, isPtr := f.typ.Underlying().(*types.Pointer)
			if !p.found[f.name] && !f.omitEmpty && !f.omitZero && !isPtr {
				names = append(names, strings.TrimPrefix(p.path+"."+f.name, "."))
			}
		}
		if len(names) == 0 || len(out) == maxPlaces {
			continue
		}
		where, has := "it", "no fields"
		if p.path != "" {
			where = registry.Printable(p.path, longestName)
		}
		if len(p.keys) > 0 {
			has = nameList(p.keys)
		}
		out = append(out, missingFields{"no " + nameList(names) + " in the result", "; " + where + " has " + has})
	}
	return out
}

// nameList joins names, made printable and limited in number.
func nameList(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i == maxNames {
			b.WriteString(" …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(registry.Printable(n, longestName))
	}
	return b.String()
}
