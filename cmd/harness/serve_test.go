package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

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
