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
	Execute   Mode = "execute"   // only execute
	Discovery Mode = "discovery" // execute, tool_find, tool_describe, tool_load, tool_active
	Classic   Mode = "classic"   // search_tools, describe_tool, call_tool; no scripts
	All       Mode = "all"       // all tools
)

// Modes are the values that a Mode may have.
var Modes = []Mode{Execute, Discovery, Classic, All}

func (m Mode) scripts() bool   { return m != Classic }
func (m Mode) discovery() bool { return m == Discovery || m == All }
func (m Mode) classic() bool   { return m == Classic || m == All }

// session is one client: the process on stdio, an HTTP session, or, in revisions without sessions,
// all clients with one token.
type session struct {
	s    *Server
	id   string // names it in records and in the queue
	mode Mode
	mcp  *mcp.Server
	// loads says that the client can load tools, which it can call in its next request.
	loads bool
	owner guard.Owner // of the scripts it saves and the types inferred from its results
	token string      // name of its token, whose rules apply; empty on stdio
	// results bounds the results of its calls under way.
	results *harness.Room
	// one says that it is a single client, not all clients with a token or without one.
	one bool
	// shared says that it stands for all requests of its token, which have no sessions.
	shared bool

	// The lock of its front guards these fields of an HTTP session.
	visits int       // requests under way, except notification streams
	used   time.Time // when the last request ended

	mu      sync.Mutex
	shown   string              // the description that clients have
	base    *registry.Registry  // registry of the description; nil if the tools were still being loaded
	first   []string            // IDs of the tools that the description lists first
	counted time.Time           // when its used tools were counted
	loaded  map[string]struct{} // IDs of tools that tool_load made callable
	listed  string              // version of the client's latest list, see listState
	// approves says that it has the tool approvals.
	approves bool
}

// newSession returns a session with its MCP server, for a client with the token of that name. one
// says that it is a single client. sdkID, if not nil, returns the session ID for HTTP clients.
func (s *Server) newSession(id string, of guard.Owner, token string, mode Mode, one, loads bool, sdkID func() string) *session {
	c := &session{s: s, id: id, owner: of, token: token, mode: mode, one: one, loads: loads, loaded: map[string]struct{}{}}
	c.results = harness.NewRoom(s.opts.MaxResultBytes, s.tenantResults(of))
	can := &mcp.ServerCapabilities{
		//lint:ignore SA1019 older clients receive what a script prints through it
		Logging: &mcp.LoggingCapabilities{},
		Tools:   &mcp.ToolCapabilities{ListChanged: true},
	}
	if mode.scripts() {
		can.AddExtension(skill.Extension, nil)
	}
	c.mcp = mcp.NewServer(&mcp.Implementation{Name: "usetools", Title: "UseTools", Version: s.opts.Version},
		&mcp.ServerOptions{GetSessionID: sdkID, SetCacheable: c.cacheable, Capabilities: can})
	c.mcp.AddReceivingMiddleware(c.guard, c.instruct)
	c.mcp.AddSendingMiddleware(c.dropKnownChanges)
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

// cacheable sets who may cache a result, and for how long.
func (c *session) cacheable(_ context.Context, req mcp.Request, res *mcp.Cacheable) {
	res.CacheScope = "private"
	if _, ok := req.(*mcp.ListToolsRequest); ok && c.hasDescription() && !(c.loads && c.mode.discovery()) {
		res.TTLMs = int(listTime.Milliseconds())
	}
}

// keptFor returns the session that values are kept for. It is empty if several clients share the
// session: their values have handles.
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

// guard handles every request first. It turns a panic into an error, and lets the first list of
// tools wait a moment for the tools.
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
			if !c.one { // another instance may have listed the tool
				c.offerApprovals()
			}
		case "tools/list":
			select {
			case <-c.s.live.described:
				if !c.hasDescription() || c.outdated() {
					c.describe()
				}
			case <-time.After(listWait):
			case <-ctx.Done():
			}

			c.offerApprovals()
			has, _ := c.listState()
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

// listState returns a text that changes whenever the list of tools does, and the registry of its
// description.
func (c *session) listState() (has string, of *registry.Registry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown + "\n" + strings.Join(slices.Sorted(maps.Keys(c.loaded)), "\n"), c.base
}

// hasDescription reports whether the session has a description of loaded tools, which it keeps.
func (c *session) hasDescription() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base != nil
}

// dropKnownChanges drops notifications of changes that the client's list already has, or that its
// first list will have.
func (c *session) dropKnownChanges(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if c.one && method == "notifications/tools/list_changed" {
			has, _ := c.listState()
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

// listWait is how long a list of tools waits for a registry that is being built. Clients that time
// out are notified of the change.
const listWait = 5 * time.Second

// describe updates the description of execute, and reports whether it changed.
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

// outdated reports whether tool use must be counted. It is counted once for a session of one
// client.
func (c *session) outdated() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counted.IsZero() || !c.one && time.Since(c.counted) > sharedUse
}

// described returns the current description of execute for the session, and the registry of that,
// nil while tools are being loaded.
func (c *session) described() (string, *registry.Registry) {
	s, cat := c.s, c.s.live.current()
	if cat == nil || cat.Load() != nil { // no tool can be called
		return s.description(nil, nil, nil, nil, ""), nil
	}
	seen := s.catalogFor(c.owner, cat)
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
	token string // whose rules apply
	saved string // its text about saved scripts
	used  string
}

// maxTexts is how many descriptions of one catalog are kept.
const maxTexts = 64

// describe updates the descriptions of all sessions.
func (s *Server) describe() { s.describeTo(func(*session) bool { return true }) }

// describeSoon updates the descriptions that a change of the registry affects, at most every
// describeEvery. Those are the sessions whose tools changed, and the clients without a session.
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
	cat := s.live.current()
	if cat == nil || s.ctx.Err() != nil {
		return
	}
	s.describeTo(func(c *session) bool {
		_, of := c.listState()
		return of == nil || !c.one || !sameTools(of, cat.Registry)
	})
}

// sameTools reports whether two registries differ at most in the availability of servers.
func sameTools(a, b *registry.Registry) bool {
	return a == b || slices.EqualFunc(a.Tools, b.Tools, func(a, b registry.Tool) bool { return a.ID == b.ID && a.Hash == b.Hash })
}

// describeTo updates the descriptions of some sessions.
func (s *Server) describeTo(of func(*session) bool) {
	for _, c := range s.clients() {
		if of(c) && c.describe() {
			s.mu.Lock()
			s.changed = time.Now()
			s.mu.Unlock()
		}
	}
}

// clients returns the sessions.
func (s *Server) clients() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*session, 0, len(s.sessions))
	for c := range s.sessions {
		out = append(out, c)
	}
	return out
}

// checkLoaded removes loaded tools that no longer exist.
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

// maxFailure bounds the text of an error, in characters, because it may quote a server.
const maxFailure = 16 << 10

// failure returns an answer with an error, which the model reads.
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

// textResult returns an answer with a text.
func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// schema returns a JSON Schema as MCP has it.
func schema(text string) json.RawMessage { return json.RawMessage(text) }
