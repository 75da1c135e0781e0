package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/schema"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers/observe"
)

func TestScriptsTellAToolsFailureFromOthers(t *testing.T) {
	h, _ := harnessOver(notes(), func(_ context.Context, _, tool string, _ json.RawMessage) (string, error) {
		if tool == "search_notes" {
			return "", errors.New("connection refused")
		}
		return `{"isError":true,"content":[{"type":"text","text":"no such note"}]}`, nil
	})
	for _, c := range []struct{ name, script, want string }{
		{"errors.As", `
_, err := notes.DeleteNote(notes.DeleteNoteParams{ID: 5})
var te *ToolError
fmt.Println(errors.As(err, &te), te.Tool, te.Message)
_, err = notes.SearchNotes(notes.SearchNotesParams{Query: "x"})
te = nil
fmt.Println(errors.As(err, &te), te == nil, err)`,
			"true notes.delete_note no such note\nfalse true notes.search_notes: connection refused\n"},
		{"type switch and AsType", `
_, err := notes.DeleteNote(notes.DeleteNoteParams{ID: 5})
switch e := err.(type) {
case *ToolError:
	fmt.Println("tool", e.Message)
default:
	fmt.Println("other", err)
}
err = fmt.Errorf("wrapped: %w", err)
if te, ok := errors.AsType[*ToolError](err); ok {
	fmt.Println(te.Tool, err)
}`, "tool no such note\nnotes.delete_note wrapped: notes.delete_note: no such note\n"},
		{"shadowed", `
type ToolError struct{ X int }
_, err := notes.DeleteNote(notes.DeleteNoteParams{ID: 5})
fmt.Println(ToolError{3}, err)`, "{3} notes.delete_note: no such note\n"},
		{"made by the script", `
var err error = &ToolError{Tool: "a.b", Message: "made"}
fmt.Println(err)`, "a.b: made\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := mustRun(t, h, c.script)
			if res.Status != outcome.OK || res.Stdout != c.want {
				t.Errorf("%s\nwant %s", res.Text(), c.want)
			}
		})
	}
}

func TestImagesCanBeReturned(t *testing.T) {
	const image = `{"type":"image","data":"aGk=","mimeType":"image/png"}`
	h, _ := harnessOver(notes(), func(context.Context, string, string, json.RawMessage) (string, error) {
		return `{"content":[{"type":"text","text":"a picture"},` + image + `]}`, nil
	})
	for script, want := range map[string]string{
		`r, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); if err != nil { panic(err) }; Return(r)`:                                                        `[{"type":"text","text":"a picture"},` + image + `]`,
		`r, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); if err != nil { panic(err) }; Return(map[string]any{"said": r.Text(), "image": r.Images()[0]})`: `{"image":{"type":"image","mimeType":"image/png","data":"aGk="},"said":"a picture"}`,
		`r, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); if err != nil { panic(err) }; for _, i := range r.Images() { Return(len(i.Data)) }`:             `2`,
	} {
		if res := mustRun(t, h, script); string(res.Value) != want {
			t.Errorf("%s\n%s", script, res.Text())
		}
	}
}

func TestResultsAreCheckedAgainstTheirSchema(t *testing.T) {
	for _, c := range []struct{ name, result, stdout, warning string }{
		{"fits", `{"id":7,"title":"T"}`, "7 T", ""},
		{"a required property is missing", `{"title":"T"}`, "0 T",
			`notes.create_note: the result does not fit the tool's output schema: required: missing properties: ["id"]; JSON(&v) and Raw() return it unchanged`},
		{"mended, but not what was promised", `{"id":"7"}`, "7 ",
			`notes.create_note: the result does not fit the tool's output schema: id: type: 7 has type "string", want "integer"; JSON(&v) and Raw() return it unchanged`},
		{"null", `{"id":7,"title":null}`, "7 ",
			`notes.create_note: the result does not fit the tool's output schema: title: type: null has type "null", want "string"; JSON(&v) and Raw() return it unchanged`},
		{"not to be mended", `{"id":"seven","title":"T"}`, "0 T",
			`notes.create_note: the result does not fit the tool's output schema: id is the string "seven", not an integer; JSON(&v) and Raw() return it unchanged`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := harnessOver(notes(), func(context.Context, string, string, json.RawMessage) (string, error) {
				return `{"content":[],"structuredContent":` + c.result + `}`, nil
			})
			res := mustRun(t, h, `UseTools("notes.create_note")
n, err := notes.CreateNote(notes.CreateNoteParams{Title: "T"})
if err != nil { panic(err) }
fmt.Println(n.ID, n.Title)
var v any
if err := n.JSON(&v); err != nil { panic(err) }
Return(v)`)
			var want []string
			if c.warning != "" {
				want = []string{c.warning}
			}
			if diff := cmp.Diff(want, append([]string(nil), res.Warnings...)); diff != "" {
				t.Errorf("warnings -want +got\n%s", diff)
			}
			if res.Stdout != c.stdout+"\n" || !sameJSON(string(res.Value), c.result) {
				t.Error(res.Text())
			}
		})
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}

