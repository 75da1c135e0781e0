package cluster_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// ledger is a server that counts what it does. Its tool wait tells that it was called,
// and answers when it may.
type ledger struct {
	waits, may chan struct{}
	mu         sync.Mutex
	did        []string
}

func (l *ledger) Call(ctx context.Context, _ string, req *backend.Request) (*backend.Result, error) {
	tool, args := req.Tool, req.Args.JSON()
	if how := req.Send; how != nil {
		if err := how.Begin(ctx); err != nil {
			return nil, err
		}
	}
	if tool == "wait" {
		l.waits <- struct{}{}
		select {
		case <-l.may:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	} else {
		l.mu.Lock()
		l.did = append(l.did, string(args))
		l.mu.Unlock()
	}
	return backend.DecodeResult(json.RawMessage(`{"content":[]}`))
}

func (l *ledger) catalog() *catalog.Catalog {
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "shop", Name: "wait", Description: "Wait for a delivery", Annotations: &registry.Annotations{ReadOnly: new(true)},
			Input: json.RawMessage(`{"type":"object"}`)},
		{Server: "shop", Name: "buy", Description: "Order an item",
			Input: json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]}`)},
	}}
	reg.Normalize()
	return &catalog.Catalog{Registry: reg, Calls: l}
}

const buysTwice = `UseTools("wait for a delivery", "order an item")
if _, err := shop.Buy(shop.BuyParams{Item: "nut"}); err != nil {
	panic(err)
}
if _, err := shop.Wait(); err != nil {
	panic(err)
}
if _, err := shop.Buy(shop.BuyParams{Item: "bolt"}); err != nil {
	panic(err)
}
Return("bought")`

// TestARunThatWasTakenOverHasNoFurtherEffect has a harness that goes on after another
// process has taken its run over, and the run go on there.
func TestARunThatWasTakenOverHasNoFurtherEffect(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	var stores []*store.Store
	for range 2 {
		c, err := cluster.Connect(t.Context(), &cluster.Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		stores = append(stores, c.Store(nil))
	}
	l := &ledger{waits: make(chan struct{}, 10), may: make(chan struct{})}
	name := store.NewName(time.Now())
	_, id, _ := store.ParseName(name)

	first := harness.New(&harness.Options{Records: stores[0]})
	defer first.Close()
	done := make(chan *outcome.Result, 1)
	go func() {
		res, err := first.Run(t.Context(), &harness.Script{Source: buysTwice, Catalog: l.catalog(), Origin: harness.Origin{Request: harness.Request{Run: name}}})
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	<-l.waits
	late := late(t)
	for known := false; !known; { // the answer of an effect is stored a moment after it came
		r, err := stores[1].Load(id)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-time.After(time.Millisecond):
			known = len(r.Calls) > 0 && r.Calls[0].Done != nil
		case <-late:
			t.Fatal("nothing is known of the first effect")
		}
	}
	w, r, err := stores[1].Reopen(id, &store.ReopenOptions{Dead: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Calls) < 1 || len(r.Unknown()) != 0 {
		t.Errorf("of the first effect is known: %+v", r.Calls)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	close(l.may)
	res := <-done
	if res == nil || res.Status == outcome.OK || len(l.did) != 1 {
		t.Fatalf("%+v, and %q was done", res, l.did)
	}

	second := harness.New(&harness.Options{Records: stores[1]})
	defer second.Close()
	res, err = second.Resume(t.Context(), id, &harness.Script{Catalog: l.catalog()})
	if err != nil || res.Status != outcome.OK || string(res.Value) != `"bought"` {
		t.Fatalf("%+v, %v", res, err)
	}
	if !slices.Equal(l.did, []string{`{"item":"nut"}`, `{"item":"bolt"}`}) {
		t.Errorf("done: %s", strings.Join(l.did, " "))
	}
	if r, err := stores[0].Load(id); err != nil || r.Damaged != nil || r.End == nil || r.End.Status != "ok" || r.Running {
		t.Errorf("%+v, %v", r, err)
	}
}
