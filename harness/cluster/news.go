package cluster

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/record/store"
)

// listen subscribes the backing to the headers of the messages in the records' stream.
func (b *backing) listen(c *Cluster) {
	b.c = c
	b.known.mu.Lock()
	defer b.known.mu.Unlock()
	if sub, err := c.conn.Subscribe(newsSubjects+">", b.heard); err == nil { // else each request says that it is closed
		b.known.sub, b.known.conn = sub, c.conn
	}
}

// heard handles the headers of a message.
func (b *backing) heard(m *nats.Msg) {
	name := recordName(prefix + strings.TrimPrefix(m.Subject, newsSubjects))
	seq := said(m.Header, jetstream.SequenceHeader)
	if name != "" {
		if p, err := positionOf(m.Header, seq, int64(said(m.Header, msgSizeHeader))); err == nil {
			b.known.put(name, mark{p.seq, p.end, p.beside})
		} else {
			b.known.drop(name)
		}
	}
	b.known.hear(name, seq, said(m.Header, jetstream.LastSequenceHeader) == 0) // of its subject
	b.tells.soon(b.news.Tell)
}

// tells merges notifications: the first one goes out at once, those that follow within
// together as one.
type tells struct {
	mu         sync.Mutex
	just, more bool // one went out just now; another is due
}

// together is how long notifications are gathered.
const together = 50 * time.Millisecond

func (t *tells) soon(tell func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.just {
		t.more = true
		return
	}
	t.just, t.more = true, false
	tell()
	time.AfterFunc(together, func() {
		t.mu.Lock()
		more := t.more
		t.just = false
		t.mu.Unlock()
		if more {
			t.soon(tell)
		}
	})
}

// said returns a number that the engine has added after the publisher's headers.
func said(h nats.Header, name string) uint64 {
	all := h[name]
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.ParseUint(all[len(all)-1], 10, 63)
	return n
}

// msgSizeHeader has the size of a message that comes without its bytes.
const msgSizeHeader = "Nats-Msg-Size"

// maxKnown bounds the records whose last message is known, each about 250 bytes.
const maxKnown = 100_000

// known caches the records and their last messages. It learns of all messages, except while
// the connection is lost or this process is too slow; then it forgets everything.
type known struct {
	mu   sync.Mutex
	of   map[string]mark
	sub  *nats.Subscription // nil if subscribing failed
	conn *nats.Conn
	gaps uint64            // of the connection, as check counts them
	ids  map[string]string // the names of those in of, by their IDs

	lapses  int        // how often it has forgotten all
	listing sync.Mutex // held while all names are asked for
	names   []string   // of known records, the oldest first
	full    bool       // whether these are all
	last    uint64     // the last sequence of the stream that is known
	gone    uint64     // how many messages had been deleted when the names were listed
}

// mark is the last message of a record.
type mark struct {
	seq         uint64
	end, beside int64 // bytes of the record, and of what stands beside it
}

// put notes a message.
func (k *known) put(name string, m mark) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check()
	if old, ok := k.of[name]; ok && old.seq >= m.seq {
		return
	}
	if k.of == nil {
		k.of, k.ids = map[string]mark{}, map[string]string{}
	}
	for other := range k.of { // any one makes room
		if len(k.of) < maxKnown {
			break
		}
		delete(k.of, other)
		delete(k.ids, idOf(other))
	}
	k.of[name], k.ids[idOf(name)] = m, name
}

// find returns the name of a record by its ID, "" where it is not known.
func (k *known) find(id string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check()
	return k.ids[id]
}

// idOf is the ID that is in the name of a record.
func idOf(name string) string { return name[len(name)-idSize:] }

// get returns the last message of a record, if it is known.
func (k *known) get(name string) (m mark, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check()
	m, ok = k.of[name]
	return m, ok && k.sub != nil
}

// drop forgets a record.
func (k *known) drop(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.of, name)
	delete(k.ids, idOf(name))
}

// hear notes that a message was stored. name is its record's, or empty if it belongs to
// none. first reports whether it is the first of its subject.
func (k *known) hear(name string, seq uint64, first bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check()
	if k.last > 0 && seq > k.last+1 { // the stream had no leader for a moment, say
		k.forget()
	}
	k.last = max(k.last, seq)
	if name != "" && first {
		k.add(name)
	}
}

func (k *known) add(name string) {
	if at, has := slices.BinarySearch(k.names, name); !has {
		k.names = slices.Insert(k.names, at, name)
	}
}

// list returns the names of all records of the stream in a state. If they are not known, ask
// asks the engine.
func (k *known) list(state jetstream.StreamState, ask func() ([]string, error)) ([]string, error) {
	if names := k.all(state); names != nil {
		return names, nil
	}
	k.listing.Lock()
	defer k.listing.Unlock()
	if names := k.all(state); names != nil { // another one has asked
		return names, nil
	}
	k.mu.Lock()
	k.names, k.full = nil, false
	hears := k.sub != nil && k.conn.IsConnected()
	lapses := k.lapses
	k.mu.Unlock()
	names, err := ask()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.check(); hears && k.lapses == lapses {
		heard := k.names
		k.names = slices.Clone(names)
		for _, name := range heard {
			k.add(name)
		}
		k.full, k.last, k.gone = true, max(k.last, state.LastSeq), deleted(state)
	}
	return names, nil
}

// behind reports whether only notifications under way are missing.
func (k *known) behind(state jetstream.StreamState) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check()
	return k.full && k.gone == deleted(state) && k.last < state.LastSeq
}

// all returns the names of all records of the stream in a state, or nil if they are not
// known.
func (k *known) all(state jetstream.StreamState) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.check()
	if !k.full || k.gone != deleted(state) || k.last < state.LastSeq {
		return nil
	}
	return append([]string{}, k.names...)
}

// deleted is the number of messages that were deleted from a stream.
func deleted(s jetstream.StreamState) uint64 { return s.LastSeq - s.Msgs }

// check forgets everything if a notification may have been lost. The caller holds mu.
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
		k.gaps = gaps
		k.forget()
	}
}

func (k *known) forget() {
	k.of, k.ids, k.names, k.full = nil, nil, nil, false
	k.lapses++
}

func (b *backing) Stamp(name string) (store.Stamp, bool) {
	m, ok := b.known.get(name)
	return store.Stamp{Size: m.end, Written: int64(m.seq)}, ok
}
