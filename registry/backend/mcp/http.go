package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/origin"
	"github.com/usetools/usetools/registry/config"
)

// answerTimeout bounds the sending of a response to a request of the server.
const answerTimeout = 30 * time.Second

// dialHTTP connects to a URL over streamable HTTP, with the newer handshake first, or over legacy
// SSE if the server accepts neither.
func (d *dialer) dialHTTP(ctx context.Context) (*session, error) {
	if d.opts.Verdicts.of(d.server.Name) == speaksSSE {
		if s, err := d.dialSSE(ctx); err == nil || ctx.Err() != nil {
			return s, err
		}
	}
	s, err := d.dialStreamable(ctx)
	if err == nil || ctx.Err() != nil || unreachable(err) || errors.Is(err, backend.ErrSignIn) {
		return s, d.explainHTTP(ctx, err)
	}
	s, sseErr := d.dialSSE(ctx)
	if sseErr == nil {
		return s, nil
	}
	if err = d.explainHTTP(ctx, err); err.Error() == sseErr.Error() {
		return nil, err
	}
	return nil, fmt.Errorf("%w (and over SSE: %w)", err, sseErr)
}

func (d *dialer) dialStreamable(ctx context.Context) (*session, error) {
	transport := func(c *http.Client) mcp.Transport {
		t := &mcp.StreamableClientTransport{Endpoint: d.server.URL, HTTPClient: c, MaxEventSize: d.server.MaxMessage}
		if d.signedIn != nil {
			t.OAuthHandler = d.signedIn
		}
		return t
	}
	if d.server.Protocol == "" && d.opts.Verdicts.of(d.server.Name) == speaksLegacy {
		if s, err := d.overHTTP(ctx, legacyProtocol, transport); err == nil || ctx.Err() != nil || unreachable(err) {
			return s, err
		}
	}
	if d.server.Protocol != "legacy" {
		// If a server does not answer the newer handshake, or answers with something that breaks
		// the connection, it gets the older one.
		probe, cancel := context.WithTimeout(ctx, d.server.StartTimeout/3)
		defer cancel()
		s, err := d.overHTTP(probe, "", transport)
		if err == nil || d.server.Protocol == "modern" || unreachable(err) && probe.Err() == nil || ctx.Err() != nil ||
			errors.Is(err, backend.ErrSignIn) {
			return s, err
		}
	}
	return d.overHTTP(ctx, legacyProtocol, transport)
}

// dialSSE connects to a URL over HTTP with server-sent events, which has only the older
// handshake.
func (d *dialer) dialSSE(ctx context.Context) (*session, error) {
	s, err := d.overHTTP(ctx, legacyProtocol, func(c *http.Client) mcp.Transport {
		t := c.Transport.(*tripper)
		t.signedIn, t.posts = d.signedIn, &posts{under: map[jsonrpc.ID]chan struct{}{}}
		return &mcp.SSEClientTransport{Endpoint: d.server.URL, HTTPClient: c, MaxEventSize: d.server.MaxMessage}
	})
	if s != nil {
		s.overSSE = true
	}
	return s, d.explainHTTP(ctx, err)
}

func (d *dialer) overHTTP(ctx context.Context, protocol string, transport func(*http.Client) mcp.Transport) (*session,
	error) {
	if d.signedIn != nil { // the SDK would renew the token without a deadline
		if _, err := d.signedIn.TokenSource(ctx); err != nil {
			return nil, err
		}
	}
	named, err := url.Parse(d.server.URL)
	if err != nil {
		return nil, errors.New("the url is invalid")
	}
	base := origin.NewGuard(named)
	t := &tripper{base: base, captures: newCaptures(d.opts.Asks), headers: d.server.Headers,
		named: named, max: d.server.MaxMessage, oauth: d.signedIn != nil}
	var close context.CancelFunc
	t.closing, close = context.WithCancel(context.Background())
	s, err := d.connect(ctx, transport(&http.Client{Transport: t, CheckRedirect: t.redirect}), t.captures,
		protocol)
	if err != nil {
		close()
		base.CloseIdleConnections()
		if d.signedIn != nil {
			if e := d.signedIn.needed.Load(); e != nil {
				return nil, e
			}
		}
		if e := t.elsewhere.Load(); e != nil {
			return nil, e
		}
		if code := int(t.refusal.Load()); code != 0 && ctx.Err() == nil && !unreachable(err) {
			err = statusError(code)
		}
		return nil, err
	}
	s.hush, s.hangUp = close, base.CloseIdleConnections
	return s, nil
}

