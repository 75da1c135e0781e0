package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry/config"
)

func TestARetiredNameSaysWhatToUseInstead(t *testing.T) {
	for _, name := range config.RetiredNames() {
		want := config.Retired(name).Error()
		args := strings.Fields(name)
		if key, is := strings.CutPrefix(name, "usetools."); is {
			for _, text := range []string{`{"mcpServers": {}, "usetools": {"` + key + `": true}}`,
				`{"mcpServers": {"x": {"command": "x", "usetools": {"` + key + `": true}}}}`} {
				path := filepath.Join(t.TempDir(), "mcp.json")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				c, err := config.Load(path)
				if err == nil && len(c.Servers) == 1 {
					err = c.Servers[0].Err
				}
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %q", text, err, want)
				}
			}
			continue
		}
		var stderr bytes.Buffer
		code := execute(append(args, "x"), strings.NewReader(""), &bytes.Buffer{}, &stderr)
		if code != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %q, want %d, %q", name, code, &stderr, exitUsage, want)
		}
	}
}
