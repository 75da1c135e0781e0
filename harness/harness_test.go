package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

func TestMain(m *testing.M) {
	harness.RunWorker()
	os.Exit(m.Run())
}

// quarter is how many of n drawn cases a test plays: all of them, in short runs under
// the race detector, in which each takes ten times as long, a quarter.
func quarter(n int) int {
	if raceEnabled && testing.Short() {
		return (n + 3) / 4
	}
	return n
}

// recorder is a Caller that answers from a function and keeps the arguments.
type recorder struct {
	mu     sync.Mutex
	args   []string
	answer func(ctx context.Context, server, tool string, args json.RawMessage) (string, error)
}

func (r *recorder) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool, args := req.Tool, req.Args.JSON()
	r.mu.Lock()
	r.args = append(r.args, string(args))
	r.mu.Unlock()
	raw, err := r.answer(ctx, server, tool, args)
	if err != nil {
		return nil, err
	}
	return backend.DecodeResult(json.RawMessage(raw))
}

// notes is a registry of one server with a few tools.
func notes() *registry.Registry {
	yes := true
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "notes", Name: "create_note", Description: "Create a note with a title, a body and tags",
			Input:  json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"body":{"type":"string"},"pinned":{"type":"boolean"},"priority":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"required":["title"]}`),
			Output: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string"}},"required":["id"]}`)},
		{Server: "notes", Name: "search_notes", Description: "Search the notes for words and list what matches",
			Input:       json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","default":10,"minimum":1,"maximum":100}},"required":["query"]}`),
			Annotations: &registry.Annotations{ReadOnly: &yes}},
		{Server: "notes", Name: "delete_note", Description: "Delete a note for ever",
			Input: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)},
	}}
	reg.Normalize()
	return reg
}

func harnessOver(reg *registry.Registry,
	answer func(ctx context.Context, server, tool string, args json.RawMessage) (string, error)) (*harness.Harness, *recorder) {
	rec := &recorder{answer: answer}
	cat := &catalog.Catalog{Registry: reg, Calls: rec}
	return harness.New(&harness.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }}), rec
}

func textResult(s string) string {
	b, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
	return string(b)
}

func mustRun(t *testing.T, h *harness.Harness, script string) *outcome.Result {
	t.Helper()
	res, err := h.Run(t.Context(), &harness.Script{Source: script})
	if err != nil {
		t.Fatal(err)
	}
	crosses(t, res)
	return res
}

// A name says more than words do: a tool that its server does not have is not
// taken for one that is like it.
func TestAToolThatItsServerDoesNotHaveIsNotGuessed(t *testing.T) {
	t.Parallel()
	h, _ := harnessOver(notes(), nil)
	for _, name := range []string{"notes.delete_notes", "notes.DeleteAllNotes", "notes/purge", "mcp__notes__delete-all"} {
		res := mustRun(t, h, fmt.Sprintf("UseTools(%q); Return(1)", name))
		if res.Status != outcome.ToolNotFound || !strings.Contains(res.Error.Message, `server "notes" has no tool "`) ||
			len(res.Error.Signatures) == 0 {
			t.Errorf("%s: %s %+v", name, res.Status, res.Error)
		}
		res = mustRun(t, h, fmt.Sprintf("UseTools(%q)", name))
		if res.Status != outcome.OK || res.Tools[0].Tool != "" ||
			!strings.Contains(res.Text(), `no tool fits it well: server "notes" has no tool "`) ||
			!strings.Contains(res.Text(), "func notes.") {
			t.Errorf("%s: %s %s", name, res.Status, res.Text())
		}
	}
	for _, name := range []string{"notes.DeleteNote", "notes.delete_note", "notes/delete-note", "mcp__notes__deleteNote",
		"Notes.DELETE_NOTE"} {
		if res := mustRun(t, h, fmt.Sprintf("UseTools(%q)", name)); res.Status != outcome.OK ||
			res.Tools[0].Tool != "notes.delete_note" {
			t.Errorf("%s: %s %+v", name, res.Status, res.Error)
		}
	}
	// What the script calls decides, as with any phrase.
	res := mustRun(t, h, `UseTools("notes.remove_note")
_, err := notes.DeleteNote(notes.DeleteNoteParams{ID: "x"}); _ = err`)
	if res.Status != outcome.CompileError {
		t.Errorf("%s %+v", res.Status, res.Error)
	}
	res = mustRun(t, h, `err := UseTools("notes.remove_note"); Return(err.Error())`)
	if res.Status != outcome.OK || !strings.Contains(string(res.Value), `has no tool \"remove_note\"; nearest: notes.`) {
		t.Errorf("%s %s %+v", res.Status, res.Value, res.Error)
	}
}

