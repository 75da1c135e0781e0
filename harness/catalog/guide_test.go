package catalog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/registry"
)

// publicRegistry has the tools of public servers.
func publicRegistry(t testing.TB) *registry.Registry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "wrappers", "testdata", "schemas", "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files with tools of public servers (%v), want at least 40", len(files), err)
	}
	reg := &registry.Registry{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Tools []registry.Tool }
		if json.Unmarshal(data, &list) != nil {
			if err := json.Unmarshal(data, &list.Tools); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
		}
		for _, tool := range list.Tools {
			tool.Server = strings.TrimSuffix(filepath.Base(f), ".json")
			reg.Tools = append(reg.Tools, tool)
		}
	}
	reg.Normalize()
	return reg
}

// tokens counts those of cl100k.
func tokens(t testing.TB, text string) int {
	t.Helper()
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := enc.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheGuideFitsIntoASystemPrompt(t *testing.T) {
	t.Parallel()
	many := publicRegistry(t)
	for i := range many.Servers {
		many.Servers[i].Instructions = "# Call list_things before read_thing number \"1\".\x1b[2J\nThen do more."
	}
	few := &registry.Registry{
		Servers: []registry.Server{{Name: "git", Instructions: "Always call git_status first. More."},
			{Name: "x", Instructions: strings.Repeat("long ", 100)}},
		Tools: []registry.Tool{{Server: "git", Name: "git_log", Description: "Shows the commit log."}},
	}
	few.Normalize()
	odd := &registry.Registry{}
	for i := range 300 {
		odd.Tools = append(odd.Tools, registry.Tool{Server: fmt.Sprintf("8x7-Ω%d", i*7919), Name: "t"})
	}
	odd.Normalize()
	for name, reg := range map[string]*registry.Registry{"many": many, "few": few, "none": {}, "odd": odd} {
		text, err := (&Catalog{Registry: reg}).Guide()
		if err != nil {
			t.Fatal(err)
		}
		n := tokens(t, text)
		t.Logf("%s: %d tokens\n%s", name, n, text)
		if n > guideTokens {
			t.Errorf("%s: %d tokens, want at most %d", name, n, guideTokens)
		}
		if strings.ContainsRune(text, '\x1b') {
			t.Errorf("%s: control characters of a server", name)
		}
		if name == "few" && (!strings.Contains(text, `git says: "Always call git_status first."`) ||
			strings.Contains(text, "long")) {
			t.Errorf("few: the instructions are not as they should be")
		}
	}
}
