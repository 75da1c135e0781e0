// Package room limits the memory that tool results under way use: see [Room].
package room

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// Default is the size of a Room, in bytes of results. Max is that of all Rooms of a process
	// together.
	Default = 64 << 20
	Max     = 256 << 20

	// MaxUnknown is how many calls of a tool with results of unknown size are sent at once,
	// until they have waited for patience. Each reserves unknownRoom.
	MaxUnknown  = 2
	patience    = time.Second
	unknownRoom = 1 << 20
	// reading is how many copies of a result are in memory while it is read and parsed.
	// Afterwards there is one.
	reading = 4
	// leastRoom is the reservation of a call whose tool's results are known to be small, so
	// that hundreds of calls fit.
	leastRoom = 64 << 10
	// maxSizes limits the number of tools with known result sizes.
	maxSizes = 20_000
)

// Room limits the tool results under way, in bytes, from the call until the script has its
// result. A Room limits those of a session's scripts, and Max those of the process. A Tenant
// may use half of Max. A call that does not fit waits before it is sent.
//
// Only the server knows the size of a result. Reserving the largest size (Limits.Result) would
// permit two calls at a time. So a call reserves the recent size of its tool's results, times
// the copies for reading them, and the first calls of an unknown tool are few at a time. A
// result larger than its reservation takes more when it arrives. If that does not fit it is
// refused, because waiting would keep it in memory.
//
// Small calls do not queue behind large ones that wait, and calls known to be small only wait
// for their own session's Room. Large calls wait for the process's room in turn: the tenant
// that uses the least goes first.
//
// Memory beyond the limit is used for results that are arriving: a backend has read a result
// before it is counted here. Their number is limited by the concurrent calls of each server.
type Room struct {
	account
	tenant *Tenant
	knows  *Tenant // the tenant with the tools' known sizes; if nil, the one shared by Rooms without a tenant
}

// Tenant groups Rooms: the results of all its Rooms count together against those of other
// tenants. The known sizes of its tools' results are not used for other tenants. The zero value
// is ready to use.
type Tenant struct{ used int64 }

// New returns a Room of max bytes for a tenant. If max is zero, it is Default. If tenant is
// nil, the Room has its own. A single result always fits.
func New(max int64, tenant *Tenant) *Room {
	if max <= 0 {
		max = Default
	}
	r := &Room{account: account{max: max}, tenant: tenant, knows: tenant}
	if tenant == nil {
		r.tenant = &Tenant{}
	}
	return r
}

// Tenant returns the tenant of the Room, and whether other Rooms share it.
func (r *Room) Tenant() (t *Tenant, shared bool) { return r.tenant, r.knows != nil }

// account counts used bytes, under the lock of its Results.
type account struct{ max, used int64 }

// fits reports whether n more bytes fit for a call that has own bytes already.
func (a *account) fits(n, own int64) bool { return n <= 0 || a.used+n <= a.max || a.used == own }

// want returns the reservation of a call before it is sent. Even for the largest results it
// leaves room for small ones, so that these need not wait.
func (a *account) want(n int64) int64 { return min(n, a.max-a.max/4) }

// Results are the tool results of a process.
type Results struct {
	patience time.Duration

	mu      sync.Mutex
	all     account // each tenant may use half
	tools   map[tool]*size
	waiting []*Reservation // for room, the earliest first
	freed   chan struct{}  // closed when there may be room; nil without waiters
}

// tool identifies a tool within a tenant.
type tool struct {
	of *Tenant
	id string
}

// size is the recent size of a tool's results.
type size struct {
	lately  int64                     // bytes of the largest; 0 before the first
	waiting map[*Reservation]struct{} // calls without an answer from the server
}

// room returns the bytes that a call needs.
func (z *size) room() int64 {
	if z.lately == 0 {
		return unknownRoom
	}
	return max(reading*z.lately, leastRoom)
}

var UnderWay = NewResults(Max, patience)

func NewResults(max int64, patience time.Duration) *Results {
	return &Results{patience: patience, all: account{max: max}, tools: map[tool]*size{}}
}

