package origin

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/usetools/usetools/registry/redact"
	"github.com/usetools/usetools/registry/text"
)

// maxRedirects bounds a chain of redirects.
const maxRedirects = 10

// ElsewhereError is the error for a request to another origin.
type ElsewhereError struct{ From, To string }

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("%s leads to %s, which is another scheme, host or port; nothing is sent there", e.From, e.To)
}

// Check returns an [ElsewhereError] unless from and to have the same origin.
func Check(from, to *url.URL) error {
	if Same(from, to) {
		return nil
	}
	return &ElsewhereError{Show(from), Show(to)}
}

// Redirects is a CheckRedirect of http.Client. It refuses redirects to an origin other than the
// first request's.
func Redirects(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return errors.New("too many redirects")
	}
	return Check(via[0].URL, req.URL)
}

// Same reports whether two URLs have the same scheme, host and port.
func Same(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && host(a) == host(b) && port(a) == port(b)
}

func host(u *url.URL) string { return strings.ToLower(u.Hostname()) }

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if strings.EqualFold(u.Scheme, "https") {
		return "443"
	}
	return "80"
}

// maxShown bounds an address in a text, in bytes.
const maxShown = 200

// Show returns a URL's scheme, host and path, as [redact.URL] does, shortened.
func Show(u *url.URL) string { return text.CutBytes(redact.URL(u.String()), maxShown) }
