package discovery_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/discovery"
)

func TestMicroSchemaSaysTypesRequiredEnumItemsAndDefault(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"path":{"type":"string","description":"Where."},"depth":{"type":"integer","default":1},
		  "sort":{"type":"string","enum":["name","size"]},"tags":{"type":"array","items":{"type":"string"}}},"required":["path"]}`: `{"p":{"depth":{"d":1,"t":"i"},"path":"s","sort":{"e":["name","size"]},"tags":{"i":"s","t":"a"}},"r":["path"]}`,
		// What MCP servers in Python write for Optional[str] and for models.
		`{"properties":{"q":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"who":{"$ref":"#/$defs/Who"}},
		  "$defs":{"Who":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}`: `{"p":{"q":"s|z","who":{"p":{"name":"s"},"r":["name"],"t":"o"}}}`,
		`{"type":"object","properties":{"x":{"oneOf":[{"type":"object","properties":{"a":{"const":"k"}}},{"type":"array","items":{"type":"number"}}]}}}`: `{"p":{"x":{"i":"n","p":{"a":{"e":["k"]}},"t":"o|a"}}}`,
		// A type that contains itself.
		`{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}}}`: `{"p":{"next":{"p":{"next":{"p":{"next":"o"},"t":"o"}},"t":"o"}}}`,
		`{}`: `{}`, `true`: `{}`, ``: `{}`, `{"type":"object","properties":{"x":true}}`: `{"p":{"x":"*"}}`,
	} {
		if got := string(discovery.MicroOf(json.RawMessage(schema))); got != want {
			t.Errorf("%s:\n%s, want\n%s", schema, got, want)
		}
	}
}

func TestCompactSchemaDropsOnlyWhatIsThereToBeRead(t *testing.T) {
	const schema = `{"$schema":"x","title":"T","type":"object","description":"D",
		"properties":{"description":{"type":"string","description":"d"},"title":{"enum":[{"title":"kept"}]},"n":{"type":"number","default":1.50}},
		"required":["title"],"examples":[1]}`
	const want = `{"properties":{"description":{"type":"string"},"n":{"default":1.50,"type":"number"},"title":{"enum":[{"title":"kept"}]}},"required":["title"],"type":"object"}`
	if got := string(discovery.Compact(json.RawMessage(schema))); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestMicroSchemasCostLittle holds the short forms to what they are for, on
// the tools of public servers, counted in cl100k; and the estimate of tokens.
func TestMicroSchemasCostLittle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("counts tokens, of one tool after another")
	}
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	reg := publicTools(t)
	ix, err := discovery.New(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	var micro, compact []float64
	counted, estimated := 0, 0
	for i := range reg.Tools {
		if i%2 == 1 { // half of them say as much
			continue
		}
		var n [3]int
		for k, d := range []discovery.Detail{discovery.FullSchema, discovery.CompactSchema, discovery.MicroSchema} {
			e := ix.Entry(int32(i), d)
			estimated += e.Tokens
			e.Tokens = 0
			b, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if n[k], err = enc.Count(string(b)); err != nil {
				t.Fatal(err)
			}
			counted += n[k]
		}
		compact = append(compact, float64(n[1])/float64(n[0]))
		micro = append(micro, float64(n[2])/float64(n[0]))
	}
	slices.Sort(micro)
	slices.Sort(compact)
	half := len(micro) / 2
	off := float64(estimated)/float64(counted) - 1
	t.Logf("of %d tools, median of full_schema's tokens: compact_schema %.2f, micro_schema %.2f; the estimate is off "+
		"by %+.1f %%", len(micro), compact[half], micro[half], 100*off)
	if micro[half] > .4 {
		t.Errorf("micro_schema takes %.2f of full_schema's tokens, want at most .40", micro[half])
	}
	if off < -.1 || off > .1 {
		t.Errorf("the estimate of tokens is off by %+.1f %%, want 10 at most", 100*off)
	}
}

// Schemas come from servers: whatever they are, their short forms are JSON and
// not longer than a bound.
func FuzzShortSchemas(f *testing.F) {
	for _, s := range []string{`{"type":"object"}`, `{"$ref":"#"}`, `{"$ref":"#/a","a":{"$ref":"#/a"}}`,
		`{"anyOf":[{"$ref":"#/x"}],"x":{"items":{"$ref":"#/x"}}}`, `{"enum":1}`, `{"type":["string",null]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		if got := discovery.MicroOf(schema); !json.Valid(got) {
			t.Errorf("micro: %s", got)
		}
		if got := discovery.Compact(schema); len(got) > 0 && !json.Valid(got) {
			t.Errorf("compact: %s", got)
		}
		discovery.ExamplesIn(schema)
	})
}
