// Package room bounds the memory that results of tools take while they are under
// way: see [Room].
package room

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// Default is the size of a Room, in bytes of results; Max is that
	// of all Rooms of a process together.
	Default = 64 << 20
	Max     = 256 << 20

	// Strangers is how many calls of a tool are sent at once whose results'
	// size nobody knows, for patience at most; each has strangerRoom.
	Strangers    = 2
	patience     = time.Second
	strangerRoom = 1 << 20
	// reading is how often the bytes of a result are in memory while it is read
	// and taken apart; afterwards they are there once.
	reading = 4
	// leastRoom is what a call has whose tool's results are known to be small,
	// so that hundreds of them fit.
	leastRoom = 64 << 10
	// maxSizes bounds the tools whose results' sizes are known.
	maxSizes = 20_000
)

// Room bounds the results of tools that are under way, in bytes, from the call
// until the script has its result: one Room those of a session's scripts, and
// Max those of the process, of which one Tenant has half at most. A call that
// finds no room waits before it is sent.
//
// How large a result will be only the server knows. To keep room for the
// largest (Limits.Result) would let two calls run at a time. So a call has room
// for what its tool gave lately, times what reading it takes, and the first
// calls of a tool, of which nobody knows it, are few at a time. A result that
// is larger than that takes more room when it comes, and is refused where there
// is none: to wait would hold it.
//
// Small calls do not queue behind large ones that wait, and those of which it is
// known that they are small wait for room in their own session only. Large ones
// wait for that of all in turn: who holds the least goes first.
//
// What goes beyond the room is what servers send at that moment: a backend has
// read a result before it is weighed here, at most as many at a time as its
// server has calls at once.
type Room struct {
	account
	tenant *Tenant
	knows  *Tenant // whose tools' sizes are meant; nil: those of all Rooms of no Tenant
}

// Tenant groups Rooms: the results of all its Rooms count together against
// those of other tenants. The sizes of its tools' results are not used for
// other tenants. The zero value is ready to use.
type Tenant struct{ used int64 }

// New returns a Room of max bytes (0: Default) that belongs to a
// tenant; nil means a tenant of its own. A single result always fits.
func New(max int64, of *Tenant) *Room {
	if max <= 0 {
		max = Default
	}
	r := &Room{account: account{max: max}, tenant: of, knows: of}
	if of == nil {
		r.tenant = &Tenant{}
	}
	return r
}

// Tenant returns the tenant of the Room, and whether others share it.
func (r *Room) Tenant() (t *Tenant, shared bool) { return r.tenant, r.knows != nil }

// account is bytes of which some are used, under the lock of their results.
type account struct{ max, used int64 }

// fits reports whether n more bytes fit for a call that has some already.
func (a *account) fits(n, own int64) bool { return n <= 0 || a.used+n <= a.max || a.used == own }

// want is what a call wants before it is sent. Even for the largest results that
// leaves some to small ones, so that it need not wait for these.
func (a *account) want(n int64) int64 { return min(n, a.max-a.max/4) }

// Results are those of a process.
type Results struct {
	patience time.Duration

	mu      sync.Mutex
	all     account // of each tenant at most its half
	tools   map[tool]*size
	waiting []*Held       // for room, the earliest first
	freed   chan struct{} // closed when there may be room; nil when nobody waits
}

// tool is a tool for those who know of its results together.
type tool struct {
	of *Tenant
	id string
}

// size is what is known of the results of a tool.
type size struct {
	lately  int64              // bytes of the largest; 0: none has come yet
	waiting map[*Held]struct{} // calls that the server has not answered
}

// room is what a call wants.
func (z *size) room() int64 {
	if z.lately == 0 {
		return strangerRoom
	}
	return max(reading*z.lately, leastRoom)
}

var UnderWay = NewResults(Max, patience)

func NewResults(max int64, patience time.Duration) *Results {
	return &Results{patience: patience, all: account{max: max}, tools: map[tool]*size{}}
}

// tenant is the account of a tenant.
func (s *Results) tenant(t *Tenant) *account { return &account{max: s.all.max / 2, used: t.used} }

// size is what is known of a tool.
func (s *Results) size(t tool) *size {
	z := s.tools[t]
	if z == nil {
		if len(s.tools) >= maxSizes {
			clear(s.tools)
		}
		z = &size{waiting: map[*Held]struct{}{}}
		s.tools[t] = z
	}
	return z
}

