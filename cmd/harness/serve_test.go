package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry"
)

func TestWhoeverStartsTheServerSeesItsToolsOnce(t *testing.T) {
	var stderr strings.Builder
	e := &env{stderr: &stderr}
	fails := true
	catalog := e.shown(func(context.Context) (*harness.Catalog, error) {
		if fails {
			return nil, errors.New("not yet")
		}
		return &harness.Catalog{Registry: &registry.Registry{
			Servers: []registry.Server{{Name: "notes", Transport: "snapshot", Tools: 1}},
			Tools:   []registry.Tool{{ID: "notes.add", Server: "notes", Name: "add", Description: "Add a note."}},
		}}, nil
	}, false)
	for range 3 {
		catalog(t.Context())
		fails = false
	}
	got := stderr.String()
	for _, want := range []string{"notes (in process, snapshot, 1 tool)", "notes.add", "Add a note",
		"1 tool of 1 server"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("want %q once, got\n%s", want, got)
		}
	}
}

// A rule for a misspelt token is one for nobody.
func TestTokensThatNobodyHasAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(`{"mcpServers": {}, "usetools": {"tokens": {"ann": {"approve": {"effect": "ask"}},
		"bbo": {"approve": {"effect": "deny"}}, "carl": {"may": ["approve"]}, "dora": {"may": []}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	got := unheld([]string{path}, map[string]string{"ann": "1", "bob": "2", "dora": "3"})
	if !slices.Equal(got, []string{"bbo", "carl"}) {
		t.Errorf("%q", got)
	}
	if got := unheld(nil, nil); len(got) > 0 {
		t.Errorf("without a config %q", got)
	}
}
