//go:build slow

package wrappers

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry/text"
)

// TestTheGoViewCostsLessThanTheSchema counts tokens (cl100k) of what a model
// reads of each real tool: the JSON that a tools/list sends (name,
// description, schemas), the Go code that says how to call it, and that code
// with its documentation.
func TestTheGoViewCostsLessThanTheSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("counts tokens, in one goroutine")
	}
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	count := func(s string) float64 {
		n, err := enc.Count(s)
		if err != nil {
			t.Fatal(err)
		}
		return float64(n)
	}
	reg := realServers(t)
	ix, err := discovery.New(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	levels := []discovery.Detail{discovery.NameOnly, discovery.NameDescription, discovery.MicroSchema,
		discovery.CompactSchema, discovery.FullSchema}
	atLevel := map[discovery.Detail][]float64{}
	var code, doc, whole []float64
	var counted, estimated float64
	for _, s := range NewView(reg).Servers() {
		for _, tl := range s.Tools {
			schema, err := json.Marshal(struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Input       json.RawMessage `json:"inputSchema"`
				Output      json.RawMessage `json:"outputSchema,omitempty"`
			}{tl.Name, tl.Description, tl.Input, tl.Output})
			if err != nil {
				t.Fatal(err)
			}
			n, d := count(string(schema)), tl.Doc()
			for _, level := range levels {
				shown, err := ix.Describe([]string{tl.ID}, level)
				if err != nil || len(shown.Tools) == 0 {
					t.Fatalf("%s: %v", tl.ID, err)
				}
				j, err := json.Marshal(shown.Tools[0])
				if err != nil {
					t.Fatal(err)
				}
				atLevel[level] = append(atLevel[level], count(string(j)))
			}
			whole = append(whole, count(d))
			code = append(code, count(tl.Show(Types))/n)
			doc = append(doc, count(d)/n)
			counted += count(d)
			estimated += float64(text.Tokens(d))
		}
	}
	slices.Sort(code)
	slices.Sort(doc)
	half := len(code) / 2
	t.Logf("tokens of a tool, median and sum:")
	for _, level := range levels {
		t.Logf("  %-17s %5.0f %7.0f", level, median(atLevel[level]), sum(atLevel[level]))
	}
	t.Logf("  %-17s %5.0f %7.0f", "go", median(whole), sum(whole))
	t.Logf("of the schema's tokens, median: code %.2f, with doc %.2f; estimate off by %+.1f %%", code[half], doc[half],
		100*(estimated/counted-1))
	if code[half] > 0.6 || doc[half] > 0.75 {
		t.Errorf("code %.2f, with doc %.2f of the schema's tokens, want at most 0.60 and 0.75", code[half], doc[half])
	}
	if off := math.Abs(estimated/counted - 1); off > 0.05 {
		t.Errorf("the estimate of tokens is off by %.1f %%", 100*off)
	}
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}
