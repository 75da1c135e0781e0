package catalog

import (
	"slices"
	"testing"

	"github.com/usetools/usetools/registry/config"
)

// What is shown of a server's command and URL holds no key.
func TestNoSecretIsShownOfACommand(t *testing.T) {
	for want, s := range map[string]config.Server{
		"npx -y @scope/server-github --port 8080": {Command: "/usr/bin/npx",
			Args: []string{"-y", "@scope/server-github", "--port", "8080"}},
		"x --token … --api_key=… -H …": {Command: "x",
			Args: []string{"--token", "s3", "--api_key=s3", "-H", "Bearer-s3cr3ts3cr3ts3cr3t"}},
		"x … postgres://db/app --url=https://host/p": {Command: "x",
			Args: []string{"sk1234567890abcdefghijk", "postgres://u:s3@db/app?x=s3", "--url=https://u:s3@host/p#s3"}},
		"https://mcp.example.com/s/…/mcp": {URL: "https://u:s3@mcp.example.com/s/a1b2c3d4e5f6a7b8c9d0e1/mcp?token=s3"},
		"…":                               {URL: "s3"},
		"tools.json":                      {Path: "/a/b/tools.json"},
		"x --password … TOKEN=… --auth --verbose --user": {Command: "x",
			Args: []string{"--password", "s3", "TOKEN=s3", "--auth", "--verbose", "--user"}},
		"npx mcp-remote https://h/mcp -H Authorization: …": {Command: "npx",
			Args: []string{"mcp-remote", "https://h/mcp", "-H", "Authorization: Bearer s3"}},
		"x … --pat … X-Auth: … --jwt … -c TOKEN=…": {Command: "x",
			Args: []string{"root:s3@tcp(db:3306)/prod", "--pat", "s3", "X-Auth: a=s3", "--jwt", "s3", "-c",
				"TOKEN=s3 exec server"}},
		"x -e GITHUB_PAT=… X-Api: … … --session-id …": {Command: "x",
			Args: []string{"-e", "GITHUB_PAT=s3", "X-Api: s3", "ghp_s3s3s3s", "--session-id", "s3"}},
		"x --any … git@host:x /a/b1c2d3e4f5g6h7i8/c": {Command: "x",
			Args: []string{"--any", "xoxb-1234abcdefghijkl.x.5678-abcdefghijklmnop", "git@host:x", "/a/b1c2d3e4f5g6h7i8/c"}},
	} {
		if got := Where(&s); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := brief(slices.Repeat([]string{"a"}, 50)); len(got) != 13 || got[12] != "…" {
		t.Errorf("%q", got)
	}
}
