package backend

import (
	"context"
	"fmt"
	"sync"
)

// Gate counts the calls under way that may change something, so that they can be
// waited for. The zero value is open.
type Gate struct {
	mu      sync.Mutex
	effects int
	drained chan struct{} // closed when there are none any more; nil: see Drain
}

// Enter notes a call, until ended is called. After Drain it returns ErrClosed.
func (g *Gate) Enter(effect bool) (ended func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.drained != nil:
		return nil, ErrClosed
	case !effect:
		return func() {}, nil
	}
	g.effects++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.effects--; g.effects == 0 && g.drained != nil {
			close(g.drained)
		}
	}, nil
}

// Drain lets no more calls enter, and returns when those that may change something
// have ended. Where ctx ends before, the error says how many have not.
func (g *Gate) Drain(ctx context.Context) error {
	g.mu.Lock()
	if g.drained == nil {
		g.drained = make(chan struct{})
		if g.effects == 0 {
			close(g.drained)
		}
	}
	drained := g.drained
	g.mu.Unlock()
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.effects == 0 {
		return nil
	}
	return fmt.Errorf("waiting for %d calls that may change something to end: %w", g.effects, ctx.Err())
}
