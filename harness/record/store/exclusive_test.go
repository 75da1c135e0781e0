package store_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// One at a time is alone, of all stores of a folder; who waits does so until its
// context ends.
func TestOneIsAlone(t *testing.T) {
	for name, open := range shared(t) {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int64 // a lock of files orders nothing for the race detector
			add := func() error {
				n.Store(n.Load() + 1)
				return nil
			}
			var all sync.WaitGroup
			for range 8 {
				s := open()
				all.Go(func() {
					for range 10 {
						if err := s.Alone(t.Context(), add); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			if n.Load() != 80 {
				t.Errorf("%d times", n.Load())
			}
			fails := errors.New("fails")
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := open().Alone(t.Context(), func() error {
				if err := open().Alone(ctx, func() error { return nil }); !errors.Is(err, context.Canceled) {
					t.Errorf("a second one: %v", err)
				}
				return fails
			})
			if !errors.Is(err, fails) {
				t.Error(err)
			}
			if err := open().Alone(t.Context(), func() error { return nil }); err != nil {
				t.Errorf("after an error: %v", err)
			}
		})
	}
}
