package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

const (
	// maxSchemaBytes bounds the schema of a tool's arguments or result in
	// bytes. An operation whose arguments take more is left out.
	maxSchemaBytes = 512 << 10
	// enoughInput and enoughOutput are the bytes in which arguments and results
	// are told of: as a whole, or else as deeply as fits in.
	enoughInput  = 192 << 10
	enoughOutput = 24 << 10
	// leastDepth is how deeply they are told of however large that is: a list's
	// items have their members.
	leastDepth = 2
	// everything is a depth at which nothing is cut.
	everything = 1 << 30
)

// object is a JSON object that keeps the order of its keys.
type object struct {
	keys   []string
	values map[string]any
}

func newObject() *object { return &object{values: map[string]any{}} }

func (o *object) set(key string, value any) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

func (o *object) remove(key string) {
	delete(o.values, key)
	o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
}

// MarshalJSON writes the members in their order.
func (o *object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o), nil }

// appendJSON writes what tree has read, or is JSON already.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case *object:
		b = append(b, '{')
		for i, k := range v.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, k), ':')
			b = appendJSON(b, v.values[k])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case string:
		return appendText(b, v)
	case json.Number:
		return append(b, v...)
	case json.RawMessage:
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	}
	return append(b, "null"...)
}

// appendText writes a string, and no more escapes than JSON needs.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			var w bytes.Buffer
			enc := json.NewEncoder(&w)
			enc.SetEscapeHTML(false)
			enc.Encode(s) // a string is always written
			return append(b, bytes.TrimSuffix(w.Bytes(), []byte("\n"))...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}

// tree decodes JSON into objects, lists and plain values; numbers keep their
// digits.
func tree(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return branch(dec, 0)
}

func branch(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := newObject()
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			value, err := branch(dec, depth+1)
			if err != nil {
				return nil, err
			}
			o.set(key.(string), value) // keys of JSON objects are strings
		}
		_, err = dec.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			value, err := branch(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = dec.Token()
		return list, err
	}
	return t, nil
}

// schemas turns the schemas of a document into those of one tool: references
// lead to its own $defs, where each is once, and what OpenAPI 3.0 says in its
// own way is said in JSON Schema's.
//
// Objects that are nested more deeply than depth are cut: there may be anything,
// and a $comment says what. The root has depth 1, the objects among its members
// and their items 2. What is referred to is as deep as the least deep reference.
// Where depth is not everything, results that are one of several things, not all
// of them objects ("an ID or the object"), are cut as well: they are any anyway.
type schemas struct {
	doc   *document
	drop  string // the mark of properties to leave out: readOnly in what a tool takes, writeOnly in what it returns
	depth int
	most  int // bytes

	bytes  int                  // of what is converted
	names  map[string]string    // in $defs, by reference
	taken  map[string]bool      // names
	levels map[string]int       // the least depth, by reference
	left   map[int][]string     // references to be defined, by depth
	defs   *object              // by name
	refs   map[*object]referred // schemas that are references
	deeper bool                 // something was cut because of its depth
}

// referred is where a reference leads, and whether that is too deep.
type referred struct {
	to   string
	deep bool
}

var errTooLarge = errors.New("its schemas are too large")

// fitted makes a schema: one that leaves nothing out if that has at most enough
// bytes, else the deepest that has.
func (d *document) fitted(drop string, enough int, of func(*schemas) (*object, error)) (*object, error) {
	try := func(depth, most int) (o *object, deeper bool, err error) {
		s := &schemas{doc: d, drop: drop, depth: depth, most: most, names: map[string]string{}, taken: map[string]bool{},
			levels: map[string]int{}, left: map[int][]string{}, defs: newObject(), refs: map[*object]referred{}}
		o, err = of(s)
		return o, s.deeper, err
	}
	best, _, err := try(everything, enough)
	if !errors.Is(err, errTooLarge) {
		return best, err
	}
	best, deeper, err := try(leastDepth, maxSchemaBytes)
	if errors.Is(err, errTooLarge) {
		best, _, err = try(1, maxSchemaBytes)
		return best, err
	}
	for depth := leastDepth + 1; err == nil && deeper; depth++ {
		var more *object
		more, deeper, err = try(depth, enough)
		if errors.Is(err, errTooLarge) {
			return best, nil
		}
		best = more
	}
	return best, err
}

// convert returns a schema of the root as the tool has it.
func (s *schemas) convert(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return newObject(), nil
	}
	v, err := tree(raw)
	if err != nil {
		return nil, err
	}
	return s.schema(v, 1)
}

