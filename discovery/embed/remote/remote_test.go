package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// endpoint answers with the vector that answer gives for a text, in the form
// of both types.
func endpoint(t testing.TB, answer func(r *http.Request, text string) any) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Model, Prompt, Input string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "m" ||
			!strings.HasSuffix(r.URL.Path, "/embeddings") {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		v := answer(r, in.Prompt+in.Input)
		if status, failed := v.(int); failed {
			w.WriteHeader(status)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"embedding": v, "data": []any{map[string]any{"embedding": v}}})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func open(t testing.TB, c Config) *Embedder {
	t.Helper()
	e, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	e.pause = 0
	return e
}

func TestEndpointsOfBothTypesMakeUnitVectors(t *testing.T) {
	t.Setenv("MY_KEY", "s3cret")
	url := endpoint(t, func(r *http.Request, text string) any {
		if want := map[bool]string{true: "Bearer s3cret"}[strings.HasPrefix(r.URL.Path,
			"/v1")]; r.Header.Get("Authorization") != want {
			return http.StatusUnauthorized
		}
		return []float32{3 * float32(len(text)), 4 * float32(len(text)), 0}
	})
	for _, c := range []Config{
		{Type: Ollama, Model: "m", URL: url + "/api/"},
		{Type: OpenAI, Model: "m", URL: url + "/v1", APIKeyEnv: "MY_KEY"},
	} {
		e := open(t, c)
		if id := e.Identity(); id.Dimensions != 0 || id.Encoding != "f32" || id.Name != c.Type+":m" {
			t.Errorf("before: %+v", id)
		}
		got, err := e.Embed(t.Context(), []string{"one", "three", "one"})
		if err != nil {
			t.Fatal(err)
		}
		unit := []float32{.6, .8, 0}
		if diff := cmp.Diff([][]float32{unit, unit, unit}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Type, diff)
		}
		if id := e.Identity(); id.Dimensions != 3 {
			t.Errorf("after: %+v", id)
		}
	}
	if a, b := open(t, Config{Type: Ollama, Model: "m"}),
		open(t, Config{Type: Ollama, Model: "m", URL: url}); a.Identity() == b.Identity() {
		t.Error("a model of that name elsewhere has the same identity")
	}
}

func TestEqualTextsAreAskedForOnce(t *testing.T) {
	var asked atomic.Int32
	e := open(t, Config{Type: Ollama, Model: "m", Parallel: 3, URL: endpoint(t, func(*http.Request, string) any {
		asked.Add(1)
		return []float32{1}
	})})
	for range 3 {
		if _, err := e.Embed(t.Context(), []string{"a", "b", "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests for two texts", n)
	}
	for i := range 3 * maxKnown {
		if _, err := e.Embed(t.Context(), []string{fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.known) > maxKnown {
		t.Errorf("%d vectors are kept", len(e.known))
	}
}

func TestBuildRepeatsWhatFailsAPhraseDoesNot(t *testing.T) {
	var asked atomic.Int32
	e := open(t, Config{Type: Ollama, Model: "m", Parallel: 1, URL: endpoint(t, func(*http.Request, string) any {
		if asked.Add(1)%3 != 0 {
			return http.StatusTooManyRequests
		}
		return []float32{1}
	})})
	if _, err := e.Embed(t.Context(), []string{"a", "b"}); err != nil || asked.Load() != 6 {
		t.Errorf("%d requests, %v", asked.Load(), err)
	}
	if _, err := e.Embed(t.Context(), []string{"c"}); err == nil || !strings.Contains(err.Error(), "429") ||
		!strings.Contains(err.Error(), "ollama:m") {
		t.Errorf("error %v", err)
	}
}

func TestUnusableVectorsAreRefused(t *testing.T) {
	for want, answer := range map[string]any{
		"is zero":                   []float32{0, 0},
		"the limit is 8192":         make([]float32, maxDimensions+1),
		"has no vector":             []float32{},
		"reading its answer":        "text",
		"500 Internal Server Error": http.StatusInternalServerError,
	} {
		e := open(t, Config{Type: OpenAI, Model: "m", URL: endpoint(t, func(*http.Request, string) any { return answer })})
		_, err := e.Embed(t.Context(), []string{"a"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	e := open(t, Config{Type: Ollama, Model: "m", URL: endpoint(t, func(_ *http.Request, text string) any {
		return make([]int, len(text))
	})})
	e.dims = 2
	if err := e.keep("a", []float32{1, 0, 0}); err == nil ||
		!strings.Contains(err.Error(), "3 dimensions, but the first had 2") {
		t.Errorf("another dimension: %v", err)
	}
	if err := e.keep("a", []float32{1, float32(math.NaN())}); err == nil {
		t.Error("a vector with NaN is kept")
	}
}

func TestSilentEndpointHasADeadline(t *testing.T) {
	release := make(chan struct{})
	url := endpoint(t, func(*http.Request, string) any { <-release; return []float32{1} })
	t.Cleanup(func() { close(release) })
	e := open(t, Config{Type: Ollama, Model: "m", URL: url, Timeout: "20ms"})
	if _, err := e.Embed(t.Context(), []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e.timeout, e.pause = time.Minute, time.Minute
	if _, err := e.Embed(ctx, []string{"a", "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestFailuresOfAnEndpointHoldNoSecrets(t *testing.T) {
	t.Setenv("MY_KEY", "s3cret-s3cret")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Location"] = []string{"/v1/" + r.Header.Get("Authorization") + "\x7f%zz"}
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	t.Cleanup(s.Close)
	for _, base := range []string{s.URL + "/v1", "http://me:s3cret@127.0.0.1:1/s3crets3crets3cret/v1"} {
		_, err := open(t, Config{Type: OpenAI, Model: "m", URL: base, APIKeyEnv: "MY_KEY"}).Embed(t.Context(), []string{"a"})
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("error %v", err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Setenv("MY_KEY", "s3cret-s3cret")
	var asked atomic.Int32
	other := endpoint(t, func(*http.Request, string) any { asked.Add(1); return []float32{1} })
	for _, code := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other+r.URL.Path, code)
		}))
		t.Cleanup(s.Close)
		for _, c := range []Config{{Type: Ollama, Model: "m", URL: s.URL},
			{Type: OpenAI, Model: "m", URL: s.URL, APIKeyEnv: "MY_KEY"}} {
			if _, err := open(t, c).Embed(t.Context(), []string{"private"}); err == nil ||
				!strings.Contains(err.Error(), "a redirect") {
				t.Errorf("%d: error %v", code, err)
			}
		}
	}
	if asked.Load() > 0 {
		t.Error("another port got the text")
	}
}

func TestWrongConfigsSayWhatIsPossible(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("EMPTY_KEY", "")
	for want, c := range map[string]Config{
		"no model":                {Type: Ollama},
		`want "ollama"`:           {Type: "cohere", Model: "m"},
		"must be http or https":   {Type: Ollama, Model: "m", URL: "ftp://x"},
		"the scheme of the url":   {Type: Ollama, Model: "m", URL: "http://user:hunter2@ x"},
		`timeout is "soon"`:       {Type: Ollama, Model: "m", Timeout: "soon"},
		"parallel is 65":          {Type: Ollama, Model: "m", Parallel: 65},
		`"OPENAI_API_KEY" has no`: {Type: OpenAI, Model: "m"},
		`"EMPTY_KEY" has no key`:  {Type: OpenAI, Model: "m", URL: "http://x", APIKeyEnv: "EMPTY_KEY"},
	} {
		if _, err := Open(c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: error %v, want %q in it", c, err, want)
		}
	}
}
