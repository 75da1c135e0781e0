package discovery_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/discovery/embed/remote"
	"github.com/usetools/usetools/registry"
)

// disguised starts an endpoint that thinks as the embedded model does, in
// other numbers: unrelated texts have a cosine of .5 in it.
func disguised(t testing.TB, asked *atomic.Int32, down *atomic.Bool) discovery.Embedder {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var in struct{ Prompt string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		v := embed.Default().Embed(in.Prompt)
		for i := range v {
			v[i] *= float32(math.Sqrt(.5))
		}
		json.NewEncoder(w).Encode(map[string]any{"embedding": append(v, float32(math.Sqrt(.5)))})
	}))
	t.Cleanup(s.Close)
	e, err := remote.Open(remote.Config{Type: remote.Ollama, Model: "disguised", URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAnotherEmbedderIsBroughtToScale(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	var down atomic.Bool
	e := disguised(t, &asked, &down)
	reg := registryOf(t, "mongodb_mcp")
	if err := discovery.EmbedWith(e)(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	ix, err := discovery.New(reg, &discovery.Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	if slope, offset := ix.Scale(); math.Abs(float64(slope)-2) > .01 || math.Abs(float64(offset)+1) > .01 {
		t.Errorf("cosines become %g x + %g, want 2 x - 1", slope, offset)
	}
	plain := indexOf(t, nil, "mongodb_mcp")
	for _, q := range queriesOf(t, "mongodb_mcp")[:40] {
		a, b := resolve(t, ix, q.Query, nil), resolve(t, plain, q.Query, nil)
		if a.Verdict != b.Verdict || a.Tool != b.Tool || math.Abs(a.Confidence-b.Confidence) > .05 {
			t.Errorf("%q: %s %s %.2f, embedded: %s %s %.2f", q.Query, a.Verdict, a.Tool, a.Confidence, b.Verdict, b.Tool,
				b.Confidence)
		}
	}
	if _, err := ix.Search(discovery.Query{Text: "list collections"}); err != nil {
		t.Error(err)
	}
	down.Store(true)
	const fresh = "which collections does this database have"
	r := resolve(t, ix, fresh, nil)
	if want := resolve(t, plain, fresh, nil); r.Tool != want.Tool || r.Confidence != want.Confidence ||
		!strings.Contains(r.Note, "was used instead") {
		t.Errorf("when it is down: %+v, want %+v with a note", r, want)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := ix.ResolveContext(canceled, "another phrase", nil); err != nil || r.Note == "" {
		t.Errorf("canceled: %+v, %v", r, err)
	}
}

func TestVectorsOfTwoEmbeddersAreNeverMixed(t *testing.T) {
	var asked atomic.Int32
	var down atomic.Bool
	e := disguised(t, &asked, &down)
	reg := &registry.Registry{Tools: slices.Clone(gitTools)}
	reg.Normalize()
	refused := func(when string) {
		t.Helper()
		var wrong *discovery.EmbedderError
		if _, err := discovery.New(reg, &discovery.Options{Embedder: e}); !errors.As(err, &wrong) ||
			!strings.Contains(err.Error(), "build-registry") {
			t.Errorf("%s: error %v", when, err)
		}
	}
	refused("without vectors")
	if err := discovery.EmbedTools(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	refused("with the embedded model's")
	if err := discovery.EmbedWith(e)(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	if want := (registry.Embedder{Name: "ollama:disguised", Dimensions: 193, Encoding: "f32",
		SHA256: e.Identity().SHA256}); *reg.Embedder != want {
		t.Errorf("noted as %+v, want %+v", *reg.Embedder, want)
	}
	if n := asked.Load(); int(n) != len(gitTools) {
		t.Errorf("%d requests for %d tools", n, len(gitTools))
	}
	reg.Tools[2].Embedding = nil // as a tool that changed
	if err := discovery.EmbedWith(e)(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	if n := asked.Load(); int(n) > len(gitTools)+1 {
		t.Errorf("%d requests, unchanged tools are asked for again", n)
	}
	if _, err := discovery.New(reg, &discovery.Options{Embedder: e}); err != nil {
		t.Error(err)
	}
	reg.Tools[2].Embedding = reg.Tools[2].Embedding[:8]
	refused("with a damaged vector")
	reg.Embedder.SHA256 = "of another address"
	refused("of a model elsewhere")
	down.Store(true)
	if err := discovery.EmbedWith(remoteAt(t, "http://127.0.0.1:1"))(t.Context(),
		&registry.Registry{Tools: slices.Clone(gitTools[:1])}); err == nil {
		t.Error("a registry is embedded by nobody")
	}
	if err := discovery.EmbedWith(nil)(t.Context(), reg); err != nil || *reg.Embedder != embed.Identity() {
		t.Errorf("back to the embedded model: %+v, %v", reg.Embedder, err)
	}
	if _, err := discovery.New(&registry.Registry{}, &discovery.Options{Embedder: e}); err != nil {
		t.Errorf("an empty registry: %v", err)
	}
}

func remoteAt(t testing.TB, url string) discovery.Embedder {
	t.Helper()
	e, err := remote.Open(remote.Config{Type: remote.Ollama, Model: "m", URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
