package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"
	"golang.org/x/sync/semaphore"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/serve/observe"
)

// HTTP says how to serve streamable HTTP.
type HTTP struct {
	// Address is host:port; without a host that of the loopback interface.
	Address string
	// Tokens are what clients must send as a bearer token, by the names of
	// those who have them; empty: none is asked for, which Check allows at
	// loopback addresses only.
	Tokens map[string]string
	// Insecure allows to serve without tokens at other addresses.
	Insecure bool
	// Hosts and Origins are accepted besides the address itself.
	Hosts, Origins []string
	// MaxConnections is how many connections are open at a time; further ones
	// wait. If zero, it is DefaultMaxConnections.
	MaxConnections int
	// Stateless gives no client a session, whatever its revision: any instance with the
	// same registry, tokens and key answers any request.
	Stateless bool
	// NoConsole serves no pages, ConsoleOnly nothing else.
	NoConsole, ConsoleOnly bool
	// Secret is what console.OpenPath makes links with that open the console; empty:
	// one that nobody knows.
	Secret []byte

	listener net.Listener // set by Listen
}

// DefaultMaxConnections is the default of HTTP.MaxConnections.
const DefaultMaxConnections = 1024

// Bounds of HTTP requests.
const (
	maxBody       = 8 << 20
	maxBatch      = 100 // messages
	bodyTime      = time.Minute
	headerTime    = 10 * time.Second
	idleTime      = 2 * time.Minute
	writeTime     = time.Minute            // for a part of an answer
	closeTime     = 500 * time.Millisecond // for what is being answered at the end
	sessionTime   = 30 * time.Minute       // without a request
	maxSessions   = 1000
	unusedTime    = time.Minute  // after that a session may have to make room for anybody
	lastStateful  = "2025-11-25" // later revisions have no sessions
	lastBatches   = "2025-03-26" // later revisions have no batches
	minTokenBytes = 16
	maxHost       = 255 // bytes of a name and a port
)

// ReadTokens reads a file with a token, or a name and a token, on each line,
// and takes another token from the environment; both may be missing. What has no
// name is called by its place, which has a space and so is no name.
func ReadTokens(file, env string) (map[string]string, error) {
	tokens := map[string]string{}
	add := func(name, token string) error {
		if len(token) < minTokenBytes {
			return fmt.Errorf("a token has %d bytes; want at least %d, as openssl rand -hex 16 makes them", len(token),
				minTokenBytes)
		}
		if tokens[name] != "" {
			return fmt.Errorf("the name %q is there twice: each token needs its own", name)
		}
		for other, t := range tokens {
			if t == token {
				return fmt.Errorf("%q has the same token as %q: each needs its own", name, other)
			}
		}
		tokens[name] = token
		return nil
	}
	if env != "" {
		if err := add("the environment", strings.TrimSpace(env)); err != nil {
			return nil, err
		}
	}
	if file == "" {
		return tokens, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading tokens: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(fields[0], "#"):
			continue
		case len(fields) == 1:
			err = add(fmt.Sprintf("line %d", n), fields[0])
		case len(fields) == 2:
			err = add(fields[0], fields[1])
		default:
			err = errors.New("want a token, or a name and a token")
		}
		if err != nil {
			return nil, fmt.Errorf("reading tokens: %s:%d: %w", file, n, err)
		}
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("reading tokens: %s has none", file)
	}
	return tokens, nil
}

// Tenants reports whether tokens tell clients apart: there are several.
func (h *HTTP) Tenants() bool { return len(h.Tokens) > 1 }

// Check reports an address that must not be served so.
func (h *HTTP) Check() error {
	host, _, err := net.SplitHostPort(h.Address)
	if err != nil {
		return fmt.Errorf("address %q: want host:port, as in 127.0.0.1:7337", h.Address)
	}
	if host != "" && !loopback(host) && len(h.Tokens) == 0 && !h.Insecure {
		return fmt.Errorf("address %q can be reached from other machines: demand a token (-token-file, or "+
			"USETOOLS_TOKEN), or say -insecure", h.Address)
	}
	return nil
}

