package flow

import (
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Window is how long a client without sessions stays Read after untrusted text was returned to it.
const Window = 24 * time.Hour

// Session has the texts that a client and its scripts have seen. It is Clean until untrusted text
// may have been returned to the client, and Read from then on. It is safe for concurrent use.
type Session struct {
	Index
	// Window limits how long the session stays Read and its plans are valid. If zero, forever.
	Window time.Duration

	filling sync.Once
	mu      sync.Mutex
	read    time.Time // when untrusted text was last returned; zero while the session is Clean
	planned map[string]time.Time
}

// NewUnknown returns a Session for a client with an unknown history: it is always Read, and a value
// that trusted text does not contain is foreign.
func NewUnknown() *Session {
	s := &Session{}
	s.Forget()
	return s
}

// Forget makes the history of the session unknown, as after a run whose results were not added.
func (s *Session) Forget() { s.overflow(Untrusted) }

// Fill calls fill at most once in the life of the session, to add its earlier history.
func (s *Session) Fill(fill func()) { s.filling.Do(fill) }

// IsRead reports whether untrusted text may have been returned to the client: scripts that it sends
// now are late, see the package comment.
func (s *Session) IsRead(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.IsFull() || s.counts(s.read, now)
}

func (s *Session) counts(at, now time.Time) bool {
	return !at.IsZero() && (s.Window == 0 || now.Sub(at) < s.Window)
}

// Return notes that untrusted text may have been returned to the client.
func (s *Session) Return(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.After(s.read) {
		s.read = at
	}
}

// Plan notes the tools that a script declares. Do not call it for a script that is late.
func (s *Session) Plan(at time.Time, tools ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.planned == nil {
		s.planned = map[string]time.Time{}
	}
	for _, t := range tools {
		s.planned[t] = at
	}
}

func (s *Session) hasPlanned(tool string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts(s.planned[tool], now)
}

// Facts answer the questions of rules and people about one call, computed when needed. Nil Facts
// mean that nothing is known: the call is late and foreign, not planned and not explained.
type Facts struct {
	index   *Index
	set     *Settings
	tool    string
	args    json.RawMessage
	late    bool
	planned bool
	origins func() []Origin
}

// Facts returns the facts about a call of a script. late is true if the script was sent when the
// session was Read.
func (s *Session) Facts(set *Settings, late bool, tool string, args json.RawMessage, now time.Time) *Facts {
	f := &Facts{index: &s.Index, set: set, tool: tool, args: args, late: late, planned: s.hasPlanned(tool, now)}
	f.origins = sync.OnceValue(func() []Origin { return f.index.Explain(f.set, f.tool, f.args) })
	return f
}

// IsLate reports whether the script was sent after untrusted text may have reached the client.
func (f *Facts) IsLate() bool { return f == nil || f.late || f.index.IsFull() }

// IsPlanned reports whether a script of the session that is not late declares the tool.
func (f *Facts) IsPlanned() bool { return f != nil && f.planned }

// Origins returns the origins of the values in the arguments.
func (f *Facts) Origins() []Origin {
	if f == nil {
		return nil
	}
	return f.origins()
}

// IsExplained reports whether trusted texts contain all targets of the call. A call without targets
// is explained if its targets are configured.
func (f *Facts) IsExplained() bool {
	if f == nil {
		return false
	}
	_, targets := f.set.Targets(f.tool)
	for _, o := range f.Origins() {
		if o.Target && !o.IsExplained() {
			return false
		}
		targets = targets || o.Target
	}
	return targets
}

// IsForeign reports whether untrusted text contains a value of the arguments, see Index.IsForeign.
func (f *Facts) IsForeign(value any) bool { return f == nil || f.index.IsForeign(value) }

// MaxShown bounds the origins that a question shows.
const MaxShown = 20

// Shown returns the origins that a question shows: those of targets, then those of foreign values.
func Shown(all []Origin) []Origin {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b Origin) int { return rank(&a) - rank(&b) })
	return out[:min(len(out), MaxShown)]
}

func rank(o *Origin) int {
	switch {
	case o.Target && o.IsForeign():
		return 0
	case o.Target:
		return 1
	case o.IsForeign():
		return 2
	}
	return 3
}

// maxSessions bounds the sessions that are kept.
const maxSessions = 10_000

// maxKept bounds the texts of all sessions together, in bytes.
const maxKept = 128 << 20

// Sessions are the sessions of a process, by key. The zero value is ready to use. It is safe for
// concurrent use. Beyond maxKept, the texts of the least recently used sessions are removed.
type Sessions struct {
	mu   sync.Mutex
	all  map[string]*Session
	used []string // keys, the latest last
	lost bool     // sessions were dropped, so that a new key may be an old one
}

// Of returns the session of a key. If the key is new, Of makes a session with a window.
func (x *Sessions) Of(key string, window time.Duration) *Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.all[key]
	if s == nil {
		if len(x.all) >= maxSessions {
			clear(x.all)
			x.used, x.lost = nil, true
		}
		s = &Session{Window: window}
		if x.lost {
			s.Forget()
		}
		if x.all == nil {
			x.all = map[string]*Session{}
		}
		x.all[key] = s
	}
	if n := len(x.used); n == 0 || x.used[n-1] != key {
		x.used = append(slices.DeleteFunc(x.used, func(k string) bool { return k == key }), key)
	}
	size := 0
	for i := len(x.used) - 1; i >= 0; i-- {
		if size += x.all[x.used[i]].size(); size > maxKept {
			x.all[x.used[i]].drop()
		}
	}
	return s
}
