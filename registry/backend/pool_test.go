package backend_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry/backend"
)

// fake is a backend whose calls run f.
type fake struct {
	f      func(ctx context.Context, req *backend.Request) error
	done   chan struct{} // see Done
	closed atomic.Int32
}

func (b *fake) List(context.Context) (*backend.Listing, error) { return &backend.Listing{}, nil }

func (b *fake) Call(ctx context.Context, req *backend.Request) (*backend.Result, error) {
	if b.f != nil {
		if err := b.f(ctx, req); err != nil {
			return nil, err
		}
	}
	return &backend.Result{}, nil
}

func (b *fake) Done() <-chan struct{} { return b.done }

func (b *fake) Close() error {
	b.closed.Add(1)
	return nil
}

// dialer counts connections and hands out fakes.
type dialer struct {
	mu    sync.Mutex
	dials []string
	made  []*fake
	next  func(n int) (*fake, error) // nil: a fake that works
}

func (d *dialer) dial(_ context.Context, server string) (backend.Backend, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dials = append(d.dials, server)
	b := &fake{}
	if d.next != nil {
		var err error
		if b, err = d.next(len(d.dials)); err != nil {
			return nil, err
		}
	}
	d.made = append(d.made, b)
	return b, nil
}

func (d *dialer) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.dials)
}

// pass lets the clock of a synctest bubble go on; no real time passes.
func pass(d time.Duration) { <-time.After(d) }

func pool(t *testing.T, d *dialer, o *backend.PoolOptions) *backend.Pool {
	p := backend.NewPool(d.dial, o)
	t.Cleanup(func() { p.Close() })
	return p
}

