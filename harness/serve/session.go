package serve

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/skill"
	"github.com/usetools/usetools/wrappers"
)

//lint:file-ignore SA1019 clients still speak the revisions that log through the protocol

// Mode says which tools a client sees.
type Mode string

// The modes of a server or a session.
const (
	Execute   Mode = "execute"   // execute alone
	Discovery Mode = "discovery" // and tool_find, tool_describe, tool_load, tool_active
	Classic   Mode = "classic"   // search_tools, describe_tool, call_tool; no scripts
	All       Mode = "all"       // all of them
)

// Modes are the values that a Mode may have.
var Modes = []Mode{Execute, Discovery, Classic, All}

func (m Mode) scripts() bool   { return m != Classic }
func (m Mode) discovery() bool { return m == Discovery || m == All }
func (m Mode) classic() bool   { return m == Classic || m == All }

// session is one client: the process on stdio, an HTTP session, or all that
// comes with one token where there are none.
type session struct {
	s    *Server
	id   string // names it in records and in the queue
	mode Mode
	mcp  *mcp.Server
	// loads says that tools can be loaded for the client, which are there in its next
	// request.
	loads bool
	owner guard.Owner // of what it saves and what its results teach
	token string      // the name of the token that it came with, whose rules count; "" on stdio
	// results are those of its calls that are under way.
	results *harness.Room
	// one says that it is one client, and not all that have a token, or none.
	one bool
	// shared: it stands for all requests of its token, which have no sessions.
	shared bool

	// Of a session over HTTP, under the lock of its front:
	visits int       // requests under way, without streams of news
	used   time.Time // when the last one ended

	mu      sync.Mutex
	shown   string              // the description that clients have
	base    *registry.Registry  // that it was made from; nil if the tools were still being loaded
	first   []string            // IDs of the tools that it lists first
	counted time.Time           // when its used tools were counted
	loaded  map[string]struct{} // IDs of tools that tool_load made callable
	listed  string              // what the client's latest list depended on
	// approves: it has the tool approvals.
	approves bool
}

// newSession makes a session with its MCP server, for a client with the token of that
// name. one reports whether that is a single client. sdkID, if not nil, returns the
// session ID that HTTP clients are given.
func (s *Server) newSession(id string, of guard.Owner, token string, mode Mode, one, loads bool, sdkID func() string) *session {
	c := &session{s: s, id: id, owner: of, token: token, mode: mode, one: one, loads: loads, loaded: map[string]struct{}{}}
	c.results = harness.NewRoom(s.opts.MaxResultBytes, s.weighed(of))
	can := &mcp.ServerCapabilities{
		//lint:ignore SA1019 older clients are told by it what a script prints
		Logging: &mcp.LoggingCapabilities{},
		Tools:   &mcp.ToolCapabilities{ListChanged: true},
	}
	if mode.scripts() {
		can.AddExtension(skill.Extension, nil)
	}
	c.mcp = mcp.NewServer(&mcp.Implementation{Name: "usetools", Title: "UseTools", Version: s.opts.Version},
		&mcp.ServerOptions{GetSessionID: sdkID, SetCacheable: c.cacheable, Capabilities: can})
	c.mcp.AddReceivingMiddleware(c.guard, c.instruct)
	c.mcp.AddSendingMiddleware(c.spare)
	if mode.scripts() {
		c.describe()
		c.addSkills()
	}
	c.addDiscovery()
	c.addTeaching()
	c.addRuns()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[c] = struct{}{}
	return c
}

// listTime is how long clients may cache a list of tools. A script for a tool that
// has changed since is refused with the tool's signature.
const listTime = 5 * time.Minute

// cacheable says who may keep a result, and for how long.
func (c *session) cacheable(_ context.Context, req mcp.Request, res *mcp.Cacheable) {
	res.CacheScope = "private"
	if _, ok := req.(*mcp.ListToolsRequest); ok && c.knows() && !(c.loads && c.mode.discovery()) {
		res.TTLMs = int(listTime.Milliseconds())
	}
}