// A tool that policy denies is said to be denied where a script names it, and
// offered nowhere.
func TestADeniedToolIsDeniedByNameAndNotOffered(t *testing.T) {
	t.Parallel()
	h, rec := harnessOver(notes(), nil)
	run := func(script string) *outcome.Result {
		t.Helper()
		res, err := h.Run(t.Context(), &harness.Script{Source: script, Policy: &policy.Policy{Deny: []string{"notes.delete_*"}}})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	// a look-up
	for _, script := range []string{`UseTools("notes.delete_note")`, `UseTools("search the notes", "delete_note")`} {
		res := run(script)
		if text := res.Text(); res.Status != outcome.OK || !strings.Contains(text, "denied by -deny notes.delete_*") ||
			strings.Contains(text, "func notes.DeleteNote") || len(res.Decisions) != 1 {
			t.Errorf("%s: %s %s %v", script, res.Status, text, res.Decisions)
		}
	}
	for _, script := range []string{
		`UseTools("notes.DeleteNote"); Return(1)`, "\n" + `UseTools("search the notes", "delete_note"); Return(1)`,
		`if err := UseTools("delete_note"); err != nil { Return("handled") }`,
	} {
		res := run(script)
		if res.Status != outcome.Denied || res.Error.Kind != outcome.KindPolicy ||
			!strings.Contains(res.Error.Message, "denied by -deny notes.delete_*") || res.Error.Line == 0 {
			t.Errorf("%s: %s %+v", script, res.Status, res.Error)
		}
		if strings.Contains(res.Text(), "func notes.DeleteNote") {
			t.Errorf("%s: the signature is shown: %s", script, res.Text())
		}
	}
	for _, script := range []string{
		`UseTools("notes.purge")`, `UseTools("create a note")`, `err := UseTools("notes.purge"); Return(err.Error())`,
		`notes.RemoveNote()`, `notes.Delete()`,
		"import \"discovery\"\nn, err := discovery.Names()\nh, err2 := discovery.Find(discovery.Query{Text: " +
			"\"delete\"})\nb, err3 := discovery.Tree()\nfmt.Println(n, err, h, err2, b, err3)",
	} {
		res := run(script)
		if shown, err := json.Marshal(res); err != nil || strings.Contains(string(shown), "delete_note") ||
			strings.Contains(string(shown), "DeleteNote") {
			t.Errorf("%s: %s, %v", script, shown, err)
		}
	}
	if len(rec.args) > 0 {
		t.Error("called:", rec.args)
	}
}

// Of two servers with the same tools, one denied, the other's are meant.
func TestANameThatADeniedToolHasTooMeansTheOther(t *testing.T) {
	t.Parallel()
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "fsa", Name: "write_file", Description: "Write a file", Input: json.RawMessage(`{"type":"object"}`)},
		{Server: "fsb", Name: "write_file", Description: "Write a file", Input: json.RawMessage(`{"type":"object"}`)},
		{Server: "fsc", Name: "write_file", Description: "Write a file", Input: json.RawMessage(`{"type":"object"}`)},
	}}
	reg.Normalize()
	h, _ := harnessOver(reg, nil)
	for _, c := range []struct {
		deny   []string
		script string
		want   outcome.Status
		texts  []string // "!" before what must not be there
	}{
		{[]string{"fsb.*", "fsc"}, `UseTools("write_file")`, outcome.OK, []string{"fsa.WriteFile", "!fsb"}},
		{[]string{"fsb.*", "fsc"}, `UseTools("write_file"); Return(1)`, outcome.OK, []string{"!several", "!fsb"}},
		{[]string{"fsb.*"}, `UseTools("write_file")`, outcome.OK,
			[]string{"fsa.WriteFile", "fsc.WriteFile", "could mean several tools", "!fsb"}},
		{[]string{"fsb.*"}, `UseTools("write_file"); Return(1)`, outcome.Ambiguous,
			[]string{"fsa.WriteFile", "fsc.WriteFile", "policy denies those that are not shown", "!fsb"}},
		{nil, `UseTools("write_file")`, outcome.OK, []string{"fsa.WriteFile", "fsb.WriteFile", "!policy"}},
		{nil, `UseTools("write_file"); Return(1)`, outcome.Ambiguous, []string{"fsa.WriteFile", "fsb.WriteFile", "!policy"}},
		{[]string{"fs*"}, `UseTools("write_file")`, outcome.OK, []string{"denied by -deny fs*", "!several"}},
		{[]string{"fs*"}, `UseTools("write_file"); Return(1)`, outcome.Denied, []string{"denied by -deny fs*", "!several"}},
		{[]string{"fs*"}, `if err := UseTools("write_file"); err != nil { Return("handled") }`, outcome.Denied,
			[]string{"denied by -deny fs*"}},
		{[]string{"fsb.*", "fsc"}, "import \"discovery\"\nd, err := discovery.Describe(\"write_file\", \"fsb.WriteFile\", " +
			"\"fsc.write_file\", \"nosuch\")\nfmt.Println(len(d.Tools), d.Tools[0].ID, " +
			"err)\nfmt.Println(strings.Join(d.NotFound, \"|\"))", outcome.OK,
			[]string{"1 fsa.write_file <nil>\nfsb.write_file is unavailable: denied by -deny fsb.*|fsc.write_file is " +
				"unavailable: denied by -deny fsc|nosuch\n"}},
		{[]string{"fsb.*", "fsc"}, "import \"discovery\"\nc, _ := discovery.Categories()\ns, _ := " +
			"discovery.Stats()\nfmt.Println(len(c), c[0].Tools, c[0].Servers, s.Total.Tools, len(s.Servers), s.Servers[1].Tools)", outcome.OK,
			[]string{"1 1 [fsa] 1 3 0\n"}},
	} {
		res, err := h.Run(t.Context(), &harness.Script{Source: c.script, Policy: &policy.Policy{Deny: c.deny}})
		if err != nil {
			t.Fatal(err)
		}
		got := res.Stdout + res.Text()
		if res.Status != c.want {
			t.Errorf("%v %s: %s, want %s\n%s", c.deny, c.script, res.Status, c.want, got)
		}
		for _, want := range c.texts {
			if part, not := strings.CutPrefix(want, "!"); strings.Contains(got, part) == not {
				t.Errorf("%v %s: want %q in\n%s", c.deny, c.script, want, got)
			}
		}
	}
}

