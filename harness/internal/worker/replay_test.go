package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/exec"
)

// line is a call and its answer, as a record keeps them.
type line struct {
	path, place, tool, args string
	text                    string // of the answer
	at                      time.Time
}

// begin is when the runs of these tests began.
var begin2026 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// held is a call that has no answer yet.
type held struct {
	*Call
	release chan *Answer
	due     time.Time // in a simulated run
	line    int       // in a repeated one; -1: none that is left
}

// stage is a Host of replays. It holds all calls, and decides in Still.
type stage struct {
	shop
	decide func(s *stage, next time.Time) (Next, error)
	arrive func(s *stage, h *held)

	now      time.Time
	open     []*held
	lines    []line
	used     int
	asked    int
	readings []Reading
	lost     bool
	quick    bool // calls that are alone are answered at once
}

func (s *stage) Clock(read []Reading, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readings, s.lost = append(s.readings, read...), s.lost || lost
}

func (s *stage) Call(ctx context.Context, c *Call) (*Answer, error) {
	h := &held{Call: c, release: make(chan *Answer, 1), line: -1}
	s.mu.Lock()
	s.open = append(s.open, h)
	s.asked++
	if s.arrive(s, h); s.quick && c.Alone {
		s.decide(s, time.Time{})
	}
	s.mu.Unlock()
	select {
	case a := <-h.release:
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *stage) Still(ctx context.Context, next time.Time, waiting, answered int) (Next, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.asked < waiting+answered && ctx.Err() == nil { // a call is on its way
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
	}
	if s.asked-len(s.open) > answered { // an answer is on its way
		return Await, nil
	}
	what, err := s.decide(s, next)
	if what == Advance && next.After(s.now) {
		s.now = next
	}
	return what, err
}

// give answers a call.
func (s *stage) give(h *held, l line) {
	s.open = slices.DeleteFunc(s.open, func(o *held) bool { return o == h })
	if l.at.After(s.now) {
		s.now = l.at
	}
	raw, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": l.text}}, "structuredContent": map[string]any{}})
	if err != nil {
		panic(err)
	}
	h.release <- &Answer{Result: raw, At: l.at}
}

func lineOf(c *Call) line {
	return line{path: c.Path, place: c.Place, tool: c.Tool, args: string(c.Args)}
}

// simulate is a run in which each call takes a random time.
func simulate(seed uint64) *stage {
	r := rand.New(rand.NewPCG(seed, 0))
	return &stage{
		now: begin2026,
		arrive: func(s *stage, h *held) {
			h.due = s.now.Add(time.Duration(r.Int64N(int64(2*time.Second))) | 1)
		},
		decide: func(s *stage, next time.Time) (Next, error) {
			var first *held
			for _, h := range s.open {
				if first == nil || h.due.Before(first.due) {
					first = h
				}
			}
			if first == nil || !next.IsZero() && next.Before(first.due) {
				return Advance, nil
			}
			l := lineOf(first.Call)
			l.text, l.at = fmt.Sprint("answer ", len(s.lines)), first.due
			s.lines = append(s.lines, l)
			s.give(first, l)
			return Await, nil
		},
	}
}

// What a call that is held has of a record: no line, or the one of a call that was
// not answered.
const (
	none  = -1
	never = -2
)

// repeat answers in the order of a record.
func repeat(lines []line, unanswered ...line) *stage {
	return &stage{
		lines: lines,
		now:   begin2026,
		arrive: func(s *stage, h *held) {
			if h.line = s.lineFor(h, false); h.line >= 0 {
				return
			}
			for i, l := range unanswered {
				if l == lineOf(h.Call) {
					h.line, unanswered = never, slices.Delete(unanswered, i, i+1)
					return
				}
			}
		},
		decide: func(s *stage, next time.Time) (Next, error) {
			turn := func(h *held) bool { return h.line == s.used }
			if !slices.ContainsFunc(s.open, turn) {
				for _, h := range s.open { // the job that another goroutine took
					if h.line == none {
						h.line = s.lineFor(h, true)
					}
				}
			}
			if i := slices.IndexFunc(s.open, turn); i >= 0 && (next.IsZero() || s.lines[s.used].at.Before(next)) {
				s.used++
				s.give(s.open[i], s.lines[s.used-1])
				return Await, nil
			}
			if !next.IsZero() {
				return Advance, nil
			}
			return Await, fmt.Errorf("%d calls wait, %d of %d answers are used", len(s.open), s.used, len(s.lines))
		},
	}
}

// lineFor is the first line of a record that is like a call and that no call has; of
// any path, or of the call's.
func (s *stage) lineFor(h *held, anyPath bool) int {
	for i := s.used; i < len(s.lines); i++ {
		l := s.lines[i]
		l.text, l.at = "", time.Time{}
		if anyPath {
			l.path = h.Path
		}
		if l == lineOf(h.Call) && !slices.ContainsFunc(s.open, func(o *held) bool { return o != h && o.line == i }) {
			return i
		}
	}
	return none
}

func (s *stage) replay(t *testing.T, source string, readings []Reading) *Outcome {
	t.Helper()
	byPath := map[string][]int64{}
	for _, r := range readings {
		byPath[r.Path] = append(byPath[r.Path], r.Time)
	}
	o, err := Run(t.Context(), &Script{Source: source, Replay: &Replay{Begin: begin2026.UnixNano(), Readings: byPath, CPUs: 48}}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// said is what a run came to.
func said(o *Outcome) string {
	var errs []string
	for _, e := range o.Errors {
		errs = append(errs, e.Message)
	}
	return strings.TrimSpace(fmt.Sprintf("%s%s\n%s%s", o.Stdout, o.Value, cmp.Or(strings.TrimPrefix(string(o.Status), "ok"), ""),
		strings.TrimPrefix(": "+o.Message+strings.Join(errs, "\n"), ": ")))
}

// clockwork are scripts in which only time passes, and what they print.
var clockwork = map[string]struct{ script, want string }{
	"an hour": {`
		begin := time.Now()
		time.Sleep(time.Hour)
		fmt.Println(time.Since(begin) >= time.Hour, time.Now().UTC().Format(time.DateTime), time.Now().Location() == time.Local)`,
		"true 2026-01-02 04:04:05 true"},
	"asleep in order": {`
		var wg sync.WaitGroup
		for _, n := range []int{5, 3, 9, 1} {
			wg.Go(func() {
				time.Sleep(time.Duration(n) * time.Minute)
				fmt.Println(n)
			})
		}
		wg.Wait()`, "1\n3\n5\n9"},
	"a ticker": {`
		t := time.NewTicker(10 * time.Minute)
		n := 0
		for x := range t.C {
			fmt.Println(x.UTC().Format(time.TimeOnly))
			if n++; n == 2 {
				t.Reset(time.Hour)
			}
			if n == 4 {
				t.Stop()
				break
			}
		}
		select {
		case <-t.C:
			fmt.Println("ticks")
		case <-time.After(24 * time.Hour):
			fmt.Println("stopped")
		}`, "03:14:05\n03:24:05\n04:24:05\n05:24:05\nstopped"},
	"ticks that nobody took": {`
		t := time.Tick(time.Second)
		time.Sleep(10*time.Second + time.Millisecond)
		fmt.Println((<-t).UTC().Format(time.TimeOnly), (<-t).UTC().Format(time.TimeOnly))`, "03:04:06 03:04:16"},
	"a timer stopped and set again": {`
		t := time.NewTimer(time.Minute)
		fmt.Println(t.Stop(), t.Stop(), t.Reset(time.Second))
		fmt.Println((<-t.C).UTC().Format(time.TimeOnly), t.Stop())
		t.Reset(time.Second)
		time.Sleep(2 * time.Second)
		fmt.Println(t.Reset(time.Minute), len(t.C))
		fmt.Println((<-t.C).UTC().Format(time.TimeOnly))`, "true false false\n03:04:06 false\ntrue 0\n03:05:08"},
	"functions": {`
		done := make(chan string)
		begin := time.Now()
		late := func(s string) func() { return func() { done <- fmt.Sprint(s, time.Since(begin).Truncate(time.Second)) } }
		time.AfterFunc(time.Minute, late("b"))
		a := time.AfterFunc(time.Hour, late("a"))
		fmt.Println(a.Reset(time.Second))
		never := time.AfterFunc(time.Millisecond, late("never"))
		fmt.Println(never.Stop())
		fmt.Println(<-done, <-done)
		a.Reset(time.Minute)
		fmt.Println(<-done)`, "true\ntrue\na1s b1m0s\na2m0s"},
	"a context": {`
		boss := errors.New("boss")
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, boss)
		defer cancel()
		child, cancel2 := context.WithCancel(context.WithValue(ctx, "k", "v"))
		defer cancel2()
		later, cancel3 := context.WithTimeout(child, time.Hour)
		defer cancel3()
		sooner, cancel4 := context.WithDeadline(child, time.Now().Add(time.Second))
		defer cancel4()
		at, ok := later.Deadline()
		fmt.Println(at.UTC().Format(time.TimeOnly), ok, ctx.Err(), later.Value("k"))
		<-sooner.Done()
		fmt.Println(sooner.Err(), context.Cause(sooner), ctx.Err(), child.Err())
		<-later.Done()
		fmt.Println(time.Now().UTC().Format(time.TimeOnly))
		for _, c := range []context.Context{ctx, child, later} {
			fmt.Println(c.Err() == context.DeadlineExceeded, context.Cause(c))
		}`, "03:05:05 true <nil> v\ncontext deadline exceeded context deadline exceeded <nil> <nil>\n03:05:05\ntrue boss\ntrue boss\ntrue boss"},
	"a context that ends before": {`
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		child, cancel2 := context.WithTimeout(ctx, time.Second)
		defer cancel2()
		stop := context.AfterFunc(child, func() { fmt.Println("ended") })
		defer stop()
		cancel()
		fmt.Println(ctx.Err(), child.Err())
		past, cancel3 := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
		defer cancel3()
		fmt.Println(past.Err())
		time.Sleep(time.Hour)
		fmt.Println(child.Err())`, "context canceled context canceled\ncontext deadline exceeded\nended\ncontext canceled"},
	"a mutex and a condition": {`
		var mu sync.Mutex
		ready := sync.NewCond(&mu)
		n := 0
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				time.Sleep(time.Minute)
				fmt.Println(i < 3, time.Now().UTC().Format(time.TimeOnly))
				if n++; n == 3 {
					ready.Broadcast()
				}
			})
		}
		mu.Lock()
		for n < 3 {
			ready.Wait()
		}
		mu.Unlock()
		wg.Wait()`, "true 03:05:05\ntrue 03:06:05\ntrue 03:07:05"},
	"a loop that looks at its clock": {`
		end := time.Now().Add(50 * time.Millisecond)
		n := 0
		for time.Now().Before(end) {
			n++
		}
		fmt.Println(n > 100, n < 10_000)`, "true true"},
	"a goroutine that waits and never blocks": {`
		var woken atomic.Bool
		go func() {
			time.Sleep(time.Hour)
			woken.Store(true)
		}()
		for !woken.Load() {
			runtime.Gosched()
		}
		fmt.Println(time.Now().UTC().Format(time.TimeOnly))`, "04:04:05"},
	"an iterator": {`
		next, stop := iter.Pull(func(yield func(int) bool) {
			for i := 0; ; i++ {
				time.Sleep(time.Hour)
				if !yield(i) {
					return
				}
			}
		})
		defer stop()
		var wg sync.WaitGroup
		wg.Go(func() { time.Sleep(90 * time.Minute); fmt.Println("90 min") })
		for range 2 {
			fmt.Println(next())
		}
		wg.Wait()
		never := make(chan int)
		<-never`, "0 true\n90 min\n1 true\n\nscript_errorfatal error: all goroutines are asleep - deadlock!"},
	"processors": {`
		fmt.Println(runtime.NumCPU(), runtime.GOMAXPROCS(3), runtime.GOMAXPROCS(0))`, "48 48 3"},
	"a deadlock": {`
		time.AfterFunc(time.Hour, func() { fmt.Println("late") })
		t := time.NewTicker(time.Second)
		defer t.Stop()
		c := make(chan int)
		<-c`, "late\n\nscript_errorfatal error: all goroutines are asleep - deadlock!"},
	"no goroutine left": {`
		go func() { time.Sleep(time.Hour); fmt.Println("slept") }()
		runtime.Goexit()`, "slept\n\nscript_errorfatal error: no goroutines (main called runtime.Goexit) - deadlock!"},
	"a timer in an interface": {`
		var r interface{ Reset(time.Duration) bool } = time.NewTimer(time.Hour)
		fmt.Println(r.Reset(time.Minute))
		<-r.(*time.Timer).C
		fmt.Println(time.Now().UTC().Format(time.TimeOnly))`, "true\n03:05:05"},
	"a timer of a template": {`
		t := time.NewTimer(time.Hour)
		<-t.C
		set := template.Must(template.New("").Parse("{{.T.Reset .D}}"))
		fmt.Println(set.Execute(io.Discard, map[string]any{"T": t, "D": time.Millisecond}))
		<-t.C
		fmt.Println(time.Now().UTC().Format(time.TimeOnly))`, "<nil>\n04:04:05"},
}

func TestInAReplayTimeCostsNothing(t *testing.T) {
	for name, c := range clockwork {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := repeat(nil)
			o := s.replay(t, c.script, nil)
			if diff := gocmp.Diff(c.want, said(o)); diff != "" {
				t.Error(diff)
			}
			if len(s.readings) > 0 {
				t.Error("readings of a replay were noted")
			}
		})
	}
}

// withCalls are scripts that call tools meanwhile.
var withCalls = map[string]string{
	"polling": `
		for i := range 5 {
			r, err := shop.Buy(shop.BuyParams{What: "status"})
			if err != nil {
				panic(err)
			}
			fmt.Println(i, r.Text(), time.Now().UTC())
			time.Sleep(time.Hour)
		}`,
	"a call or a timer": `
		for i := range 8 {
			answer := make(chan string, 1)
			go func() {
				r, _ := shop.Buy(shop.BuyParams{What: i})
				answer <- r.Text()
			}()
			select {
			case a := <-answer:
				fmt.Println(i, a)
			case x := <-time.After(time.Second):
				fmt.Println(i, "late", x)
			}
		}`,
	"a call within a deadline": `
		for i := range 8 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			answer := make(chan string, 1)
			go func() {
				r, _ := shop.Buy(shop.BuyParams{What: i})
				select {
				case answer <- r.Text():
				case <-ctx.Done():
				}
			}()
			select {
			case a := <-answer:
				fmt.Println(i, a)
			case <-ctx.Done():
				fmt.Println(i, ctx.Err())
			}
			cancel()
		}`,
	"a pool": `
		type job struct{ n int; text string; at time.Time }
		jobs, results := make(chan int), make(chan job)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for n := range jobs {
					r, _ := shop.Buy(shop.BuyParams{What: n})
					time.Sleep(time.Duration(n) * 100 * time.Millisecond)
					results <- job{n, r.Text(), time.Now()}
				}
			})
		}
		go func() {
			for n := range 20 {
				jobs <- n
			}
			close(jobs)
			wg.Wait()
			close(results)
		}()
		for r := range results {
			fmt.Println(r)
		}`,
	"ticks during a call": `
		done := make(chan bool)
		go func() {
			for range 3 {
				shop.Buy(shop.BuyParams{What: "x"})
			}
			close(done)
		}()
		t := time.NewTicker(200 * time.Millisecond)
		defer t.Stop()
		for n := 0; ; n++ {
			select {
			case x := <-t.C:
				fmt.Println(n, x)
				if n%2 == 0 {
					go shop.Buy(shop.BuyParams{What: n})
				}
			case <-done:
				fmt.Println("done", time.Now())
				return
			}
		}`,
	"equal calls under a mutex": `
		var mu sync.Mutex
		total := ""
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				for range 3 {
					r, _ := shop.Buy(shop.BuyParams{What: "same"})
					mu.Lock()
					total += r.Text() + ";"
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		Return(total)`,
	"more calls at once than run live": `
		var wg sync.WaitGroup
		texts := make([]string, 100)
		for i := range texts {
			wg.Go(func() {
				r, _ := shop.Buy(shop.BuyParams{What: i})
				texts[i] = r.Text()
			})
		}
		wg.Wait()
		fmt.Println(texts)`,
	"retries that wait longer": `
		wait := time.Second
		begin := time.Now()
		for i := range 6 {
			r, _ := shop.Buy(shop.BuyParams{What: i})
			if strings.HasSuffix(r.Text(), "5") {
				break
			}
			timer := time.NewTimer(wait)
			<-timer.C
			wait *= 2
			fmt.Println(time.Since(begin).Round(time.Millisecond))
		}`,
}

func TestAReplayRepeatsWhatWasAnsweredWhen(t *testing.T) {
	for name, script := range withCalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range recordSeeds {
				same(t, script, seed)
			}
		})
	}
}

