package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/bridge"
)

// resumed is a Host that answers calls from a record, and by world once that is used
// up.
type resumed struct {
	*stage
	world func(ctx context.Context, c *Call) (*Answer, error)
	live  bool
}

// resume is a Host for a record of these lines, and of calls that were not answered.
// Its world answers at once.
func resume(lines []line, unanswered ...line) *resumed {
	s := &resumed{stage: repeat(lines, unanswered...)}
	s.world = func(_ context.Context, c *Call) (*Answer, error) { return answer("live " + string(c.Args)), nil }
	order := s.decide
	s.decide = func(stage *stage, next time.Time) (Next, error) {
		if stage.used < len(lines) {
			return order(stage, next)
		}
		s.live = true
		for _, h := range stage.open {
			h.release <- nil
		}
		return Live, nil
	}
	return s
}

func answer(text string) *Answer {
	raw, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "structuredContent": map[string]any{}})
	if err != nil {
		panic(err)
	}
	return &Answer{Result: raw}
}

func (s *resumed) Call(ctx context.Context, c *Call) (*Answer, error) {
	s.mu.Lock()
	live := s.live
	s.mu.Unlock()
	if live {
		return s.world(ctx, c)
	}
	a, err := s.stage.Call(ctx, c)
	if a == nil && err == nil {
		if err := c.Slot(ctx); err != nil {
			return nil, err
		}
		return s.world(ctx, c)
	}
	return a, err
}

