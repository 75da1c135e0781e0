package record

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// One at a time is alone, of all stores of a folder; who waits does so until its
// context ends.
func TestOneIsAlone(t *testing.T) {
	dir := t.TempDir()
	memory := Memory(1, nil)
	for name, open := range map[string]func() *Store{
		"folder": func() *Store {
			s, err := Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"memory": func() *Store { return memory },
	} {
		t.Run(name, func(t *testing.T) {
			n := 0 // by who is alone
			var all sync.WaitGroup
			for range 8 {
				s := open()
				all.Go(func() {
					for range 10 {
						if err := s.Alone(t.Context(), func() error { n++; return nil }); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			if n != 80 {
				t.Errorf("%d times", n)
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
