package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// seller is a server with state. Its tool wait answers when release is closed or fed.
type seller struct {
	begun, canceled chan struct{}
	release         chan struct{}
	mu              sync.Mutex
	bought          []string
}

func newSeller() *seller {
	return &seller{begun: make(chan struct{}, 100), canceled: make(chan struct{}, 100), release: make(chan struct{})}
}

func (s *seller) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool, args := req.Tool, req.Args.JSON()
	if err := req.Send.Begin(ctx); err != nil {
		return nil, err
	}
	switch tool {
	case "buy":
		s.mu.Lock()
		s.bought = append(s.bought, string(args))
		n := len(s.bought)
		s.mu.Unlock()
		return backend.DecodeResult(fmt.Appendf(nil, `{"content":[],"structuredContent":{"order":%d}}`, n))
	case "wait":
		s.begun <- struct{}{}
		select {
		case <-s.release:
		case <-ctx.Done():
			s.canceled <- struct{}{}
			return nil, ctx.Err()
		}
	case "fail":
		return backend.DecodeResult(json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"out of <nuts>"}]}`))
	}
	return backend.DecodeResult(json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`))
}

func (s *seller) orders() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bought)
}

func (s *seller) catalog() *catalog.Catalog {
	yes := true
	read := &registry.Annotations{ReadOnly: &yes}
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "shop", Name: "stock", Description: "Show how much of an item is in stock", Annotations: read,
			Input: json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"}}}`)},
		{Server: "shop", Name: "wait", Description: "Wait for a delivery", Annotations: read, Input: json.RawMessage(`{"type":"object"}`)},
		{Server: "shop", Name: "fail", Description: "Complain about an item", Annotations: read, Input: json.RawMessage(`{"type":"object"}`)},
		{Server: "shop", Name: "buy", Description: "Order an item",
			Input:  json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"},"count":{"type":"integer"}},"required":["item"]}`),
			Output: json.RawMessage(`{"type":"object","properties":{"order":{"type":"integer"}},"required":["order"]}`)},
	}}
	reg.Normalize()
	return &catalog.Catalog{Registry: reg, Calls: s}
}