// keptFor is the session that values are kept for, empty where many clients are in
// it: what they read later has a handle.
func (c *session) keptFor() string {
	if c.one {
		return c.id
	}
	return ""
}

// end closes a session and forgets it.
func (c *session) end() {
	for ss := range c.mcp.Sessions() {
		ss.Close()
	}
	c.s.mu.Lock()
	delete(c.s.sessions, c)
	c.s.mu.Unlock()
	if c.one {
		c.s.kept.forget(c.id)
	}
}

// guard stands before every request: a panic becomes an error answer, and the
// first list of tools waits a moment for the tools.
func (c *session) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				c.s.metrics.Panicked(method, p)
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
					Message: "the server failed at this request; others are not affected"}
			}
		}()
		switch method {
		case "tools/call":
			ctx = observe.WithTrace(ctx, req)
			if !c.one { // another instance may have listed it
				c.offerApprovals()
			}
		case "tools/list":
			select {
			case <-c.s.live.told:
				if !c.knows() || c.outdated() {
					c.describe()
				}
			case <-time.After(listWait):
			case <-ctx.Done():
			}

			c.offerApprovals()
			has, _ := c.list()
			if res, err = next(ctx, method, req); err == nil {
				c.mu.Lock()
				c.listed = has
				c.mu.Unlock()
			}
			return res, err
		}
		return next(ctx, method, req)
	}
}

// list is what the list of tools depends on, and what its description was made
// from.
func (c *session) list() (has string, of *registry.Registry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown + "\n" + strings.Join(slices.Sorted(maps.Keys(c.loaded)), "\n"), c.base
}

// knows reports whether the session has a description of tools: it stays.
func (c *session) knows() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base != nil
}

// spare does not tell a client of a change that it has in its list already, or
// will have in the first one that it asks for.
func (c *session) spare(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if c.one && method == "notifications/tools/list_changed" {
			has, _ := c.list()
			c.mu.Lock()
			known := c.listed == has || c.listed == "" && len(c.loaded) == 0
			c.mu.Unlock()
			if known {
				return nil, nil
			}
		}
		return next(ctx, method, req)
	}
}

// listWait is how long a list of tools waits for a registry that is being
// built; those who come earlier are told of the change.
const listWait = 5 * time.Second

// describe gives the client the present description of execute, if it has
// another one, and reports whether it had.
func (c *session) describe() bool {
	if !c.mode.scripts() {
		return false
	}
	text, of := c.described()
	c.mu.Lock()
	same := c.shown == text
	c.shown, c.base = text, of
	c.mu.Unlock()
	if !same {
		c.mcp.AddTool(executeTool(text), c.execute)
	}
	return !same
}

// sharedUse is how long clients that share a session keep the order by use.
const sharedUse = 24 * time.Hour

// outdated reports whether use is to be counted. It is counted once for a session of one client.
func (c *session) outdated() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counted.IsZero() || !c.one && time.Since(c.counted) > sharedUse
}

// described returns the present description of execute for the session, and the
// registry that it was made from, nil while tools are being loaded.
func (c *session) described() (string, *registry.Registry) {
	s, cat := c.s, c.s.live.now()
	if cat == nil || cat.Load() != nil { // no tool can be called
		return s.description(nil, nil, nil, nil, ""), nil
	}
	seen := s.seenBy(c.owner, cat)
	if c.outdated() {
		first := s.used(c.owner, cat)
		c.mu.Lock()
		c.first, c.counted = first, time.Now()
		c.mu.Unlock()
	}
	c.mu.Lock()
	first := c.first
	c.mu.Unlock()
	view, err := seen.View()
	if err != nil {
		return s.description(nil, nil, nil, nil, ""), nil
	}
	key := textKey{view, c.token, s.saved(seen), strings.Join(first, "\n")}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts.of != cat || len(s.texts.by) >= maxTexts {
		s.texts.of, s.texts.by = cat, map[textKey]string{}
	}
	text, ok := s.texts.by[key]
	if !ok {
		if !s.opts.UsageOrder {
			view = wrappers.NewView(cat.Registry) // without inferred types
		}
		text = s.description(cat, view, c.policy(), first, key.saved)
		s.texts.by[key] = text
	}
	return text, cat.Registry
}