// run resumes a script.
func (s *resumed) run(t testing.TB, script *Script, o *Options) *Outcome {
	t.Helper()
	script.Resume = true
	if script.Replay == nil {
		script.Replay = &Replay{Begin: begin2026.UnixNano()}
	}
	out, err := Run(t.Context(), script, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bought is the line of a call of main on a line and column, answered after d.
func bought(place, what string, d time.Duration) line {
	return line{place: place, tool: "shop.buy", args: `{"what":` + what + `}`, text: "recorded " + what, at: begin2026.Add(d)}
}

func TestAResumedScriptGoesOnWhereItsRecordEnds(t *testing.T) {
	var lines []line
	var want []string
	for i := range 100 {
		lines = append(lines, bought("3:12", fmt.Sprint(i), time.Duration(i)*time.Hour))
		want = append(want, fmt.Sprint("recorded ", i))
	}
	for i := 100; i < 103; i++ {
		want = append(want, fmt.Sprintf(`live {"what":%d}`, i))
	}
	s := resume(lines)
	o := s.run(t, &Script{Source: `
for i := range 103 {
	r, err := shop.Buy(shop.BuyParams{What: i})
	fmt.Println(r.Text())
	if err != nil {
		panic(err)
	}
}`}, nil)
	if diff := gocmp.Diff(strings.Join(want, "\n"), said(o)); diff != "" {
		t.Error(diff)
	}
	if s.used != len(lines) || !s.live {
		t.Errorf("%d lines used, live: %v", s.used, s.live)
	}
}

// beyond are scripts in which time passes before and after the moment at which they
// become live. A call of theirs was answered a little less than an hour after they
// began: what is set to an hour goes off a little later, in the world's time.
var beyond = map[string]struct{ script, want string }{
	"sleeps": {`
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() { time.Sleep(time.Hour + time.Duration(3-i)*10*time.Millisecond) })
		}
		go func() {
			time.Sleep(2 * time.Hour)
			fmt.Println("never")
		}()
		buy()
		fmt.Println("bought")
		wg.Wait()
		time.Sleep(time.Millisecond)
		fmt.Println("slept")`, "bought\nslept"},
	"timers": {`
		a, b := time.NewTimer(time.Hour), time.NewTimer(2*time.Hour)
		c, d := time.NewTimer(2*time.Hour), time.NewTimer(time.Hour)
		spent := time.NewTimer(time.Minute)
		buy()
		x := <-a.C
		fmt.Println(a.Stop(), b.Stop(), b.Stop(), c.Reset(time.Millisecond), a.Reset(10*time.Millisecond))
		<-c.C
		y := <-a.C
		<-d.C
		fmt.Println(y.After(x), len(b.C), (<-spent.C).UTC().Format(time.TimeOnly), spent.Reset(time.Millisecond))
		<-spent.C
		n := time.NewTimer(time.Millisecond)
		fmt.Println((<-n.C).After(y), n.Stop(), n.Reset(time.Hour), n.Stop())`,
		"false true false true false\ntrue 0 03:05:05 false\ntrue false false true"},
	"after": {`
		a, b, spent := time.After(time.Hour), time.After(time.Hour+time.Millisecond), time.After(time.Second)
		buy()
		select {
		case <-a:
			fmt.Println("a")
		case <-time.After(time.Minute):
		}
		<-b
		<-spent
		<-time.After(time.Millisecond)
		fmt.Println("b")`, "a\nb"},
	"tickers": {`
		t := time.NewTicker(30*time.Minute)
		u := time.NewTicker(time.Hour)
		v := time.Tick(time.Hour)
		buy()
		fmt.Println((<-t.C).UTC().Format(time.TimeOnly))
		x := <-t.C
		<-u.C
		<-v
		t.Reset(time.Millisecond)
		y := <-t.C
		z := <-t.C
		t.Stop()
		u.Stop()
		fmt.Println(y.After(x), z.After(y))
		select {
		case <-t.C:
		case <-u.C:
		case <-time.After(20*time.Millisecond):
			fmt.Println("stopped")
		}
		n := time.NewTicker(time.Millisecond)
		<-n.C
		<-n.C
		n.Stop()`, "03:34:05\ntrue true\nstopped"},
	"functions": {`
		done := make(chan string)
		late := func(s string) func() { return func() { done <- s } }
		time.AfterFunc(time.Hour+time.Millisecond, late("a"))
		b := time.AfterFunc(2*time.Hour, late("b"))
		c := time.AfterFunc(time.Hour+10*time.Minute, late("c"))
		buy()
		fmt.Println(<-done, b.Reset(time.Millisecond), <-done, c.Stop(), c.Stop(), b.Reset(time.Millisecond), <-done)
		time.AfterFunc(time.Millisecond, late("d"))
		fmt.Println(<-done)`, "a true b true false false b\nd"},
	"contexts": {`
		boss := errors.New("boss")
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Hour, boss)
		defer cancel()
		child, cancel2 := context.WithTimeout(ctx, 2*time.Hour)
		defer cancel2()
		long, cancel3 := context.WithTimeout(context.Background(), 2*time.Hour)
		defer cancel3()
		buy()
		time.Sleep(time.Millisecond)
		at, ok := ctx.Deadline()
		left, _ := long.Deadline()
		fmt.Println(ok, time.Until(at) < 20*time.Second, time.Until(left) > 59*time.Minute, time.Until(left) < 61*time.Minute)
		<-child.Done()
		fmt.Println(ctx.Err(), context.Cause(ctx), context.Cause(child), long.Err())
		sooner, cancel4 := context.WithTimeout(long, time.Millisecond)
		defer cancel4()
		later, cancel5 := context.WithTimeout(long, 24*time.Hour)
		defer cancel5()
		<-sooner.Done()
		end, _ := later.Deadline()
		fmt.Println(sooner.Err(), long.Err(), end.Equal(left))
		cancel3()
		fmt.Println(later.Err())`,
		"true true true true\ncontext deadline exceeded boss boss <nil>\ncontext deadline exceeded <nil> true\ncontext canceled"},
	"the clock": {`
		begin := time.Now()
		buy()
		fmt.Println(time.Since(begin) < time.Hour, time.Now().UTC().Format(time.TimeOnly))
		time.Sleep(time.Millisecond)
		fmt.Println(time.Since(begin) > 24*time.Hour)
		last := time.Now()
		for range 5000 {
			now := time.Now()
			if now.Before(last) {
				fmt.Println("back")
			}
			last = now
		}`, "true 04:04:04\ntrue"},
	"a deadlock": {`
		time.AfterFunc(time.Hour, func() { fmt.Println("late") })
		t := time.NewTicker(time.Hour)
		defer t.Stop()
		buy()
		c := make(chan int)
		<-c`, "late\n\nscript_errorfatal error: all goroutines are asleep - deadlock!"},
	"no goroutine left": {`
		go func() {
			time.Sleep(time.Hour)
			fmt.Println("slept")
		}()
		buy()
		runtime.Goexit()`, "slept\n\nscript_errorfatal error: no goroutines (main called runtime.Goexit) - deadlock!"},
	"a busy script": {`
		var woken atomic.Bool
		go func() {
			time.Sleep(time.Hour)
			woken.Store(true)
		}()
		buy()
		for !woken.Load() {
			runtime.Gosched()
		}
		fmt.Println(buy())`, "live {\"what\":\"x\"}"},
	"a call or a timer": {`
		buy()
		answer := make(chan string, 1)
		go func() { answer <- buy() }()
		select {
		case a := <-answer:
			fmt.Println(a)
		case <-time.After(10*time.Second):
			fmt.Println("late")
		}
		go func() { answer <- buy() }()
		select {
		case a := <-answer:
			fmt.Println(a)
		case <-time.After(10*time.Second):
			fmt.Println("late")
		}`, "live {\"what\":\"x\"}\nlive {\"what\":\"x\"}"},
	"a pool": {`
		jobs, results := make(chan int), make(chan int)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for n := range jobs {
					buy()
					time.Sleep(time.Duration(n%3) * time.Millisecond)
					results <- n
				}
			})
		}
		go func() {
			for n := range 40 {
				jobs <- n
			}
			close(jobs)
			wg.Wait()
			close(results)
		}()
		sum := 0
		for n := range results {
			sum += n
		}
		fmt.Println(sum)`, "780"},
}

func TestTimeGoesOnInAResumedScript(t *testing.T) {
	const head = "buy := func() string {\n\tr, err := shop.Buy(shop.BuyParams{What: \"x\"})\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn r.Text()\n}\n"
	for name, c := range beyond {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := bought("2:12", `"x"`, time.Hour-10*time.Millisecond)
			if name == "the clock" {
				l.at = begin2026.Add(time.Hour - time.Second)
			}
			s := resume([]line{l})
			inner := s.arrive
			s.arrive = func(s *stage, h *held) { // whoever calls first
				h.Path = ""
				inner(s, h)
			}
			o := s.run(t, &Script{Source: head + c.script}, nil)
			if diff := gocmp.Diff(c.want, said(o)); diff != "" {
				t.Error(diff)
			}
			if s.used != 1 {
				t.Errorf("%d lines used", s.used)
			}
		})
	}
}

