package harness

import (
	"testing"

	"github.com/usetools/usetools/registry/config"
)

// What is shown of a server's command and URL holds no key.
func TestNoSecretIsShownOfACommand(t *testing.T) {
	for want, s := range map[string]config.Server{
		"npx -y @scope/server-github --port 8080":        {Command: "/usr/bin/npx", Args: []string{"-y", "@scope/server-github", "--port", "8080"}},
		"x --token … --api_key=… -H …":                   {Command: "x", Args: []string{"--token", "s3", "--api_key=s3", "-H", "Bearer-s3cr3ts3cr3ts3cr3t"}},
		"x … postgres://db/app --url=https://host/p":     {Command: "x", Args: []string{"sk1234567890abcdefghijk", "postgres://u:s3@db/app?x=s3", "--url=https://u:s3@host/p#s3"}},
		"https://mcp.example.com/s/…/mcp":                {URL: "https://u:s3@mcp.example.com/s/a1b2c3d4e5f6a7b8c9d0e1/mcp?token=s3"},
		"…":                                              {URL: "s3"},
		"tools.json":                                     {Path: "/a/b/tools.json"},
		"x --password … TOKEN=… --auth --verbose --user": {Command: "x", Args: []string{"--password", "s3", "TOKEN=s3", "--auth", "--verbose", "--user"}},
	} {
		if got := where(&s); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
