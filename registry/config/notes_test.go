package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAMisspeltKeyAtTheTopIsNoted(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct{ file, text, want string }{
		{"a.json", `{"mcpServers": {}, "useTools": {"pin": true}}`,
			`"useTools" at the top of a.json has no effect; did you mean "usetools"?`},
		{"b.json", `{"mcpServer": {"x": {"command": "y"}}, "servers": {}}`, `did you mean "mcpServers"?`},
		{"c.json", `{"servres": {}, "mcp_servers": {}, "servers": {}}`,
			`"servres" at the top of c.json has no effect; did you mean "servers"?`},
		{"d.json", `{"mcpServer": {}}`,
			`no servers: want an object with the key "mcpServers" (or "servers"), or "cli_tools"; the key "mcpServer"`},
		{"e.json", `{"mcpServers": {}, "inputs": [], "theme": "x", "projects": {}}`, ``},
		{"f.toml", "[mcp_servers.x]\ncommand = \"y\"\n[usetool]\npin = true\n", `did you mean "usetools"?`},
		{"g.toml", "model = \"m\"\n[mcp_servers.x]\ncommand = \"y\"\n", ``},
	} {
		path := filepath.Join(dir, tc.file)
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var said string
		if c, err := Load(path); err != nil {
			said = err.Error()
		} else {
			said = strings.Join(c.Notes, "\n")
		}
		if !strings.Contains(said, tc.want) || tc.want == "" && said != "" {
			t.Errorf("%s: %q, want %q in it", tc.text, said, tc.want)
		}
	}
}
