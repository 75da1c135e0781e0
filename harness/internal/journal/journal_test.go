package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/redact"
)

// While a run goes on, what it takes is written once a second, not before it is live.
func TestUsageIsWrittenAtTimes(t *testing.T) {
	store := store.Memory(1, nil)
	j, err := Begin(&record.Begin{}, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	use := func(ms int64) {
		j.Usage(worker.Usage{At: at.Add(time.Duration(ms) * time.Millisecond), CPU: time.Duration(ms) * time.Millisecond, Memory: 1 << 20})
	}
	for ms := int64(50); ms < 2500; ms += 50 {
		use(ms)
	}
	j.live.Store(false)
	use(4000)
	j.GoLive()
	use(5000)
	j.End(&outcome.Result{Status: outcome.OK})
	run, err := store.Load(j.ID())
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	seen := int64(0)
	for _, l := range run.Lines {
		switch l := l.(type) {
		case *record.Note:
			got = append(got, len(l.Usage))
			for _, u := range l.Usage {
				if u[1] <= seen || u[1] == 4000 || u[2] != 1<<20 {
					t.Errorf("%v", u)
				}
				seen = u[1]
			}
		case *record.End:
			got = append(got, len(l.Usage))
		}
	}
	if d := cmp.Diff([]int{21, 20, 9, 0}, got); d != "" || seen != 5000 {
		t.Errorf("%s, the last one at %d ms", d, seen)
	}
}

// Of a script that prints more parts than are noted, all text is.
func TestPrintsWithoutEnd(t *testing.T) {
	j := New(nil, nil)
	at := time.Now()
	var want strings.Builder
	var lines int
	for i := range record.MaxPrints + 5000 {
		text := fmt.Sprintln("line", i)
		want.WriteString(text)
		j.print(j.out, at.Add(time.Duration(i)*time.Second), 1+i%7, []byte(text))
	}
	text, n := j.out.take(nil)
	if text != want.String() || len(n.Lines) > record.MaxPrints+2 {
		t.Errorf("%d parts, %d bytes of %d", len(n.Lines), len(text), want.Len())
	}
	n.Stdout = text
	for p := range n.Printed() {
		if p.Line > 0 {
			lines += strings.Count(p.Text, "\n")
		}
	}
	if lines < record.MaxPrints || !strings.HasSuffix(text, fmt.Sprintln("line", record.MaxPrints+4999)) {
		t.Errorf("%d lines are known", lines)
	}
}

const hiddenText = "a-kéy\nof two lines"

// hidingStore are the options of a store that hides hiddenText.
func hidingStore() *store.StoreOptions {
	r := redact.New(&redact.Secrets{Values: []string{hiddenText, "a-key-too-short"}})
	return &store.StoreOptions{Redact: r.Text, Unfinished: r.Unfinished}
}

// A secret that is printed byte by byte while the record is written is not in the record,
// and nothing else of what was printed is missing.
func TestNoPartOfAPrintedSecretIsInTheRecord(t *testing.T) {
	text := "x a-k" + hiddenText + "y\n" + hiddenText + "\xff a-ké"
	want := strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), hiddenText, "•••")
	for step := 1; step <= len(text); step++ {
		store := store.Memory(1, hidingStore())
		j, err := Begin(&record.Begin{}, store, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, errs := j.Stdout(nil), j.Stderr(nil)
		at := time.Now()
		for i := 0; i < len(text); i += step {
			part := text[i:min(i+step, len(text))]
			out(at.Add(time.Duration(i)*time.Second), i/7, []byte(part))
			errs(at, 1, []byte(part))
			j.Usage(worker.Usage{At: at.Add(time.Duration(i) * 2 * time.Second)})
			if err := j.Add(&record.Note{Warning: "w"}); err != nil {
				t.Fatal(err)
			}
		}
		j.End(&outcome.Result{Status: outcome.OK})
		run, err := store.Load(j.ID())
		if err != nil {
			t.Fatal(err)
		}
		if run.Stdout() != want || run.Stderr() != want {
			t.Errorf("in parts of %d bytes: %q and %q, want %q", step, run.Stdout(), run.Stderr(), want)
		}
		if a, b := run.PrintedBytes(); a != len(text) || b != len(text) {
			t.Errorf("in parts of %d bytes: %d and %d bytes, want %d", step, a, b, len(text))
		}
	}
}

// Settle counts on it that no call of a run is sent later.
func TestAResumedRunSendsWithinTheTimeOfItsStore(t *testing.T) {
	store := store.Memory(1, nil)
	j, err := Begin(&record.Begin{Script: record.String("x")}, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	j.End(&outcome.Result{Status: outcome.Canceled})
	w, run, err := store.Reopen(j.ID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	again := Resume(w, run, store, nil)
	defer again.End(&outcome.Result{Status: outcome.OK})
	if again.SentWithin() != store.SentWithin() || again.SentWithin() == 0 {
		t.Errorf("%v, want %v", again.SentWithin(), store.SentWithin())
	}
}
