package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/usetools/usetools/examples/internal/built"
)

// TestServicesStartTheHarnessAsItIs: each command line of the folder is one that
// the harness understands.
func TestServicesStartTheHarnessAsItIs(t *testing.T) {
	t.Parallel()
	read := func(file, pattern string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join("deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(b)
		if m == nil {
			t.Fatalf("%s has no line like %s", file, pattern)
		}
		return string(m[1])
	}
	var entry []string
	if err := json.Unmarshal([]byte(read("Containerfile", `(?m)^ENTRYPOINT (.*)$`)), &entry); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"Containerfile":    entry[1:],
		"usetools.service": strings.Fields(read("usetools.service", `(?m)^ExecStart=\S+ (.*)$`)),
	} {
		// Printing a client's entry parses all flags, and starts nothing.
		out, err := exec.Command(built.Program(t, "cmd/harness"), append(args, "-print-config", "claude")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), ":7337/mcp") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
