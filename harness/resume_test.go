package harness_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
)

// asking is a harness with a shop in which a person must approve of what is no
// read, and its store.
func asksFor(t testing.TB) (*harness.Harness, *shop, *store.Store, *harness.Script) {
	s, cat := newShop(t)
	store, err := store.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return harness.New(&harness.Options{Records: store, Version: "test"}), s, store,
		&harness.Script{Catalog: cat, Policy: &policy.Policy{Approve: policy.ApproveWrites}}
}

// run runs a script, which must not fail in the harness.
func runs(t testing.TB, h *harness.Harness, s *harness.Script, source string) *outcome.Result {
	t.Helper()
	s.Source = source
	res, err := h.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	crosses(t, res)
	return res
}

func mustResume(t testing.TB, h *harness.Harness, s *harness.Script, id string) *outcome.Result {
	t.Helper()
	res, err := h.Resume(t.Context(), id, s)
	if err != nil {
		t.Fatal(err)
	}
	crosses(t, res)
	return res
}

// answerAll says yes, or no with a word, to all that a run waits for.
func answerAll(t testing.TB, store *store.Store, res *outcome.Result, yes bool, word string) {
	t.Helper()
	for _, w := range res.Waiting {
		if err := store.Answer(w.ID, &record.Answer{Yes: yes, Who: "ann", How: "test", Word: word}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACallWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		rounds []int // how many calls wait each time
		want   string
		buys   int
	}{
		"one": {`
UseTools("order an item", "show how much of an item is in stock")
s, _ := shop.Stock(shop.StockParams{Item: "nut"})
fmt.Println("before", s.Count)
o, err := shop.Buy(shop.BuyParams{Item: "nut", Count: int(s.Count)})
fmt.Println("after", o.Order, err)
Return(o.Item)`, []int{1}, "before 30\nafter 1 <nil>\n", 1},
		"one after the other": {`
UseTools("order an item")
for i := range 3 {
	o, err := shop.Buy(shop.BuyParams{Item: strings.Repeat("x", i)})
	fmt.Println(o.Order, err)
}`, []int{1, 1, 1}, "1 <nil>\n2 <nil>\n3 <nil>\n", 3},
		"equal calls at once": {`
UseTools("order an item")
var wg sync.WaitGroup
var n atomic.Int64
for range 3 {
	wg.Go(func() { o, _ := shop.Buy(shop.BuyParams{Item: "nut"}); n.Add(int64(o.Order)) })
}
wg.Wait()
fmt.Println(n.Load())`, []int{3}, "6\n", 3},
		"a pool": {`
UseTools("order an item")
jobs := make(chan int)
var wg sync.WaitGroup
var n atomic.Int64
for range 2 {
	wg.Go(func() {
		for j := range jobs {
			o, err := shop.Buy(shop.BuyParams{Item: strings.Repeat("x", j)})
			if err == nil {
				n.Add(int64(len(o.Item)))
			}
		}
	})
}
for j := range 4 {
	jobs <- j
}
close(jobs)
wg.Wait()
fmt.Println(n.Load())`, []int{2, 2}, "6\n", 4},
		"beside a timer": {`
UseTools("order an item")
done := make(chan int, 1)
go func() { o, _ := shop.Buy(shop.BuyParams{Item: "nut"}); done <- int(o.Order) }()
select {
case n := <-done:
	fmt.Println("bought", n)
case <-time.After(time.Hour):
	fmt.Println("late")
}`, []int{1}, "bought 1\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			h, shop, store, s := asksFor(t)
			res := runs(t, h, s, c.script)
			for i, n := range c.rounds {
				if res.Status != outcome.Waiting || res.ExitCode != 75 || len(res.Waiting) != n {
					t.Fatalf("round %d: %s\n%+v", i, res.Text(), res.Waiting)
				}
				if got := len(slices.DeleteFunc(slices.Clone(shop.args), func(string) bool { return false })); shop.calls["buy"] != c.buys-left(c.rounds[i:]) {
					t.Fatalf("round %d: %d calls sent, of them %d buys", i, got, shop.calls["buy"])
				}
				answerAll(t, store, res, true, "")
				res = mustResume(t, h, s, res.Run)
			}
			if res.Status != outcome.OK || res.Stdout != c.want {
				t.Fatalf("%s\nprinted %q, want %q", res.Text(), res.Stdout, c.want)
			}
			if shop.calls["buy"] != c.buys || shop.calls["stock"] > 1 {
				t.Errorf("calls: %v", shop.calls)
			}
			run, err := store.Load(res.Run)
			if err != nil {
				t.Fatal(err)
			}
			if run.Stdout() != c.want || run.End == nil || run.End.Status != "ok" {
				t.Errorf("the record has %q, %+v", run.Stdout(), run.End)
			}
			rep, err := h.Replay(t.Context(), &harness.Replay{Run: run})
			if err != nil || rep.Difference != nil {
				t.Errorf("replayed: %+v, %v", rep, err)
			}
			if _, err := h.Resume(t.Context(), res.Run, s); err == nil || !strings.Contains(err.Error(), "it ended with") {
				t.Errorf("resumed after its end: %v", err)
			}
		})
	}
}

