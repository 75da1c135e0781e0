package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/harness/serve/shorten"
	"github.com/usetools/usetools/harness/serve/transport"
)

// This file gives the tests of package serve_test what they need of the inside.

const (
	ApprovalsName   = approvalsName
	LargeMessage    = guard.LargeMessage
	MaxAsked        = maxAsked
	MaxOnce         = maxOnce
	MaxScript       = maxScript
	ResultSchemaURI = resultSchemaURI
	RunAnswers      = runAnswers
	RunTemplate     = runTemplate
	RunsURI         = runsURI
	StatsURI        = statsURI
	Teaching        = teaching
	TeachingTokens  = teachingTokens
)

type (
	Front   = front
	Health  = health
	Session = session
)

var (
	ExecuteTool = executeTool
	McpName     = mcpName
	ParseArgs   = parseArgs
	Quote       = shorten.Quote
	Schema      = schema
	TextResult  = textResult
)

// Ready is closed when the first load of the catalog has ended, Told when the
// descriptions have its tools.
func (s *Server) Ready() <-chan struct{} { return s.live.ready }
func (s *Server) Told() <-chan struct{}  { return s.live.described }

func (s *Server) Now() *catalog.Catalog           { return s.live.current() }
func (s *Server) SetCatalog(cat *catalog.Catalog) { s.live.set(cat, nil) }
func (s *Server) Opts() Options                   { return s.opts }
func (s *Server) Records() *store.Store           { return s.records }
func (s *Server) Harness() *harness.Harness       { return s.harness }
func (s *Server) Sessions() int                   { return len(s.clients()) }
func (s *Server) Untidy() bool                    { return s.memory.Untidy() }
func (s *Server) Panics() int64                   { return s.metrics.Panics() }
func (s *Server) WriteMetrics(w io.Writer)        { s.writeMetrics(w) }
func (s *Server) Load() (running, waiting int)    { return s.queue.Load() }
func (s *Server) Describe()                       { s.describe() }
func (s *Server) DescribeSoon()                   { s.describeSoon() }

// Undescribed makes the description of a new session anew.
func (s *Server) Undescribed() {
	s.mu.Lock()
	s.texts.of = nil
	s.mu.Unlock()
	s.Described()
}

// ForgetUse lets the next session count use anew.
func (s *Server) ForgetUse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.owned {
		o.usedAt = time.Time{}
	}
}

func (s *Server) Acquire() func(context.Context) (*catalog.Catalog, func(), error) {
	return s.live.acquire
}

func (s *Server) TakeTurn(ctx context.Context, tenant, session string) (release func(), err error) {
	return s.queue.Acquire(ctx, tenant, session)
}

// Ending reports whether no script begins any more.
func (s *Server) Ending() bool {
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	release, err := s.queue.Acquire(ctx, "", "")
	if err == nil {
		release()
	}
	return errors.Is(err, guard.ErrClosing)
}

// Break makes the next answer that is cut panic, until repair is called.
func (s *Server) Break() (repair func()) {
	kept := s.kept
	s.kept = nil
	return func() { s.kept = kept }
}

// Described returns the description that a session begins with.
func (s *Server) Described() string {
	c := s.NewSession("described", Execute, true)
	defer c.end()
	return c.shown
}

// ForgetChange lets clients be told of the next change at once.
func (s *Server) ForgetChange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = time.Time{}
}

// DescribesLater reports whether clients will be told of a change later, and
// tells them now.
func (s *Server) DescribesLater() bool {
	s.mu.Lock()
	later := s.later
	s.mu.Unlock()
	if later == nil || !later.Stop() {
		return false
	}
	s.describeChanged()
	return true
}

// Catalogs returns what the sessions of an owner see.
func (s *Server) Catalogs(ctx context.Context, owner string) (all []*catalog.Catalog) {
	for _, c := range s.clients() {
		if !strings.HasPrefix(string(c.owner), owner) {
			continue
		}
		if cat, done, err := c.catalog(ctx); err == nil {
			done()
			all = append(all, cat)
		}
	}
	return all
}

func (s *Server) NewSession(id string, mode Mode, loads bool) *Session {
	return s.newSession(id, guard.Operator, "", mode, false, loads, nil)
}

func (c *session) Instructions(ctx context.Context) string        { return c.instructions(ctx) }
func (c *session) Shown() string                                  { return c.shown }
func (c *session) IsOne(one bool)                                 { c.one = one }
func (c *session) Loads(tool string)                              { c.loaded[tool] = struct{}{} }
func (c *session) Guard(next mcp.MethodHandler) mcp.MethodHandler { return c.guard(next) }
func (c *session) Spare(next mcp.MethodHandler) mcp.MethodHandler { return c.dropKnownChanges(next) }

func (c *session) Begins(ctx context.Context, s *harness.Script) (*outcome.Result, error) {
	return c.runOrRejoin(ctx, s)
}

// Question returns what a client carries from the question to the answer.
func (c *session) Question(script, tool string) (state string) {
	return c.question("?", (&executeArgs{Script: script}).hash(), []string{tool}).RequestState
}

func (c *session) Approvals(req *mcp.CallToolRequest, script string) ([]string, error) {
	tools, refused := c.approvals(req, (&executeArgs{Script: script}).hash())
	if refused != nil {
		return nil, refused
	}
	return tools, nil
}

// Front returns what stands between HTTP and the sessions. If bodyWait is
// zero, it is the default.
func (s *Server) Front(h *HTTP, bodyWait time.Duration) *Front {
	f := s.newFront(h)
	f.bodies.Time = cmp.Or(bodyWait, f.bodies.Time)
	return f
}

func (f *front) HTTPServer() *http.Server            { return f.h.Server(f.handler()) }
func (f *front) Viewer(token string) *console.Viewer { return f.viewer(token) }

func (f *front) Close() {
	if f.console != nil {
		f.console.Close()
	}
	f.close()
}

// HoldBody takes the room of a largest body.
func (f *front) HoldBody(ctx context.Context, token string) error {
	_, err := f.bodies.Acquire(ctx, token, transport.MaxBody)
	return err
}

// AgeSilent makes a session with an open stream and no request unused for long,
// and reports whether there is one.
func (f *front) AgeSilent() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.stateful {
		if c.visits == 0 {
			c.used = time.Now().Add(-2 * unusedTime)
			return true
		}
	}
	return false
}

// Fill adds as many sessions with an open stream as are still possible.
func (f *front) Fill(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.stateful); i < maxSessions; i++ {
		id := fmt.Sprint("open", i)
		f.stateful[id] = &session{s: f.s, id: id, mcp: mcp.NewServer(&mcp.Implementation{}, nil), token: token,
			used: time.Now()}
	}
}

// ParseQuery reads the arguments of a search.
func ParseQuery(tool string, raw []byte) (*discovery.Query, error) {
	var a arguments
	if err := a.read(tool, raw, searchTakes); err != nil {
		return nil, err
	}
	return a.query()
}