func TestFailureReportedAsSuccessIsFlaggedInTheCall(t *testing.T) {
	h, _ := harnessOver(notes(), func(_ context.Context, _, _ string, args json.RawMessage) (string, error) {
		if strings.Contains(string(args), "bad") {
			return textResult("Error retrieving notes: connection refused"), nil
		}
		return textResult("two notes"), nil
	})
	res := mustRun(t, h, `UseTools("notes.search_notes")
for _, q := range []string{"good", "bad", "bad"} {
	r, err := notes.SearchNotes(notes.SearchNotesParams{Query: q})
	if err != nil { panic(err) }
	fmt.Println(r.Text())
}`)
	var flags []bool
	for _, c := range res.Calls {
		flags = append(flags, c.Suspect != "" && c.Error == nil)
	}
	if diff := cmp.Diff([]bool{false, true, true}, flags); diff != "" {
		t.Error(diff)
	}
	want := []string{"2 of 3 results look like failures; for example call 2: " +
		`it begins "Error retrieving notes: connection refused"`}
	if diff := cmp.Diff(want, res.Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestFailureReportedAsSuccessNamesTheCall(t *testing.T) {
	reg := notes()
	reg.Tools = append(reg.Tools, registry.Tool{Server: "notes", Name: "sync",
		Input: json.RawMessage(`{"type":"object"}`)})
	reg.Normalize()
	h, _ := harnessOver(reg, func(_ context.Context, _, tool string, args json.RawMessage) (string, error) {
		if tool == "sync" || strings.Contains(string(args), "bad") {
			return textResult("Error: no such note"), nil
		}
		return textResult("two notes"), nil
	})
	const said = `: reports success, but the result looks like a failure: it begins "Error: no such note"`
	for _, c := range []struct{ script, want string }{
		{`_, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "good"}); _, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "bad"}); _, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "ok"})`,
			`call 2 of 3, notes.SearchNotes({"query":"bad"})` + said},
		{`_, _ = notes.Sync()`, `call 1 of 1, notes.Sync()` + said},
		{`_, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "bad\u202e" + strings.Repeat("é", 200)})`,
			`call 1 of 1, notes.SearchNotes({"query":"bad` + "\uFFFD" + strings.Repeat("é", 86) + `…)` + said},
	} {
		res := mustRun(t, h, `UseTools("notes.search_notes", "notes.sync")`+"\n"+c.script)
		if diff := cmp.Diff([]string{c.want}, res.Warnings); diff != "" {
			t.Errorf("%s\n-want +got\n%s", c.script, diff)
		}
	}
}

// TestHostileSchemasDoNotHangAValidation gives schemas that refer to
// themselves or double with each level: a server must not be able to end or
// stop the process that validates.
func TestHostileSchemasDoNotHangAValidation(t *testing.T) {
	t.Parallel()
	var doubling strings.Builder
	for i := range 60 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	deep := json.RawMessage(strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60))
	for name, declared := range map[string]string{
		"itself":            `{"$ref":"#"}`,
		"itself, escaped":   `{"$ref":"#/$defs/%61","$defs":{"a":{"$ref":"#/$defs/a"}}}`,
		"each other":        `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"if":{"$ref":"#/$defs/a"}}}}`,
		"by another name":   `{"$id":"https://example.com/x","$ref":"x"}`,
		"by an anchor":      `{"$anchor":"a","$ref":"#a"}`,
		"dynamically":       `{"$dynamicAnchor":"a","$dynamicRef":"#a"}`,
		"an address inside": `{"$ref":"#/$defs/x","$defs":{"x":{"$id":"https://example.com/y","allOf":[{"$ref":"#"}]}}}`,
		"doubling":          `{"$ref":"#/$defs/d0","$defs":{` + doubling.String() + `"d60":{}}}`,
		"doubling by depth": `{"properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"type":"string"}]}}}`,
		"in another case":   `{"$REF":"#","ALLOF":[{"$Ref":"#"}]}`,
	} {
		tl := &registry.Tool{ID: "s.t", Input: json.RawMessage(declared), Output: json.RawMessage(declared)}
		var s schema.Set
		if err := s.Arguments(tl, registry.ReadArgs(deep)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Result(tl, &backend.Result{Structured: deep}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRecursiveSchemasAreEnforced(t *testing.T) {
	tl := &registry.Tool{ID: "s.t",
		Input: json.RawMessage(`{"type":"object","properties":{"root":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"n":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}`)}
	var s schema.Set
	if err := s.Arguments(tl, registry.ReadArgs([]byte(`{"root":{"n":1,"children":[{"n":2,"children":[{"n":3}]}]}}`))); err != nil {
		t.Error(err)
	}
	if err := s.Arguments(tl, registry.ReadArgs([]byte(`{"root":{"n":1,"children":[{"n":2,"children":[{"n":"x"}]}]}}`))); err == nil {
		t.Error("a wrong type deep inside was accepted")
	}
}

func FuzzValidate(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"$ref":"#"}},"allOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"not":{}}}}`),
		[]byte(`{"a":{"a":{}}}`))
	f.Add([]byte(`{"items":[{"$ref":"#"}],"dependencies":{"a":{"$ref":"#"}},"$ref":"#/items/0"}`), []byte(`{"a":[[]]}`))
	f.Fuzz(func(t *testing.T, raw, v []byte) {
		tl := &registry.Tool{ID: "s.t", Input: raw, Output: raw}
		var s schema.Set
		_ = s.Arguments(tl, registry.ReadArgs(v))
		_ = s.Result(tl, &backend.Result{Structured: v})
	})
}

func TestTypesAreLearntWhileTheHarnessRuns(t *testing.T) {
	reg := notes()
	file := filepath.Join(t.TempDir(), "shapes.json")
	shapes := observe.New(file)
	cat := &catalog.Catalog{Registry: reg, Shapes: shapes,
		Calls: &recorder{answer: func(_ context.Context, _, _ string, args json.RawMessage) (string, error) {
			return textResult(fmt.Sprintf(`{"found":[%q]}`, args)), nil
		}}}
	run := func(script string) *outcome.Result {
		t.Helper()
		h := harness.New(&harness.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }})
		defer h.Close() // waits until all is learnt
		return mustRun(t, h, script)
	}
	const typed = `r, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); if err != nil { panic(err) }; Return(r.Found[0])`
	if res := run(typed); res.Status != outcome.CompileError {
		t.Error(res.Text())
	}
	// A run counts three results, and those of equal calls once.
	same := `for range 9 { if _, err := notes.SearchNotes(notes.SearchNotesParams{Query: "a"}); err != nil { panic(err) } }`
	for _, n := range []int{1, 2} {
		run(same)
		if got := shapes.List(); len(got) != 1 || got[0].Results != n {
			t.Errorf("after %d runs: %+v", n, got)
		}
	}
	run(`for i := range 9 { if _, err := notes.SearchNotes(notes.SearchNotesParams{Query: "a", Limit: i+1}); err != nil { panic(err) } }`)
	if res := run(typed); string(res.Value) != `"{\"query\":\"x\"}"` {
		t.Error(res.Text())
	}
	if res := run(`UseTools("notes.search_notes")`); !strings.Contains(res.Text(),
		"result type observed, not promised by the server") {
		t.Error(res.Text())
	}
	if b, err := os.ReadFile(file); err != nil || strings.Contains(string(b), "query") {
		t.Errorf("%s, %v", b, err)
	}
}

