package present_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
)

// written returns a document as a terminal of so many columns shows it.
func written(t *testing.T, d present.Document, width int) string {
	t.Helper()
	var b strings.Builder
	if err := d.Terminal(&b, &present.Options{Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestToolsAreListedByServer(t *testing.T) {
	down := "cannot start:\nno such file\x1b[2J"
	d := present.ToolList(&catalog.Overview{Total: 2, Servers: []catalog.OverviewServer{
		{Name: "down", Kind: "external", Transport: "stdio", Error: &down},
		{Name: "git", Kind: "in process", Transport: "snapshot", At: "git.json", Tools: []discovery.Entry{
			{ID: "git.git_log", Go: "git.Log", Class: "read", Short: "Shows the commit log of the repository in this folder"},
			{ID: "git.git_push", Go: "git.Push", Class: "effect", Verdict: string(policy.NeedsApproval), Short: "Pushes"},
		}}}})
	want := `down (external, stdio, 0 tools)
  failed: cannot start:
  │ no such file�[2J

git (in process, snapshot, 2 tools)  git.json
  git.git_log   git.Log   read                     Shows the commit log of the …
  git.git_push  git.Push  effect (needs approval)  Pushes

2 tools of 2 servers: 1 in process, 1 external
`
	if got := written(t, d, 80); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestFindingsAlignAlthoughEachIsWrittenAlone(t *testing.T) {
	got := ""
	for _, f := range []present.Finding{{Check: "model", Status: present.Fine, Detail: "embedded"},
		{Check: "server git", Status: present.Broken, Detail: strings.Repeat("long words ", 7) + "\nok model: forged", Do: "disable it"}} {
		got += written(t, present.Health(f), 60)
	}
	const want = `ok       model: embedded
failed   server git: long words long words long words long
         words long words long words long words
    | ok model: forged
    → disable it
`
	if got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// A run is called by its name, comment or phrase, or by its tools; code stands apart.
func TestTheTitleOfARun(t *testing.T) {
	for _, c := range []struct{ name, title, tools, want, code string }{
		{"late_orders", "list orders", "", "late_orders", ""},
		{"-", "// T20", "", "T20", ""},
		{"", "list orders (late)", "shop.list", "list orders (late)", ""},
		{"", "r, err := files.WriteFile(x)", "files.write_file", "files.write_file", "r, err := files.WriteFile(x)"},
		{"", "Return(1)", "", "a script", "Return(1)"},
		{"", "", "", "a script", ""},
	} {
		title, code := present.Title(&record.Summary{Name: c.name, Title: c.title, Tools: strings.Fields(c.tools)})
		if title != c.want || code != c.code {
			t.Errorf("%+v: %q, %q", c, title, code)
		}
	}
}
