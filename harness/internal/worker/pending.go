package worker

import (
	"context"
	"sync"
)

// pending counts the bytes of the calls under way. A script that sends faster than its tools
// answer has to wait, because the parent keeps these bytes in memory.
type pending struct {
	mu    sync.Mutex
	bytes int
	freed chan struct{} // closed when bytes shrinks; nil without waiters
}

// add waits until n more bytes fit, or until nothing else is under way. It returns false if the
// run ends first.
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

// done records that a call of n bytes has ended.
func (p *pending) done(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes -= n
	if p.freed != nil {
		close(p.freed)
		p.freed = nil
	}
}