func TestWhatAResultLookedLikeIsKnownAfterItsRun(t *testing.T) {
	shapes := observe.New("")
	cat := &catalog.Catalog{Registry: notes(), Shapes: shapes,
		Calls: &recorder{answer: func(_ context.Context, _, tool string, _ json.RawMessage) (string, error) {
			if tool == "delete_note" {
				return textResult("deleted"), nil
			}
			return textResult(`{"found":["a"]}`), nil
		}}}
	h := harness.New(&harness.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }})
	defer h.Close()
	view, err := cat.View() // from before
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, h, `if _, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); err != nil { panic(err) }
for i := range 9 { if _, err := notes.DeleteNote(notes.DeleteNoteParams{ID: i}); err != nil { panic(err) } }`)
	for id, want := range map[string]string{"notes.search_notes": "{found []string} 1", "notes.delete_note": "text 3"} {
		tool, ok := view.Tool(id)
		if !ok {
			t.Fatal(id)
		}
		if outline, n, ok := tool.Seen(); !ok || fmt.Sprint(outline, " ", n) != want {
			t.Errorf("%s: %v %s %d, want %s", id, ok, outline, n, want)
		}
	}
}

func TestReturnedResultsLeaveOutWhatTheServerDid(t *testing.T) {
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "s", Name: "get",
		Input: json.RawMessage(`{"type":"object"}`),
		Output: json.RawMessage(`{"type":"object","required":["items","title"],"properties":{"title":{"type":"string"},"note":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"count":{"type":"integer"},"ok":{"type":"boolean"},
			"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"text":{"type":"string"},"any":{}}}}}}`)}}}
	reg.Normalize()
	h, _ := harnessOver(reg, func(context.Context, string, string, json.RawMessage) (string, error) {
		return `{"content":[],"structuredContent":{"title":"","count":0,"items":[{"id":0,"text":"a"},{"any":0}]}}`, nil
	})
	res := mustRun(t, h, `r, err := s.Get()
if err != nil { panic(err) }
Return(r)`)
	const want = `{"title":"","items":[{"id":0,"text":"a"},{"id":0,"any":0}],"count":0,"ok":false}`
	if string(res.Value) != want {
		t.Errorf("%s\nwant %s", res.Text(), want)
	}
}
