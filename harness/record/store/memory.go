package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"
)

// maxMemory is the maximum size of all records in memory, in bytes. A record of more than a quarter
// of it is dropped, as is one that grows while unfinished records take all of it.
const maxMemory = 64 << 20

// memory has the records of a store in memory.
type memory struct {
	most   int64  // bytes of all records
	prune  func() // removes ended records that need not be kept
	secret []byte
	news   Signal

	mu      sync.Mutex
	records map[string]*memoryRecord
	bytes   int64
	claims  map[string]bool // by name

	one chan struct{} // holds a value between Alone and release
}

// memoryRecord is one record. The mu of its memory guards it.
type memoryRecord struct {
	m      *memory
	name   string
	buf    []byte
	values map[string][]byte
	bytes  int64
	listed bool
	ended  bool
	gone   bool // dropped; writes are discarded
}

func newMemory() *memory {
	return &memory{most: maxMemory, secret: randomKey(), records: map[string]*memoryRecord{}, claims: map[string]bool{},
		one: make(chan struct{}, 1)}
}

func (m *memory) Changes() *Signal              { return &m.news }
func (m *memory) Key(make bool) ([]byte, error) { return m.secret, nil }
func (*memory) Tidy() error                     { return nil }
func (*memory) SentWithin() time.Duration       { return sentWithin }
func (*memory) Notes() Notes                    { return nil }

// in calls f with a record while it holds mu, and returns the result.
func in[T any](m *memory, name string, f func(*memoryRecord) (T, error)) (v T, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[name]; r != nil {
		return f(r)
	}
	return v, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (m *memory) Create(name string) (Sink, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[name] != nil {
		return nil, ErrTaken
	}
	r := &memoryRecord{m: m, name: name, values: map[string][]byte{}}
	m.records[name] = r
	return r, nil
}

func (m *memory) Reopen(name string, _ bool) (Sink, error) {
	return in(m, name, func(r *memoryRecord) (Sink, error) {
		if _, err := r.idle(); err != nil {
			return nil, err
		}
		r.ended = false
		return r, nil
	})
}

func (r *memoryRecord) Write(b []byte) (int, error) {
	r.m.mu.Lock()
	if !r.gone {
		r.buf = append(r.buf, b...)
	}
	r.m.mu.Unlock()
	r.grow(len(b))
	return len(b), nil
}

func (r *memoryRecord) Beside(sum string, value []byte) error {
	err := r.m.Put(r.name, sum, value)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) { // it was dropped
		return nil
	}
	return err
}

func (r *memoryRecord) Sync() error     { return nil }
func (r *memoryRecord) Cut(int64) error { return nil } // a record in memory has no torn end

func (r *memoryRecord) FileID() (device, inode uint64, err error) { return 0, 0, nil }

func (r *memoryRecord) Publish() error {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.listed = true
	return nil
}

func (r *memoryRecord) Close() error {
	r.m.mu.Lock()
	if r.ended = true; !r.listed {
		r.drop()
	}
	r.m.mu.Unlock()
	r.m.prune()
	return nil
}

// grow counts bytes that were added to the record and makes room for them, or drops the
// record if there is no room.
func (r *memoryRecord) grow(n int) {
	m := r.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.gone {
		return
	}
	r.bytes += int64(n)
	m.bytes += int64(n)
	if r.bytes > m.most/4 {
		r.drop()
	}
	if m.bytes > m.most {
		m.mu.Unlock()
		m.prune()
		m.mu.Lock()
	}
	if m.bytes > m.most { // unfinished runs take all
		r.drop()
	}
}

// drop forgets the record. The caller holds mu.
func (r *memoryRecord) drop() {
	if r.gone {
		return
	}
	delete(r.m.records, r.name)
	r.m.bytes -= r.bytes
	r.gone, r.buf, r.values = true, nil, nil
}

func (m *memory) Names() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for name, r := range m.records {
		if r.listed {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (m *memory) Find(id string) ([]string, error) { return find(m, id) }

// Stamp returns the size only: records in memory are appended to only.
func (m *memory) Stamp(name string) (Stamp, bool) {
	at, err := in(m, name, func(r *memoryRecord) (Stamp, error) { return Stamp{Size: int64(len(r.buf))}, nil })
	return at, err == nil
}

func (m *memory) Open(name string) (Source, error) {
	return in(m, name, func(r *memoryRecord) (Source, error) { return &memorySource{bytes.NewReader(r.buf), !r.ended}, nil })
}

type memorySource struct {
	*bytes.Reader
	live bool
}

func (s *memorySource) Size() (int64, error)   { return s.Reader.Size(), nil }
func (s *memorySource) Running() (bool, error) { return s.live, nil }
func (s *memorySource) Close() error           { return nil }

func (m *memory) Put(name, file string, value []byte) error {
	r, err := in(m, name, func(r *memoryRecord) (*memoryRecord, error) {
		if _, ok := r.values[file]; ok {
			return nil, fs.ErrExist
		}
		r.values[file] = bytes.Clone(value)
		return r, nil
	})
	if err == nil {
		r.grow(len(value))
	}
	return err
}

func (m *memory) Value(name, file string, max int64) ([]byte, error) {
	return in(m, name, func(r *memoryRecord) ([]byte, error) {
		if value, ok := r.values[file]; ok {
			return bytes.Clone(value), nil
		}
		return nil, fs.ErrNotExist
	})
}

func (m *memory) Size(name string) (int64, error) {
	return in(m, name, func(r *memoryRecord) (int64, error) { return r.bytes, nil })
}

// Remove calls check without holding mu, because check reads the record.
func (m *memory) Remove(name string, check func() error) error {
	r, err := in(m, name, (*memoryRecord).idle)
	if err == nil && check != nil {
		err = check()
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err = r.idle(); err == nil { // it may have been reopened
		r.drop()
	}
	return err
}

// idle returns the record, or ErrRunning if it has a writer.
func (r *memoryRecord) idle() (*memoryRecord, error) {
	if !r.ended {
		return nil, ErrRunning
	}
	return r, nil
}

func (m *memory) Alone(ctx context.Context) (func() error, error) {
	select {
	case m.one <- struct{}{}:
		return func() error { <-m.one; return nil }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *memory) Once(name string, now time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.claims, func(old string, _ bool) bool { return claimOver(old, now) })
	first := !m.claims[name]
	m.claims[name] = true
	return first, nil
}
