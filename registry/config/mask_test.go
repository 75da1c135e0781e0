package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAServerIsRunByHandAsItsEntryWritesIt(t *testing.T) {
	t.Setenv("ROOT", "/srv/expanded")
	t.Setenv("KEY", "hunter2")
	path := filepath.Join(t.TempDir(), "mcp.json")
	here := t.TempDir()
	t.Chdir(here)
	for args, want := range map[string]string{
		`["-y", "@scope/server", "--root", "${ROOT}"]`:                   `npx -y @scope/server --root ${ROOT} with its API_KEY, MODE`,
		`["--api-key", "${KEY}", "--token=${KEY}"]`:                      `npx --api-key ${KEY} --token=${KEY} with its API_KEY, MODE`,
		`["--api-key", "hunter2", "https://me:hunter2@x.example/a?k=1"]`: `npx --api-key … https://x.example/a with its API_KEY, MODE`,
		`["a b", ""]`: `npx "a b" "" with its API_KEY, MODE`,
	} {
		config := `{"mcpServers": {"s": {"command": "npx", "args": ` + args +
			`, "env": {"MODE": "fast", "API_KEY": "${KEY}"}}}}`
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(path)
		if err != nil || c.Servers[0].Err != nil {
			t.Fatal(err, c)
		}
		want = strings.Replace(want, " with", " in "+filepath.ToSlash(here)+" with", 1)
		if got := c.Servers[0].ByHand(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", args, got, want)
		}
	}
}
