package harness_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/backend"
)

// canceledIn is a run of a script that was canceled while its call of the tool was
// under way, which was answered all the same.
func canceledIn(t *testing.T, h *harness.Harness, s *harness.Script, tool string) *outcome.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	one := *s
	one.Catalog = &catalog.Catalog{Registry: s.Catalog.Registry, Calls: callFunc(func(c context.Context, server string,
		req *backend.Request) (*backend.Result, error) {
		res, err := s.Catalog.Calls.Call(c, server, req)
		if req.Tool == tool {
			cancel()
		}
		return res, err
	})}
	res, err := h.Run(ctx, &one)
	if err != nil || res.Status != outcome.Canceled {
		t.Fatalf("%+v, %v", res, err)
	}
	return res
}

// What a script prints behind the end of its record is written down and passed on,
// also where it makes no more calls.
func TestWhatIsPrintedBehindTheRecordIsKept(t *testing.T) {
	h, _, store, s := asksFor(t)
	s.Policy = nil
	s.Source = `
UseTools("order an item")
fmt.Println("before")
o, err := shop.Buy(shop.BuyParams{Item: "nut"})
fmt.Println(o.Order, err)`
	res := canceledIn(t, h, s, "buy")
	var out bytes.Buffer
	s.Stdout = &out
	res = mustResume(t, h, s, res.Run)
	run, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	const want = "before\n1 <nil>\n"
	if res.Status != outcome.OK || res.Stdout != want || run.Stdout() != want || !strings.HasSuffix(out.String(), "1 <nil>\n") {
		t.Errorf("%s\nthe record has %q, the writer %q", res.Text(), run.Stdout(), out.String())
	}
}

// sixtyOnceBought is a catalog whose stock is 60 as soon as the shop was asked to
// sell something, so that a script can wait until another goroutine's call is on
// its way.
func sixtyOnceBought(c *catalog.Catalog, shop *shop) *catalog.Catalog {
	return &catalog.Catalog{Registry: c.Registry, Calls: callFunc(func(ctx context.Context, server string,
		req *backend.Request) (*backend.Result, error) {
		res, err := shop.Call(ctx, server, req)
		if req.Tool == "stock" {
			shop.mu.Lock()
			defer shop.mu.Unlock()
			if shop.calls["buy"] > 0 {
				return backend.DecodeResult([]byte(`{"content":[],"structuredContent":{"count":60}}`))
			}
		}
		return res, err
	})}
}

// A call of which nothing is known is said, however its run ends.
func TestAnUnknownCallIsSaidHoweverTheRunEnds(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		status outcome.Status
	}{
		"main ends":   {`go func() { _, _ = shop.Buy(shop.BuyParams{Item: "lost"}) }(); for stock().Count < 60 {}`, outcome.Uncertain},
		"panic":       {`go func() { _, _ = shop.Buy(shop.BuyParams{Item: "lost"}) }(); for stock().Count < 60 {}; panic("no")`, outcome.ScriptError},
		"another one": {`go func() { _, _ = shop.Buy(shop.BuyParams{Item: "lost"}) }(); for stock().Count < 60 {}; _, _ = shop.Buy(shop.BuyParams{Item: "lost"})`, outcome.Uncertain},
	} {
		t.Run(name, func(t *testing.T) {
			h, shop, store, s := asksFor(t)
			s.Policy = nil
			s.Limits.Calls = 1 << 20 // the script polls until the call is on its way
			s.Catalog = sixtyOnceBought(s.Catalog, shop)
			res := runs(t, h, s, `
UseTools("order an item", "show how much of an item is in stock")
stock := func() shop.StockResult { s, _ := shop.Stock(shop.StockParams{Item: "nut"}); return s }
`+c.script)
			if res.Status != c.status || len(res.Unknown) != 1 || !strings.Contains(res.Text(), "outcome unknown") {
				t.Errorf("%s\n%+v", res.Text(), res.Unknown)
			}
			run, err := store.Load(res.Run)
			if err != nil || len(run.Unknown()) != 1 {
				t.Errorf("%v %v", run, err)
			}
		})
	}
}

// A run that a person has closed is over: its script may run anew.
func TestARequestWhoseRunWasClosedBeginsAnew(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"waiting":   `_, _ = shop.Buy(shop.BuyParams{Item: "nut"})`,
		"uncertain": `_, _ = shop.Buy(shop.BuyParams{Item: "lost"})`,
		"ended": `go func() { _, _ = shop.Buy(shop.BuyParams{Item: "lost"}) }()
for s, _ := shop.Stock(shop.StockParams{Item: "nut"}); s.Count < 60; s, _ = shop.Stock(shop.StockParams{Item: "nut"}) {
}`,
	} {
		t.Run(name, func(t *testing.T) {
			h, shop, store, s := asksFor(t)
			if name != "waiting" {
				s.Policy = nil
			}
			s.Catalog = sixtyOnceBought(s.Catalog, shop)
			res := runs(t, h, s, `UseTools("order an item", "show how much of an item is in stock"); `+script)
			if err := store.EndRun(res.Run, "ann", "a mistake"); err != nil {
				t.Fatal(err)
			}
			if again, err := h.Rejoin(t.Context(), s); err != nil || again != nil {
				t.Errorf("%+v, %v", again, err)
			}
		})
	}
}

