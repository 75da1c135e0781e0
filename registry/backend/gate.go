package backend

import (
	"context"
	"fmt"
	"sync"
)

// Gate counts running effect calls, so that a caller can wait for their end. The zero value is
// open.
type Gate struct {
	mu      sync.Mutex
	effects int
	drained chan struct{} // closed when none is running; nil before Drain
}

// Enter registers a call until ended is called. After Drain it returns ErrClosed.
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

// Drain rejects new calls and returns when all effect calls have ended. If ctx ends first, the
// error has the number of running ones.
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
	return fmt.Errorf("waiting for %d effect calls to end: %w", g.effects, ctx.Err())
}
