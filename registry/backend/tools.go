package backend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/jsontree"
)

const (
	// MaxToolBytes bounds the definition of one tool. The largest of 2,000 tools of public
	// servers is 64 KB.
	MaxToolBytes = 1 << 20
	// MaxToolDepth bounds the nesting of a tool's definition. The deepest seen is 12.
	MaxToolDepth = 200
	// MaxToolName bounds a tool's name in bytes; MCP recommends 128.
	MaxToolName = 256
	// maxProblems bounds the problems kept per server.
	maxProblems = 100
)

// DecodeTools decodes tool definitions from a tools/list result. It omits invalid definitions and
// those with a repeated name. Each of these cases, and each ignored field, is described in
// problems.
func DecodeTools(server string, raws []json.RawMessage) (tools []registry.Tool, problems []string) {
	seen := map[string]bool{}
	for i, raw := range raws {
		t, ignored, err := decodeTool(server, raw)
		name := fmt.Sprintf("tool %d", i+1)
		if t.Name != "" {
			name = fmt.Sprintf("tool %q", t.Name)
		}
		switch {
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s omitted: %v", name, err))
			continue
		case seen[t.Name]:
			problems = append(problems, name+" listed twice; the first is used")
			continue
		}
		seen[t.Name] = true
		tools = append(tools, t)
		for _, what := range ignored {
			problems = append(problems, name+": "+what)
		}
	}
	return tools, capped(problems)
}

func capped(problems []string) []string {
	if n := len(problems); n > maxProblems {
		return append(problems[:maxProblems:maxProblems], fmt.Sprintf("and %d more problems", n-maxProblems))
	}
	return problems
}

// decodeTool decodes one definition. ignored describes malformed optional fields.
func decodeTool(server string, raw json.RawMessage) (t registry.Tool, ignored []string, err error) {
	if len(raw) > MaxToolBytes {
		return t, nil, fmt.Errorf("its definition has %d bytes; the limit is %d", len(raw), MaxToolBytes)
	}
	raw = bytes.ToValidUTF8(raw, []byte("\ufffd"))
	v, err := jsontree.Parse(raw, jsontree.Limits{Depth: MaxToolDepth})
	if errors.Is(err, jsontree.ErrDeep) {
		return t, nil, fmt.Errorf("its definition is nested deeper than %d levels", MaxToolDepth)
	}
	if err == nil {
		if keys := repeated(v); keys != nil {
			return t, nil, fmt.Errorf("its definition has a duplicate key %.40q in one object", keys[0])
		}
	}
	var f map[string]json.RawMessage
	if err := json.Unmarshal(raw, &f); err != nil || f == nil {
		return t, nil, errors.New("its definition is not a JSON object")
	}
	text := func(key string) string {
		var s string
		if v, ok := f[key]; ok && json.Unmarshal(v, &s) != nil {
			ignored = append(ignored, key+" is not a string; ignored")
		}
		return s
	}
	t.Server = server
	if err := json.Unmarshal(f["name"], &t.Name); err != nil || t.Name == "" {
		t.Name = ""
		return t, nil, errors.New("it has no name")
	}
	if len(t.Name) > MaxToolName || registry.Printable(t.Name, MaxToolName) != t.Name {
		t.Name = registry.Printable(t.Name, 40)
		return t, nil, fmt.Errorf("its name has unprintable characters or more than %d bytes", MaxToolName)
	}
	t.ID = registry.ToolID(server, t.Name)
	t.Title, t.Description = text("title"), text("description")
	if t.Input, err = schema(f["inputSchema"]); err != nil {
		return t, nil, fmt.Errorf("inputSchema: %w", err)
	}
	if t.Input == nil {
		t.Input = json.RawMessage("{}")
	}
	if t.Output, err = schema(f["outputSchema"]); err != nil {
		ignored = append(ignored, fmt.Sprintf("outputSchema: %v; ignored", err))
	}
	t.Annotations = annotations(f["annotations"], &ignored)
	if t.Title == "" && t.Annotations != nil {
		t.Title = t.Annotations.Title
	}
	t.Hash = t.ComputeHash()
	return t, ignored, nil
}

// schema returns a JSON Schema without white space, with its keys in the server's order, or nil
// for an empty one.
func schema(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] != '{' && raw[0] != 't' && raw[0] != 'f' {
		return nil, errors.New("not a JSON Schema: want an object")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// annotations decodes the hints one by one. A malformed hint counts as absent, which never makes
// a tool look safer than declared.
func annotations(raw json.RawMessage, ignored *[]string) *registry.Annotations {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var f map[string]json.RawMessage
	if json.Unmarshal(raw, &f) != nil {
		*ignored = append(*ignored, "annotations are not an object; ignored")
		return nil
	}
	var a registry.Annotations
	bad := func(key string) {
		*ignored = append(*ignored, fmt.Sprintf("annotation %s is %.40s; ignored", key, f[key]))
	}
	if v, ok := f["title"]; ok && json.Unmarshal(v, &a.Title) != nil {
		bad("title")
	}
	for _, h := range []struct {
		key string
		to  **bool
	}{
		{"readOnlyHint", &a.ReadOnly}, {"destructiveHint", &a.Destructive},
		{"idempotentHint", &a.Idempotent}, {"openWorldHint", &a.OpenWorld},
	} {
		if v, ok := f[h.key]; ok {
			if json.Unmarshal(v, h.to) != nil {
				*h.to = nil
				bad(h.key)
			}
		}
	}
	if a == (registry.Annotations{}) {
		return nil
	}
	return &a
}

// repeated returns the duplicate keys of the first object in a value that has any, or nil.
// Readers of such an object disagree about which value counts.
func repeated(v *jsontree.Value) []string {
	keys := v.Twice
	for i := 0; i < len(v.Items) && keys == nil; i++ {
		keys = repeated(v.Items[i])
	}
	return keys
}
