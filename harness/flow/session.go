package flow

import (
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Window is how long untrusted text that went back to a client without sessions counts.
const Window = 24 * time.Hour

// Session is what a client and its scripts have seen. It is Clean until untrusted text may have
// gone back to the client, and Read from then on. It is safe for concurrent use. A nil Session is
// always Read, and has no texts.
type Session struct {
	Index
	// Window is how long the session stays Read, and its plans count. If zero, there is no end.
	Window time.Duration

	mu      sync.Mutex
	read    time.Time // when untrusted text went back last; zero while the session is Clean
	planned map[string]time.Time
}

// IsRead reports whether untrusted text may have gone back to the client: a script that it sends
// now is late.
func (s *Session) IsRead(now time.Time) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.IsFull() || s.counts(s.read, now)
}

func (s *Session) counts(at, now time.Time) bool {
	return !at.IsZero() && (s.Window == 0 || now.Sub(at) < s.Window)
}

// Return notes that untrusted text may have gone back to the client.
func (s *Session) Return(at time.Time) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.After(s.read) {
		s.read = at
	}
}

// Plan notes the tools that a script declares which is not late.
func (s *Session) Plan(at time.Time, tools ...string) {
	if s == nil {
		return
	}
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
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts(s.planned[tool], now)
}

// Facts are what rules and people ask about one call. They are worked out when they are asked
// for. Nil Facts say what is unknown: the call is late and foreign, not planned and not explained.
type Facts struct {
	index   *Index
	set     *Settings
	tool    string
	args    json.RawMessage
	late    bool
	planned bool
	origins func() []Origin
}

// Facts returns the facts about a call of a script. late says that the script was sent when the
// session was Read.
func (s *Session) Facts(set *Settings, late bool, tool string, args json.RawMessage, now time.Time) *Facts {
	f := &Facts{index: &Index{}, set: set, tool: tool, args: args, late: late || s == nil, planned: s.hasPlanned(tool, now)}
	if s != nil {
		f.index = &s.Index
	}
	f.origins = sync.OnceValue(func() []Origin { return f.index.Explain(f.set, f.tool, f.args) })
	return f
}

// IsLate reports whether the script was sent after untrusted text may have gone back to the client.
func (f *Facts) IsLate() bool { return f == nil || f.late || f.index.IsFull() }

// IsPlanned reports whether a script of the session declares the tool that is not late.
func (f *Facts) IsPlanned() bool { return f != nil && f.planned }

// Origins returns the origins of the values in the arguments.
func (f *Facts) Origins() []Origin {
	if f == nil {
		return nil
	}
	return f.origins()
}

// IsExplained reports whether trusted texts have all targets of the call. A call without any is
// explained if its targets are configured.
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

// IsForeign reports whether untrusted text has a value of the arguments, see Index.IsForeign.
func (f *Facts) IsForeign(value any) bool { return f == nil || f.index.IsForeign(value) }

// MaxShown is how many origins a question has.
const MaxShown = 20

// Shown returns the origins that a question has: those of targets first, then of foreign values.
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