// A timer that is due before the record's last answer goes off in the replay.
func TestATimerBeforeTheLastAnswerIsReplayed(t *testing.T) {
	s := resume([]line{{path: "2:3#1", place: "2:15", tool: "shop.list", args: "{}", at: begin2026.Add(time.Hour)}})
	o := s.run(t, &Script{Source: `
		go func() { shop.List() }()
		fmt.Println((<-time.After(25 * time.Minute)).UTC().Format(time.TimeOnly))
		time.Sleep(25 * time.Minute)
		fmt.Println(time.Now().UTC().Format(time.TimeOnly))`}, nil)
	if said(o) != "03:29:05\n03:54:05" || s.live {
		t.Error(said(o))
	}
}

// All that a resumed script reads from its clock is noted, also what it repeats: the
// readings of its last execution are those that count.
func TestAllReadingsOfAResumeAreNoted(t *testing.T) {
	s := resume([]line{bought("3:2", "0", time.Minute)})
	o := s.run(t, &Script{Clock: true, Source: `fmt.Println(time.Now().UTC(), time.Now().UTC())
for i := range 2 {
	shop.Buy(shop.BuyParams{What: i})
}
fmt.Print(time.Now().UnixNano())
x := <-time.After(time.Millisecond)
fmt.Print(" ", x.UnixNano())`, Replay: &Replay{Begin: begin2026.UnixNano(), Readings: map[string][]int64{"": {
		begin2026.UnixNano(), begin2026.Add(time.Second).UnixNano(), begin2026.Add(2 * time.Second).UnixNano(),
		begin2026.Add(3 * time.Second).UnixNano(), begin2026.Add(4 * time.Second).UnixNano()}}}}, nil)
	want := "2026-01-02 03:04:06 +0000 UTC 2026-01-02 03:04:07 +0000 UTC\n"
	var noted []string
	repeated := 0
	for _, r := range s.readings {
		if r.Path != "" {
			t.Errorf("noted %v", r)
		}
		if r.Time < begin2026.Add(time.Hour).UnixNano() {
			repeated++
			continue
		}
		noted = append(noted, fmt.Sprint(r.Time))
	}
	if diff := gocmp.Diff(want+strings.Join(noted, " "), said(o)); diff != "" || len(noted) != 2 || repeated != 3 {
		t.Error(diff, repeated)
	}
}

