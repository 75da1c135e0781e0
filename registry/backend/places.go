package backend

import (
	"context"
	"slices"
	"sync"
)

// places limits the concurrent calls to a server.
type places struct {
	max int

	mu      sync.Mutex
	used    int
	by      map[any]int // by tenant
	waiting []*place    // the earliest first
}

// place is a call that waits for its turn.
type place struct {
	of    *Request
	given chan struct{}
}

func newPlaces(max int) *places { return &places{max: max, by: map[any]int{}} }

// take waits until a call may run. Call leave when the call has ended.
func (p *places) take(ctx context.Context, of *Request) (leave func(), err error) {
	w := &place{of, make(chan struct{})}
	leave = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.used--
		if p.by[of.Tenant]--; p.by[of.Tenant] == 0 {
			delete(p.by, of.Tenant)
		}
		p.next()
	}
	p.mu.Lock()
	p.waiting = append(p.waiting, w)
	p.next()
	p.mu.Unlock()
	select {
	case <-w.given:
		return leave, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	i := slices.Index(p.waiting, w)
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 { // the call got a place at the same time
		leave()
	}
	return nil, ctx.Err()
}

// next admits waiting calls. The caller holds the lock.
func (p *places) next() {
	for p.used < p.max {
		best := -1
		for i, w := range p.waiting {
			has := p.by[w.of.Tenant]
			if w.of.Shares && has >= max(1, p.max-max(1, p.max/4)) {
				continue
			}
			if best < 0 || has < p.by[p.waiting[best].of.Tenant] {
				best = i
			}
		}
		if best < 0 {
			return
		}
		w := p.waiting[best]
		p.waiting = slices.Delete(p.waiting, best, best+1)
		p.used++
		p.by[w.of.Tenant]++
		close(w.given)
	}
}
