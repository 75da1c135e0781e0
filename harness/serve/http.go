package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/harness/serve/transport"
)

// HTTP configures streamable HTTP.
type HTTP struct {
	transport.Endpoint
	// Stateless gives no client a session, whatever its revision, so that any instance with the
	// same registry, tokens and key can answer any request.
	Stateless bool
	// NoConsole serves no pages. ConsoleOnly serves only the pages.
	NoConsole, ConsoleOnly bool
	// Secret signs links that open the console (see console.OpenPath). If empty, it is
	// random.
	Secret []byte
}

// ConsoleLink returns a link that opens the console once, signed with Secret. It is
// empty unless the address is a loopback address. Call it after Listen.
func (h *HTTP) ConsoleLink() string {
	if len(h.Secret) == 0 || !h.Local() {
		return ""
	}
	return strings.TrimSuffix(h.URL(), "/mcp") + console.OpenPath(h.Secret)
}

// Bounds of the sessions of HTTP clients.
const (
	sessionTime = 30 * time.Minute // without a request
	maxSessions = 1000
	unusedTime  = time.Minute // after it, a session may be ended in favour of any subject
	maxHost     = 255         // bytes of a name and a port
)

// HTTP serves clients at /mcp (and at /) until ctx ends, then gives running scripts the grace time.
func (s *Server) HTTP(ctx context.Context, h *HTTP) error {
	if err := h.Listen(); err != nil {
		return err
	}
	front := s.newFront(h)
	if front.console != nil {
		defer front.console.Close()
		s.live.onChange(func() { front.console.Changed("servers") })
	}
	s.log.Info("serving", "url", h.URL(), "tokens", len(h.Tokens))
	if len(h.Tokens) == 0 && !h.Local() {
		s.log.Warn("INSECURE: anyone who can reach this address can run scripts with your tools")
	}
	err := h.Serve(ctx, front.handler(), func() {
		if s.queue.Close(max(s.opts.Grace, 0)) == 0 {
			last, cancel := context.WithTimeout(context.Background(), transport.LastWords)
			front.answering.Acquire(last, math.MaxInt64) // the answers are written by then
			cancel()
		}
	})
	front.close()
	return err
}

// front connects HTTP with the sessions. Clients of revisions with sessions have one each. Clients
// of later revisions share one per token.
type front struct {
	h       *HTTP
	s       *Server
	console *console.Console // may be nil

	mu        sync.Mutex
	stateful  map[string]*session // by the SDK's session ID
	stateless map[string]*session // by token name and mode
	consoles  map[string]*session // of the console's viewers, by token name

	answering *semaphore.Weighted // acquired by each POST except listening ones
	bodies    *transport.Bodies   // of requests under way
}

func (s *Server) newFront(h *HTTP) *front {
	f := &front{h: h, s: s, stateful: map[string]*session{}, stateless: map[string]*session{},
		consoles: map[string]*session{}, answering: semaphore.NewWeighted(math.MaxInt64), bodies: transport.NewBodies(h.Tokens)}
	if !h.NoConsole {
		f.console = f.newConsole()
	}
	for name := range h.Tokens {
		s.resumer.addOwners(f.owner(name))
	}
	if len(h.Tokens) == 0 {
		s.resumer.addOwners(f.owner(""))
	}
	return f
}

// Headers that say where the client of a request is. The client's own are dropped.
const (
	awayHeader = "Usetools-Away" // not empty if the client may be on another machine
	pageHeader = "Usetools-Page" // the console's URL for the client, if it reaches it
)

// mark sets those headers.
func (f *front) mark(r *http.Request) {
	r.Header.Del(awayHeader)
	if transport.Away(r) {
		r.Header.Set(awayHeader, "yes")
	}
	r.Header.Set(pageHeader, f.page(r))
}

// page returns the URL of the console for the sender of a request, or "" if it cannot use the
// console.
func (f *front) page(r *http.Request) string {
	if f.console == nil || !f.h.Local() && !f.signsIn() || len(r.Host) > maxHost {
		return ""
	}
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" { // only the sender reads it
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// next returns how the sender of a request can resume a run.
func (f *front) next(r *http.Request) outcome.Next { return f.s.next(transport.Away(r), f.page(r)) }

type frontKey struct{}

// request keeps the session of one request between calls of statefulServer.
type request struct{ session *session }

func (f *front) handler() http.Handler {
	stateful := mcp.NewStreamableHTTPHandler(f.statefulServer, &mcp.StreamableHTTPOptions{
		SessionTimeout: sessionTime, MaxRequestBodyBytes: transport.MaxBody, DisableLocalhostProtection: true,
	})
	stateless := mcp.NewStreamableHTTPHandler(f.statelessServer, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes: transport.MaxBody, DisableLocalhostProtection: true,
	})
	rpc := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		release, ok := f.bodies.Read(w, r)
		if !ok {
			return
		}
		defer release()
		f.s.memory.Handled(int(r.ContentLength))
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Method") != transport.MethodListen {
			if f.answering.Acquire(r.Context(), 1) != nil {
				return
			}
			defer f.answering.Release(1)
		}
		f.mark(r)
		req := &request{}
		r = r.WithContext(context.WithValue(r.Context(), frontKey{}, req))
		if f.h.Stateless || r.Header.Get("Mcp-Protocol-Version") > transport.LastStateful {
			stateless.ServeHTTP(w, r)
			return
		}
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			if r.Method != http.MethodGet { // a notification stream is not use
				defer f.visit(id)()
			}
		} else if !f.room(transport.Subject(r)) {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "too many sessions; try again later", http.StatusServiceUnavailable)
			return
		}
		defer f.settle(req)
		stateful.ServeHTTP(w, r)
	})
	mux := http.NewServeMux()
	if f.h.ConsoleOnly {
		return f.checked(f.pages(mux))
	}
	mux.Handle("/mcp", f.h.Authorized(rpc))
	mux.Handle("/{$}", f.h.Authorized(rpc))
	mux.Handle("GET /metrics", f.h.Authorized(observe.MetricsHandler(f.s.writeMetrics)))
	mux.HandleFunc("GET /healthz", f.healthz)
	return f.checked(f.pages(mux))
}

