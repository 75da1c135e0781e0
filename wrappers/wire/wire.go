// Package wire converts the struct of arguments that a script wrote into the object that is sent.
// It is the part of a generated package that runs as compiled code: the package itself only has a
// plan, a text.
//
// A plan has one line per object of the schema, the arguments first. A line is a row of fields in
// the order of the Go struct: the quoted name of the property, its marks and its type.
//
//	"path"!s"line"i"tags"[s"author"^*{1}
//	"name"!s"kind"="\"user\""s
//
// Types are s string, i int, f float64, b bool, a anything, [T a list of T, <T a map to T, {2}
// the third object; *T is a pointer to T. The marks say when a field is sent. Without marks, it
// is sent if it was written or is not zero:
//
//	!  always
//	^  if the pointer is not nil
//	?  if it is sent and nil, as null (otherwise as an empty list or map)
//	+  a map of additional properties; named properties win
//	=  this constant is sent, unless the script wrote another value
//
// A line that begins with | is a union: the one field that was written is sent in place of the
// object. The fields of a struct are followed by bit masks of the written fields, see package
// wrappers.
package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Arguments returns the object to send for p, in a form that JSON encoders write as the schema
// expects. p is a struct, or invalid for no arguments. Values in interfaces are passed unchanged.
// It returns an error if the plan is invalid or does not fit p.
func Arguments(plan string, p reflect.Value) (args map[string]any, err error) {
	pl, err := parsed(plan)
	if err != nil || len(pl) == 0 {
		return map[string]any{}, err
	}
	defer func() {
		if recover() != nil {
			args, err = nil, errPlan
		}
	}()
	return pl.fields(&pl[0], p), nil
}

var errPlan = errors.New("the plan does not fit the arguments")

// Effects names the constant of a server's package that lists, separated by spaces, the functions
// that may change something.
const Effects = "effects_"

// Mask returns the name of the i-th hidden field: a bit mask of the next 64 fields that are written.
func Mask(i int) string {
	if i == 0 {
		return "set_"
	}
	return "set" + strconv.Itoa(i) + "_"
}

// IsMask reports whether a field name is one that Mask returns.
func IsMask(name string) bool {
	rest, ok := strings.CutPrefix(name, "set")
	return ok && strings.HasSuffix(rest, "_")
}

type plan []object

type object struct {
	union  bool
	fields []field
}

type field struct {
	property                        string
	always, notNil, nullable, extra bool
	fixed                           json.RawMessage
	typ                             *typ
}

type typ struct {
	kind    byte // a letter of the plan
	pointer bool
	elem    *typ
	object  int
}

var plans sync.Map // plan by text

func parsed(text string) (plan, error) {
	if p, ok := plans.Load(text); ok {
		return p.(plan), nil
	}
	p, err := parse(text)
	if err == nil {
		plans.Store(text, p)
	}
	return p, err
}

func parse(text string) (plan, error) {
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	p := make(plan, len(lines))
	for i, rest := range lines {
		rest, p[i].union = strings.CutPrefix(rest, "|")
		for rest != "" {
			f := field{}
			var ok bool
			if f.property, rest, ok = quoted(rest); !ok {
				return nil, errPlan
			}
			if rest, ok = f.marks(rest); !ok {
				return nil, errPlan
			}
			if f.typ, rest, ok = parseType(rest, len(p)); !ok {
				return nil, errPlan
			}
			p[i].fields = append(p[i].fields, f)
		}
	}
	return p, nil
}

// marks reads the marks of a field and returns the rest of the text.
func (f *field) marks(rest string) (string, bool) {
	for rest != "" {
		switch rest[0] {
		case '!':
			f.always = true
		case '^':
			f.notNil = true
		case '?':
			f.nullable = true
		case '+':
			f.extra = true
		case '=':
			text, after, ok := quoted(rest[1:])
			if !ok {
				return "", false
			}
			f.fixed, rest = json.RawMessage(text), after
			continue
		default:
			return rest, true
		}
		rest = rest[1:]
	}
	return rest, true
}

func quoted(s string) (text, rest string, ok bool) {
	q, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", false
	}
	text, err = strconv.Unquote(q)
	return text, s[len(q):], err == nil
}

