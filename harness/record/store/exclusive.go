package store

import (
	"context"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"time"
)

// aloneFile is the file whose lock is held by who is alone.
const aloneFile = "lock"

// Alone calls f while no other call of Alone is under way, in all processes with the
// same folder. It waits for its turn until ctx ends; a process that dies ends its turn.
func (s *Store) Alone(ctx context.Context, f func() error) error {
	release, err := s.in.Alone(ctx)
	if err != nil {
		return fmt.Errorf("waiting for others with the store of records: %w", err)
	}
	return errors.Join(f(), release())
}

func (d *folder) Alone(ctx context.Context) (func() error, error) {
	f, err := d.root.OpenFile(aloneFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		ok, err := lockNow(f)
		if ok {
			return f.Close, nil // which ends the lock
		}
		if err == nil {
			select {
			case <-time.After(mathrand.N(5 * time.Millisecond)):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		return nil, errors.Join(err, f.Close())
	}
}

func (m *memory) Alone(ctx context.Context) (func() error, error) {
	select {
	case m.one <- struct{}{}:
		return func() error { <-m.one; return nil }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
