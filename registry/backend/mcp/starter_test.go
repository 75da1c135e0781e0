package mcp

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry/backend/internal/procgroup"
	"github.com/usetools/usetools/registry/config"
)

// machine is what a test's processes do, by number.
type machine struct {
	mu    sync.Mutex
	works map[int]bool // uses CPU whenever it is looked at
	work  map[int]procgroup.Work
	blind bool
}

func (m *machine) observe(pids []int) (map[int]procgroup.Work, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, pid := range pids {
		w := m.work[pid]
		if m.works[pid] {
			w.Ticks++
		}
		m.work[pid] = w
	}
	return m.work, !m.blind
}

func newMachine() *machine { return &machine{works: map[int]bool{}, work: map[int]procgroup.Work{}} }

// start enters a server, and starts its process as soon as it may.
func start(t *testing.T, s *starter, name string, pid int, began func()) *place {
	t.Helper()
	p, err := s.enter(t.Context(), config.Server{Name: name, Command: "npx"})
	if err != nil {
		t.Fatal(err)
	}
	p.start(pid)
	began()
	return p
}

func TestAServerThatHangsDelaysNobody(t *testing.T) {
	for name, want := range map[string]time.Duration{"seen": idleAfter, "not to be seen": startsFor} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMachine()
				m.blind = name != "seen"
				s := newStarter(2, m.observe)
				begin := time.Now()
				at := make([]time.Duration, 5)
				var all sync.WaitGroup
				for i := range at { // all hang
					all.Go(func() {
						p := start(t, s, "s", i+1, func() { at[i] = time.Since(begin) })
						<-time.After(time.Minute)
						p.leave()
					})
				}
				all.Wait()
				<-time.After(lookEvery) // nobody looks any more
				slices.Sort(at)
				for i, d := range at {
					if least := time.Duration(i/2) * want; d < least || d > least+2*lookEvery*time.Duration(i/2) {
						t.Errorf("process %d began after %v, want about %v", i, d, least)
					}
				}
				if n, took := s.stats(); n != 5 || took < time.Minute || took > time.Minute+3*want {
					t.Errorf("%d started in %v", n, took)
				}
			})
		})
	}
}

func TestAServerThatWorksKeepsItsPlaceUntilItHasStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine()
		s := newStarter(1, m.observe)
		m.works[1] = true
		first := start(t, s, "busy", 1, func() {})
		order := make(chan string, 3)
		var all sync.WaitGroup
		for _, name := range []string{"b", "c", "d"} {
			all.Go(func() { start(t, s, name, 2, func() { order <- name }).leave() })
			synctest.Wait()
		}
		<-time.After(time.Minute)
		if len(order) > 0 {
			t.Errorf("%s began beside it", <-order)
		}
		if got := s.list(); len(got) != 4 || got[0].Server != "busy" || got[0].Began.IsZero() || !got[3].Began.IsZero() {
			t.Errorf("starting: %+v", got)
		}
		s.hurry([]string{"d", "stranger"})
		first.leave()
		all.Wait()
		if got := []string{<-order, <-order, <-order}; !cmp.Equal(got, []string{"d", "b", "c"}) {
			t.Errorf("order %q, the one in a hurry is d", got)
		}
		<-time.After(lookEvery)
	})
}

func TestWhoGivesUpWaitingTakesNobodysPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine()
		m.works[1] = true
		s := newStarter(1, m.observe)
		first := start(t, s, "a", 1, func() {})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.enter(ctx, config.Server{Name: "b"}); err == nil {
			t.Error("two places where there is one")
		}
		first.leave()
		start(t, s, "c", 2, func() {}).leave()
		if got := s.list(); len(got) > 0 {
			t.Errorf("left: %+v", got)
		}
		<-time.After(lookEvery)
	})
}

func TestADownloadIsToldFromAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine()
		s := newStarter(1, m.observe)
		fetching := func() string { return s.list()[0].Fetching }
		p := start(t, s, "a", 1, func() {})
		if got := fetching(); got != "" {
			t.Errorf("at once %q", got)
		}
		<-time.After(fetchesAfter + lookEvery)
		if got := fetching(); got != "npx" {
			t.Errorf("without a child %q", got)
		}
		m.mu.Lock()
		m.work[1] = procgroup.Work{Children: true}
		m.mu.Unlock()
		<-time.After(2 * lookEvery)
		if got := fetching(); got != "" {
			t.Errorf("with the server as its child %q", got)
		}
		p.leave()
		<-time.After(lookEvery)
	})
	for want, s := range map[string]config.Server{
		"npx": {Command: "cmd", Args: []string{"/c", "npx.cmd", "-y", "x"}},
		"uvx": {Command: "/usr/local/bin/uvx", Args: []string{"x"}},
		"":    {Command: "node", Args: []string{"npx"}},
	} {
		if got := runner(s); got != want {
			t.Errorf("%s %q: %q, want %q", s.Command, s.Args, got, want)
		}
	}
}
