package openapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/jsontree"
)

const (
	// MaxOperations bounds the tools of a document.
	MaxOperations = 10000
	// maxDefinitions bounds the definitions of all tools of a document together, in bytes. Each
	// tool has its own copy of shared schemas.
	maxDefinitions = 64 << 20
)

// tool is an operation that can be called.
type tool struct {
	Name, Method, Path string
	Params             []argument   `json:",omitempty"`
	Body               *requestBody `json:",omitempty"` // nil without a body
	Wrapped            bool         `json:",omitempty"` // results are {"result": …}
	raw                json.RawMessage
}

// argument is a parameter and its name in the tool.
type argument struct {
	Name, In, As string
	Required     bool `json:",omitempty"`
	Style        style
}

// requestBody says how a tool's arguments become a body.
type requestBody struct {
	ContentType string
	Required    bool `json:",omitempty"`
	// Properties are the arguments that belong to the body. If nil, the argument "body" is the
	// complete body.
	Properties map[string]bool `json:",omitempty"`
	Parts      map[string]part `json:",omitempty"` // forms and multipart: how the properties are sent
	Bytes      bool            `json:",omitempty"` // "body" is bytes, as base64
}

// methods are the methods that become tools, with their annotations.
var methods = []struct {
	name  string
	hints string
}{
	{"get", `{"readOnlyHint":true}`},
	{"head", `{"readOnlyHint":true}`},
	{"options", `{"readOnlyHint":true}`},
	{"post", `{"readOnlyHint":false,"destructiveHint":false}`},
	{"put", `{"readOnlyHint":false,"idempotentHint":true}`},
	{"patch", `{"readOnlyHint":false}`},
	{"delete", `{"readOnlyHint":false,"destructiveHint":true}`},
}

// tools makes a tool of every operation that c selects. Operations that cannot be a tool are
// described in problems. limit is the maximum size of all definitions together.
func (d *document) tools(c *chooser, limit int) (tools []*tool, problems []string) {
	names, bytes := map[string]bool{}, 0
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		item, err := into[map[string]json.RawMessage](d, d.Paths[path])
		if err != nil {
			problems = append(problems, fmt.Sprintf("path %.100q left out: %v", path, err))
			continue
		}
		for _, m := range methods {
			raw, ok := item[m.name]
			if !ok {
				continue
			}
			raw, err := d.follow(raw)
			if err == nil && !c.wants(m.name, path, tagsOf(raw)) {
				continue
			}
			if len(tools) == MaxOperations {
				return tools, append(problems, fmt.Sprintf("it has more than %d operations; the rest is left out", MaxOperations))
			}
			var t *tool
			if err == nil {
				t, err = d.tool(m.name, path, m.hints, item["parameters"], raw, names)
			}
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s %.100s left out: %v", strings.ToUpper(m.name), path, err))
				continue
			}
			if bytes += len(t.raw); bytes > limit {
				return tools, append(problems, fmt.Sprintf("its operations have more than %d bytes of schemas; those from %s "+
					"%.100s on are left out: "+
					"choose some with tags or paths in its config entry", limit, strings.ToUpper(m.name), path))
			}
			names[t.Name] = true
			tools = append(tools, t)
		}
	}
	return tools, append(problems, c.unused()...)
}

// tagsOf returns an operation's tags.
func tagsOf(raw json.RawMessage) []string {
	var op struct {
		Tags []string `json:"tags"`
	}
	json.Unmarshal(raw, &op) // a malformed operation is reported when it becomes a tool
	return op.Tags
}

