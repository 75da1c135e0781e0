package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/usetools/usetools/harness/record/store"
)

// valuesOf returns the subjects of the values beside a record, including their further parts.
func valuesOf(name string) string { return prefix + "val." + idOf(name) + ".>" }

func (s *sink) Beside(sum string, value []byte) error {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	ctx, cancel := s.b.c.bounded()
	defer cancel()
	err = s.b.put(ctx, s.name, sum, value)
	if errors.Is(err, fs.ErrExist) { // its name is the digest of its content
		return nil
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beside += int64(len(value))
	s.put = append(s.put, besideSubject(idOf(s.name), sum))
	return nil
}

func (b *backing) Put(name, file string, value []byte) error {
	ctx, cancel := b.c.bounded()
	defer cancel()
	if _, _, err := b.c.lastOf(ctx, name); err != nil {
		return err
	}
	err := b.put(ctx, name, file, value)
	b.news.Notify()
	return err
}

// put stores a value beside a record.
func (b *backing) put(ctx context.Context, name, file string, value []byte) error {
	err := b.c.putValue(ctx, b.c.records, besideSubject(idOf(name), file), value)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return err
}

func (b *backing) Value(name, file string, max int64) ([]byte, error) {
	if _, _, ok := store.ParseName(name); !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	value, err := b.c.value(ctx, b.c.records, besideSubject(idOf(name), file), max)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: file, Err: err}
	}
	return value, nil
}

// Tidy does nothing: what a killed writer left without a record expires with the stream.
func (b *backing) Tidy() error { return nil }
