package harness_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
)

func TestToolNotFoundErrorSaysWhy(t *testing.T) {
	h, _ := harnessOver(notes(), nil)
	for phrase, want := range map[string]string{
		"note":                        `"note" could mean several tools; nearest: notes.`,
		"launch a rocket to the moon": `no tool found for "launch a rocket to the moon"; nearest: notes.`,
	} {
		res := mustRun(t, h, `err := UseTools("`+phrase+`")
var missing *ToolNotFoundError
if !errors.As(err, &missing) { panic("none") }
Return([]string{err.Error(), missing.Query, strings.Join(missing.Candidates, " ")})`)
		var got []string
		if err := json.Unmarshal(res.Value, &got); err != nil {
			t.Fatalf("%s: %v", res.Text(), err)
		}
		if !strings.HasPrefix(got[0], want) || got[1] != phrase || strings.Count(got[2], "notes.") != 3 {
			t.Errorf("%q", got)
		}
	}
}

func TestPhrasesOfARunThatWentWellAreRemembered(t *testing.T) {
	reg := notes()
	m := memory.New(filepath.Join(t.TempDir(), "phrases.json"), reg)
	cat := &catalog.Catalog{Registry: reg, Memory: m,
		Calls: &recorder{answer: func(_ context.Context, _, tool string, _ json.RawMessage) (string, error) {
			if tool == "delete_note" {
				return `{"isError":true,"content":[]}`, nil
			}
			return textResult("ok"), nil
		}}}
	h := harness.New(&harness.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }})
	const search = `_, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"})
if err != nil { panic(err) }`
	for phrase, c := range map[string]struct{ script, want string }{
		"look at them":       {`UseTools("look at them"); ` + search, "notes.search_notes"},
		"notes.search_notes": {`UseTools("notes.search_notes"); ` + search, ""},
		"bring them up":      {`UseTools("bring them up"); ` + search + `; os.Exit(1)`, ""},
		"never called":       {`UseTools("never called"); if false { _, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "x"}) }`, ""},
		"wipe":               {`UseTools("wipe"); if _, err := notes.DeleteNote(notes.DeleteNoteParams{ID: 1}); err != nil { fmt.Println(err) }`, ""},
		"delete a note":      {`UseTools("delete a note"); ` + search, ""},              // the search knows better
		"one thing":          {`UseTools("one thing", "another thing"); ` + search, ""}, // which of them?
	} {
		mustRun(t, h, c.script)
		if got, _, ok := m.Recall(phrase); ok {
			t.Errorf("one run is enough for %q: %q", phrase, got)
		}
		mustRun(t, h, c.script)
		if got, _, _ := m.Recall(phrase); got != c.want {
			t.Errorf("%q recalls %q, want %q", phrase, got, c.want)
		}
	}
	if _, err := h.Check(t.Context(), &harness.Script{Source: `UseTools("only checked"); ` + search}); err != nil {
		t.Fatal(err)
	}
	if got, _, ok := m.Recall("only checked"); ok {
		t.Errorf("a check is remembered: %s", got)
	}
	res := mustRun(t, h, `UseTools("look at them")`)
	if u := res.Tools[0]; u.By != discovery.ByMemory || u.Tool != "notes.search_notes" {
		t.Errorf("next time it is %+v", u)
	}
}
