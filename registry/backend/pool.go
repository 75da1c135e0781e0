package backend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"
)

const (
	// DefaultConcurrency is the limit of concurrent calls to one server.
	DefaultConcurrency = 16
	// minBackoff and maxBackoff bound the pause before a server is restarted after it failed to
	// start, or died repeatedly. The pause doubles each time.
	minBackoff = 500 * time.Millisecond
	maxBackoff = 30 * time.Second
)

// Pool connects to servers when they are first called and shares one connection per server. Calls
// above a server's limit wait in order of arrival, or for several tenants by [Request.Tenant]. If
// a server dies, the next call restarts it: immediately the first time, later after a growing
// pause if it keeps failing. During the pause, calls fail with the last error. A call is never
// repeated if the connection dies while it runs, because it may have taken effect.
type Pool struct {
	dial   func(ctx context.Context, server string) (Backend, error)
	opts   PoolOptions
	ctx    context.Context // ends at Close
	cancel context.CancelFunc
	work   sync.WaitGroup // running dials and closes

	effects Gate

	mu      sync.Mutex
	closed  bool
	servers map[string]*pooled
	given   map[string]bool // connections that another pool closes
}

// PoolOptions configure a Pool.
type PoolOptions struct {
	// Concurrency returns the limit of concurrent calls to a server. If nil, or for a result of
	// 0, it is DefaultConcurrency.
	Concurrency func(server string) int
	// Hurry is called with servers that a caller is waiting for. It may be nil.
	Hurry func(servers ...string)
}