// finish adds the definitions that the schema refers to, and cuts what is not
// among them.
func (s *schemas) finish(root *object) error {
	for len(s.left) > 0 {
		level := slices.Min(slices.Collect(maps.Keys(s.left)))
		for len(s.left[level]) > 0 {
			ref := s.left[level][0]
			s.left[level] = s.left[level][1:]
			if err := s.define(ref); err != nil {
				return err
			}
		}
		delete(s.left, level)
	}
	for o, ref := range s.refs {
		if name := s.names[ref.to]; s.defs.values[name] == nil {
			s.deeper = s.deeper || ref.deep
			cut(o, name)
		}
	}
	used := newObject()
	s.collect(root, used)
	if len(used.keys) > 0 {
		root.set("$defs", used)
	}
	return nil
}

// define converts what a reference leads to, once.
func (s *schemas) define(ref string) error {
	name := s.names[ref]
	if s.defs.values[name] != nil {
		return nil
	}
	v, err := s.doc.tree(ref)
	if err != nil {
		return err
	}
	if v, err = s.schema(v, s.levels[ref]); err == nil {
		s.defs.set(name, v)
	}
	return err
}

// tree returns the schema that a reference leads to.
func (d *document) tree(ref string) (any, error) {
	if v, ok := d.trees[ref]; ok {
		return v, nil
	}
	raw, err := d.at(ref)
	if err != nil {
		return nil, err
	}
	v, err := tree(raw)
	if err == nil {
		d.trees[ref] = v
	}
	return v, err
}

// cut makes a schema one of anything, and says of what.
func cut(o *object, what string) {
	description, ok := o.values["description"]
	*o = *newObject()
	o.set("$comment", what+", not typed this deep")
	if ok {
		o.set("description", description)
	}
}

// collect finds the definitions that a value refers to, and those refer to: a
// body whose properties became arguments is no longer one of them.
func (s *schemas) collect(v any, used *object) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			s.collect(item, used)
		}
	case *object:
		for _, key := range v.keys {
			s.collect(v.values[key], used)
		}
		ref, _ := v.values["$ref"].(string)
		name, ok := strings.CutPrefix(ref, "#/$defs/")
		if _, seen := used.values[name]; ok && !seen && s.defs.values[name] != nil {
			used.set(name, s.defs.values[name])
			s.collect(s.defs.values[name], used)
		}
	}
}

// count adds to the bytes.
func (s *schemas) count(n int) error {
	if s.bytes += n; s.bytes > s.most {
		return errTooLarge
	}
	return nil
}

// schema converts a schema that is so deep.
func (s *schemas) schema(v any, level int) (any, error) {
	from, ok := v.(*object)
	if !ok {
		if _, ok := v.(bool); ok {
			return v, nil
		}
		return newObject(), nil
	}
	o := newObject()
	if _, nested := from.values["properties"].(*object); nested && level > s.depth {
		s.deeper = s.deeper || level < everything
		title, _ := from.values["title"].(string)
		if text, ok := from.values["description"].(string); ok {
			o.set("description", plainText(text))
		}
		cut(o, cmp.Or(title, "object"))
		return o, s.count(len(appendJSON(nil, o)))
	}
	for _, key := range from.keys {
		v := from.values[key]
		switch key {
		case "example", "examples", "xml", "externalDocs", "discriminator":
			continue
		case "$ref":
			ref, ok := v.(string)
			if !ok {
				continue
			}
			v = s.refer(o, ref, level)
		case "description":
			if text, ok := v.(string); ok {
				if text = plainText(text); s.depth < everything && s.drop == dropInResults {
					text = beginning(text)
				}
				v = text
			}
		default:
			if strings.HasPrefix(key, "x-") {
				continue
			}
		}
		if err := s.count(len(key) + 4); err != nil {
			return nil, err
		}
		v, err := s.inside(key, v, level)
		if err != nil {
			return nil, err
		}
		o.set(key, v)
	}
	s.dropMarked(o, from)
	plain30(o)
	if from.values["nullable"] == true || from.values["x-nullable"] == true {
		return orNull(o), nil
	}
	return o, nil
}

// orNull is a schema that OpenAPI 3.0 calls nullable, as JSON Schema has it.
func orNull(o *object) *object {
	null := newObject()
	null.set("type", "null")
	if t, ok := o.values["type"].(string); ok {
		o.set("type", []any{t, "null"})
	}
	if enum, ok := o.values["enum"].([]any); ok && !slices.Contains(enum, nil) {
		o.set("enum", append(slices.Clip(enum), nil))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := o.values[key].([]any); ok {
			o.set(key, append(slices.Clip(list), null))
			return o
		}
	}
	if o.values["$ref"] == nil && o.values["allOf"] == nil {
		return o
	}
	either := newObject()
	if text := o.values["description"]; text != nil {
		o.remove("description")
		either.set("description", text)
	}
	either.set("anyOf", []any{o, null})
	return either
}

// beginning is a text's first sentence, or what of it fits in a comment: that of
// a result that is cut.
func beginning(s string) string {
	const long = 160
	if i := strings.Index(s, ". "); i >= 0 && i < long {
		return s[:i+1]
	}
	return text.CutBytes(s, long)
}

