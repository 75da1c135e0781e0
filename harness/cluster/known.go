package cluster

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/record/store"
)

// known has the position of each record's last message, from its headers. A consumer of the engine
// delivers them from the first call of Names on.
type known struct {
	watch   sync.Once
	all     chan struct{} // closed when all records are known
	telling atomic.Bool   // a notification is scheduled

	mu    sync.Mutex
	of    map[string]mark // by the record's ID; nil before the first call of Names
	names []string        // of the records, the oldest first
	gone  uint64          // the number of deleted messages when removed records were dropped
}

// mark is the last message of a record. If the message is not valid, it has only seq.
type mark struct {
	name        string
	seq         uint64
	end, beside int64 // bytes of the record, and of the values beside it
}

// notifyDelay is how long notifications are collected.
const notifyDelay = 50 * time.Millisecond

// Names returns the names of all records, the oldest first.
func (b *backing) Names() ([]string, error) {
	ctx, cancel := b.c.bounded()
	defer cancel()
	info, err := b.c.info(ctx, b.c.records)
	if err != nil {
		return nil, err
	}
	gone := info.State.LastSeq - info.State.Msgs
	k := &b.known
	k.watch.Do(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.of, k.gone = map[string]mark{}, gone
		b.c.work.Go(func() { b.c.following(b.c.ctx, "records", b.watch) })
	})
	select {
	case <-k.all:
	case <-ctx.Done():
		return nil, b.c.reached(ctx.Err())
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gone == gone {
		return slices.Clone(k.names), nil
	}
	k.mu.Unlock()
	there, err := b.c.subjectsOf(ctx, b.c.records, prefix+"rec.*.*")
	k.mu.Lock()
	if err != nil {
		return nil, err
	}
	k.gone = gone
	k.names = slices.DeleteFunc(k.names, func(name string) bool {
		if there[recordSubject(name)] > 0 || k.of[idOf(name)].seq > info.State.LastSeq {
			return false
		}
		delete(k.of, idOf(name))
		return true
	})
	return slices.Clone(k.names), nil
}

// watch reads the headers of the last message of each record, and then of each new message, until
// something fails.
func (b *backing) watch(ctx context.Context) error {
	in, err := b.c.js.OrderedConsumer(ctx, recordsStream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{prefix + "rec.>"},
		DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, HeadersOnly: true})
	if err != nil {
		return err
	}
	messages, err := in.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for left := in.CachedInfo().NumPending; ; {
		if left == 0 {
			b.known.complete()
		}
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		left = meta.NumPending
		if name := recordName(m.Subject()); name != "" {
			last := mark{name: name, seq: meta.Sequence.Stream}
			size, _ := strconv.ParseInt(m.Headers().Get("Nats-Msg-Size"), 10, 64)
			if p, err := positionOf(m.Headers(), last.seq, size); err == nil {
				last.end, last.beside = p.end, p.beside
			}
			b.known.put(last)
		}
		if b.known.telling.CompareAndSwap(false, true) {
			time.AfterFunc(notifyDelay, func() {
				b.known.telling.Store(false)
				b.news.Notify()
			})
		}
	}
}

// complete notes that all records are known.
func (k *known) complete() {
	select {
	case <-k.all:
	default:
		close(k.all)
	}
}

// put notes a message, from the engine or from this process.
func (k *known) put(m mark) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || k.of[idOf(m.name)].seq >= m.seq {
		return
	}
	k.of[idOf(m.name)] = m
	if at, has := slices.BinarySearch(k.names, m.name); !has {
		k.names = slices.Insert(k.names, at, m.name)
	}
}

// get returns the last message of a record by its ID, if it is known.
func (k *known) get(id string) (m mark, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	m, ok = k.of[id]
	return m, ok
}

// drop forgets a record.
func (k *known) drop(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.of, idOf(name))
	k.names = slices.DeleteFunc(k.names, func(other string) bool { return other == name })
}

// idOf returns the ID in the name of a record.
func idOf(name string) string { return name[strings.LastIndexByte(name, '-')+1:] }

// Stamp returns the stamp of a record's last message, if it is known.
func (b *backing) Stamp(name string) (store.Stamp, bool) {
	m, ok := b.known.get(idOf(name))
	return store.Stamp{Size: m.end, Written: int64(m.seq)}, ok
}
