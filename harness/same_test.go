package harness_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/backend"
)

// times is how often each record is replayed.
const times = 3

// recordOf runs a script, and returns its record.
func recordOf(t testing.TB, h *harness.Harness, store *store.Store, p *program) (*outcome.Result, *record.Run) {
	t.Helper()
	ctx := t.Context()
	if p.cancel > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		var n atomic.Int64
		p.OnProgress = func(now record.Progress) {
			if now.Done != nil && int(n.Add(1)) == p.cancel {
				cancel()
			}
		}
	}
	res, err := h.Run(ctx, p.Script)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	return res, run
}

// differences replays a record, and returns the differences of each replay.
func differences(t testing.TB, h *harness.Harness, run *record.Run) (all []*harness.Difference) {
	t.Helper()
	for range times {
		got, err := h.Replay(t.Context(), &harness.Replay{Run: run})
		if err != nil {
			t.Error(err)
			return all
		}
		if got.Difference != nil {
			all = append(all, got.Difference)
		}
	}
	return all
}

func TestGeneratedProgramsReplayTheSame(t *testing.T) {
	var mu sync.Mutex
	statuses, racy, differing := map[outcome.Status]int{}, map[string]int{}, map[string]int{}
	same, ran := 0, 0
	t.Run("programs", func(t *testing.T) {
		for n := range uint64(quarter(*programs)) {
			t.Run(fmt.Sprint(*seed+n), func(t *testing.T) {
				t.Parallel()
				p := generateProgram(*seed + n)
				m, cat := newMarket(t, *seed+n)
				p.Catalog = cat
				store := store.Memory(10, nil)
				h := harness.New(&harness.Options{Records: store})
				res, run := recordOf(t, h, store, p)
				if res.Status.ExitCode() == outcome.CompileError.ExitCode() || res.Status == outcome.SandboxError {
					t.Fatalf("%s\n%s", res.Text(), p.Source[len(programHead):])
				}
				calls := m.calls
				ds := differences(t, h, run)
				if m.calls != calls {
					t.Error("a replay called a server")
				}
				mu.Lock()
				defer mu.Unlock()
				statuses[res.Status]++
				for _, why := range p.racy {
					racy[why]++
				}
				switch ran++; {
				case len(ds) == 0:
					same++
				case len(p.racy) > 0:
					differing[strings.Join(p.racy, ", ")]++
					t.Logf("differs, which %v may do: %s: %s", p.racy, ds[0].What, ds[0].Text)
				default:
					t.Errorf("%d of %d replays differ\n%s", len(ds), times, describe(ds[0]))
					if dir := os.Getenv("KEEP"); dir != "" {
						os.WriteFile(filepath.Join(dir, fmt.Sprint(*seed+n, ".go")), []byte(p.Source), 0o644)
					}
				}
			})
		}
	})
	t.Logf("%d of %d programs the same, %d times each; they ended %v", same, ran, times, statuses)
	for _, why := range slices.Sorted(maps.Keys(racy)) {
		t.Logf("%5d with %s", racy[why], why)
	}
	for _, why := range slices.Sorted(maps.Keys(differing)) {
		t.Logf("%5d differ with %s", differing[why], why)
	}
}

func describe(d *harness.Difference) string {
	return fmt.Sprintf("%s: %s\nrecord: %s\nnow:    %s", d.What, d.Text, d.Want, d.Got)
}

// TestTheCorpusReplaysTheSame records and replays scripts that need no tools.
func TestTheCorpusReplaysTheSame(t *testing.T) {
	store := store.Memory(100, nil)
	h := harness.New(&harness.Options{Records: store, Limits: harness.Limits{Timeout: time.Minute}})
	for _, dir := range []string{"internal/check/testdata/corpus", "internal/check/oracle/testdata/found"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no scripts in %s: %v", dir, err)
		}
		for i, file := range files {
			if i%*everyScript != 0 {
				continue
			}
			t.Run(filepath.Base(dir)+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				src, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				res, run := recordOf(t, h, store, &program{Script: &harness.Script{Source: string(src)}})
				if res.Status.ExitCode() == outcome.CompileError.ExitCode() {
					t.Fatal(res.Text())
				}
				for _, d := range differences(t, h, run) {
					t.Error(describe(d))
				}
			})
		}
	}
}

