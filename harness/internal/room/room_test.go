package room

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever finds no room waits before the call is sent; small calls go on, and
// a result that is larger than its tool's were is refused where it has no room.
func TestCallsWaitForRoomOfTheirResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const mb = 1 << 20
		s := NewResults(130*mb, time.Second)
		room, other := New(64*mb, nil), New(64*mb, nil)
		hold := func(r *Room, tool string) chan *Reservation {
			c := make(chan *Reservation, 1)
			go func() {
				h, err := s.Reserve(t.Context(), r, tool)
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				c <- h
			}()
			synctest.Wait()
			return c
		}
		waits := func(c chan *Reservation) bool {
			synctest.Wait()
			return len(c) == 0
		}
		a, b := <-hold(room, "big"), <-hold(room, "big")
		third := hold(room, "big")
		if !waits(third) {
			t.Fatal("a third call of a tool that nobody knows is sent")
		}
		if err := errors.Join(a.Arrived(30*mb), b.Arrived(30*mb)); err != nil {
			t.Fatal(err)
		}
		if !waits(third) {
			t.Fatal("60 MB are under way in the session, and 48 more are let in")
		}
		if err := (<-hold(New(64*mb, nil), "known")).Arrived(40 * mb); err != nil {
			t.Fatal(err)
		}
		elsewhere := hold(other, "big")
		if !waits(elsewhere) {
			t.Fatal("100 MB are under way in the process, and 48 more are let in")
		}
		for range 3 {
			small := <-hold(room, "small") // in nobody's way
			if err := small.Arrived(100); err != nil {
				t.Fatal(err)
			}
			small.Release()
		}
		if err := (<-hold(room, "small")).Arrived(10 * mb); err == nil ||
			!strings.Contains(err.Error(), "the tool was called, but its result of 10485760 bytes does not fit into memory") {
			t.Errorf("a result of 10 MB found room: %v", err)
		}
		a.Release()
		b.Release()
		one := third
		if waits(one) {
			one = elsewhere
		}
		c := <-one
		if c == nil || c.own != 48*mb || c.shared != 65*mb-65*mb/4 {
			t.Fatalf("%+v", c)
		}
		c.Release()
		if err := c.Arrived(30 * mb); err != nil || c.own != 0 { // after the end of its run
			t.Fatal(err, c.own)
		}
		synctest.Wait()
		if third, elsewhere := len(third), len(elsewhere); third+elsewhere != 1 {
			t.Fatal("the other one still waits", third, elsewhere)
		}
		if one = third; len(one) == 0 {
			one = elsewhere
		}
		(<-one).Release()

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
		tiny := New(1, nil)
		if h, err := s.Reserve(ctx, tiny, "new"); err != nil || h.Arrived(3*mb) != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := s.Reserve(ctx, tiny, "new"); !errors.Is(err, context.Canceled) ||
			!strings.Contains(err.Error(), "waiting for memory for its result, with 3 of 0 MB in use") {
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
		s := NewResults(256*mb, time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		hold := func(of *Tenant, tool string) chan *Reservation {
			c := make(chan *Reservation, 1)
			go func() {
				if h, err := s.Reserve(ctx, New(0, of), tool); err == nil { // each in a session of its own
					c <- h
				}
			}()
			synctest.Wait()
			return c
		}
		goes := func(what string, c chan *Reservation) *Reservation {
			t.Helper()
			if len(c) == 0 {
				t.Fatal(what, "waits")
			}
			return <-c
		}
		alice, bob, carol := &Tenant{}, &Tenant{}, &Tenant{}
		teach := func(of *Tenant, tool string, size int) {
			h := goes(tool, hold(of, tool))
			if err := h.Arrived(size); err != nil {
				t.Fatal(err)
			}
			h.Release()
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
		goes("a small call", hold(bob, "small")).Release()
		goes("a call of a tool that bob does not know", hold(bob, "big")).Release()
		teach(bob, "big", 16*mb)
		held := []*Reservation{goes("bob's first", hold(bob, "big")), goes("bob's second", hold(bob, "big"))}
		next := hold(bob, "big")
		if s.all.used != s.all.max || len(next) > 0 {
			t.Fatalf("%d bytes of %d", s.all.used, s.all.max)
		}

		// Nothing is left.
		small := goes("a small call", hold(bob, "small"))
		if err := small.Arrived(100); err != nil {
			t.Error(err)
		}
		small.Release()
		unknown := hold(carol, "big")
		if len(unknown) > 0 {
			t.Error("there was room for a call of carol's")
		}
		first.Release()
		synctest.Wait()
		if err := goes("carol's call", unknown).Arrived(16 * mb); err != nil {
			t.Fatal(err)
		}
		large := hold(carol, "big")
		held[0].Release()
		synctest.Wait()
		third := goes("carol's, who has less than alice,", large)
		if len(slow)+len(next) > 0 {
			t.Error("alice's or bob's goes before")
		}
		third.Release()
		synctest.Wait()
		fourth := goes("alice's, who has as much as bob and came earlier,", slow)
		if len(next) > 0 {
			t.Error("bob's goes before")
		}
		fourth.Release()
		synctest.Wait()
		goes("bob's", next)
	})
}

// That a tool's results turn out large, after many calls of it were sent, is at
// the cost of who sent them.
func TestLargerResultsThanExpectedTakeNoRoomOfOthers(t *testing.T) {
	const mb = 1 << 20
	s := NewResults(256*mb, time.Hour)
	hold := func(of *Tenant, tool string) *Reservation {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		h, err := s.Reserve(ctx, New(0, of), tool)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	alice, bob := &Tenant{}, &Tenant{}
	small := hold(alice, "grows")
	small.Arrived(100)
	small.Release()
	var calls []*Reservation
	for range 100 {
		calls = append(calls, hold(alice, "grows"))
	}
	calls[0].Arrived(16 * mb)
	if s.all.used != s.all.max/2 {
		t.Errorf("alice has %d bytes of %d", s.all.used, s.all.max)
	}
	hold(bob, "unknown").Release()
	for _, h := range calls {
		h.Release()
	}
	if s.all.used != 0 || alice.used != 0 {
		t.Error(s.all.used, alice.used)
	}
}