// checked rejects requests from other hosts and pages, except visits by a link from another site to
// the console.
func (f *front) checked(next http.Handler) http.Handler {
	visits := func(r *http.Request) bool { return f.console != nil && console.Visits(r) && f.console.Has(r) }
	return f.h.Checked(next, visits, f.s.metrics.Panicked)
}

// visit marks a session as used by a request until left is called.
func (f *front) visit(id string) (left func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.stateful[id]
	if c == nil {
		return func() {}
	}
	c.visits++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		c.visits--
		c.used = time.Now()
	}
}

// room reports whether a subject may have one more session. If there are too many, it ends the
// least recently used idle session of the subject with the most. A session used within unusedTime
// is ended only if its subject has more than this one.
func (f *front) room(subject string) bool {
	f.mu.Lock()
	if len(f.stateful) < maxSessions {
		f.mu.Unlock()
		return true
	}
	count := map[string]int{}
	for _, c := range f.stateful {
		count[c.token]++
	}
	victim, of := "", (*session)(nil)
	for id, c := range f.stateful {
		if c.visits > 0 || time.Since(c.used) < unusedTime && count[c.token] <= count[subject]+1 {
			continue
		}
		if of == nil || cmp.Or(cmp.Compare(count[c.token], count[of.token]), of.used.Compare(c.used)) > 0 {
			victim, of = id, c
		}
	}
	delete(f.stateful, victim)
	f.mu.Unlock()
	if of == nil {
		return false
	}
	of.end()
	return true
}

// settle forgets the session of a request when it ends, or now if the request did not begin one.
func (f *front) settle(req *request) {
	c := req.session
	if c == nil {
		return
	}
	for ss := range c.mcp.Sessions() {
		go func() {
			ss.Wait()
			f.forget(c)
		}()
		return
	}
	f.forget(c)
}

func (f *front) forget(c *session) {
	f.mu.Lock()
	maps.DeleteFunc(f.stateful, func(_ string, other *session) bool { return other == c })
	f.mu.Unlock()
	c.end()
}

// mode returns the mode that the client's URL requests: ?codemode=false or ?tools=MODE.
func (f *front) mode(r *http.Request) Mode {
	q := r.URL.Query()
	if m := Mode(q.Get("tools")); slices.Contains(Modes, m) {
		return m
	}
	if q.Get("codemode") == "false" {
		return Classic
	}
	return f.s.opts.Tools
}

// statefulServer returns the MCP server of a request's session. A request without one gets a new
// server, which is kept if it begins a session.
func (f *front) statefulServer(r *http.Request) *mcp.Server {
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		f.mu.Lock()
		c := f.stateful[id]
		f.mu.Unlock()
		if c == nil {
			return nil
		}
		return c.mcp
	}
	req, _ := r.Context().Value(frontKey{}).(*request)
	if req == nil {
		return nil
	}
	if req.session == nil {
		id, name := rand.Text(), transport.Subject(r)
		var c *session
		c = f.s.newSession("http-"+id[:8], f.owner(name), name, f.mode(r), true, true, func() string {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.stateful[id] = c
			return id
		})
		c.used = time.Now()
		req.session = c
	}
	return req.session.mcp
}

// tokenSession begins the ID of the session of requests with a token and without a session.
const tokenSession = "token-"

func (f *front) statelessServer(r *http.Request) *mcp.Server {
	name, mode := transport.Subject(r), f.mode(r)
	key := name + "\x00" + string(mode)
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.stateless[key]
	if c == nil {
		id := "anonymous"
		if name != "" {
			id = tokenSession + name
		}
		c = f.s.newSession(id, f.owner(name), name, mode, false, name != "" && !f.h.Stateless, nil)
		c.shared = true
		f.stateless[key] = c
	}
	return c.mcp
}

func (f *front) close() {
	for _, c := range f.s.clients() {
		c.end()
	}
}

// health is the answer of /healthz. Down lists unavailable servers, if there are tokens only for
// clients with one.
type health struct {
	Status  string   `json:"status"` // ok, loading, no_tools, no_engine
	Tools   int      `json:"tools"`
	Servers int      `json:"servers"`
	Down    []string `json:"down,omitempty"`
	Running int      `json:"running"`
	Waiting int      `json:"waiting"`
}

func (f *front) healthz(w http.ResponseWriter, r *http.Request) {
	h := health{Status: observe.Healthy}
	h.Running, h.Waiting = f.s.queue.Load()
	cat := f.s.live.current()
	code := http.StatusOK
	if cat == nil {
		h.Status, code = "no_tools", http.StatusServiceUnavailable
		select {
		case <-f.s.live.ready:
		default:
			h.Status = "loading"
		}
	} else {
		h.Tools, h.Servers = len(cat.Registry.Tools), len(cat.Registry.Servers)
		trusted := f.h.Trusted(r)
		for _, srv := range cat.Registry.Servers {
			if srv.Error != nil && trusted {
				h.Down = append(h.Down, srv.Name)
			}
		}
	}
	if engine := f.s.opts.Engine; engine != nil && engine() != nil {
		h.Status, code = observe.NoEngine, http.StatusServiceUnavailable
	}
	observe.AnswerHealth(w, code, h)
}