// Listen takes the address, for who wants to know that it is to be had before
// anything else begins; Server.HTTP does it otherwise.
func (h *HTTP) Listen() error {
	if h.listener != nil {
		return nil
	}
	addr := h.Address
	if host, port, _ := net.SplitHostPort(addr); host == "" {
		addr = net.JoinHostPort("127.0.0.1", port)
	}
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("listening: another program has %s already; end that, or serve at another port: %w", addr, err)
	case err != nil:
		return fmt.Errorf("listening: %w", err)
	}
	h.listener = l
	return nil
}

// bounded returns the listener with its bound of open connections.
func (h *HTTP) bounded() net.Listener {
	return netutil.LimitListener(h.listener, cmp.Or(h.MaxConnections, DefaultMaxConnections))
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// HTTP serves clients at /mcp (and at /) until ctx ends, then gives running
// scripts the grace time.
func (s *Server) HTTP(ctx context.Context, h *HTTP) error {
	if err := h.Check(); err != nil {
		return err
	}
	if err := h.Listen(); err != nil {
		return err
	}
	l := h.bounded()
	front := s.newFront(h)
	if front.console != nil {
		defer front.console.Close()
		defer s.live.tells(func() { front.console.Changed("servers") })()
	}
	srv := serverOf(front.handler())
	s.log.Info("serving", "url", "http://"+l.Addr().String()+"/mcp", "tokens", len(h.Tokens))
	if len(h.Tokens) == 0 && !loopback(l.Addr().(*net.TCPAddr).IP.String()) {
		s.log.Warn("INSECURE: anybody who reaches this address can run scripts with your tools")
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	sweep := time.NewTicker(time.Minute)
	defer sweep.Stop()
	for {
		select {
		case err := <-served:
			return err
		case <-sweep.C:
			front.sweep()
			continue
		case <-ctx.Done():
		}
		break
	}
	if s.queue.Close(max(s.opts.Grace, 0)) == 0 {
		last, cancel := context.WithTimeout(context.Background(), lastWords)
		front.answering.Acquire(last, math.MaxInt64) // the answers are written then
		cancel()
	}
	// Streams without an end are cut after that.
	end, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	srv.Shutdown(end)
	srv.Close()
	<-served
	front.close()
	return nil
}

func serverOf(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    64 << 10,

		DisableGeneralOptionsHandler: true, // which waits for a body
	}
}

// door lets requests in, those that may come.
type door struct {
	h       *HTTP
	log     *slog.Logger
	metrics *observe.Metrics
	console *console.Console // nil: there is none
}

// front is what stands between HTTP and the sessions. Clients of revisions
// that know sessions have one each; later ones share one per token.
type front struct {
	door
	s *Server

	mu        sync.Mutex
	stateful  map[string]*session // by the SDK's session ID
	stateless map[string]*session // by token name and mode
	consoles  map[string]*session // of who looks at the console, by token name

	answering *semaphore.Weighted // one for each POST that ends
	bodies    *bodies             // of requests under way
	bodyTime  time.Duration       // for a body to arrive
}

func (s *Server) newFront(h *HTTP) *front {
	f := &front{door: door{h: h, log: s.log, metrics: s.metrics}, s: s, stateful: map[string]*session{},
		stateless: map[string]*session{}, consoles: map[string]*session{}, answering: semaphore.NewWeighted(math.MaxInt64),
		bodies: newBodies(h.Tokens), bodyTime: bodyTime}
	if !h.NoConsole {
		f.console = f.newConsole()
	}
	for name := range h.Tokens {
		s.resumer.knows(f.owner(name))
	}
	if len(h.Tokens) == 0 {
		s.resumer.knows(f.owner(""))
	}
	return f
}

// Headers that tell the session of a request where its client is. Those of the client
// are dropped.
const (
	awayHeader = "Usetools-Away" // not empty if the client may be on another machine
	pageHeader = "Usetools-Page" // the console's URL for the client, if it reaches it
)

// mark sets those headers.
func (f *front) mark(r *http.Request) {
	r.Header.Del(awayHeader)
	if away(r) {
		r.Header.Set(awayHeader, "yes")
	}
	r.Header.Set(pageHeader, f.page(r))
}

// page returns the URL of the console for the sender of a request, "" if it cannot use the console.
func (f *front) page(r *http.Request) string {
	if f.console == nil || !f.h.local() && !f.signsIn() || len(r.Host) > maxHost {
		return ""
	}
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" { // only the sender reads it
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// next returns how the sender of a request can resume a run.
func (f *front) next(r *http.Request) harness.Next { return f.s.next(away(r), f.page(r)) }

// away reports whether a request may be from another machine.
func away(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	from, _, _ := net.SplitHostPort(r.RemoteAddr)
	return !loopback(host) || !loopback(from) ||
		cmp.Or(r.Header.Get("Forwarded"), r.Header.Get("X-Forwarded-For"), r.Header.Get("Via")) != ""
}

type frontKey struct{}

// request is what getServer remembers between its calls for one request.
type request struct{ session *session }

func (f *front) handler() http.Handler {
	stateful := mcp.NewStreamableHTTPHandler(f.statefulServer, &mcp.StreamableHTTPOptions{
		SessionTimeout: sessionTime, MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: true,
	})
	stateless := mcp.NewStreamableHTTPHandler(f.statelessServer, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: true,
	})
	rpc := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		release, ok := f.readBody(w, r)
		if !ok {
			return
		}
		defer release()
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Method") != methodListen {
			if f.answering.Acquire(r.Context(), 1) != nil {
				return
			}
			defer f.answering.Release(1)
		}
		f.mark(r)
		req := &request{}
		r = r.WithContext(context.WithValue(r.Context(), frontKey{}, req))
		if f.h.Stateless || r.Header.Get("Mcp-Protocol-Version") > lastStateful {
			stateless.ServeHTTP(w, r)
			return
		}
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			defer f.visit(id, r.Method)()
		} else if !f.room(subject(r)) {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "too many sessions; try again later", http.StatusServiceUnavailable)
			return
		}
		defer f.drop(req)
		stateful.ServeHTTP(w, r)
	})
	mux := http.NewServeMux()
	if f.h.ConsoleOnly {
		return f.checked(f.pages(mux))
	}
	mux.Handle("/mcp", f.authorized(rpc))
	mux.Handle("/{$}", f.authorized(rpc))
	mux.Handle("GET /metrics", f.authorized(metricsHandler(f.s.writeMetrics)))
	mux.HandleFunc("GET /healthz", f.healthz)
	return f.checked(f.pages(mux))
}

