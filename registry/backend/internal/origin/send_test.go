package origin

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/wiretest"
)

// broken is a connection whose writes fail after some bytes.
type broken struct {
	net.Conn
	left int
}

func (b *broken) Write(p []byte) (int, error) {
	n, err := b.Conn.Write(p[:min(len(p), b.left)])
	if b.left -= n; err == nil && n < len(p) {
		err = syscall.EPIPE
	}
	return n, err
}

func TestAWriteThatFailsIsNotSentOnlyWhenNothingWasWritten(t *testing.T) {
	s := wiretest.New(t, func(w io.Writer, _ *http.Request, _ []byte) {
		io.WriteString(w, wiretest.Status(200, "", "").Answer)
	})
	for _, tc := range []struct {
		left int
		want backend.Outcome
	}{{0, backend.NotSent}, {1, backend.Unknown}, {1000, backend.Unknown}} {
		tr := transport()
		tr.Proxy = nil
		dial := tr.DialContext
		tr.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			return &broken{c, tc.left}, err
		}
		ask, times := wiretest.Ask(true, "", func() error { return nil })
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL,
			strings.NewReader(strings.Repeat("x", 64<<10)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = send(tr, req, ask)
		if got := backend.OutcomeOf(err, true); got != tc.want || *times != 1 {
			t.Errorf("broken after %d bytes: outcome %s, want %s; asked %d times; error %v", tc.left, got, tc.want, *times, err)
		}
	}
}

// What a proxy and TLS are told is not the call.
func TestACallThroughAProxyIsAskedForWhenItLeaves(t *testing.T) {
	var called, tunnels atomic.Int32
	count := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		called.Add(1)
	})
	plain, secure := httptest.NewServer(count), httptest.NewTLSServer(count)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			count(w, r)
			return
		}
		tunnels.Add(1)
		to, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		defer to.Close()
		from, in, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer from.Close()
		io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		go io.Copy(to, bufio.NewReader(in))
		io.Copy(from, to)
	}))
	t.Cleanup(proxy.Close)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	tr := transport()
	tr.TLSClientConfig = &tls.Config{RootCAs: roots}
	tr.Proxy = http.ProxyURL(parse(t, proxy.URL))
	no := errors.New("no")
	for _, target := range []string{plain.URL, secure.URL} {
		for _, want := range []error{nil, no} {
			called.Store(0)
			tunnels.Store(0)
			tunnel := int32(strings.Count(target, "https"))
			ask, times := wiretest.Ask(true, "", func() error {
				if called.Load() != 0 || tunnels.Load() != tunnel {
					t.Errorf("%s: asked after %d calls and %d tunnels", target, called.Load(), tunnels.Load())
				}
				return want
			})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target,
				strings.NewReader("x"))
			if err != nil {
				t.Fatal(err)
			}
			res, err := send(tr, req, ask)
			if err == nil {
				res.Body.Close()
			}
			if !errors.Is(err, want) || *times != 1 || (called.Load() == 1) != (want == nil) {
				t.Errorf("%s: error %v, want %v; asked %d times, called %d times", target, err, want, *times, called.Load())
			}
		}
	}
}
