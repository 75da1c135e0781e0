package discovery

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry"
)

// sets are the development sets; "all" is their union, in this order.
var sets = []string{"azure_mcp_head", "mongodb_mcp", "api_bank"}

// registryOf returns the tools of some development sets in the order and with
// the IDs of the reference, which a file's registry would sort.
func registryOf(t testing.TB, names ...string) *registry.Registry {
	t.Helper()
	reg := &registry.Registry{}
	for _, name := range names {
		readLines(t, filepath.Join("testdata", name, "tools.jsonl"), func(line []byte) error {
			var tool struct {
				ID, Server, Name, Description string
				Input                         json.RawMessage `json:"input_schema"`
			}
			err := json.Unmarshal(line, &tool)
			reg.Tools = append(reg.Tools, registry.Tool{
				ID: tool.ID, Server: tool.Server, Name: tool.Name, Description: tool.Description, Input: tool.Input,
			})
			return err
		})
	}
	return reg
}

func readLines(t testing.TB, path string, line func([]byte) error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := line(lines.Bytes()); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func indexOf(t testing.TB, opts *Options, names ...string) *Index {
	t.Helper()
	ix, err := New(registryOf(t, names...), opts)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// reference is golden.json: what the reference implementation answers.
type reference struct {
	Tokeniser []struct {
		Text string
		BM25 []string
	}
	Pipeline, PipelineAll []referenceQuery
}

type referenceQuery struct {
	Set, Query, Cut string
	Terms           []string `json:"bm25_terms"`
	Norm            *string
	Head, Verbs     []string
	Hint            map[string][2]float64
	Top             []struct {
		ID       string
		BM25     *float64
		Fused    float64
		Features []float64
		Score    float64
	}
	Right, Found float64
	Verdict      Verdict
}

var golden = sync.OnceValues(func() (*reference, error) {
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		return nil, err
	}
	r := &struct {
		reference
		PipelineAll []referenceQuery `json:"pipeline_all"`
	}{}
	err = json.Unmarshal(data, r)
	r.reference.PipelineAll = r.PipelineAll
	return &r.reference, err
})

func readGolden(t testing.TB) *reference {
	t.Helper()
	g, err := golden()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTermsEqualTheReference(t *testing.T) {
	for _, c := range readGolden(t).Tokeniser {
		if diff := cmp.Diff(c.BM25, referenceTables().terms(c.Text)); diff != "" {
			t.Errorf("%q (-reference +got):\n%s", c.Text, diff)
		}
	}
}

func TestRankingEqualsTheReference(t *testing.T) {
	indexes := map[string]*Index{"all": indexOf(t, &Options{reference: true}, sets...)}
	for _, s := range sets {
		indexes[s] = indexOf(t, &Options{reference: true}, s)
	}
	g := readGolden(t)
	for _, want := range append(g.Pipeline, g.PipelineAll...) {
		t.Run(want.Set+"/"+want.Query, func(t *testing.T) { compareQuery(t, indexes[want.Set], want) })
	}
}

func compareQuery(t *testing.T, ix *Index, want referenceQuery) {
	q := ix.ask(t.Context(), want.Query)
	defer q.done()
	if q.rest != want.Cut {
		t.Errorf("cut phrase %q, reference %q", q.rest, want.Cut)
	}
	if want.Terms != nil {
		if diff := cmp.Diff(want.Terms, ix.t.terms(q.rest)); diff != "" {
			t.Errorf("terms (-reference +got):\n%s", diff)
		}
	}
	if want.Norm != nil {
		if got := ix.t.normalise(q.rest); got != *want.Norm {
			t.Errorf("normalised %q, reference %q", got, *want.Norm)
		}
		if diff := cmp.Diff(distinct(want.Head), append([]string{}, q.head...)); diff != "" {
			t.Errorf("head (-reference +got):\n%s", diff)
		}
	}
	ranked := q.rank(nil)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-3 {
			t.Errorf("%s is %.5f, reference %.5f", what, got, want)
		}
	}
	for i, w := range want.Top {
		c := ranked[i]
		if id := ix.id(c.tool); id != w.ID {
			t.Errorf("candidate %d is %s, reference %s", i, id, w.ID)
			continue
		}
		if w.BM25 != nil {
			near(w.ID+" BM25", float64(q.bm[c.tool]), *w.BM25)
		}
		near(w.ID+" fused", c.fused, w.Fused)
		for f, v := range w.Features {
			near(w.ID+" "+featureNames[f], c.features[f], v)
		}
		near(w.ID+" score", c.score, w.Score)
	}
	right, found := ix.t.confidence.judge(ranked)
	near("right", right, want.Right)
	near("found", found, want.Found)
	if got := ix.t.confidence.verdict(right, found, ix.t.confidence.resolved); got != want.Verdict {
		t.Errorf("verdict %s, reference %s", got, want.Verdict)
	}
	for server, w := range want.Hint {
		got := mention{}
		for i := range ix.reg.Tools {
			if ix.reg.Tools[i].Server == server {
				got = q.mention(int32(i))
			}
		}
		near(server+" srv", got.plain, w[0])
		near(server+" srv_cue", got.cued, w[1])
	}
}

func TestTablesNameTheVerbsOfTheReference(t *testing.T) {
	var f fusionFile
	if err := json.Unmarshal(fusionJSON, &f); err != nil {
		t.Fatal(err)
	}
	for _, want := range readGolden(t).Pipeline {
		var got []string
		norm := referenceTables().normalise(embed.Fold(want.Cut))
		classes, _ := referenceTables().phraseVerb(norm)
		for _, c := range classes {
			got = append(got, f.VerbClasses[c].key)
		}
		if diff := cmp.Diff(append([]string{}, want.Verbs...), append([]string{}, got...)); diff != "" {
			t.Errorf("verbs of %q (-reference +got):\n%s", want.Query, diff)
		}
	}
}
