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
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve/shorten"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// definition returns a tool as its server defines it, as JSON.
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

// load makes a tool callable by its own name in this session.
func (c *session) load(r *discoveryCall) (*mcp.CallToolResult, error) {
	name, err := r.tool()
	if err != nil {
		return nil, err
	}
	t, err := c.offered(r.cat, name)
	if err != nil {
		return nil, err
	}
	text, err := definition(t)
	if err != nil {
		return nil, err
	}
	if !c.loads {
		return textResult("call it with call_tool: " + text), nil
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
		return nil, fmt.Errorf("%d tools are loaded, the most that a session may have", n)
	default:
		id := t.ID
		c.mcp.AddTool(&mcp.Tool{Name: mcpName(id), Description: t.AttributedDescription(), InputSchema: objectSchema(t.Input)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return c.direct(ctx, req, id, req.Params.Arguments), nil
			})
	}
	return textResult(fmt.Sprintf("loaded as %s: %s", mcpName(t.ID), text)), nil
}

// objectSchema returns a tool's input schema, or the schema of any object if clients would reject
// it.
func objectSchema(raw json.RawMessage) json.RawMessage {
	var head map[string]json.RawMessage
	if json.Unmarshal(raw, &head) != nil || string(head["type"]) != `"object"` {
		return schema(`{"type":"object"}`)
	}
	return raw
}

// mcpName returns the name of a loaded tool, in the letters and the length that models' APIs allow.
// Names are distinct: a name that does not determine its ID has a hash.
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

// active lists the loaded tools by the names to call them by.
func (c *session) active(r *discoveryCall) (*mcp.CallToolResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.loaded) == 0 {
		return textResult("no tool is loaded"), nil
	}
	view, err := r.cat.View()
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
	return textResult(strings.Join(lines, "\n")), nil
}

// call calls a tool without a script.
func (c *session) call(r *discoveryCall) (*mcp.CallToolResult, error) {
	name, err := r.tool()
	if err != nil {
		return nil, err
	}
	t, err := c.lookUp(r.cat, name)
	if err != nil {
		return nil, err
	}
	return c.direct(r.ctx, r.req, t.ID, r.fields["arguments"]), nil
}

// direct makes one call without a script. Like a script's call it waits for its turn, needs
// approval and is recorded.
func (c *session) direct(ctx context.Context, req *mcp.CallToolRequest, id string,
	args json.RawMessage) *mcp.CallToolResult {
	begin := time.Now()
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	like := &executeArgs{Script: "call " + id, Inputs: map[string]json.RawMessage{"arguments": args}}
	approved, refused := c.approvals(req, like.hash())
	if refused != nil {
		c.account(like, nil, begin).End(outcome.Denied, refused.result())
		return failure(refused)
	}
	release, err := c.s.queue.Acquire(ctx, c.tenant(), c.id)
	if err != nil {
		return failure(err)
	}
	defer release()
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return failure(err)
	}
	defer done()
	account := c.account(like, cat.Registry, begin)
	if err := account.Ready(); err != nil {
		return failure(err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.s.opts.Limits.Timeout)
	defer cancel()
	account.Span, ctx = c.s.opts.Telemetry.Request(ctx, req.Params.Name)
	res, d, err := c.s.harness.CallTool(ctx, cat, id, args, c.script(account), slices.Contains(approved, id))
	if res != nil {
		c.s.memory.Handled(len(res.Raw))
	}
	account.Called(res, d, err)
	switch {
	case err != nil:
		return failure(fmt.Errorf("%s: %s%s", id, registry.Quoted(err.Error()), takes(cat, id, err)))
	case res != nil:
		return c.passOn(res)
	case d.Verdict == policy.NeedsApproval && elicits(req).form:
		return c.question(fmt.Sprintf("The tool %s is to be called: %s. Its arguments:\n%s", id, d.Rule,
			registry.Quoted(visible(registry.PrintableJSON(args)))), like.hash(), []string{id})
	}
	return failure(fmt.Errorf("denied: %s: %s; nothing has run", id, d.Rule))
}

// takes returns the arguments of a tool as micro_schema, if err is about its arguments.
func takes(cat *catalog.Catalog, id string, err error) string {
	var wrong *catalog.ArgumentsError
	if !errors.As(err, &wrong) {
		return ""
	}
	d, err := cat.Describe([]string{id}, discovery.MicroSchema)
	if err != nil || len(d.Tools) != 1 || len(d.Tools[0].Micro) > maxTakes {
		return ""
	}
	return fmt.Sprintf("; it takes %s", d.Tools[0].Micro)
}

// maxTakes limits the arguments in an error, in bytes.
const maxTakes = 800

// passOn returns a tool's own result, with texts cut to the size of an answer.
func (c *session) passOn(res *backend.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: res.IsError, Content: []mcp.Content{}}
	budget := c.s.opts.Answer
	for _, block := range res.Content {
		switch {
		case block.Type == "image" && len(block.Data) > 0 && len(block.Data) <= maxImageBytes:
			out.Content = append(out.Content, &mcp.ImageContent{MIMEType: block.MIMEType, Data: block.Data})
		case block.Text != "":
			text, _ := shorten.HeadAndTail(block.Text, max(budget, 200))
			if res.IsError {
				text = registry.PrintableText(text, len(text))
			}
			budget -= utf8.RuneCountInString(text)
			out.Content = append(out.Content, &mcp.TextContent{Text: withoutControls(text)})
		default:
			out.Content = append(out.Content,
				&mcp.TextContent{Text: fmt.Sprintf("(%s, %s, %d bytes)", block.Type, cmp.Or(block.MIMEType, "no type"),
					len(block.Data))})
		}
	}
	if len(res.Structured) > 0 {
		out.StructuredContent = shorten.JSON(res.Structured, c.s.opts.Answer)
	}
	return out
}
