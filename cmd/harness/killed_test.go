package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

var (
	kills    = flag.Int("kills", 15, "how many runs TestAKilledRunHasRecordedWhatItSent kills")
	killSeed = flag.Uint64("killseed", 1, "of the moments at which it kills")
)

const killedScript = `
UseTools("shop.get_stock", "shop.buy")
run := 0
Input("run", &run)
for i := range 12 {
	if _, err := shop.GetStock(shop.GetStockParams{Item: fmt.Sprint("read-", run, "-", i)}); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for k := range i % 3 {
		wg.Go(func() { _, _ = shop.Buy(shop.BuyParams{Item: fmt.Sprint("beside-", run, "-", i, "-", k)}) })
	}
	if _, err := shop.Buy(shop.BuyParams{Item: fmt.Sprint("buy-", run, "-", i)}); err != nil {
		panic(err)
	}
	wg.Wait()
}`

const shopDocument = `{"openapi": "3.0.0", "info": {"title": "shop", "version": "1"}, "paths": {
 "/stock/{item}": {"get": {"operationId": "get_stock", "summary": "Show the stock of an item",
   "parameters": [{"name": "item", "in": "path", "required": true, "schema": {"type": "string"}}],
   "responses": {"200": {"description": "it"}}}},
 "/orders/{item}": {"post": {"operationId": "buy", "summary": "Order an item",
   "parameters": [{"name": "item", "in": "path", "required": true, "schema": {"type": "string"}}],
   "responses": {"200": {"description": "it"}}}}}}`

// counting is an API that counts what it is asked for, and kills who asks.
type counting struct {
	mu      sync.Mutex
	run     int
	seen    map[string]int // by item
	fatal   int            // the request at which it kills; 0: none
	after   bool           // it answers before
	victim  *os.Process
	started chan struct{} // closed when victim is known
}

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	item := filepath.Base(r.URL.Path)
	c.mu.Lock()
	if strings.Split(item, "-")[1] != fmt.Sprint(c.run) { // of a run that was killed before, and came late
		c.mu.Unlock()
		return
	}
	c.seen[item]++
	n := 0
	for _, k := range c.seen {
		n += k
	}
	kill, after := n == c.fatal, c.after
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if kill && !after {
		<-c.started
		c.victim.Kill()
	}
	fmt.Fprint(w, `{"ok":true}`)
	if kill && after {
		w.(http.Flusher).Flush()
		<-c.started
		c.victim.Kill()
	}
}

// TestAKilledRunHasRecordedWhatItSent kills the command at random moments: its
// record can be read, and has every request that a server saw.
func TestAKilledRunHasRecordedWhatItSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var now atomic.Pointer[counting]
	now.Store(&counting{seen: map[string]int{}})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
	defer api.Close()
	for name, text := range map[string]string{
		"shop.json": shopDocument, "script.go": killedScript,
		".mcp.json": fmt.Sprintf(`{"mcpServers": {"shop": {"type": "openapi", "path": "shop.json", "baseUrl": %q}}}`, api.URL),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	records := filepath.Join(dir, "records")
	run := func(n int) (*exec.Cmd, *bytes.Buffer) {
		cmd := command(t, dir, "-q", "run", "-record", records, "-input", fmt.Sprint("run=", n), "script.go")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		return cmd, &stderr
	}
	cmd, stderr := run(0) // which builds the registry
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatal(err, stderr)
	}
	took := time.Since(begun)
	all := 0
	for _, n := range now.Load().seen {
		all += n
	}
	rng := rand.New(rand.NewPCG(*killSeed, 0))
	unknown := 0
	for i := range *kills {
		if err := os.RemoveAll(records); err != nil {
			t.Fatal(err)
		}
		c := &counting{run: i + 1, seen: map[string]int{}, started: make(chan struct{}), after: rng.IntN(2) == 0}
		if rng.IntN(3) > 0 {
			c.fatal = 1 + rng.IntN(all)
		}
		now.Store(c)
		cmd, stderr := run(c.run)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		c.victim = cmd.Process
		close(c.started)
		if c.fatal == 0 {
			defer time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() { cmd.Process.Kill() }).Stop()
		}
		cmd.Wait()
		c.mu.Lock()
		unknown += checkKilled(t, records, c.seen)
		c.mu.Unlock()
		if t.Failed() {
			t.Fatalf("kill %d of seed %d, at request %d (after its answer: %v): %s", i, *killSeed, c.fatal, c.after, stderr)
		}
	}
	t.Logf("%d kills: %d calls of which is not known what became of them", *kills, unknown)
}

// checkKilled holds the records in a folder against what a server saw. It returns
// how many calls have no end.
func checkKilled(t *testing.T, records string, seen map[string]int) (unknown int) {
	files, err := filepath.Glob(filepath.Join(records, "*.run.jsonl"))
	if err != nil || len(files) > 1 || len(files) == 0 && len(seen) > 0 {
		t.Errorf("%d records, %v, and the server saw %v", len(files), err, seen)
		return 0
	}
	if len(files) == 0 { // it was killed before it began
		return 0
	}
	r, err := store.LoadFile(files[0])
	if err != nil || r.Damaged != nil {
		t.Errorf("the record cannot be read: %v, %v", err, r)
		return 0
	}
	recorded := map[string]int{}
	for _, m := range r.Calls {
		if m.Call == nil {
			t.Errorf("an answer without a call: %+v", m.Done)
			continue
		}
		var args struct{ Item string }
		if err := json.Unmarshal(m.Args.JSON, &args); err != nil {
			t.Error(err)
		}
		recorded[args.Item]++
		if m.Done == nil {
			unknown++
		}
		if is := m.Class == record.Read; is != strings.HasPrefix(args.Item, "read") {
			t.Errorf("%s has the class %s", args.Item, m.Class)
		}
	}
	for item, n := range seen {
		if n > 1 || recorded[item] != n {
			t.Errorf("%s came %d times, and is in the record %d times", item, n, recorded[item])
		}
	}
	return unknown
}
