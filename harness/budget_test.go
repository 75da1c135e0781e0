package harness_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
)

// saving is a harness over notes whose library has these scripts, by name.
func saving(t *testing.T, scripts map[string]string,
	answer func(ctx context.Context, server, tool string, args json.RawMessage) (string, error)) (*harness.Harness, *recorder) {
	t.Helper()
	lib := library.Open(t.TempDir())
	for name, source := range scripts {
		if err := lib.Save(&library.Script{Name: name, Source: source}); err != nil {
			t.Fatal(err)
		}
	}
	rec := &recorder{answer: answer}
	cat := &catalog.Catalog{Registry: notes(), Calls: rec, Scripts: lib}
	return harness.New(&harness.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }}), rec
}

// A limit is one for a run and all that it runs through RunScript.
func TestALimitIsForAllThatAScriptRuns(t *testing.T) {
	const runAll = `last := ""
for range 8 {
	if _, err := RunScript("part", nil); err != nil { last = err.Error(); break }
}
Return(last)`
	const calling = `for range 5 { if _, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); err != nil { panic(err) } }; Return(1)`
	for _, c := range []struct {
		name, part, script string
		limits             harness.Limits
		want               outcome.Status
		says               string // the error, or the value
		calls              int    // at most
	}{
		{"calls", calling, runAll, harness.Limits{Calls: 13}, outcome.OK,
			"the script and the saved scripts that run with it made more than 13", 11},
		{"calls are those of the caller too", calling, runAll +
			"\nfor { _, _ = notes.SearchNotes(notes.SearchNotesParams{Query: \"x\"}) }", harness.Limits{Calls: 13}, outcome.CallLimit,
			"more than 13 tool calls", 11},
		{"calls of others at once", calling, `var wg sync.WaitGroup
for range 8 { wg.Go(func() { RunScript("part", nil) }) }
wg.Wait(); Return("all")`, harness.Limits{Calls: 15}, outcome.OK, "all", 15},
		{"what is printed", `fmt.Print(strings.Repeat("x", 1000)); Return(1)`, runAll, harness.Limits{Stdout: 3500}, outcome.OK,
			"the script and the saved scripts that run with it wrote more than 3500", 0},
		{"what is printed by both", `fmt.Print(strings.Repeat("x", 1000)); Return(1)`,
			`RunScript("part", nil); fmt.Print(strings.Repeat("x", 1000))`, harness.Limits{Stdout: 1500}, outcome.OutputLimit,
			"more than 1500 bytes", 0},
		{"CPU time of one", `for { }`, runAll, harness.Limits{CPU: time.Second}, outcome.CPULimit, "more than 1s of CPU", 0},
		{"CPU time of all", `x := 0; for i := range 3_000_000 { x += i }; Return(x)`,
			`for { if _, err := RunScript("part", nil); err != nil { Return(err.Error()); break } }`,
			harness.Limits{CPU: time.Second}, outcome.CPULimit, "more than 1s of CPU", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, rec := saving(t, map[string]string{"part": c.part},
				func(context.Context, string, string, json.RawMessage) (string, error) { return textResult("n"), nil })
			defer h.Close()
			c.limits.Timeout = time.Minute
			res, err := h.Run(t.Context(), &harness.Script{Source: c.script, Limits: c.limits})
			if err != nil {
				t.Fatal(err)
			}
			said := string(res.Value)
			if res.Error != nil {
				said = res.Error.Message
			}
			// Where the time of a nested script ends with the kernel's signal its caller may have a moment to say so.
			if res.Status != c.want && (c.want != outcome.CPULimit || !strings.Contains(said, "cpu_limit")) ||
				!strings.Contains(said, c.says) {
				t.Errorf("%s: %s, want %s: %s", res.Status, said, c.want, c.says)
			}
			if len(rec.args) > c.calls {
				t.Errorf("%d calls, want at most %d", len(rec.args), c.calls)
			}
		})
	}
}

