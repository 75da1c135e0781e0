package schema

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// A made-up answer is one that the tool's schema allows: the script reads it as its
// own type.
func TestAnExampleFitsItsSchema(t *testing.T) {
	for raw, want := range map[string]string{
		`{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}`: `{"id":1,"name":"text"}`,
		`{"type":"integer","minimum":1.5}`:                                             `2`,
		`{"type":"integer","exclusiveMinimum":7}`:                                      `8`,
		`{"type":"number","maximum":0.5}`:                                              `0.5`,
		`{"type":"array","items":{"type":"boolean"},"minItems":2}`:                     `[true,true]`,
		`{"type":["null","string"],"maxLength":2}`:                                     `"te"`,
		`{"type":"string","minLength":6}`:                                              `"textxx"`,
		`{"enum":["b","a"]}`:                                                           `"b"`,
		`{"anyOf":[{"type":"null"},{"type":"boolean"}]}`:                               `true`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"boolean"}}}`:                        `true`,
		`{"type":"object","properties":{"at":{"format":"date-time","type":"string"}}}`: `{"at":"2026-01-01T00:00:00Z"}`,
	} {
		got := Example(json.RawMessage(raw))
		if string(got) != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
		var s jsonschema.Schema
		var v any
		if err := json.Unmarshal([]byte(raw), &s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(raw, err)
		}
		if err := json.Unmarshal(got, &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestAnExampleEndsWhereTheSchemaDoesNot(t *testing.T) {
	for raw, none := range map[string]bool{
		`{"$ref":"#"}`: false, `{"type":"array","minItems":10,"items":{"$ref":"#"}}`: false, `nonsense`: true, ``: true,
	} {
		if got := Example(json.RawMessage(raw)); (got == nil) != none {
			t.Errorf("%s: %.100s", raw, got)
		}
	}
}
