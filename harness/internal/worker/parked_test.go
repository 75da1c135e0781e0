package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/internal/bridge"
)

// waits is a Host that parks the calls whose arguments say so, and runs other scripts.
type waits struct {
	shop
	scripts map[string]string
	opts    *Options
	inner   []Status
}

func (w *waits) Call(ctx context.Context, c *Call) (*Answer, error) {
	if c.Tool == bridge.RunScript {
		var args struct{ Name string }
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return nil, err
		}
		o, err := Run(ctx, &Script{Source: w.scripts[args.Name]}, w, w.opts)
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		w.inner = append(w.inner, o.Status)
		w.mu.Unlock()
		switch {
		case o.Status == Waiting:
			return nil, ErrParked
		case o.Status != OK:
			return nil, errors.New(said(o))
		case o.Value == nil:
			o.Value = json.RawMessage("null")
		}
		return &Answer{Result: o.Value}, nil
	}
	a, _ := w.shop.Call(ctx, c)
	if strings.Contains(string(c.Args), "park") {
		return nil, fmt.Errorf("somebody is asked: %w", ErrParked)
	}
	return a, nil
}

// parking are scripts with calls that get no answer, what they print and return, and
// how many calls the Host gets of them, together with those of their saved scripts.
var parking = map[string]struct {
	script string
	want   string
	calls  int
}{
	"one": {`
		shop.Buy(shop.BuyParams{What: "a"})
		fmt.Println("bought")
		shop.Buy(shop.BuyParams{What: "park"})
		fmt.Println("never")`, "bought", 2},
	"three goroutines": {`
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				shop.Buy(shop.BuyParams{What: fmt.Sprint("park", i)})
				fmt.Println("never")
			})
		}
		wg.Wait()`, "", 3},
	"more than may be under way": {`
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() { shop.Buy(shop.BuyParams{What: fmt.Sprint("park", i)}) })
		}
		for i := range 10 {
			shop.Buy(shop.BuyParams{What: i})
		}
		fmt.Println("bought")
		wg.Wait()`, "bought", 60},
	"a pool": {`
		jobs := make(chan int)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for n := range jobs {
					what := fmt.Sprint(n)
					if n%5 == 4 {
						what = "park"
					}
					shop.Buy(shop.BuyParams{What: what})
				}
			})
		}
		for n := range 100 {
			jobs <- n
		}
		close(jobs)
		wg.Wait()`, "", 20},
	"others that go on": {`
		go shop.Buy(shop.BuyParams{What: "park"})
		for i := range 30 {
			shop.Buy(shop.BuyParams{What: i})
		}
		fmt.Println("bought")
		select {}`, "bought", 31},
	"one that computes": {`
		go shop.Buy(shop.BuyParams{What: "park"})
		n := 0
		for i := range 3_000_000 {
			n += i % 3
		}
		shop.Buy(shop.BuyParams{What: n})
		fmt.Println("computed")
		select {}`, "computed", 2},
	"sleeps": {`
		go shop.Buy(shop.BuyParams{What: "park"})
		fmt.Println("sleeps")
		time.Sleep(time.Hour)`, "sleeps", 1},
	"a sleep that ends": {`
		go shop.Buy(shop.BuyParams{What: "park"})
		time.Sleep(150 * time.Millisecond)
		shop.Buy(shop.BuyParams{What: "a"})
		fmt.Println("slept")
		select {}`, "slept", 2},
	"a timer": {`
		answer := make(chan bool)
		go func() {
			shop.Buy(shop.BuyParams{What: "park"})
			answer <- true
		}()
		select {
		case <-answer:
		case <-time.After(time.Hour):
		}`, "", 1},
	"a ticker": {`
		go shop.Buy(shop.BuyParams{What: "park"})
		for range time.Tick(time.Millisecond) {
		}`, "", 1},
	"a deadline": {`
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		go shop.Buy(shop.BuyParams{What: "park"})
		<-ctx.Done()`, "", 1},
	"warnings meanwhile": {`
		go shop.Buy(shop.BuyParams{What: "park"})
		for i := range 10 {
			time.Sleep(10 * time.Millisecond)
			Return(i)
		}
		shop.Buy(shop.BuyParams{What: "a"})
		select {}`, "9", 2},
	"main that has gone": {`
		go shop.Buy(shop.BuyParams{What: "park"})
		runtime.Goexit()`, "", 1},
	"deferred calls": {`
		defer fmt.Println("never")
		defer shop.List()
		shop.Buy(shop.BuyParams{What: "park"})`, "", 1},
	"a saved script": {`
		fmt.Println("outer")
		RunScript("asks", nil)
		fmt.Println("never")`, "outer", 2},
	"saved scripts": {`
		var wg sync.WaitGroup
		for _, name := range []string{"asks", "ends", "asks", "sleeps"} {
			wg.Go(func() {
				RunScript(name, nil)
				shop.Buy(shop.BuyParams{What: name})
			})
		}
		wg.Wait()`, "", 9},
	"a saved script of a saved one": {`
		_, err := RunScript("nests", nil)
		fmt.Println(err)`, "", 3},
}

// asleep are those of them that end after a silence; the others do so once nothing
// moves.
var asleep = []string{"sleeps", "a timer", "a ticker", "a deadline"}