// statusError is the HTTP status with which a server refused the handshake.
type statusError int

func (e statusError) Error() string {
	hint := ""
	switch e {
	case http.StatusUnauthorized, http.StatusForbidden:
		hint = "; check the headers in its config entry, or give it \"oauth\": true and run build-registry signin"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		hint = "; check the path of its url"
	}
	return fmt.Sprintf("status %d %s%s", int(e), http.StatusText(int(e)), hint)
}

// unreachable reports whether a request did not reach the server or was redirected elsewhere, so
// that another transport to the same URL will not help.
func unreachable(err error) bool {
	var u *url.Error
	return errors.As(err, &u) || leadsElsewhere(err)
}

func leadsElsewhere(err error) bool {
	var e *origin.ElsewhereError
	return errors.As(err, &e)
}

// explainHTTP turns the failure to connect to a URL into an error that describes the attempt.
func (d *dialer) explainHTTP(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	where := "the url"
	if u, perr := url.Parse(d.server.URL); perr == nil {
		where = origin.Show(u)
	}
	switch {
	case errors.Is(context.Cause(ctx), errStartDeadline):
		return &textError{fmt.Sprintf("no answer to the handshake from %s within %v; raise usetools.startTimeout in its config "+
			"entry if it needs longer",
			where, d.server.StartTimeout), context.DeadlineExceeded}
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, backend.ErrSignIn):
		return fmt.Errorf("%w; run: build-registry signin %s", d.hide.Err(err), d.server.Name)
	case leadsElsewhere(err):
		return fmt.Errorf("%s; if you trust that address, set it as the url in its config entry", d.hide.Err(err))
	case unreachable(err):
		return fmt.Errorf("cannot reach %s: %s; check that the server is running", where, d.hide.Err(err))
	}
	return fmt.Errorf("%s did not accept the handshake: %s", where, d.hide.Err(err))
}

// tripper sends a session's HTTP requests. It adds the configured headers and takes captured
// results out of responses, which may be JSON or event streams.
type tripper struct {
	base      origin.Transport
	captures  *captures
	headers   config.Secrets
	named     *url.URL                              // from the definition: requests go only to its origin
	max       int                                   // limit of a message, in bytes
	refusal   atomic.Int32                          // status of the last error response
	elsewhere atomic.Pointer[origin.ElsewhereError] // another origin to which the server wanted requests to go, or nil
	moved     atomic.Pointer[moved]                 // the last redirect for POSTs, or nil
	signedIn  *signedIn                             // if the transport above does not add the token; otherwise nil
	oauth     bool                                  // the server requires a sign-in
	posts     *posts                                // for legacy SSE, otherwise nil
	closing   context.Context                       // ends when the session is closed
}

