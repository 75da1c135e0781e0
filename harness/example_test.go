package harness_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
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
func newHarness() (*harness.Harness, *catalog.Catalog) {
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
	return harness.New(&harness.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }}), cat
}

func ExampleHarness_Run() {
	h, _ := newHarness()
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

func ExampleHarness_Check() {
	h, _ := newHarness()
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

func ExampleCatalog_Decide() {
	_, cat := newHarness()
	p := &policy.Policy{Allow: []string{"shop"}, Approve: policy.ApproveWrites}
	for i := range cat.Registry.Tools {
		fmt.Println(cat.Registry.Tools[i].ID, cat.Decide(p, &cat.Registry.Tools[i], nil).Verdict)
	}
	// Output:
	// shop.cancel_order needs_approval
	// shop.get_price allowed
}

func ExampleHarness_CallTool() {
	h, cat := newHarness()
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
