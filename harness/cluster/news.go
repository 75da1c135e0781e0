package cluster

import (
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/usetools/usetools/harness/record"
)

// listen makes the backing hear of what others write.
func (b *backing) listen(c *Cluster) {
	b.c = c
	sub, err := c.conn.Subscribe(newsSubjects+">", b.heard)
	if err != nil { // the connection is closed, and each request says so
		return
	}
	b.known.mu.Lock()
	defer b.known.mu.Unlock()
	b.known.sub, b.known.conn = sub, c.conn
}

// heard takes the headers of a message of a record.
func (b *backing) heard(m *nats.Msg) {
	name := recordName(prefix + "rec." + strings.TrimPrefix(m.Subject, newsSubjects))
	seq, _ := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	size, _ := strconv.ParseInt(m.Header.Get("Nats-Msg-Size"), 10, 64)
	if p, err := positionOf(m.Header, seq, size); err == nil && name != "" {
		b.known.put(name, mark{p.seq, p.end})
	}
	b.news.Tell()
}

// maxKnown bounds the records of which the last message is known, each of some 150 bytes.
const maxKnown = 20_000

// known are the last messages of records, as far as this process has heard of them. It
// hears of all, except while it has no connection or is too slow.
type known struct {
	mu   sync.Mutex
	of   map[string]mark
	sub  *nats.Subscription // nil: it hears nothing
	conn *nats.Conn
	gaps uint64 // how often it did not hear
}

// mark is the last message of a record.
type mark struct {
	seq uint64
	end int64 // bytes of the record
}

func (k *known) put(name string, m mark) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check()
	if old, ok := k.of[name]; ok && old.seq >= m.seq {
		return
	}
	if k.of == nil {
		k.of = map[string]mark{}
	}
	for other := range k.of { // any one makes room
		if len(k.of) < maxKnown {
			break
		}
		delete(k.of, other)
	}
	k.of[name] = m
}

func (k *known) get(name string) (m mark, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check()
	m, ok = k.of[name]
	return m, ok && k.sub != nil
}

func (k *known) drop(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.of, name)
}

// check forgets all where something may not have been heard. The caller holds mu.
func (k *known) check() {
	if k.sub == nil {
		return
	}
	dropped, _ := k.sub.Dropped()
	gaps := 2*k.conn.Stats().Reconnects + uint64(dropped)
	if !k.conn.IsConnected() {
		gaps++
	}
	if gaps != k.gaps {
		k.of, k.gaps = nil, gaps
	}
}

func (b *backing) Stamp(name string) (record.Stamp, bool) {
	m, ok := b.known.get(name)
	return record.Stamp{Size: m.end, Written: int64(m.seq)}, ok
}