func TestCallsThatWereHeldTakeTurns(t *testing.T) {
	s := resume(nil)
	var now, most atomic.Int64
	s.world = func(context.Context, *Call) (*Answer, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		for range 1000 {
			runtime.Gosched()
		}
		return answer(""), nil
	}
	o := s.run(t, &Script{Limits: Limits{Parallel: 3}, Source: `
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				for range 3 {
					shop.Buy(shop.BuyParams{What: i})
				}
			})
		}
		wg.Wait()`}, nil)
	if o.Status != OK || o.Calls != 60 || most.Load() > 3 {
		t.Errorf("%s, %d calls, %d at once", said(o), o.Calls, most.Load())
	}
}

func TestAReplayThatIsNotToBeResumedDoesNotBecomeLive(t *testing.T) {
	s := resume(nil)
	o, err := Run(t.Context(), &Script{Source: "shop.List()", Replay: &Replay{}}, s, nil)
	if err != nil || o.Status != Diverged || !strings.Contains(o.Message, "cannot become live") {
		t.Errorf("%v, %s", err, said(o))
	}
}

// Any schedule may be resumed after any of its calls, and comes to its end.
func TestAnyScheduleIsResumedFromAnywhere(t *testing.T) {
	for seed := range uint64(*schedules) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			script := schedule(seed, 5000)
			recorded := simulate(seed)
			if o := recorded.replay(t, script, nil); o.Status != OK {
				t.Fatal(said(o))
			}
			r := rand.New(rand.NewPCG(seed, 2))
			n := r.IntN(len(recorded.lines) + 1)
			var unanswered []line
			for _, l := range recorded.lines[n:] {
				l.text, l.at = "", time.Time{}
				unanswered = append(unanswered, l)
			}
			for _, h := range recorded.open {
				unanswered = append(unanswered, lineOf(h.Call))
			}
			s := resume(recorded.lines[:n], unanswered...)
			o := s.run(t, &Script{Source: script, Replay: &Replay{Begin: begin2026.UnixNano(), CPUs: 48}}, nil)
			if o.Status != OK || s.used != len(s.lines) {
				t.Errorf("%d of %d answers were used: %s\n%s", s.used, len(s.lines), said(o), script)
			}
		})
	}
}

