package backend

import (
	"context"
	"slices"
	"sync"
)

// tenantKey is the key of a context's tenant.
type tenantKey struct{}

// tenant is whose calls are: anything that can be compared.
type tenant struct {
	key    any
	shares bool // others are to find places
}

// WithTenant returns a context whose calls are those of a tenant, by any key that
// can be compared: calls that wait for a server go first whose tenant has the
// fewest there. One that shares leaves a quarter of a server's places, but at
// least one of several, to others.
func WithTenant(ctx context.Context, key any, shares bool) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant{key, shares})
}

// TenantOf returns the key of whose a context's calls are; nil: nobody's.
func TenantOf(ctx context.Context) any {
	of, _ := ctx.Value(tenantKey{}).(tenant)
	return of.key
}

// places are the calls that a server may have at a time.
type places struct {
	max int

	mu      sync.Mutex
	used    int
	by      map[any]int // tenants' keys
	waiting []*place    // the earliest first
}

// place is a call that waits for one.
type place struct {
	of    tenant
	given chan struct{}
}

func newPlaces(max int) *places { return &places{max: max, by: map[any]int{}} }

// take waits for a place for a call. Call leave when it has ended.
func (p *places) take(ctx context.Context) (leave func(), err error) {
	of, _ := ctx.Value(tenantKey{}).(tenant)
	w := &place{of, make(chan struct{})}
	leave = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.used--
		if p.by[of.key]--; p.by[of.key] == 0 {
			delete(p.by, of.key)
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
	if i < 0 { // it was given one at the same time
		leave()
	}
	return nil, ctx.Err()
}

// next gives places to those who wait. The caller holds the lock.
func (p *places) next() {
	for p.used < p.max {
		best := -1
		for i, w := range p.waiting {
			has := p.by[w.of.key]
			if w.of.shares && has >= max(1, p.max-max(1, p.max/4)) {
				continue
			}
			if best < 0 || has < p.by[p.waiting[best].of.key] {
				best = i
			}
		}
		if best < 0 {
			return
		}
		w := p.waiting[best]
		p.waiting = slices.Delete(p.waiting, best, best+1)
		p.used++
		p.by[w.of.key]++
		close(w.given)
	}
}