// tenant returns the account of a tenant.
func (s *Results) tenant(t *Tenant) *account { return &account{max: s.all.max / 2, used: t.used} }

// size returns the size of a tool's results.
func (s *Results) size(t tool) *size {
	z := s.tools[t]
	if z == nil {
		if len(s.tools) >= maxSizes {
			clear(s.tools)
		}
		z = &size{waiting: map[*Reservation]struct{}{}}
		s.tools[t] = z
	}
	return z
}

// changed wakes the waiting calls.
func (s *Results) changed() {
	if s.freed != nil {
		close(s.freed)
		s.freed = nil
	}
}

// Reservation is the memory reserved for the result of one call.
type Reservation struct {
	of          *Results
	room        *Room
	size        *size
	own, shared int64 // in its Room; in its tenant and the process
	impatient   bool  // it has waited for patience
	released    bool
}

// Reserve waits until the result of a tool fits, and reserves room for it. Call Arrived when the
// server has answered, and Release when the result is no longer needed.
func (s *Results) Reserve(ctx context.Context, room *Room, id string) (*Reservation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &Reservation{of: s, room: room, size: s.size(tool{room.knows, id})}
	if h.tryReserve() {
		return h, nil
	}
	s.waiting = append(s.waiting, h)
	defer func() {
		s.waiting = slices.DeleteFunc(s.waiting, func(w *Reservation) bool { return w == h })
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
		impatient := false
		select {
		case <-freed:
		case <-patient.C:
			impatient = true
		case <-ctx.Done():
		}
		s.mu.Lock()
		h.impatient = h.impatient || impatient
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("waiting for memory for its result, with %d of %d MB in use: %w", used>>20, room.max>>20, err)
		}
		if h.tryReserve() {
			return h, nil
		}
	}
}

// tryReserve reserves room for a call, if it fits. The caller holds the lock, here and below.
func (h *Reservation) tryReserve() bool {
	n := h.size.room()
	if !h.ready() || n > leastRoom && !h.of.all.fits(h.wants(), 0) || n > unknownRoom && !h.first() {
		return false
	}
	h.size.waiting[h] = struct{}{}
	h.grow()
	return true
}

// ready reports whether a call waits only for the process's room.
func (h *Reservation) ready() bool {
	z, n := h.size, h.size.room()
	return (z.lately > 0 || len(z.waiting) < MaxUnknown || h.impatient) && h.room.fits(h.room.want(n), 0) &&
		(n <= leastRoom || h.of.tenant(h.room.tenant).fits(h.wants(), 0))
}

// wants returns the call's reservation in the process's room.
func (h *Reservation) wants() int64 { return h.of.tenant(h.room.tenant).want(h.size.room()) }

// first reports whether a call precedes those of other tenants that wait for the process's
// room.
func (h *Reservation) first() bool {
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

// grow raises the reservation to what the call needs, if it is smaller.
func (h *Reservation) grow() {
	h.set(max(h.own, h.room.want(h.size.room())), max(h.shared, h.wants()))
}

// set changes the reservation of a call to own and shared bytes.
func (h *Reservation) set(own, shared int64) {
	s, t := h.of, h.room.tenant
	h.room.used += own - h.own
	half := s.all.max / 2
	s.all.used -= min(t.used, half)
	t.used += shared - h.shared
	s.all.used += min(t.used, half)
	h.own, h.shared = own, shared
	s.changed()
}

// Arrived records that the server has answered with a number of bytes. It returns an error if they
// do not fit.
func (h *Reservation) Arrived(bytes int) error {
	s, z, n := h.of, h.size, int64(bytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(z.waiting, h)
	z.lately = max(n, z.lately-z.lately/8, 1) // at least 1, because 0 means unknown
	defer func() {
		for other := range z.waiting { // which will probably have such a result too
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
			return fmt.Errorf("the tool was called, but its result of %d bytes does not fit into memory beside the others under way (at "+
				"most %d MB): make fewer calls at once, or ask for less", n, x.max>>20)
		}
	}
	h.set(n, n)
	return nil
}

// Release ends the reservation.
func (h *Reservation) Release() {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if !h.released {
		h.released = true
		h.set(0, 0)
	}
}
