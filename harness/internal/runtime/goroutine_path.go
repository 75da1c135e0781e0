package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/usetools/usetools/harness/internal/bridge"
)

// A strand is a goroutine of the script, identified by its path. The path is the same when
// the script runs again. That of main is "". Any other path consists of the path of the
// goroutine that started it, a slash, the place of the go statement or the like, and its
// number among those that this goroutine started there: 12:3#1, 12:3#1/15:2#1. A strand is
// used only by its own goroutine while that runs, so it has no lock.
//
//   - A function that a timer calls again has 12:3#1.2 the second time.
//   - Code of the library has the place "?": the goroutine of an iter.Pull is ?#1,
//     and so is a goroutine started by Go called through an interface.
//   - A goroutine started by native code alone is unknown#1, and gets a new number
//     for each call that it makes.
//   - A path longer than MaxPath is replaced by "~", 32 hexadecimal digits of the
//     SHA-256 of the parent's path, a slash, and the last part.
type strand struct {
	above   string // the path of the goroutine that started it
	place   string // where; "" for main
	n       int    // its number among those started there, from 1
	call    int64  // number of the call of its function, where that may be called again
	known   string // the path, once computed
	started []count
	random  *stream // its random source, see random.go
}

// A count is the number of goroutines started at a place. There are few places.
type count struct {
	place string
	n     int
}

// anyPlace is the place of goroutines that the library starts.
const anyPlace = "?"

// MaxPath is the maximum length of a goroutine's path in bytes.
const MaxPath = 1000

func (s *strand) path() string {
	if s.known != "" || s.place == "" {
		return s.known
	}
	last := s.place + "#" + strconv.Itoa(s.n)
	if s.call > 1 {
		last += "." + strconv.FormatInt(s.call, 10)
	}
	s.known = last
	if s.above != "" {
		s.known = s.above + "/" + last
	}
	if len(s.known) > MaxPath {
		sum := sha256.Sum256([]byte(s.above))
		s.known = "~" + hex.EncodeToString(sum[:16]) + "/" + last
	}
	return s.known
}

// child returns a new goroutine that s starts at a place.
func (s *strand) child(place string) *strand {
	i := slices.IndexFunc(s.started, func(c count) bool { return c.place == place })
	if i < 0 {
		i = len(s.started)
		s.started = append(s.started, count{place: place})
	}
	s.started[i].n++
	return &strand{above: s.path(), place: place, n: s.started[i].n}
}

// nthCall returns s for the nth call of its function.
func (s *strand) nthCall(n int64) *strand {
	if n == 1 {
		return s
	}
	return &strand{above: s.above, place: s.place, n: s.n, call: n}
}

// strands has all running goroutines of the script.
type strands struct {
	mu      sync.Mutex
	running map[uintptr]*strand // by goroutine
	unknown atomic.Int64
}

// enter registers the calling goroutine as s, until leave.
func (a *strands) enter(s *strand) {
	id := goroutine()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == nil {
		a.running = map[uintptr]*strand{}
	}
	a.running[id] = s
}

func (a *strands) leave() {
	id := goroutine()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, id)
}

// here returns the strand of the calling goroutine.
func (a *strands) here() *strand {
	id := goroutine()
	a.mu.Lock()
	s := a.running[id]
	a.mu.Unlock()
	if s == nil {
		s = &strand{place: "unknown", n: int(a.unknown.Add(1))}
	}
	return s
}

// Main registers the calling goroutine as the script's main one.
func (m *Machine) Main() { m.strands.enter(&strand{}) }

// from returns the origin of a call of the running goroutine.
func (m *Machine) from(place string) bridge.From {
	return bridge.From{Path: m.strands.here().path(), Place: place}
}
