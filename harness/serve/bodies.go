package serve

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Bounds of the large bodies of requests under way, in bytes: of one token, or
// of all clients without one, and of all. The number of connections bounds the
// small ones.
const (
	smallBody   = 64 << 10
	eachBodies  = 8 * maxBody
	totalBodies = 32 * maxBody
)

// bodies is the room for the bodies of requests under way.
type bodies struct {
	all  *semaphore.Weighted
	each map[string]*semaphore.Weighted // by token name, "" without a token
}

func newBodies(tokens map[string]string) *bodies {
	b := &bodies{semaphore.NewWeighted(totalBodies), map[string]*semaphore.Weighted{"": semaphore.NewWeighted(eachBodies)}}
	for name := range tokens {
		b.each[name] = semaphore.NewWeighted(eachBodies)
	}
	return b
}

// acquire waits for room for a body of size bytes.
func (b *bodies) acquire(ctx context.Context, token string, size int64) (release func(), err error) {
	if size <= smallBody {
		return func() {}, nil
	}
	each := b.each[token]
	if err := each.Acquire(ctx, size); err != nil {
		return nil, err
	}
	if err := b.all.Acquire(ctx, size); err != nil {
		each.Release(size)
		return nil, err
	}
	return func() { b.all.Release(size); each.Release(size) }, nil
}
