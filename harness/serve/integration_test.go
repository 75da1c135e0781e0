//go:build integration

package serve_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry"
)

// TestConformance runs the server scenarios of the protocol's conformance
// suite; testdata/conformance-*.yml say which of them a server without the
// suite's own tools cannot pass, and why. It needs Node 22 or newer, first in
// PATH:
//
//	npm install node@22.23.3 @modelcontextprotocol/conformance@0.2.0-alpha.12
func TestConformance(t *testing.T) {
	for revision, choose := range map[string]string{"2025-11-25": "--spec-version", "2026-07-28": "--requirements"} {
		t.Run(revision, func(t *testing.T) {
			s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
				return &catalog.Catalog{Registry: &registry.Registry{}}, nil
			}})
			expected, err := filepath.Abs("testdata/conformance-" + revision + ".yml")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "conformance", "server", "--url", "http://"+listenAlone(t, s, &serve.HTTP{})+"/mcp",
				choose, revision, "--expected-failures", expected, "--output-dir", t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v; the comment on this test says how to install the suite\n%s", err, out)
			}
			t.Logf("%s", out[max(0, len(out)-2500):])
		})
	}
}

// TestSkillsConformance runs the suite's scenarios for skills.
func TestSkillsConformance(t *testing.T) {
	s, _ := serving(t, &serve.Options{Guides: guides, Catalog: withScripts(savedScripts(t, 60))})
	url := "http://" + listenAlone(t, s, &serve.HTTP{}) + "/mcp"
	for _, scenario := range []string{"sep-2640-skills-enumeration", "sep-2640-skills-manifest"} {
		out, err := exec.CommandContext(t.Context(), "conformance", "server", "--url", url, "--scenario", scenario,
			"--output-dir", t.TempDir()).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v; the comment on TestConformance says how to install the suite", scenario, err)
		}
		t.Logf("%s", out[max(0, len(out)-2500):])
	}
}
