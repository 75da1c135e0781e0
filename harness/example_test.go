package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// priceServer answers calls in the place of a server; a *backend.Pool sends them to
// real ones.
type priceServer struct{}

func (priceServer) Call(_ context.Context, _ string, req *backend.Request) (*backend.Result, error) {
	args := req.Args.JSON()
	return backend.DecodeResult([]byte(`{"content":[],"structuredContent":{"euros":` + fmt.Sprint(len(args)) + `}}`))
}

// newHarness returns a harness whose scripts can use two tools. The main of a
// program that runs scripts must call [harness.RunWorker] first.
func newHarness(records *store.Store) (*harness.Harness, *catalog.Catalog) {
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "shop", Name: "get_price", Description: "Get the price of an article in euros.",
			Annotations: &registry.Annotations{ReadOnly: new(true)},
			Input:       json.RawMessage(`{"type":"object","properties":{"article":{"type":"string"}},"required":["article"]}`),
			Output:      json.RawMessage(`{"type":"object","properties":{"euros":{"type":"number"}},"required":["euros"]}`)},
		{Server: "shop", Name: "cancel_order", Description: "Cancel an order.",
			Input: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)},
	}}
	reg.Normalize()
	cat := &catalog.Catalog{Registry: reg, Calls: priceServer{}}
	return harness.New(&harness.Options{Records: records,
		Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }}), cat
}

// Tools of the program itself: a catalog needs their definitions and a function for the calls.
func Example_tools() {
	h, _ := newHarness(nil)
	defer h.Close()
	res, err := h.Run(context.Background(), &harness.Script{Source: `
		UseTools("price of an article")
		price, err := shop.GetPrice(shop.GetPriceParams{Article: "tea"})
		if err != nil { panic(err) }
		Return(price.Euros)`})
	if err != nil {
		panic(err) // the harness failed; what a script does wrong is in res
	}
	fmt.Println(res.Status, string(res.Value), len(res.Calls), "call")
	// Output: ok 17 1 call
}

// Tools of servers: a config file names them, and their tools are asked for when a script
// first needs one.
func Example_config() {
	server := mcp.NewServer(&mcp.Implementation{Name: "clock"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "get_year", Description: "Get the current year."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, struct{ Year int }, error) {
			return nil, struct{ Year int }{2026}, nil
		})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer web.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	config := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(config, fmt.Appendf(nil, `{"mcpServers": {"clock": {"url": %q}}}`, web.URL), 0o600); err != nil {
		panic(err)
	}
	files := &catalog.Files{Configs: []string{config}}
	defer files.Close()
	h := harness.New(&harness.Options{Catalog: files.Early, Scripts: files.Scripts})
	defer h.Close()
	res, err := h.Run(context.Background(), &harness.Script{Source: `
		UseTools("get the current year")
		now, err := clock.GetYear()
		if err != nil { panic(err) }
		Return(now.Year)`})
	if err != nil {
		panic(err)
	}
	fmt.Print(res.Text())
	// Output: 2026
}

// A policy decides which tools a script may call, before anything runs.
func Example_policy() {
	h, _ := newHarness(nil)
	defer h.Close()
	res, err := h.Run(context.Background(), &harness.Script{Policy: &policy.Policy{ReadOnly: true},
		Source: `_, err := shop.CancelOrder(shop.CancelOrderParams{ID: 7}); Return(err == nil)`})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.Error.Message)
	// Output:
	// denied shop.CancelOrder (shop.cancel_order): it is not marked as read-only, and this run is read-only
}

// A call that needs approval waits for it: the run ends, and is resumed after the answer.
func Example_approval() {
	ctx := context.Background()
	records := store.Memory(10, nil) // store.Open keeps them in a folder
	h, _ := newHarness(records)
	defer h.Close()
	s := &harness.Script{Policy: &policy.Policy{Approve: policy.ApproveWrites},
		Source: `_, err := shop.CancelOrder(shop.CancelOrderParams{ID: 7}); Return(err == nil)`}
	res, err := h.Run(ctx, s)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status, res.Waiting[0].Tool, string(res.Waiting[0].Args))
	if err := records.Answer(res.Waiting[0].ID, &record.Answer{Yes: true, Who: "ann"}); err != nil {
		panic(err)
	}
	if res, err = h.Resume(ctx, res.Run, s); err != nil {
		panic(err)
	}
	fmt.Println(res.Status, string(res.Value))
	// Output:
	// waiting shop.cancel_order {"id":7}
	// ok true
}

// A replay runs a script again from the record of its run: no server is asked.
func Example_replay() {
	ctx := context.Background()
	records := store.Memory(10, nil)
	h, _ := newHarness(records)
	defer h.Close()
	res, err := h.Run(ctx, &harness.Script{
		Source: `price, err := shop.GetPrice(shop.GetPriceParams{Article: "tea"}); Println(price.Euros, err)`})
	if err != nil {
		panic(err)
	}
	run, err := records.Load(res.Run)
	if err != nil {
		panic(err)
	}
	again, err := h.Replay(ctx, &harness.Replay{Run: run})
	if err != nil {
		panic(err)
	}
	fmt.Println(again.Calls, "call answered from the record; the same:", again.Difference == nil)
	// Output: 1 call answered from the record; the same: true
}

// Check type-checks a script and finds its tools, without running it.
func ExampleHarness_Check() {
	h, _ := newHarness(nil)
	defer h.Close()
	res, err := h.Check(context.Background(),
		&harness.Script{Source: `price, err := shop.GetPrise(shop.GetPriceParams{Article: "tea"}); Return(price); _ = err`})
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status)
	fmt.Println(res.Error.Line, res.Error.Message)
	fmt.Println(res.Error.Hint)
	// Output:
	// compile_error
	// 1 undefined: shop.GetPrise
	// did you mean shop.GetPrice?
}

// CallTool makes one call without a script.
func ExampleHarness_CallTool() {
	h, cat := newHarness(nil)
	ctx := context.Background()
	res, _, err := h.CallTool(ctx, cat, "shop.get_price", json.RawMessage(`{"article":"tea"}`), nil, false)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(res.Structured))
	_, _, err = h.CallTool(ctx, cat, "shop.get_price", json.RawMessage(`{"item":"tea"}`), nil, false)
	fmt.Println(err)
	_, decision, _ := h.CallTool(ctx, cat, "shop.cancel_order", json.RawMessage(`{"id":7}`),
		&harness.Script{Policy: &policy.Policy{ReadOnly: true}}, false)
	fmt.Println(decision.Verdict)
	// Output:
	// {"euros":17}
	// wrong arguments: required: missing properties: ["article"]
	// denied
}
