package openapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/registry/text"
)

const (
	// maxSchemaBytes bounds the schema of a tool's arguments or result, in bytes. An operation
	// with larger arguments is omitted.
	maxSchemaBytes = 512 << 10
	// enoughInput and enoughOutput are the target sizes of the schemas of arguments and results,
	// in bytes. Larger schemas are cut to the depth that fits.
	enoughInput  = 192 << 10
	enoughOutput = 24 << 10
	// leastDepth is the minimum depth, whatever the size: a list's items have their members.
	leastDepth = 2
	// everything is a depth at which nothing is cut.
	everything = 1 << 30
	maxDepth   = 200
)

// tree parses JSON with at most maxDepth levels.
func tree(raw json.RawMessage) (*jsontree.Value, error) {
	return jsontree.Parse(raw, jsontree.Limits{Depth: maxDepth})
}

// isTrue reports whether a member is present and true.
func isTrue(v *jsontree.Value) bool { return v != nil && v.Yes }

// isNull reports whether a member is missing or null.
func isNull(v *jsontree.Value) bool { return v == nil || v.Kind == jsontree.Null }

// objectIn returns a member that is an object, or nil.
func objectIn(o *jsontree.Value, key string) *jsontree.Value {
	if v := o.Get(key); v != nil && v.Kind == jsontree.Object {
		return v
	}
	return nil
}

// schemas converts the schemas of a document to those of one tool. References refer to the tool's
// $defs, which have each schema once, and OpenAPI 3.0's own keywords become those of JSON Schema.
//
// Objects nested more deeply than depth are cut: any value is allowed, and a $comment describes
// it. The root has depth 1, the objects among its members and their items 2. A definition has the
// depth of its least deep reference. Unless depth is everything, results with alternatives that
// are not all objects ("an ID or the object") are cut as well, because their type is any in any
// case.
type schemas struct {
	doc   *document
	drop  string // the mark of properties to omit: readOnly in arguments, writeOnly in results
	depth int
	most  int // bytes

	bytes  int                          // size of the converted schemas
	names  map[string]string            // in $defs, by reference
	taken  map[string]bool              // used names
	levels map[string]int               // the least depth, by reference
	left   map[int][]string             // undefined references, by depth
	defs   *jsontree.Value              // by name
	refs   map[*jsontree.Value]referred // schemas that are references
	deeper bool                         // something was cut because of its depth
}

// referred is the target of a reference, and whether it is too deep.
type referred struct {
	to   string
	deep bool
}

var errTooLarge = errors.New("its schemas are too large")

// fitted returns a complete schema if it has at most enough bytes, otherwise the deepest schema
// that has.
func (d *document) fitted(drop string, enough int, of func(*schemas) (*jsontree.Value, error)) (*jsontree.Value, error) {
	try := func(depth, most int) (o *jsontree.Value, deeper bool, err error) {
		s := &schemas{doc: d, drop: drop, depth: depth, most: most, names: map[string]string{}, taken: map[string]bool{},
			levels: map[string]int{}, left: map[int][]string{}, defs: jsontree.NewObject(), refs: map[*jsontree.Value]referred{}}
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
		var more *jsontree.Value
		more, deeper, err = try(depth, enough)
		if errors.Is(err, errTooLarge) {
			return best, nil
		}
		best = more
	}
	return best, err
}

// convert returns a root schema in the form for the tool.
func (s *schemas) convert(raw json.RawMessage) (*jsontree.Value, error) {
	if len(raw) == 0 {
		return jsontree.NewObject(), nil
	}
	v, err := tree(raw)
	if err != nil {
		return nil, err
	}
	return s.schema(v, 1)
}

// finish adds the definitions that the schema refers to, and cuts references to other ones.
func (s *schemas) finish(root *jsontree.Value) error {
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
		if name := s.names[ref.to]; s.defs.Get(name) == nil {
			s.deeper = s.deeper || ref.deep
			cut(o, name)
		}
	}
	used := jsontree.NewObject()
	s.collect(root, used)
	if len(used.Keys) > 0 {
		root.Set("$defs", used)
	}
	return nil
}

