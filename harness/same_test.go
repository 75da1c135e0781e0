package harness

import (
	"context"
	"flag"
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

	"github.com/usetools/usetools/harness/record"
)

var (
	programs = flag.Int("programs", 60, "record and replay this many generated programs")
	seed     = flag.Uint64("seed", 1, "seed of the first generated program")
)

// times is how often each record is replayed.
const times = 3

// recordOf runs a script, and returns its record.
func recordOf(t testing.TB, h *Harness, store *record.Store, p *program) (*Result, *record.Run) {
	t.Helper()
	ctx := t.Context()
	if p.cancel > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		var n atomic.Int64
		p.OnLine = func(l record.Line) {
			if _, ok := l.(*record.Done); ok && int(n.Add(1)) == p.cancel {
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
func differences(t testing.TB, h *Harness, run *record.Run) (all []*Difference) {
	t.Helper()
	for range times {
		got, err := h.Replay(t.Context(), &Replay{Run: run})
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
	statuses, racy, differing := map[Status]int{}, map[string]int{}, map[string]int{}
	same, ran := 0, 0
	t.Run("programs", func(t *testing.T) {
		for n := range uint64(*programs) {
			t.Run(fmt.Sprint(*seed+n), func(t *testing.T) {
				t.Parallel()
				p := generateProgram(*seed + n)
				m, cat := newMarket(t, *seed+n)
				p.Catalog = cat
				store := record.Memory(10, nil)
				h := New(&Options{Records: store})
				res, run := recordOf(t, h, store, p)
				if res.Status.ExitCode() == CompileError.ExitCode() || res.Status == SandboxError {
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
	if dir := os.Getenv("KEEP"); dir != "" {
		os.WriteFile(filepath.Join(dir, fmt.Sprint(*seed)+".go"), []byte(generateProgram(*seed).Source), 0o644)
	}
	t.Logf("%d of %d programs the same, %d times each; they ended %v", same, ran, times, statuses)
	for _, why := range slices.Sorted(maps.Keys(racy)) {
		t.Logf("%5d with %s", racy[why], why)
	}
	for _, why := range slices.Sorted(maps.Keys(differing)) {
		t.Logf("%5d differ with %s", differing[why], why)
	}
}

func describe(d *Difference) string {
	return fmt.Sprintf("%s: %s\nrecord: %s\nnow:    %s", d.What, d.Text, d.Want, d.Got)
}

// TestTheCorpusReplaysTheSame records and replays scripts that need no tools.
func TestTheCorpusReplaysTheSame(t *testing.T) {
	store := record.Memory(100, nil)
	h := New(&Options{Records: store, Limits: Limits{Timeout: time.Minute}})
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
				res, run := recordOf(t, h, store, &program{Script: &Script{Source: string(src)}})
				if res.Status.ExitCode() == CompileError.ExitCode() {
					t.Fatal(res.Text())
				}
				for _, d := range differences(t, h, run) {
					t.Error(describe(d))
				}
			})
		}
	}
}

var everyScript = flag.Int("every", 25, "record and replay each so many-th script of the corpus")
