// Package remote makes vectors with a model in another process: Ollama, or a
// server with OpenAI's embeddings API.
//
// [Open] checks a config, but connects to nothing yet. Every text is one request
// through chromem-go's functions, several at a time, each with a deadline. A
// request for several texts comes from a build, and is retried twice if it fails.
// A request for a single text comes from a waiting caller, and is not retried.
// Vectors have length 1 and all the same dimensions. A registry stores the
// identity of the model with the vectors (see [Embedder.Identity]); vectors of two
// models are never compared.
package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/redact"
)

// The types of endpoints.
const (
	Ollama = "ollama"
	OpenAI = "openai"
)

// maxDimensions bounds a vector.
const maxDimensions = 8192

const (
	ollamaURL       = "http://localhost:11434/api"
	openAIURL       = "https://api.openai.com/v1"
	openAIKey       = "OPENAI_API_KEY"
	defaultTimeout  = 10 * time.Second
	defaultParallel = 8
	maxParallel     = 64
	attempts        = 3
	// maxKnown is how many vectors of texts are cached.
	maxKnown = 256
	// maxAnswer bounds a response, in bytes.
	maxAnswer = 4 << 20
)

// Config says which model to use, and its address, as in a config file:
//
//	{"type": "ollama", "model": "nomic-embed-text"}
//	{"type": "openai", "model": "text-embedding-3-small", "apiKeyEnv": "OPENAI_API_KEY"}
type Config struct {
	Type  string `json:"type"` // Ollama or OpenAI
	Model string `json:"model"`
	// URL is the base address, without "/embeddings". If empty, it is http://localhost:11434/api
	// or https://api.openai.com/v1.
	URL string `json:"url,omitempty"`
	// APIKeyEnv is the environment variable with the key for an OpenAI endpoint. If it is empty
	// and URL is too, it is OPENAI_API_KEY. If only it is empty, no key is sent.
	APIKeyEnv string `json:"apiKeyEnv,omitempty"`
	Timeout   string `json:"timeout,omitempty"`  // limit of one request; if empty, "10s"
	Parallel  int    `json:"parallel,omitempty"` // most simultaneous requests, 1 to 64; if zero, 8
}

// Embedder makes vectors with the model of a Config. It is safe for concurrent use.
type Embedder struct {
	id       registry.Embedder
	make     func(ctx context.Context, text string) ([]float32, error)
	timeout  time.Duration
	parallel int
	pause    time.Duration // before the second attempt; four times as long before the third
	hide     *redact.Redactor

	mu    sync.Mutex
	known map[string][]float32
	dims  int // 0 before the first vector
}

// Open returns the embedder of a config, or an error if the config is wrong. It does not connect:
// whether the endpoint answers shows with the first text.
func Open(c Config) (*Embedder, error) {
	e := &Embedder{timeout: defaultTimeout, parallel: cmp.Or(c.Parallel, defaultParallel), pause: 250 * time.Millisecond}
	if c.Model == "" {
		return nil, fmt.Errorf("embedder of type %q: no model; name one", c.Type)
	}
	if e.parallel < 1 || e.parallel > maxParallel {
		return nil, fmt.Errorf("embedder %q: parallel is %d, want 1 to %d", c.Model, c.Parallel, maxParallel)
	}
	if c.Timeout != "" {
		d, err := time.ParseDuration(c.Timeout)
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("embedder %q: timeout is %q, want a duration like \"10s\"", c.Model, c.Timeout)
		}
		e.timeout = d
	}
	base := strings.TrimRight(c.URL, "/")
	secrets := &redact.Secrets{URLs: []string{base}}
	if u, err := url.Parse(base); base != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return nil, fmt.Errorf("embedder %q: the scheme of the url must be http or https", c.Model)
	}
	switch c.Type {
	case Ollama:
		base = cmp.Or(base, ollamaURL)
		e.make = asking(base, "", c.Model, "prompt")
	case OpenAI:
		key, err := apiKey(c, base)
		if err != nil {
			return nil, err
		}
		secrets.Values = []string{key}
		base = cmp.Or(base, openAIURL)
		e.make = asking(base, key, c.Model, "input")
	default:
		return nil, fmt.Errorf("embedder %q: type is %q, want %q or %q", c.Model, c.Type, Ollama, OpenAI)
	}
	e.hide = redact.New(secrets)
	sum := sha256.Sum256([]byte(c.Type + "\n" + base + "\n" + c.Model))
	e.id = registry.Embedder{Name: c.Type + ":" + c.Model, Encoding: "f32", SHA256: hex.EncodeToString(sum[:])}
	return e, nil
}