// NewPool returns a pool that connects with dial. Close cancels the context of dial. dial must
// apply its own deadline.
func NewPool(dial func(ctx context.Context, server string) (Backend, error), opts *PoolOptions) *Pool {
	p := &Pool{dial: dial, servers: map[string]*pooled{}, given: map[string]bool{}}
	if opts != nil {
		p.opts = *opts
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// pooled is one server of a pool.
type pooled struct {
	name   string
	places *places // for running calls

	mu       sync.Mutex
	conn     *conn // nil if not connected
	calls    int   // running calls, including those that wait for the connection
	failures int   // since the last successful call
	retryAt  time.Time
	lastErr  error
	down     time.Time // start of the failure; zero if none occurred since the last connection
}

// conn is a connection, or an attempt to connect.
type conn struct {
	ready   chan struct{} // closed when backend or err is set
	backend Backend
	err     error
	begun   time.Time // start of the attempt
	since   time.Time // when the backend was ready

	calls int           // running calls
	over  chan struct{} // closed when no call is running any more; nil while the connection is in use
}

// dead reports whether a backend with a Done method has ended.
func (c *conn) dead() bool {
	select {
	case <-c.ready:
	default:
		return false
	}
	d, ok := c.backend.(interface{ Done() <-chan struct{} })
	if !ok {
		return false
	}
	select {
	case <-d.Done():
		return true
	default:
		return false
	}
}

// Call calls a tool on a server, and connects to it first if needed. The errors are those of
// [Backend.Call] and of the dial function. Those of effect calls begin with the known outcome.
func (p *Pool) Call(ctx context.Context, server string, req *Request) (res *Result, err error) {
	defer func() { err = req.Send.WithOutcome(err) }()
	ended, err := p.effects.Enter(req.Send.Once())
	if err != nil {
		return nil, err
	}
	defer ended()
	s, err := p.server(server)
	if err != nil {
		return nil, err
	}
	leave, err := s.places.take(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("waiting for one of %d calls to server %q to end: %w", s.places.max, server, err)
	}
	defer leave()
	defer s.use()()
	c, err := p.connect(ctx, s)
	if err != nil {
		return nil, err
	}
	defer s.calling(c)()
	res, err = c.backend.Call(ctx, req)
	switch {
	case err == nil:
		s.mu.Lock()
		s.failures = 0
		s.mu.Unlock()
	case errors.Is(err, ErrDisconnected):
		p.drop(s, c, err)
	}
	return res, err
}

// Drain rejects new calls and returns when all running effect calls have ended. If ctx ends
// first, the error has the number of those that have not; Close then cancels them.
func (p *Pool) Drain(ctx context.Context) error { return p.effects.Drain(ctx) }

// State is the state of a pool's connection to a server.
type State struct {
	Since time.Time     // when the connection was made; zero without a connection
	Start time.Duration // how long connecting took
	// Calls is the number of running calls, and Limit their limit.
	Calls, Limit int
	// Down is the time at which the connection ended, and Err the last error. It is zero if
	// the connection has not failed.
	Down time.Time
	Err  error
	// Retry is when a call may restart the server. Until then, calls fail with Err.
	Retry time.Time
}

// State returns the state of the connection to a server. It is zero if the pool never connected
// to it.
func (p *Pool) State(server string) State {
	p.mu.Lock()
	s := p.servers[server]
	p.mu.Unlock()
	if s == nil {
		return State{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{Limit: s.places.max, Down: s.down, Err: s.lastErr, Retry: s.retryAt}
	if st.Down.IsZero() {
		st.Err, st.Retry = nil, time.Time{}
	}
	if c := s.conn; c != nil && c.backend != nil && !c.dead() {
		st.Since, st.Start, st.Calls = c.since, c.since.Sub(c.begun), c.calls
	}
	return st
}

// Session returns when the connection to a server was made, or the zero time without one.
// The server may keep state in its process. keeps is always false here, because the config says
// whether it does.
func (p *Pool) Session(_ context.Context, server string) (keeps bool, since time.Time) {
	return false, p.State(server).Since
}

// Forgive ends the pause before a failed server may be restarted.
func (p *Pool) Forgive(server string) {
	p.mu.Lock()
	s := p.servers[server]
	p.mu.Unlock()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retryAt = time.Time{}
}

// Ready connects to a server that is about to be called, if needed, and before servers that no
// caller waits for.
func (p *Pool) Ready(ctx context.Context, server string) error {
	s, err := p.server(server)
	if err != nil {
		return err
	}
	if !s.ready() {
		p.Hurry(server)
	}
	_, err = p.Connect(ctx, server)
	return err
}

// Connect connects to a server without calling it, so that the first call need not wait, and
// returns the shared backend. Do not close it.
func (p *Pool) Connect(ctx context.Context, server string) (Backend, error) {
	s, err := p.server(server)
	if err != nil {
		return nil, err
	}
	defer s.use()()
	c, err := p.connect(ctx, s)
	if err != nil {
		return nil, err
	}
	return c.backend, nil
}

// Hurry reports that a caller waits for servers to start.
func (p *Pool) Hurry(servers ...string) {
	if p.opts.Hurry != nil {
		p.opts.Hurry(servers...)
	}
}

// Adopt takes over another pool's connections to servers that are the same in both. The other
// pool may continue to use them, and leaves them open when it is closed.
func (p *Pool) Adopt(from *Pool, same func(server string) bool) {
	from.mu.Lock()
	servers := maps.Clone(from.servers)
	from.mu.Unlock()
	for name, s := range servers {
		if !s.ready() || !same(name) {
			continue
		}
		from.mu.Lock()
		p.mu.Lock()
		if p.servers[name] == nil {
			p.servers[name], from.given[name] = s, true
		}
		p.mu.Unlock()
		from.mu.Unlock()
	}
}

// ready reports whether there is a connection.
func (s *pooled) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return false
	}
	select {
	case <-s.conn.ready:
		return true
	default:
		return false
	}
}

// use prevents Rest from closing a server's connection until done is called.
func (s *pooled) use() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls--
	}
}

// Rest closes an unused connection to a server. The next call makes a new one.
func (p *Pool) Rest(server string) {
	p.mu.Lock()
	s := p.servers[server]
	p.mu.Unlock()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conn
	if c == nil || s.calls > 0 {
		return
	}
	select {
	case <-c.ready:
	default:
		return // a start that no caller waits for any more
	}
	if p.begin(func() { c.backend.Close() }) {
		s.conn = nil
	}
}