// tool makes a tool of one operation. shared are the parameters of its path.
func (d *document) tool(method, path, hints string, shared, raw json.RawMessage, taken map[string]bool) (*tool, error) {
	op, err := d.operation(raw, shared)
	if err != nil {
		return nil, err
	}
	t := &tool{Method: strings.ToUpper(method), Path: escaped(path)}
	t.Name = unique(toolName(op.ID, method, path), taken)
	input, err := d.fitted(dropInArguments, enoughInput, func(s *schemas) (*jsontree.Value, error) { return d.input(t, s, op) })
	if err != nil {
		return nil, err
	}
	if err := t.complete(); err != nil {
		return nil, err
	}
	output, err := d.fitted(dropInResults, enoughOutput, func(s *schemas) (*jsontree.Value, error) { return d.output(t, s, op) })
	if errors.Is(err, errTooLarge) {
		t.Wrapped, output, err = false, nil, nil // an untyped tool is better than none
	}
	if err != nil {
		return nil, err
	}
	title, description := describe(op, t)
	o := jsontree.NewObject()
	o.Set("name", jsontree.NewString(t.Name))
	if title != "" {
		o.Set("title", jsontree.NewString(title))
	}
	o.Set("description", jsontree.NewString(description))
	o.Set("inputSchema", input)
	if output != nil {
		o.Set("outputSchema", output)
	}
	annotations, err := tree(json.RawMessage(hints))
	o.Set("annotations", annotations)
	t.raw = json.RawMessage(o.JSON())
	return t, err
}

// escaped returns a path with its literal parts escaped for a URL, and its {names} unchanged.
func escaped(path string) string {
	var b strings.Builder
	for path != "" {
		literal, rest, ok := strings.Cut(path, "{")
		b.WriteString((&url.URL{Path: literal}).EscapedPath())
		if !ok {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString("{" + name + "}")
		path = after
	}
	return b.String()
}

// complete returns an error if a name in the path has no parameter.
func (t *tool) complete() error {
	path := t.Path
	for _, p := range t.Params {
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", "")
		}
	}
	if strings.Contains(path, "{") {
		return errors.New("a name in its path is no parameter") //english:allow cached with the document
	}
	return nil
}

// toolName returns the operationId, as far as its characters are allowed, or method and path.
// MCPO names the operation of tool X tool_X_post.
func toolName(id, method, path string) string {
	if name := strings.Trim(path, "/"); name != "" && id == "tool_"+name+"_post" {
		id = name
	}
	if id == "" {
		id = method + "_" + strings.Trim(path, "/")
	}
	name := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
			return c
		case c == '{' || c == '}':
			return -1
		}
		return '_'
	}, id)
	const longest = 120
	return cmp.Or(strings.Trim(name[:min(len(name), longest)], "_"), method)
}

func unique(name string, taken map[string]bool) string {
	for n, i := name, 2; ; n, i = fmt.Sprintf("%s_%d", name, i), i+1 {
		if !taken[n] {
			return n
		}
	}
}

// describe returns an operation's summary and its description. The description begins with the
// summary as a sentence, unless it repeats it.
func describe(op *operation, t *tool) (title, description string) {
	title, description = plainText(op.Summary), plainText(op.Description)
	switch {
	case description == "":
		description = title
	case title != "" && !isRedundant(title, description):
		end := "."
		if strings.ContainsAny(title[len(title)-1:], ".!?:") {
			end = ""
		}
		description = title + end + "\n" + description
	}
	if op.Deprecated {
		description = strings.TrimSpace("Deprecated.\n" + description)
	}
	return title, cmp.Or(description, t.Method+" "+t.Path)
}

// input returns the schema of a tool's arguments: its parameters, those of the operation before
// those of the path, and its body.
func (d *document) input(t *tool, s *schemas, op *operation) (*jsontree.Value, error) {
	root, properties, required := jsontree.NewObject(), jsontree.NewObject(), []*jsontree.Value(nil)
	root.Set("type", jsontree.NewString("object"))
	var params []argument
	seen := map[[2]string]bool{}
	for _, raw := range op.Parameters {
		p, err := into[parameter](d, raw)
		if err != nil {
			return nil, fmt.Errorf("a parameter: %w", err)
		}
		key := [2]string{p.In, p.Name}
		if seen[key] || ignored(p) {
			continue
		}
		seen[key] = true
		a, err := p.argument()
		if err != nil {
			return nil, err
		}
		if properties.Get(p.Name) != nil {
			a.As = p.In + "_" + p.Name
		}
		schema, err := s.convert(p.schema())
		if err != nil {
			return nil, err
		}
		properties.Set(a.As, described(schema, p.Description))
		if a.Required {
			required = append(required, jsontree.NewString(a.As))
		}
		params = append(params, a)
	}
	var content *requestBody
	if len(op.Body) > 0 {
		var more []*jsontree.Value
		var err error
		if content, more, err = d.bodyInput(s, op.Body, properties); err != nil {
			return nil, err
		}
		required = append(required, more...)
	}
	root.Set("properties", properties)
	if len(required) > 0 {
		root.Set("required", jsontree.NewList(required...))
	}
	root.Set("additionalProperties", &jsontree.Value{Kind: jsontree.Bool})
	if err := s.finish(root); err != nil {
		return nil, err
	}
	t.Params, t.Body = params, content
	return root, nil
}

