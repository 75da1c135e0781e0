package mcp

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/config"
)

// minSecret is the length from which a value of env or headers is hidden in
// texts. Shorter ones ("true", "error", "stdio") are words.
const minSecret = 6

// redactor hides the values of a server's env and headers, and the query and
// password of its URL, in what is shown to people.
type redactor struct{ r *strings.Replacer }

func newRedactor(s config.Server) *redactor {
	var secrets []string
	for _, m := range []config.Secrets{s.Env, s.Headers} {
		for _, v := range m {
			secrets = append(secrets, v)
			if _, token, ok := strings.Cut(v, " "); ok { // "Bearer …"
				secrets = append(secrets, token)
			}
		}
	}
	if u, err := url.Parse(s.URL); err == nil {
		secrets = append(secrets, u.RawQuery)
		if p, ok := u.User.Password(); ok {
			secrets = append(secrets, p)
		}
	}
	secrets = slices.DeleteFunc(secrets, func(v string) bool { return len(v) < minSecret })
	slices.SortFunc(secrets, func(a, b string) int { // the longest first: one may be part of another
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(secrets))
	for _, v := range secrets {
		pairs = append(pairs, v, "•••")
	}
	return &redactor{strings.NewReplacer(pairs...)}
}

func (r *redactor) text(s string) string { return r.r.Replace(s) }

// err returns an error's text; of a failed HTTP request only why it failed,
// because the rest repeats the URL.
func (r *redactor) err(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return r.text(err.Error())
}
