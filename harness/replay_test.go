package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/backend"
)

// replayable are scripts whose records are to be replayed: what of a run can be
// another way the next time.
var replayable = map[string]string{
	"the shop": shopScript,
	"no tools": `fmt.Println(rand.IntN(1 << 30), time.Now().UnixNano(), crand.Text())`,
	"goroutines": `
UseTools("show how much of an item is in stock")
var mu sync.Mutex
var wg sync.WaitGroup
var order []string
for i := range 8 {
	wg.Go(func() {
		for k := range 3 {
			s, err := shop.Stock(shop.StockParams{Item: strings.Repeat("x", i+k)})
			if err != nil {
				panic(err)
			}
			mu.Lock()
			order = append(order, fmt.Sprint(i, k, s.Count, rand.IntN(100)))
			mu.Unlock()
		}
	})
}
wg.Wait()
slices.Sort(order)
Return(order)`,
	"a pool": `
UseTools("show how much of an item is in stock")
jobs, out := make(chan string), make(chan int, 30)
var wg sync.WaitGroup
for range 4 {
	wg.Add(1)
	go func() {
		defer wg.Done()
		for j := range jobs {
			s, _ := shop.Stock(shop.StockParams{Item: j})
			out <- int(s.Count)
		}
	}()
}
for i := range 30 {
	jobs <- strings.Repeat("y", i%7+1)
}
close(jobs)
wg.Wait()
close(out)
sum := 0
for n := range out {
	sum += n
}
Return(sum)`,
	"time": `
UseTools("show how much of an item is in stock")
begin := time.Now()
for range 3 {
	_, _ = shop.Stock(shop.StockParams{Item: "poll"})
	time.Sleep(5 * time.Millisecond)
}
tick := time.NewTicker(time.Millisecond)
<-tick.C
<-tick.C
tick.Stop()
ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
defer cancel()
<-ctx.Done()
fmt.Println(time.Since(begin) > 10*time.Millisecond, ctx.Err(), begin.UnixNano())
select {
case <-time.After(time.Millisecond):
	fmt.Println("timer")
case <-ctx.Done():
	fmt.Println("context")
}`,
	"a failure": `
UseTools("order an item")
_, err := shop.Buy(shop.BuyParams{Item: "broken"})
fmt.Println(err)
_, err = shop.Buy(shop.BuyParams{Item: "lost"})
panic(err)`,
	"saved scripts": `
v, err := RunScript("count", map[string]any{"item": "nut"})
fmt.Println(v, err)
var wg sync.WaitGroup
for i := range 3 {
	wg.Go(func() { RunScript("count", map[string]any{"item": strings.Repeat("z", i+1)}) })
}
wg.Wait()
_, err = RunScript("missing", nil)
fmt.Println(err)`,
	"looks around": `
import "discovery"
fmt.Println(discovery.Names())
page, err := discovery.Search("stock < 3 & more")
fmt.Println(len(page.Results) > 0, err)`,
	"saved scripts that do not begin": `
fmt.Println(RunScript("wrong", nil))
fmt.Println(RunScript("rocket", nil))
fmt.Println(RunScript("declares", nil))
fmt.Println(RunScript("count", map[string]any{"item": "nut"}))
fmt.Println(RunScript("wrong", nil))`,
	"not a text": `
os.Stdout.Write(bytes.Repeat([]byte{0xff}, 40_000))
for i := range 40_000 {
	fmt.Print("\u20ac\U0001f600"[i%7:i%7+1])
}`,
	"a limit":           `for { fmt.Println(strings.Repeat("much ", 1000)) }`,
	"prints no UTF-8":   `fmt.Print(strings.Repeat("\xff", 40_000), "x\xffy")`,
	"prints characters": `fmt.Print(strings.Repeat("é", 40_000), strings.Repeat("ü€", 9000))`,
	"prints half a character": `
UseTools("show how much of an item is in stock")
os.Stdout.WriteString("\xc3")
_, _ = shop.Stock(shop.StockParams{Item: "nut"})
os.Stdout.WriteString("\xa9")`,
	"large arguments": `
UseTools("show how much of an item is in stock")
var wg sync.WaitGroup
for i := range 4 {
	wg.Go(func() { _, _ = shop.Stock(shop.StockParams{Item: strings.Repeat("\u2028é<", 60_000+i)}) })
}
wg.Wait()`,
	"exits": `fmt.Println("bye"); os.Exit(3)`,
}

func shopWithScripts(t *testing.T) (*shop, *catalog.Catalog) {
	s, cat := newShop(t)
	cat.Scripts = library.Open(t.TempDir())
	source := `
UseTools("show how much of an item is in stock")
var item string
Input("item", &item)
s, err := shop.Stock(shop.StockParams{Item: item})
if err != nil {
	panic(err)
}
Return(map[string]any{"n": s.Count, "r": rand.IntN(1000)})`
	for name, source := range map[string]string{
		"count": source, "wrong": "Return(x)", "declares": `UseTools("order an item")`, "draws": "Return(rand.Uint64())",
		"rocket": `UseTools("launch a rocket to mars"); rocket.Launch()`,
	} {
		if err := cat.Scripts.Save(&library.Script{Name: name, Source: source}); err != nil {
			t.Fatal(err)
		}
	}
	return s, cat
}