func TestPhrasesNarrowNamesSelectTypesCheck(t *testing.T) {
	h, rec := harnessOver(notes(), func(_ context.Context, _, tool string, _ json.RawMessage) (string, error) {
		if tool == "search_notes" {
			return textResult("two notes"), nil
		}
		return `{"content":[],"structuredContent":{"id":7,"title":"T"}}`, nil
	})
	res := mustRun(t, h, `
UseTools("create a note", "search notes")
n, err := notes.CreateNote(notes.CreateNoteParams{Title: "T", Tags: []string{"a"}})
if err != nil { panic(err) }
s, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"})
if err != nil { panic(err) }
fmt.Println(n.ID, n.Title, s.Text())
Return(n)`)
	if res.Status != outcome.OK {
		t.Fatal(res.Text())
	}
	if res.Stdout != "7 T two notes\n" {
		t.Errorf("stdout %q", res.Stdout)
	}
	if diff := cmp.Diff(`{"id":7,"title":"T"}`, string(res.Value)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`{"tags":["a"],"title":"T"}`, `{"query":"x"}`}, rec.args); diff != "" {
		t.Errorf("arguments -want +got\n%s", diff)
	}
	if len(res.Tools) != 2 || res.Tools[0].Tool != "notes.create_note" || res.Tools[1].Go != "notes.SearchNotes" {
		t.Errorf("tools %+v", res.Tools)
	}
	if len(res.Calls) != 2 || res.Calls[0].Error != nil {
		t.Errorf("calls %+v", res.Calls)
	}
}

