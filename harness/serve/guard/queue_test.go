package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A session with many scripts does not delay the first of another one by more
// than the script that runs.
func TestSessionsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1, 100)
		first, err := q.Acquire(t.Context(), "greedy", "a")
		if err != nil {
			t.Fatal(err)
		}
		order := make(chan string, 100)
		wait := func(session string) {
			go func() {
				release, err := q.Acquire(t.Context(), session, "a")
				if err != nil {
					t.Error(err)
					return
				}
				order <- session
				release()
			}()
			synctest.Wait()
		}
		for range 10 {
			wait("greedy")
		}
		wait("modest")
		first()
		synctest.Wait()
		close(order)
		at := 0
		for i := 0; ; i++ {
			s, ok := <-order
			if !ok {
				break
			}
			if s == "modest" {
				at = i
			}
		}
		if at > 1 {
			t.Errorf("modest came after %d others", at)
		}
	})
}

func TestAFullQueueSendsAwayTheGreedy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1, 4)
		hold, err := q.Acquire(t.Context(), "greedy", "a")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		sent := make(chan error, 10)
		try := func(session string) {
			go func() {
				release, err := q.Acquire(ctx, session, "a")
				if err == nil {
					release()
				}
				sent <- err
			}()
			synctest.Wait()
		}
		for range 4 {
			try("greedy")
		}
		try("greedy") // one too many
		var busy *BusyError
		if err := <-sent; !errors.As(err, &busy) || !strings.Contains(busy.Why, " 4 wait") || busy.RetryAfter <= 0 {
			t.Fatal(err)
		}
		try("modest") // takes the place of one of them
		if err := <-sent; !errors.As(err, &busy) {
			t.Fatal(err)
		}
		cancel() // all that wait give up
		synctest.Wait()
		hold()
		if run, wait := q.Load(); run != 0 || wait != 0 {
			t.Error(run, wait)
		}
		if n := q.Close(0); n != 0 {
			t.Error(n)
		}
		if _, err := q.Acquire(t.Context(), "late", "a"); !errors.Is(err, ErrClosing) {
			t.Error(err)
		}
	})
}

// A tenant does not become more by opening sessions, neither in turns nor when
// the queue is full; its sessions are treated alike.
func TestManySessionsTakeNoMoreThanOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(2, 8)
		var running [2]func()
		for i := range running {
			running[i], _ = q.Acquire(t.Context(), "greedy", fmt.Sprint("r", i))
		}
		var mu sync.Mutex
		var log []string
		enter := func(tenant, session string) {
			go func() {
				release, err := q.Acquire(t.Context(), tenant, session)
				what := "runs"
				if err != nil {
					what = "busy"
				}
				mu.Lock()
				log = append(log, fmt.Sprint(session, " ", what))
				mu.Unlock()
				if err == nil {
					time.Sleep(time.Second)
					release()
				}
			}()
			synctest.Wait()
		}
		for i := range 8 {
			enter("greedy", fmt.Sprint("g", i))
		}
		enter("greedy", "g8")
		enter("modest", "m0")
		enter("modest", "m1")
		enter("third", "t0")
		enter("greedy", "g0")
		if d := cmp.Diff([]string{"g8 busy", "g7 busy", "g6 busy", "g5 busy", "g0 busy"}, log); d != "" {
			t.Fatal(d)
		}
		log = nil
		running[0]() // one by one from here on: greedy runs the other one
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if d := cmp.Diff([]string{"m0 runs", "t0 runs", "m1 runs", "g0 runs", "g1 runs", "g2 runs", "g3 runs", "g4 runs"},
			log); d != "" {
			t.Error(d)
		}
		running[1]()
		synctest.Wait()
		if run, wait := q.Load(); run != 0 || wait != 0 {
			t.Error(run, wait)
		}
	})
}

func TestMemoryIsCounted(t *testing.T) {
	if systemMemory() == 0 {
		t.Skip("how much memory there is is not known here")
	}
	if _, err := FitRuns(1_000_000, 2, 512<<20); err == nil {
		t.Error("half a petabyte fits")
	}
	if n, err := FitRuns(0, 0, 0); err != nil || n < 1 || n > DefaultMaxRuns {
		t.Error(n, err)
	}
}

// A run counts with the saved scripts that it may run: as much again.
func TestRunsFitWithWhatTheyRun(t *testing.T) {
	const mb, gb = 1 << 20, 1 << 30
	for _, c := range []struct {
		runs, spares int
		memory, have int64
		want         int
		says         string
	}{
		{0, 2, 512 * mb, 16 * gb, DefaultMaxRuns, ""},
		{0, 2, 512 * mb, 4 * gb, 3, ""},
		{0, 2, 512 * mb, gb / 2, 1, ""},
		{4, 2, 512 * mb, 4 * gb, 0, "-max-runs 3"},
		{3, 2, 512 * mb, 4 * gb, 3, ""},
		{1, 2, 512 * mb, gb, 1, ""},
		{4, 0, mb, gb, 4, ""},
		{5, 0, mb, gb, 0, "256 MB each"},
		{9, 9, mb, 0, 9, ""},
	} {
		n, err := fitRuns(c.runs, c.spares, c.memory, c.have)
		if n != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %d, %v", c, n, err)
		}
	}
}