// ignored reports whether a parameter is a header that OpenAPI leaves to the client.
func ignored(p parameter) bool {
	name := strings.ToLower(p.Name)
	return p.In == "header" && (name == "accept" || name == "content-type" || name == "authorization")
}

// argument returns how the parameter is sent. It returns an error if it could not be sent
// correctly.
func (p *parameter) argument() (argument, error) {
	a := argument{Name: p.Name, In: p.In, As: p.Name, Required: p.Required || p.In == "path"}
	if p.Name == "" {
		return a, errors.New("a parameter has no name")
	}
	if styles[p.In] == nil {
		return a, fmt.Errorf("parameter %q is in %q, want path, query, header or cookie", p.Name, p.In)
	}
	for kind := range p.Content {
		a.Style = style{Media: mainType(kind)}
		return a, nil
	}
	var err error
	if a.Style, err = newStyle(p.In, p.Style, p.Explode, p.AllowReserved); err != nil {
		return a, fmt.Errorf("the %s parameter %q has %w", p.In, p.Name, err)
	}
	return a, nil
}

// schema returns the schema of the parameter, or of the JSON as which it is written.
func (p *parameter) schema() json.RawMessage {
	for _, m := range p.Content {
		return m.Schema
	}
	return p.Schema
}

// described adds a description to a schema without one.
func described(schema *jsontree.Value, text string) *jsontree.Value {
	if text = plainText(text); schema.Kind == jsontree.Object && text != "" && isNull(schema.Get("description")) {
		schema.Set("description", jsontree.NewString(text))
	}
	return schema
}

// bodyInput adds the properties of a body to those of a tool, or the complete body as one
// property.
func (d *document) bodyInput(s *schemas, raw json.RawMessage, properties *jsontree.Value) (
	content *requestBody, required []*jsontree.Value, err error,
) {
	b, err := into[body](d, raw)
	if err != nil {
		return nil, nil, fmt.Errorf("its body: %w", err)
	}
	kind, media := pick(b.Content)
	if kind == "" {
		return nil, nil, nil
	}
	content = &requestBody{ContentType: kind, Required: b.Required}
	asBody := func(schema *jsontree.Value) []*jsontree.Value {
		properties.Set("body", described(schema, b.Description))
		if b.Required {
			return []*jsontree.Value{jsontree.NewString("body")}
		}
		return nil
	}
	if !isJSON(kind) && kind != formType && kind != multipartType {
		text := jsontree.NewObject().Set("type", jsontree.NewString("string"))
		if content.Bytes = !isText(kind); content.Bytes {
			text = base64Schema(text)
		}
		return content, asBody(text), nil
	}
	schema, err := s.convert(media.Schema)
	if err != nil {
		return nil, nil, err
	}
	o, err := s.resolved(schema)
	if err != nil {
		return nil, nil, err
	}
	if kind == formType || kind == multipartType {
		if content.Parts, err = media.encodings(); err != nil {
			return nil, nil, err
		}
	}
	members := objectIn(o, "properties")
	if kind == multipartType {
		if members == nil || !flat(o) {
			return nil, nil, fmt.Errorf("its body is %s of something other than plain properties", kind)
		}
		members = copyOf(members)
		if err = s.files(members, content.Parts); err != nil {
			return nil, nil, err
		}
		o = copyOf(o).Set("properties", members)
		schema = o
	}
	if members == nil || !flat(o) || slices.ContainsFunc(members.Keys, func(k string) bool { return properties.Get(k) != nil }) {
		return content, asBody(schema), nil
	}
	content.Properties = map[string]bool{}
	for i, k := range members.Keys {
		properties.Set(k, members.Items[i])
		content.Properties[k] = true
	}
	if b.Required {
		required = o.List("required")
	}
	return content, required, nil
}