func TestFieldsThatTheScriptWritesAreSentAndNoOthers(t *testing.T) {
	h, rec := harnessOver(notes(), func(context.Context, string, string, json.RawMessage) (string, error) {
		return `{"content":[],"structuredContent":{"id":1}}`, nil
	})
	for _, c := range []struct{ script, want string }{
		{`_, _ = notes.CreateNote(notes.CreateNoteParams{Title: "T"})`, `{"title":"T"}`},
		{`_, _ = notes.CreateNote(notes.CreateNoteParams{Title: "T", Pinned: false, Priority: 0, Body: ""})`,
			`{"body":"","pinned":false,"priority":0,"title":"T"}`},
		{`p := notes.CreateNoteParams{Title: "T"}; p.Priority = 0; _, _ = notes.CreateNote(p)`, `{"priority":0,"title":"T"}`},
		{`p := &notes.CreateNoteParams{}; p.Title = "T"; p.Pinned = false; _, _ = notes.CreateNote(*p)`,
			`{"pinned":false,"title":"T"}`},
		{`_, _ = notes.CreateNote(notes.CreateNoteParams{Title: "T", Tags: nil})`, `{"tags":[],"title":"T"}`},
	} {
		rec.args = nil
		if res := mustRun(t, h, c.script); res.Status != outcome.OK {
			t.Errorf("%s: %s", c.script, res.Text())
			continue
		}
		if diff := cmp.Diff([]string{c.want}, rec.args); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.script, diff)
		}
	}
}

func TestNothingRunsBeforeEverythingIsKnown(t *testing.T) {
	t.Parallel()
	h, rec := harnessOver(notes(), func(context.Context, string, string, json.RawMessage) (string,
		error) {
		return textResult("x"), nil
	})
	for _, c := range []struct {
		name, script string
		status       outcome.Status
		want         []string // in the text
	}{
		{"an unknown phrase", `UseTools("launch a rocket to the moon"); fmt.Println("launched")`, outcome.ToolNotFound,
			[]string{`"launch a rocket to the moon"`}},
		{"a wrong field", `_, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); _, _ = notes.SearchNotes(notes.SearchNotesParams{Text: "y"})`, outcome.CompileError, []string{"Text", "Query string"}},
		{"a wrong function", `_, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); notes.FindNotes("y")`, outcome.CompileError,
			[]string{"FindNotes", "notes.SearchNotes"}},
		{"a required field that is not set", `_, _ = notes.SearchNotes(notes.SearchNotesParams{Limit: 5})`, outcome.CompileError,
			[]string{"1:26", "Query", "Query string /*required*/"}},
		{"a wrong type", `_, _ = notes.SearchNotes(notes.SearchNotesParams{Query: 5})`, outcome.CompileError, []string{"string"}},
		{"an unknown server", "import \"servers/nots\"\nfunc main() { nots.X() }", outcome.CompileError, []string{"servers/notes"}},
		{"no Go at all", `please search my notes`, outcome.CompileError, []string{"1:"}},
		{"an import that scripts do not have", "import \"os/exec\"\nfunc main() { exec.Command(\"ls\") }", outcome.CompileError,
			[]string{"os/exec"}},
		{"a phrase that is no constant", `s := "search"; UseTools(s)`, outcome.CompileError, []string{"UseTools"}},
		{"nothing", ``, outcome.CompileError, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec.args = nil
			res := mustRun(t, h, c.script)
			if res.Status != c.status {
				t.Errorf("status %s, want %s", res.Status, c.status)
			}
			if res.ExitCode != 2 {
				t.Errorf("exit code %d, want 2", res.ExitCode)
			}
			for _, w := range c.want {
				if !strings.Contains(res.Text(), w) {
					t.Errorf("the answer does not mention %q", w)
				}
			}
			if len(rec.args) > 0 || len(res.Calls) > 0 {
				t.Errorf("tools were called: %v", rec.args)
			}
			if res.Error == nil || len(res.Text()) > 900 {
				t.Errorf("the answer has %d characters", len(res.Text()))
			}
			if t.Failed() {
				t.Log(res.Text())
			}
		})
	}
}