// connected is a connection of its own, as another process has one.
func connected(t testing.TB, url string, o cluster.Options) *cluster.Cluster {
	t.Helper()
	o.URL = url
	c, err := cluster.Connect(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// fronting is a front end, and the harness over it.
func fronting(t testing.TB, c *cluster.Cluster, o cluster.FrontOptions) (*cluster.Front, *harness.Harness) {
	t.Helper()
	store := c.Store(nil)
	o.Records, o.Version = store, "test"
	f, err := c.Front(&o)
	if err != nil {
		t.Fatal(err)
	}
	h := harness.New(&harness.Options{Records: store, Elsewhere: f, Version: "test"})
	t.Cleanup(func() {
		h.Close()
		f.Close()
	})
	return f, h
}

// serving runs scripts until the test ends, or stop is called.
func serving(t testing.TB, c *cluster.Cluster, seller *seller, o cluster.RunnerOptions) (stop func()) {
	t.Helper()
	store := c.Store(nil)
	cat := seller.catalog()
	h := harness.New(&harness.Options{Records: store, Version: "test"})
	o.Harness, o.Records = h, store
	if o.Catalog == nil {
		o.Catalog = func(context.Context) (*catalog.Catalog, func(), error) { return cat, func() {}, nil }
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Serve(ctx, &o) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := receive(t, done); err != nil {
			t.Error(err)
		}
		h.Close()
	})
	t.Cleanup(stop)
	return stop
}

// told is all that a script's listeners hear.
type told struct {
	mu       sync.Mutex
	lines    []string
	out, err bytes.Buffer
}

func (t *told) listen(s *harness.Script) {
	s.OnProgress = func(p record.Progress) {
		t.mu.Lock()
		defer t.mu.Unlock()
		switch {
		case p.Begin != nil:
			t.lines = append(t.lines, fmt.Sprintf("begin %t", p.Begin.ID != "" && !p.Begin.Time.IsZero()))
		case p.Done == nil:
			t.lines = append(t.lines, fmt.Sprintf("call %d %s %s", p.Call.N, p.Call.Tool, p.Call.Class))
		default:
			t.lines = append(t.lines, fmt.Sprintf("done %d %s %d", p.Call.N, p.Done.Error, p.Done.Bytes))
		}
	}
	s.Stdout, s.Stderr = &t.out, &t.err
}

var outcomes = map[string]harness.Script{
	"a value":   {Source: `fmt.Println("hello <you>"); fmt.Fprintln(os.Stderr, "oops"); Return(map[string]any{"a": "<b>", "n": 1.5})`},
	"calls":     {Source: "UseTools(\"order an item\", \"complain about an item\")\no, err := shop.Buy(shop.BuyParams{Item: \"nut\"})\nfmt.Println(o.Order, err)\n_, err = shop.Fail()\nfmt.Println(err)\nReturn(o)"},
	"no Go":     {Source: "UseTools(\"order an item\")\no, err := shop.Buy(shop.BuyParams{Itm: \"nut\"})\nfmt.Println(o, err, undefinedName)"},
	"no tool":   {Source: "UseTools(\"launch a rocket to the moon\")\nReturn(1)"},
	"a look-up": {Source: `UseTools("order an item", "show what is in stock")`},
	"a panic":   {Source: "fmt.Println(1)\nvar m map[string]int\nm[\"a\"] = 1"},
	"an exit":   {Source: "os.Exit(7)"},
	"time":      {Source: "fmt.Println(1)\nfor {}", Limits: harness.Limits{Timeout: time.Second}},
	"denied":    {Source: "UseTools(\"order an item\")\n_, _ = shop.Buy(shop.BuyParams{Item: \"nut\"})", Policy: &policy.Policy{Deny: []string{"shop.buy"}}},
	"read only": {Source: "UseTools(\"order an item\")\n_, _ = shop.Buy(shop.BuyParams{Item: \"nut\"})", Policy: &policy.Policy{ReadOnly: true}},
	"waiting":   {Source: "UseTools(\"order an item\")\n_, _ = shop.Buy(shop.BuyParams{Item: \"nut\"})", Policy: &policy.Policy{Approve: policy.ApproveWrites}},
	"dry":       {Source: "UseTools(\"order an item\")\no, _ := shop.Buy(shop.BuyParams{Item: \"nut\"}); Return(o)", Dry: true},
	"inputs":    {Source: `var a map[string]any; Input("a", &a); var k int; err := Stored("k", &k); fmt.Println(a, k, err)`, Inputs: map[string]json.RawMessage{"a": json.RawMessage(`{ "x" : "<" }`)}, Origin: harness.Origin{Stored: map[string]json.RawMessage{"k": json.RawMessage("7")}}},
	"large":     {Source: "// " + strings.Repeat("x", 900<<10) + "\nReturn(strings.Repeat(\"v\", 3<<20))"},
	"mended":    {Source: "import \"fmt\"\nx := 1\nfmt.Println(2)"},
	"one call":  {Source: "UseTools(\"order an item\")\nfor i := range 30 { _, _ = shop.Buy(shop.BuyParams{Item: fmt.Sprint(i)}) }", Limits: harness.Limits{Calls: 20}},
}

// What a script comes to, and what is told of it meanwhile, is the same through the queue
// as in one process.
func TestOutcomesAreThoseOfOneProcess(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	c := connected(t, url, cluster.Options{})
	_, h := fronting(t, c, cluster.FrontOptions{})
	records := c.Store(nil)
	there := newSeller()
	serving(t, connected(t, url, cluster.Options{}), there, cluster.RunnerOptions{})
	here := newSeller()
	local := harness.New(&harness.Options{Records: store.Memory(1000, nil), Version: "test"})
	defer local.Close()
	for name, s := range outcomes {
		t.Run(name, func(t *testing.T) {
			var results []*outcome.Result
			var heard []*told
			both := func() {
				results, heard = nil, nil
				for _, h := range []*harness.Harness{local, h} {
					one, to := s, &told{}
					to.listen(&one)
					if h == local {
						one.Catalog = here.catalog()
					}
					here.bought, there.bought = nil, nil
					res, err := h.Run(t.Context(), &one)
					if err != nil {
						t.Fatal(err)
					}
					results, heard = append(results, res), append(heard, to)
				}
			}
			both()
			// The limit is for the start of the script too: on a busy machine it has not come to its loop.
			for name == "time" && results[0].Stdout != results[1].Stdout && s.Limits.Timeout < time.Minute {
				s.Limits.Timeout *= 5
				both()
			}
			ignore := cmp.Options{cmpopts.IgnoreFields(outcome.Result{}, "Run", "Timing", "Approval", "Parked", "PlacedWarnings", "Unwritten"),
				cmpopts.IgnoreFields(outcome.Call{}, "Ms", "Start", "CutOff", "Number", "Text", "Earlier"), cmpopts.IgnoreFields(outcome.Unmade{}, "From"), cmpopts.IgnoreFields(flow.Source{}, "Run"), cmpopts.IgnoreFields(outcome.Pending{}, "ID", "Until"),
				cmpopts.IgnoreFields(outcome.Error{}, "Sent", "Fixes"), cmpopts.IgnoreFields(policy.Decision{}, "AllCalls", "For")}
			if diff := cmp.Diff(results[0], results[1], ignore); diff != "" {
				t.Errorf("(-in one process +through the queue):\n%s", diff)
			}
			for i, text := range []string{results[1].Text(), results[1].Shown()} {
				id := strings.NewReplacer(results[1].Run, results[0].Run, untilOf(results[1]), untilOf(results[0]))
				if want := []string{results[0].Text(), results[0].Shown()}[i]; id.Replace(text) != want {
					t.Errorf("text %d: got\n%s\nwant\n%s", i, text, want)
				}
			}
			if diff := cmp.Diff(heard[0].lines, heard[1].lines); diff != "" {
				t.Errorf("lines (-in one process +through the queue):\n%s", diff)
			}
			if heard[0].out.String() != heard[1].out.String() || heard[0].err.String() != heard[1].err.String() {
				t.Errorf("heard %q %q, want %q %q", &heard[1].out, &heard[1].err, &heard[0].out, &heard[0].err)
			}
			run, err := records.Load(results[1].Run)
			if err != nil || run.End == nil || run.End.Status != string(results[1].Status) {
				t.Errorf("its record: %+v, %v", run, err)
			}
		})
	}
}

// The rules of the front end's config hold at a runner whose config has none.
func TestRulesOfTheFrontEndHold(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	_, h := fronting(t, connected(t, url, cluster.Options{}), cluster.FrontOptions{})
	shop := newSeller()
	serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{})
	for then, want := range map[policy.Verdict]outcome.Status{policy.IsDenied: outcome.Denied, policy.NeedsApproval: outcome.Waiting} {
		cat := &catalog.Catalog{Rules: []policy.Rule{{Pattern: "effect", Then: then}}}
		res, err := h.Run(t.Context(), &harness.Script{Source: "UseTools(\"order an item\")\n_, _ = shop.Buy(shop.BuyParams{Item: \"nut\"})",
			Catalog: cat})
		if err != nil || res.Status != want || shop.orders() != 0 {
			t.Errorf("%v: %d orders: %+v, %v; want %s", then, shop.orders(), res, err, want)
		}
	}
}

// untilOf is until when a person may answer what a run waits for, as it is shown.
func untilOf(res *outcome.Result) string {
	if len(res.Waiting) == 0 {
		return "never"
	}
	return res.Waiting[0].Until.UTC().Format(time.RFC3339)
}
