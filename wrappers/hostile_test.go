package wrappers_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

// What a server writes cannot make its package look like another one than it
// is: not in comments, tags, literals or names.
func TestGeneratedSourceHidesNothing(t *testing.T) {
	const bad = "a\u202e\u2066\u200b\u3164\ufe0f\U000e0041b"
	schema, err := json.Marshal(map[string]any{"type": "object", "required": []string{bad}, "properties": map[string]any{
		bad: map[string]any{"type": "string", "description": bad + "\n*/ code()", "enum": []string{bad, "x"},
			"default": bad},
		"nested": map[string]any{"type": "object", "title": bad,
			"properties": map[string]any{bad: map[string]any{"const": bad}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := &registry.Registry{Tools: []registry.Tool{{Server: "s", Name: "t", Title: bad, Description: "first\n" + bad,
		Input: schema, Output: schema, Held: true}}}
	r.Normalize()
	s, _ := wrappers.NewView(r).Server("s")
	tool := s.Tools[0]
	for name, text := range map[string]string{
		"source": s.Source(s.Tools, true), "of workers": s.Source(s.Tools, false), "line": tool.Line(),
		"sketch": tool.Sketch(8), "doc": tool.Doc(),
		"types": tool.Show(wrappers.Types), "brief": tool.Show(wrappers.Brief), "said": tool.AttributedDescription(),
	} {
		for _, c := range text {
			if registry.Invisible(c) || unicode.Is(unicode.Bidi_Control, c) {
				t.Errorf("%s has %U: %s", name, c, text)
				break
			}
		}
	}
	doc, source := tool.Doc(), s.Source(s.Tools, true)
	if !strings.Contains(doc, registry.Waits) || !strings.Contains(source, registry.Waits) ||
		!strings.Contains(source, "// The server says:") {
		t.Errorf("not marked:\n%s\n%s", doc, source)
	}
}
