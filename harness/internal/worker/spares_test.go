package worker

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// spareReady waits until a spare is there that fits.
func spareReady(t *testing.T, s *Spares, fits func(*process) bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; <-time.After(time.Millisecond) {
		s.mu.Lock()
		ok := len(s.waiting) == 1 && !s.waiting[0].rising && fits(s.waiting[0])
		s.mu.Unlock()
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatal("no spare is made ready")
		}
	}
}

func TestSparesRehearseWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	s := NewSpares(SparesOptions{Number: 1})
	defer s.Close()
	through := func(p *process) bool { return p.rehearsed == len(rehearsals) }
	spareReady(t, s, through)
	first := s.take()
	if first == nil || s.take() != nil {
		t.Fatal("one spare was to be there")
	}
	first.close()
	s.refill() // one of two runs has ended
	spareReady(t, s, func(p *process) bool { return p.rehearsed == 0 })
	s.refill()
	spareReady(t, s, through)
	o, err := Run(t.Context(), &Script{Source: `Return(fmt.Sprint(1, "a"))`}, lenient{}, &Options{Spares: s})
	if err != nil || o.Status != OK || string(o.Value) != `"1a"` {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestASpareServesWhateverItIsAbout(t *testing.T) {
	t.Parallel()
	for i := range 20 {
		s := NewSpares(SparesOptions{Number: 1})
		for end := time.Now().Add(time.Minute); ; <-time.After(time.Millisecond) { // until it is a process, which starts or rehearses
			s.mu.Lock()
			n := len(s.waiting)
			s.mu.Unlock()
			if n > 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("no spare is started")
			}
		}
		for range i * 100 { // somewhat further each time
			runtime.Gosched()
		}
		o, err := Run(t.Context(), &Script{Source: `Return(fmt.Sprint(1, "a"))`}, lenient{}, &Options{Spares: s})
		if err != nil || o.Status != OK || string(o.Value) != `"1a"` {
			t.Errorf("got %+v, %v", o, err)
		}
		s.Close()
	}
}

func TestARunThatLastsDoesNotKeepSparesAway(t *testing.T) {
	t.Parallel()
	s := NewSpares(SparesOptions{Number: 1})
	defer s.Close()
	spareReady(t, s, func(p *process) bool { return true })
	s.mu.Lock()
	first := s.waiting[0]
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, &Script{Source: `select {}`, Limits: Limits{Timeout: time.Minute}}, lenient{}, &Options{Spares: s})
		ended <- err
	}()
	spareReady(t, s, func(p *process) bool { return p != first && p.rehearsed == len(rehearsals) })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestASpareThatDiesIsReplaced(t *testing.T) {
	s := NewSpares(SparesOptions{Number: 1})
	defer s.Close()
	spareReady(t, s, func(p *process) bool { return true })
	s.mu.Lock()
	dead := s.waiting[0]
	s.mu.Unlock()
	dead.kill()
	spareReady(t, s, func(p *process) bool { return p != dead })
}

func TestOldSparesAreReplaced(t *testing.T) {
	t.Parallel()
	s := NewSpares(SparesOptions{Number: 1, MaxAge: 200 * time.Millisecond})
	defer s.Close()
	seen := map[*process]bool{}
	for end := time.Now().Add(time.Minute); len(seen) < 3; <-time.After(10 * time.Millisecond) { // on a busy machine none gets ready in its time
		s.mu.Lock()
		for _, p := range s.waiting {
			seen[p] = true
		}
		s.mu.Unlock()
		if time.Now().After(end) {
			t.Fatalf("%d spares in a minute, want 3", len(seen))
		}
	}
}