// A key of a request that was cut off before it changed anything is good for going on.
func TestAKeyOfWhatWasCutOffGoesOn(t *testing.T) {
	h, shop, _, s := asksFor(t)
	s.Origin.Request.Once, s.Policy = "key", nil
	s.Source = `
UseTools("show how much of an item is in stock", "order an item")
_, _ = shop.Stock(shop.StockParams{Item: "nut"})
o, _ := shop.Buy(shop.BuyParams{Item: "nut"})
Return(o.Order)`
	canceledIn(t, h, s, "stock")
	res, err := h.Rejoin(t.Context(), s)
	if err != nil || res == nil || res.Status != outcome.OK || shop.calls["buy"] != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

// Requests with the same key that come at once are one run, in several processes too,
// each of which has read the records before.
func TestAKeyBeginsOneRun(t *testing.T) {
	h, shop, records, s := asksFor(t)
	defer h.Close()
	s.Policy, s.Origin.Request.Once = nil, "key"
	s.Source = `
UseTools("order an item")
o, _ := shop.Buy(shop.BuyParams{Item: "nut"})
Return(o.Order)`
	same, err := store.Open(records.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	other := harness.New(&harness.Options{Records: same, Version: "test"})
	defer other.Close()
	for _, h := range []*harness.Harness{h, other} {
		if res, err := h.Rejoin(t.Context(), s); res != nil || err != nil {
			t.Fatal(res, err)
		}
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			one, h := *s, []*harness.Harness{h, other}[i%2]
			var running *store.RunningError
			res, err := h.Rejoin(t.Context(), &one)
			if res == nil && err == nil {
				_, err = h.Run(t.Context(), &one)
			}
			if err != nil && !errors.As(err, &running) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if shop.calls["buy"] != 1 {
		t.Errorf("bought %d times", shop.calls["buy"])
	}
	for _, h := range []*harness.Harness{h, other} {
		if res, err := h.Rejoin(t.Context(), s); err != nil || res == nil || res.Status != outcome.OK {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

// An attempt that diverges leaves nothing in the record but that it was.
func TestADivergedAttemptLeavesNothing(t *testing.T) {
	t.Parallel()
	h, shop, store, s := asksFor(t)
	_, withScripts := shopWithScripts(t)
	withScripts.Calls = shop
	s.Catalog, s.Policy = withScripts, nil
	if err := withScripts.Scripts.Save(&library.Script{Name: "order", Source: `
UseTools("show how much of an item is in stock")
var item string
Input("item", &item)
fmt.Println(time.Now())
s, _ := shop.Stock(shop.StockParams{Item: item})
Return(s.Count)`}); err != nil {
		t.Fatal(err)
	}
	res := runs(t, h, s, `
UseTools("order an item")
RunScript("order", map[string]any{"item": fmt.Sprintf("%p", new(int))})
_, _ = shop.Buy(shop.BuyParams{Item: fmt.Sprintf("%p", new(int))})
for i := range 3 {
	RunScript("order", map[string]any{"item": fmt.Sprint(i)})
}
_, _ = shop.Buy(shop.BuyParams{Item: "lost"})`)
	if res.Status != outcome.Uncertain {
		t.Fatal(res.Text())
	}
	n := res.Unknown[0].N
	if err := store.Settle(res.Run, &record.Settle{N: n, Happened: true, Result: record.Raw([]byte(`{"content":[]}`))}, 0); err != nil {
		t.Fatal(err)
	}
	before, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	if res = mustResume(t, h, s, res.Run); res.Status != outcome.Diverged {
		t.Fatal(res.Text())
	}
	after, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range after.Lines[len(before.Lines):] {
		switch l := l.(type) {
		case *record.Attempt, *record.End:
		default:
			t.Errorf("%T %+v", l, l)
		}
	}
}

// After a call of which nothing is known no equal one goes out, also not one that
// was about to.
func TestNoEqualCallFollowsOneThatIsUnknown(t *testing.T) {
	h, shop, _, s := asksFor(t)
	s.Policy = nil
	var mu sync.Mutex
	n := 0
	first, second := make(chan struct{}), make(chan struct{})
	s.Catalog = &catalog.Catalog{Registry: s.Catalog.Registry, Calls: callFunc(func(ctx context.Context, server string,
		req *backend.Request) (*backend.Result, error) {
		if req.Tool == "buy" {
			mu.Lock()
			n++
			mine := n
			mu.Unlock()
			if mine == 1 {
				<-second // both are decided
			} else {
				close(second)
				<-first
			}
		} else {
			close(first)
		}
		return shop.Call(ctx, server, req)
	})}
	res := runs(t, h, s, `
UseTools("order an item", "show how much of an item is in stock")
var wg sync.WaitGroup
for range 2 {
	wg.Go(func() {
		_, err := shop.Buy(shop.BuyParams{Item: "lost"})
		var u *UncertainError
		if errors.As(err, &u) {
			_, _ = shop.Stock(shop.StockParams{Item: "nut"})
		} else {
			fmt.Println(err)
		}
	})
}
wg.Wait()`)
	if shop.calls["buy"] != 1 || !strings.Contains(res.Stdout, "with the same arguments may have been made") {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
}
