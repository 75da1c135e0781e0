package registry_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/usetools/usetools/registry"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ text, line, text2 string }{
		{"plain ünïcode 日本", "plain ünïcode 日本", "plain ünïcode 日本"},
		{"two\nlines\tand", "two lines and", "two\nlines\tand"},
		{"\x1b[31mred\a", "\ufffd[31mred\ufffd", "\ufffd[31mred\ufffd"},
		{"\u009b2J", "\ufffd2J", "\ufffd2J"},
		{"a\u202eb\u2066c", "a\ufffdb\ufffdc", "a\ufffdb\ufffdc"},
		{"a\u200bb\ufeffc\u2060d\u00ade", "abcde", "abcde"},
		{"tag\U000e0041\U000e0042s", "tags", "tags"},
		{"⚠\ufe0f \u3164x", "⚠ x", "⚠ x"},
		{"a\u2028b\u00a0c", "a b c", "a b c"},
		{"bad \xff", "bad \ufffd", "bad \ufffd"},
		{"12345678901234567890123", "12345678901234567890…", "12345678901234567890…"},
	} {
		if got := registry.Printable(c.text, 20); got != c.line {
			t.Errorf("Printable(%q) = %q, want %q", c.text, got, c.line)
		}
		if got := registry.PrintableText(c.text, 20); got != c.text2 {
			t.Errorf("PrintableText(%q) = %q, want %q", c.text, got, c.text2)
		}
	}
}

func FuzzPrintableJSON(f *testing.F) {
	f.Add("a\u202eb\U000e0041\u009b", "\u200b")
	f.Add("\x7f", "0")
	f.Fuzz(func(t *testing.T, key, value string) {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]string{key: value}); err != nil {
			t.Skip("no strings that JSON has")
		}
		out := registry.PrintableJSON([]byte(strings.TrimSpace(b.String())))
		var was, is map[string]string
		if json.Unmarshal([]byte(b.String()), &was) != nil || json.Unmarshal(out, &is) != nil || !reflect.DeepEqual(was, is) {
			t.Errorf("%q became %q", b.String(), out)
		}
		for _, r := range string(out) {
			if registry.Invisible(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) {
				t.Errorf("%U is left in %q", r, out)
			}
		}
	})
}

func TestShownRegistryIsPrintableAndTheFileIsNot(t *testing.T) {
	const bad = "x\u202e\x1b\u200by"
	r := &registry.Registry{
		Servers: []registry.Server{{Name: "s", Title: bad, Instructions: bad, Error: ptr(bad), Problems: []string{bad}}},
		Tools: []registry.Tool{{Server: "s", Name: "a", Title: bad, Description: bad + strings.Repeat("long ", 10_000),
			Error: bad,
			Input: json.RawMessage(`{"description":"x\u202ey"}`), Annotations: &registry.Annotations{Title: bad}}},
	}
	r.Tools[0].Input = json.RawMessage("{\"description\":\"x\u202ey\"}")
	r.Normalize()
	p := r.Printable()
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(data), "\u202e\x1b\u200b") || strings.Contains(string(data), "001b") ||
		len(data) > 40_000 {
		t.Errorf("shown, in %d bytes: %.300q", len(data), data)
	}
	if r.Tools[0].Title != bad || *r.Servers[0].Error != bad || p.Tools[0].Hash != r.Tools[0].Hash {
		t.Error("the registry itself was changed")
	}
	if p.Printable() != p {
		t.Error("what is printable is copied again")
	}
	if _, ok := p.Tool("s.a"); !ok {
		t.Error("the tool is not found by its ID")
	}
}
