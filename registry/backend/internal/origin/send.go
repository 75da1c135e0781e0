package origin

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"

	"github.com/usetools/usetools/registry/backend"
)

const idempotencyKey = "Idempotency-Key"

// send sends a request over a transport by the rules of s. If s is nil, the request is not a
// call. An effect call gets its own connection, over HTTP/1, because the transport repeats
// requests on reused connections, and on HTTP/2 connections that a server closes.
func send(t *http.Transport, req *http.Request, s *backend.Send) (*http.Response, error) {
	ctx := req.Context()
	if s == nil {
		return t.RoundTrip(req)
	}
	g := &gate{begin: func() error { return s.Begin(ctx) }}
	if s.Effect {
		t = g.fresh(t)
	} else if err := s.Begin(ctx); err != nil {
		closeBody(req)
		return nil, err
	}
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { g.connected.Store(true) },
	}))
	if s.Key != "" && req.Header.Get(idempotencyKey) == "" {
		req.Header = req.Header.Clone()
		req.Header.Set(idempotencyKey, s.Key)
	}
	res, err := t.RoundTrip(req)
	if err != nil {
		return nil, g.explain(err)
	}
	return res, nil
}

// gate calls begin before the first byte of a request is written. It is connected after the bytes
// for establishing the connection, for a proxy and for TLS were written.
type gate struct {
	begin     func() error
	connected atomic.Bool

	mu      sync.Mutex
	refused error // from begin, which each connection calls once
	nothing bool  // no byte of the request was written
}

// fresh returns a transport for one request.
func (g *gate) fresh(t *http.Transport) *http.Transport {
	t = t.Clone()
	t.DisableKeepAlives = true
	t.ForceAttemptHTTP2, t.TLSNextProto, t.Protocols = false, nil, new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	if t.TLSClientConfig != nil { // from a transport with HTTP/2
		t.TLSClientConfig.NextProtos = nil
	}
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &gated{Conn: c, gate: g}, nil
	}
	return t
}

// explain returns the meaning of a request's failure for its call.
func (g *gate) explain(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.refused != nil:
		return g.refused
	case g.nothing, !g.connected.Load():
		return &backend.OutcomeError{Outcome: backend.NotSent, Err: err}
	}
	return err
}

// gated is a connection that writes through a gate.
type gated struct {
	net.Conn
	gate  *gate
	begun bool
}

func (c *gated) Write(b []byte) (int, error) {
	g := c.gate
	if !g.connected.Load() {
		return c.Conn.Write(b)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	first := !c.begun
	if first {
		c.begun, g.refused = true, g.begin()
	}
	if g.refused != nil {
		return 0, g.refused
	}
	n, err := c.Conn.Write(b)
	if first {
		g.nothing = backend.Unwritten(n, err)
	}
	return n, err
}
