package console

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// turns limits work of one kind: at most n tasks at a time, and at most one for each token, so that
// no client blocks the others.
type turns struct {
	all *semaphore.Weighted

	mu   sync.Mutex
	each map[string]*semaphore.Weighted // by token name
}

func newTurns(most int64) *turns {
	return &turns{all: semaphore.NewWeighted(most), each: map[string]*semaphore.Weighted{}}
}

// take waits until a task of a viewer may start. The caller must release it.
func (t *turns) take(ctx context.Context, v *Viewer) (release func(), err error) {
	t.mu.Lock()
	own := t.each[v.Token]
	if own == nil {
		own = semaphore.NewWeighted(1)
		t.each[v.Token] = own
	}
	t.mu.Unlock()
	if err := own.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	if err := t.all.Acquire(ctx, 1); err != nil {
		own.Release(1)
		return nil, err
	}
	return func() {
		t.all.Release(1)
		own.Release(1)
	}, nil
}