func left(rounds []int) int {
	n := 0
	for _, r := range rounds {
		n += r
	}
	return n
}

func TestANoIsAnErrorOfTheCall(t *testing.T) {
	h, shop, records, s := asksFor(t)
	res := runs(t, h, s, `
_, err := shop.Buy(shop.BuyParams{Item: "nut"})
fmt.Println(err)`)
	answerAll(t, records, res, false, "too dear")
	if err := records.Answer(res.Waiting[0].ID, &record.Answer{Yes: true, Who: "bob"}); !errors.Is(err, store.ErrAnswered) {
		t.Errorf("a second answer: %v", err)
	}
	res = mustResume(t, h, s, res.Run)
	if res.Status != outcome.OK || !strings.Contains(res.Stdout, "ann rejected it: too dear") || shop.calls["buy"] != 0 {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
}

func TestAnUnknownCallEndsTheRun(t *testing.T) {
	h, shop, store, s := asksFor(t)
	s.Policy = nil
	const script = `
UseTools("order an item")
a, _ := shop.Buy(shop.BuyParams{Item: "nut"})
b, err := shop.Buy(shop.BuyParams{Item: "lost"})
fmt.Println(a.Order, b.Order, err)`
	res := runs(t, h, s, script)
	if res.Status != outcome.Uncertain || res.ExitCode != 75 || len(res.Unknown) != 1 || res.Unknown[0].N != 2 || res.Unknown[0].Line != 4 {
		t.Fatalf("%s %+v", res.Text(), res.Unknown)
	}
	var uncertain *record.UnknownError
	if _, err := h.Resume(t.Context(), res.Run, s); !errors.As(err, &uncertain) {
		t.Fatalf("resumed: %v", err)
	}
	if err := store.Settle(res.Run, &record.Settle{N: 2, Happened: true, Who: "ann",
		Result: record.Raw([]byte(`{"content":[],"structuredContent":{"order":7}}`))}, 0); err != nil {
		t.Fatal(err)
	}
	res = mustResume(t, h, s, res.Run)
	if res.Status != outcome.OK || res.Stdout != "1 7 <nil>\n" || shop.calls["buy"] != 2 {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
}

func TestAScriptMayBeToldOfAnUnknownCall(t *testing.T) {
	h, shop, _, s := asksFor(t)
	s.Policy = nil
	res := runs(t, h, s, `
UseTools("order an item")
_, err := shop.Buy(shop.BuyParams{Item: "lost"})
var u *UncertainError
fmt.Println(errors.As(err, &u), u.Tool)
_, err = shop.Buy(shop.BuyParams{Item: "lost"})
fmt.Println(err)`)
	if res.Status != outcome.Waiting || res.Stdout != "true shop.buy\n" || len(res.Waiting) != 1 || shop.calls["buy"] != 1 ||
		!strings.Contains(res.Waiting[0].Why, "its outcome is unknown") {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
}

func TestEffectsAreNotCalledOffWithTheirRun(t *testing.T) {
	h, shop, store, s := asksFor(t)
	s.Policy = nil
	release, begun := make(chan struct{}), make(chan struct{})
	s.Catalog = &catalog.Catalog{Registry: s.Catalog.Registry, Calls: callFunc(func(ctx context.Context, server string,
		req *backend.Request) (*backend.Result, error) {
		if err := req.Send.Begin(ctx); err != nil {
			return nil, err
		}
		close(begun)
		select {
		case <-release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return shop.Call(context.Background(), server, &backend.Request{Tool: req.Tool, Args: req.Args})
	})}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
		close(release)
	}()
	s.Source = `UseTools("order an item"); o, err := shop.Buy(shop.BuyParams{Item: "nut"}); fmt.Println(o.Order, err)`
	res, err := h.Run(ctx, s)
	if err != nil || res.Status != outcome.Canceled {
		t.Fatal(res, err)
	}
	run, err := store.Load(res.Run)
	if err != nil || len(run.Calls) != 1 || run.Calls[0].Done == nil || run.Calls[0].Done.Kind != record.Answered {
		t.Fatalf("%+v, %v", run.Calls, err)
	}
	res = mustResume(t, h, s, res.Run)
	if res.Status != outcome.OK || res.Stdout != "1 <nil>\n" || shop.calls["buy"] != 1 {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
}

type callFunc func(ctx context.Context, server string, req *backend.Request) (*backend.Result, error)

func (f callFunc) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	return f(ctx, server, req)
}

func TestAYesToADryRunIsForItsCalls(t *testing.T) {
	h, shop, store, s := asksFor(t)
	s.Dry = true
	res := runs(t, h, s, `
UseTools("order an item", "show how much of an item is in stock")
s, _ := shop.Stock(shop.StockParams{Item: "nut"})
for i := range 3 {
	_, _ = shop.Buy(shop.BuyParams{Item: "nut", Count: i + int(s.Count)})
}
fmt.Println("done")`)
	if res.Status != outcome.OK || res.Approval == "" || len(res.Ledger) != 3 || shop.calls["buy"] != 0 {
		t.Fatalf("%+v", res)
	}
	if err := store.Answer(res.Approval, &record.Answer{Yes: true, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	s.Dry = false
	res = mustResume(t, h, s, res.Run)
	if res.Status != outcome.OK || res.Dry || shop.calls["buy"] != 3 || shop.calls["stock"] != 1 || res.Stdout != "done\n" {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
}

// What a dry run printed, called and was told is no part of the run that it goes on as.
func TestADryRunThatGoesOnIsARunOfItsOwn(t *testing.T) {
	h, _, store, s := asksFor(t)
	s.Dry = true
	res := runs(t, h, s, `fmt.Println("begins")
s, _ := shop.Stock(shop.StockParams{Item: "nut"})
o, _ := shop.Buy(shop.BuyParams{Item: "nut", Count: int(s.Count)})
fmt.Println("bought", o.Order)
log.Print("made ", o.Order)
_, _ = shop.Stock(shop.StockParams{Item: "bolt"})
o, _ = shop.Buy(shop.BuyParams{Item: "bolt"})
fmt.Println("bought", o.Order)
Return(o.Order)`)
	if err := store.Answer(res.Approval, &record.Answer{Yes: true, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s.Dry, s.Stdout = false, &out
	want := mustResume(t, h, s, res.Run)
	run, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	got, err := outcome.FromRecord(run)
	if err != nil {
		t.Fatal(err)
	}
	got.Sandbox = want.Sandbox
	if d := cmp.Diff(want.Text()+want.LedgerText(), got.Text()+got.LedgerText()); d != "" || got.Dry || got.Ledger != nil ||
		len(got.Calls) != 4 || got.Stdout == res.Stdout || got.Stdout != want.Stdout || got.Stderr != want.Stderr ||
		out.String() != want.Stdout || string(got.Value) != string(want.Value) {
		t.Errorf("%+v, in the record %+v, printed %q\n%s", want, got, out.String(), d)
	}
	if again, err := h.Replay(t.Context(), &harness.Replay{Run: run}); err != nil || again.Difference != nil {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestARunOfSavedScriptsWaits(t *testing.T) {
	t.Parallel()
	h, shop, store, s := asksFor(t)
	_, withScripts := shopWithScripts(t)
	withScripts.Calls = shop
	s.Catalog = withScripts
	if err := withScripts.Scripts.Save(&library.Script{Name: "order", Source: `
UseTools("order an item")
var item string
Input("item", &item)
o, err := shop.Buy(shop.BuyParams{Item: item})
if err != nil {
	panic(err)
}
fmt.Println("ordered", item)
Return(o.Order)`}); err != nil {
		t.Fatal(err)
	}
	res := runs(t, h, s, `
for _, item := range []string{"nut", "bolt"} {
	v, err := RunScript("order", map[string]any{"item": item})
	fmt.Println(v, err)
}`)
	for range 2 {
		if res.Status != outcome.Waiting || len(res.Waiting) != 1 || res.Waiting[0].Script != "order" {
			t.Fatalf("%s %+v", res.Text(), res.Waiting)
		}
		answerAll(t, store, res, true, "")
		res = mustResume(t, h, s, res.Run)
	}
	if res.Status != outcome.OK || shop.calls["buy"] != 2 {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
}

// A script that goes another way sends nothing.
func TestAScriptThatDivergesSendsNothing(t *testing.T) {
	t.Parallel()
	h, shop, store, s := asksFor(t)
	s.Policy = nil
	s.Limits.Timeout = 20 * time.Second
	// A goroutine's turn is nowhere noted.
	res := runs(t, h, s, `
UseTools("order an item")
_, _ = shop.Buy(shop.BuyParams{Item: fmt.Sprintf("%p", new(int))})
_, _ = shop.Buy(shop.BuyParams{Item: "lost"})`)
	if res.Status != outcome.Uncertain {
		t.Fatal(res.Text())
	}
	if err := store.Settle(res.Run, &record.Settle{N: 2, Happened: false, Who: "ann"}, -time.Hour); err != nil {
		t.Fatal(err)
	}
	res = mustResume(t, h, s, res.Run)
	if res.Status != outcome.Diverged || shop.calls["buy"] != 2 || !strings.Contains(res.Text(), "did not make") {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
	run, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(2, len(run.Calls)); diff != "" || len(run.Attempts) != harness.MaxAttempts {
		t.Errorf("%s%d attempts", diff, len(run.Attempts))
	}
}

func BenchmarkResume(b *testing.B) {
	h, _, store, s := asksFor(b)
	s.Policy = nil
	s.Limits.Calls = 1000
	ids := []string{}
	for range b.N {
		res := runs(b, h, s, `
UseTools("show how much of an item is in stock", "order an item")
for i := range 100 {
	if _, err := shop.Stock(shop.StockParams{Item: fmt.Sprint(i)}); err != nil {
		panic(err)
	}
}
_, err := shop.Buy(shop.BuyParams{Item: "lost"})
fmt.Println(err)`)
		if res.Status != outcome.Uncertain {
			b.Fatal(res.Text())
		}
		if err := store.Settle(res.Run, &record.Settle{N: 101, Happened: true, Who: "ann",
			Result: record.Raw([]byte(`{"content":[]}`))}, 0); err != nil {
			b.Fatal(err)
		}
		ids = append(ids, res.Run)
	}
	b.ResetTimer()
	for i := range b.N {
		if res := mustResume(b, h, s, ids[i]); res.Status != outcome.OK {
			b.Fatal(res.Text())
		}
	}
}

var _ = fmt.Sprint

// A server that keeps state in its process has lost it when it was started anew.
func TestALostSessionIsSaid(t *testing.T) {
	t.Parallel()
	h, shop, _, s := asksFor(t)
	since := time.Now()
	s.Policy = nil
	s.Catalog = &catalog.Catalog{Registry: s.Catalog.Registry, Calls: &connected{shop, &since},
		Servers: []config.Server{{Name: "shop", Session: true}}}
	const script = `
UseTools("order an item", "show how much of an item is in stock")
_, _ = shop.Stock(shop.StockParams{Item: "nut"})
_, _ = shop.Buy(shop.BuyParams{Item: "nut"})`
	s.Policy = &policy.Policy{Approve: policy.ApproveWrites}
	for _, lost := range []bool{false, true} {
		res := runs(t, h, s, script)
		if res.Status != outcome.Waiting {
			t.Fatal(res.Text())
		}
		if lost {
			since = time.Now()
		}
		answerAll(t, harness.OptionsOf(h).Records, res, true, "")
		res = mustResume(t, h, s, res.Run)
		if want := map[bool]outcome.Status{false: outcome.OK, true: outcome.Diverged}[lost]; res.Status != want || res.Attempts != 2 {
			t.Errorf("lost %t: %s", lost, res.Text())
		}
	}
}

type connected struct {
	*shop
	since *time.Time
}

func (c *connected) Session(context.Context, string) (bool, time.Time) { return false, *c.since }

// A tool that has become another one is not called by a run that knew it as it was.
func TestAChangedToolStopsTheRun(t *testing.T) {
	t.Parallel()
	h, shop, store, s := asksFor(t)
	res := runs(t, h, s, `
UseTools("order an item")
_, _ = shop.Buy(shop.BuyParams{Item: "nut"})`)
	answerAll(t, store, res, true, "")
	reg := &registry.Registry{Servers: s.Catalog.Registry.Servers, Tools: slices.Clone(s.Catalog.Registry.Tools)}
	for i := range reg.Tools {
		reg.Tools[i].Description += " at once"
		reg.Tools[i].Hash = ""
	}
	reg.Normalize()
	s.Catalog = &catalog.Catalog{Registry: reg, Calls: shop}
	res = mustResume(t, h, s, res.Run)
	if res.Status != outcome.Diverged || shop.calls["buy"] != 0 || !strings.Contains(res.Text(), "shop.buy has changed since the run began") {
		t.Errorf("%s %v", res.Text(), shop.calls)
	}
}

// The same request is not begun again while its run waits, and gets its result once.
func TestTheSameRequestIsNotBegunAgain(t *testing.T) {
	h, shop, store, s := asksFor(t)
	s.Origin.Subject = "ann"
	s.Source = `
UseTools("order an item")
o, _ := shop.Buy(shop.BuyParams{Item: "nut"})
Return(o.Order)`
	rejoin := func(h *harness.Harness, s *harness.Script) *outcome.Result {
		t.Helper()
		res, err := h.Rejoin(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := rejoin(h, s); res != nil {
		t.Fatal(res.Text())
	}
	first := runs(t, h, s, s.Source)
	bob := *s
	bob.Origin.Subject = "bob"
	if res := rejoin(h, &bob); res != nil {
		t.Errorf("another's: %s", res.Text())
	}
	other := harness.New(&harness.Options{Records: store}) // after a restart
	for range 2 {
		res := rejoin(other, s)
		if res == nil || res.Run != first.Run || res.Status != outcome.Waiting || len(res.Waiting) != 1 || len(res.Warnings) == 0 {
			t.Fatalf("%+v", res)
		}
	}
	answerAll(t, store, first, true, "")
	if res := rejoin(other, s); res == nil || res.Status != outcome.OK || string(res.Value) != "1" || shop.calls["buy"] != 1 {
		t.Fatalf("%+v", res)
	}
	// Its result was for that request: the next one is another.
	if res := rejoin(other, s); res != nil {
		t.Errorf("again: %s", res.Text())
	}
}

// A run that goes on under a looser policy, or none, sends nothing that it was to ask
// for: what was asked is obeyed, and so is the policy that it began with.
func TestALooserPolicyLetsNothingThrough(t *testing.T) {
	t.Parallel()
	h, shop, store, s := asksFor(t)
	defer h.Close()
	res := runs(t, h, s, `
UseTools("order an item")
for _, item := range []string{"nut", "bolt"} {
	_, err := shop.Buy(shop.BuyParams{Item: item})
	fmt.Println(item, err != nil)
}`)
	s.Policy = nil
	if res = mustResume(t, h, s, res.Run); res.Status != outcome.Waiting || shop.calls["buy"] != 0 {
		t.Fatalf("%s, %v", res.Status, shop.calls)
	}
	answerAll(t, store, res, false, "")
	if res = mustResume(t, h, s, res.Run); res.Status != outcome.Waiting || len(res.Waiting) != 1 || shop.calls["buy"] != 0 {
		t.Fatalf("%s, %v, %v", res.Status, res.Waiting, shop.calls)
	}
	answerAll(t, store, res, true, "")
	if res = mustResume(t, h, s, res.Run); res.Status != outcome.OK || shop.calls["buy"] != 1 ||
		res.Stdout != "nut true\nbolt false\n" {
		t.Fatalf("%s, %q, %v", res.Status, res.Stdout, shop.calls)
	}
}

// What a run that waits keeps of this process's memory: its record is all that is left.
func BenchmarkWaitingRun(b *testing.B) {
	h, _, _, s := asksFor(b)
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	wait := func(n int) {
		for i := range n {
			if res := runs(b, h, s, fmt.Sprintf(`_, _ = shop.Buy(shop.BuyParams{Item: "nut %d"})`, i)); res.Status != outcome.Waiting {
				b.Fatal(res.Text())
			}
		}
		h.Close()
	}
	wait(20)
	before := heap()
	b.ResetTimer()
	wait(b.N)
	b.StopTimer()
	b.ReportMetric(float64(heap()-before)/float64(b.N), "heap-B/run")
}

// A yes is for the tool as it was: its server is asked before it is used.
func TestAYesIsNotUsedForAToolThatHasChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*registry.Tool)
		want   outcome.Status
		say    string
	}{
		"the same":            {func(*registry.Tool) {}, outcome.OK, ""},
		"another description": {func(t *registry.Tool) { t.Description += "!" }, outcome.Diverged, "has changed since the run began"},
		"gone":                {func(t *registry.Tool) { t.Name = "other" }, outcome.Diverged, "has changed since the run began"},
		"down":                {func(t *registry.Tool) { t.Name = "" }, outcome.Diverged, "cannot confirm that it is still the same tool: down"},
	} {
		t.Run(name, func(t *testing.T) {
			h, shop, store, s := asksFor(t)
			buy, _ := s.Catalog.Registry.Tool("shop.buy")
			live := *buy
			c.change(&live)
			s.Catalog = &catalog.Catalog{Registry: s.Catalog.Registry, Calls: &listed{shop: shop, tool: live}}
			res := runs(t, h, s, `
UseTools("order an item")
_, _ = shop.Buy(shop.BuyParams{Item: "nut"})`)
			answerAll(t, store, res, true, "")
			res = mustResume(t, h, s, res.Run)
			if bought := shop.calls["buy"] == 1; res.Status != c.want || bought != (c.want == outcome.OK) ||
				!strings.Contains(res.Text(), c.say) {
				t.Errorf("%v %s", shop.calls, res.Text())
			}
		})
	}
}

// listed is a backend with one tool.
type listed struct {
	*shop
	backend.Backend
	tool registry.Tool
}

func (l *listed) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	return l.shop.Call(ctx, server, req)
}

func (l *listed) Connect(context.Context, string) (backend.Backend, error) {
	if l.tool.Name == "" {
		return nil, errors.New("down")
	}
	return lists{l.tool}, nil
}

type lists struct{ tool registry.Tool }

func (l lists) List(context.Context) (*backend.Listing, error) {
	return &backend.Listing{Tools: []registry.Tool{l.tool}}, nil
}

func (lists) Call(context.Context, *backend.Request) (*backend.Result, error) { return nil, nil }
func (lists) Close() error                                                    { return nil }

// A run whose record hides the answer of an effect call tells its client at once that no approval helps.
func TestARunWhoseAnswerIsHiddenSaysThatItEnds(t *testing.T) {
	t.Parallel()
	server, cat := newShop(t)
	server.sold.Store(8675309122)
	records := store.Memory(10, &store.StoreOptions{Redact: func(s string) string {
		return strings.ReplaceAll(s, "8675309123", "•••")
	}})
	h := harness.New(&harness.Options{Records: records})
	s := &harness.Script{Catalog: cat, Policy: &policy.Policy{Approve: policy.ApproveWrites}}
	res := runs(t, h, s, `for range 2 { _, _ = shop.Buy(shop.BuyParams{Item: "nut"}) }`)
	if res.Status != outcome.Waiting || res.NoResume != "" {
		t.Fatal(res.Text())
	}
	answerAll(t, records, res, true, "")
	res = mustResume(t, h, s, res.Run)
	res.Next.Command = registry.Command()
	if text := res.Text(); res.Status != outcome.Waiting || !strings.Contains(text, "cannot be resumed") ||
		!strings.Contains(text, res.NoResume) || res.NoResume == "" || strings.Contains(text, "harness ") {
		t.Error(text)
	}
	answerAll(t, records, res, true, "")
	if _, err := h.Resume(t.Context(), res.Run, s); err == nil || !strings.HasSuffix(err.Error(), res.NoResume) {
		t.Errorf("%v, and told %q", err, res.NoResume)
	}
}