func TestAProbeIsAnsweredWithSignatures(t *testing.T) {
	h, _ := harnessOver(notes(), nil)
	res := mustRun(t, h, `UseTools("create a note", "notes.delete_note")`)
	if res.Status != outcome.OK || len(res.Tools) != 2 {
		t.Fatal(res.Text())
	}
	for i, want := range []string{"func notes.CreateNote(p notes.CreateNoteParams) (notes.CreateNoteResult, error) // effect\n",
		"func notes.DeleteNote("} {
		if !strings.Contains(res.Tools[i].Signature, want) {
			t.Errorf("no %q in %s", want, res.Tools[i].Signature)
		}
	}
	if res := mustRun(t, h, `UseTools("launch a rocket to the moon")`); res.Status != outcome.OK ||
		!strings.Contains(res.Text(), "no tool fits it well") {
		t.Errorf("%s", res.Text())
	}
	// Where one is to be chosen, the text says how each is called.
	res = mustRun(t, h, `UseTools("a note")`)
	if want := "notes.DeleteNote(ID int) → text or JSON // effect // Delete a note for ever"; res.Status != outcome.OK ||
		!strings.Contains(res.Text(), want) || !strings.Contains(res.Text(), "func notes.CreateNote(") {
		t.Errorf("no %q in\n%s", want, res.Text())
	}
	res = mustRun(t, h, `UseTools("a note"); Return(1)`)
	if res.Status != outcome.Ambiguous && res.Status != outcome.ToolNotFound {
		t.Fatal(res.Text())
	}
	if want := "p { Title string /*required*/; Body string; Pinned bool; Priority int; Tags []string }"; !strings.Contains(res.Text(), want) {
		t.Errorf("no %q in\n%s", want, res.Text())
	}
	if s := strings.Join(res.Error.Signatures, "\n"); !strings.Contains(s,
		"func notes.CreateNote(p notes.CreateNoteParams) (notes.CreateNoteResult, error) // ") {
		t.Errorf("signatures\n%s", s)
	}
}

func TestUndeclaredToolsAreAddedOrRefused(t *testing.T) {
	h, _ := harnessOver(notes(), func(context.Context, string, string, json.RawMessage) (string,
		error) {
		return textResult("x"), nil
	})
	script := `r, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); fmt.Println(r.Text(), err)`
	res := mustRun(t, h, script)
	if res.Status != outcome.OK || len(res.Warnings) != 0 || len(res.Tools) != 1 || res.Tools[0].By != outcome.ByAdded {
		t.Errorf("%s %v %+v", res.Text(), res.Warnings, res.Tools)
	}
	res, err := h.Run(t.Context(), &harness.Script{Source: script, Strict: true})
	if err != nil || res.Status != outcome.ToolNotFound {
		t.Errorf("strict: %v %v", res.Status, err)
	}
}

func TestAToolThatFailsIsAnErrorInTheScript(t *testing.T) {
	h, _ := harnessOver(notes(), func(_ context.Context, _, tool string, _ json.RawMessage) (string, error) {
		if tool == "delete_note" {
			return `{"isError":true,"content":[{"type":"text","text":"no note 5"}]}`, nil
		}
		return "", errors.New("the server is gone")
	})
	res := mustRun(t, h, `
_, err := notes.DeleteNote(notes.DeleteNoteParams{ID: 5})
fmt.Println(err)
_, err = notes.SearchNotes(notes.SearchNotesParams{Query: "x"})
fmt.Println(err)
_, err = notes.SearchNotes(notes.SearchNotesParams{Query: "x", Limit: 1000})
fmt.Println(strings.Split(err.Error(), "\n")[0])`)
	want := "notes.delete_note: no note 5\nnotes.search_notes: the server is gone\n"
	if !strings.HasPrefix(res.Stdout, want) || !strings.Contains(res.Stdout, "wrong arguments") {
		t.Errorf("stdout %q\n%s", res.Stdout, res.Text())
	}
	if len(res.Calls) != 3 || res.Calls[0].Error == nil || *res.Calls[0].Error != "no note 5" {
		t.Errorf("calls %+v", res.Calls)
	}
	// A call that ended the script is told of once, one that it passed over too.
	for _, then := range []string{`if err != nil { panic(err) }`, `_ = err`, `if err != nil { panic("other") }`} {
		source := "_, err := notes.DeleteNote(notes.DeleteNoteParams{ID: 5}); " + then
		if text := mustRun(t, h, source).Text(); strings.Count(text, "no note 5") != 1 {
			t.Errorf("%s: want the failure once, got\n%s", source, text)
		}
	}
}

