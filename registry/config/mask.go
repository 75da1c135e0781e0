package config

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// hidden stands for what may be secret.
const hidden = "…"

var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(key|token|secret|passw|pwd|auth|credential|bearer|cookie|header|dsn)`)
})

// reference is a variable that stands for a value, ${NAME} or ${env:NAME}, which is
// no secret itself.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\$\{[A-Za-z0-9_.:]+\}$`)
})

// MaskArgs returns arguments with what may be secret replaced by an ellipsis: the
// values of options that are called so, long words of letters and digits, passwords
// and queries in URLs. References to variables stay.
func MaskArgs(args []string) []string {
	out := make([]string, 0, len(args))
	next := false // the next argument is the value of a secret option
	for _, a := range args {
		option, value, has := strings.Cut(a, "=")
		isOption := strings.HasPrefix(a, "-")
		isSecret := secretName().MatchString(option)
		switch {
		case reference().MatchString(a), has && reference().MatchString(value):
		case next && !isOption:
			a = hidden
		case has && isSecret && isOption, has && looksSecret(value):
			a = option + "=" + hidden
		case has && isOption && strings.Contains(value, "://"):
			a = option + "=" + MaskURL(value)
		case strings.Contains(a, "://"):
			a = MaskURL(a)
		case has && isSecret:
			a = option + "=" + hidden
		case looksSecret(a):
			a = hidden
		}
		next = isOption && !has && isSecret
		out = append(out, a)
	}
	return out
}

// looksSecret reports whether a word is long, of letters and digits mixed, as
// keys are.
func looksSecret(s string) bool {
	return len(s) >= 20 && !strings.ContainsAny(s, "/\\.@ ") && strings.ContainsAny(s, "0123456789") &&
		strings.ContainsAny(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz")
}

// MaskURL is a URL without user, password, query, fragment and what looks like a
// key in its path.
func MaskURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return hidden
	}
	parts := strings.Split(u.Path, "/")
	for i := range parts {
		if looksSecret(parts[i]) {
			parts[i] = hidden
		}
	}
	return u.Scheme + "://" + u.Host + strings.Join(parts, "/")
}

// ByHand says how a person runs a stdio server: its command as the config writes
// it, without what may be secret, where it runs, and the names of its variables.
func (s *Server) ByHand() string {
	d := s.definition()
	words := append([]string{d.Command}, MaskArgs(d.Args)...)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'`\\*?[]()<>|&;#!") {
			words[i] = strconv.Quote(w)
		}
	}
	text := strings.Join(words, " ")
	if s.Cwd != "" {
		text += " in " + filepath.ToSlash(s.Cwd)
	}
	if names := s.Env.Names(); len(names) > 0 {
		text += " with its " + strings.Join(names, ", ")
	}
	return text
}
