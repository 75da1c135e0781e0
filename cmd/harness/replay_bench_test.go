package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// echo answers each call.
type echo struct{}

func (echo) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	args := req.Args.JSON()
	if err := req.Send.Begin(ctx); err != nil {
		return nil, err
	}
	return backend.DecodeResult([]byte(`{"content":[],"structuredContent":{"args":` + string(args) + `}}`))
}

// BenchmarkReplayCommand replays a run of 100 calls from outside, as a user does.
func BenchmarkReplayCommand(b *testing.B) {
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "shop", Name: "stock", Description: "Show how much of an item is in stock",
		Input: json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"}}}`)}}}
	reg.Normalize()
	dir := b.TempDir()
	store, err := store.Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	h := harness.New(&harness.Options{Records: store})
	defer h.Close()
	res, err := h.Run(b.Context(), &harness.Script{Catalog: &catalog.Catalog{Registry: reg, Calls: echo{}}, Source: `
		UseTools("show how much of an item is in stock")
		for i := range 100 {
			_, _ = shop.Stock(shop.StockParams{Item: fmt.Sprint(i)})
		}`})
	if err != nil || res.Status != outcome.OK {
		b.Fatal(res.Text(), err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.run.jsonl"))
	if err != nil || len(files) != 1 {
		b.Fatal(files, err)
	}
	for b.Loop() {
		cmd := exec.Command(os.Args[0], "replay", files[0])
		cmd.Env = append(os.Environ(), asHarness+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}
