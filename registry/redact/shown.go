package redact

import (
	"encoding/base64"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hidden replaces a secret in a URL or argument that is shown.
const hidden = "…"

var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(key|token|secret|pass|pwd|auth|credential|bearer|cookie|header|dsn|session|login|(^|[-_])(pat|jwt|sas)$)`)
})

// URL returns the scheme, host and path of a URL for showing. It omits user, password, query and
// fragment, and replaces parts of the path that look like keys by an ellipsis, because many
// services have the credential there.
func URL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return hidden
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		if len(keys(part)) > 0 {
			parts[i] = hidden
		}
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() + strings.Join(parts, "/")
}

// inURL returns the parts of a URL that URL hides.
func inURL(raw string) []string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil
	}
	parts := []string{u.RawQuery, u.Fragment}
	if u.User != nil {
		password, _ := u.User.Password()
		parts = append(parts, u.User.Username(), password,
			base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))) // as it is sent
	}
	for name, values := range u.Query() {
		for _, v := range values {
			if !harmless(name, v) {
				parts = append(parts, v)
			}
		}
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if len(keys(part)) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// Args returns the arguments of a command for showing. It replaces possible secrets by an
// ellipsis, and keeps references to variables.
func Args(list []string) []string { return mask(list, func(...string) {}) }

// A header as in curl's arguments, credentials before a host without a scheme, and a reference to
// a variable, ${NAME} or ${env:NAME}.
var (
	header    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([\w-]+):\s*([^/\s].*)$`) })
	loginHost = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^/\s]:([^/\s]+)@`) })
	reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$\{[A-Za-z0-9_.:]+\}$`) })
)

// mask returns arguments with possible secrets replaced: the values of options and headers with
// secret names, words that mix letters and digits, logins and queries in URLs. It keeps paths. It
// calls found with each secret.
func mask(list []string, found func(...string)) []string {
	out := make([]string, 0, len(list))
	next := false // the next argument is the value of a secret option
	for _, a := range list {
		option, value, has := strings.Cut(a, "=")
		isOption := strings.HasPrefix(a, "-")
		named := has && secretName().MatchString(option)
		isNext := isOption && !has && secretName().MatchString(option)
		field, login := header().FindStringSubmatch(a), loginHost().FindStringSubmatch(a)
		switch {
		case reference().MatchString(a), has && reference().MatchString(value):
		case next && !isOption:
			found(a)
			a = hidden
		case field != nil && (secretName().MatchString(field[1]) || strings.HasPrefix(field[1], "X-")):
			found(field[2])
			a = field[1] + ": " + hidden
		case named && isOption, has && looksSecret(value):
			found(value)
			a = option + "=" + hidden
		case has && isOption && strings.Contains(value, "://"):
			found(inURL(value)...)
			a = option + "=" + URL(value)
		case strings.Contains(a, "://"):
			found(inURL(a)...)
			a = URL(a)
		case named:
			found(value)
			a = option + "=" + hidden
		case login != nil:
			found(login[1])
			found(keys(a)...)
			a = hidden
		case looksSecret(a):
			found(keys(a)...)
			a = hidden
		case !filepath.IsAbs(a) && !strings.HasPrefix(a, "."):
			for _, key := range keys(a) {
				found(key)
				a = strings.ReplaceAll(a, key, hidden)
			}
		}
		next = isNext
		out = append(out, a)
	}
	return out
}

// marked matches words that begin like the keys of well-known services, and JSON web tokens.
var marked = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(gh[pousr]_|github_pat_|glpat-|sk-|xox[a-z]-|AKIA|eyJ[A-Za-z0-9]{10})\w`)
})

// looksSecret reports whether a word is long and mixes letters and digits, like keys, or has a
// known prefix of keys.
func looksSecret(s string) bool {
	if marked().MatchString(s) && len(s) >= 10 {
		return true
	}
	least := 16
	if strings.ContainsFunc(s, func(r rune) bool { return !letter(r) && !digit(r) }) {
		least = 20 // words with hyphens
	}
	return len(s) >= least && !strings.ContainsAny(s, "/\\.@ ") && strings.ContainsFunc(s, digit) &&
		strings.ContainsFunc(s, letter)
}

// keys returns the words in a text that look secret.
func keys(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !letter(r) && !digit(r) && r != '-' && r != '_' })
	return slices.DeleteFunc(words, func(w string) bool { return !looksSecret(w) })
}

// harmless reports whether a named value may be shown in an error: it is a word, a path or an
// address without a key. Errors would be hard to understand without such values.
func harmless(name, v string) bool {
	switch {
	case secretName().MatchString(name), len(keys(v)) > 0:
		return false
	case strings.Contains(v, "://"):
		return URL(v) == v
	}
	return filepath.IsAbs(v) || !strings.ContainsFunc(v, func(r rune) bool { return r < 'a' || r > 'z' })
}

func digit(r rune) bool  { return '0' <= r && r <= '9' }
func letter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
