package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/registry"
)

// Verify says which tool of a server tells whether a call of another one was made.
type Verify struct {
	Tool string // the name of the one that was called
	By   string // the name of the one that tells
	// Reference is the name of an argument whose value no other call has; By takes one
	// of the same name.
	Reference string
	// After is how long after the call the answer that there is no such thing is true;
	// 0: never.
	After time.Duration
}

// verifyRule is a Verify as a file writes it.
type verifyRule struct {
	Tool      string `json:"tool"`
	Reference string `json:"reference"`
	After     string `json:"after"`
}

// sendAgain lets what the settings say of calls that are sent again,
// win over what s has.
func (u *settings) sendAgain(s *Server) error {
	if u.Session != nil {
		s.Session = *u.Session
	}
	if u.Idempotency != "" {
		d, err := Duration(u.Idempotency)
		if err != nil {
			return fmt.Errorf("usetools.idempotency is %.40q, %w", u.Idempotency, err)
		}
		s.Idempotency = d
	}
	for _, tool := range names(u.Verify) {
		r := u.Verify[tool]
		v := Verify{Tool: tool, By: r.Tool, Reference: r.Reference}
		switch {
		case tool == "" || wild(tool) > 0:
			return fmt.Errorf("usetools.verify has %.40q, want the name of a tool", tool)
		case r.Tool == "" || r.Reference == "":
			return fmt.Errorf(`usetools.verify has for %.40q no tool or no reference, want {"tool": "find_order", `+
				`"reference": "ref"}: a tool that reads, and the argument whose value only that call has`, tool)
		case r.Tool == tool || !registry.IsPattern(r.Tool) || wild(r.Tool) > 0:
			return fmt.Errorf("usetools.verify.%s has the tool %.40q, want the name of another one, which reads", tool, r.Tool)
		}
		if r.After != "" {
			var err error
			if v.After, err = Duration(r.After); err != nil {
				return fmt.Errorf("usetools.verify.%s has after %.40q, %w", tool, r.After, err)
			}
		}
		s.verify(v)
	}
	return nil
}

// verify adds v in the place of what there is for its tool.
func (s *Server) verify(v Verify) {
	for i := range s.Verify {
		if s.Verify[i].Tool == v.Tool {
			s.Verify[i] = v
			return
		}
	}
	s.Verify = append(s.Verify, v)
}

// Duration reads a time of more than 0 as time.ParseDuration does, or in days: "7d".
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

// Ruling reports whether a key of "usetools" is, or was meant to be, one of those
// that say which calls need approval and which results are untrusted, and which key: one
// that is misspelt must not do nothing.
func Ruling(key string) (meant string, is bool) {
	for _, known := range []string{"approve", "tokens", "untrusted", "targets"} {
		near, was := misspelt(key, []string{known})
		if key == known || was && near == known || strings.HasPrefix(strings.ToLower(key), known[:5]) {
			return known, true
		}
	}
	return "", false
}

// Object returns the values of a JSON object by its keys, and the keys in their
// order; an error where it is none, or has a key twice.
func Object(raw []byte) (keys []string, values map[string][]byte, err error) {
	all, err := members(raw, 0)
	if err != nil {
		return nil, nil, err
	}
	values = make(map[string][]byte, len(all))
	for _, m := range all {
		if _, twice := values[m.key]; twice {
			return nil, nil, fmt.Errorf("the key %.40q stands twice", m.key)
		}
		keys = append(keys, m.key)
		values[m.key] = m.value
	}
	return keys, values, nil
}