// textKey has all that a description of one catalog depends on.
type textKey struct {
	view  *wrappers.View
	token string // whose rules count
	saved string // what it says of saved scripts
	used  string
}

// maxTexts is how many descriptions of one catalog are kept.
const maxTexts = 64

// describe brings the descriptions of all sessions up to date.
func (s *Server) describe() { s.describeTo(func(*session) bool { return true }) }

// describeSoon brings the descriptions up to date that a change of the registry
// concerns: those of sessions where there are other tools, and those of clients
// without a session. That is done at most every describeEvery.
func (s *Server) describeSoon() {
	s.mu.Lock()
	wait := describeEvery - time.Since(s.changed)
	if wait > 0 && s.later == nil {
		s.later = time.AfterFunc(wait, s.describeChanged)
	}
	s.mu.Unlock()
	if wait <= 0 {
		s.describeChanged()
	}
}

func (s *Server) describeChanged() {
	s.mu.Lock()
	s.later = nil
	s.mu.Unlock()
	cat := s.live.now()
	if cat == nil || s.ctx.Err() != nil {
		return
	}
	s.describeTo(func(c *session) bool {
		_, of := c.list()
		return of == nil || !c.one || !sameTools(of, cat.Registry)
	})
}

// sameTools reports whether two registries differ at most in which servers are
// unavailable.
func sameTools(a, b *registry.Registry) bool {
	return a == b || slices.EqualFunc(a.Tools, b.Tools, func(a, b registry.Tool) bool { return a.ID == b.ID && a.Hash == b.Hash })
}

// describeTo brings the descriptions of some sessions up to date.
func (s *Server) describeTo(of func(*session) bool) {
	for _, c := range s.clients() {
		if of(c) && c.describe() {
			s.mu.Lock()
			s.changed = time.Now()
			s.mu.Unlock()
		}
	}
}

// clients lists the sessions.
func (s *Server) clients() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*session, 0, len(s.sessions))
	for c := range s.sessions {
		out = append(out, c)
	}
	return out
}

// checkLoaded takes away loaded tools that are no longer there.
func (s *Server) checkLoaded(cat *catalog.Catalog) {
	for _, c := range s.clients() {
		c.mu.Lock()
		var gone []string
		for id := range c.loaded {
			if _, ok := cat.Registry.Tool(id); !ok {
				gone = append(gone, id)
				delete(c.loaded, id)
			}
		}
		c.mu.Unlock()
		for _, id := range gone {
			c.mcp.RemoveTools(mcpName(id))
		}
	}
}

// failure is an answer that says what went wrong; the model reads it.
// maxFailure bounds an error, in characters: a server's words may be in it.
const maxFailure = 16 << 10

func failure(err error) *mcp.CallToolResult {
	res := &mcp.CallToolResult{IsError: true,
		Content: []mcp.Content{&mcp.TextContent{Text: registry.PrintableText(err.Error(), maxFailure)}}}
	var busy *guard.BusyError
	if errors.As(err, &busy) {
		res.StructuredContent = map[string]any{"status": "busy", "retry_after_ms": busy.RetryAfter.Milliseconds()}
	}
	var no *refusal
	if errors.As(err, &no) {
		res.StructuredContent = map[string]any{"status": outcome.Denied, "decisions": no.result().Decisions}
	}
	return res
}

// textResult is a plain answer.
func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// schema is a JSON Schema as it goes on the wire.
func schema(text string) json.RawMessage { return json.RawMessage(text) }