// same runs a script against a server that takes random times, and again from the
// record of that.
func same(t *testing.T, script string, seed uint64) {
	t.Helper()
	recorded := simulate(seed)
	first := recorded.replay(t, script, nil)
	if first.Status != OK {
		t.Fatal(said(first))
	}
	var unanswered []line
	for _, h := range recorded.open {
		unanswered = append(unanswered, lineOf(h.Call))
	}
	again := repeat(recorded.lines, unanswered...)
	second := again.replay(t, script, nil)
	if diff := gocmp.Diff(said(first), said(second)); diff != "" {
		t.Errorf("seed %d: %s", seed, diff)
	}
	if again.used != len(recorded.lines) {
		t.Errorf("seed %d: %d of %d answers were used", seed, again.used, len(recorded.lines))
	}
}

// live answers at once, and keeps what it answers.
func live() *stage {
	return &stage{arrive: func(s *stage, h *held) {
		l := lineOf(h.Call)
		l.text, l.at = fmt.Sprint("answer ", len(s.lines)), time.Now()
		s.lines = append(s.lines, l)
		s.give(h, l)
	}}
}

// clocked are scripts that print what their clock says.
var clocked = map[string]string{
	"readings": `
		begin := time.Now()
		fmt.Println(begin, time.Until(begin), begin == begin.Round(0), begin.Location())
		clock := time.Now
		for range 3 {
			fmt.Println(time.Since(begin), clock().Sub(begin), clock().After(begin))
		}`,
	"between calls": `
		for i := range 5 {
			begin := time.Now()
			shop.Buy(shop.BuyParams{What: i})
			fmt.Println(begin, time.Since(begin))
			time.Sleep(time.Millisecond)
		}`,
	"timers": `
		fmt.Println(<-time.After(time.Millisecond))
		t := time.NewTicker(time.Millisecond)
		for range 3 {
			x, ok := <-t.C
			fmt.Println(x, ok)
		}
		select {
		case x := <-t.C:
			fmt.Println(x)
		case <-time.After(time.Hour):
		}`,
	"times of the script's own": `
		c := make(chan time.Time, 2)
		c <- time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
		c <- time.Now().UTC()
		fmt.Println(<-c, <-c)
		close(c)
		x, ok := <-c
		fmt.Println(x, ok, time.Now())`,
	"goroutines": `
		var wg sync.WaitGroup
		spent := make([]time.Duration, 8)
		for i := range spent {
			wg.Go(func() {
				begin := time.Now()
				for range 10 {
					shop.Buy(shop.BuyParams{What: i})
				}
				spent[i] = time.Since(begin)
			})
		}
		wg.Wait()
		fmt.Println(spent)`,
}