// RoundTrip implements http.RoundTripper.
func (t *tripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.leads(origin.Check(t.named, req.URL)); err != nil { // an SSE endpoint may have another origin
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	req = req.Clone(req.Context())
	propagation.TraceContext{}.Inject(req.Context(), propagation.HeaderCarrier(req.Header))
	for k, v := range t.headers {
		if strings.EqualFold(k, "Host") {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	if t.signedIn != nil {
		t.signedIn.authorize(req)
	}
	p, err := t.note(req)
	if err != nil {
		return nil, err
	}
	if to := t.moved.Load(); p.send.Once() && to != nil && to.from == req.URL.String() {
		req.URL = to.to
	}
	switch {
	case p.answers: // only a slot and Close wait for it
		defer t.captures.asked.answered(p.id)
		ctx, cancel := context.WithTimeout(req.Context(), answerTimeout)
		defer cancel()
		defer context.AfterFunc(t.closing, cancel)()
		req = req.WithContext(ctx)
	case t.posts != nil && p.id.IsValid():
		return t.posts.outlive(req, p.id, t.closing,
			func(req *http.Request) (*http.Response, error) { return t.send(req, p) })
	case t.posts != nil && p.cancels.IsValid():
		return t.posts.outlive(req, jsonrpc.ID{}, t.closing, func(req *http.Request) (*http.Response, error) {
			t.posts.await(req.Context(), p.cancels)
			return t.send(req, p)
		})
	}
	return t.send(req, p)
}

// moved is a redirect of POSTs that preserves method and body.
type moved struct {
	from string
	to   *url.URL
}

// redirect is the CheckRedirect of the client. It stores the target of POSTs: an effect call goes
// directly there, and does not follow redirects.
func (t *tripper) redirect(req *http.Request, via []*http.Request) error {
	err := t.leads(origin.Redirects(req, via))
	if err == nil && req.Method == http.MethodPost {
		t.moved.Store(&moved{via[0].URL.String(), req.URL})
	}
	return err
}

// leads stores an error about a redirect to another origin, because the SDK does not always pass
// it on.
func (t *tripper) leads(err error) error {
	var e *origin.ElsewhereError
	if errors.As(err, &e) {
		t.elsewhere.Store(e)
	}
	return err
}

// send sends a request and takes captured results out of the response.
func (t *tripper) send(req *http.Request, p posted) (*http.Response, error) {
	res, err := t.base.Send(req, p.send)
	if err != nil {
		if p.call && backend.OutcomeOf(err, true) == backend.NotSent {
			err = fmt.Errorf("%w: %w", errRejected, err) // the connection of SSE still works
		}
		return nil, err
	}
	if p.call && res.StatusCode >= 300 {
		if err := t.final(res, p); err != nil {
			res.Body.Close()
			return nil, err
		}
	}
	if res.StatusCode >= 400 {
		t.refusal.Store(int32(res.StatusCode))
		if e := refusedToken(res); e != nil && t.signedIn != nil {
			res.Body.Close()
			t.signedIn.needed.Store(e)
			return nil, e
		}
	}
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	switch {
	case strings.TrimSpace(kind) == "text/event-stream" && !p.answers:
		res.Body = &events{body: res.Body, instead: t.instead, max: t.max,
			rewrite: func(data []byte) ([]byte, bool) { return t.rewrite(req.Context(), data) }}
		res.ContentLength = -1
		res.Header.Del("Content-Length")
	default:
		return t.bounded(req.Context(), res, p)
	}
	return res, nil
}

// final stores what the status of an unsuccessful response implies for a call. It returns an
// error in place of a response that would cause the call to be sent again.
func (t *tripper) final(res *http.Response, p posted) error {
	to, err := res.Location()
	leads := err == nil && res.StatusCode < 400
	if leads && !p.send.Once() {
		return nil // the client follows it
	}
	t.captures.became(p.id, backend.StatusOutcome(res.StatusCode))
	if !leads {
		return nil
	}
	return &textError{fmt.Sprintf("status %d %s: redirected to %s, and an effect call is not sent again; "+
		"if you trust that address, set it as the url in its config entry",
		res.StatusCode, http.StatusText(res.StatusCode), origin.Show(to)), errRejected}
}

// posted is the message in a POST.
type posted struct {
	raw     json.RawMessage // its id, if it expects a result
	id      jsonrpc.ID
	call    bool          // it expects a result
	send    *backend.Send // for a call; may be nil
	answers bool          // it is a response to a request of the server
	cancels jsonrpc.ID    // the request that it cancels
}

// note registers the request in a POST, if it expects a result.
func (t *tripper) note(req *http.Request) (p posted, err error) {
	if req.Method != http.MethodPost || req.GetBody == nil {
		return p, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return p, err
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		return p, err
	}
	e, err := decodeEnvelope(data)
	if err != nil { // not a message: a sign-in form
		return p, nil
	}
	p.id, p.answers = e.id, e.Method == nil && e.id.IsValid()
	if e.Method != nil && *e.Method == "notifications/cancelled" {
		p.cancels = cancelled(data)
	}
	if wanted(req.Context()) != nil && e.Method != nil && e.id.IsValid() {
		t.captures.sent(req.Context(), &jsonrpc.Request{ID: e.id})
		p.raw, p.call, p.send = e.ID, true, sendOf(req.Context())
	}
	return p, nil
}

// cancelled returns the ID of the request that a notification cancels.
func cancelled(data []byte) jsonrpc.ID {
	var n struct {
		Params struct {
			ID any `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(data, &n) != nil {
		return jsonrpc.ID{}
	}
	id, _ := jsonrpc.MakeID(n.Params.ID)
	return id
}

// bounded reads a plain body of at most t.max bytes and rewrites it. p is the request.
func (t *tripper) bounded(ctx context.Context, res *http.Response, p posted) (*http.Response, error) {
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, int64(t.max)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > t.max {
		if data = t.instead(&idScanner{id: p.raw}); data == nil || res.StatusCode >= 300 {
			return nil, tooLong(t.max)
		}
	}
	if out, ok := t.rewrite(ctx, data); ok {
		data = out
	} else if p.call && res.StatusCode >= 400 && !t.signsIn(res.StatusCode) {
		return nil, callError(res.StatusCode)
	} else if p.call && t.posts == nil && res.StatusCode < 300 && len(bytes.TrimSpace(data)) > 0 {
		t.captures.became(p.id, backend.Unread)
		return nil, &textError{"the answer is not a JSON-RPC message", errRejected}
	}
	res.Body = io.NopCloser(bytes.NewReader(data))
	res.ContentLength = int64(len(data))
	res.Header.Del("Content-Length")
	return res, nil
}

// signsIn reports whether the sign-in handles a status.
func (t *tripper) signsIn(code int) bool {
	return t.oauth && (code == http.StatusUnauthorized || code == http.StatusForbidden)
}

// callError is the error for a status that means that one call failed. A plain error would make
// the SDK close the connection, and with it all other calls.
func callError(code int) error {
	err := &textError{fmt.Sprintf("status %d %s", code, http.StatusText(code)), errRejected}
	if code == http.StatusBadRequest || code == http.StatusNotFound {
		return fmt.Errorf("%w (%w)", err, mcp.ErrSessionMissing) // the next call needs another connection
	}
	return err
}

// instead returns the message that replaces one that is too long, or nil.
func (t *tripper) instead(long *idScanner) []byte {
	data, _ := encoded(long.instead(t.captures, t.max))
	return data
}

// rewrite handles one message and returns it for the SDK. ok is false if the SDK must not get it.
func (t *tripper) rewrite(ctx context.Context, data []byte) (out []byte, ok bool) {
	m, err := decodeMessage(data)
	if err != nil {
		return encoded(unreadable(t.captures, data, true))
	}
	if !t.captures.incoming(m, wanted(ctx), ctx.Done()) {
		return nil, false
	}
	out, err = jsonrpc.EncodeMessage(m)
	return out, err == nil
}

// encoded returns the encoding of an answer. ok is false for nil.
func encoded(r *jsonrpc.Response) (out []byte, ok bool) {
	if r == nil {
		return nil, false
	}
	out, err := jsonrpc.EncodeMessage(r)
	return out, err == nil
}

// posts are the running POSTs of a legacy SSE session. There a POST only delivers, and the answer
// comes on the event stream. A server may receive an abandoned POST, even after its cancellation.
// So a POST continues when its caller gives up, and its cancellation is sent after it, also if
// that is later than the 5 s that the SDK allows.
type posts struct {
	mu    sync.Mutex
	under map[jsonrpc.ID]chan struct{}
}

// outlive runs send until it is done. If the context of req ends first, outlive returns without
// the result, and send may run for another answerTimeout. until ends it too. id is the ID of the
// request, if it can be cancelled.
func (ps *posts) outlive(req *http.Request, id jsonrpc.ID, until context.Context,
	send func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	type result struct {
		res *http.Response
		err error
	}
	sent, over := make(chan result, 1), make(chan struct{})
	if id.IsValid() {
		ps.mu.Lock()
		ps.under[id] = over
		ps.mu.Unlock()
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(req.Context()))
	stop := context.AfterFunc(until, cancel)
	go func() {
		defer cancel()
		defer stop()
		res, err := send(req.WithContext(ctx))
		ps.mu.Lock()
		delete(ps.under, id)
		ps.mu.Unlock()
		close(over)
		sent <- result{res, err}
	}()
	select {
	case r := <-sent:
		return r.res, r.err
	case <-req.Context().Done():
		time.AfterFunc(answerTimeout, cancel)
		return nil, req.Context().Err()
	}
}

// await waits until a request is delivered, or ctx ends.
func (ps *posts) await(ctx context.Context, id jsonrpc.ID) {
	ps.mu.Lock()
	over := ps.under[id]
	ps.mu.Unlock()
	if over == nil {
		return
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
}
