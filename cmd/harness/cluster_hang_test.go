//go:build unix

package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const hangScript = `
UseTools("shop.get_stock", "shop.buy")
_, _ = shop.Buy(shop.BuyParams{Item: "first"})
_, _ = shop.GetStock(shop.GetStockParams{Item: "nut"})
_, err := shop.Buy(shop.BuyParams{Item: "second"})
fmt.Println(err)`

// within waits for a value until shortly before the test binary is stopped.
func within[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	var late <-chan time.Time
	if at, ok := t.Deadline(); ok {
		late = time.After(time.Until(at) - 20*time.Second)
	}
	select {
	case v = <-c:
	case <-late:
		t.Fatal("not so: " + what)
	}
	return v
}

type told struct {
	*answerOf
	err error
}

// send sends the script in the background.
func send(t *testing.T, front string) <-chan told {
	out := make(chan told, 1)
	go func() {
		a, err := sendScript(t.Context(), front, hangScript, map[string]any{})
		out <- told{a, err}
	}()
	return out
}

// hanging is a cluster with a script under way, whose second call is held. A runner that
// says nothing for a time counts as dead.
func hanging(t *testing.T, fronts int, silence time.Duration) (*aCluster, *sales, *cluster.Cluster, <-chan told) {
	if testing.Short() {
		t.Skip("the race detector sees the test's own process alone")
	}
	shop := &sales{bought: map[string]int{}, hold: make(chan struct{}), held: make(chan struct{}, 10)}
	c := startCluster(t, shop.serve(t), silence, 1, fronts, 1)
	own := c.connect(30 * time.Second)
	t.Cleanup(func() { own.Close() })
	out := send(t, c.fronts[0])
	within(t, "the script is under way", shop.held)
	return c, shop, own, out
}

// theRun is the one run that there is.
func theRun(t *testing.T, store *store.Store) *record.Run {
	t.Helper()
	var all []string
	for sum, err := range store.List(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sum.ID)
	}
	if len(all) != 1 {
		t.Fatalf("want one run: %v", all)
	}
	run, err := store.Load(all[0])
	if err != nil || run.Damaged != nil {
		t.Fatalf("%+v, %v", run, err)
	}
	return run
}

// A runner that hangs while another one ends its run as lost makes no effect when it goes
// on, and changes nothing of the record.
func TestARunnerThatHangs(t *testing.T) {
	t.Parallel()
	c, shop, own, out := hanging(t, 1, 5*time.Second)
	hangs := c.kinds["runner"][0]
	hangs.freeze(true)
	another := &child{t: t, dir: hangs.dir, name: "another runner", args: append([]string{}, hangs.args...)}
	another.start()
	t.Cleanup(another.kill)
	a := within(t, "the run is lost", out)
	if a.err != nil || a.Status != outcome.Lost {
		t.Fatalf("%+v, %v", a.answerOf, a.err)
	}
	before := theRun(t, own.Store(nil))
	another.kill()
	close(shop.hold)
	mended := time.Now()
	hangs.freeze(false)
	idle := make(chan struct{})
	go func() { // it is rid of the run, and says so
		defer close(idle)
		for t.Context().Err() == nil {
			s, err := own.Status(t.Context())
			if err == nil && len(s.Processes) > 0 {
				for _, p := range s.Processes {
					if p.Runner != nil && p.Runner.Running == 0 && p.Seen.After(mended) {
						return
					}
				}
			}
			pause(100 * time.Millisecond)
		}
	}()
	within(t, "the runner has nothing to do", idle)
	after := theRun(t, own.Store(nil))
	if after.End == nil || after.End.Status != string(outcome.Lost) || after.Running || len(after.Lines) != len(before.Lines) {
		last, _ := json.Marshal(after.Lines[len(after.Lines)-1])
		t.Errorf("%d lines, and then %d: %s", len(before.Lines), len(after.Lines), last)
	}
	if shop.receipt("first") == 0 || shop.receipt("second") != 0 || len(shop.twice) != 0 {
		t.Errorf("bought: %v, twice %v", shop.bought, shop.twice)
	}
}
