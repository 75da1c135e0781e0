package worker

import (
	"context"
	"sync"
)

// pending counts the bytes of the calls that are under way. A script that sends
// faster than its tools take waits: what it has sent is held by the parent.
type pending struct {
	mu    sync.Mutex
	bytes int
	freed chan struct{} // closed when bytes shrink; nil when nobody waits
}

// add waits until there is room for n more bytes, or nothing else is under way.
// It reports false when the run ends before.
func (p *pending) add(ctx context.Context, n int) bool {
	for {
		p.mu.Lock()
		if p.bytes == 0 || p.bytes+n <= maxPending {
			p.bytes += n
			p.mu.Unlock()
			return true
		}
		if p.freed == nil {
			p.freed = make(chan struct{})
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return false
		}
	}
}

// done says that a call of n bytes has ended.
func (p *pending) done(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes -= n
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}
