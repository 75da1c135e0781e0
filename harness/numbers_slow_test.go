//go:build slow

package harness_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
)

var numbers = flag.Bool("numbers", false, "measure the table of numbers and write it into the guide on performance")

// percentile calls f n times and returns the q-quantile of its times.
func percentile(n int, q float64, f func()) time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		begin := time.Now()
		f()
		times[i] = time.Since(begin)
	}
	slices.Sort(times)
	return times[min(n-1, int(q*float64(n)))]
}

// manyTools is a registry of n tools, made from real ones by renaming servers.
func manyTools(tb testing.TB, n int) *registry.Registry {
	tb.Helper()
	reg := &registry.Registry{}
	for copies := 0; len(reg.Tools) < n; copies++ {
		for _, file := range []string{"github-mcp-server", "workspace-mcp", "playwright", "git-cyanheads", "mongodb", "redis",
			"filesystem", "chrome-devtools"} {
			raw, err := os.ReadFile(filepath.Join("..", "wrappers", "testdata", "schemas", file+".json"))
			if err != nil {
				tb.Fatal(err)
			}
			var o struct{ Tools []registry.Tool }
			if err := json.Unmarshal(raw, &o); err != nil {
				tb.Fatal(err)
			}
			for _, t := range o.Tools {
				if len(reg.Tools) == n {
					break
				}
				t.Server = file
				if copies > 0 {
					t.Server = fmt.Sprintf("%s-%d", file, copies)
					t.Description = fmt.Sprintf("%s (%d)", t.Description, copies)
				}
				reg.Tools = append(reg.Tools, t)
			}
		}
	}
	reg.Normalize()
	if err := discovery.EmbedTools(tb.Context(), reg); err != nil {
		tb.Fatal(err)
	}
	return reg
}

// firstAnswer loads a registry's file, indexes it and asks it for a tool.
func firstAnswer(tb testing.TB, file string) *discovery.Index {
	tb.Helper()
	reg, err := registry.Load(file)
	if err != nil {
		tb.Fatal(err)
	}
	ix, err := discovery.New(reg, nil)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := ix.Resolve("list the open pull requests of a repository", nil); err != nil {
		tb.Fatal(err)
	}
	return ix
}

// script40 is a script of 40 lines over two tools.
const script40 = `package main

import (
	"fmt"
	"sort"
	"strings"

	"servers/notes"
)

type hit struct {
	Word  string
	Count int
}

func count(text string) map[string]int {
	out := map[string]int{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		out[strings.Trim(w, ".,;")]++
	}
	return out
}

func main() {
	UseTools("search the notes for words", "create a note")
	found, err := notes.SearchNotes(notes.SearchNotesParams{Query: "budget", Limit: 10})
	if err != nil {
		panic(err)
	}
	var hits []hit
	for w, n := range count(found.Text()) {
		hits = append(hits, hit{w, n})
	}
	sort.Slice(hits, func(i, j int) bool { return hits[i].Count > hits[j].Count })
	for i, h := range hits {
		fmt.Printf("%d. %s (%d)\n", i+1, h.Word, h.Count)
	}
	note, err := notes.CreateNote(notes.CreateNoteParams{Title: "words"})
	Return(map[string]any{"hits": len(hits), "note": note.ID, "err": err})
}
`

// row is a line of the table of numbers.
type row struct{ what, goal, measured string }

// answerRows says what answers that teach cost a model.
func answerRows(t *testing.T) []row {
	ask := asking(t)
	var refused []int
	lookUp := 0
	for _, l := range lessons() {
		switch res, tokens := ask(t, l.script); {
		case res.Status != outcome.OK:
			refused = append(refused, tokens)
		case res.LookUp && len(res.Tools) == 4:
			lookUp = tokens
		}
	}
	slices.Sort(refused)
	return []row{
		{"answer to a refused script, cl100k tokens, median / most", "≤ 400 / ≤ 900",
			fmt.Sprintf("%d / %d", refused[len(refused)/2], refused[len(refused)-1])},
		{"answer to a look-up of four phrases, cl100k tokens", "≤ 1,200", fmt.Sprint(lookUp)},
	}
}