func TestARunEndsWhereItsCallsAreParked(t *testing.T) {
	for name, c := range parking {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, resumes := range []bool{false, true} {
				w := newWaits()
				if !slices.Contains(asleep, name) {
					w.opts.silence = time.Minute
				}
				script := &Script{Source: c.script}
				var h Host = w
				if resumes {
					script.Resume, script.Replay = true, &Replay{Begin: begin2026.UnixNano()}
					s := resume(nil)
					s.world = w.Call
					h = s
				}
				o, err := Run(t.Context(), script, h, w.opts)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.TrimSpace(o.Stdout + string(o.Value)); o.Status != Waiting || got != c.want {
					t.Errorf("resumed %v: %s, printed %q, want %q", resumes, said(o), got, c.want)
				}
				// Each of a pool's goroutines ends at a call that is parked.
				if n := len(w.calls) + len(w.inner); n != c.calls && name != "a pool" || n < c.calls {
					t.Errorf("resumed %v: %d calls, want %d", resumes, n, c.calls)
				}
			}
		})
	}
}

func newWaits() *waits {
	return &waits{opts: &Options{silence: 300 * time.Millisecond}, scripts: map[string]string{
		"asks":   "shop.Buy(shop.BuyParams{What: \"park\"})",
		"ends":   "shop.Buy(shop.BuyParams{What: \"a\"})\nReturn(1)",
		"sleeps": "time.Sleep(time.Millisecond)",
		"nests":  "v, err := RunScript(\"asks\", nil)\nfmt.Println(v, err)",
	}}
}

// What ends by itself, or is ended, does so though a call of it is parked.
func TestParkedCallsDoNotKeepARunFromItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		limits Limits
		want   Status
	}{
		"main returns":                 {`go shop.Buy(shop.BuyParams{What: "park"})`, Limits{}, OK},
		"main returns a while later":   {"go shop.Buy(shop.BuyParams{What: \"park\"})\ntime.Sleep(120 * time.Millisecond)", Limits{}, OK},
		"a panic":                      {"go shop.Buy(shop.BuyParams{What: \"park\"})\nshop.List()\npanic(1)", Limits{}, ScriptError},
		"os.Exit":                      {"go shop.Buy(shop.BuyParams{What: \"park\"})\nshop.List()\nos.Exit(3)", Limits{}, ScriptError},
		"the deadline":                 {"go shop.Buy(shop.BuyParams{What: \"park\"})\nfor {\n}", Limits{Timeout: 400 * time.Millisecond}, Timeout},
		"the deadline while it sleeps": {"go shop.Buy(shop.BuyParams{What: \"park\"})\ntime.Sleep(time.Hour)", Limits{Timeout: 250 * time.Millisecond}, Timeout},
		"too many calls":               {"go shop.Buy(shop.BuyParams{What: \"park\"})\nfor {\nshop.List()\n}", Limits{Calls: 5}, CallLimit},
		"output":                       {"go shop.Buy(shop.BuyParams{What: \"park\"})\nfor {\nfmt.Println(\"xxxxxxxxxxxxxxxxxxxxx\")\n}", Limits{Stdout: 1000}, OutputLimit},
		"a call that was not allowed":  {"go shop.Buy(shop.BuyParams{What: \"park\"})\nshop.List()\nRunScript(\"denied\", nil)", Limits{}, Denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &denying{newWaits()}
			w.opts.silence = time.Minute
			o, err := Run(t.Context(), &Script{Source: c.script, Limits: c.limits}, w, w.opts)
			if err != nil || o.Status != c.want {
				t.Errorf("%v, %s, want %s", err, said(o), c.want)
			}
		})
	}
}

type denying struct{ *waits }

func (d *denying) Call(ctx context.Context, c *Call) (*Answer, error) {
	if c.Tool == bridge.RunScript {
		return nil, &DeniedError{Reason: "no"}
	}
	return d.waits.Call(ctx, c)
}

// What a Host parks in a replay is known to the worker once it is live.
func TestACallIsParkedInAReplay(t *testing.T) {
	s := resume(nil)
	var parked bool
	h := &parksEarly{resumed: s, parked: &parked}
	s.world = func(context.Context, *Call) (*Answer, error) { return answer("x"), nil }
	o, err := Run(t.Context(), &Script{Resume: true, Replay: &Replay{Begin: begin2026.UnixNano()}, Source: `
		go shop.Buy(shop.BuyParams{What: "park"})
		for runtime.NumGoroutine() < 2 {
		}
		shop.List()
		fmt.Println("listed")
		select {}`}, h, nil)
	if err != nil || o.Status != Waiting || o.Stdout != "listed\n" || !parked {
		t.Errorf("%v, %s, parked: %v", err, said(o), parked)
	}
}

type parksEarly struct {
	*resumed
	parked *bool
}

func (p *parksEarly) Call(ctx context.Context, c *Call) (*Answer, error) {
	if strings.Contains(string(c.Args), "park") {
		p.mu.Lock()
		p.asked++
		p.open = append(p.open, &held{Call: c, release: make(chan *Answer, 1), line: -1})
		*p.parked = !p.live
		p.mu.Unlock()
		return nil, ErrParked
	}
	return p.resumed.Call(ctx, c)
}