// oddAnswers are results whose bytes a reader and writer of JSON would change.
var oddAnswers = []string{
	`{"content":[],"structuredContent":{"n":1.0}}`,
	`{"content":[],"structuredContent":{"n":1}}`,
	`{"content":[],"structuredContent":{"n":1e0}}`,
	`{"content":[],"structuredContent":{"n":100000000000000000000000000000001,"m":-0,"k":1E+2,"t":0.10}}`,
	" \r\n{ \"content\" :\t[ ] ,\n\"structuredContent\" : { \"n\" : [ 1 , 2 ] } }\n",
	`{"content":[],"structuredContent":{"n":"<&>","\u003c":"\u2028 \u00e9 \/","d":"\ud83d\ude00"}}`,
	"{\"content\":[],\"structuredContent\":{\"n\":\"\u2028\u00e9<&>\"}}",
	`{"content":[],"structuredContent":{"b":1,"a":2,"b":3}}`,
	`{"content":[],"structuredContent":null}`,
	`{"content":[{"type":"text","text":"{\"n\": 1.50}"}]}`,
	`{"content":[],"structuredContent":{"n":"blob:sha256:00:1"}}`,
	`{"content":[{"type":"text","text":"` + strings.Repeat("x ", 40_000) + `"}]}`,
	`{"content":[],"structuredContent":{"n":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`,
	`{"content":[],"structuredContent":{"n": ` + strings.Repeat("1", 70_000) + ` }}`,
}

// oddServer answers with one of oddAnswers.
type oddServer struct{}

func (oddServer) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	args := req.Args.JSON()
	if err := req.Send.Begin(ctx); err != nil {
		return nil, err
	}
	var a struct{ Count int }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	return backend.DecodeResult([]byte(oddAnswers[a.Count]))
}

func TestAScriptSeesTheBytesOfAnAnswerAgain(t *testing.T) {
	t.Parallel()
	_, cat := newMarket(t, 1)
	for i := range cat.Registry.Tools {
		cat.Registry.Tools[i].Output = nil
	}
	cat.Calls = oddServer{}
	stores := map[string]*store.Store{"memory": store.Memory(10, nil)}
	var err error
	if stores["folder"], err = store.Open(t.TempDir(), nil); err != nil {
		t.Fatal(err)
	}
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			h := harness.New(&harness.Options{Records: store})
			res, run := recordOf(t, h, store, &program{Script: &harness.Script{Catalog: cat, Source: fmt.Sprintf(`
				UseTools("order an item")
				for i := range %d {
					r, err := shop.Buy(shop.BuyParams{Item: "a", Count: i})
					fmt.Printf("%%d %%x %%v %%v\n", i, sha256.Sum256(r.Raw()), string(r.Raw()[:min(200, len(r.Raw()))]), err)
				}`, len(oddAnswers))}})
			if res.Status != outcome.OK {
				t.Fatal(res.Text())
			}
			for i, a := range oddAnswers {
				if !strings.Contains(res.Stdout, fmt.Sprintf("%d %x ", i, sha256.Sum256([]byte(strings.TrimSpace(a))))) {
					t.Errorf("answer %d is %.100s in the script", i, a)
				}
			}
			for _, d := range differences(t, h, run) {
				t.Error(describe(d))
			}
		})
	}
}

// BenchmarkReplayOfCalls replays runs of 100 calls.
func BenchmarkReplayOfCalls(b *testing.B) {
	for name, script := range map[string]string{
		"sequential": `for i := range 100 { _, _ = shop.Stock(shop.StockParams{Item: fmt.Sprint(i)}) }`,
		"pool": `
			jobs := make(chan int)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for n := range jobs {
						_, _ = shop.Stock(shop.StockParams{Item: fmt.Sprint(n)})
					}
				})
			}
			for n := range 100 {
				jobs <- n
			}
			close(jobs)
			wg.Wait()`,
	} {
		b.Run(name, func(b *testing.B) {
			_, cat := newMarket(b, 1)
			store := store.Memory(10, nil)
			h := harness.New(&harness.Options{Records: store})
			script := "UseTools(\"show how much of an item is in stock\")\n" + script
			_, run := recordOf(b, h, store, &program{Script: &harness.Script{Source: script, Catalog: cat}})
			for b.Loop() {
				got, err := h.Replay(b.Context(), &harness.Replay{Run: run})
				if err != nil || got.Difference != nil || got.Calls != 100 {
					b.Fatal(err, got)
				}
			}
		})
	}
}
