//go:build slow

package console_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"testing"
	"time"
)

var (
	demoAddress = flag.String("demo", "", "serve the demo world at `HOST:PORT` until the test is ended; with -v -timeout 0")
	demoLive    = flag.Bool("live", false, "with -demo: a script runs every few seconds")
)

// TestServeDemo serves the demo world until it is interrupted.
func TestServeDemo(t *testing.T) {
	if *demoAddress == "" {
		t.Skip("only with -demo HOST:PORT")
	}
	w, err := openWorld(*demoAddress, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.close() })
	if err := w.fill(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n%s\n", w.link())
	for _, name := range slices.Sorted(maps.Keys(demoTokens)) {
		fmt.Fprintf(&b, "token of %s: %s\n", name, demoTokens[name])
	}
	for _, name := range slices.Sorted(maps.Keys(w.runs)) {
		fmt.Fprintf(&b, "run %s: /runs/%s\n", name, w.runs[name])
	}
	os.Stdout.Write(b.Bytes())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	links := time.NewTicker(9 * time.Minute)
	defer links.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-links.C:
			fmt.Println(w.link())
		case <-tick.C:
			if *demoLive {
				if _, err := w.run("dev", slowScript, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// slowScript takes long enough to be watched.
const slowScript = `UseTools("list the shop's orders by status", "get one order with all that belongs to it")
paid, err := shop.ListOrders(shop.ListOrdersParams{Status: "paid"})
if err != nil {
	panic(err)
}
for _, o := range paid.Orders[:40] {
	order, err := shop.GetOrder(shop.GetOrderParams{ID: o.ID})
	fmt.Println(order.Customer, err)
}
`
