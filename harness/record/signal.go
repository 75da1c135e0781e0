package record

import "sync"

// A signal tells all who wait that something has changed.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// wait returns a channel that the next change closes.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

func (s *signal) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}