// changed tells those who wait to look again.
func (s *Results) changed() {
	if s.freed != nil {
		close(s.freed)
		s.freed = nil
	}
}

// Held is the room of one call.
type Held struct {
	of          *Results
	room        *Room
	size        *size
	own, shared int64 // bytes of its Room; of its tenant and of all
	hurry       bool  // it has lost its patience
	released    bool
}

// Hold waits until there is room for the result of a tool. Call come when the
// server has answered, and release when nobody needs the result any more.
func (s *Results) Hold(ctx context.Context, room *Room, id string) (*Held, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &Held{of: s, room: room, size: s.size(tool{room.knows, id})}
	if h.goes() {
		return h, nil
	}
	s.waiting = append(s.waiting, h)
	defer func() {
		s.waiting = slices.DeleteFunc(s.waiting, func(w *Held) bool { return w == h })
		s.changed()
	}()
	patient := time.NewTimer(s.patience)
	defer patient.Stop()
	for {
		if s.freed == nil {
			s.freed = make(chan struct{})
		}
		freed, used := s.freed, room.used
		s.mu.Unlock()
		hurry := false
		select {
		case <-freed:
		case <-patient.C:
			hurry = true
		case <-ctx.Done():
		}
		s.mu.Lock()
		h.hurry = h.hurry || hurry
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("waiting for room for its result, with %d MB taken of %d: %w", used>>20, room.max>>20, err)
		}
		if h.goes() {
			return h, nil
		}
	}
}

// goes takes room for a call that is to be sent, if there is. The caller holds
// the lock, here and below.
func (h *Held) goes() bool {
	n := h.size.room()
	if !h.ready() || n > leastRoom && !h.of.all.fits(h.wants(), 0) || n > strangerRoom && !h.first() {
		return false
	}
	h.size.waiting[h] = struct{}{}
	h.grow()
	return true
}

// ready reports whether a call waits for nothing but the room of all.
func (h *Held) ready() bool {
	z, n := h.size, h.size.room()
	return (z.lately > 0 || len(z.waiting) < Strangers || h.hurry) && h.room.fits(h.room.want(n), 0) &&
		(n <= leastRoom || h.of.tenant(h.room.tenant).fits(h.wants(), 0))
}

// wants is what a call wants of the room of all.
func (h *Held) wants() int64 { return h.of.tenant(h.room.tenant).want(h.size.room()) }

// first reports whether a call goes before those of other tenants that wait for
// the room of all.
func (h *Held) first() bool {
	later := false
	for _, w := range h.of.waiting {
		switch less := w.room.tenant.used - h.room.tenant.used; {
		case w == h:
			later = true
		case w.room.tenant != h.room.tenant && (less < 0 || less == 0 && !later) && w.size.room() > leastRoom && w.ready():
			return false
		}
	}
	return true
}

// grow takes what a call wants, if it has less.
func (h *Held) grow() {
	h.set(max(h.own, h.room.want(h.size.room())), max(h.shared, h.wants()))
}

// set makes the room that a call has own and shared bytes.
func (h *Held) set(own, shared int64) {
	s, t := h.of, h.room.tenant
	h.room.used += own - h.own
	half := s.all.max / 2
	s.all.used -= min(t.used, half)
	t.used += shared - h.shared
	s.all.used += min(t.used, half)
	h.own, h.shared = own, shared
	s.changed()
}

// Come notes that the server has answered, with so many bytes. The error says
// that there is no room for them.
func (h *Held) Come(bytes int) error {
	s, z, n := h.of, h.size, int64(bytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(z.waiting, h)
	z.lately = max(n, z.lately-z.lately/8, 1) // 0: not known
	defer func() {
		for other := range z.waiting { // which will have such a result, too
			if !other.released {
				other.grow()
			}
		}
		s.changed()
	}()
	if h.released {
		return nil // the run has ended
	}
	for _, x := range []struct {
		*account
		has int64
	}{{&h.room.account, h.own}, {s.tenant(h.room.tenant), h.shared}, {&s.all, h.shared}} {
		if !x.fits(n-x.has, x.has) {
			h.set(0, 0)
			return fmt.Errorf("the tool was called, but its result of %d bytes found no room beside the others under way (at "+
				"most %d MB): make fewer calls at once, or ask for less", n, x.max>>20)
		}
	}
	h.set(n, n)
	return nil
}

// Release gives the room back.
func (h *Held) Release() {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if !h.released {
		h.released = true
		h.set(0, 0)
	}
}
