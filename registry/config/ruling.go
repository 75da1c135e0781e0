package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/registry"
)

// Verify says which tool of a server finds out whether a call of another one was made.
type Verify struct {
	Tool string // the tool of the call
	By   string // the tool that finds out
	// Reference is the argument with a value unique to the call. By takes an argument of the same
	// name.
	Reference string
	// After is the time after the call from which "not found" is reliable. If zero, it never is.
	After time.Duration
}

// verifyRule is a Verify as written in a file.
type verifyRule struct {
	Tool      string `json:"tool"`
	Reference string `json:"reference"`
	After     string `json:"after"`
}

// sendAgain applies the settings for repeated calls to s.
func (u *settings) sendAgain(s *Server) error {
	if u.Session != nil {
		s.Session = *u.Session
	}
	if u.Idempotency != "" {
		d, err := Duration(u.Idempotency)
		if err != nil {
			return fmt.Errorf("usetools.idempotency is %.40q: %w", u.Idempotency, err)
		}
		s.Idempotency = d
	}
	for _, tool := range names(u.Verify) {
		r := u.Verify[tool]
		v := Verify{Tool: tool, By: r.Tool, Reference: r.Reference}
		switch {
		case tool == "" || wild(tool) > 0:
			return fmt.Errorf("usetools.verify has %.40q: want the name of a tool", tool)
		case r.Tool == "" || r.Reference == "":
			return fmt.Errorf(`usetools.verify has no tool or no reference for %.40q: want {"tool": "find_order", `+
				`"reference": "ref"}: a read tool, and the argument with a value unique to the call`, tool)
		case r.Tool == tool || !registry.IsPattern(r.Tool) || wild(r.Tool) > 0:
			return fmt.Errorf("usetools.verify.%s has the tool %.40q: want the name of a different tool that reads", tool, r.Tool)
		}
		if r.After != "" {
			var err error
			if v.After, err = Duration(r.After); err != nil {
				return fmt.Errorf("usetools.verify.%s has after %.40q: %w", tool, r.After, err)
			}
		}
		s.verify(v)
	}
	return nil
}

// verify adds v, replacing an entry for the same tool.
func (s *Server) verify(v Verify) {
	for i := range s.Verify {
		if s.Verify[i].Tool == v.Tool {
			s.Verify[i] = v
			return
		}
	}
	s.Verify = append(s.Verify, v)
}

// Duration parses a positive duration as time.ParseDuration does, or in days: "7d".
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		if n, err = strconv.Atoi(days); err == nil && n > 1e5 {
			err = strconv.ErrRange
		}
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("want a duration like %q, %q or %q", "10m", "24h", "7d")
	}
	return d, nil
}

// Ruling reports whether a key of "usetools" is, or is likely to mean, a key that says which
// calls need approval or which results are untrusted, and returns that key. A misspelt one must
// not be ignored.
func Ruling(key string) (meant string, is bool) {
	for _, known := range []string{"approve", "tokens", "untrusted", "targets"} {
		near, was := misspelt(key, []string{known})
		if key == known || was && near == known || strings.HasPrefix(strings.ToLower(key), known[:5]) {
			return known, true
		}
	}
	return "", false
}

// Object returns the values of a JSON object by key, and the keys in order. It returns an error
// for other JSON or a duplicate key.
func Object(raw []byte) (keys []string, values map[string][]byte, err error) {
	all, err := members(raw, 0)
	if err != nil {
		return nil, nil, err
	}
	values = make(map[string][]byte, len(all))
	for _, m := range all {
		if _, twice := values[m.key]; twice {
			return nil, nil, fmt.Errorf("it has a duplicate key %.40q", m.key)
		}
		keys = append(keys, m.key)
		values[m.key] = m.value
	}
	return keys, values, nil
}