func (p *Pool) server(name string) (*pooled, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	s := p.servers[name]
	if s == nil {
		n := 0
		if p.opts.Concurrency != nil {
			n = p.opts.Concurrency(name)
		}
		if n <= 0 {
			n = DefaultConcurrency
		}
		s = &pooled{name: name, places: newPlaces(n)}
		p.servers[name] = s
	}
	return s, nil
}

// connect returns the server's connection, and makes one if needed. Callers share one attempt,
// which outlives the caller that began it.
func (p *Pool) connect(ctx context.Context, s *pooled) (*conn, error) {
	s.mu.Lock()
	if s.conn != nil && s.conn.dead() {
		p.dropLocked(s, ErrDisconnected)
	}
	c := s.conn
	if c == nil {
		if wait := time.Until(s.retryAt); wait > 0 {
			defer s.mu.Unlock()
			return nil, &PauseError{Err: s.lastErr, Wait: wait}
		}
		c = &conn{ready: make(chan struct{}), begun: time.Now()}
		if !p.begin(func() { p.open(s, c) }) {
			s.mu.Unlock()
			return nil, ErrClosed
		}
		s.conn = c
	}
	s.mu.Unlock()

	select {
	case <-c.ready:
		if c.err != nil {
			return nil, c.err
		}
		return c, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("connecting to server %q: %w", s.name, ctx.Err())
	case <-p.ctx.Done():
		return nil, ErrClosed
	}
}

// begin runs f in a goroutine that Close waits for. It returns false after Close.
func (p *Pool) begin(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.work.Go(f)
	return true
}

func (p *Pool) open(s *pooled, c *conn) {
	b, err := p.dial(p.ctx, s.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.backend, c.err, c.since = b, err, time.Now()
	if err != nil {
		s.conn = nil
		s.fail(err, 0)
	} else {
		s.down = time.Time{}
	}
	close(c.ready)
}

// fail counts a failure. The given number of forgiven failures causes no pause.
func (s *pooled) fail(err error, forgiven int) {
	s.failures++
	s.lastErr, s.retryAt = err, time.Time{}
	if s.down.IsZero() {
		s.down = time.Now()
	}
	if n := s.failures - forgiven; n > 0 {
		s.retryAt = time.Now().Add(min(minBackoff<<min(n-1, 16), maxBackoff))
	}
}

// calling registers a call over a connection until ended is called.
func (s *pooled) calling(c *conn) (ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.calls++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.calls--; c.calls == 0 && c.over != nil {
			close(c.over)
		}
	}
}

// drop removes a connection that has ended.
func (p *Pool) drop(s *pooled, c *conn, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == c {
		p.dropLocked(s, err)
	}
}

// dropLocked removes the connection, and closes it when the other calls over it have ended,
// because they may still get an answer.
func (p *Pool) dropLocked(s *pooled, err error) {
	c := s.conn
	s.conn = nil
	s.fail(err, 1)
	c.over = make(chan struct{})
	if c.calls == 0 {
		close(c.over)
	}
	p.begin(func() {
		select {
		case <-c.over:
		case <-p.ctx.Done():
		}
		c.backend.Close()
	})
}

// Close closes all backends, cancels running calls and returns when they are gone. Later calls
// fail with [ErrClosed].
func (p *Pool) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	p.work.Wait() // no dial is running any more, and none begins

	var closing sync.WaitGroup
	errs := make([]error, 0, len(p.servers))
	var mu sync.Mutex
	for name, s := range p.servers {
		if p.given[name] {
			continue
		}
		s.mu.Lock()
		c := s.conn
		s.conn = nil
		s.mu.Unlock()
		if c == nil || c.backend == nil {
			continue
		}
		closing.Go(func() {
			if err := c.backend.Close(); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	closing.Wait()
	return errors.Join(errs...)
}