func TestAReplayDoesTheSame(t *testing.T) {
	for name, script := range replayable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, cat := shopWithScripts(t)
			store := store.Memory(10, nil)
			h := harness.New(&harness.Options{Records: store})
			if strings.Contains(script, "crand.") {
				script = "import crand \"crypto/rand\"\n" + script
			}
			res, err := h.Run(t.Context(), &harness.Script{Source: script, Catalog: cat})
			if err != nil {
				t.Fatal(err)
			}
			if res.Status.ExitCode() == outcome.CompileError.ExitCode() {
				t.Fatal(res.Text())
			}
			run, err := store.Load(res.Run)
			if err != nil {
				t.Fatal(err)
			}
			before := len(s.calls)
			for range *replays {
				got, err := h.Replay(t.Context(), &harness.Replay{Run: run})
				if err != nil {
					t.Fatal(err)
				}
				if d := got.Difference; d != nil {
					t.Fatalf("%s: %s\nrecord: %s\nnow: %s\n%s", d.What, d.Text, d.Want, d.Got, got.Result.Text())
				}
			}
			if len(s.calls) != before {
				t.Error("a replay called a server")
			}
		})
	}
}

func TestAReplaySaysWhatIsDifferent(t *testing.T) {
	t.Parallel()
	_, cat := newShop(t)
	for _, c := range []struct{ name, was, is, what, text string }{
		{"another value", `Return(1)`, `Return(2)`, "value", "the value differs"},
		{"another text", `fmt.Println("a")`, `fmt.Println("b")`, "stdout", "the stdout differs"},
		{"a call more", `UseTools("order an item"); _, _ = shop.Stock(shop.StockParams{Item: "a"})`,
			`UseTools("order an item"); _, _ = shop.Stock(shop.StockParams{Item: "a"}); _, _ = shop.Stock(shop.StockParams{Item: "b"})`,
			"calls", `the script called shop.stock({"item":"b"}) at line 1, which the record does not have`},
		{"a call less", `UseTools("order an item"); _, _ = shop.Stock(shop.StockParams{Item: "a"})`,
			`UseTools("order an item"); if false { _, _ = shop.Stock(shop.StockParams{Item: "a"}) }`,
			"calls", `the record has shop.stock({"item":"a"}) at line 1, which the script did not make`},
		{"a call more that nobody waits for", `UseTools("order an item"); _, _ = shop.Stock(shop.StockParams{Item: "a"})`,
			`UseTools("order an item"); go shop.Stock(shop.StockParams{Item: "b"}); time.Sleep(time.Millisecond)
			_, _ = shop.Stock(shop.StockParams{Item: "a"})`,
			"calls", `the script called shop.stock({"item":"b"}) at line 1, which the record does not have`},
		{"no Go", `Return(1)`, `Return(x)`, "status", "compile_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := store.Memory(10, nil)
			h := harness.New(&harness.Options{Records: store})
			res, err := h.Run(t.Context(), &harness.Script{Source: c.was, Catalog: cat})
			if err != nil || res.Status != outcome.OK {
				t.Fatal(res.Text(), err)
			}
			run, err := store.Load(res.Run)
			if err != nil {
				t.Fatal(err)
			}
			got, err := h.Replay(t.Context(), &harness.Replay{Run: run, Source: c.is})
			if err != nil {
				t.Fatal(err)
			}
			if d := got.Difference; d == nil || d.What != c.what || !strings.Contains(d.Text, c.text) {
				b, _ := json.Marshal(d)
				t.Errorf("%s\n%s", b, got.Result.Text())
			}
		})
	}
}

func TestSavedScriptsDrawSomethingElseEachTime(t *testing.T) {
	_, cat := shopWithScripts(t)
	res, err := harness.New(&harness.Options{Records: store.Memory(10, nil)}).Run(t.Context(), &harness.Script{Catalog: cat, Source: `
		fmt.Println(rand.Uint64())
		for range 3 {
			v, _ := RunScript("draws", nil)
			fmt.Println(v)
		}`})
	if err != nil || res.Status != outcome.OK {
		t.Fatal(res.Text(), err)
	}
	drawn := strings.Fields(res.Stdout)
	slices.Sort(drawn)
	if len(slices.Compact(drawn)) != 4 {
		t.Error(res.Stdout)
	}
}

