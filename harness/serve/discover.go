package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// maxLoaded is how many tools a session may have loaded.
const maxLoaded = 50

const (
	nothingSchema = `{"type":"object","properties":{}}` // some models' interfaces refuse objects without properties
	querySchema   = `{"type":"object","properties":{"query":{"type":"string"}}}`
	toolSchema    = `{"type":"object","properties":{"tool":{"type":"string"}}}`
	callSchema    = `{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool"]}`
)

// addDiscovery adds the tools for agents that look for tools themselves. They
// are to cost next to nothing, so that what else they take is named, without a
// schema of its own; it is checked all the same.
// Clients without a session get call_tool in the place of loaded
// tools.
func (c *session) addDiscovery() {
	c.add("tool_find", "Find tools by what they do; also server, category, prefix, match, detail, limit, offset",
		querySchema, c.find)
	c.add("tool_describe", "How to call tools (a, b); also detail", toolSchema, c.describeTools)
	c.add("tool_load", "Make a tool callable", toolSchema, c.load)
	c.add("tool_active", "", nothingSchema, c.active)
	if !c.loads && !c.mode.classic() {
		c.add("call_tool", "Call a tool with arguments that fit its schema", callSchema, c.call)
	}
}

// addClassic adds the tools for clients that write no scripts.
func (c *session) addClassic() {
	c.add("search_tools", "Find tools by what they do, in plain words: "+c.s.summary(), searchSchema, c.find)
	c.add("describe_tool", "The description and schemas of a tool, or of several, that search_tools found", describeSchema,
		c.describeTools)
	c.add("call_tool", "Call a tool with arguments that fit its schema", callSchema, c.call)
}

// summary says how much there is to find.
func (s *Server) summary() string {
	cat := s.live.now()
	if cat == nil {
		return "the tools are still being loaded"
	}
	var names []string
	for _, srv := range cat.Registry.Servers {
		names = append(names, srv.Name)
	}
	text := fmt.Sprintf("%d tools of %d servers", len(cat.Registry.Tools), len(names))
	if len(names) > 0 && len(names) <= 12 {
		text += " (" + strings.Join(names, ", ") + ")"
	}
	return text
}

// discoveryTool answers a call with the catalog of the moment.
type discoveryTool func(ctx context.Context, req *mcp.CallToolRequest, cat *harness.Catalog) (*mcp.CallToolResult,
	error)

// add adds a tool whose faults are answers.
func (c *session) add(name, description, inputSchema string, f discoveryTool) {
	c.mcp.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: schema(inputSchema)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			cat, done, err := c.catalog(ctx)
			if err != nil {
				return failure(err), nil
			}
			defer done()
			res, err := f(ctx, req, cat)
			if err != nil {
				return failure(err), nil
			}
			return res, nil
		})
}

// argument reads one text argument.
func argument(req *mcp.CallToolRequest, name string) (string, error) {
	var fields map[string]json.RawMessage
	var s string
	if raw := req.Params.Arguments; len(raw) > 0 && (!utf8.Valid(raw) || json.Unmarshal(raw, &fields) != nil) {
		return "", fmt.Errorf(`the arguments are no JSON object; want {%q: "…"}`, name)
	}
	if json.Unmarshal(fields[name], &s) != nil || strings.TrimSpace(s) == "" {
		got := ""
		if _, ok := fields[name]; !ok && len(fields) > 0 {
			got = fmt.Sprintf("; got %.60q", slices.Min(slices.Collect(maps.Keys(fields))))
		}
		return "", fmt.Errorf("%s is missing, or no text%s", name, got)
	}
	return s, nil
}

func downServers(cat *harness.Catalog) string {
	var down []string
	for _, srv := range cat.Registry.Servers {
		if srv.Error != nil {
			down = append(down, srv.Name)
		}
	}
	return strings.Join(down, ", ")
}

// offers returns what reports whether a tool may be shown to who has not named it.
func (c *session) offers(cat *harness.Catalog) func(t *registry.Tool) bool {
	p := c.policy()
	return func(t *registry.Tool) bool { return cat.Decide(p, t, nil).Verdict != harness.IsDenied }
}

// denied says why a tool that was named is not to be had.
func denied(d harness.Decision) string { return fmt.Sprintf("%s is not to be had: %s", d.Tool, d.Rule) }

func (c *session) decide(cat *harness.Catalog, t *wrappers.Tool) harness.Decision {
	return cat.Decide(c.policy(), t.Tool, nil)
}

// namedTool returns the tool that a request's argument names.
func (c *session) namedTool(req *mcp.CallToolRequest, cat *harness.Catalog) (*wrappers.Tool, error) {
	name, err := argument(req, "tool")
	if err != nil {
		return nil, err
	}
	return c.lookUp(cat, name)
}