func TestAnUncertainCallIsTold(t *testing.T) {
	t.Parallel()
	uncertain := func(context.Context, *Call) (*Answer, error) {
		return nil, &CallError{Code: bridge.CodeUncertain, Err: errors.New("the connection was lost")}
	}
	other := func(context.Context, *Call) (*Answer, error) {
		return nil, &CallError{Code: "other", Err: errors.New("the connection was lost")}
	}
	for _, c := range []struct {
		script, want string
		world        func(context.Context, *Call) (*Answer, error)
	}{
		{`_, err := shop.List()
			var u *UncertainError
			var failed *ToolError
			fmt.Println(errors.As(err, &u), u.Tool, u.Message, err, errors.As(err, &failed))
			switch err.(type) {
			case *UncertainError:
				fmt.Println("uncertain")
			}`, "true shop.list the connection was lost shop.list: the connection was lost false\nuncertain", uncertain},
		{`_, err := shop.List()
			var u *UncertainError
			fmt.Println(errors.As(err, &u), err)`, "false shop.list: the connection was lost", other},
		{`type UncertainError struct{ error }
			_, err := shop.List()
			var u *UncertainError
			fmt.Println(errors.As(err, &u), err)`, "false shop.list: the connection was lost", uncertain},
		{`_, err := RunScript("a", nil)
			var u *UncertainError
			fmt.Println(errors.As(err, &u), err)`, "true RunScript(\"a\"): RunScript: the connection was lost", uncertain},
	} {
		live := resume(nil)
		live.live, live.world = true, c.world
		o, err := Run(t.Context(), &Script{Source: c.script}, live, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(c.want, said(o)); diff != "" {
			t.Error(diff)
		}
		again := resume(nil)
		again.world = c.world
		if diff := gocmp.Diff(c.want, said(again.run(t, &Script{Source: c.script}, nil))); diff != "" {
			t.Errorf("resumed: %s", diff)
		}
	}
}

// needing notes what a script needs.
type needing struct {
	shop
	needs *Needs
}

func (n *needing) Resolve(ctx context.Context, needs *Needs) (*Tools, bool, error) {
	n.needs = needs
	return n.shop.Resolve(ctx, needs)
}

func TestAScriptThatNamesUncertainErrorSaysSo(t *testing.T) {
	for script, want := range map[string]bool{
		"_, err := shop.List()\nvar u *UncertainError\nfmt.Println(errors.As(err, &u))":                                                                true,
		"// UncertainError\nfmt.Println(\"UncertainError\")":                                                                                           false,
		"type UncertainError struct{}\nfmt.Println(UncertainError{})":                                                                                  false,
		"-- a.go --\npackage main\n\nfunc main() { f(&UncertainError{}) }\n-- b.go --\npackage main\n\nfunc f(error) {}":                               true,
		"-- a.go --\npackage main\n\nfunc main() { f(&UncertainError{}) }\n-- b.go --\npackage main\n\ntype UncertainError struct{}\n\nfunc f(any) {}": false,
	} {
		n := &needing{}
		if o, err := Run(t.Context(), &Script{Source: script}, n, nil); err != nil || o.Status != OK {
			t.Fatalf("%s: %v %s", script, err, said(o))
		}
		if n.needs.Uncertain != want {
			t.Errorf("%v, want %v: %s", n.needs.Uncertain, want, script)
		}
	}
}

// BenchmarkResume is a script that becomes live after 100 answered calls.
func BenchmarkResume(b *testing.B) {
	for name, script := range map[string]string{
		"sequential": "for i := range 101 { shop.Buy(shop.BuyParams{What: i}) }",
		"parallel":   "var wg sync.WaitGroup\nfor i := range 101 { wg.Go(func() { shop.Buy(shop.BuyParams{What: i}) }) }\nwg.Wait()",
	} {
		b.Run(name, func(b *testing.B) {
			recorded := simulate(1)
			if o, err := Run(b.Context(), &Script{Source: script, Replay: &Replay{Begin: begin2026.UnixNano()}}, recorded, nil); err != nil || o.Status != OK {
				b.Fatal(err, said(o))
			}
			lines := slices.Clone(recorded.lines[:100])
			run := 0.0
			for b.Loop() {
				s := resume(lines)
				s.quick = true
				o := s.run(b, &Script{Source: script}, nil)
				if o.Status != OK || !s.live {
					b.Fatal(said(o))
				}
				run += o.Timing.Run
			}
			b.ReportMetric(run/float64(b.N), "ms-running/op")
		})
	}
}