func TestPoolConnectsOncePerServerAndOnlyWhenNeeded(t *testing.T) {
	d := &dialer{}
	p := pool(t, d, nil)
	if d.count() != 0 {
		t.Error("connected before the first call")
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, err := p.Call(context.Background(), fmt.Sprint("s", i%2), &backend.Request{Tool: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if d.count() != 2 {
		t.Errorf("%d connections for 2 servers", d.count())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for _, b := range d.made {
		if b.closed.Load() != 1 {
			t.Errorf("closed %d times", b.closed.Load())
		}
	}
	if _, err := p.Call(t.Context(), "s0", &backend.Request{Tool: "x"}); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
}

func TestPoolLetsNoMoreCallsRunThanAllowedInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		var mu sync.Mutex
		var order []string
		d := &dialer{next: func(int) (*fake, error) {
			return &fake{f: func(_ context.Context, req *backend.Request) error {
				if n := running.Add(1); n > most.Load() {
					most.Store(n)
				}
				mu.Lock()
				order = append(order, req.Tool)
				mu.Unlock()
				pass(time.Second)
				running.Add(-1)
				return nil
			}}, nil
		}}
		p := pool(t, d, &backend.PoolOptions{Concurrency: func(string) int { return 1 }})
		var want []string
		for i := range 64 {
			want = append(want, fmt.Sprint(i))
			go p.Call(context.Background(), "s", &backend.Request{Tool: fmt.Sprint(i)})
			synctest.Wait() // each queues before the next
		}
		pass(time.Minute * 2)
		synctest.Wait()
		if most.Load() != 1 || !cmp.Equal(want, order) {
			t.Errorf("%d at a time, order %v", most.Load(), order)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		go p.Call(context.Background(), "s", &backend.Request{Tool: "long"})
		synctest.Wait()
		if _, err := p.Call(ctx, "s", &backend.Request{Tool: "x"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting call: %v, want its deadline", err)
		}
		pass(time.Second)
	})
}

// A tenant with many slow calls leaves places to others, and has its turn behind
// those who have fewer; alone and told to share with nobody it has all.
func TestNoTenantTakesAllPlacesOfAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialer{}
		begun := map[string]int{}
		var mu sync.Mutex
		count := func(tool string) int {
			mu.Lock()
			defer mu.Unlock()
			return begun[tool]
		}
		d.next = func(int) (*fake, error) {
			return &fake{f: func(ctx context.Context, req *backend.Request) error {
				mu.Lock()
				begun[req.Tool]++
				mu.Unlock()
				select {
				case <-time.After(time.Minute):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}}, nil
		}
		for name, x := range map[string]struct {
			shares bool
			max    int
			want   [3]int // calls of alice; of bob at once; of bob after alice's end
		}{
			"sharing":     {true, 8, [3]int{6, 2, 6}},
			"alone":       {false, 8, [3]int{8, 0, 8}},
			"sharing two": {true, 2, [3]int{1, 1, 1}},
			"sharing one": {true, 1, [3]int{1, 0, 1}},
		} {
			mu.Lock()
			clear(begun)
			mu.Unlock()
			p := pool(t, d, &backend.PoolOptions{Concurrency: func(string) int { return x.max }})
			ctx, cancel := context.WithCancel(t.Context())
			call := func(who string, n int) {
				for range n {
					go p.Call(ctx, "s", &backend.Request{Tool: who, Tenant: who, Shares: x.shares})
				}
				synctest.Wait()
			}
			call("alice", 30)
			call("bob", 10)
			if got := [2]int{count("alice"), count("bob")}; got != [2]int{x.want[0], x.want[1]} {
				t.Errorf("%s: %v calls, want %v", name, got, x.want)
			}
			time.Sleep(time.Minute + time.Second) // the first have ended
			synctest.Wait()
			if got := count("bob") - x.want[1]; got < x.max/2 || got > x.want[2] {
				t.Errorf("%s: then %d calls of bob, want %d to %d", name, got, x.max/2, x.want[2])
			}
			cancel()
			synctest.Wait()
			after, end := context.WithCancel(t.Context())
			n := count("carol")
			go p.Call(after, "s", &backend.Request{Tool: "carol", Tenant: "carol", Shares: x.shares})
			synctest.Wait()
			if count("carol") != n+1 {
				t.Errorf("%s: canceled calls keep places", name)
			}
			end()
			synctest.Wait()
		}
	})
}

func TestPoolRestartsADeadServerAtOnceThenWithPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialer{next: func(int) (*fake, error) {
			return &fake{f: func(_ context.Context, req *backend.Request) error {
				if req.Tool == "crash" {
					return fmt.Errorf("server %q: %w", "s", backend.ErrDisconnected)
				}
				return nil
			}}, nil
		}}
		p := pool(t, d, nil)
		try := func(tool string) error {
			_, err := p.Call(t.Context(), "s", &backend.Request{Tool: tool})
			return err
		}
		if err := try("crash"); !errors.Is(err, backend.ErrDisconnected) || d.count() != 1 {
			t.Fatalf("first call: %v after %d starts", err, d.count())
		}
		if err := try("ok"); err != nil || d.count() != 2 {
			t.Fatalf("after a crash: %v after %d starts, want a restart at once", err, d.count())
		}
		synctest.Wait()
		if n := d.made[0].closed.Load(); n != 1 {
			t.Errorf("the dead connection was closed %d times", n)
		}
		// Crashing again and again costs pauses of 0.5, 1, 2 … 30 s.
		try("crash")
		try("crash")
		if err := try("ok"); !errors.Is(err, backend.ErrDisconnected) ||
			!strings.Contains(err.Error(), "next attempt in 500ms") {
			t.Errorf("after two crashes: %v, want the last error and when it is tried again", err)
		}
		pass(600 * time.Millisecond)
		if err := try("ok"); err != nil {
			t.Errorf("after the pause: %v", err)
		}
		for range 20 {
			try("crash")
			pass(31 * time.Second)
		}
		if err := try("ok"); err != nil {
			t.Errorf("31 s after the 20th crash: %v, want no longer pause than 30 s", err)
		}
	})
}

func TestPoolDoesNotHammerAServerThatCannotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New(`server "s": exited at start`)
		d := &dialer{next: func(n int) (*fake, error) {
			if n < 3 {
				return nil, broken
			}
			return &fake{}, nil
		}}
		p := pool(t, d, nil)
		for range 10 {
			if _, err := p.Call(t.Context(), "s", &backend.Request{Tool: "x"}); !errors.Is(err, broken) {
				t.Errorf("error %v", err)
			}
		}
		if d.count() != 1 {
			t.Errorf("started %d times in a row", d.count())
		}
		pass(500 * time.Millisecond)
		p.Call(t.Context(), "s", &backend.Request{Tool: "x"})
		pass(time.Second)
		if _, err := p.Call(t.Context(), "s", &backend.Request{Tool: "x"}); err != nil || d.count() != 3 {
			t.Errorf("error %v after %d starts", err, d.count())
		}
	})
}