// lookUp finds the tool that an argument names: by its ID, its Go name, or any
// other exact name that only one tool has, or only one that policy does not
// deny. Where it denies them all it is the first, so that the denial is the
// answer.
func (c *session) lookUp(cat *harness.Catalog, name string) (*wrappers.Tool, error) {
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	if t, ok := view.Tool(name); ok {
		return t, nil
	}
	if pkg, fn, ok := strings.Cut(name, "."); ok {
		if s, ok := view.NearPackage(pkg); ok {
			if t, ok := s.Func(fn); ok {
				return t, nil
			}
		}
	}
	ix, err := cat.Index()
	if err != nil {
		return nil, err
	}
	name = cutText(name, 200)
	var ids []string
	if d, err := ix.Describe([]string{name}, discovery.NameOnly); err == nil {
		for _, x := range d.Tools {
			ids = append(ids, x.ID)
		}
	}
	offers := c.offers(cat)
	offered := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		t, ok := view.Tool(id)
		return ok && !offers(t.Tool)
	})
	if len(offered) > 0 {
		ids = offered
	} else if len(ids) > 0 {
		ids = ids[:1]
	}
	if len(ids) == 1 {
		if t, ok := view.Tool(ids[0]); ok {
			return t, nil
		}
	}
	if len(ids) > 1 {
		return nil, fmt.Errorf("several servers have a tool %q: %s", name, strings.Join(ids, ", "))
	}
	page, err := cat.Find(discovery.Query{Text: name, Limit: 3, Detail: discovery.NameOnly, Keep: offers})
	if err != nil || len(page.Results) == 0 {
		return nil, fmt.Errorf("there is no tool %q", name)
	}
	ids = nil
	for _, h := range page.Results {
		ids = append(ids, h.ID)
	}
	return nil, fmt.Errorf("there is no tool %q; the nearest are %s", name, strings.Join(ids, ", "))
}

// definition is a tool as its server defines it, as JSON.
func definition(t *wrappers.Tool) (string, error) {
	b, err := json.Marshal(struct {
		Tool        string          `json:"tool"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		Input       json.RawMessage `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema,omitempty"`
	}{t.ID, t.Title, t.Marked(), t.Input, t.Output})
	return string(b), err
}

// load makes a tool callable by itself in this session.
func (c *session) load(_ context.Context, req *mcp.CallToolRequest, cat *harness.Catalog) (*mcp.CallToolResult, error) {
	t, err := c.namedTool(req, cat)
	if err != nil {
		return nil, err
	}
	if d := c.decide(cat, t); d.Verdict == harness.IsDenied {
		return nil, errors.New(denied(d))
	}
	text, err := definition(t)
	if err != nil {
		return nil, err
	}
	if !c.loads {
		return textResult("call it with call_tool: "+text, nil), nil
	}
	c.mu.Lock()
	_, known := c.loaded[t.ID]
	n := len(c.loaded)
	if n < maxLoaded {
		c.loaded[t.ID] = struct{}{}
	}
	c.mu.Unlock()
	switch {
	case known:
	case n >= maxLoaded:
		return nil, fmt.Errorf("%d tools are loaded, which is all that a session may have", n)
	default:
		id := t.ID
		c.mcp.AddTool(&mcp.Tool{Name: mcpName(id), Description: t.Said(), InputSchema: objectSchema(t.Input)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return c.direct(ctx, req, id, req.Params.Arguments), nil
			})
	}
	return textResult(fmt.Sprintf("loaded as %s: %s", mcpName(t.ID), text), nil), nil
}

// objectSchema is a tool's input schema, or the widest one where a server's is
// none that a client would take.
func objectSchema(raw json.RawMessage) json.RawMessage {
	var head map[string]json.RawMessage
	if json.Unmarshal(raw, &head) != nil || string(head["type"]) != `"object"` {
		return schema(`{"type":"object"}`)
	}
	return raw
}

// mcpName is the name of a loaded tool, in the letters and the length that
// models' interfaces allow. No two tools have one: what cannot be read back from
// the name has a hash behind it.
func mcpName(id string) string {
	name := []byte(strings.Replace(id, ".", "__", 1))
	lost := strings.Contains(id, "__") || strings.Contains(id, "_.") || strings.Contains(id, "._")
	for i, b := range name {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' {
			continue
		}
		name[i] = '_'
		lost = true
	}
	if lost || len(name) > 64 {
		sum := sha256.Sum256([]byte(id))
		name = append(name[:min(len(name), 47)], "_"+hex.EncodeToString(sum[:8])...)
	}
	return string(name)
}

