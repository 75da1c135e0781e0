package serve_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/observe"
)

// A script that worked once is one line from then on, for every client; where
// its tools are no longer as they were it says so, and is as it was again when
// they are.
func TestASavedScriptIsOneLine(t *testing.T) {
	lib := library.Open(t.TempDir())
	f := newFake()
	cat := &catalog.Catalog{Registry: testRegistry(), Calls: f, Scripts: lib}
	changed := testRegistry()
	log, _ := changed.Tool("git.git_log")
	log.Input, log.Hash = json.RawMessage(`{"type":"object","properties":{"most":{"type":"integer"}}}`), ""
	changed.Normalize()
	now := cat
	s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return now, nil }})
	c := connect(t, s, nil)
	if got, a := c.run("// usetools:name authors Who has committed\n" +
		`UseTools("show the commit history of a git repository")
n := 3
if err := Input("n", &n); err != nil { n = 9 }
log, err := git.Log(git.LogParams{MaxCount: n})
if err != nil { panic(err) }
Return(len(log.Commits) + n)`); a.Status != outcome.OK || got != "12\n" {
		t.Fatalf("%q, %+v", got, a)
	}
	s.Describe()
	if list, err := c.ListTools(t.Context(), nil); err != nil ||
		!strings.Contains(list.Tools[0].Description, "RunScript(\"name\", inputs): authors\n") {
		t.Errorf("the description has no saved script: %+v, %v", list, err)
	}
	const line = `v, err := RunScript("authors", map[string]int{"n": 4}); if err != nil { panic(err) }; Return(v)`
	other := connect(t, s, nil)
	if got, a := other.run(line); got != "7\n" || len(a.Calls) != 1 || a.Calls[0].Tool != "git.git_log" {
		t.Errorf("%q, %+v", got, a)
	}
	s.SetCatalog(&catalog.Catalog{Registry: changed, Calls: f, Scripts: lib})
	if got, a := c.run(line); a.Status != outcome.ScriptError || !strings.Contains(got, "MaxCount") {
		t.Errorf("its tool has changed, and yet %q", got)
	}
	if saved, err := lib.Load("authors"); err != nil || !strings.Contains(saved.Broken, "MaxCount") {
		t.Errorf("not marked: %+v, %v", saved, err)
	}
	if got := s.Described(); strings.Contains(got, "RunScript") {
		t.Errorf("a script that does not compile is offered: %s", got)
	}
	s.SetCatalog(&catalog.Catalog{Registry: testRegistry(), Calls: f, Scripts: lib})
	if got, _ := c.run(line); got != "7\n" {
		t.Errorf("its tool is as it was, and yet %q", got)
	}
	if saved, err := lib.Load("authors"); err != nil || saved.Broken != "" {
		t.Errorf("still marked: %+v, %v", saved, err)
	}
	if got, a := c.run("// usetools:name nothing Needs no tool\nReturn(1)"); a.Status != outcome.OK ||
		len(a.Warnings) > 0 {
		t.Errorf("%q, %+v", got, a)
	}
	if saved, err := lib.Load("nothing"); err != nil || saved.About != "Needs no tool" {
		t.Errorf("%+v, %v", saved, err)
	}
}

// The audit has a line for each saved script that a run ran, with the hash of
// what was run.
func TestTheAuditNamesSavedScripts(t *testing.T) {
	lib := library.Open(t.TempDir())
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	var want []string
	for name, source := range map[string]string{"inner": `Return(1)`, "outer": `RunScript("inner", nil); panic("no")`} {
		if err := lib.Save(&library.Script{Name: name, Source: source}); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ source, line string }{
		{`Return(1)`, `"name":"inner","script":"%x","depth":2,"status":"ok"`},
		{`RunScript("inner", nil); panic("no")`, `"name":"outer","script":"%x","depth":1,"status":"script_error"`},
	} {
		want = append(want, fmt.Sprintf(x.line, sha256.Sum256([]byte(x.source))))
	}
	s, _ := serving(t, &serve.Options{Audit: observe.AuditFile{Path: file}, Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: testRegistry(), Calls: newFake(), Scripts: lib}, nil
	}})
	c := connect(t, s, nil)
	if got, a := c.run(`RunScript("outer", nil)`); a.Status != outcome.OK {
		t.Fatal(got)
	}
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if strings.Count(string(lines), `"type":"script"`) != 2 || !strings.Contains(string(lines), w) {
			t.Errorf("%s is not in\n%s", w, lines)
		}
	}
}

// However many scripts are saved, the list of tools costs what it may.
func TestSavedScriptsFitIntoTheDescription(t *testing.T) {
	lib := library.Open(t.TempDir())
	for _, name := range []string{strings.Repeat("long-", 12), "a", "orders-of-the-last-week", "digest-of-all-branches",
		"issues-without-an-owner", "late", "later"} {
		if err := lib.Save(&library.Script{Name: name, Source: "Return(1)"}); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: testRegistry(), Scripts: lib}, nil
	}})
	c := connect(t, s, nil)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text := list.Tools[0].Description
	if want := "a, digest-of-all-branches, issues-without-an-owner, late …"; !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
	if n := counter(t)(listed(text)); n > serve.DefaultListTokens {
		t.Errorf("%d tokens", n)
	}
	if !strings.Contains(whole(text), "git.Log(") {
		t.Errorf("no room is left for tools:\n%s", text)
	}
}
