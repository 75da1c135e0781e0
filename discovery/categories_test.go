package discovery_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// publicTools is a registry of the tools of public servers.
func publicTools(t testing.TB) *registry.Registry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "wrappers", "testdata", "schemas", "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files with tools of public servers (%v), want at least 40", len(files), err)
	}
	reg := &registry.Registry{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Tools []json.RawMessage }
		if json.Unmarshal(data, &list) != nil {
			if err := json.Unmarshal(data, &list.Tools); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
		}
		for _, raw := range list.Tools {
			var tool registry.Tool
			if err := json.Unmarshal(raw, &tool); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			tool.Server = strings.TrimSuffix(filepath.Base(f), ".json")
			reg.Tools = append(reg.Tools, tool)
		}
	}
	reg.Normalize()
	return reg
}

// labels are the categories that a person gave tools, by ID, the best first.
func labels(t *testing.T) map[string][]string {
	data, err := os.ReadFile(filepath.Join("testdata", "categories.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if id, cats, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && id[0] != '#' {
			out[id] = strings.Split(cats, "|")
		}
	}
	return out
}

// TestCategoriesAreThoseAPersonWouldLookIn measures the categories on labelled
// tools of public servers. Neither words nor weights were fitted to them.
func TestCategoriesAreThoseAPersonWouldLookIn(t *testing.T) {
	t.Parallel()
	reg := publicTools(t)
	given := discovery.CategoriesOf(reg)
	want := labels(t)
	all := len(want)
	if all < 150 {
		t.Fatalf("%d labelled tools, want at least 150", all)
	}
	right, first, database := 0, 0, 0
	for i := range reg.Tools {
		id := reg.Tools[i].ID
		cats := want[id]
		if cats == nil {
			continue
		}
		delete(want, id)
		switch {
		case given[i] == cats[0]:
			first++
			right++
		case slices.Contains(cats, given[i]):
			right++
		default:
			t.Logf("%s: %s, a person says %v", id, given[i], cats)
		}
		if given[i] == "database" && !slices.Contains(cats, "database") {
			database++
		}
	}
	for id := range want {
		t.Errorf("unknown tool %s", id)
	}
	share := float64(right) / float64(all)
	t.Logf("%.3f of %d tools have a right category, %.3f the first label; %d are wrongly a database's",
		share, all, float64(first)/float64(all), database)
	if share < .95 || database > 5 {
		t.Errorf("want .95 right, and at most 5 wrongly a database's")
	}
}

func TestCategoriesAreCountedFilteredAndOverridden(t *testing.T) {
	t.Parallel()
	reg := publicTools(t)
	ix, err := discovery.New(reg, &discovery.Options{Categories: map[string]string{"mcp-server-time": "clocks",
		"mcp-server-time.c*": "zones"}})
	if err != nil {
		t.Fatal(err)
	}
	total, byName := 0, map[string]discovery.CategoryCount{}
	for _, c := range ix.Categories(discovery.Query{}) {
		total += c.Tools
		byName[c.Name] = c
		page, err := ix.Search(discovery.Query{Category: strings.ToUpper(c.Name), Limit: discovery.MaxLimit})
		if err != nil || page.Total != c.Tools {
			t.Errorf("%s: %d tools found, %d counted (%v)", c.Name, page.Total, c.Tools, err)
		}
	}
	if total != len(reg.Tools) {
		t.Errorf("%d tools counted, there are %d", total, len(reg.Tools))
	}
	if byName["zones"].Tools != 1 || byName["clocks"].Tools != 1 {
		t.Errorf("overridden: %+v and %+v, want a tool each", byName["zones"], byName["clocks"])
	}
	if db := byName["database"]; db.About == "" || !slices.Contains(db.Servers, "redis") {
		t.Errorf("database: %+v, want a description, and redis among its servers", db)
	}
}

// A registry keeps the category that it has.
func TestCategorizeFillsWhatIsMissing(t *testing.T) {
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "git", Name: "git_log", Description: "Shows the commit log."},
		{Server: "git", Name: "git_add", Description: "Adds files to the index.", Category: "mine"},
	}}
	reg.Normalize()
	discovery.Categorize(reg)
	if got := []string{reg.Tools[0].Category, reg.Tools[1].Category}; !slices.Equal(got, []string{"mine", "vcs"}) {
		t.Errorf("got %q, want mine and vcs", got)
	}
	for pattern, category := range map[string]string{"[": "x", "": "x", "git": " "} {
		if _, err := discovery.New(reg, &discovery.Options{Categories: map[string]string{pattern: category}}); err == nil {
			t.Errorf("%q: %q is accepted", pattern, category)
		}
	}
}
