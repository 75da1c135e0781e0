package cluster

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/record/store"
)

// Backing returns the storage of records in the engine.
func (c *Cluster) Backing() store.Backing { return &c.backing }

// Store returns the store of the records in the engine.
func (c *Cluster) Store(o *store.StoreOptions) *store.Store {
	return store.On(c.Backing(), plainURL(c.o.URL), o)
}

// backing stores records as messages of recordsStream, one subject for each record.
type backing struct {
	c      *Cluster
	news   store.Signal
	known  known
	lives  atomic.Bool // the process is known as alive
	living sync.Once
	key    atomic.Pointer[[]byte]
}

func (b *backing) Changes() *store.Signal { return &b.news }

// SentWithin returns AckWait: storing a line may take as long while a server of the engine is away,
// and its writer owns the record as long.
func (b *backing) SentWithin() time.Duration { return b.c.o.AckWait }

func (b *backing) Create(name string) (store.Sink, error) {
	if err := b.live(); err != nil {
		return nil, err
	}
	return newSink(b, name), nil
}

// lastOf returns the last message of a record, and its position.
func (c *Cluster) lastOf(ctx context.Context, name string) (p position, m *jetstream.RawStreamMsg, err error) {
	if _, _, ok := store.ParseName(name); !ok {
		return p, nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if m, err = c.last(ctx, c.records, recordSubject(name)); errors.Is(err, fs.ErrNotExist) {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err == nil {
		p, err = positionOf(m.Header, m.Sequence, int64(len(m.Data)))
	}
	if err == nil && len(m.Data) > 0 {
		p.data = m.Sequence
	}
	return p, m, err
}

func (b *backing) Reopen(name string, dead bool) (store.Sink, error) {
	if err := b.live(); err != nil {
		return nil, err
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, _, err := b.c.lastOf(ctx, name)
	if err != nil {
		return nil, err
	}
	if !dead {
		if running, err := b.running(ctx, p); err != nil || running {
			return nil, cmp.Or(err, error(store.ErrRunning))
		}
	}
	s := newSink(b, name)
	s.listed, s.end, s.data, s.beside, s.number = true, p.end, p.data, p.beside, 1
	s.seq, err = b.c.publish(ctx, b.c.records, s.message(nil, true), s.id(1), p.seq)
	if errors.Is(err, errConflict) { // another process writes it
		return nil, store.ErrRunning
	}
	if err != nil { // it may have been stored
		s.fail(err)
		b.c.work.Go(s.leave)
		return nil, err
	}
	return s, nil
}

// running reports whether the record with this last message is open and its process is alive.
func (b *backing) running(ctx context.Context, p position) (bool, error) {
	if !p.open || p.process == b.c.id {
		return p.open, nil
	}
	return b.c.alive(ctx, p.process)
}

// writes reports whether a record is open and its process is alive. It reads only the record's last
// message.
func (b *backing) writes(name string) bool {
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, _, err := b.c.lastOf(ctx, name)
	if err != nil {
		return false
	}
	is, err := b.running(ctx, p)
	return is && err == nil
}

// Open returns the record as it is stored now.
func (b *backing) Open(name string) (store.Source, error) {
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, m, err := b.c.lastOf(ctx, name)
	if err != nil {
		return nil, err
	}
	return &source{b: b, subject: recordSubject(name), at: p, last: m.Data}, nil
}

func (b *backing) Find(id string) ([]string, error) {
	if m, ok := b.known.get(id); ok { // if it has been removed, Open returns an error
		return []string{m.name}, nil
	}
	if len(id) != idSize || token(id) != id {
		names, err := b.Names()
		return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(idOf(name), id) }), err
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	subjects, err := b.c.subjectsOf(ctx, b.c.records, prefix+"rec.*."+id)
	var names []string
	for s := range subjects {
		if name := recordName(s); name != "" {
			names = append(names, name)
		}
	}
	return names, err
}
func (b *backing) Size(name string) (int64, error) {
	if m, ok := b.known.get(idOf(name)); ok {
		return m.end + m.beside, nil
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, _, err := b.c.lastOf(ctx, name)
	return p.end + p.beside, err
}

// Most returns an upper bound of the size of all records, in bytes: the size of their stream.
func (b *backing) Most() (int64, error) {
	ctx, cancel := b.c.bounded()
	defer cancel()
	info, err := b.c.info(ctx, b.c.records)
	if err != nil {
		return 0, err
	}
	return int64(info.State.Bytes), nil
}

func (b *backing) Remove(name string, spare func() error) error {
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, _, err := b.c.lastOf(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil { // otherwise it can be neither written nor read
		running, err := b.running(ctx, p)
		if err == nil && running {
			err = store.ErrRunning
		}
		if err == nil && spare != nil {
			err = spare()
		}
		if err != nil {
			return err
		}
	}
	// A process that is just reopening it finds its message gone, and writes no more.
	if err := b.c.purge(ctx, b.c.records, recordSubject(name)); err != nil {
		return err
	}
	b.known.drop(name)
	return b.c.purge(ctx, b.c.records, valuesOf(name))
}
