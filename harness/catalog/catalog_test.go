package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers/observe"
)

func TestACatalogIsSharedByThoseWhoseResultsAreLearntApart(t *testing.T) {
	yes := true
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "notes", Name: "search_notes",
		Description: "Search the notes for words and list what matches",
		Input:       json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
		Annotations: &registry.Annotations{ReadOnly: &yes}}}}
	reg.Normalize()
	cat := &Catalog{Registry: reg, Shapes: observe.New("")}
	result := []byte(`{"structuredContent":{"found":["a"]}}`)
	var stores []*observe.Store
	for range 2 * maxOthers {
		stores = append(stores, observe.New(""))
	}
	for range 5 {
		stores[0].Observe("notes.search_notes", result, true)
	}
	doc := func(c *Catalog) string {
		t.Helper()
		d, err := c.Describe([]string{"notes.search_notes"}, discovery.Go)
		if err != nil || len(d.Tools) != 1 {
			t.Fatal(d, err)
		}
		return d.Tools[0].Signature
	}
	first := cat.Apart(stores[0], nil)
	for _, store := range stores {
		c := cat.Apart(store, nil)
		if c != cat.Apart(store, nil) || len(cat.others) > maxOthers {
			t.Fatalf("another one at once, or %d of them", len(cat.others))
		}
		if got := strings.Contains(doc(c), "Found []string"); got != (store == stores[0]) {
			t.Errorf("typed: %v", got)
		}
		if c.index != first.index || c.schemas != first.schemas {
			t.Fatal("indexed again")
		}
		cat.Apart(stores[0], nil) // is in use
	}
	if cat.Apart(stores[0], nil) != first || cat.Apart(cat.Shapes, nil) != cat {
		t.Error("one in use was dropped")
	}
}
