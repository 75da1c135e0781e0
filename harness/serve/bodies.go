package serve

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Bounds of the large bodies of requests under way, in bytes: of one token's,
// or of all who need none, and of all. Small ones are bounded by the number of
// connections.
const (
	smallBody   = 64 << 10
	eachBodies  = 8 * maxBody
	totalBodies = 32 * maxBody
)

// bodies is the room that the bodies of requests have, until these are answered.
type bodies struct {
	all *semaphore.Weighted

	mu   sync.Mutex
	each map[string]*semaphore.Weighted // by token name
}

func newBodies() *bodies {
	return &bodies{all: semaphore.NewWeighted(totalBodies), each: map[string]*semaphore.Weighted{}}
}

// hold waits for room for a body of at most size bytes.
func (b *bodies) hold(ctx context.Context, token string, size int64) (release func(), err error) {
	if size <= smallBody {
		return func() {}, nil
	}
	b.mu.Lock()
	own := b.each[token]
	if own == nil {
		own = semaphore.NewWeighted(eachBodies)
		b.each[token] = own
	}
	b.mu.Unlock()
	if err := own.Acquire(ctx, size); err != nil {
		return nil, err
	}
	if err := b.all.Acquire(ctx, size); err != nil {
		own.Release(size)
		return nil, err
	}
	return func() {
		b.all.Release(size)
		own.Release(size)
	}, nil
}
