package mcp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// start enters a server and starts its process as soon as it may.
func start(t *testing.T, s *starter, name string) *place {
	t.Helper()
	p, err := s.enter(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	p.start()
	return p
}

// A server waits for a slot, unless a script needs it.
func TestServersStartOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStarter(1)
		first := start(t, s, "a")
		began := make(chan string, 3)
		for _, name := range []string{"b", "c", "d"} {
			go func() {
				p := start(t, s, name)
				began <- name
				<-time.After(time.Second)
				p.leave()
			}()
			<-time.After(time.Minute)
		}
		if got := s.list(); len(began) > 0 || len(got) != 4 || got[0].Server != "a" || got[0].Began.IsZero() ||
			got[1].Server != "b" || !got[1].Began.IsZero() || got[3].Server != "d" {
			t.Errorf("%d began; starting: %+v", len(began), got)
		}
		s.hurry([]string{"c", "stranger"})
		if got := <-began; got != "c" {
			t.Errorf("%s began, want c, which is needed", got)
		}
		s.hurry([]string{"e"})
		start(t, s, "e").leave()
		first.leave()
		<-began
		<-began
		<-time.After(time.Minute)
		if n, took := s.stats(); n != 5 || took != 3*time.Minute+2*time.Second {
			t.Errorf("%d started in %v", n, took)
		}
		if got := s.list(); len(got) > 0 {
			t.Errorf("left: %+v", got)
		}
	})
}

func TestAServerThatGivesUpWaitingTakesNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStarter(1)
		first := start(t, s, "a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.enter(ctx, "b"); err == nil {
			t.Error("two slots where there is one")
		}
		first.leave()
		start(t, s, "c").leave()
		if got := s.list(); len(got) > 0 {
			t.Errorf("left: %+v", got)
		}
	})
}