func TestPoolNoticesADeathBetweenCalls(t *testing.T) {
	d := &dialer{next: func(int) (*fake, error) { return &fake{done: make(chan struct{})}, nil }}
	p := pool(t, d, nil)
	for range 2 {
		if _, err := p.Call(t.Context(), "s", &backend.Request{Tool: "x"}); err != nil {
			t.Fatal(err)
		}
		close(d.made[len(d.made)-1].done)
	}
	if d.count() != 2 {
		t.Errorf("%d connections, want a new one after the death", d.count())
	}
}

func TestOneCallersDeadlineDoesNotEndTheStartForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialer{}
		p := backend.NewPool(func(ctx context.Context, s string) (backend.Backend, error) {
			pass(5 * time.Second)
			return d.dial(ctx, s)
		}, nil)
		defer p.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.Call(ctx, "s", &backend.Request{Tool: "x"}); !errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), `connecting to server "s"`) {
			t.Errorf("impatient call: %v", err)
		}
		if _, err := p.Connect(t.Context(), "s"); err != nil || d.count() != 1 {
			t.Errorf("patient call: %v after %d starts", err, d.count())
		}
	})
}

func TestClosingAPoolEndsAStartUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := backend.NewPool(func(ctx context.Context, _ string) (backend.Backend, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, nil)
		failed := make(chan error, 1)
		go func() {
			_, err := p.Call(context.Background(), "s", &backend.Request{Tool: "x"})
			failed <- err
		}()
		synctest.Wait()
		p.Close()
		if err := <-failed; err == nil {
			t.Error("the call went well")
		}
	})
}

func TestPoolServes64CallsAtOnceInTheirOrderAndLosesNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		d := &dialer{next: func(int) (*fake, error) {
			return &fake{f: func(_ context.Context, req *backend.Request) error {
				mu.Lock()
				order = append(order, req.Tool)
				mu.Unlock()
				pass(time.Second)
				return nil
			}}, nil
		}}
		p := pool(t, d, &backend.PoolOptions{Concurrency: func(string) int { return 1 }})
		var want []string
		var wg sync.WaitGroup
		for i := range 64 {
			want = append(want, fmt.Sprint(i))
			wg.Go(func() {
				if _, err := p.Call(t.Context(), "s", &backend.Request{Tool: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // it waits in line before the next one comes
		}
		wg.Wait()
		if d := cmp.Diff(want, order); d != "" {
			t.Errorf("order of the calls (-came +served):\n%s", d)
		}
	})
}

func TestAPoolTakesOverTheConnectionsThatStayTheSame(t *testing.T) {
	d := &dialer{}
	old, next := pool(t, d, nil), pool(t, d, nil)
	for _, name := range []string{"same", "other"} {
		if _, err := old.Call(t.Context(), name, &backend.Request{Tool: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	next.Adopt(old, func(server string) bool { return server == "same" })
	if _, err := next.Call(t.Context(), "same", &backend.Request{Tool: "x"}); err != nil || d.count() != 2 {
		t.Errorf("%v after %d connections", err, d.count())
	}
	old.Close()
	if a, b := d.made[0].closed.Load(), d.made[1].closed.Load(); a != 0 || b != 1 {
		t.Errorf("closed %d and %d times", a, b)
	}
	if _, err := next.Call(t.Context(), "same", &backend.Request{Tool: "x"}); err != nil || d.count() != 2 {
		t.Errorf("%v after %d connections", err, d.count())
	}
	next.Close()
	if a := d.made[0].closed.Load(); a != 1 {
		t.Errorf("closed %d times", a)
	}
}

func TestARestingServerStartsWithItsNextCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialer{}
		var hurried []string
		p := backend.NewPool(d.dial, &backend.PoolOptions{Hurry: func(servers ...string) {
			hurried = append(hurried,
				servers...)
		}})
		defer p.Close()
		if err := p.Ready(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		p.Rest("s")
		p.Rest("stranger")
		synctest.Wait()
		if d.made[0].closed.Load() != 1 {
			t.Error("it is still there")
		}
		if err := p.Ready(t.Context(), "s"); err != nil || d.count() != 2 || !cmp.Equal(hurried, []string{"s", "s"}) {
			t.Errorf("%v after %d connections, hurried %q", err, d.count(), hurried)
		}
	})
}

// effect is a call that may change something.
func effect(tool string) *backend.Request {
	return &backend.Request{Tool: tool, Send: &backend.Send{Effect: true}}
}

func TestAPoolIsDrainedOfCallsThatMayChangeSomething(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end, ended := make(chan struct{}), make(chan error, 3)
		d := &dialer{next: func(int) (*fake, error) {
			return &fake{f: func(ctx context.Context, req *backend.Request) error {
				if req.Tool == "read" {
					<-ctx.Done()
					return ctx.Err()
				}
				<-end
				return nil
			}}, nil
		}}
		p := pool(t, d, nil)
		req := effect("effect")
		go func() {
			_, err := p.Call(t.Context(), "s", req)
			ended <- err
		}()
		read, cancel := context.WithCancel(t.Context())
		go p.Call(read, "s", &backend.Request{Tool: "read"})
		synctest.Wait()

		soon, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := p.Drain(soon); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "for 1 effect calls") {
			t.Errorf("error %v", err)
		}
		if _, err := p.Call(t.Context(), "s", effect("effect")); !errors.Is(err, backend.ErrClosed) ||
			err.Error() != "not sent: backend is closed" {
			t.Errorf("a call that began too late: %v", err)
		}
		drained := make(chan error, 2)
		for range 2 {
			go func() { drained <- p.Drain(t.Context()) }()
		}
		synctest.Wait()
		if len(drained) > 0 || len(ended) > 0 {
			t.Error("it did not wait")
		}
		close(end)
		if err := errors.Join(<-drained, <-drained, <-ended, p.Drain(t.Context())); err != nil || req.Send.Outcome(nil) !=
			backend.Answered {
			t.Error(err)
		}
		cancel()
	})
}