func TestWhatNeverBeganIsNotReplayed(t *testing.T) {
	_, cat := newShop(t)
	for name, s := range map[string]*harness.Script{
		"no Go":    {Source: "Return(x)"},
		"declares": {Source: `UseTools("order an item")`},
		"denied": {Source: `UseTools("order an item"); _, _ = shop.Buy(shop.BuyParams{Item: "a"})`,
			Policy: &policy.Policy{Deny: []string{"shop.buy"}}},
		"no tool": {Source: `UseTools("launch a rocket to mars"); rocket.Launch()`},
	} {
		t.Run(name, func(t *testing.T) {
			store := store.Memory(10, nil)
			h := harness.New(&harness.Options{Records: store})
			s.Catalog = cat
			_, run := recordOf(t, h, store, &program{Script: s})
			if got, err := h.Replay(t.Context(), &harness.Replay{Run: run}); !errors.Is(err, harness.ErrNothingToReplay) {
				t.Errorf("a run that ended with %s: %v, %v", run.End.Status, got, err)
			}
		})
	}
}

// TestARunThatWasEndedIsReplayedUntilThere replays runs that something else than
// their script ended.
func TestARunThatWasEndedIsReplayedUntilThere(t *testing.T) {
	for _, c := range []struct {
		name, script, changed string
		limits                harness.Limits
		cancel                int
		what                  string // the difference of the changed script
	}{
		{"asleep", `fmt.Println(1); time.Sleep(time.Hour)`, `fmt.Println(2); time.Sleep(time.Hour)`,
			harness.Limits{Timeout: time.Second}, 0, "stdout"},
		{"a call under way", `UseTools("order an item"); fmt.Println(1); _, _ = shop.Stock(shop.StockParams{Item: "never"})`,
			`UseTools("order an item"); fmt.Println(1); _, _ = shop.Stock(shop.StockParams{Item: "other"})`,
			harness.Limits{Timeout: time.Second}, 0, "calls"},
		{"canceled", `UseTools("order an item"); for i := 0; ; i++ { fmt.Println(shop.Stock(shop.StockParams{Item: fmt.Sprint(i)})) }`,
			`UseTools("order an item"); for i := 1; ; i++ { fmt.Println(shop.Stock(shop.StockParams{Item: fmt.Sprint(i)})) }`,
			harness.Limits{}, 5, "calls"},
		{"too many calls", `UseTools("order an item"); for i := 0; ; i++ { _, _ = shop.Stock(shop.StockParams{Item: fmt.Sprint(i)}) }`,
			`UseTools("order an item"); for i := range 2 { _, _ = shop.Stock(shop.StockParams{Item: fmt.Sprint(i)}) }`,
			harness.Limits{Calls: 5}, 0, "status"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, cat := newMarket(t, 1)
			cat.Calls = &until{m, "never"}
			store := store.Memory(10, nil)
			h := harness.New(&harness.Options{Records: store})
			res, run := recordOf(t, h, store, &program{Script: &harness.Script{Source: c.script, Catalog: cat, Limits: c.limits}, cancel: c.cancel})
			got, err := h.Replay(t.Context(), &harness.Replay{Run: run})
			if err != nil {
				t.Fatal(err)
			}
			if d := got.Difference; d != nil || got.Result.Status != res.Status {
				t.Errorf("%v: %s, in the record %s", d, got.Result.Text(), res.Text())
			}
			got, err = h.Replay(t.Context(), &harness.Replay{Run: run, Source: c.changed})
			if err != nil {
				t.Fatal(err)
			}
			if d := got.Difference; d == nil || d.What != c.what {
				t.Errorf("the changed script: %+v", d)
			}
		})
	}
}

// until never answers for one item.
type until struct {
	*market
	item string
}

func (u *until) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	if strings.Contains(string(req.Args.JSON()), u.item) {
		if err := req.Send.Begin(ctx); err != nil {
			return nil, err
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return u.market.Call(ctx, server, req)
}

func TestAReplayComparesArgumentsThatWereRedacted(t *testing.T) {
	_, cat := newShop(t)
	store := store.Memory(10, &store.StoreOptions{Redact: func(s string) string {
		return strings.ReplaceAll(s, "8675309123", "•••")
	}})
	h := harness.New(&harness.Options{Records: store})
	const script = `UseTools("order an item"); _, _ = shop.Buy(shop.BuyParams{Item: "broken", Count: 8675309123})`
	res, err := h.Run(t.Context(), &harness.Script{Source: script, Catalog: cat})
	if err != nil || res.Status != outcome.OK {
		t.Fatal(res.Text(), err)
	}
	run, err := store.Load(res.Run)
	if err != nil {
		t.Fatal(err)
	}
	for source, same := range map[string]bool{
		script: true,
		strings.Replace(script, "8675", "1675", 1): false,
	} {
		got, err := h.Replay(t.Context(), &harness.Replay{Run: run, Source: source})
		if err != nil || (got.Difference == nil) != same {
			t.Errorf("%q: %v, %+v", source, err, got.Difference)
		}
	}
}