// asking returns the function that requests one vector from an endpoint. field is the member of
// the request that has the text.
func asking(base, key, model, field string) func(context.Context, string) ([]float32, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, text string) ([]float32, error) {
		body, err := json.Marshal(map[string]string{"model": model, field: text})
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/embeddings", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		res, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		switch {
		case res.StatusCode/100 == 3:
			return nil, fmt.Errorf("it answered %d, a redirect; set the new address as the url if you trust it", res.StatusCode)
		case res.StatusCode != http.StatusOK:
			return nil, fmt.Errorf("it answered %d %s", res.StatusCode, http.StatusText(res.StatusCode))
		}
		var answer struct {
			Embedding []float32
			Data      []struct{ Embedding []float32 }
		}
		if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&answer); err != nil {
			return nil, fmt.Errorf("reading its answer: %w", err)
		}
		if len(answer.Data) > 0 {
			answer.Embedding = answer.Data[0].Embedding
		}
		if len(answer.Embedding) == 0 {
			return nil, errors.New("its answer has no vector")
		}
		return answer.Embedding, nil
	}
}

func apiKey(c Config, base string) (string, error) {
	name := c.APIKeyEnv
	if name == "" && base == "" {
		name = openAIKey
	}
	if name == "" {
		return "", nil
	}
	key := os.Getenv(name)
	if key == "" {
		return "", fmt.Errorf("embedder %q: the environment variable %q has no key; set it, or name another as apiKeyEnv",
			c.Model, name)
	}
	return key, nil
}

// Identity returns the name of the vectors in a registry: type and model, and as SHA256 the
// digest of type, address and model, because one name may stand for different models at different
// addresses. Dimensions is 0 until the first vector was made.
func (e *Embedder) Identity() registry.Embedder {
	e.mu.Lock()
	defer e.mu.Unlock()
	id := e.id
	id.Dimensions = e.dims
	return id
}

// Embed returns the unit vectors of some texts, in their order. It requests equal texts only
// once.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	first := map[string]int{}
	out := make([][]float32, len(texts))
	times := attempts
	if len(texts) == 1 {
		times = 1
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(e.parallel)
	for i, text := range texts {
		if _, again := first[text]; again {
			continue
		}
		first[text] = i
		group.Go(func() (err error) {
			out[i], err = e.one(ctx, text, times)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, text := range texts {
		out[i] = out[first[text]]
	}
	return out, nil
}

// one returns the vector of a text, from the cache or from the endpoint.
func (e *Embedder) one(ctx context.Context, text string, times int) ([]float32, error) {
	e.mu.Lock()
	v, ok := e.known[text]
	e.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := e.ask(ctx, text, times)
	if err != nil {
		return nil, fmt.Errorf("embedding with %s: %w", e.id.Name, e.hide.Err(err))
	}
	return v, e.keep(text, v)
}

// ask requests a vector from the endpoint, up to times times.
func (e *Embedder) ask(ctx context.Context, text string, times int) (v []float32, err error) {
	pause := e.pause
	for attempt := range times {
		if attempt > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(pause):
			}
			pause *= 4
		}
		within, cancel := context.WithTimeout(ctx, e.timeout)
		v, err = e.make(within, text)
		cancel()
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return v, err
}

// keep checks a vector, scales it to length 1 and caches it.
func (e *Embedder) keep(text string, v []float32) error {
	for _, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("embedding with %s: the vector holds %g", e.id.Name, x)
		}
	}
	if len(v) > maxDimensions {
		return fmt.Errorf("embedding with %s: a vector of %d dimensions, the limit is %d", e.id.Name, len(v),
			maxDimensions)
	}
	if embed.Normalize(v) == 0 {
		return fmt.Errorf("embedding with %s: the vector is zero", e.id.Name)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dims == 0 {
		e.dims = len(v)
	}
	if len(v) != e.dims {
		return fmt.Errorf("embedding with %s: a vector of %d dimensions, but the first had %d", e.id.Name, len(v), e.dims)
	}
	if e.known == nil || len(e.known) >= maxKnown {
		e.known = map[string][]float32{}
	}
	e.known[text] = v
	return nil
}
