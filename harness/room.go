package harness

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// DefaultRoom is the bytes of results that one Room has, MaxRoom those that
	// all of a process have together.
	DefaultRoom = 64 << 20
	MaxRoom     = 256 << 20

	// strangers is how many calls of a tool are sent at once whose results'
	// size nobody knows, for patience at most; each has strangerRoom.
	strangers    = 2
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
// MaxRoom those of the process. A call that finds no room waits before it is
// sent.
//
// How large a result will be only the server knows. To keep room for the
// largest (Limits.Result) would let two calls run at a time. So a call has room
// for what its tool gave lately, times what reading it takes, and the first
// calls of a tool, of which nobody knows it, are few at a time. A result that
// is larger than that takes more room when it comes, and is refused where there
// is none: to wait would hold it. Small calls do not queue behind large ones
// that wait.
//
// What goes beyond the room is what servers send at that moment: a backend has
// read a result before it is weighed here, at most as many at a time as its
// server has calls at once.
type Room struct {
	max, used int64 // under the lock of its results
}

// NewRoom returns room for max bytes; 0: DefaultRoom. One result alone always
// has room.
func NewRoom(max int64) *Room {
	if max <= 0 {
		max = DefaultRoom
	}
	return &Room{max: max}
}

// fits reports whether n more bytes fit for a call that has some already.
func (r *Room) fits(n, own int64) bool { return n <= 0 || r.used+n <= r.max || r.used == own }

// share is what a call has of a room.
type share struct {
	room  *Room
	bytes int64
}

func (s *share) set(n int64) {
	s.room.used += n - s.bytes
	s.bytes = n
}

// want is what a call wants of the room before it is sent. Even for the largest
// results that leaves some to small ones, so that it need not wait for these.
func (s *share) want(n int64) int64 { return min(n, s.room.max-s.room.max/4) }

// results are those of a process.
type results struct {
	patience time.Duration

	mu    sync.Mutex
	all   Room
	tools map[string]*size
	freed chan struct{} // closed when there may be room; nil when nobody waits
}

// size is what is known of the results of a tool.
type size struct {
	lately  int64              // bytes of the largest; 0: none has come yet
	waiting map[*held]struct{} // calls that the server has not answered
}

// room is what a call wants.
func (z *size) room() int64 {
	if z.lately == 0 {
		return strangerRoom
	}
	return max(reading*z.lately, leastRoom)
}

var underWay = newResults(MaxRoom, patience)

func newResults(max int64, patience time.Duration) *results {
	return &results{patience: patience, all: Room{max: max}, tools: map[string]*size{}}
}

// held is the room of one call.
type held struct {
	of       *results
	size     *size
	shares   [2]share // of its Room, and of the process
	released bool
}

// hold waits until there is room for the result of a tool. Call come when the
// server has answered, and release when nobody needs the result any more.
func (s *results) hold(ctx context.Context, room *Room, tool string) (*held, error) {
	var patient <-chan time.Time
	hurry := false
	for {
		s.mu.Lock()
		z := s.tools[tool]
		if z == nil {
			if len(s.tools) >= maxSizes {
				clear(s.tools)
			}
			z = &size{waiting: map[*held]struct{}{}}
			s.tools[tool] = z
		}
		h := &held{of: s, size: z, shares: [2]share{{room: room}, {room: &s.all}}}
		if (z.lately > 0 || len(z.waiting) < strangers || hurry) && h.fits(z.room()) {
			z.waiting[h] = struct{}{}
			h.grow(z.room())
			s.mu.Unlock()
			return h, nil
		}
		if s.freed == nil {
			s.freed = make(chan struct{})
		}
		freed, used := s.freed, room.used
		s.mu.Unlock()
		if patient == nil {
			patient = time.After(s.patience)
		}
		select {
		case <-freed:
		case <-patient:
			hurry = true
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for room for its result, with %d MB taken of %d: %w", used>>20, room.max>>20, ctx.Err())
		}
	}
}

// fits reports whether a call that is to be sent finds the room it wants. The
// caller holds the lock, here and below.
func (h *held) fits(n int64) bool {
	return h.shares[0].room.fits(h.shares[0].want(n), 0) && h.shares[1].room.fits(h.shares[1].want(n), 0)
}

// grow takes what a call wants.
func (h *held) grow(n int64) {
	for i := range h.shares {
		s := &h.shares[i]
		s.set(max(s.bytes, s.want(n)))
	}
}

// set makes the room that a call has n bytes.
func (h *held) set(n int64) {
	for i := range h.shares {
		h.shares[i].set(n)
	}
	if h.of.freed != nil {
		close(h.of.freed)
		h.of.freed = nil
	}
}

// come notes that the server has answered, with so many bytes. The error says
// that there is no room for them.
func (h *held) come(bytes int) error {
	s, z, n := h.of, h.size, int64(bytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(z.waiting, h)
	z.lately = max(n, z.lately-z.lately/8, 1) // 0: not known
	defer func() {
		for other := range z.waiting { // which will have such a result, too
			if !other.released {
				other.grow(z.room())
			}
		}
	}()
	if h.released {
		return nil // the run has ended
	}
	for _, x := range h.shares {
		if !x.room.fits(n-x.bytes, x.bytes) {
			h.set(0)
			return fmt.Errorf("the tool was called, but its result of %d bytes found no room beside the others under way (at most %d MB): make fewer calls at once, or ask for less", n, x.room.max>>20)
		}
	}
	h.set(n)
	return nil
}

// release gives the room back.
func (h *held) release() {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if !h.released {
		h.released = true
		h.set(0)
	}
}
