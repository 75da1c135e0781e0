package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// market is a backend whose answers take a random time, and follow from the
// arguments and from how often it was asked.
type market struct {
	mu     sync.Mutex
	random *rand.Rand
	asked  map[string]int // by tool and item
	serial int
	calls  int
}

// Slow calls take longer than anything else that a program waits for, but for what
// never comes.
const slowCall = 60 * time.Millisecond

func (m *market) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool, args := req.Tool, req.Args.JSON()
	var a struct {
		Item  string
		Count int
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	if strings.HasPrefix(a.Item, "gone") {
		return nil, errors.New("connecting: no route to <market> & back")
	}
	if how := req.Send; how != nil {
		if err := how.Begin(ctx); err != nil {
			return nil, err
		}
	}
	m.mu.Lock()
	m.calls++
	latency := [...]time.Duration{0, time.Duration(m.random.IntN(200)) * time.Microsecond,
		time.Duration(m.random.IntN(3000)) * time.Microsecond}[m.random.IntN(3)]
	m.mu.Unlock()
	if strings.HasPrefix(a.Item, "slow") {
		latency = slowCall
	}
	if latency > 0 {
		select {
		case <-time.After(latency):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.serial++
	m.asked[tool+a.Item]++
	n := m.asked[tool+a.Item]
	note, state := "a <b> & \u2028 c", "busy"
	switch {
	case strings.HasPrefix(a.Item, "lost"):
		return nil, fmt.Errorf("calling: %w", backend.ErrDisconnected)
	case strings.HasPrefix(a.Item, "bad"), strings.HasPrefix(a.Item, "flaky") && n%3 != 0:
		return backend.DecodeResult(fmt.Appendf(nil, `{"content":[{"type":"text","text":"out of %s, <%d>"}],"isError":true}`,
			a.Item, n))
	case strings.HasPrefix(a.Item, "huge"):
		note = strings.Repeat("<&> \u00e9 ", 12_000)
	case n >= 4:
		state = "ready"
	}
	b, err := json.Marshal(note)
	if err != nil {
		return nil, err
	}
	return backend.DecodeResult(fmt.Appendf(nil, "{\"content\" : [ ],\r\n\t\"structuredContent\": {\"item\":%q, \"count\":%d,"+
		" \"serial\": %d, \"price\": 1.50e0,\"state\":\"\\u0062%s\", \"note\": %s } }", a.Item, len(a.Item)*10, m.serial, state[1:], b))
}

// savedPrograms are in the library of the programs, each one level deeper.
var savedPrograms = []struct{ name, source string }{
	{"leaf", `
UseTools("show how much of an item is in stock")
var item string
Input("item", &item)
s, err := shop.Stock(shop.StockParams{Item: item})
if err != nil {
	panic(err)
}
time.Sleep(2 * time.Millisecond)
fmt.Println("leaf", item, time.Now().UnixNano())
Return(map[string]any{"n": s.Serial, "r": rand.IntN(1000), "at": time.Now().UnixNano()})`},
	{"middle", `
UseTools("order an item")
var item string
Input("item", &item)
v, err := RunScript("leaf", map[string]any{"item": item + "m"})
if err != nil {
	panic(err)
}
o, err := shop.Buy(shop.BuyParams{Item: item, Count: rand.IntN(9)})
if err != nil {
	panic(err)
}
fmt.Println(fmt.Sprint(v), o.Serial)`},
	{"upper", `
var item string
Input("item", &item)
out := make([]string, 2)
var wg sync.WaitGroup
for i := range out {
	wg.Go(func() {
		v, err := RunScript("middle", map[string]any{"item": fmt.Sprint(item, i)})
		out[i] = fmt.Sprint(v, err)
	})
}
wg.Wait()
Return(out)`},
}

func newMarket(t testing.TB, seed uint64) (*market, *catalog.Catalog) {
	yes, no := true, false
	in := json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"},"count":{"type":"integer"}},"required":["item"]}`)
	out := json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"},"count":{"type":"integer"},` +
		`"serial":{"type":"integer"},"price":{"type":"number"},"state":{"type":"string"},"note":{"type":"string"}}}`)
	reg := &registry.Registry{Servers: []registry.Server{{Name: "shop"}}, Tools: []registry.Tool{
		{Server: "shop", Name: "stock", Description: "Show how much of an item is in stock", Input: in, Output: out,
			Annotations: &registry.Annotations{ReadOnly: &yes}},
		{Server: "shop", Name: "buy", Description: "Order an item", Input: in, Output: out,
			Annotations: &registry.Annotations{ReadOnly: &no}},
	}}
	reg.Normalize()
	m := &market{random: rand.New(rand.NewPCG(seed, 2)), asked: map[string]int{}}
	scripts := library.Open(t.TempDir())
	for _, s := range savedPrograms {
		if err := scripts.Save(&library.Script{Name: s.name, Source: s.source}); err != nil {
			t.Fatal(err)
		}
	}
	return m, &catalog.Catalog{Registry: reg, Calls: m, Scripts: scripts}
}

// A program is a generated script, and how it is run.
type program struct {
	*harness.Script
	cancel int // after so many calls; 0: not
	// racy are the reasons for which it may do another thing the next time, such
	// that neither Go nor the record says which.
	racy []string
}

// programmer writes a program.
type programmer struct {
	*rand.Rand
	p     *program
	b     strings.Builder
	items int
	among bool // others do something at the same time
}

func (g *programmer) pf(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

// racy says why the program is not fixed.
func (g *programmer) racy(why string) {
	if !slices.Contains(g.p.racy, why) {
		g.p.racy = append(g.p.racy, why)
	}
}

// prints says that a part prints by itself.
func (g *programmer) prints() {
	if g.among {
		g.racy("goroutines that print at the same time")
	}
}

// item is the name of another item, as a Go string.
func (g *programmer) item() string {
	g.items++
	return fmt.Sprintf(`"i%d"`, g.items)
}

func (g *programmer) of(choices ...string) string { return choices[g.IntN(len(choices))] }

// call is an expression of a call that gives a string, for an item that is an
// expression.
func (g *programmer) call(item string) string {
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("stock(%s)", item)
	case 1:
		return fmt.Sprintf("buy(%s)", item)
	case 2:
		return fmt.Sprintf("ask(shop.Stock, shop.StockParams{Item: %s})", item)
	case 3:
		return fmt.Sprintf("ask(shop.Buy, shop.BuyParams{Item: %s, Count: %d})", item, g.IntN(9))
	case 4:
		return fmt.Sprintf("kept[%q](%s)", g.of("stock", "buy"), item)
	}
	return fmt.Sprintf("desk{%q}.buy(%s)", g.of("a", "b"), item)
}

const programHead = `package main

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"log/slog"
	mrand "math/rand"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"time"

	"discovery"
)

var _ = []any{bytes.NewBuffer, context.Background, crand.Text, hex.EncodeToString, json.Marshal, errors.New, log.Print,
	slog.Info, mrand.Int, rand.Int, os.Exit, runtime.Gosched, slices.Sort[[]int], strings.ToUpper, atomic.AddInt32,
	template.New, time.Now, discovery.Names, Return, iter.Pull[int], new(sync.Mutex)}

func stock(item string) string { return ask(shop.Stock, shop.StockParams{Item: item}) }

func buy(item string) string { return ask(shop.Buy, shop.BuyParams{Item: item, Count: len(item)}) }

func ask[P, R any](f func(P) (R, error), p P) string {
	r, err := f(p)
	if err != nil {
		return "failed: " + err.Error()
	}
	b, err := json.Marshal(r)
	if len(b) > 300 {
		return fmt.Sprint(len(b), string(b[:300]), err)
	}
	return fmt.Sprint(string(b), err)
}

var kept = map[string]func(string) string{"stock": stock, "buy": buy}

type desk struct{ name string }

func (d desk) buy(item string) string { return stock(d.name + item) + buy(d.name+item) }

func uuid() string {
	b := make([]byte, 16)
	crand.Read(b)
	return hex.EncodeToString(b)
}

func serial(s string) string {
	_, rest, _ := strings.Cut(s, "\"serial\":")
	n, _, _ := strings.Cut(rest, ",")
	return n
}

func main() {
	UseTools("show how much of an item is in stock", "order an item")
	say := func(a ...any) { fmt.Println(a...) }
	_ = say
`

// generateProgram writes the program of a seed.
func generateProgram(seed uint64) *program {
	g := &programmer{Rand: rand.New(rand.NewPCG(seed, 1)), p: &program{Script: &harness.Script{}}}
	g.b.WriteString(programHead)
	g.p.Inputs = map[string]json.RawMessage{"name": json.RawMessage(`{"a": [1.0, "<&>"]}`)}
	g.p.Origin.Stored = map[string]json.RawMessage{"old": json.RawMessage(`[1,2,{"k":"v"}]`)}
	g.p.Limits.Memory = 1 << 30
	g.p.Limits.Timeout = 8 * time.Second
	g.p.Dry = g.IntN(20) == 0
	for range 1 + g.IntN(4) {
		if g.IntN(4) == 0 {
			g.together()
		} else {
			g.part()
		}
	}
	g.end()
	g.pf("}")
	g.p.Source = g.b.String()
	return g.p
}

func (g *programmer) part() {
	g.pf("{")
	parts[g.IntN(len(parts))](g)
	g.pf("}")
}

// together has goroutines that do parts side by side.
func (g *programmer) together() {
	n := 2 + g.IntN(3)
	g.pf("{\nvar together sync.WaitGroup\nsaid := make([]bytes.Buffer, %d)", n)
	for i := range n {
		end := "})"
		switch g.IntN(3) {
		case 0:
			g.pf("together.Go(func() {")
		case 1:
			g.pf("together.Add(1)\ngo func() {\ndefer together.Done()")
			end = "}()"
		default:
			g.pf("together.Add(1)\ntime.AfterFunc(%d*time.Microsecond, func() {\ndefer together.Done()", g.IntN(2000))
		}
		g.pf("say := func(a ...any) { fmt.Fprintln(&said[%d], a...) }\n_ = say", i)
		g.among = true
		g.part()
		g.among = false
		g.pf("%s", end)
	}
	g.pf("together.Wait()\nfor i := range said {\nsay(said[i].String())\n}\n}")
}

// end is how the program ends. What it has read from its clock since its last call
// is in no record of a run that is killed, so it calls before.
func (g *programmer) end() {
	g.pf("stock(\"end\")")
	switch g.IntN(24) {
	case 0:
		g.pf("os.Exit(%d)", g.IntN(4))
	case 1:
		g.pf("panic(%s)", g.call(g.item()))
	case 2:
		g.pf("panic(errors.New(stock(\"bad\")))")
	case 3:
		g.pf("log.Fatal(%s)", g.call(g.item()))
	case 4:
		g.pf("defer say(\"deferred\")\ndefer func() { say(recover(), %s) }()\nvar none map[string]int\nnone[\"a\"] = 1", g.call(g.item()))
	case 5: // calls under way
		for range 1 + g.IntN(20) {
			g.pf("go stock(\"slow\" + %s)", g.item())
		}
		g.pf("time.Sleep(%d*time.Millisecond)", 10+g.IntN(10))
	case 6:
		g.racy("calls that main does not wait for")
		g.pf("for i := range %d {\ngo say(stock(fmt.Sprint(i)))\n}", 1+g.IntN(20))
	case 7:
		g.pf("stuck := make(chan int)\ngo func() { stock(\"x\"); <-stuck }()\n<-stuck")
	case 8:
		g.p.Limits.Timeout = time.Second
		g.pf("for range 100_000 {\ntime.Sleep(150*time.Millisecond)\n}")
	case 9:
		g.p.Limits.Timeout = time.Second
		g.pf("for { stock(\"slow\") }")
	case 10:
		g.p.Limits.Calls = 30 + g.IntN(20)
		g.pf("for i := range 60 { say(stock(fmt.Sprint(i))) }")
	case 11:
		g.p.Limits.Stdout = 20_000
		g.pf("for i := range 10_000 { say(i, %s) }", g.of("\"again and again\"", g.call(`"limit"`)))
	case 12:
		g.p.cancel = 1 + g.IntN(60)
		g.pf("for i := range 100_000 { say(i, stock(fmt.Sprint(i%%5))) }")
	case 13:
		g.p.Limits.Calls = 10
		g.pf("var wgAll sync.WaitGroup\nfor i := range 60 { wgAll.Go(func() { stock(fmt.Sprint(i)) }) }\nwgAll.Wait()")
		g.racy("the calls that a limit lets pass")
	case 14:
		g.p.Limits.Value = 10_000
		g.pf("Return(strings.Repeat(\"v\", 9_990+%d))", g.IntN(20))
	default:
		g.pf("Return(map[string]any{\"u\": uuid(), \"t\": time.Now(), \"s\": %s, \"h\": \"<&>\"})", g.call(g.item()))
	}
}

// parts are what programs consist of. They say what they find.
var parts = []func(g *programmer){
	func(g *programmer) { // one after the other
		g.pf("for i := range %d {\nsay(i, %s)\n}", 1+g.IntN(6), g.call(g.of(`"i"`, `fmt.Sprint(i)`, `fmt.Sprint(i/2)`)))
		g.pf("say(%s, %s)", g.call(g.item()), g.call(g.item()))
	},
	func(g *programmer) { // in goroutines, some of which call the same
		g.pf("out := make([]string, %d)\nvar wg sync.WaitGroup\nfor i := range out {\nwg.Go(func() {", 2+g.IntN(25))
		g.pf("for k := range %d {\nout[i] += %s + fmt.Sprint(rand.IntN(1000), k)\n}\n})\n}\nwg.Wait()\nsay(out)", 1+g.IntN(3),
			g.call(g.of(`"equal"`, `fmt.Sprint(i)`, `fmt.Sprint(i%3, k)`, `fmt.Sprint(i, rand.IntN(50))`)))
	},
	func(g *programmer) { // through a channel
		n := 1 + g.IntN(20)
		g.pf("c := make(chan string%s)\nfor i := range %d {\ngo func() { c <- %s }()\n}", g.of("", ", 100"), n, g.call(`fmt.Sprint(i%4)`))
		g.pf("var all []string\nfor range %d {\nall = append(all, <-c)\n}", n)
		if g.IntN(4) == 0 {
			g.racy("goroutines that hand over at the same time")
		} else {
			g.pf("slices.Sort(all)")
		}
		g.pf("say(all)")
	},
	func(g *programmer) { // a pool of workers
		jobs := 5 + g.IntN(40)
		g.pf("jobs, out := make(chan int%s), make([]string, %d)\nvar wg sync.WaitGroup", g.of("", ", 3", ", 50"), jobs)
		g.pf("for range %d {\nwg.Go(func() {\nfor j := range jobs {\nout[j] = %s", 2+g.IntN(8), g.call(`fmt.Sprint("j", j)`))
		if g.IntN(3) == 0 {
			g.pf("out[j] += %s", g.call(`fmt.Sprint("k", j)+serial(out[j])`))
		}
		g.pf("}\n})\n}\nfor j := range out {\njobs <- j\n}\nclose(jobs)\nwg.Wait()\nsay(out)")
	},
	func(g *programmer) { // a pool whose jobs are equal
		g.pf("jobs, out := make(chan string), make(chan string, 100)\nvar wg sync.WaitGroup")
		g.pf("for range %d {\nwg.Add(1)\ngo func() {\ndefer wg.Done()\nfor j := range jobs {\nout <- %s\n}\n}()\n}", 2+g.IntN(5), g.of("stock(j)", "buy(j)")) // of two calls, any two answers would go together
		g.pf("for i := range %d {\njobs <- fmt.Sprint(i%%%d)\n}\nclose(jobs)\nwg.Wait()\nclose(out)", 5+g.IntN(25), 1+g.IntN(5))
		g.pf("var all []string\nfor x := range out {\nall = append(all, x)\n}\nslices.Sort(all)\nsay(all)")
	},
	func(g *programmer) { // a mutex
		g.pf("var mu sync.Mutex\nvar order []string\nvar wg sync.WaitGroup\nfor i := range %d {\nwg.Go(func() {", 2+g.IntN(8))
		g.pf("x := %s\nmu.Lock()\ndefer mu.Unlock()\norder = append(order, fmt.Sprint(i, x))\n})\n}\nwg.Wait()", g.call(`fmt.Sprint("m", i%3)`))
		if g.IntN(2) == 0 {
			g.racy("goroutines that take a mutex at the same time")
		} else {
			g.pf("slices.Sort(order)")
		}
		g.pf("say(order)")
	},
	func(g *programmer) { // calls with a mutex held
		g.pf("var mu sync.RWMutex\nsum := map[string]int{}\nvar wg sync.WaitGroup\nfor i := range %d {\nwg.Go(func() {\n", 2+g.IntN(6))
		g.pf("mu.Lock()\nsum[%s[:5]]++\nmu.Unlock()\nmu.RLock()\ndefer mu.RUnlock()\n_ = len(sum)\n%s\n})\n}\nwg.Wait()\nsay(len(sum), sum)",
			g.call(`fmt.Sprint("w", i)`), g.call(`fmt.Sprint("r", i)`))
	},
	func(g *programmer) { // a condition
		g.pf("var mu sync.Mutex\nready := sync.NewCond(&mu)\nn := 0\nfor i := range %d {\ngo func() {\n%s\nmu.Lock()\nn++\nmu.Unlock()\nready.%s()\n}()\n}",
			4, g.call(`fmt.Sprint("c", i)`), g.of("Signal", "Broadcast"))
		g.pf("mu.Lock()\nfor n < 4 {\nready.Wait()\n}\nmu.Unlock()\nsay(%s)", g.call(g.item()))
	},
	func(g *programmer) { // once
		g.pf("get := sync.OnceValue(func() string { return %s })\nvar once sync.Once\nout := make([]string, 5)\nvar wg sync.WaitGroup", g.call(g.item()))
		g.pf("for i := range out {\nwg.Go(func() {\nonce.Do(func() { %s })\nout[i] = get()\n})\n}\nwg.Wait()\nsay(out)", g.call(g.item()))
	},
	func(g *programmer) { // numbers from a counter
		g.pf("var n atomic.Int64\nout := make([]string, 12)\nvar wg sync.WaitGroup\nfor range 4 {\nwg.Go(func() {")
		g.pf("for k := n.Add(1); k <= 12; k = n.Add(1) {\nout[k-1] = %s\n}\n})\n}\nwg.Wait()\nsay(out)", g.call(`fmt.Sprint("n", k)`))
	},
	func(g *programmer) { // a map
		g.pf("m := map[string]int{}\nfor i := range %d {\nm[fmt.Sprint(\"m\", i)] = i\n}\ngot := map[string]string{}", 2+g.IntN(10))
		g.pf("for k, v := range m {\ngot[k] = fmt.Sprint(v, %s)", g.call("k"))
		switch g.IntN(4) {
		case 0:
			g.pf("say(k)")
		case 1:
			g.pf("got[k] += uuid()")
		case 2:
			g.pf("delete(m, fmt.Sprint(\"m\", v*3%%7))")
		}
		g.pf("}\nsay(got)")
	},
	func(g *programmer) { // which of two calls is first
		g.racy("calls that end at the same time")
		g.pf("a, b := make(chan string, 1), make(chan string, 1)\ngo func() { a <- %s }()\ngo func() { b <- %s }()", g.call(g.item()), g.call(g.item()))
		g.pf("for range 2 {\nselect {\ncase x := <-a:\nsay(\"a\", x)\ncase x := <-b:\nsay(\"b\", x)\n}\n}")
	},
	func(g *programmer) { // the first of two, one of which is slow
		g.pf("a, b := make(chan string, 1), make(chan string, 1)\ngo func() { a <- stock(\"slow\"+%s) }()\ngo func() { b <- stock(%s) }()", g.item(), g.item())
		g.pf("for range 2 {\nselect {\ncase x := <-a:\nsay(\"a\", x)\ncase x := <-b:\nsay(\"b\", x)\n}\n}")
	},
	func(g *programmer) { // a call and a timer
		g.pf("c := make(chan string, 1)\ngo func() { c <- stock(%s+%s) }()", g.of(`"slow"`, `""`), g.item())
		g.pf("select {\ncase x := <-c:\nsay(x)\ncase <-time.After(10*time.Second):\nsay(\"never\")\n}")
	},
	func(g *programmer) { // a call that is too slow
		g.pf("c := make(chan string, 1)\ngo func() { c <- stock(\"slow\"+%s) }()", g.item())
		g.pf("select {\ncase x := <-c:\nsay(x)\ncase at := <-time.After(%d*time.Millisecond):\nsay(\"late\", at)\n}\nsay(<-c)", 1+g.IntN(10))
	},
	func(g *programmer) { // a call that may be too slow
		g.racy("a call that ends when a timer does")
		g.pf("c := make(chan string, 1)\ngo func() { c <- stock(%s) }()", g.item())
		g.pf("select {\ncase x := <-c:\nsay(x)\ncase <-time.After(%d*time.Microsecond):\nsay(\"late\")\n}", 1+g.IntN(4000))
	},
	func(g *programmer) { // a context
		g.pf("ctx, cancel := context.WithTimeout(context.Background(), %d*time.Millisecond)\ndefer cancel()", 2+g.IntN(8))
		g.pf("c := make(chan string, 1)\ngo func() { c <- stock(\"slow\"+%s) }()", g.item())
		g.pf("select {\ncase x := <-c:\nsay(x)\ncase <-ctx.Done():\nsay(ctx.Err(), context.Cause(ctx))\n}\nsay(<-c)")
		g.pf("stop := context.AfterFunc(ctx, func() { c <- %s })\nsay(<-c, stop())", g.call(g.item()))
	},
	func(g *programmer) { // a ticker
		g.pf("tick := time.NewTicker(%d*time.Microsecond)\ndefer tick.Stop()\nfor range %d {\nat := <-tick.C\nsay(at, %s)\n}",
			100+g.IntN(5000), 1+g.IntN(5), g.call(g.of(`"tick"`, `at.String()`)))
	},
	func(g *programmer) { // functions by timers
		g.pf("c := make(chan string)\nfor i := range %d {\ntime.AfterFunc(time.Duration(i)*15*time.Millisecond, func() { c <- fmt.Sprint(i, stock(\"t\")) })\n}", 3)
		g.pf("var all []string\nfor range 3 {\nall = append(all, <-c)\n}\nslices.Sort(all)\nsay(all)")
	},
	func(g *programmer) { // asleep
		g.pf("begin := time.Now()\ntime.Sleep(%d*time.Microsecond)\nsay(%s, time.Since(begin), time.Now().Format(time.RFC3339Nano))", g.IntN(8000), g.call(g.item()))
		g.pf("time.Sleep(%d*time.Microsecond)\nsay(time.Until(begin))", g.IntN(3000))
	},
	func(g *programmer) { // looked at again and again
		g.pf("for n := 0; ; n++ {\nx := ask(shop.Stock, shop.StockParams{Item: %s})\nif n > 10 || strings.Contains(x, \"\\\"ready\\\"\") || strings.Contains(x, \"failed\") {\nsay(n, x)\nbreak\n}\ntime.Sleep(%d*time.Microsecond)\n}",
			g.of(`"poll"`, g.item()), g.IntN(4000))
	},
	func(g *programmer) { // until a time
		g.pf("end, n := time.Now().Add(%d*time.Millisecond), 0\nfor time.Now().Before(end) {\nn++\n%s\n}\nsay(n)", 1+g.IntN(6), g.call(`fmt.Sprint(n%3)`))
	},
	func(g *programmer) { // until another goroutine says so
		g.pf("var done atomic.Bool\nx := \"\"\ngo func() {\nx = %s\ndone.Store(true)\n}()\nfor !done.Load() {\n%s\n}\nsay(x)", g.call(g.item()),
			g.of("runtime.Gosched()", "time.Sleep(50*time.Microsecond)", "time.Sleep(time.Millisecond)"))
	},
	func(g *programmer) { // random numbers
		g.pf("say(uuid(), crand.Text(), rand.IntN(1<<40), mrand.Intn(1000), rand.Perm(5), mrand.Float64(), rand.N(100))")
		g.pf("list := []int{1, 2, 3, 4, 5}\nrand.Shuffle(5, func(i, j int) { list[i], list[j] = list[j], list[i] })\nfor _, x := range list {\nsay(%s)\n}",
			g.call(g.of(`fmt.Sprint(x)`, `uuid()`, `fmt.Sprint(rand.IntN(3))`)))
		g.pf("own := rand.New(rand.NewPCG(1, rand.Uint64()))\nsay(own.IntN(1000))")
	},
	func(g *programmer) { // the time in arguments
		g.pf("for range 3 {\nsay(%s)\n}\nsay(time.Now().Weekday(), time.Now().UnixNano())", g.call(`fmt.Sprint(time.Now().UnixNano())`))
	},
	func(g *programmer) { // errors, and tries again
		g.pf("_, err := shop.%s\nsay(err)\n_, err = shop.Stock(shop.StockParams{Item: \"gone\"})\nsay(err)", g.of(`Stock(shop.StockParams{Item: "bad"})`, `Buy(shop.BuyParams{Item: "bad"})`, `Buy(shop.BuyParams{Item: "lost"})`))
		g.pf("for try := range 5 {\nif x := stock(\"flaky\"); !strings.HasPrefix(x, \"failed\") {\nsay(try, x)\nbreak\n}\ntime.Sleep(time.Duration(rand.IntN(1000*(try+1)))*time.Microsecond)\n}")
	},
	func(g *programmer) { // defer and recover
		g.pf("func() {\ndefer func() { say(recover()) }()\ndefer say(%s)\ndefer func() {\nif r := recover(); r != nil {\npanic(fmt.Sprint(\"again: \", r, %s))\n}\n}()\npanic(%s)\n}()",
			g.call(g.item()), g.call(g.item()), g.call(g.item()))
	},
	func(g *programmer) { // saved scripts
		g.pf("v, err := RunScript(%q, map[string]any{\"item\": %s})\nsay(fmt.Sprint(v), err)", g.of("leaf", "middle", "upper", "missing"), g.item())
	},
	func(g *programmer) { // saved scripts in goroutines
		g.pf("out := make([]string, %d)\nvar wg sync.WaitGroup\nfor i := range out {\nwg.Go(func() {", 2+g.IntN(3))
		g.pf("v, err := RunScript(%q, map[string]any{\"item\": %s})\nout[i] = fmt.Sprint(v, err)\n})\n}\nwg.Wait()\nsay(out)", g.of("leaf", "middle"), g.of(`"same"`, `fmt.Sprint(i)`))
	},
	func(g *programmer) { // what there is
		g.pf("say(discovery.Names())\nsay(discovery.Describe(\"shop.stock\"))")
	},
	func(g *programmer) { // what was sent
		g.pf("var name any\nsay(Input(\"name\", &name), name)\nvar old any\nsay(Stored(\"old\", &old), old)\nsay(Stored(\"none\", &old))")
	},
	func(g *programmer) { // logs
		g.prints()
		g.pf("log.Print(%s)\nslog.Info(\"a\", \"b\", %s)\nfmt.Fprintln(os.Stderr, %s)", g.call(g.item()), g.call(g.item()), g.call(g.item()))
		g.pf("slog.New(slog.NewJSONHandler(os.Stdout, nil)).Log(context.Background(), slog.LevelInfo, \"j\", \"at\", time.Now())")
		g.pf("log.SetOutput(os.%s)\nlog.Print(\"there\")", g.of("Stdout", "Stderr"))
	},
	func(g *programmer) { // large
		g.pf("huge, err := shop.Stock(shop.StockParams{Item: \"huge\"})\nsay(len(fmt.Sprint(huge)), err)\nx := ask(shop.Buy, shop.BuyParams{Item: strings.Repeat(\"<&>\", 30_000)})\nsay(len(x))\nReturn(strings.Repeat(\"<v> \\u00e9\", 20_000))")
	},
	func(g *programmer) { // many at once
		g.pf("out := make([]string, %d)\nvar wg sync.WaitGroup\nfor i := range out {\nwg.Go(func() { out[i] = %s })\n}\nwg.Wait()\nsay(out)", 17+g.IntN(40), g.call(`fmt.Sprint("p", i)`))
	},
	func(g *programmer) { // at most three at once
		g.pf("free, out := make(chan struct{}, 3), make([]string, 10)\nvar wg sync.WaitGroup\nfor i := range out {\nfree <- struct{}{}\nwg.Go(func() {\ndefer func() { <-free }()\nout[i] = %s\n})\n}\nwg.Wait()\nsay(out)", g.call(`fmt.Sprint("s", i)`))
	},
	func(g *programmer) { // a line of stages
		g.pf("a, b := make(chan string), make(chan string)\ngo func() {\ndefer close(a)\nfor i := range %d {\na <- %s\n}\n}()", 1+g.IntN(6), g.call(`fmt.Sprint("a", i)`))
		g.pf("go func() {\ndefer close(b)\nfor x := range a {\nb <- %s\n}\n}()\nfor x := range b {\nsay(x)\n}", g.call(`"b" + serial(x)`))
	},
	func(g *programmer) { // a group that ends with its first error
		g.pf("ctx, cancel := context.WithCancelCause(context.Background())\nvar wg sync.WaitGroup\nout := make([]string, 4)\nfor i := range out {\nwg.Go(func() {\n")
		g.pf("if i == 2 {\ncancel(errors.New(stock(\"bad\")))\nreturn\n}\n<-ctx.Done()\nout[i] = fmt.Sprint(context.Cause(ctx), %s)\n})\n}\nwg.Wait()\nsay(out, ctx.Err())", g.call(`fmt.Sprint("g", i)`))
	},
	func(g *programmer) { // by way of the library
		g.pf("list := []int{3, 1, 2}\nslices.SortFunc(list, func(a, b int) int { %s; return a - b })\nsay(list)", g.call(`fmt.Sprint(a, b)`))
		g.pf("t := template.Must(template.New(\"\").Funcs(template.FuncMap{\"stock\": stock, \"buy\": func(s string) string { return buy(s) }}).Parse(`{{stock \"x\"}} {{range .}}{{buy .}}{{end}}`))")
		g.pf("var b bytes.Buffer\nsay(t.Execute(&b, []string{\"p\", \"q\"}), b.String())")
		g.pf("say(strings.Map(func(r rune) rune { return rune(stock(string(r))[9]) }, \"abc\"))")
	},
	func(g *programmer) { // iterators
		g.pf("seq := func(yield func(string) bool) {\nfor i := range 5 {\nif !yield(%s) {\nreturn\n}\n}\n}\nfor x := range seq {\nsay(x)\nif rand.IntN(3) == 0 {\nbreak\n}\n}", g.call(`fmt.Sprint("y", i)`))
		g.pf("next, stop := iter.Pull(iter.Seq[string](seq))\nx, ok := next()\nsay(x, ok)\nx, ok = next()\nsay(x, ok)\nstop()")
	},
	func(g *programmer) { // goroutines that print
		g.pf("var wg sync.WaitGroup\nfor i := range %d {\nwg.Go(func() { fmt.Println(%s) })\n}\nwg.Wait()", 2+g.IntN(6), g.call(`fmt.Sprint("u", i)`))
		g.racy("goroutines that print at the same time")
	},
	func(g *programmer) { // the result of a race
		g.racy("goroutines that share without a lock")
		g.pf("var last atomic.Value\nvar wg sync.WaitGroup\nfor i := range 4 {\nwg.Go(func() { last.Store(%s) })\n}\nwg.Wait()\nsay(last.Load())", g.call(`fmt.Sprint("l", i)`))
	},
	func(g *programmer) { // much text
		g.prints()
		g.pf("for range %d {\nfmt.Print(strings.Repeat(\"text \\u00e9<&>\", 100))\n}\nfmt.Println(\"\\xff\\xfe|\")\nfmt.Print(strings.Repeat(\"\\u20ac\", 30_000))", 1+g.IntN(60))
	},
	func(g *programmer) { // a clock that is read too often
		g.pf("var last time.Time\nfor range 5000 {\nlast = time.Now()\n}\n%s", g.call(g.item()))
		g.racy("a clock that is read more often than is noted")
		g.pf("say(last)")
	},
	func(g *programmer) { // an inner group
		g.pf("out := make([][]string, 3)\nvar wg sync.WaitGroup\nfor i := range out {\nwg.Go(func() {\nout[i] = make([]string, 3)\nvar inner sync.WaitGroup\nfor k := range out[i] {\ninner.Go(func() { out[i][k] = %s + uuid() })\n}\ninner.Wait()\n})\n}\nwg.Wait()\nsay(out)",
			g.call(g.of(`fmt.Sprint(i, k)`, `"inner"`)))
	},
}
