package harness_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/recordtest"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// shop is a backend that counts what is done to it.
type shop struct {
	mu    sync.Mutex
	calls map[string]int
	args  []string // as they came
	sold  atomic.Int64
}

func (s *shop) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool, args := req.Tool, req.Args.JSON()
	if how := req.Send; how != nil {
		if err := how.Begin(ctx); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	s.calls[tool]++
	s.args = append(s.args, string(args))
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

func newShop(testing.TB) (*shop, *catalog.Catalog) {
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
	return s, &catalog.Catalog{Registry: reg, Calls: s}
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
	s, cat := newShop(t)
	store := store.Memory(10, nil)
	h := harness.New(&harness.Options{Records: store, Version: "test"})
	res, err := h.Run(t.Context(), &harness.Script{Source: shopScript, Catalog: cat, Origin: harness.Origin{Name: "shop.go", Subject: "ann"},
		Inputs: map[string]json.RawMessage{"a": json.RawMessage("1")}})
	if err != nil || res.Status != outcome.OK {
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
	for i, m := range run.Calls {
		if string(m.Call.Args.JSON) != s.args[i] {
			t.Errorf("the server got %s, the record has %s", s.args[i], m.Call.Args.JSON)
		}
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
		store := store.Memory(10, nil)
		res, err := harness.New(&harness.Options{Records: store}).Run(t.Context(), &harness.Script{Source: c.script, Catalog: cat})
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
	store := store.Memory(10, nil)
	h := harness.New(&harness.Options{Records: store})
	script := strings.Replace(shopScript, `_, err := shop.Stock(shop.StockParams{Item: "broken"})`,
		`_, err := shop.Buy(shop.BuyParams{Item: "nut", Count: 2})`, 1)
	dry := func() *outcome.Result {
		res, err := h.Run(t.Context(), &harness.Script{Source: script, Catalog: cat, Dry: true})
		if err != nil || res.Status != outcome.OK {
			t.Fatal(res.Text(), err)
		}
		return res
	}
	want := []outcome.Unmade{
		{Tool: "shop.buy", Class: record.Effect, Where: record.Where{Line: 10}, Args: json.RawMessage(`{"count":1,"item":"bolt"}`)},
		{Tool: "shop.buy", Class: record.Effect, Where: record.Where{Line: 14}, Args: json.RawMessage(`{"count":2,"item":"nut"}`), After: 1,
			Guess: true},
	}
	if diff := cmp.Diff(want, dry().Ledger, cmpopts.IgnoreFields(outcome.Unmade{}, "Origins")); diff != "" {
		t.Error(diff)
	}
	if s.calls["buy"] != 0 || s.calls["stock"] != 2 {
		t.Errorf("the servers were called: %v", s.calls)
	}
	for sum, err := range store.List(t.Context(), nil) {
		if err != nil || sum.Calls != 2 || len(sum.Tools) != 2 {
			t.Errorf("the list has %+v, %v; want the 2 calls that were sent and the tools of all 4", sum, err)
		}
	}
	// An earlier run's answer is taken where there is one.
	real, err := h.Run(t.Context(), &harness.Script{Source: script, Catalog: cat})
	if err != nil || real.Status != outcome.OK {
		t.Fatal(real.Text(), err)
	}
	want[0].From, want[1].From, want[1].Guess = real.Run, real.Run, false
	res := dry()
	if diff := cmp.Diff(want, res.Ledger, cmpopts.IgnoreFields(outcome.Unmade{}, "Origins")); diff != "" || s.calls["buy"] != 2 || res.Stdout != real.Stdout {
		t.Errorf("%s, %v\n%s", diff, s.calls, res.Stdout)
	}
}

// What a dry run does not send is in its record, also where its arguments are
// wrong; answers of which secrets were hidden are not given to a script.
func TestADryRunIsRecorded(t *testing.T) {
	s, cat := newShop(t)
	dir := t.TempDir()
	hide := func(s string) string { return strings.ReplaceAll(s, "secret", "*****") }
	store, err := store.Open(dir, &store.StoreOptions{Redact: hide})
	if err != nil {
		t.Fatal(err)
	}
	h := harness.New(&harness.Options{Records: store})
	const script = `o, err := shop.Buy(shop.BuyParams{Item: "nut"})
_, err = shop.Buy(shop.BuyParams{Item: "secret"})
Return(o.Order)
_ = err`
	if _, err := h.Run(t.Context(), &harness.Script{Source: script, Catalog: cat}); err != nil || s.calls["buy"] != 2 {
		t.Fatal(err, s.calls)
	}
	for _, anonymous := range []bool{false, true} {
		res, err := h.Run(t.Context(), &harness.Script{Source: script, Catalog: cat, Dry: true, Origin: harness.Origin{Anonymous: anonymous}})
		if err != nil || res.Status != outcome.OK {
			t.Fatal(res.Text(), err)
		}
		if l := res.Ledger; len(l) != 2 || (l[0].From == "") != anonymous || l[1].From != "" {
			t.Errorf("%+v", l)
		}
		run, err := store.Load(res.Run)
		if err != nil || len(run.Calls) != 2 || run.Calls[0].Guess == nil || run.Calls[1].Guess == nil {
			t.Errorf("%+v, %v", run, err)
		}
	}
	tool, _ := cat.Registry.Tool("shop.buy")
	tool.Input = json.RawMessage(`{"type":"object","properties":{"item":{"type":"string","maxLength":4}},"required":["item"]}`)
	cat = &catalog.Catalog{Registry: cat.Registry, Calls: s}
	var told []record.Progress
	res, err := h.Run(t.Context(), &harness.Script{Source: `_, err := shop.Buy(shop.BuyParams{Item: "too long"}); Return(err.Error())`,
		Catalog: cat, Dry: true, OnProgress: func(p record.Progress) { told = append(told, p) }})
	if err != nil || res.Status != outcome.OK || len(res.Ledger) != 0 || !strings.Contains(res.Text(), "wrong arguments") {
		t.Fatal(res.Text(), err)
	}
	run, err := store.Load(res.Run)
	if err != nil || len(run.Calls) != 1 || run.Calls[0].Done == nil || run.Calls[0].Done.Kind != record.NotSent {
		t.Errorf("%+v, %v", run, err)
	}
	if b := told[0].Begin; b == nil || b.ID != res.Run || !b.Dry {
		t.Errorf("the listener is told of %+v", told[0])
	}
	if s.calls["buy"] != 2 {
		t.Errorf("the servers were called: %v", s.calls)
	}
}

// A script that would be kept under a name is not, where it only ran dry.
func TestADryRunSavesNoScript(t *testing.T) {
	_, cat := newShop(t)
	cat.Scripts = library.Open(t.TempDir())
	h := harness.New(nil)
	for _, dry := range []bool{true, false} {
		if _, err := h.Run(t.Context(), &harness.Script{Source: "// usetools:name one What it does\nReturn(1)", Catalog: cat,
			Dry: dry}); err != nil {
			t.Fatal(err)
		}
		if names, err := cat.Scripts.Names(); err != nil || (len(names) == 0) != dry {
			t.Errorf("dry %t: %v, %v", dry, names, err)
		}
	}
}

// The arguments of a ledger have room, however many there are.
func TestTheLedgerIsBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("25 MB of arguments, one call after another")
	}
	_, cat := newShop(t)
	res, err := harness.New(nil).Run(t.Context(), &harness.Script{Catalog: cat, Dry: true, Source: `for range 5 {
	_, _ = shop.Buy(shop.BuyParams{Item: strings.Repeat("x", 5<<20)})
}`})
	if err != nil || res.Status != outcome.OK || len(res.Ledger) != 5 {
		t.Fatal(res.Text(), err)
	}
	kept := 0
	for _, u := range res.Ledger {
		if kept += len(u.Args); u.Args == nil && u.Bytes < 5<<20 {
			t.Errorf("%d bytes are not there", u.Bytes)
		}
	}
	if kept > harness.MaxLedger || kept < harness.MaxLedger/2 {
		t.Errorf("%d bytes", kept)
	}
}

func TestACallLeavesARecord(t *testing.T) {
	s, cat := newShop(t)
	store := store.Memory(10, nil)
	h := harness.New(&harness.Options{Records: store})
	for _, item := range []string{"nut", "broken", "lost"} {
		h.CallTool(t.Context(), cat, "shop.buy", json.RawMessage(`{"item":"`+item+`"}`), &harness.Script{Origin: harness.Origin{Subject: "ann", Session: "s"}}, false)
	}
	h.CallTool(t.Context(), cat, "shop.buy", json.RawMessage(`{"item":5}`), nil, false)
	h.CallTool(t.Context(), cat, "shop.buy", json.RawMessage(`{"item":"nut"}`), &harness.Script{Policy: &policy.Policy{ReadOnly: true}}, false) // denied
	if res, _, err := harness.New(nil).CallTool(t.Context(), cat, "shop.buy", json.RawMessage(`{"item":"nut"}`),
		&harness.Script{Dry: true}, false); err != nil || !strings.Contains(res.Text(), "order") {
		t.Errorf("%+v, %v", res, err)
	}
	var got []string
	for sum, err := range store.List(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		run, err := store.Load(sum.ID)
		if err != nil {
			t.Fatal(err)
		}
		m := run.Calls[0]
		got = append(got, fmt.Sprint(sum.Name, " ", sum.Subject, sum.Session, " ", sum.Status, " ", m.Class, " ", m.Done.Kind, " ",
			run.Tools.Tools[0].ID))
	}
	want := []string{
		"call shop.buy  script_error effect not_sent shop.buy",
		"call shop.buy anns script_error effect uncertain shop.buy",
		"call shop.buy anns script_error effect answered shop.buy",
		"call shop.buy anns ok effect answered shop.buy",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.calls["buy"] != 3 {
		t.Errorf("%v", s.calls)
	}
}

func TestNothingIsSentThatCannotBeRecorded(t *testing.T) {
	s, cat := newShop(t)
	in, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var full atomic.Bool // from the second call on
	store := store.On(recordtest.Through(in, func(step string, do func() error) error {
		if step == "write" && full.Load() {
			return errors.New("no space left on device")
		}
		return do()
	}), "", nil)
	res, err := harness.New(&harness.Options{Records: store}).Run(t.Context(), &harness.Script{Source: shopScript, Catalog: cat, OnProgress: func(p record.Progress) {
		if p.Done != nil {
			full.Store(true)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if s.calls["stock"] != 1 || s.calls["buy"] != 0 || !strings.Contains(res.Text(), "cannot be written, so no further call is sent") {
		t.Errorf("%v\n%s", s.calls, res.Text())
	}
}

// BenchmarkRecord runs a script with 20 reads, and one with 20 effects, without a
// record, with one in memory and with one in a folder.
func BenchmarkRecord(b *testing.B) {
	for _, call := range []string{"Stock(shop.StockParams", "Buy(shop.BuyParams"} {
		script := `UseTools("show how much of an item is in stock", "order an item")
for i := range 20 {
	if _, err := shop.` + call + `{Item: fmt.Sprint(i)}); err != nil {
		panic(err)
	}
}`
		folder, err := store.Open(b.TempDir(), nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, where := range []struct {
			name  string
			store *store.Store
		}{{"off", nil}, {"memory", store.Memory(200, nil)}, {"folder", folder}} {
			b.Run(call[:5]+"/"+where.name, func(b *testing.B) {
				_, cat := newShop(b)
				h := harness.New(&harness.Options{Records: where.store})
				defer h.Close()
				for b.Loop() {
					if res, err := h.Run(b.Context(), &harness.Script{Source: script, Catalog: cat}); err != nil || res.Status != outcome.OK {
						b.Fatal(res, err)
					}
				}
			})
		}
	}
}

// What is printed is noted with its line, and when; replay and resume compare the text.
func TestPrintsAreRecordedWithTheirLines(t *testing.T) {
	_, cat := newShop(t)
	store := store.Memory(1, nil)
	h := harness.New(&harness.Options{Records: store})
	defer h.Close()
	res, err := h.Run(t.Context(), &harness.Script{Catalog: cat, Source: `UseTools("show how much of an item is in stock")
fmt.Print("pre")
for i := range 3 {
	fmt.Println("item", i)
	fmt.Fprintln(os.Stderr, "warned", i)
}
if _, err := shop.Stock(shop.StockParams{Item: "tea"}); err != nil {
	panic(err)
}
os.Stdout.Write([]byte("caf\xc3"))
os.Stdout.Write([]byte("\xa9 \xff\n"))
fmt.Println("done")`})
	if err != nil || res.Status != outcome.OK {
		t.Fatal(res, err)
	}
	run, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]string{}
	for _, n := range run.Notes {
		for p := range n.Printed() {
			got[p.Line] += p.Text
			if p.Stderr != (p.Line == 5) || p.Time.Before(run.Begin.Time) || p.Time.After(run.End.Time) {
				t.Errorf("%+v", p)
			}
		}
	}
	want := map[int]string{2: "pre", 4: "item 0\nitem 1\nitem 2\n", 5: "warned 0\nwarned 1\nwarned 2\n", 10: "caf",
		11: "é \uFFFD\n", 12: "done\n"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if run.Stdout() != res.Stdout {
		t.Errorf("%q and %q", run.Stdout(), res.Stdout)
	}
	for _, n := range run.Notes { // an earlier program's, or one that says something else
		n.Line, n.Lines = 0, [][3]int{{9, 3, 0}}
	}
	again, err := h.Replay(t.Context(), &harness.Replay{Run: run})
	if err != nil || again.Difference != nil {
		t.Errorf("%+v, %v", again, err)
	}
}

// What a run takes of the machine is in its record.
func TestRecordSaysWhatARunTakes(t *testing.T) {
	t.Parallel()
	store := store.Memory(2, nil)
	h := harness.New(&harness.Options{Records: store})
	defer h.Close()
	for range 3 { // until the system has let it run for long enough
		res, err := h.Run(t.Context(), &harness.Script{Source: `n := 0
for until := time.Now().Add(300 * time.Millisecond); time.Now().Before(until); {
	n++
}
fmt.Println("counted")`})
		if err != nil || res.Status != outcome.OK {
			t.Fatal(res, err)
		}
		run, err := store.Load(res.Run)
		if err != nil {
			t.Fatal(err)
		}
		v := present.New(run)
		if runtime.GOOS != "linux" {
			if len(v.Usage) > 0 {
				t.Errorf("%+v", v.Usage)
			}
			return
		}
		before := 0.0
		for _, u := range v.Usage {
			if u.At <= before || u.CPU < 0 || u.Memory < 1<<20 || u.Memory > 1<<30 {
				t.Errorf("%+v", u)
			}
			before = u.At
		}
		if len(v.Usage) > 0 && v.CPU > 1 && v.Peak > 1<<20 && before <= v.Ms {
			return
		}
		t.Logf("%d samples, %v ms, %d bytes", len(v.Usage), v.CPU, v.Peak)
	}
	t.Error("the record says less")
}

// BenchmarkRecordOfPrints runs scripts that print 100,000 lines, without a record and
// with one in memory.
func BenchmarkRecordOfPrints(b *testing.B) {
	for _, script := range []struct{ name, source string }{
		{"one", "for i := range 100_000 {\n\tfmt.Println(\"line\", i)\n}"},
		{"two", "for i := range 50_000 {\n\tfmt.Println(\"line\", i)\n\tfmt.Fprintf(os.Stderr, \"%d\\n\", i)\n}"},
	} {
		for _, where := range []struct {
			name  string
			store *store.Store
		}{{"off", nil}, {"memory", store.Memory(20, nil)}} {
			b.Run(script.name+"/"+where.name, func(b *testing.B) {
				h := harness.New(&harness.Options{Records: where.store, Limits: harness.Limits{Stdout: 16 << 20}})
				defer h.Close()
				for b.Loop() {
					if res, err := h.Run(b.Context(), &harness.Script{Source: script.source}); err != nil || res.Status != outcome.OK {
						b.Fatal(res, err)
					}
				}
			})
		}
	}
}