func TestPanicShowsGoTextAndTheScriptsLine(t *testing.T) {
	h := harness.New(nil)
	res := mustRun(t, h, "fmt.Println(\"before\")\nvar m map[string]int\nm[\"x\"] = 1\n")
	if res.Status != outcome.ScriptError || res.Error.Kind != outcome.KindPanic || res.Stdout != "before\n" {
		t.Fatal(res.Text())
	}
	if !strings.Contains(res.Error.Message, "assignment to entry in nil map") || res.Error.Line != 3 {
		t.Errorf("%+v", res.Error)
	}
}

func TestRunsAreBoundedAndCanceled(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context, _, _ string, _ json.RawMessage) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	h, _ := harnessOver(notes(), hang)
	for _, c := range []struct {
		name, script string
		limits       harness.Limits
		want         outcome.Status
	}{
		{"an endless loop", `for {}`, harness.Limits{Timeout: 300 * time.Millisecond}, outcome.Timeout},
		{"a tool that never answers", `_, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "x"})`,
			harness.Limits{Timeout: 300 * time.Millisecond}, outcome.Timeout},
		{"a flood", `for { fmt.Println("0123456789") }`, harness.Limits{Stdout: 1000}, outcome.OutputLimit},
		{"a huge value", `Return(strings.Repeat("x", 10000))`, harness.Limits{Value: 1000}, outcome.OutputLimit},
		{"many calls", `for range 100 { go notes.SearchNotes(notes.SearchNotesParams{Query: "x"}) }; select {}`,
			harness.Limits{Calls: 10}, outcome.CallLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := h.Run(t.Context(), &harness.Script{Source: c.script, Limits: c.limits})
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != c.want || res.Error == nil || res.Error.Kind != outcome.KindLimit {
				t.Errorf("got %s", res.Text())
			}
			if len(res.Stdout) > 1000 {
				t.Errorf("%d bytes of stdout", len(res.Stdout))
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out waitWriter
	out.seen = make(chan struct{})
	go func() { <-out.seen; cancel() }()
	res, err := h.Run(ctx, &harness.Script{Source: `fmt.Println("up"); for {}`, Stdout: &out})
	if err != nil || res.Status != outcome.Canceled {
		t.Errorf("canceled: %+v, %v", res, err)
	}
}

func TestATimeoutSaysWhereTheScriptWas(t *testing.T) {
	t.Parallel()
	for _, limit := range untilThere {
		res, err := harness.New(nil).Run(t.Context(),
			&harness.Script{Source: "fmt.Println(1)\n\ntime.Sleep(time.Hour)\n", Limits: harness.Limits{Timeout: limit}})
		if err != nil || res.Status != outcome.Timeout {
			t.Fatal(err, res.Text())
		}
		if res.Stdout == "1\n" && res.Error.Line == 3 && strings.Contains(res.Error.Snippet, "time.Sleep") {
			return
		}
		t.Logf("after %v: stdout %q, %+v", limit, res.Stdout, res.Error)
	}
	t.Error("it was never said")
}

// untilThere are time limits for scripts that wait somewhere until theirs is
// over, which is for the start and the compiler too. Each is tried when the
// script had not come that far in the one before, as on a busy machine.
var untilThere = []time.Duration{time.Second / 2, 2 * time.Second, 10 * time.Second, time.Minute}

// waitWriter closes seen when something was written.
type waitWriter struct {
	once sync.Once
	seen chan struct{}
}

func (w *waitWriter) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.seen) })
	return len(b), nil
}

func TestReturnLosesNothing(t *testing.T) {
	h := harness.New(nil)
	for script, want := range map[string]string{
		`Return(errors.New("bad"))`:                                        `"bad"`,
		`Return(map[string]any{"a": fmt.Errorf("x: %w", io.EOF), "b": 1})`: `{"a":"x: EOF","b":1}`,
		`Return([]error{io.EOF, nil})`:                                     `["EOF",null]`,
		`Return("<a & b>")`:                                                `"<a & b>"`,
		`var m map[string]any; Return(m)`:                                  `null`,
		`var xs []any; Return(xs)`:                                         `null`,
		`Return(nil)`:                                                      `null`,
		`Return(json.RawMessage("[1]"))`:                                   `[1]`,
		`type T struct { A int "json:\"a\""; E error }; Return(T{A: 1})`:   `{"a":1,"E":null}`,
		`Return(struct{}{})`:                                               `{}`,
	} {
		res := mustRun(t, h, script)
		if string(res.Value) != want {
			t.Errorf("%s: %s, want %s\n%s", script, res.Value, want, res.Text())
		}
	}
	res := mustRun(t, h, `type T struct{ name string }; Return([]T{{"a"}})`)
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "not exported") {
		t.Errorf("warnings %q", res.Warnings)
	}
}

