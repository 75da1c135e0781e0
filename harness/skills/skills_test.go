package skills_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/skills"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/skill"
)

func TestMain(m *testing.M) {
	harness.RunWorker()
	os.Exit(m.Run())
}

var guides = os.DirFS("../../cmd/harness/help/html")

func set(t *testing.T, cat *catalog.Catalog, rules *policy.Policy) *skills.Set {
	t.Helper()
	s, err := skills.New(cat, rules, guides)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Whatever a script is called and says of itself, its skill keeps the rules of the format, and
// no two have one name.
func TestSkillsKeepTheRules(t *testing.T) {
	lib := library.Open(t.TempDir())
	long := strings.Repeat("a", 63) + "_"
	about := map[string]string{"a_b": "---\nname: other\n---\n", "a-b": `says "x": y # z`, "a--b": "", "a_b_": "\u2028\x00\x1b[31m\x7f\ufeff\u202e",
		long: strings.Repeat("é", 400), strings.Repeat("a", 64): "- x", "_"[:0] + "0": "{}", "b-": "|"}
	for name, says := range about {
		if err := lib.Save(&library.Script{Name: name, About: says, Source: "var n int\n_ = Input(\"```\\n\", &n)"}); err != nil {
			t.Fatal(err)
		}
	}
	s := set(t, &catalog.Catalog{Registry: &registry.Registry{}, Scripts: lib}, nil)
	saved := map[string]bool{}
	for _, uri := range s.URIs() {
		x, err := s.Skill(uri)
		if err != nil {
			t.Fatal(uri, err)
		}
		if err := x.Verify([]byte(x.Files[0].Text)); err != nil {
			t.Error(uri, err)
		}
		for _, listed := range x.Resources {
			f, err := s.File(listed.URI)
			if err != nil || skill.Digest([]byte(f.Text)) != listed.Digest || int64(len(f.Text)) != listed.Size {
				t.Errorf("%s: %+v, %v", listed.URI, f, err)
			}
		}
		if saved[x.Saved] {
			t.Errorf("two skills of %q", x.Saved)
		}
		saved[x.Saved] = true
		if x.Saved == "a-b" && uri != "skill://scripts/a-b/SKILL.md" {
			t.Error("a name that keeps the rules was changed:", uri)
		}
	}
	if len(saved) != len(about)+1 || s.URIs()[0] != skills.GuideURI {
		t.Errorf("%d skills of %d: %q", len(saved), len(about)+1, s.URIs())
	}
	for _, uri := range []string{"", "skill://scripts/a_b/SKILL.md", "skill://scripts/a-b", "skill://scripts/a-b/other.go", "skill://scripts/../SKILL.md"} {
		if f, err := s.File(uri); err != skills.ErrNotFound {
			t.Errorf("%q: %v, %v", uri, f, err)
		}
	}
}

func TestASkillOfAScriptSaysHowToRunIt(t *testing.T) {
	yes := true
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "git", Name: "log", Annotations: &registry.Annotations{ReadOnly: &yes}},
		{Server: "git", Name: "push"}}}
	reg.Normalize()
	lib := library.Open(t.TempDir())
	script := &library.Script{Name: "daily", About: "What changed", Source: "days := 1\n_ = Input(\"days\", &days)\nvar by any\n_ = Input(\"by\", &by)"}
	script.UseTools([]string{"git.log", "git.push"}, reg)
	script.Tools = append(script.Tools, library.Tool{ID: "git.gone"})
	for _, s := range []*library.Script{script, {Name: "broken", Source: "x", Broken: "no"}} {
		if err := lib.Save(s); err != nil {
			t.Fatal(err)
		}
	}
	s := set(t, &catalog.Catalog{Registry: reg, Scripts: lib}, nil)
	x, err := s.Skill("skill://scripts/daily/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`RunScript("daily", map[string]any{"days": 1})`, "- \"days\": int; if it is not sent, 1\n", "- \"by\": any\n",
		"- `git.log`: read calls\n", "- `git.push`: effect calls", "- `git.gone`: it no longer exists\n", "`dry_run: true`", "[script.go](script.go)"} {
		if !strings.Contains(x.Files[0].Text, want) {
			t.Errorf("%q is not in\n%s", want, x.Files[0].Text)
		}
	}
	if x.Files[1].Text != script.Source || !strings.HasPrefix(x.Description(), "What changed. RunScript(\"daily\"") {
		t.Errorf("%q, %+v", x.Description(), x.Files[1])
	}
	if _, err := s.Skill("skill://scripts/broken/SKILL.md"); err != skills.ErrNotFound {
		t.Error("a script that does not compile has a skill:", err)
	}
}

// The examples of the guide compile, with tools of published servers, and call none that is
// denied; the whole costs what it may.
func TestTheGuideHoldsForEachCatalog(t *testing.T) {
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	h := harness.New(&harness.Options{BestEffort: true})
	t.Cleanup(func() { h.Close() })
	files, err := filepath.Glob("../../wrappers/testdata/schemas/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no schemas", err)
	}
	examples := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var of struct{ Tools []registry.Tool }
		if json.Unmarshal(data, &of.Tools) != nil {
			if err := json.Unmarshal(data, &of); err != nil {
				t.Fatal(err)
			}
		}
		reg := &registry.Registry{}
		for _, x := range of.Tools {
			x.Server = strings.TrimSuffix(filepath.Base(file), ".json")
			reg.Tools = append(reg.Tools, x)
		}
		reg.Normalize()
		for i := range reg.Servers {
			reg.Servers[i].Transport = "stdio"
		}
		cat := &catalog.Catalog{Registry: reg}
		s := set(t, cat, nil)
		x, err := s.Skill(skills.GuideURI)
		if err != nil {
			t.Fatal(err)
		}
		text := x.Files[0].Text
		if n, err := enc.Count(text); err != nil || n > 1500 {
			t.Errorf("%s: %d tokens", file, n)
		}
		for _, block := range strings.Split(text, "```go\n")[1:] {
			examples++
			script, _, _ := strings.Cut(block, "```")
			res, err := h.Check(t.Context(), &harness.Script{Source: script, Catalog: cat})
			if err != nil || res.Status != outcome.OK || len(res.Warnings) > 0 {
				t.Errorf("%s: %v, %+v\n%s", file, err, res.Error, script)
			}
		}
		if denied := set(t, cat, &policy.Policy{Deny: []string{"*"}}).Guide(); strings.Contains(denied, "```go") {
			t.Errorf("%s: denied tools are in an example", file)
		}
	}
	if examples < len(files) {
		t.Errorf("%d examples for %d servers", examples, len(files))
	}
}

func BenchmarkGuide(b *testing.B) {
	var tools []registry.Tool
	files, _ := filepath.Glob("../../wrappers/testdata/schemas/*.json")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		var of struct{ Tools []registry.Tool }
		if json.Unmarshal(data, &of.Tools) != nil {
			json.Unmarshal(data, &of)
		}
		for _, x := range of.Tools {
			x.Server = filepath.Base(file)
			tools = append(tools, x)
		}
	}
	reg := &registry.Registry{Tools: tools}
	reg.Normalize()
	for b.Loop() {
		s, _ := skills.New(&catalog.Catalog{Registry: reg}, nil, guides)
		s.Guide()
	}
	b.Logf("%d tools", len(tools))
}