func TestAReplayReadsTheClockOfItsRecord(t *testing.T) {
	for name, script := range clocked {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded := live()
			first, err := Run(t.Context(), &Script{Source: script, Clock: true}, recorded, nil)
			if err != nil {
				t.Fatal(err)
			}
			if first.Status != OK || recorded.lost {
				t.Fatal(said(first), recorded.lost)
			}
			second := repeat(recorded.lines).replay(t, script, recorded.readings)
			if diff := gocmp.Diff(said(first), said(second)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadingsAreBounded(t *testing.T) {
	s := live()
	o, err := Run(t.Context(), &Script{Clock: true, Source: `
		for range 10_000 {
			time.Now()
		}
		shop.List()
		for range 3 {
			go time.Now()
		}`}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != OK || len(s.readings) != exec.MaxReadings || !s.lost {
		t.Errorf("%s, %d readings, lost: %v", said(o), len(s.readings), s.lost)
	}
}

// The answers of a record come at the world's times, and the timers of a replay go
// off at times that count from when its script began: not the run, which was looking
// for tools and compiling first.
func TestAReplayBeginsWhenItsScriptDid(t *testing.T) {
	script := `
		go func() {
			shop.List()
			fmt.Println("answered")
		}()
		time.Sleep(time.Minute)
		fmt.Println("slept")`
	s := repeat([]line{{path: "2:3#1", place: "3:4", tool: "shop.list", args: "{}", at: begin2026.Add(90 * time.Second)}})
	o := s.replay(t, script, []Reading{{Time: begin2026.Add(time.Minute).UnixNano()}})
	if said(o) != "answered\nslept" {
		t.Error(said(o))
	}
}

func TestNoReadingsAreToldUnasked(t *testing.T) {
	s := live()
	o, err := Run(t.Context(), &Script{Source: "fmt.Println(time.Now() != time.Now().Round(0))"}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if said(o) != "true" || len(s.readings) > 0 || s.lost {
		t.Errorf("%s, %v", said(o), s.readings)
	}
	if o, err := Run(t.Context(), &Script{Clock: true, Source: "shop.List()"}, s, nil); err != nil || o.Status != OK || len(s.readings) > 0 {
		t.Errorf("%v, %s, %v", err, said(o), s.readings)
	}
}

func TestAReplayThatDivergesSaysSo(t *testing.T) {
	o := repeat(nil).replay(t, "shop.List()", nil)
	if o.Status != Diverged || o.Message != "1 calls wait, 0 of 0 answers are used" {
		t.Error(said(o))
	}
}

func TestAReplayEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	s := repeat(nil)
	s.decide = func(*stage, time.Time) (Next, error) { return Await, nil } // and no answer is on its way
	o, err := Run(t.Context(), &Script{Source: "shop.List()", Replay: &Replay{}, Limits: Limits{Timeout: 300 * time.Millisecond}}, s, nil)
	if err != nil || o.Status != Timeout {
		t.Errorf("%v, %s", err, said(o))
	}
}

func BenchmarkReplay(b *testing.B) {
	for name, script := range map[string]string{
		"calls":  "for i := range 100 { shop.Buy(shop.BuyParams{What: i}) }",
		"sleeps": "for i := range 100 { time.Sleep(time.Hour) }",
		"pool": `jobs := make(chan int)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for n := range jobs {
						shop.Buy(shop.BuyParams{What: n})
					}
				})
			}
			for n := range 100 {
				jobs <- n
			}
			close(jobs)
			wg.Wait()`,
	} {
		b.Run(name, func(b *testing.B) {
			recorded := simulate(1)
			if _, err := Run(b.Context(), &Script{Source: script, Replay: &Replay{Begin: begin2026.UnixNano()}}, recorded, nil); err != nil {
				b.Fatal(err)
			}
			run := 0.0
			for b.Loop() {
				s := repeat(recorded.lines)
				s.quick = true
				o, err := Run(b.Context(), &Script{Source: script, Replay: &Replay{Begin: begin2026.UnixNano()}}, s, nil)
				if err != nil || o.Status != OK {
					b.Fatal(err, said(o))
				}
				run += o.Timing.Run
			}
			b.ReportMetric(run/float64(b.N), "ms-running/op")
		})
	}
}
