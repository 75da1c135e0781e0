package harness

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever finds no room waits before the call is sent; small calls go on, and
// a result that is larger than its tool's were is refused where it has no room.
func TestCallsWaitForRoomOfTheirResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const mb = 1 << 20
		s := newResults(130*mb, time.Second)
		room, other := NewRoom(64*mb), NewRoom(64*mb)
		hold := func(r *Room, tool string) chan *held {
			c := make(chan *held, 1)
			go func() {
				h, err := s.hold(t.Context(), r, tool)
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				c <- h
			}()
			synctest.Wait()
			return c
		}
		waits := func(c chan *held) bool {
			synctest.Wait()
			return len(c) == 0
		}
		a, b := <-hold(room, "big"), <-hold(room, "big")
		third := hold(room, "big")
		if !waits(third) {
			t.Fatal("a third call of a tool that nobody knows is sent")
		}
		if err := errors.Join(a.come(30*mb), b.come(30*mb)); err != nil {
			t.Fatal(err)
		}
		if !waits(third) {
			t.Fatal("60 MB are under way in the session, and 48 more are let in")
		}
		elsewhere := hold(other, "big")
		if !waits(elsewhere) {
			t.Fatal("60 MB are under way in the process, and 97 more are let in")
		}
		for range 3 {
			small := <-hold(room, "small") // in nobody's way
			if err := small.come(100); err != nil {
				t.Fatal(err)
			}
			small.release()
		}
		if err := (<-hold(room, "small")).come(10 * mb); err == nil || !strings.Contains(err.Error(), "the tool was called, but its result of 10485760 bytes found no room") {
			t.Errorf("a result of 10 MB found room: %v", err)
		}
		a.release()
		b.release()
		one := third
		if waits(one) {
			one = elsewhere
		}
		c := <-one
		if c == nil || c.shares[0].bytes != 48*mb || c.shares[1].bytes != 130*mb-130*mb/4 {
			t.Fatalf("%+v", c)
		}
		c.release()
		if err := c.come(30 * mb); err != nil || c.shares[0].bytes != 0 { // after the end of its run
			t.Fatal(err, c.shares)
		}
		synctest.Wait()
		if third, elsewhere := len(third), len(elsewhere); third+elsewhere != 1 {
			t.Fatal("the other one still waits", third, elsewhere)
		}
		if one = third; len(one) == 0 {
			one = elsewhere
		}
		(<-one).release()

		// A tool that takes long does not keep its other calls waiting for ever.
		for range 2 {
			<-hold(other, "slow")
		}
		late := hold(other, "slow")
		if !waits(late) {
			t.Fatal("at once")
		}
		time.Sleep(time.Second)
		if waits(late) {
			t.Fatal("not after a second either")
		}

		// Who is canceled waits no longer, and one result alone has room.
		ctx, cancel := context.WithCancel(t.Context())
		tiny := NewRoom(1)
		if h, err := s.hold(ctx, tiny, "new"); err != nil || h.come(3*mb) != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := s.hold(ctx, tiny, "new"); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "waiting for room for its result, with 3 MB taken of 0") {
			t.Error(err)
		}
	})
}

var resultSize = flag.Int("resultsize", 2<<20, "bytes of each of the 64 results of TestLargeResultsUnderWayAreBounded")

// Four scripts with 16 calls at once whose results are large for their room:
// the results under way are bounded, and none is lost.
func TestLargeResultsUnderWayAreBounded(t *testing.T) {
	defer func(s *results) { underWay = s }(underWay)
	underWay = newResults(int64(*resultSize)*MaxRoom/(30<<20), time.Hour)
	big := text(strings.Repeat("x", *resultSize))
	var now, most atomic.Int64
	h, _ := harnessOver(notes(), func(context.Context, string, string, json.RawMessage) (string, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return strings.Clone(big), nil
	})
	defer h.Close()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew
	before := memoryOf("VmRSS:")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			res, err := h.Run(t.Context(), &Script{Results: NewRoom(underWay.all.max / 4), Limits: Limits{Timeout: 5 * time.Minute, Memory: 2 << 30}, Source: `var wg sync.WaitGroup
var n, failed atomic.Int64
for range 16 { wg.Go(func() {
	r, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"})
	if err != nil { failed.Add(1); return }
	n.Add(int64(len(r.Text())))
}) }
wg.Wait(); Return([]int64{n.Load(), failed.Load()})`})
			if want := fmt.Sprintf("[%d,0]", 16**resultSize); err != nil || string(res.Value) != want {
				t.Errorf("%v %s, want %s: %+v", err, res.Value, want, res.Error)
			}
		})
	}
	wg.Wait()
	if most.Load() > strangers {
		t.Errorf("%d calls at once, want at most %d", most.Load(), strangers)
	}
	t.Logf("%d calls at once; %d kB before, %d at most", most.Load(), before, memoryOf("VmHWM:"))
}

// memoryOf is a line of this process's status, in kB; 0 where it is not known.
func memoryOf(line string) (kb int) {
	b, _ := os.ReadFile("/proc/self/status")
	if _, rest, ok := strings.Cut(string(b), line); ok {
		fmt.Sscan(rest, &kb)
	}
	return kb
}