// TestNumbers measures every row of the table and writes it into the guide on performance
// when asked to; it never fails for a slow machine.
func TestNumbers(t *testing.T) {
	if !*numbers {
		t.Skip("measures for a minute; run with -numbers")
	}
	ctx := context.Background()
	answer := func(context.Context, string, string, json.RawMessage) (string, error) {
		return textResult("a b c a b a"), nil
	}
	h, _ := harnessOver(notes(), answer)
	run := func(script string) *outcome.Result {
		res, err := h.Run(ctx, &harness.Script{Source: script})
		if err != nil || res.Status != outcome.OK {
			t.Fatal(err, res.Text())
		}
		return res
	}
	run(`Return(1)`)
	var rows []row
	add := func(what, goal, format string, args ...any) {
		rows = append(rows, row{what, goal, fmt.Sprintf(format, args...)})
	}
	show := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

	trivial := percentile(100, .5, func() { run(`Return(1)`) })
	add("trivial script, new worker each time, p50", "≤ 12 ms cold", "%s", show(trivial))
	spare := harness.New(&harness.Options{Spares: 2, Catalog: harness.OptionsOf(h).Catalog})
	waiting := func(script string, of func(*outcome.Result) float64) float64 {
		var all []float64
		for range 50 {
			<-time.After(60 * time.Millisecond) // between requests a spare is made again
			res, err := spare.Run(ctx, &harness.Script{Source: script})
			if err != nil || res.Status != outcome.OK {
				t.Fatal(err, res)
			}
			all = append(all, of(res))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	add("trivial script, spare worker ready, p50", "≤ 1.5 ms", "%.2f ms",
		waiting(`Return(1)`, func(r *outcome.Result) float64 { return r.Timing.Total }))
	add("front end of a 40-line script, spare worker ready, p50", "≤ 1.5 ms", "%.2f ms",
		waiting(script40, func(r *outcome.Result) float64 { return r.Timing.Parse + r.Timing.Check + r.Timing.Lower }))
	spare.Close()
	busy := harness.New(&harness.Options{Spares: 4})
	begin := time.Now()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if res, err := busy.Run(ctx, &harness.Script{Source: `Return(1)`}); err != nil || res.Status != outcome.OK {
					t.Error(err, res)
				}
			}
		})
	}
	wg.Wait()
	add("trivial scripts a second, 8 at a time", "≥ 100", "%.0f", 400/time.Since(begin).Seconds())
	busy.Close()
	bomb := percentile(5, .5, func() {
		res, err := h.Run(ctx, &harness.Script{Source: `var all [][]byte; for { all = append(all, make([]byte, 1<<22)) }`})
		if err != nil || res.Status != outcome.MemoryLimit {
			t.Fatal(err, res.Text())
		}
	})
	add("memory bomb under 512 MiB, until the answer", "≤ 600 ms", "%s", show(bomb))
	calls := func(n int) string {
		return fmt.Sprintf(`for range %d { if _, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); err != nil { panic(err) } }`, n)
	}
	one, many := percentile(50, .5, func() { run(calls(1)) }), percentile(50, .5, func() { run(calls(101)) })
	add("added per tool call inside a script", "≤ 0.3 ms", "%s", show((many-one)/100))
	ten := percentile(50, .5, func() { run(calls(10)) })
	add("10 sequential calls, new worker, p50", "≤ 8 ms", "%s", show(ten))
	for _, size := range []struct {
		tools         int
		load, resolve string // goals
	}{{535, "≤ 40 ms", "≤ 0.5 ms"}, {10_000, "≤ 450 ms", "≤ 1 ms"}, {100_000, "≤ 5 s", "≤ 30 ms"}} {
		reg := manyTools(t, size.tools)
		file := filepath.Join(t.TempDir(), "tool_registry.json")
		if err := reg.Save(file); err != nil {
			t.Fatal(err)
		}
		var ix *discovery.Index
		load := percentile(5, .5, func() { ix = firstAnswer(t, file) })
		add(fmt.Sprintf("load a registry of %d tools, to the first answer", size.tools), size.load, "%s", show(load))
		resolve := percentile(200, .5, func() { ix.Resolve("list the open pull requests of a repository", nil) })
		add(fmt.Sprintf("resolve one phrase at %d tools, p50", size.tools), size.resolve, "%s", show(resolve))
	}
	rows = append(append(rows, costRows(t)...), answerRows(t)...)

	var b strings.Builder
	b.WriteString("| what | goal | measured |\n| --- | --- | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.what, r.goal, r.measured)
	}
	t.Log("\n" + b.String())
	const guide = "../cmd/harness/help/performance.md" // go test ./cmd/harness/help -update makes its page
	readme, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(readme), "<!-- numbers -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- /numbers -->")
	if !ok1 || !ok2 {
		t.Fatal("the guide has no place for the numbers")
	}
	if err := os.WriteFile(guide, []byte(before+"<!-- numbers -->\n"+b.String()+"<!-- /numbers -->"+after),
		0o644); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkLoad is the time from a registry's file to the first answer from it.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{535, 10_000} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "tool_registry.json")
			if err := manyTools(b, n).Save(file); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				firstAnswer(b, file)
			}
		})
	}
}