// Saved scripts have a process each, one chain of them at a time, each with
// half of its caller's memory.
func TestSavedScriptsAreOneChainOfHalves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ own, want []int64 }{
		{[]int64{512}, []int64{512, 256, 128, 112}},
		{[]int64{4096}, []int64{4096, 2048, 1024, 512}},
		{[]int64{384}, []int64{384, 192, 112}},
		{[]int64{256}, []int64{256, 128, 112}},
		{[]int64{128}, []int64{128, 112}},
		{[]int64{96}, []int64{96}},
	} {
		got, sum := harness.NestedMemory(c.own[0]<<20), int64(0)
		for i := range got {
			got[i] >>= 20
			sum += got[i]
		}
		if diff := cmp.Diff(c.want, got); diff != "" || sum >= harness.MemoryFactor*c.own[0] {
			t.Errorf("%d MB in all: %s", sum, diff)
		}
	}

	var now, most atomic.Int64
	scripts := map[string]string{
		"leaf":   `_, _ = notes.SearchNotes(notes.SearchNotesParams{Query: "leaf"}); Return("leaf")`,
		"greedy": `var all [][]byte; for { all = append(all, make([]byte, 1<<20)) }`,
		"deep":   `v, err := RunScript("deep", nil); if err != nil { Return(err.Error()) } else { Return(v) }`,
	}
	h, _ := saving(t, scripts, func(context.Context, string, string, json.RawMessage) (string, error) {
		most.Store(max(most.Load(), now.Add(1)))
		for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); { // others would come meanwhile
		}
		now.Add(-1)
		return textResult("n"), nil
	})
	defer h.Close()
	res := mustRun(t, h, `var wg sync.WaitGroup
var n atomic.Int64
for range 6 { wg.Go(func() { if _, err := RunScript("leaf", nil); err == nil { n.Add(1) } }) }
wg.Wait(); Return(n.Load())`)
	if res.Status != outcome.OK || string(res.Value) != "6" || most.Load() != 1 {
		t.Errorf("%s %s, %d at once: %+v", res.Status, res.Value, most.Load(), res.Error)
	}
	sum := sha256.Sum256([]byte(scripts["leaf"]))
	if len(res.Scripts) != 6 || res.Scripts[0].Name != "leaf" || res.Scripts[0].Hash != hex.EncodeToString(sum[:]) ||
		res.Scripts[0].Depth != 1 || res.Scripts[0].Status != outcome.OK {
		t.Errorf("%+v", res.Scripts)
	}
	res = mustRun(t, h, `_, err := RunScript("greedy", nil); Return(err.Error())`)
	if !strings.Contains(string(res.Value), "the script used more memory than allowed (256 MiB)") {
		t.Errorf("%s", res.Value)
	}
	for _, c := range []struct {
		memory int64
		want   string
		depth  int
	}{{512, "more than 3 deep", 3}, {256, "more than 2 deep; the next one needs", 2}} {
		res, err := h.Run(t.Context(), &harness.Script{Source: scripts["deep"], Limits: harness.Limits{Memory: c.memory << 20}})
		if err != nil || !strings.Contains(string(res.Value), c.want) || len(res.Scripts) != c.depth ||
			res.Scripts[0].Depth != c.depth {
			t.Errorf("%d MB: %v %+v", c.memory, err, res)
		}
	}
}

// The warnings of many saved scripts do not make an answer without end.
func TestWarningsOfSavedScriptsAreBounded(t *testing.T) {
	noisy := "Return(1)\n"
	for i := range 30 {
		noisy += fmt.Sprintf("unused%d := %d\n", i, i)
	}
	h, _ := saving(t, map[string]string{"noisy": noisy}, nil)
	defer h.Close()
	res := mustRun(t, h, `for range 3 { if _, err := RunScript("noisy", nil); err != nil { panic(err) } }`)
	if n := len(res.Warnings); res.Status != outcome.OK || n != harness.MaxNestedWarnings {
		t.Errorf("%s, %d warnings: %+v", res.Status, n, res.Error)
	}
}
