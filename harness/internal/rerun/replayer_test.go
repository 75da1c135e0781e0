package rerun

import (
	"context"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// TestAReplayGoesOnBehindAScriptThatDidNotWait ends a saved script while a goroutine
// of it waits for an answer that the record has.
func TestAReplayGoesOnBehindAScriptThatDidNotWait(t *testing.T) {
	store := store.Memory(1, nil)
	w, err := store.Begin(&record.Begin{Script: record.String("x")})
	if err != nil {
		t.Fatal(err)
	}
	const path = "1:1#1/"
	for _, l := range []record.Line{
		&record.Call{N: 1, Path: path, Place: "1:1", Tool: "shop.stock", Args: record.Raw([]byte("{}"))},
		&record.Call{N: 2, Place: "2:1", Tool: "shop.stock", Args: record.Raw([]byte("{}"))},
		&record.Done{N: 1, Result: record.Raw([]byte(`"first"`))},
		&record.Done{N: 2, Result: record.Raw([]byte(`"second"`))},
		&record.End{Status: "ok"},
	} {
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	recorded, err := store.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	gate, err := record.NewGate(recorded, false)
	if err != nil {
		t.Fatal(err)
	}
	p := New(recorded, gate, nil)
	outer, inner := p.Enter("", &worker.Script{}), p.Enter(path, &worker.Script{})
	ended, end := context.WithCancel(t.Context())
	end()
	args := []byte("{}")
	if _, _, err := inner.Ask(ended, path, &worker.Call{Tool: "shop.stock", Place: "1:1"}, args); err == nil {
		t.Fatal("a script that has ended got an answer")
	}
	inner.Leave()
	answer := make(chan *worker.Answer, 1)
	go func() {
		a, _, _ := outer.Ask(t.Context(), "", &worker.Call{Tool: "shop.stock", Place: "2:1"}, args)
		answer <- a
	}()
	if _, err := outer.Still(t.Context(), time.Time{}, 1, 0); err != nil {
		t.Fatal(err)
	}
	if a := <-answer; string(a.Result) != `"second"` {
		t.Errorf("got %s", a.Result)
	}
}