// inside converts the schemas that a keyword of a schema holds.
func (s *schemas) inside(key string, v any, level int) (any, error) {
	switch key {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		members, ok := v.(*object)
		if !ok {
			return v, nil
		}
		out := newObject()
		for _, name := range members.keys {
			if p, ok := members.values[name].(*object); ok && key == "properties" && p.values[s.drop] == true {
				continue
			}
			member, err := s.schema(members.values[name], level+1)
			if err == nil {
				err = s.count(len(name) + 4)
			}
			if err != nil {
				return nil, err
			}
			out.set(name, member)
		}
		return out, nil
	case "allOf", "anyOf", "oneOf", "prefixItems":
		list, _ := v.([]any)
		out := make([]any, len(list))
		if s.mixed(key, list) {
			level = everything
		}
		for i := range list {
			var err error
			if out[i], err = s.schema(list[i], level); err != nil {
				return nil, err
			}
		}
		return out, nil
	case "additionalProperties":
		return s.schema(v, level+1)
	case "items", "not", "propertyNames", "contains", "if", "then", "else":
		return s.schema(v, level)
	}
	return v, s.count(len(appendJSON(nil, v)))
}

// mixed reports whether alternatives of a result are to be cut.
func (s *schemas) mixed(key string, list []any) bool {
	if s.depth == everything || s.drop != dropInResults || key == "allOf" || key == "prefixItems" {
		return false
	}
	return slices.ContainsFunc(list, func(v any) bool {
		o, ok := v.(*object)
		if !ok {
			return false
		}
		kind, ok := o.values["type"].(string)
		return ok && kind != "object" && kind != "null"
	}) && len(list) > 1
}

// refer makes o a reference, and returns where it leads in the tool's schema.
func (s *schemas) refer(o *object, ref string, level int) string {
	name, ok := s.names[ref]
	if !ok {
		name = unique(defName(ref), s.taken)
		s.names[ref], s.taken[name] = name, true
	}
	cut := level > s.depth && !s.doc.simple(ref)
	s.refs[o] = referred{ref, cut && level < everything}
	if least, ok := s.levels[ref]; !cut && (!ok || level < least) {
		s.levels[ref] = level
		s.left[level] = append(s.left[level], ref)
	}
	return "#/$defs/" + name
}

// defName is the name of a reference's last part.
func defName(ref string) string {
	key, pointer, _ := strings.Cut(ref, "#")
	name := strings.TrimSuffix(path.Base(key), path.Ext(key))
	if pointer != "" {
		name = path.Base(pointer)
	}
	if u, err := url.PathUnescape(name); err == nil {
		name = u
	}
	return strings.NewReplacer("~1", "_", "~0", "_", "/", "_", "~", "_", "%", "_").Replace(name)
}

// nesting are the keywords of schemas that others are in.
var nesting = []string{"properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "$ref"}

// simple reports whether a reference leads to a schema without others in it.
func (d *document) simple(ref string) bool {
	v, err := d.tree(ref)
	o, ok := v.(*object)
	return err == nil && ok && !slices.ContainsFunc(o.keys, func(key string) bool {
		return slices.Contains(nesting, key)
	})
}

// plain30 says in JSON Schema's way what OpenAPI 3.0 and Swagger 2.0 say in
// their own.
func plain30(o *object) {
	if o.values["type"] == "file" {
		o.set("type", "string")
		o.set("format", "binary")
	}
	o.remove("nullable")
	for _, k := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		limit, exclusive := k[0], k[1]
		if on, ok := o.values[exclusive].(bool); ok {
			o.remove(exclusive)
			if v, has := o.values[limit]; on && has {
				o.remove(limit)
				o.set(exclusive, v)
			}
		}
	}
}

// The marks of properties that only go the other way.
const (
	dropInArguments = "readOnly"
	dropInResults   = "writeOnly"
)

// dropMarked leaves the properties that only go the other way out of those that
// are required.
func (s *schemas) dropMarked(o, from *object) {
	properties, _ := from.values["properties"].(*object)
	required, ok := o.values["required"].([]any)
	if !ok || properties == nil {
		return
	}
	o.set("required", slices.DeleteFunc(slices.Clone(required), func(r any) bool {
		name, _ := r.(string)
		p, ok := properties.values[name].(*object)
		return ok && p.values[s.drop] == true
	}))
}

// resolved returns the schema that a converted schema is or refers to.
func (s *schemas) resolved(v any) (*object, error) {
	for range maxRefs {
		o, ok := v.(*object)
		if !ok {
			return newObject(), nil
		}
		ref, ok := s.refs[o]
		if !ok {
			return o, nil
		}
		if _, ok := s.levels[ref.to]; !ok {
			return newObject(), nil
		}
		if err := s.define(ref.to); err != nil {
			return nil, err
		}
		v = s.defs.values[s.names[ref.to]]
	}
	return newObject(), nil
}