// longAgo is a deadline that is over.
var longAgo = time.Unix(1, 0)

// checked refuses requests for other hosts and from other sites' pages, and
// turns a panic into an answer. An answer that is given before the body was
// wanted (readBody) waits for nothing of it, and ends the connection.
func (d *door) checked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slow := impatient{w}
		slow.extend()
		defer slow.extend() // for what is still buffered
		w = slow
		if r.ContentLength != 0 {
			w.Header().Set("Connection", "close")
			http.NewResponseController(w).SetReadDeadline(longAgo)
		}
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				d.metrics.Panicked(r.URL.Path, p)
				http.Error(w, "the server failed at this request", http.StatusInternalServerError)
			}
		}()
		if !d.hostOK(r) {
			http.Error(w, fmt.Sprintf("forbidden: host %.100q is not served here (-allow-host)", r.Host), http.StatusForbidden)
			return
		}
		if !d.originOK(r) {
			http.Error(w, "forbidden: requests from pages of another origin (-allow-origin)", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOK: at a loopback address only names of it are meant, whatever a DNS
// server says. Elsewhere names are checked where any were given, and where no
// token keeps out the page of a stranger whose name leads here.
func (d *door) hostOK(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if slices.Contains(d.h.Hosts, host) || slices.Contains(d.h.Hosts, r.Host) {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if local != nil && local.IP.IsLoopback() {
		return loopback(host)
	}
	return len(d.h.Hosts) == 0 && (len(d.h.Tokens) > 0 || d.h.own(host))
}

// own reports whether a host is an address, or a name of this machine or of what
// it serves: nothing that the name of somebody else's page can be.
func (h *HTTP) own(host string) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	name, _ := os.Hostname() // "" on an error
	short, _, _ := strings.Cut(name, ".")
	given, _, _ := net.SplitHostPort(h.Address)
	names := []string{"localhost", name, short, given}
	return host != "" && slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(host, s) })
}