func parseType(s string, objects int) (t *typ, rest string, ok bool) {
	t = &typ{}
	if s, t.pointer = strings.CutPrefix(s, "*"); s == "" {
		return nil, "", false
	}
	t.kind, rest = s[0], s[1:]
	switch t.kind {
	case 's', 'i', 'f', 'b', 'a':
		return t, rest, true
	case '[', '<':
		t.elem, rest, ok = parseType(rest, objects)
		return t, rest, ok
	case '{':
		number, rest, ok := strings.Cut(rest, "}")
		n, err := strconv.Atoi(number)
		t.object = n
		return t, rest, ok && err == nil && n >= 0 && n < objects
	}
	return nil, "", false
}

// fields returns the properties of an object. v is invalid without a struct, because all
// properties are constant.
func (p plan) fields(o *object, v reflect.Value) map[string]any {
	m := make(map[string]any, len(o.fields))
	for i := range o.fields {
		f := &o.fields[i]
		if f.fixed != nil {
			m[f.property] = f.fixed
		}
		if !v.IsValid() {
			continue
		}
		x := v.Field(i)
		switch {
		case f.extra:
			for it := x.MapRange(); it.Next(); {
				if k := it.Key().String(); m[k] == nil {
					m[k] = p.encode(f.typ.elem, it.Value())
				}
			}
		case f.notNil && x.IsNil(), !f.always && !f.notNil && !p.written(o, v, i):
		case f.nullable && x.IsNil():
			m[f.property] = nil
		default:
			m[f.property] = p.encode(f.typ, x)
		}
	}
	return m
}

// written reports whether the script is known to have written a field, or the field is not zero.
func (p plan) written(o *object, v reflect.Value, i int) bool {
	mask := len(o.fields) + i/64
	return mask < v.NumField() && v.Field(mask).Uint()&(1<<(i%64)) != 0 || p.holds(o.fields[i].typ, v.Field(i))
}

// holds reports whether a value is not its zero value. A struct is not zero if any of its fields
// was written.
func (p plan) holds(t *typ, v reflect.Value) bool {
	switch {
	case t.pointer:
		return !v.IsNil()
	case t.kind == 'f':
		return v.Float() != 0 // -0 is not a value either
	case t.kind != '{':
		return !v.IsZero()
	}
	o := &p[t.object]
	for i := len(o.fields); i < v.NumField(); i++ {
		if v.Field(i).Uint() != 0 {
			return true
		}
	}
	for i, f := range o.fields {
		if p.holds(f.typ, v.Field(i)) {
			return true
		}
	}
	return false
}

// encode returns a value as it is sent: structs as their objects, nil lists and maps as empty
// ones.
func (p plan) encode(t *typ, v reflect.Value) any {
	switch {
	case t.elem == nil && t.kind != '{':
		return v.Interface()
	case t.pointer && v.IsNil():
		return nil
	case t.pointer:
		v = v.Elem()
	}
	switch t.kind {
	case '[':
		if v.Len() > 0 && t.elem.simple() {
			return v.Interface()
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = p.encode(t.elem, v.Index(i))
		}
		return out
	case '<':
		if v.Len() > 0 && t.elem.simple() {
			return v.Interface()
		}
		out := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			out[it.Key().String()] = p.encode(t.elem, it.Value())
		}
		return out
	}
	if o := &p[t.object]; o.union {
		return p.alternative(o, v)
	}
	return p.fields(&p[t.object], v)
}

func (t *typ) simple() bool { return !t.pointer && t.elem == nil && t.kind != '{' }

// alternative returns the field of a union that was written. If the script wrote none or several,
// it returns a form that no schema allows, so that the call is refused.
func (p plan) alternative(o *object, v reflect.Value) any {
	m := map[string]any{}
	var one any
	for i, f := range o.fields {
		if f.typ.pointer && v.Field(i).IsNil() || !f.typ.pointer && !p.written(o, v, i) {
			continue
		}
		one = p.encode(f.typ, v.Field(i))
		m[f.property] = one
	}
	if len(m) == 1 {
		return one
	}
	return m
}
