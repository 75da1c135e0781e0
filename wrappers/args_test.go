package wrappers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFieldsAreDocumentedFromTheDescription(t *testing.T) {
	properties := map[string]bool{"query": true, "max_results": true, "tags": true}
	for _, c := range []struct {
		name, description string
		docs              map[string]string
		rest              string
	}{
		{"Args of Python", "Search.\n\n    Args:\n        query: What to\n            look for\n        max_results (int, " +
			"optional): At most so many\n\n    Returns:\n        query: not this one\n",
			map[string]string{"query": "What to look for", "max_results": "At most so many"},
			"Search.\n\n    Returns:\n        query: not this one"},
		{"bullets at the margin", "Run.\n\nParameters:\n- query: first\n- **tags** (list): second\nMore text.",
			map[string]string{"query": "first", "tags": "second"}, "Run.\n\nMore text."},
		{"what is not understood stays", "Run.\nArgs:\n  something else entirely\n  query: first",
			map[string]string{"query": "first"}, "Run.\nArgs:\n  something else entirely\n  query: first"},
		{"the word in a sentence", "Extracts - Parameters, fields, args: all of them", nil,
			"Extracts - Parameters, fields, args: all of them"},
	} {
		docs, rest := splitArgs(c.description, properties)
		if diff := cmp.Diff(c.docs, docs); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
		if rest != c.rest {
			t.Errorf("%s: rest %q, want %q", c.name, rest, c.rest)
		}
	}
}

func TestPythonServersHaveDocumentedFields(t *testing.T) {
	v := NewView(realServers(t))
	documented, all := 0, 0
	for _, name := range []string{"redis", "meta-ads", "yfinance", "chroma", "google-ads"} {
		s, ok := v.Server(name)
		if !ok {
			t.Fatal(name)
		}
		s.load()
		for _, tl := range s.Tools {
			if tl.input == nil {
				continue
			}
			for _, f := range tl.input.fields {
				all++
				if f.doc != "" {
					documented++
				}
			}
		}
	}
	if documented*100 < all*95 {
		t.Errorf("%d of %d fields have a comment, want 95 %%", documented, all)
	}
	t.Logf("%d of %d fields documented", documented, all)
}
