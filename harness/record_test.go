package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// shop is a backend that counts what is done to it.
type shop struct {
	mu    sync.Mutex
	calls map[string]int
	sold  atomic.Int64
}

func (s *shop) Call(ctx context.Context, server, tool string, args json.RawMessage) (*backend.Result, error) {
	if how := backend.SendOf(ctx); how != nil {
		if err := how.Begin(ctx); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	s.calls[tool]++
	s.mu.Unlock()
	answer := func(v any) (*backend.Result, error) {
		b, err := json.Marshal(map[string]any{"content": []any{}, "structuredContent": v})
		if err != nil {
			return nil, err
		}
		return backend.DecodeResult(b)
	}
	var a struct {
		Item  string
		Count int
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	switch {
	case a.Item == "lost":
		return nil, fmt.Errorf("calling: %w", backend.ErrDisconnected)
	case a.Item == "broken":
		return backend.DecodeResult([]byte(`{"content":[{"type":"text","text":"out of order"}],"isError":true}`))
	case tool == "stock":
		return answer(map[string]any{"item": a.Item, "count": len(a.Item) * 10})
	}
	return answer(map[string]any{"order": s.sold.Add(1), "item": a.Item})
}

func newShop(t *testing.T) (*shop, *Catalog) {
	yes, no := true, false
	in := json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"},"count":{"type":"integer"}},"required":["item"]}`)
	reg := &registry.Registry{Servers: []registry.Server{{Name: "shop"}}, Tools: []registry.Tool{
		{Server: "shop", Name: "stock", Description: "Show how much of an item is in stock", Input: in,
			Output:      json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"},"count":{"type":"integer"}}}`),
			Annotations: &registry.Annotations{ReadOnly: &yes}},
		{Server: "shop", Name: "buy", Description: "Order an item", Input: in,
			Output:      json.RawMessage(`{"type":"object","properties":{"order":{"type":"integer"},"item":{"type":"string"}}}`),
			Annotations: &registry.Annotations{ReadOnly: &no}},
	}}
	reg.Normalize()
	s := &shop{calls: map[string]int{}}
	return s, &Catalog{Registry: reg, Calls: s}
}

const shopScript = `
UseTools("show how much of an item is in stock", "order an item")
for _, item := range []string{"nut", "bolt"} {
	s, err := shop.Stock(shop.StockParams{Item: item})
	if err != nil {
		panic(err)
	}
	fmt.Println(item, s.Count)
	if s.Count > 30 {
		o, err := shop.Buy(shop.BuyParams{Item: item, Count: 1})
		fmt.Println(o.Order, err)
	}
}
_, err := shop.Stock(shop.StockParams{Item: "broken"})
fmt.Println(err)
Return(map[string]any{"random": rand.IntN(1000), "now": time.Now().Year() > 2000})`

func TestARunLeavesARecord(t *testing.T) {
	_, cat := newShop(t)
	store := record.Memory(10, nil)
	h := New(&Options{Records: store, Version: "test"})
	res, err := h.Run(t.Context(), &Script{Source: shopScript, Catalog: cat, Name: "shop.go", Subject: "ann",
		Inputs: map[string]json.RawMessage{"a": json.RawMessage("1")}})
	if err != nil || res.Status != OK {
		t.Fatal(res.Text(), err)
	}
	run, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	if b := run.Begin; b.Script.Text() != shopScript || b.Name != "shop.go" || b.Subject != "ann" || b.Harness != "test" ||
		string(b.Inputs["a"].JSON) != "1" || len(b.Seed) != 32 {
		t.Errorf("begin is %+v", b)
	}
	var calls []string
	for _, m := range run.Calls {
		calls = append(calls, fmt.Sprintf("%d %s %s %s %s %s", m.Call.N, m.Place, m.Class, m.Call.Tool, m.Call.Args.JSON,
			m.Done.Kind))
	}
	want := []string{
		`1 4:12 read shop.stock {"item":"nut"} answered`,
		`2 4:12 read shop.stock {"item":"bolt"} answered`,
		`3 10:13 effect shop.buy {"count":1,"item":"bolt"} answered`,
		`4 14:11 read shop.stock {"item":"broken"} answered`,
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}
	if run.Stdout() != res.Stdout || run.End.Status != "ok" || !bytes.Equal(run.End.Value.JSON, res.Value) {
		t.Errorf("it printed %q and ended with %+v", run.Stdout(), run.End)
	}
	if run.Tools == nil || len(run.Tools.Tools) != 2 || len(run.Tools.Units) != 1 {
		t.Errorf("tools are %+v", run.Tools)
	}
}

func TestWhatBecameOfACallIsInTheRecord(t *testing.T) {
	_, cat := newShop(t)
	for _, c := range []struct {
		script string
		want   record.Kind
	}{
		{`UseTools("order an item"); _, err := shop.Buy(shop.BuyParams{Item: "lost"}); fmt.Println(err)`, record.Uncertain},
		{`UseTools("order an item"); _, err := shop.Buy(shop.BuyParams{Item: "x"}); fmt.Println(err)`, record.Answered},
	} {
		store := record.Memory(10, nil)
		res, err := New(&Options{Records: store}).Run(t.Context(), &Script{Source: c.script, Catalog: cat})
		if err != nil {
			t.Fatal(err)
		}
		run, err := store.Load(res.Run)
		if err != nil || len(run.Calls) != 1 || run.Calls[0].Done.Kind != c.want {
			t.Errorf("%s: %+v, %v; want %s", c.script, run.Calls, err, c.want)
		}
	}
}

func TestADryRunSendsNoEffect(t *testing.T) {
	s, cat := newShop(t)
	store := record.Memory(10, nil)
	h := New(&Options{Records: store})
	script := strings.Replace(shopScript, `_, err := shop.Stock(shop.StockParams{Item: "broken"})`,
		`_, err := shop.Buy(shop.BuyParams{Item: "nut", Count: 2})`, 1)
	dry := func() *Result {
		res, err := h.Run(t.Context(), &Script{Source: script, Catalog: cat, Dry: true})
		if err != nil || res.Status != OK {
			t.Fatal(res.Text(), err)
		}
		return res
	}
	want := []Unmade{
		{Tool: "shop.buy", Class: record.Effect, Line: 10, Args: json.RawMessage(`{"count":1,"item":"bolt"}`)},
		{Tool: "shop.buy", Class: record.Effect, Line: 14, Args: json.RawMessage(`{"count":2,"item":"nut"}`), After: 1,
			Guess: true},
	}
	if diff := cmp.Diff(want, dry().Ledger); diff != "" {
		t.Error(diff)
	}
	if s.calls["buy"] != 0 || s.calls["stock"] != 2 {
		t.Errorf("the servers were called: %v", s.calls)
	}
	for sum, err := range store.List(t.Context(), nil) {
		if err != nil || sum.Calls != 4 || len(sum.Tools) != 2 {
			t.Errorf("the list has %+v, %v; want the 2 calls that were sent and the 2 that were not", sum, err)
		}
	}
	// An earlier run's answer is taken where there is one.
	real, err := h.Run(t.Context(), &Script{Source: script, Catalog: cat})
	if err != nil || real.Status != OK {
		t.Fatal(real.Text(), err)
	}
	want[0].From, want[1].From, want[1].Guess = real.Run, real.Run, false
	res := dry()
	if diff := cmp.Diff(want, res.Ledger); diff != "" || s.calls["buy"] != 2 || res.Stdout != real.Stdout {
		t.Errorf("%s, %v\n%s", diff, s.calls, res.Stdout)
	}
}

func TestNothingIsSentThatCannotBeRecorded(t *testing.T) {
	s, cat := newShop(t)
	h := New(&Options{Records: record.Memory(1, nil)})
	j := newJournal(&Script{OnLine: func(record.Line) {}})
	if err := j.begin(h, &Script{}, limits()); err != nil {
		t.Fatal(err)
	}
	j.tell = func(l record.Line) { // the disk is full from the second call on
		if c, ok := l.(*record.Call); ok && c.N == 2 {
			j.mu.Lock()
			j.fault = fmt.Errorf("%w: no space left on device", errUnrecorded)
			j.mu.Unlock()
		}
	}
	tr := newTree(limits())
	tr.journal = j
	res, err := h.Run(t.Context(), &Script{Source: shopScript, Catalog: cat, tree: tr})
	if err != nil {
		t.Fatal(err)
	}
	if s.calls["stock"] != 1 || s.calls["buy"] != 0 || !strings.Contains(res.Text(), "cannot be written any more") {
		t.Errorf("%v\n%s", s.calls, res.Text())
	}
}
