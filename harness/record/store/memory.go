package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// maxMemory bounds, in bytes, what all records in memory take. One that takes
// more than a quarter of that is not kept, and neither is one that grows while
// those under way take all of it.
const maxMemory = 64 << 20

// memory has records in memory.
type memory struct {
	n      int   // ended records that are kept
	most   int64 // bytes of all
	secret []byte
	news   Signal
	clock  func() time.Time

	mu      sync.Mutex
	records map[string]*memoryRecord
	bytes   int64
	claims  map[string]bool // by name

	one chan struct{} // has a value while somebody is alone
}

// memoryRecord is one record. Its memory's mu is also its own.
type memoryRecord struct {
	m      *memory
	name   string
	buf    []byte
	values map[string][]byte
	bytes  int64
	listed bool
	ended  bool
	stays  time.Time // until when it is not dropped when it has ended
	gone   bool      // it is not kept any more; what is written to it goes nowhere
}

func newMemory(n int) *memory {
	return &memory{n: n, most: maxMemory, secret: randomKey(), clock: time.Now,
		records: map[string]*memoryRecord{}, claims: map[string]bool{}, one: make(chan struct{}, 1)}
}

func (m *memory) Changes() *Signal              { return &m.news }
func (m *memory) Key(make bool) ([]byte, error) { return m.secret, nil }
func (m *memory) Tidy() error                   { return nil }

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

func (r *memoryRecord) Write(b []byte) (int, error) {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	if !r.gone {
		r.buf = append(r.buf, b...)
		r.grow(len(b))
	}
	return len(b), nil
}

func (r *memoryRecord) Beside(sum string, value []byte) error {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	if !r.gone {
		r.values[sum] = bytes.Clone(value)
		r.grow(len(value))
	}
	return nil
}

func (m *memory) Reopen(name string, _ bool) (Sink, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[name]
	switch {
	case r == nil:
		return nil, fs.ErrNotExist
	case !r.ended:
		return nil, ErrRunning
	}
	r.ended = false
	return r, nil
}

// Cut does nothing: a record in memory has no torn end.
func (r *memoryRecord) Cut(size int64) error { return nil }

func (m *memory) Put(name, file string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[name]
	if r == nil {
		return fs.ErrNotExist
	}
	if _, ok := r.values[file]; ok {
		return fs.ErrExist
	}
	r.values[file] = bytes.Clone(value)
	r.grow(len(value))
	return nil
}

func (r *memoryRecord) Sync() error { return nil }

func (r *memoryRecord) FileID() (device, inode uint64, err error) { return 0, 0, nil }

func (r *memoryRecord) Publish() error {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.listed = true
	return nil
}

func (r *memoryRecord) Close() error {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.ended = true
	if !r.listed {
		r.m.drop(r)
	}
	r.stays = r.keptUntil()
	r.m.trim()
	return nil
}

// keptUntil returns keptUntil of its run. The caller holds mu.
func (r *memoryRecord) keptUntil() time.Time {
	if b, e, _ := ends(&memorySource{bytes.NewReader(r.buf), false}); over(b, e) {
		return time.Time{}
	}
	run, err := record.Parse(r.buf, record.Stored{Clock: r.m.clock})
	if err != nil {
		return time.Time{}
	}
	return keptUntil(run)
}

// grow counts what was written, and makes room for it.
func (r *memoryRecord) grow(n int) {
	r.bytes += int64(n)
	r.m.bytes += int64(n)
	if r.bytes > r.m.most/4 {
		r.m.drop(r)
	}
	if r.m.bytes > r.m.most {
		r.m.trim()
	}
	if r.m.bytes > r.m.most { // by runs under way
		r.m.drop(r)
	}
}

// trim drops the oldest of the ended records that are too many or too large, but
// none that waits.
func (m *memory) trim() {
	now := m.clock()
	ended := m.sorted(func(r *memoryRecord) bool { return r.ended && !r.stays.After(now) })
	for i, name := range ended {
		if len(ended)-i <= m.n && m.bytes <= m.most {
			return
		}
		m.drop(m.records[name])
	}
}

func (m *memory) drop(r *memoryRecord) {
	if r.gone {
		return
	}
	delete(m.records, r.name)
	m.bytes -= r.bytes
	r.gone, r.buf, r.values = true, nil, nil
}

func (m *memory) sorted(which func(*memoryRecord) bool) []string {
	var names []string
	for name, r := range m.records {
		if which(r) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (m *memory) Names() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sorted(func(r *memoryRecord) bool { return r.listed }), nil
}

func (*memory) SentWithin() time.Duration { return sentWithin }

func (m *memory) Find(id string) ([]string, error) { return find(m, id) }

func (*memory) Note(string, string) error     { return errors.ErrUnsupported }
func (*memory) Latest(string) (string, error) { return "", errors.ErrUnsupported }

func (*memory) Stamp(string) (Stamp, bool) { return Stamp{}, false }

func (m *memory) Open(name string) (Source, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[name]
	if r == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	}
	return &memorySource{bytes.NewReader(r.buf), !r.ended}, nil // what was written is not changed
}

type memorySource struct {
	*bytes.Reader
	live bool
}

func (s *memorySource) Size() (int64, error)   { return s.Reader.Size(), nil }
func (s *memorySource) Running() (bool, error) { return s.live, nil }
func (s *memorySource) Close() error           { return nil }

func (m *memory) Value(name, file string, max int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[name]; r != nil {
		if value, ok := r.values[file]; ok {
			return bytes.Clone(value), nil
		}
	}
	return nil, os.ErrNotExist
}

func (m *memory) Values(name string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[name]; r != nil {
		return slices.DeleteFunc(slices.Collect(maps.Keys(r.values)), notDigest), nil
	}
	return nil, os.ErrNotExist
}

func (m *memory) Remove(name string, spare func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[name]
	switch {
	case r == nil:
		return os.ErrNotExist
	case !r.ended:
		return ErrRunning
	case spare != nil && r.stays.After(m.clock()): // as spare would say, which needs mu
		return errStays
	}
	m.drop(r)
	return nil
}

func (m *memory) Size(name string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[name]; r != nil {
		return r.bytes, nil
	}
	return 0, os.ErrNotExist
}

func (m *memory) Alone(ctx context.Context) (func() error, error) {
	select {
	case m.one <- struct{}{}:
		return func() error { <-m.one; return nil }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
