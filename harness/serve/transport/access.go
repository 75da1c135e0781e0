package transport

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// writeTime is how long a client may take for a part of an answer.
const writeTime = time.Minute

// longAgo is a deadline in the past.
var longAgo = time.Unix(1, 0)

// Checked refuses requests for other hosts and from other sites' pages, unless visits allows one,
// and turns a panic into an answer. An answer that precedes the reading of the body (Bodies) does
// not wait for the body, and ends the connection.
func (e *Endpoint) Checked(next http.Handler, visits func(*http.Request) bool, panicked func(where string, p any)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slow := timedWriter{w}
		slow.extend()
		defer slow.extend() // for the buffered rest
		w = slow
		if r.ContentLength != 0 {
			w.Header().Set("Connection", "close")
			http.NewResponseController(w).SetReadDeadline(longAgo)
		}
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panicked(r.URL.Path, p)
				http.Error(w, "the server failed at this request", http.StatusInternalServerError)
			}
		}()
		if !e.hostOK(r) {
			http.Error(w, fmt.Sprintf("forbidden: host %.100q is not served here (-allow-host)", r.Host), http.StatusForbidden)
			return
		}
		if !e.originOK(r, visits) {
			http.Error(w, "forbidden: requests from pages of another origin (-allow-origin)", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOK reports whether a request's host is valid. At a loopback address only names of it are,
// whatever a DNS server returns. Elsewhere names are checked if Hosts has any, or without
// tokens that stop a foreign page whose name resolves to this address.
func (e *Endpoint) hostOK(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if slices.Contains(e.Hosts, host) || slices.Contains(e.Hosts, r.Host) {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if local != nil && local.IP.IsLoopback() {
		return IsLoopback(host)
	}
	return len(e.Hosts) == 0 && (len(e.Tokens) > 0 || e.hasOwnName(host))
}

// hasOwnName reports whether a host is an address, or a name of this machine or of the endpoint. A
// foreign page cannot have such a name.
func (e *Endpoint) hasOwnName(host string) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	name, _ := os.Hostname() // empty on an error
	short, _, _ := strings.Cut(name, ".")
	given, _, _ := net.SplitHostPort(e.Address)
	names := []string{"localhost", name, short, given}
	return host != "" && slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(host, s) })
}

func (e *Endpoint) originOK(r *http.Request, visits func(*http.Request) bool) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") != "cross-site" || visits(r)
	}
	if slices.Contains(e.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// Authorized requires a token if there are any.
func (e *Endpoint) Authorized(next http.Handler) http.Handler {
	if len(e.Tokens) == 0 {
		return next
	}
	const challenge = "WWW-Authenticate"
	demand := auth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if name := e.Holder(token); name != "" {
			return &auth.TokenInfo{UserID: name}, nil
		}
		return nil, auth.ErrInvalidToken
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		w.Header().Del(challenge)
		next.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		how := `Bearer realm="usetools"`
		if r.Header.Get("Authorization") != "" {
			how += `, error="invalid_token"`
		}
		w.Header().Set(challenge, how)
		demand.ServeHTTP(w, r)
	})
}

// Holder returns the name of a token, or "" if it is unknown.
func (e *Endpoint) Holder(token string) (name string) {
	got := sha256.Sum256([]byte(token))
	for n, t := range e.Tokens { // always all of them, for constant time
		want := sha256.Sum256([]byte(t))
		if subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			name = n
		}
	}
	return name
}

// Trusted reports whether a request has a token, or needs none.
func (e *Endpoint) Trusted(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return len(e.Tokens) == 0 || strings.EqualFold(scheme, "bearer") && e.Holder(strings.TrimSpace(token)) != ""
}

// timedWriter cuts off a client that does not read a part of an answer in time, so that it keeps no
// resources.
type timedWriter struct{ http.ResponseWriter }

func (w timedWriter) Write(p []byte) (int, error) {
	w.extend()
	return w.ResponseWriter.Write(p)
}

func (w timedWriter) extend() {
	http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTime))
}

// Unwrap is for http.ResponseController.
func (w timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Away reports whether a request may be from another machine.
func Away(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	from, _, _ := net.SplitHostPort(r.RemoteAddr)
	return !IsLoopback(host) || !IsLoopback(from) ||
		cmp.Or(r.Header.Get("Forwarded"), r.Header.Get("X-Forwarded-For"), r.Header.Get("Via")) != ""
}

// Subject returns the name of the token of a request that Authorized has accepted.
func Subject(r *http.Request) string {
	if t := auth.TokenInfoFromContext(r.Context()); t != nil {
		return t.UserID
	}
	return ""
}