// active lists the tools that were loaded, by the names that they are called by.
func (c *session) active(_ context.Context, _ *mcp.CallToolRequest, cat *harness.Catalog) (*mcp.CallToolResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.loaded) == 0 {
		return textResult("no tool is loaded", nil), nil
	}
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(c.loaded)) {
		line := mcpName(id) + ": " + id
		if t, ok := view.Tool(id); ok {
			line += ", in a script " + t.Go()
		}
		lines = append(lines, line)
	}
	return textResult(strings.Join(lines, "\n"), nil), nil
}

func (c *session) call(ctx context.Context, req *mcp.CallToolRequest, cat *harness.Catalog) (*mcp.CallToolResult,
	error) {
	t, err := c.namedTool(req, cat)
	if err != nil {
		return nil, err
	}
	var fields struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &fields); err != nil {
		return nil, errors.New("arguments is no JSON")
	}
	return c.direct(ctx, req, t.ID, fields.Arguments), nil
}

// direct makes one call without a script, which waits for its turn, needs
// permission and is recorded as a script's call would be.
func (c *session) direct(ctx context.Context, req *mcp.CallToolRequest, id string,
	args json.RawMessage) *mcp.CallToolResult {
	begin := time.Now()
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	like := &executeArgs{Script: "call " + id, Inputs: map[string]json.RawMessage{"arguments": args}}
	approved, refused := c.approvals(req, like.hash())
	if refused != nil {
		c.account(like, nil, begin).end(harness.Denied, refused.result())
		return failure(refused)
	}
	release, err := c.s.queue.acquire(ctx, c.tenant(), c.id)
	if err != nil {
		return failure(err)
	}
	defer release()
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return failure(err)
	}
	defer done()
	told := c.account(like, cat.Registry, begin)
	if err := told.audit.ready(); err != nil {
		return failure(err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.s.opts.Limits.Timeout)
	defer cancel()
	told.span, ctx = c.s.opts.Telemetry.Request(ctx, req.Params.Name)
	res, d, err := c.s.harness.CallTool(ctx, cat, id, args, c.script(approved, told))
	if res != nil {
		c.s.handled(len(res.Raw))
	}
	told.called(res, d, err)
	switch {
	case err != nil:
		return failure(fmt.Errorf("%s: %s%s", id, registry.Quoted(err.Error()), takes(cat, id, err)))
	case res != nil:
		return c.passOn(res)
	case d.Verdict == harness.NeedsApproval && elicits(req).form:
		return c.question(fmt.Sprintf("The tool %s is to be called: %s. Its arguments:\n%s", id, d.Rule,
			registry.Quoted(visible(registry.PrintableJSON(args)))), like.hash(), []string{id})
	}
	return failure(fmt.Errorf("denied: %s: %s; nothing has run", id, d.Rule))
}

// takes says what a tool's arguments are, in micro_schema, where err is that
// they were others. Longer ones are left to who asks for them.
func takes(cat *harness.Catalog, id string, err error) string {
	var wrong *harness.ArgumentsError
	if !errors.As(err, &wrong) {
		return ""
	}
	d, err := cat.Describe([]string{id}, discovery.MicroSchema)
	if err != nil || len(d.Tools) != 1 || len(d.Tools[0].Micro) > maxTakes {
		return ""
	}
	return fmt.Sprintf("; it takes %s", d.Tools[0].Micro)
}

// maxTakes bounds, in bytes, what an error says of the right arguments.
const maxTakes = 800

// passOn is a tool's own result for the client, texts cut to the budget.
func (c *session) passOn(res *backend.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: res.IsError, Content: []mcp.Content{}}
	budget := c.s.opts.Answer
	for _, block := range res.Content {
		switch {
		case block.Type == "image" && len(block.Data) > 0 && len(block.Data) <= maxImageBytes:
			out.Content = append(out.Content, &mcp.ImageContent{MIMEType: block.MIMEType, Data: block.Data})
		case block.Text != "":
			text, _ := headAndTail(block.Text, max(budget, 200))
			if res.IsError {
				text = registry.PrintableText(text, len(text))
			}
			budget -= utf8.RuneCountInString(text)
			out.Content = append(out.Content, &mcp.TextContent{Text: strings.ToValidUTF8(text, "\uFFFD")})
		default:
			out.Content = append(out.Content,
				&mcp.TextContent{Text: fmt.Sprintf("(%s, %s, %d bytes)", block.Type, cmp.Or(block.MIMEType, "no type"),
					len(block.Data))})
		}
	}
	if len(res.Structured) > 0 {
		out.StructuredContent = cutJSON(res.Structured, c.s.opts.Answer)
	}
	return out
}