// flat reports whether an object schema has only properties.
func flat(o *jsontree.Value) bool {
	for _, key := range []string{"allOf", "anyOf", "oneOf", "not", "if", "patternProperties"} {
		if o.Get(key) != nil {
			return false
		}
	}
	return !isTrue(o.Get("additionalProperties")) && objectIn(o, "additionalProperties") == nil
}

const formType = "application/x-www-form-urlencoded"

// pick returns the content type to use, preferably JSON.
func pick(content map[string]mediaType) (kind string, m mediaType) {
	kinds := slices.Sorted(maps.Keys(content))
	for _, wanted := range []func(string) bool{
		func(k string) bool { return mainType(k) == "application/json" },
		isJSON,
		func(k string) bool { return mainType(k) == formType },
		func(k string) bool { return mainType(k) == multipartType },
		isText,
		func(string) bool { return true },
	} {
		if i := slices.IndexFunc(kinds, wanted); i >= 0 {
			return mainType(kinds[i]), content[kinds[i]]
		}
	}
	return "", mediaType{}
}

func mainType(kind string) string {
	kind, _, _ = strings.Cut(kind, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// isText reports whether a body of a content type can be written as text.
func isText(kind string) bool {
	kind = mainType(kind)
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "xml") || strings.HasSuffix(kind, "yaml") ||
		kind == "application/graphql" || kind == "application/x-ndjson"
}

func isJSON(kind string) bool {
	kind = mainType(kind)
	return kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "*/*"
}

// output returns the schema of a tool's result, or nil if the document does not declare JSON.
func (d *document) output(t *tool, s *schemas, op *operation) (*jsontree.Value, error) {
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		if status[:min(1, len(status))] != "2" {
			continue
		}
		b, err := into[body](d, op.Responses[status])
		if err != nil {
			return nil, fmt.Errorf("its response %s: %w", status, err)
		}
		kind, media := pick(b.Content)
		if !isJSON(kind) || len(media.Schema) == 0 {
			continue
		}
		schema, err := s.convert(promise(media.Schema))
		if err != nil {
			return nil, err
		}
		o, err := s.resolved(schema)
		if err != nil {
			return nil, err
		}
		root := schema
		if o.Str("type") != "object" {
			root = jsontree.NewObject().Set("type", jsontree.NewString("object")).
				Set("properties", jsontree.NewObject().Set("result", schema)).
				Set("required", jsontree.NewList(jsontree.NewString("result"))).
				Set("x-fastmcp-wrap-result", &jsontree.Value{Kind: jsontree.Bool, Yes: true}) // how wrapped results are marked
			t.Wrapped = true
		} else if o != root {
			root = copyOf(o) // a root cannot be a reference
		}
		return root, s.finish(root)
	}
	return nil, nil
}

func copyOf(o *jsontree.Value) *jsontree.Value {
	out := jsontree.NewObject()
	for i, key := range o.Keys {
		out.Set(key, o.Items[i])
	}
	return out
}

// promise returns the schema of a response. MCPO writes "X or anything" if the server behind it
// declares X.
func promise(raw json.RawMessage) json.RawMessage {
	var s struct {
		AnyOf []json.RawMessage `json:"anyOf"`
	}
	if json.Unmarshal(raw, &s) == nil && len(s.AnyOf) == 2 && string(s.AnyOf[1]) == "{}" {
		return s.AnyOf[0]
	}
	return raw
}

// status returns a status code with its text.
func status(code int) string { return fmt.Sprintf("status %d %s", code, http.StatusText(code)) }
