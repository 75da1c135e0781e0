package worker

import (
	"runtime"
	"testing"
	"time"
)

// spareReady waits until a spare is there that fits.
func spareReady(t *testing.T, s *Spares, fits func(*process) bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; runtime.Gosched() {
		s.mu.Lock()
		ok := len(s.ready) == 1 && fits(s.ready[0])
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
	s := NewSpares(SparesOptions{Number: 1})
	defer s.Close()
	spareReady(t, s, func(p *process) bool { return p.rehearsed })
	first := s.take()
	if first == nil || s.take() != nil {
		t.Fatal("one spare was to be there")
	}
	first.close()
	s.refill() // one of two runs has ended
	spareReady(t, s, func(p *process) bool { return !p.rehearsed })
	s.refill()
	spareReady(t, s, func(p *process) bool { return p.rehearsed })
	o, err := Run(t.Context(), &Script{Source: `Return(fmt.Sprint(1, "a"))`}, lenient{}, &Options{Spares: s})
	if err != nil || o.Status != OK || string(o.Value) != `"1a"` {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestASpareThatDiesIsReplaced(t *testing.T) {
	s := NewSpares(SparesOptions{Number: 1})
	defer s.Close()
	spareReady(t, s, func(p *process) bool { return true })
	s.mu.Lock()
	dead := s.ready[0]
	s.mu.Unlock()
	dead.kill()
	spareReady(t, s, func(p *process) bool { return p != dead })
}

func TestOldSparesAreReplaced(t *testing.T) {
	s := NewSpares(SparesOptions{Number: 1, MaxAge: 200 * time.Millisecond})
	defer s.Close()
	seen := map[*process]bool{}
	for range 3 {
		spareReady(t, s, func(p *process) bool { return !seen[p] })
		s.mu.Lock()
		if len(s.ready) > 0 {
			seen[s.ready[0]] = true
		}
		s.mu.Unlock()
	}
}
