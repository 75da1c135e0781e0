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

// A strand is a goroutine of the script by its path, which it has again when the
// script runs again. That of main is "". Any other's is the path of the goroutine
// that started it, a slash, the place of the go statement or the like, and its
// number among those that this goroutine started there: 12:3#1, 12:3#1/15:2#1.
// Nobody else uses a strand while its goroutine runs, so that it has no lock.
//
//   - A function that a timer calls again has 12:3#1.2 the second time.
//   - Code of the library has the place "?": the goroutine of an iter.Pull is ?#1,
//     and so is that of a Go which an interface has.
//   - A goroutine of which only native code knows is unknown#1, and is another
//     one with each call that it makes.
//   - In place of a path that would be longer than MaxPath is "~", 32 hexadecimal
//     digits of the SHA-256 of the path above, and the last part.
type strand struct {
	above   string // the path of the goroutine that started it
	place   string // where; "" for main
	n       int    // which one of those started there, from 1
	call    int64  // which call of its function, where that may be called again
	known   string // the path, once somebody asked for it
	started []count
	random  *stream // what it draws from, see random.go
}

// A count says how many goroutines were started at a place. There are few places.
type count struct {
	place string
	n     int
}

// anyPlace is the place of what the library starts.
const anyPlace = "?"

// MaxPath bounds the path of a goroutine, in bytes.
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

// child is a goroutine that s starts at a place.
func (s *strand) child(place string) *strand {
	i := slices.IndexFunc(s.started, func(c count) bool { return c.place == place })
	if i < 0 {
		i = len(s.started)
		s.started = append(s.started, count{place: place})
	}
	s.started[i].n++
	return &strand{above: s.path(), place: place, n: s.started[i].n}
}

// again is s for the nth call of its function.
func (s *strand) again(n int64) *strand {
	if n == 1 {
		return s
	}
	return &strand{above: s.above, place: s.place, n: s.n, call: n}
}

// strands are those of all goroutines of the script that run.
type strands struct {
	mu      sync.Mutex
	running map[uintptr]*strand // by goroutine
	unknown atomic.Int64
}

// enter says that the calling goroutine is s, until leave.
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

// here is the calling goroutine.
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

// Main says that the calling goroutine is the script's main one.
func (m *Machine) Main() { m.strands.enter(&strand{}) }

// from is where a call of the running goroutine comes from.
func (m *Machine) from(place string) bridge.From {
	return bridge.From{Path: m.strands.here().path(), Place: place}
}
