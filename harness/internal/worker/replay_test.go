package worker

import (
	"bytes"
	"cmp"
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

	gocmp "github.com/google/go-cmp/cmp"
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
	decide func(s *stage, next time.Time) (advance bool, err error)
	arrive func(s *stage, h *held)

	now      time.Time
	open     []*held
	coming   int // answers that were released
	lines    []line
	used     int
	asked    int
	readings []Reading
	lost     bool
	alone    int
}

func (s *stage) Clock(read []Reading, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readings, s.lost = append(s.readings, read...), s.lost || lost
}

func (s *stage) Call(ctx context.Context, c *Call) (*Answer, error) {
	h := &held{Call: c, release: make(chan *Answer, 1)}
	s.mu.Lock()
	s.open = append(s.open, h)
	s.asked++
	if c.Alone {
		s.alone++
	}
	s.arrive(s, h)
	s.mu.Unlock()
	select {
	case a := <-h.release:
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *stage) Still(ctx context.Context, next time.Time, waiting int) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.asked < waiting+s.released() { // a call whose frame has come and which has not
		s.mu.Unlock()
		if ctx.Err() != nil {
			s.mu.Lock()
			return false, ctx.Err()
		}
		s.mu.Lock()
	}
	if len(s.open) < waiting {
		return false, nil // an answer is on its way
	}
	advance, err := s.decide(s, next)
	if advance && next.After(s.now) {
		s.now = next
	}
	return advance, err
}

func (s *stage) released() int { return s.asked - len(s.open) }

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
		decide: func(s *stage, next time.Time) (bool, error) {
			var first *held
			for _, h := range s.open {
				if first == nil || h.due.Before(first.due) {
					first = h
				}
			}
			if first == nil || !next.IsZero() && next.Before(first.due) {
				return true, nil
			}
			l := lineOf(first.Call)
			l.text, l.at = fmt.Sprint("answer ", len(s.lines)), first.due
			s.lines = append(s.lines, l)
			s.give(first, l)
			return false, nil
		},
	}
}

// repeat answers in the order of a record.
func repeat(lines []line) *stage {
	return &stage{
		lines: lines,
		now:   begin2026,
		arrive: func(s *stage, h *held) {
			taken := map[int]bool{}
			for _, o := range s.open {
				if o != h && o.line >= 0 {
					taken[o.line] = true
				}
			}
			h.line = -1
			for i := s.used; i < len(s.lines); i++ {
				l := s.lines[i]
				l.text, l.at = "", time.Time{}
				if !taken[i] && l == lineOf(h.Call) {
					h.line = i
					return
				}
			}
		},
		decide: func(s *stage, next time.Time) (bool, error) {
			if s.used < len(s.lines) {
				l := s.lines[s.used]
				i := slices.IndexFunc(s.open, func(h *held) bool { return h.line == s.used })
				if i >= 0 && (next.IsZero() || l.at.Before(next)) {
					s.used++
					s.give(s.open[i], l)
					return false, nil
				}
			}
			if !next.IsZero() {
				return true, nil
			}
			return false, fmt.Errorf("%d calls wait, %d of %d answers are used", len(s.open), s.used, len(s.lines))
		},
	}
}

func (s *stage) replay(t *testing.T, source string, readings []Reading) *Outcome {
	t.Helper()
	byPath := map[string][]int64{}
	for _, r := range readings {
		byPath[r.Path] = append(byPath[r.Path], r.Time)
	}
	o, err := Run(t.Context(), &Script{Source: source, Replay: &Replay{Begin: begin2026.UnixNano(), Readings: byPath}}, s, nil)
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
		fmt.Println(time.Since(begin) >= time.Hour, time.Now().UTC().Format(time.DateTime), time.Now().Location())`,
		"true 2026-01-02 04:04:05 Local"},
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
		fmt.Println(n > 1000)`, "true"},
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

var _ = bytes.NewReader
var _ = errors.New
var _ = sync.OnceFunc
