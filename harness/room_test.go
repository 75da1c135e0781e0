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
		room, other := NewRoom(64*mb, nil), NewRoom(64*mb, nil)
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
		if err := (<-hold(NewRoom(64*mb, nil), "known")).come(40 * mb); err != nil {
			t.Fatal(err)
		}
		elsewhere := hold(other, "big")
		if !waits(elsewhere) {
			t.Fatal("100 MB are under way in the process, and 48 more are let in")
		}
		for range 3 {
			small := <-hold(room, "small") // in nobody's way
			if err := small.come(100); err != nil {
				t.Fatal(err)
			}
			small.release()
		}
		if err := (<-hold(room, "small")).come(10 * mb); err == nil ||
			!strings.Contains(err.Error(), "the tool was called, but its result of 10485760 bytes found no room") {
			t.Errorf("a result of 10 MB found room: %v", err)
		}
		a.release()
		b.release()
		one := third
		if waits(one) {
			one = elsewhere
		}
		c := <-one
		if c == nil || c.own != 48*mb || c.shared != 65*mb-65*mb/4 {
			t.Fatalf("%+v", c)
		}
		c.release()
		if err := c.come(30 * mb); err != nil || c.own != 0 { // after the end of its run
			t.Fatal(err, c.own)
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
		tiny := NewRoom(1, nil)
		if h, err := s.hold(ctx, tiny, "new"); err != nil || h.come(3*mb) != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := s.hold(ctx, tiny, "new"); !errors.Is(err, context.Canceled) ||
			!strings.Contains(err.Error(), "waiting for room for its result, with 3 MB taken of 0") {
			t.Error(err)
		}
	})
}

// One tenant takes half of the room at most, with however many sessions and
// whatever its tools may give: calls of others find room at once. Where several
// have taken all, small calls go on, and who holds the least is next.
func TestATenantLeavesRoomToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const mb = 1 << 20
		s := newResults(256*mb, time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		hold := func(of *Tenant, tool string) chan *held {
			c := make(chan *held, 1)
			go func() {
				if h, err := s.hold(ctx, NewRoom(0, of), tool); err == nil { // each in a session of its own
					c <- h
				}
			}()
			synctest.Wait()
			return c
		}
		goes := func(what string, c chan *held) *held {
			t.Helper()
			if len(c) == 0 {
				t.Fatal(what, "waits")
			}
			return <-c
		}
		alice, bob, carol := &Tenant{}, &Tenant{}, &Tenant{}
		teach := func(of *Tenant, tool string, size int) {
			h := goes(tool, hold(of, tool))
			if err := h.come(size); err != nil {
				t.Fatal(err)
			}
			h.release()
		}
		teach(bob, "small", 100)
		teach(alice, "small", 100)
		teach(alice, "big", 16*mb)
		first, second := goes("alice's first", hold(alice, "big")), hold(alice, "big")
		goes("alice's second", second)
		slow := hold(alice, "big")
		if len(slow) > 0 {
			t.Error("alice has more than half of the room")
		}
		goes("a small call", hold(bob, "small")).release()
		goes("a call of a tool that bob does not know", hold(bob, "big")).release()
		teach(bob, "big", 16*mb)
		held := []*held{goes("bob's first", hold(bob, "big")), goes("bob's second", hold(bob, "big"))}
		next := hold(bob, "big")
		if s.all.used != s.all.max || len(next) > 0 {
			t.Fatalf("%d bytes of %d", s.all.used, s.all.max)
		}

		// Nothing is left.
		small := goes("a small call", hold(bob, "small"))
		if err := small.come(100); err != nil {
			t.Error(err)
		}
		small.release()
		unknown := hold(carol, "big")
		if len(unknown) > 0 {
			t.Error("there was room for a call of carol's")
		}
		first.release()
		synctest.Wait()
		if err := goes("carol's call", unknown).come(16 * mb); err != nil {
			t.Fatal(err)
		}
		large := hold(carol, "big")
		held[0].release()
		synctest.Wait()
		third := goes("carol's, who has less than alice,", large)
		if len(slow)+len(next) > 0 {
			t.Error("alice's or bob's goes before")
		}
		third.release()
		synctest.Wait()
		fourth := goes("alice's, who has as much as bob and came earlier,", slow)
		if len(next) > 0 {
			t.Error("bob's goes before")
		}
		fourth.release()
		synctest.Wait()
		goes("bob's", next)
	})
}

// That a tool's results turn out large, after many calls of it were sent, is at
// the cost of who sent them.
func TestLargerResultsThanExpectedTakeNoRoomOfOthers(t *testing.T) {
	const mb = 1 << 20
	s := newResults(256*mb, time.Hour)
	hold := func(of *Tenant, tool string) *held {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		h, err := s.hold(ctx, NewRoom(0, of), tool)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	alice, bob := &Tenant{}, &Tenant{}
	small := hold(alice, "grows")
	small.come(100)
	small.release()
	var calls []*held
	for range 100 {
		calls = append(calls, hold(alice, "grows"))
	}
	calls[0].come(16 * mb)
	if s.all.used != s.all.max/2 {
		t.Errorf("alice has %d bytes of %d", s.all.used, s.all.max)
	}
	hold(bob, "unknown").release()
	for _, h := range calls {
		h.release()
	}
	if s.all.used != 0 || alice.used != 0 {
		t.Error(s.all.used, alice.used)
	}
}

var resultSize = flag.Int("resultsize", 2<<20, "bytes of each of the 64 results of TestLargeResultsUnderWayAreBounded")

// Four scripts with 16 calls at once whose results are large for their room:
// the results under way are bounded, and none is lost.
func TestLargeResultsUnderWayAreBounded(t *testing.T) {
	defer func(s *results) { underWay = s }(underWay)
	underWay = newResults(int64(*resultSize)*MaxRoom/(30<<20), time.Hour)
	big := textResult(strings.Repeat("x", *resultSize))
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
			res, err := h.Run(t.Context(), &Script{Results: NewRoom(underWay.all.max/4, nil),
				Limits: Limits{Timeout: 5 * time.Minute, Memory: 2 << 30}, Source: `var wg sync.WaitGroup
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
