package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// valuesOf are the subjects of what stands beside a record, with the rests of values.
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
	if errors.Is(err, fs.ErrExist) { // its name is the digest of what it has
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
	b.news.Tell()
	return err
}

// put keeps a value beside a record.
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

func (b *backing) Values(name string) ([]string, error) {
	subjects, err := b.subjects(prefix + "val." + idOf(name) + ".*")
	if err != nil {
		return nil, err
	}
	var sums []string
	for _, s := range subjects {
		if file := untoken(s[strings.LastIndexByte(s, '.')+1:]); record.IsDigest(file) {
			sums = append(sums, file)
		}
	}
	return sums, nil
}

// Tidy looks now and then only: what is without a record is forgotten with its stream's
// age anyway.
func (b *backing) Tidy() error {
	b.tidying.Lock()
	defer b.tidying.Unlock()
	if time.Since(b.tidied) < tidyEvery {
		return nil
	}
	b.tidied = time.Now()
	return b.tidy(b.tidied)
}

func (b *backing) tidy(now time.Time) error {
	names, err := b.Names()
	if err != nil {
		return err
	}
	left, err := b.subjects(prefix + "val.>") // after the names: a record that begins has its values first
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, name := range names {
		has[idOf(name)] = true
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	for _, subject := range left {
		id, _, _ := strings.Cut(strings.TrimPrefix(subject, prefix+"val."), ".")
		if has[id] {
			continue
		}
		m, err := b.c.last(ctx, b.c.records, subject)
		if err == nil && now.Sub(m.Time) > stale {
			err = b.c.purge(ctx, b.c.records, subject)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

const (
	tidyEvery = 10 * time.Minute
	// stale is the age from which what stands beside no record is of a run that will not
	// begin any more.
	stale = 2 * jobAge
)