// A call that loses its connection does not end the others over it.
func TestALostConnectionIsClosedAfterItsLastCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end, ended := make(chan struct{}), make(chan error, 1)
		d := &dialer{next: func(int) (*fake, error) {
			return &fake{f: func(_ context.Context, req *backend.Request) error {
				if req.Tool == "lost" {
					return fmt.Errorf("calling: %w", backend.ErrDisconnected)
				}
				<-end
				return nil
			}}, nil
		}}
		p := pool(t, d, nil)
		go func() {
			_, err := p.Call(t.Context(), "s", &backend.Request{Tool: "long"})
			ended <- err
		}()
		synctest.Wait()
		if _, err := p.Call(t.Context(), "s", &backend.Request{Tool: "lost"}); !errors.Is(err, backend.ErrDisconnected) {
			t.Error(err)
		}
		if _, err := p.Connect(t.Context(), "s"); err != nil || d.count() != 2 {
			t.Errorf("error %v, %d connections", err, d.count())
		}
		synctest.Wait()
		if d.made[0].closed.Load() != 0 {
			t.Error("closed with a call under way")
		}
		close(end)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if d.made[0].closed.Load() != 1 || d.made[1].closed.Load() != 0 {
			t.Error("not closed after its last call")
		}
	})
}

// What is known of a call that may change something is said in words.
func TestErrorsSayWhatBecameOfACall(t *testing.T) {
	fail := error(nil)
	begin := true
	d := &dialer{next: func(int) (*fake, error) {
		return &fake{f: func(ctx context.Context, req *backend.Request) error {
			if begin {
				req.Send.Begin(ctx)
			}
			return fail
		}}, nil
	}}
	p := pool(t, d, nil)
	for _, tc := range []struct {
		err  error
		sent bool
		want string
	}{
		{errors.New("no route"), false, "not sent: no route"},
		{&backend.OutcomeError{Outcome: backend.NotSent, Err: errors.New("disk full")}, true, "not sent: disk full"},
		{context.DeadlineExceeded, true, "outcome unknown: context deadline exceeded"},
		{&backend.OutcomeError{Outcome: backend.Unread, Err: errors.New("too long")}, true,
			"it was executed, but its answer is unreadable: too long"},
		{&backend.RefusedError{Server: "s", Tool: "t", Message: "no"}, true, `server "s" refused "t": no (code 0)`},
		{&backend.InputRequiredError{}, true, "the server asks for input: "},
	} {
		fail, begin = tc.err, tc.sent
		if _, err := p.Call(t.Context(), "s", effect("t")); err == nil || err.Error() != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("error %v, want %s", err, tc.want)
		}
		if _, err := p.Call(t.Context(), "s", &backend.Request{Tool: "t"}); err != tc.err {
			t.Errorf("a read: error %v, want %v", err, tc.err)
		}
	}
	d.next = func(int) (*fake, error) { return nil, errors.New("no such program") }
	if _, err := p.Call(t.Context(), "other", effect("t")); err == nil || err.Error() != "not sent: no such program" {
		t.Errorf("error %v", err)
	}
}