func (d *door) originOK(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") != "cross-site" || d.console != nil && console.Visits(r) && d.console.Has(r)
	}
	if slices.Contains(d.h.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// authorized demands a token where there are any.
func (d *door) authorized(next http.Handler) http.Handler {
	if len(d.h.Tokens) == 0 {
		return next
	}
	const challenge = "WWW-Authenticate"
	demand := auth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if name := d.holder(token); name != "" {
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

// holder is the name of who has a token; empty: nobody.
func (d *door) holder(token string) (name string) {
	got := sha256.Sum256([]byte(token))
	for n, t := range d.h.Tokens { // all of them, whichever it is
		want := sha256.Sum256([]byte(t))
		if subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			name = n
		}
	}
	return name
}

// trusted reports whether a request has a token, or needs none.
func (d *door) trusted(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return len(d.h.Tokens) == 0 || strings.EqualFold(scheme, "bearer") && d.holder(strings.TrimSpace(token)) != ""
}

// impatient writes to clients that read: one that takes no part of an answer
// in time is cut off, so that it holds nothing.
type impatient struct{ http.ResponseWriter }

func (w impatient) Write(p []byte) (int, error) {
	w.extend()
	return w.ResponseWriter.Write(p)
}

func (w impatient) extend() {
	http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(writeTime))
}

// Unwrap is for http.ResponseController.
func (w impatient) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// readBody reads the whole body within bounds of size and time; release is to be
// called when the request is answered. Without it the connection ends with the
// answer (checked), and it does where the body is too large or late.
func (f *front) readBody(w http.ResponseWriter, r *http.Request) (release func(), ok bool) {
	if r.ContentLength == 0 {
		return func() {}, true
	}
	free, ok := f.holdBody(w, r, subject(r), maxBody)
	if !ok {
		return nil, false
	}
	defer func() {
		if !ok {
			free()
		}
	}()
	rc := http.NewResponseController(w)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		rc.SetReadDeadline(longAgo) // nobody waits for the rest
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, fmt.Sprintf("the request has more than %d bytes", maxBody), http.StatusRequestEntityTooLarge)
		return nil, false
	case err != nil:
		http.Error(w, "the request could not be read in time", http.StatusRequestTimeout)
		return nil, false
	}
	f.s.memory.Handled(len(body))
	if why := unfit(body, r.Header.Get("Mcp-Protocol-Version")); why != "" {
		http.Error(w, why, http.StatusBadRequest)
		return nil, false
	}
	w.Header().Del("Connection")
	rc.SetReadDeadline(time.Time{}) // what is answered may take any time
	r.Body = io.NopCloser(bytes.NewReader(body))
	return free, true
}

// holdBody waits for room for the body of a request, of at most max bytes, and lets it be
// read for as long as a body may take. release is to be called when the request is
// answered; where there is no room in time, it is.
func (f *front) holdBody(w http.ResponseWriter, r *http.Request, token string, max int64) (release func(), ok bool) {
	late := time.Now().Add(f.bodyTime)
	ctx, cancel := context.WithDeadline(r.Context(), late)
	defer cancel()
	size := r.ContentLength
	if size < 0 || size > max {
		size = max
	}
	release, err := f.bodies.acquire(ctx, token, size)
	if err != nil {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many large requests are under way; try again later", http.StatusServiceUnavailable)
		return nil, false
	}
	http.NewResponseController(w).SetReadDeadline(late)
	return release, true
}

// unfit says why a body is a batch that is not taken, empty where it is none.
// Only one revision has batches, whose clients do not name it in each request;
// all answers of one wait until the client reads them.
func unfit(body []byte, version string) string {
	if start := bytes.TrimLeft(body, " \t\r\n"); len(start) == 0 || start[0] != '[' {
		return ""
	}
	if version > lastBatches {
		return "revision " + version + " has no batches; send one message"
	}
	n := 0
	d := json.NewDecoder(bytes.NewReader(body))
	d.Token()
	for d.More() {
		var message json.RawMessage
		if n++; n > maxBatch || d.Decode(&message) != nil {
			break // what is no JSON is refused with its reason later
		}
	}
	if n > maxBatch {
		return fmt.Sprintf("a batch has at most %d messages", maxBatch)
	}
	return ""
}

// visit notes that a session is in use by a request, until left is called. A
// stream that it holds open to be told of news is no use.
func (f *front) visit(id, method string) (left func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.stateful[id]
	if c == nil {
		return func() {}
	}
	if method == http.MethodGet {
		c.streams++
		return func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			c.streams--
		}
	}
	c.visits++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		c.visits--
		c.used = time.Now()
	}
}

