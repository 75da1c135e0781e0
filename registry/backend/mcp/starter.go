package mcp

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/registry/backend/internal/procgroup"
	"github.com/usetools/usetools/registry/config"
)

const (
	// perCore is how many processes start at a time for each core.
	perCore = 2
	// idleAfter is how long a process uses no CPU until another may start beside
	// it; startsFor is that time, from its start, where nobody can tell.
	idleAfter = 2 * time.Second
	startsFor = 10 * time.Second
	// lookEvery is how often the processes that start are looked at.
	lookEvery = 250 * time.Millisecond
	// fetchesAfter is how long npx and uvx take at least when they download.
	fetchesAfter = 2 * time.Second
)

// starting starts all servers of this program: what they share is its cores.
var starting = newStarter(perCore*runtime.GOMAXPROCS(0), procgroup.Observe)

// Start is a server whose process starts, or waits until it may.
type Start struct {
	Server string
	Began  time.Time // when its process began; zero: it waits for others
	// Fetching is npx or uvx while that downloads the server, as far as can be
	// told; else empty.
	Fetching string
}

// Starting are the servers that start now, those that wait last.
func Starting() []Start { return starting.list() }

// Started says how many processes of servers have been started, and how long at
// least one of them was waited for.
func Started() (n int, took time.Duration) { return starting.stats() }

// Hurry lets the servers of these names start before others that wait, now and
// when they are to be started.
func Hurry(servers ...string) { starting.hurry(servers) }

// starter lets a number of processes start at a time. Those that do nothing do
// not count: one that hangs, or waits for the network, delays nobody.
type starter struct {
	most    int
	observe func(pids []int) (map[int]procgroup.Work, bool)

	mu      sync.Mutex
	starts  []*place // that have a process, or may have one
	waiting []*place
	hurried map[string]bool // names of servers that start first
	looking bool            // look runs

	begun int // processes
	took  time.Duration
	since time.Time // since when there are starts
}

func newStarter(most int, observe func([]int) (map[int]procgroup.Work, bool)) *starter {
	return &starter{most: most, observe: observe, hurried: map[string]bool{}}
}

// place is a server's turn to start. Its fields are the starter's.
type place struct {
	starter *starter
	server  string
	runner  string        // npx, uvx; empty: neither
	turn    chan struct{} // closed when it may start
	counts  bool

	began    time.Time
	pid      int
	ticks    uint64
	busy     time.Time // when it was last seen at work
	children bool
	known    bool // children is
}

// enter waits until a server may start. Call leave when it has, or has not.
func (s *starter) enter(ctx context.Context, of config.Server) (*place, error) {
	p := &place{starter: s, server: of.Name, runner: runner(of), turn: make(chan struct{})}
	s.mu.Lock()
	if len(s.starts)+len(s.waiting) == 0 {
		s.since = time.Now()
	}
	s.waiting = append(s.waiting, p)
	s.order()
	s.next()
	s.mu.Unlock()
	select {
	case <-p.turn:
		return p, nil
	case <-ctx.Done():
		p.leave()
		return nil, ctx.Err()
	}
}

// next lets those start that there is room for.
func (s *starter) next() {
	counting := 0
	for _, p := range s.starts {
		if p.counts {
			counting++
		}
	}
	for ; counting < s.most && len(s.waiting) > 0; counting++ {
		p := s.waiting[0]
		s.waiting = s.waiting[1:]
		p.counts = true
		s.starts = append(s.starts, p)
		close(p.turn)
	}
}

// start says that the server's process has begun; a second one takes the place of
// the first.
func (p *place) start(pid int) {
	s := p.starter
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if p.began.IsZero() {
		p.began = now
	}
	p.pid, p.ticks, p.busy, p.known = pid, 0, now, false
	s.begun++
	if !s.looking {
		s.looking = true
		go s.look()
	}
}

// leave says that the server has started, or failed.
func (p *place) leave() {
	s := p.starter
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(o *place) bool { return o == p }
	s.starts, s.waiting = slices.DeleteFunc(s.starts, is), slices.DeleteFunc(s.waiting, is)
	delete(s.hurried, p.server)
	s.next()
	if len(s.starts)+len(s.waiting) == 0 {
		s.took += time.Since(s.since)
	}
}

// look watches the processes that start until there are none.
func (s *starter) look() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for range tick.C {
		var pids []int
		s.mu.Lock()
		for _, p := range s.starts {
			if p.pid != 0 {
				pids = append(pids, p.pid)
			}
		}
		if s.looking = len(pids) > 0; !s.looking {
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		work, ok := s.observe(pids)
		s.mu.Lock()
		for _, p := range s.starts {
			if p.pid != 0 {
				w, known := work[p.pid]
				p.seen(w, ok && known)
			}
		}
		s.next()
		s.mu.Unlock()
	}
}

// seen takes in what the process does.
func (p *place) seen(w procgroup.Work, ok bool) {
	now := time.Now()
	if !ok {
		p.counts = p.counts && now.Sub(p.busy) < startsFor
		return
	}
	if w.Ticks != p.ticks {
		p.ticks, p.busy = w.Ticks, now
	}
	p.children, p.known = w.Children, true
	p.counts = p.counts && now.Sub(p.busy) < idleAfter
}

// hurry puts servers before the others that wait.
func (s *starter) hurry(servers []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range servers {
		s.hurried[name] = true
	}
	s.order()
}

// order puts those first that wait in a hurry.
func (s *starter) order() {
	hurried := func(p *place) bool { return s.hurried[p.server] }
	first := slices.DeleteFunc(slices.Clone(s.waiting), func(p *place) bool { return !hurried(p) })
	s.waiting = append(first, slices.DeleteFunc(s.waiting, hurried)...)
}

func (s *starter) list() []Start {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Start
	for _, p := range append(slices.Clone(s.starts), s.waiting...) {
		st := Start{Server: p.server, Began: p.began}
		if p.runner != "" && !p.began.IsZero() && time.Since(p.began) >= fetchesAfter && !(p.known && p.children) {
			st.Fetching = p.runner
		}
		out = append(out, st)
	}
	return out
}

func (s *starter) stats() (n int, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	took = s.took
	if len(s.starts)+len(s.waiting) > 0 {
		took += time.Since(s.since)
	}
	return s.begun, took
}

// runner is the program that downloads a server where it is not there yet.
func runner(s config.Server) string {
	for _, word := range append([]string{s.Command}, s.Args[:min(2, len(s.Args))]...) { // cmd /c npx
		base := strings.ToLower(filepath.Base(word))
		base = strings.TrimSuffix(strings.TrimSuffix(base, ".exe"), ".cmd")
		switch base {
		case "npx", "uvx":
			return base
		case "cmd", "c": // /c
		default:
			return ""
		}
	}
	return ""
}
