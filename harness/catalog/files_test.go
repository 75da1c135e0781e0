package catalog

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usetools/usetools/discovery/embed"
)

// thinker is an embeddings endpoint that thinks as the embedded model does; it
// counts the texts that it was asked for.
func thinker(t *testing.T, asked *atomic.Int32) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var in struct{ Prompt string }
		json.NewDecoder(r.Body).Decode(&in)
		json.NewEncoder(w).Encode(map[string]any{"embedding": embed.Default().Embed(in.Prompt)})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestRegistryHasTheVectorsOfTheConfiguredEmbedder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("tools.json", `[{"name": "log", "description": "Show the commit history."}, {"name": "diff", "description": "Show changes."}]`)
	config := func(settings string) string {
		return write("mcp.json", fmt.Sprintf(`{"usetools": {%s}, "mcpServers": {"git": {"type": "snapshot", "path": "tools.json"}}}`, settings))
	}
	var asked atomic.Int32
	endpoint := thinker(t, &asked)
	for _, step := range []struct {
		settings, embedder, log string
		asked                   int32 // for tools and for one phrase
	}{
		{``, "semb-1", "building", 0},
		{`"embedder": {"type": "ollama", "model": "m", "url": "` + endpoint + `"}`, "ollama:m", "another embedder", 3},
		{`"embedder": {"type": "ollama", "model": "m", "url": "` + endpoint + `"}`, "ollama:m", "", 1},
		{`"embedder": {"type": "ollama", "model": "other", "url": "` + endpoint + `"}`, "ollama:other", "another embedder",
			3},
		{`"embedder": {"type": "ollama", "model": "m", "url": "http://127.0.0.1:1"}`, "semb-1", "answers alone", 0},
		{``, "semb-1", "", 0},
	} {
		asked.Store(0)
		var log strings.Builder
		f := &Files{Configs: []string{config(step.settings)}, NoMemory: true,
			Log: func(line string) { log.WriteString(line + "\n") }}
		cat, err := f.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		index, err := cat.Index()
		if err != nil {
			t.Fatalf("%s: %v", step.settings, err)
		}
		if r, err := index.Resolve("show the commit history", nil); err != nil || r.Candidates[0].ID != "git.log" {
			t.Errorf("%s: %+v, %v", step.settings, r, err)
		}
		if got := cat.Registry.Embedder.Name; got != step.embedder || asked.Load() != step.asked {
			t.Errorf("%s: vectors of %s, %d requests; want %s, %d", step.settings, got, asked.Load(), step.embedder, step.asked)
		}
		if step.log == "" && log.Len() > 0 || !strings.Contains(log.String(), step.log) {
			t.Errorf("%s: log %q, want %q", step.settings, log.String(), step.log)
		}
		f.Close()
	}
}

func TestSecretsAreHiddenBeforeAScriptNeedsATool(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".mcp.json")
	config := `{"mcpServers":{"a":{"command":"a","env":{"API_TOKEN":"ghp_0123456789abcdef"}}}}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &Files{Configs: []string{file}}
	defer f.Close()
	if got := f.Redact("a ghp_0123456789abcdef b"); got != "a ••• b" {
		t.Errorf("got %q", got)
	}
}
