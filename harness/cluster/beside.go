package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

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

// put keeps a value beside a record. The message that has its name is published last.
func (b *backing) put(ctx context.Context, name, file string, value []byte) error {
	m := nats.NewMsg(besideSubject(idOf(name), file))
	nonce := strings.ToLower(rand.Text())
	first := value[:min(len(value), part)]
	n := 0
	for rest := range slices.Chunk(value[len(first):], part) {
		n++
		p := nats.NewMsg(restSubject(m.Subject, nonce, n))
		p.Data = rest
		if _, err := b.c.publish(ctx, b.c.records, p, nonce+"."+strconv.Itoa(n), 0); err != nil {
			return err
		}
	}
	m.Data = first
	m.Header.Set(ownerHeader, nonce)
	m.Header.Set(partsHeader, strconv.Itoa(n))
	_, err := b.c.publish(ctx, b.c.records, m, nonce+".0", 0)
	if errors.Is(err, errOther) {
		err = fmt.Errorf("%s: %w", file, fs.ErrExist)
		if n > 0 {
			err = errors.Join(err, b.c.purge(ctx, b.c.records, m.Subject+"."+nonce+".*"))
		}
	}
	return err
}

// restSubject is that of a part of a value, but its first one.
func restSubject(subject, nonce string, n int) string {
	return subject + "." + token(nonce) + "." + strconv.Itoa(n)
}

func (b *backing) Value(name, file string, max int64) ([]byte, error) {
	if _, _, ok := store.ParseName(name); !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	subject := besideSubject(idOf(name), file)
	m, err := b.c.last(ctx, b.c.records, subject)
	if err != nil {
		return nil, valueError(file, err)
	}
	nonce := m.Header.Get(ownerHeader)
	n, err := strconv.Atoi(m.Header.Get(partsHeader))
	if err != nil || n < 0 || int64(n) > max/part || len(nonce) > maxName {
		return nil, valueError(file, fmt.Errorf("message %d of stream %s has no valid %s and %s, or the value more than %d bytes",
			m.Sequence, recordsStream, ownerHeader, partsHeader, max))
	}
	value := m.Data
	for i := 1; i <= n; i++ {
		if m, err = b.c.last(ctx, b.c.records, restSubject(subject, nonce, i)); err != nil {
			return nil, valueError(file, err)
		}
		value = append(value, m.Data...)
		if int64(len(value)) > max {
			break
		}
	}
	if int64(len(value)) > max {
		return nil, valueError(file, fmt.Errorf("it has more than %d bytes", max))
	}
	return value, nil
}

func valueError(file string, err error) error { return &fs.PathError{Op: "read", Path: file, Err: err} }

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