// define converts the target of a reference, once.
func (s *schemas) define(ref string) error {
	name := s.names[ref]
	if s.defs.Get(name) != nil {
		return nil
	}
	v, err := s.doc.tree(ref)
	if err != nil {
		return err
	}
	if v, err = s.schema(v, s.levels[ref]); err == nil {
		s.defs.Set(name, v)
	}
	return err
}

// tree returns the schema of a reference.
func (d *document) tree(ref string) (*jsontree.Value, error) {
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

// cut turns a schema into one for any value, with a comment that describes it.
func cut(o *jsontree.Value, what string) {
	description := o.Get("description")
	*o = *jsontree.NewObject().Set("$comment", jsontree.NewString(what+", not typed this deep"))
	if description != nil {
		o.Set("description", description)
	}
}

// collect adds the definitions that a value refers to, directly or indirectly. A body whose
// properties became arguments is no longer among them.
func (s *schemas) collect(v, used *jsontree.Value) {
	for _, item := range v.Items {
		s.collect(item, used)
	}
	name, ok := strings.CutPrefix(v.Str("$ref"), "#/$defs/")
	if def := s.defs.Get(name); ok && def != nil && used.Get(name) == nil {
		s.collect(def, used.Set(name, def))
	}
}

// count adds to the bytes.
func (s *schemas) count(n int) error {
	if s.bytes += n; s.bytes > s.most {
		return errTooLarge
	}
	return nil
}

// schema converts a schema at the given level.
func (s *schemas) schema(from *jsontree.Value, level int) (*jsontree.Value, error) {
	switch from.Kind {
	case jsontree.Object:
	case jsontree.Bool:
		return from, nil
	default:
		return jsontree.NewObject(), nil
	}
	o := jsontree.NewObject()
	if objectIn(from, "properties") != nil && level > s.depth {
		s.deeper = s.deeper || level < everything
		if text := from.Get("description"); text != nil && text.Kind == jsontree.String {
			o.Set("description", jsontree.NewString(plainText(text.Text)))
		}
		cut(o, cmp.Or(from.Str("title"), "object"))
		return o, s.count(len(o.JSON()))
	}
	for i, key := range from.Keys {
		v := from.Items[i]
		switch key {
		case "example", "examples", "xml", "externalDocs", "discriminator":
			continue
		case "$ref":
			if v.Kind != jsontree.String {
				continue
			}
			v = jsontree.NewString(s.refer(o, v.Text, level))
		case "description":
			if v.Kind == jsontree.String {
				text := plainText(v.Text)
				if s.depth < everything && s.drop == dropInResults {
					text = beginning(text)
				}
				v = jsontree.NewString(text)
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
		o.Set(key, v)
	}
	s.dropMarked(o, from)
	plain30(o)
	if isTrue(from.Get("nullable")) || isTrue(from.Get("x-nullable")) {
		return orNull(o), nil
	}
	return o, nil
}

// orNull converts a schema that is nullable in OpenAPI 3.0 to JSON Schema.
func orNull(o *jsontree.Value) *jsontree.Value {
	null := jsontree.NewObject().Set("type", jsontree.NewString("null"))
	if t := o.Get("type"); t != nil && t.Kind == jsontree.String {
		o.Set("type", jsontree.NewList(t, jsontree.NewString("null")))
	}
	if enum := o.Get("enum"); enum != nil && enum.Kind == jsontree.List && !slices.ContainsFunc(enum.Items, isNull) {
		o.Set("enum", jsontree.NewList(append(slices.Clip(enum.Items), &jsontree.Value{})...))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list := o.Get(key); list != nil { // inside made it a list
			return o.Set(key, jsontree.NewList(append(slices.Clip(list.Items), null)...))
		}
	}
	if o.Get("$ref") == nil && o.Get("allOf") == nil {
		return o
	}
	either := jsontree.NewObject()
	if text := o.Get("description"); text != nil {
		o.Remove("description")
		either.Set("description", text)
	}
	return either.Set("anyOf", jsontree.NewList(o, null))
}

// beginning returns a text's first sentence, cut to the length of a comment, for a result that is
// cut.
func beginning(s string) string {
	const long = 160
	if i := strings.Index(s, ". "); i >= 0 && i < long {
		return s[:i+1]
	}
	return text.CutBytes(s, long)
}

// inside converts the schemas in a keyword of a schema.
func (s *schemas) inside(key string, v *jsontree.Value, level int) (*jsontree.Value, error) {
	switch key {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		if v.Kind != jsontree.Object {
			return v, nil
		}
		out := jsontree.NewObject()
		for i, name := range v.Keys {
			if key == "properties" && isTrue(v.Items[i].Get(s.drop)) {
				continue
			}
			member, err := s.schema(v.Items[i], level+1)
			if err == nil {
				err = s.count(len(name) + 4)
			}
			if err != nil {
				return nil, err
			}
			out.Set(name, member)
		}
		return out, nil
	case "allOf", "anyOf", "oneOf", "prefixItems":
		out := jsontree.NewList()
		if v.Kind != jsontree.List {
			return out, nil
		}
		if s.mixed(key, v.Items) {
			level = everything
		}
		for _, item := range v.Items {
			item, err := s.schema(item, level)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, item)
		}
		return out, nil
	case "additionalProperties":
		return s.schema(v, level+1)
	case "items", "not", "propertyNames", "contains", "if", "then", "else":
		return s.schema(v, level)
	}
	return v, s.count(len(v.JSON()))
}

// mixed reports whether the alternatives of a result are cut.
func (s *schemas) mixed(key string, list []*jsontree.Value) bool {
	if s.depth == everything || s.drop != dropInResults || key == "allOf" || key == "prefixItems" {
		return false
	}
	return slices.ContainsFunc(list, func(v *jsontree.Value) bool {
		kind := v.Str("type")
		return kind != "" && kind != "object" && kind != "null"
	}) && len(list) > 1
}

// refer makes o a reference, and returns its target in the tool's schema.
func (s *schemas) refer(o *jsontree.Value, ref string, level int) string {
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

// defName returns the name in a reference's last part.
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

// nesting are the keywords that contain schemas.
var nesting = []string{"properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "$ref"}

// simple reports whether the target of a reference contains no other schemas.
func (d *document) simple(ref string) bool {
	v, err := d.tree(ref)
	return err == nil && v.Kind == jsontree.Object && !slices.ContainsFunc(v.Keys, func(key string) bool {
		return slices.Contains(nesting, key)
	})
}

// plain30 replaces keywords of OpenAPI 3.0 and Swagger 2.0 by those of JSON Schema.
func plain30(o *jsontree.Value) {
	if o.Str("type") == "file" {
		o.Set("type", jsontree.NewString("string")).Set("format", jsontree.NewString("binary"))
	}
	o.Remove("nullable")
	for _, k := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		limit, exclusive := k[0], k[1]
		if on := o.Get(exclusive); on != nil && on.Kind == jsontree.Bool {
			o.Remove(exclusive)
			if v := o.Get(limit); on.Yes && v != nil {
				o.Remove(limit)
				o.Set(exclusive, v)
			}
		}
	}
}

// The marks of properties that exist only in the opposite direction.
const (
	dropInArguments = "readOnly"
	dropInResults   = "writeOnly"
)

// dropMarked removes the properties of the opposite direction from the required ones.
func (s *schemas) dropMarked(o, from *jsontree.Value) {
	properties, required := objectIn(from, "properties"), o.Get("required")
	if required == nil || required.Kind != jsontree.List || properties == nil {
		return
	}
	o.Set("required", jsontree.NewList(slices.DeleteFunc(slices.Clone(required.Items), func(name *jsontree.Value) bool {
		return isTrue(properties.Get(name.Text).Get(s.drop))
	})...))
}

// resolved returns a converted schema, or the schema that it refers to.
func (s *schemas) resolved(v *jsontree.Value) (*jsontree.Value, error) {
	for range maxRefs {
		if v.Kind != jsontree.Object {
			return jsontree.NewObject(), nil
		}
		ref, ok := s.refs[v]
		if !ok {
			return v, nil
		}
		if _, ok := s.levels[ref.to]; !ok {
			return jsontree.NewObject(), nil
		}
		if err := s.define(ref.to); err != nil {
			return nil, err
		}
		v = s.defs.Get(s.names[ref.to])
	}
	return jsontree.NewObject(), nil
}