func TestAScriptWithoutToolsAsksForNoCatalog(t *testing.T) {
	h := harness.New(&harness.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return nil, errors.New("asked") }})
	if res := mustRun(t, h, `Return(1)`); res.Status != outcome.OK || string(res.Value) != "1" {
		t.Error(res.Text())
	}
	if _, err := h.Run(t.Context(), &harness.Script{Source: `UseTools("x")`}); err == nil {
		t.Error("the catalog's error is lost")
	}
}

func TestInputsReachTheScript(t *testing.T) {
	res, err := harness.New(nil).Run(t.Context(), &harness.Script{
		Source: `var xs []int; if err := Input("xs", &xs); err != nil { panic(err) }; fmt.Println(xs, Input("y", &xs))`,
		Inputs: map[string]json.RawMessage{"xs": json.RawMessage("[1,2]")}})
	if err != nil || !strings.HasPrefix(res.Stdout, "[1 2] Input: no value \"y\"") {
		t.Errorf("%v %v", res, err)
	}
}

func TestParallelCallsKeepTheirResultsApart(t *testing.T) {
	h, _ := harnessOver(notes(), func(_ context.Context, _, _ string, args json.RawMessage) (string, error) {
		var a struct{ Query string }
		json.Unmarshal(args, &a)
		return textResult("for " + a.Query), nil
	})
	res := mustRun(t, h, `
out := make([]string, 50)
var wg sync.WaitGroup
for i := range out {
	wg.Go(func() {
		r, err := notes.SearchNotes(notes.SearchNotesParams{Query: fmt.Sprint(i)})
		if err != nil { panic(err) }
		out[i] = r.Text()
	})
}
wg.Wait()
for i, s := range out { if s != fmt.Sprint("for ", i) { panic(fmt.Sprint(i, " got ", s)) } }
Return(len(out))`)
	if res.Status != outcome.OK || string(res.Value) != "50" || len(res.Calls) != 50 {
		t.Error(res.Text())
	}
}

func TestSpareWorkersRunOneScriptEach(t *testing.T) {
	h := harness.New(&harness.Options{Spares: 2})
	defer h.Close()
	for i := range 10 {
		res := mustRun(t, h, fmt.Sprintf(`Return(%d)`, i))
		if res.Status != outcome.OK || string(res.Value) != fmt.Sprint(i) {
			t.Fatal(res.Text())
		}
	}
}

// slowStarts is a Caller whose servers are ready once each of two was told to start.
type slowStarts struct {
	*recorder
	one, two chan struct{}
	onces    [2]sync.Once
}

func (s *slowStarts) Ready(ctx context.Context, server string) error {
	own, other, once := s.one, s.two, &s.onces[0]
	if server == "two" {
		own, other, once = s.two, s.one, &s.onces[1]
	}
	once.Do(func() { close(own) })
	select {
	case <-other:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestTheServersOfAScriptStartTogether(t *testing.T) {
	readOnly := true
	reg := &registry.Registry{Servers: []registry.Server{{Name: "one"}, {Name: "two"}}}
	for _, server := range []string{"one", "two"} {
		reg.Tools = append(reg.Tools, registry.Tool{Server: server, Name: "get", Input: json.RawMessage(`{"type": "object"}`),
			Annotations: &registry.Annotations{ReadOnly: &readOnly}})
	}
	reg.Normalize()
	calls := &slowStarts{one: make(chan struct{}), two: make(chan struct{}), recorder: &recorder{answer: func(_ context.Context, server, _ string, _ json.RawMessage) (string, error) {
		return textResult(server), nil
	}}}
	cat := &catalog.Catalog{Registry: reg, Calls: calls}
	h := harness.New(&harness.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil },
		Limits: harness.Limits{Timeout: 10 * time.Second}})
	res := mustRun(t, h, `a, err := one.Get(); if err != nil { panic(err) }
b, err := two.Get(); if err != nil { panic(err) }
Return(a.Text() + b.Text())`)
	if res.Status != outcome.OK || string(res.Value) != `"onetwo"` {
		t.Errorf("%s: %s", res.Status, res.Text())
	}
}
