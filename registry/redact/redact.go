// Package redact removes secrets from texts about a server: errors, its failure messages, its
// log, and the display of its command and URL. It decides what in a URL and on a command line
// looks like a secret.
//
// The results of successful calls are data and are not changed.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// minSecret is the shortest value that is hidden in texts, in bytes. Shorter ones ("true",
	// "error", "stdio") are words.
	minSecret = 6
	// maxAdded bounds the values from Add, such as tokens.
	maxAdded = 64

	stars = "•••"
)

// Redactor hides values in texts. It is safe for concurrent use.
type Redactor struct {
	known []string // from the definition

	mu    sync.RWMutex
	added []string // from Add, the oldest first
	r     *strings.Replacer
}

// Secrets lists the secrets of a definition.
type Secrets struct {
	// Named are values by name, as in env, headers and query. A value that is clearly not secret,
	// such as a path, is not hidden.
	Named []map[string]string
	// URLs and Args may have parts that look secret.
	URLs, Args []string
	// Values are always secret.
	Values []string
}

// New returns a redactor for the given secrets.
func New(s *Secrets) *Redactor {
	values := slices.Clone(s.Values)
	for _, m := range s.Named {
		for name, v := range m {
			if !harmless(name, v) {
				values = append(values, v)
			}
		}
	}
	for _, u := range s.URLs {
		values = append(values, inURL(u)...)
	}
	mask(s.Args, func(v ...string) { values = append(values, v...) })
	r := &Redactor{}
	for _, v := range values {
		r.known = append(r.known, spellings(v)...)
	}
	r.build()
	return r
}

// Add hides more values, such as fetched tokens. Only the newest ones are kept.
func (r *Redactor) Add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.added)
	for _, v := range values {
		for _, s := range spellings(v) {
			if !slices.Contains(r.added, s) {
				r.added = append(r.added, s)
			}
		}
	}
	if len(r.added) == before {
		return
	}
	r.added = slices.Clone(r.added[max(0, len(r.added)-maxAdded):])
	r.build()
}

func (r *Redactor) build() {
	values := slices.Concat(r.known, r.added)
	slices.SortFunc(values, func(a, b string) int { // the longest first, because one may be part of another
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(values))
	for _, v := range slices.Compact(values) {
		pairs = append(pairs, v, stars)
	}
	r.r = strings.NewReplacer(pairs...)
}

// Text returns s with the secrets hidden. Hide before you cut, because a partial secret is not
// found.
func (r *Redactor) Text(s string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.r.Replace(s)
}

// Unfinished returns how many bytes at the end of s may be the beginning of a secret that
// continues in the next text.
func (r *Redactor) Unfinished(s string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	longest := 0
	for _, values := range [][]string{r.known, r.added} {
		for _, v := range values {
			tail := s[max(0, len(s)-len(v)+1):]
			for len(tail) > longest {
				i := strings.IndexByte(tail, v[0])
				if i < 0 {
					break
				}
				if tail = tail[i:]; strings.HasPrefix(v, tail) {
					longest = max(longest, len(tail))
					break
				}
				tail = tail[1:]
			}
		}
	}
	return longest
}

// Err returns an error with the same cause and the secrets hidden in its text. For a failed HTTP
// request, the text has only the reason, because the rest repeats the URL.
func (r *Redactor) Err(err error) error {
	if err == nil {
		return nil
	}
	cause := err
	for u := (*url.Error)(nil); errors.As(err, &u); {
		err = u.Err
	}
	return &redacted{r.Text(err.Error()), cause}
}

type redacted struct {
	text  string
	cause error
}

func (e *redacted) Error() string { return e.text }
func (e *redacted) Unwrap() error { return e.cause }

// JSON returns JSON with the secrets hidden, as the function JSON does.
func (r *Redactor) JSON(raw []byte) []byte { return JSON(raw, r.Text) }

// JSON returns JSON with hide applied to its strings, however they are escaped, and to its
// numbers. A number that changes becomes a string. All other bytes are unchanged. Bytes that are
// not JSON are treated as text.
func JSON(raw []byte, hide func(string) string) []byte {
	if len(raw) == 0 {
		return raw
	}
	if !json.Valid(raw) {
		return []byte(hide(string(raw)))
	}
	out := make([]byte, 0, len(raw))
	for begin := 0; begin < len(raw); {
		end, token := begin+1, ""
		switch c := raw[begin]; {
		case c == '"':
			for ; raw[end] != '"'; end++ {
				if raw[end] == '\\' {
					end++
				}
			}
			end++
			json.Unmarshal(raw[begin:end], &token) // it is valid
		case c == '-' || c >= '0' && c <= '9':
			for end < len(raw) && strings.IndexByte("+-.eE0123456789", raw[end]) >= 0 {
				end++
			}
			token = string(raw[begin:end])
		}
		if hidden := Text(token, hide); hidden != token {
			literal, _ := json.Marshal(hidden) // a string always marshals
			out = append(out, literal...)
		} else {
			out = append(out, raw[begin:end]...)
		}
		begin = end
	}
	return out
}

// Text returns a text with hide applied to it and, if it is JSON, to its strings.
func Text(s string, hide func(string) string) string {
	s = hide(s)
	if strings.Contains(s, `\`) && json.Valid([]byte(s)) {
		return string(JSON([]byte(s), hide))
	}
	return s
}

// spellings returns the forms in which a secret appears in texts: with and without the word
// before it ("Bearer …"), decoded, escaped, line by line, and the parts that look like keys.
func spellings(v string) []string {
	all := []string{v}
	for rest, ok := v, true; ok; {
		_, rest, ok = strings.Cut(rest, " ")
		all = append(all, rest)
	}
	if kind, word, _ := strings.Cut(v, " "); strings.EqualFold(kind, "basic") {
		if plain, err := base64.StdEncoding.DecodeString(word); err == nil {
			_, password, _ := strings.Cut(string(plain), ":")
			all = append(all, string(plain), password)
		}
	}
	if strings.Contains(v, "://") {
		all = append(all, inURL(v)...)
	}
	all = append(all, keys(v)...)
	for line := range strings.Lines(v) {
		all = append(all, strings.TrimSpace(line))
	}
	for _, s := range slices.Clone(all) {
		quoted := strconv.Quote(s)
		inJSON, _ := json.Marshal(s)
		all = append(all, url.QueryEscape(s), url.PathEscape(s), quoted[1:len(quoted)-1], string(inJSON[1:len(inJSON)-1]))
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return len(s) < minSecret })
}