// room reports whether there may be one more session for a subject. Where there
// are too many, the one that nobody has used for the longest time makes room, of
// whoever has the most, and one without an open stream first: its client is told
// that it has ended, and begins another. Who has more than the new one's subject
// gives way at once.
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
	streams := func(c *session) int { return min(c.streams, 1) }
	victim, of := "", (*session)(nil)
	for id, c := range f.stateful {
		if c.visits > 0 || time.Since(c.used) < unusedTime && count[c.token] <= count[subject]+1 {
			continue
		}
		if of == nil || cmp.Or(cmp.Compare(count[c.token], count[of.token]), cmp.Compare(streams(of), streams(c)),
			of.used.Compare(c.used)) > 0 {
			victim, of = id, c
		}
	}
	delete(f.stateful, victim)
	f.mu.Unlock()
	if of == nil {
		return false
	}
	for ss := range of.mcp.Sessions() {
		ss.Close()
	}
	of.end()
	return true
}

// drop forgets what a request began that did not become a session.
func (f *front) drop(req *request) {
	c := req.session
	if c == nil {
		return
	}
	for range c.mcp.Sessions() {
		return
	}
	f.mu.Lock()
	maps.DeleteFunc(f.stateful, func(_ string, other *session) bool { return other == c })
	f.mu.Unlock()
	c.end()
}

// mode is what the client's URL asks for: ?codemode=false or ?tools=MODE.
func (f *front) mode(r *http.Request) Mode {
	q := r.URL.Query()
	if m := Mode(q.Get("tools")); m != "" && m.validate() == nil {
		return m
	}
	if q.Get("codemode") == "false" {
		return Classic
	}
	return f.s.opts.Tools
}

func subject(r *http.Request) string {
	if t := auth.TokenInfoFromContext(r.Context()); t != nil {
		return t.UserID
	}
	return ""
}

// statefulServer is the MCP server of a request's session; for a request that
// has none a new one, which stays if it becomes a session.
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
		id, name := rand.Text(), subject(r)
		var c *session
		c = f.s.newSession("http-"+id[:8], f.owner(name), name, f.mode(r), true, func() string {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.stateful[id] = c
			return id
		})
		c.one, c.used = true, c.begun
		req.session = c
	}
	return req.session.mcp
}

func (f *front) statelessServer(r *http.Request) *mcp.Server {
	name, mode := subject(r), f.mode(r)
	key := name + "\x00" + string(mode)
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.stateless[key]
	if c == nil {
		id := "anonymous"
		if name != "" {
			id = "token-" + name
		}
		c = f.s.newSession(id, f.owner(name), name, mode, name != "" && !f.h.Stateless, nil)
		f.stateless[key] = c
	}
	return c.mcp
}

// sweep forgets sessions whose clients are gone.
func (f *front) sweep() {
	live := map[*session]bool{}
	f.mu.Lock()
	for id, c := range f.stateful {
		for range c.mcp.Sessions() {
			live[c] = true
		}
		if !live[c] && time.Since(c.begun) > time.Minute {
			delete(f.stateful, id)
		} else {
			live[c] = true
		}
	}
	for _, all := range []map[string]*session{f.stateless, f.consoles} {
		for _, c := range all {
			live[c] = true
		}
	}
	f.mu.Unlock()
	for _, c := range f.s.clients() { // those of single requests as well
		if !live[c] && time.Since(c.begun) > time.Minute {
			c.end()
		}
	}
}

func (f *front) close() {
	for _, c := range f.s.clients() {
		c.end()
	}
}

// health is what /healthz answers. Down names servers, to those with a token
// where there are any.
type health struct {
	Status  string   `json:"status"` // ok, loading, no_tools, no_engine
	Tools   int      `json:"tools"`
	Servers int      `json:"servers"`
	Down    []string `json:"down,omitempty"`
	Running int      `json:"running"`
	Waiting int      `json:"waiting"`
}

func (f *front) healthz(w http.ResponseWriter, r *http.Request) {
	h := health{Status: healthy}
	h.Running, h.Waiting = f.s.queue.Load()
	cat := f.s.live.now()
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
		trusted := f.trusted(r)
		for _, srv := range cat.Registry.Servers {
			if srv.Error != nil && trusted {
				h.Down = append(h.Down, srv.Name)
			}
		}
	}
	if engine := f.s.opts.Engine; engine != nil && engine() != nil {
		h.Status, code = noEngine, http.StatusServiceUnavailable
	}
	answerHealth(w, code, h)
}
