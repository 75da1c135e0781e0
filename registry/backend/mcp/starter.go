package mcp

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"
)

// slotsPerCore is how many servers start at a time for each core.
//
// A server that needs t of CPU time starts within t × (slots + other busy processes) / cores.
// With config.DefaultStartTimeout, servers that need 2 s start on two cores beside about 50 busy
// processes. More slots would lower that number. With fewer slots, servers that hang, or wait for
// the network, would delay the others longer.
const slotsPerCore = 4

// starting starts all servers of this program, which share its cores.
var starting = newStarter(slotsPerCore * runtime.GOMAXPROCS(0))

// Start is a server whose process starts, or waits for a slot.
type Start struct {
	Server string
	Began  time.Time // when its process began; zero while it waits for a slot
}

// Starting returns the servers that start now, followed by those that wait.
func Starting() []Start { return starting.list() }

// Started returns how many processes of servers have been started, and how long at
// least one server was starting.
func Started() (n int, took time.Duration) { return starting.stats() }

// Hurry lets these servers start without a slot, now and at their next start, because a script
// needs them.
func Hurry(servers ...string) { starting.hurry(servers) }

// starter limits how many servers start at a time.
type starter struct {
	slots chan struct{} // a semaphore

	mu      sync.Mutex
	places  map[*place]bool
	hurried map[string]bool // names of servers
	begun   int             // processes
	took    time.Duration
	since   time.Time // when places was last empty
}

func newStarter(slots int) *starter {
	return &starter{slots: make(chan struct{}, slots), places: map[*place]bool{}, hurried: map[string]bool{}}
}

// place is a server that starts, or waits until it may start.
type place struct {
	starter *starter
	server  string
	entered time.Time
	began   time.Time     // zero before its process begins
	hurry   chan struct{} // closed if it needs no slot
	slot    bool          // it holds one
}

// enter waits until a server may start. Call leave when it has started or failed.
func (s *starter) enter(ctx context.Context, server string) (*place, error) {
	p := &place{starter: s, server: server, entered: time.Now(), hurry: make(chan struct{})}
	s.mu.Lock()
	if len(s.places) == 0 {
		s.since = p.entered
	}
	s.places[p] = true
	if s.hurried[server] {
		close(p.hurry)
	}
	s.mu.Unlock()
	select {
	case s.slots <- struct{}{}:
		p.slot = true
	case <-p.hurry:
	case <-ctx.Done():
		p.leave()
		return nil, ctx.Err()
	}
	return p, nil
}

// start records that a process of the server has begun.
func (p *place) start() {
	s := p.starter
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.began.IsZero() {
		p.began = time.Now()
	}
	s.begun++
}

// leave ends the start.
func (p *place) leave() {
	if p.slot {
		<-p.starter.slots
	}
	s := p.starter
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.places, p)
	delete(s.hurried, p.server)
	if len(s.places) == 0 {
		s.took += time.Since(s.since)
	}
}

func (s *starter) hurry(servers []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range servers {
		if !s.hurried[name] {
			s.hurried[name] = true
			for p := range s.places {
				if p.server == name {
					close(p.hurry)
				}
			}
		}
	}
}

func (s *starter) list() []Start {
	s.mu.Lock()
	defer s.mu.Unlock()
	places := slices.SortedFunc(maps.Keys(s.places), func(a, b *place) int {
		if a.began.IsZero() != b.began.IsZero() {
			return b.began.Compare(a.began) // those that wait have no time
		}
		return a.entered.Compare(b.entered)
	})
	var out []Start
	for _, p := range places {
		out = append(out, Start{Server: p.server, Began: p.began})
	}
	return out
}

func (s *starter) stats() (n int, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	took = s.took
	if len(s.places) > 0 {
		took += time.Since(s.since)
	}
	return s.begun, took
}
