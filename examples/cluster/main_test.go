package main

import (
	"os"
	"strings"
	"testing"
)

// The NATS server of the example, of the compose file and of the tests is the same.
func TestOneVersionOfNATS(t *testing.T) {
	module, version, _ := strings.Cut(natsModule, "@")
	for file, want := range map[string]string{
		"../../go.mod":       module + " " + version,
		"docker-compose.yml": "image: nats:" + strings.TrimPrefix(version, "v") + "-",
	} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), want) {
			t.Errorf("%s does not have %q", file, want)
		}
	}
}
