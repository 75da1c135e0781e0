package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/usetools/usetools/harness/internal/bridge"
)

// A strand is a goroutine of the script as one that runs the script again knows
// it: by where it was started. Its path is "" for main, and for any other that of
// the goroutine which started it, a slash, the place of the go statement or the
// like, and the how-manieth it is that was started by that goroutine there:
// 12:3#1, 12:3#1/15:2#1. What runs in it alone uses it, so that nothing locks.
//
//   - A function that a timer calls more than once has 12:3#1.2 the second time.
//   - Code of the library has the place "?": the goroutine of an iter.Pull is ?#1,
//     and so is that of a Go which an interface has.
//   - A goroutine of which only native code knows is unknown#1, and is another
//     one with each call that it makes.
//   - In place of a path that would be longer than MaxPath is "~", 32 hexadecimal
//     digits of the SHA-256 of the path above, and the last part.
type strand struct {
	above   string // the path of the goroutine that started it
	own     string // the last part of the path, "" for main
	whole   string // the path, once somebody asked for it
	started map[string]int
	random  *stream // what it draws from, see random.go
}

// anyPlace is the place of what the library starts.
const anyPlace = "?"

// MaxPath bounds the path of a goroutine, in bytes.
const MaxPath = 1000

func (s *strand) path() string {
	if s.whole != "" || s.own == "" {
		return s.whole
	}
	s.whole = s.own
	if s.above != "" {
		s.whole = s.above + "/" + s.own
	}
	if len(s.whole) > MaxPath {
		sum := sha256.Sum256([]byte(s.above))
		s.whole = "~" + hex.EncodeToString(sum[:16]) + "/" + s.own
	}
	return s.whole
}

// child is a goroutine that s starts at a place.
func (s *strand) child(place string) *strand {
	if s.started == nil {
		s.started = map[string]int{}
	}
	s.started[place]++
	return &strand{above: s.path(), own: place + "#" + strconv.Itoa(s.started[place])}
}

// again is s when it runs for the nth time.
func (s *strand) again(n int64) *strand {
	if n == 1 {
		return s
	}
	return &strand{above: s.above, own: s.own + "." + strconv.FormatInt(n, 10)}
}

// strands are those of all goroutines of the script that run.
type strands struct {
	mu      sync.RWMutex
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
	a.mu.RLock()
	s := a.running[id]
	a.mu.RUnlock()
	if s == nil {
		s = &strand{own: "unknown#" + strconv.FormatInt(a.unknown.Add(1), 10)}
	}
	return s
}

// Main says that the calling goroutine is the script's main one.
func (m *Machine) Main() { m.strands.enter(&strand{}) }

// from is where a call of the running goroutine comes from.
func (m *Machine) from(place string) bridge.From {
	return bridge.From{Path: m.strands.here().path(), Place: place}
}
