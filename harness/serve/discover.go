package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve/shorten"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

// Limits of the discovery tools.
const (
	found        = 8   // tools on a page by default
	maxDescribed = 100 // tools described at once
	maxLoaded    = 50  // tools loaded in a session
)

// discoveryTool is a tool for agents that find and call tools themselves.
type discoveryTool struct {
	name, description, schema string
	// takes lists the allowed arguments. If nil, others are ignored.
	takes  []string
	answer func(c *session, r *discoveryCall) (*mcp.CallToolResult, error)
}

// discoveryCall is a call of a discovery tool.
type discoveryCall struct {
	arguments
	ctx context.Context
	req *mcp.CallToolRequest
	cat *catalog.Catalog
}

var (
	searchTakes   = []string{"query", "match", "server", "category", "prefix", "detail", "limit", "offset"}
	describeTakes = []string{"tool", "tools", "detail"}
)

// Schemas of the tools. Some models' APIs reject objects without properties.
const (
	nothingSchema = `{"type":"object","properties":{}}`
	querySchema   = `{"type":"object","properties":{"query":{"type":"string"}}}`
	toolSchema    = `{"type":"object","properties":{"tool":{"type":"string"}}}`
	callSchema    = `{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},` +
		`"required":["tool"]}`
	searchSchema = `{"type":"object","properties":{"query":{"type":"string"},"match":%s,"server":{"type":"string"},` +
		`"category":{"type":"string"},"prefix":{"type":"string","description":"of names"},"detail":%s,` +
		`"limit":{"type":"integer"},"offset":{"type":"integer"}}}`
	describeSchema = `{"type":"object","properties":{"tool":{"type":"string"},` +
		`"tools":{"type":"array","items":{"type":"string"}},"detail":%s}}`
)

// discoveryTools returns the discovery tools of a session. In mode discovery they cost the client
// few tokens: a description names the other arguments, and the schema has one. The schemas of mode
// classic have all arguments.
func (c *session) discoveryTools() []discoveryTool {
	if c.mode == Execute {
		return nil
	}
	details := enum(discovery.Details...)
	search := fmt.Sprintf(searchSchema, enum(discovery.Semantic, discovery.Substring), details)
	inDiscovery := []discoveryTool{
		{"tool_find", "Find tools by what they do; also server, category, prefix, match, detail, limit, offset",
			querySchema, searchTakes, (*session).find},
		{"tool_describe", "How to call tools (a, b); also detail", toolSchema, describeTakes, (*session).describeTools},
		{"tool_load", "Make a tool callable", toolSchema, nil, (*session).load},
		{"tool_active", "", nothingSchema, nil, (*session).active},
	}
	inClassic := []discoveryTool{
		{"search_tools", "Find tools by what they do, in plain words: " + c.s.summary(), search, searchTakes, (*session).find},
		{"describe_tool", "The description and schemas of a tool, or of several, that search_tools found",
			fmt.Sprintf(describeSchema, details), describeTakes, (*session).describeTools},
	}
	call := discoveryTool{"call_tool", "Call a tool with arguments that fit its schema", callSchema, nil, (*session).call}
	var tools []discoveryTool
	if c.mode.discovery() {
		tools = append(tools, inDiscovery...)
	}
	if c.mode.classic() {
		tools = append(tools, inClassic...)
	}
	if c.mode.classic() || c.mode.discovery() && !c.loads { // without a session no tool can be loaded
		tools = append(tools, call)
	}
	return tools
}

// addDiscovery adds the discovery tools of the session's mode.
func (c *session) addDiscovery() {
	for _, t := range c.discoveryTools() {
		c.mcp.AddTool(&mcp.Tool{Name: t.name, Description: t.description, InputSchema: schema(t.schema)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				cat, done, err := c.catalog(ctx)
				if err != nil {
					return failure(err), nil
				}
				defer done()
				r := &discoveryCall{ctx: ctx, req: req, cat: cat}
				var res *mcp.CallToolResult
				if err = r.read(t.name, req.Params.Arguments, t.takes); err == nil {
					res, err = t.answer(c, r)
				}
				if err != nil {
					return failure(err), nil
				}
				return res, nil
			})
	}
}

// enum returns the schema of a string with these values.
func enum[T ~string](values ...T) string {
	b, _ := json.Marshal(map[string]any{"type": "string", "enum": values})
	return string(b)
}

// summary returns the number of tools and servers.
func (s *Server) summary() string {
	cat := s.live.current()
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

// find answers with a page of the tools that match.
func (c *session) find(r *discoveryCall) (*mcp.CallToolResult, error) {
	q, err := r.query()
	if err != nil {
		return nil, err
	}
	q.Keep = c.offers(r.cat)
	page, err := r.cat.Find(*q)
	if err != nil {
		return nil, err
	}
	out := entries{left: c.s.opts.Answer}
	for _, h := range page.Results {
		if !out.add(shown(r.cat, h.Entry, h, q.Detail)) {
			break
		}
	}
	next := page.Offset + out.n
	switch {
	case len(page.Results) == 0:
		out.b.WriteString("no tool matches: " + page.Note + "\n")
	case next < page.Total:
		fmt.Fprintf(&out.b, "(%d of %d, hasMore: offset %d shows the next)\n", out.n, page.Total, next)
	case page.Offset > 0:
		fmt.Fprintf(&out.b, "(the last of %d)\n", page.Total)
	}
	var down []string
	for _, srv := range r.cat.Registry.Servers {
		if srv.Error != nil {
			down = append(down, srv.Name)
		}
	}
	if len(down) > 0 {
		fmt.Fprintf(&out.b, "(servers that are unavailable, so tools may be missing: %s)\n", strings.Join(down, ", "))
	}
	return textResult(out.b.String()), nil
}

// query returns the arguments of a search.
func (a *arguments) query() (*discovery.Query, error) {
	q := &discovery.Query{
		Text: a.text("query"), Match: discovery.Match(a.text("match")), Server: a.text("server"),
		Category: a.text("category"), Prefix: a.text("prefix"), Detail: discovery.Detail(a.text("detail")),
		Limit: cmp.Or(a.number("limit", 1, discovery.MaxLimit), found), Offset: a.number("offset", 0, 1<<30),
	}
	if q.Match != discovery.Substring {
		q.Text = shorten.Text(q.Text, discovery.MaxPhrase/4)
	}
	return q, a.err
}

// describeTools describes one tool or several.
func (c *session) describeTools(r *discoveryCall) (*mcp.CallToolResult, error) {
	asked, d := append(r.texts("tool"), r.texts("tools")...), discovery.Detail(r.text("detail"))
	switch {
	case r.err != nil:
		return nil, r.err
	case len(asked) == 0:
		return nil, errors.New(`tool is missing: want the name of a tool, or "tools": ["…", "…"]`)
	case len(asked) > maxDescribed:
		return nil, fmt.Errorf("%d tools are too many, want up to %d", len(asked), maxDescribed)
	case d == "" && c.mode.scripts():
		d = discovery.Go
	case d == "":
		d = discovery.FullSchema
	}
	var ids, missing, omitted []string
	for _, name := range c.listedNames(r.cat, asked) {
		if t, err := c.offered(r.cat, name); err != nil {
			missing = append(missing, err.Error())
		} else {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return nil, errors.New(strings.Join(missing, "\n"))
	}
	described, err := r.cat.Describe(ids, d)
	if err != nil {
		return nil, err
	}
	out := entries{left: c.s.opts.Answer}
	for _, e := range described.Tools {
		if !out.add(shown(r.cat, e, e, d)) {
			omitted = append(omitted, e.ID)
		}
	}
	if len(omitted) > 0 {
		fmt.Fprintf(&out.b, "(too long for this answer, ask again for: %s)\n", strings.Join(omitted, ", "))
	}
	for _, m := range missing {
		fmt.Fprintf(&out.b, "notFound: %s\n", m)
	}
	return textResult(strings.TrimSuffix(out.b.String(), "\n")), nil
}

// listedNames splits texts at commas unless they are names of tools.
func (c *session) listedNames(cat *catalog.Catalog, asked []string) []string {
	var names []string
	for _, text := range asked {
		parts := []string{text}
		if strings.Contains(text, ",") {
			if _, err := c.lookUp(cat, text); err != nil {
				parts = strings.Split(text, ",")
			}
		}
		for _, name := range parts {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names[:min(len(names), maxDescribed)]
}

// shown returns a tool at a level of detail: as text, or as a line of JSON with all details of the
// match.
func shown(cat *catalog.Catalog, e discovery.Entry, all any, d discovery.Detail) string {
	switch d {
	case discovery.NameOnly:
		return e.ID
	case discovery.Go:
		return e.ID + "\n" + e.Signature
	case "", discovery.NameDescription:
		if view, err := cat.View(); err == nil {
			if t, ok := view.Tool(e.ID); ok {
				return fmt.Sprintf("%s  %s // %s", e.ID, t.Line(), e.Short)
			}
		}
		return e.ID
	}
	b, _ := json.Marshal(all) // of strings, numbers and valid JSON
	return string(b)
}

// entries collects texts up to the size of an answer. The first is cut if it alone is
// too long.
type entries struct {
	b    strings.Builder
	n    int // texts
	left int // characters
}

func (l *entries) add(text string) bool {
	if l.n == 0 {
		if json.Valid([]byte(text)) {
			text = string(shorten.JSON([]byte(text), l.left))
		}
		text, _ = shorten.HeadAndTail(text, l.left)
	}
	size := utf8.RuneCountInString(text) + 1
	if l.n > 0 && size > l.left {
		return false
	}
	l.left -= size
	l.n++
	l.b.WriteString(text + "\n")
	return true
}

// offers returns a filter for the tools that may be shown to a client that has not named them.
func (c *session) offers(cat *catalog.Catalog) func(t *registry.Tool) bool {
	p := c.policy()
	return func(t *registry.Tool) bool { return cat.Decide(p, t, nil).Verdict != policy.IsDenied }
}

// offered returns the tool with a name, or an error if it is denied.
func (c *session) offered(cat *catalog.Catalog, name string) (*wrappers.Tool, error) {
	t, err := c.lookUp(cat, name)
	if err != nil {
		return nil, err
	}
	if d := cat.Decide(c.policy(), t.Tool, nil); d.Verdict == policy.IsDenied {
		return nil, fmt.Errorf("%s is unavailable: %s", d.Tool, d.Rule)
	}
	return t, nil
}

// lookUp returns the tool with an ID, a Go name, or another exact name that only one tool or only
// one tool that is not denied has. If all are denied, it returns the first.
func (c *session) lookUp(cat *catalog.Catalog, name string) (*wrappers.Tool, error) {
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
	name = shorten.Text(name, 200)
	named, err := cat.Describe([]string{name}, discovery.NameOnly)
	if err != nil {
		return nil, err
	}
	offers := c.offers(cat)
	var all, offered []*wrappers.Tool
	var ids []string
	for _, e := range named.Tools {
		if t, ok := view.Tool(e.ID); ok {
			all = append(all, t)
			if offers(t.Tool) {
				offered, ids = append(offered, t), append(ids, t.ID)
			}
		}
	}
	switch {
	case len(offered) == 1:
		return offered[0], nil
	case len(offered) > 1:
		return nil, fmt.Errorf("several servers have a tool %q: %s", name, strings.Join(ids, ", "))
	case len(all) > 0:
		return all[0], nil
	}
	page, err := cat.Find(discovery.Query{Text: name, Limit: 3, Detail: discovery.NameOnly, Keep: offers})
	if err != nil || len(page.Results) == 0 {
		return nil, fmt.Errorf("unknown tool %q", name)
	}
	for _, h := range page.Results {
		ids = append(ids, h.ID)
	}
	return nil, fmt.Errorf("unknown tool %q; the nearest are %s", name, strings.Join(ids, ", "))
}

// arguments are those of a discovery tool. err is the first error in them.
type arguments struct {
	fields map[string]json.RawMessage
	err    error
}

// read reads an object. If takes is not nil, it returns an error for other fields.
func (a *arguments) read(tool string, raw json.RawMessage, takes []string) error {
	if len(raw) > 0 && (!utf8.Valid(raw) || json.Unmarshal(raw, &a.fields) != nil) {
		return fmt.Errorf(`the arguments are not a JSON object; want {%q: "…"}`, append(takes, "tool")[0])
	}
	for _, name := range slices.Sorted(maps.Keys(a.fields)) {
		if takes != nil && !slices.Contains(takes, name) {
			return fmt.Errorf("unknown argument %.60q; %s takes %s", name, tool, strings.Join(takes, ", "))
		}
		if string(a.fields[name]) == "null" {
			delete(a.fields, name)
		}
	}
	return nil
}

// tool returns the argument with that name.
func (a *arguments) tool() (string, error) {
	var s string
	if json.Unmarshal(a.fields["tool"], &s) != nil || strings.TrimSpace(s) == "" {
		got := ""
		if _, ok := a.fields["tool"]; !ok && len(a.fields) > 0 {
			got = fmt.Sprintf("; got %.60q", slices.Min(slices.Collect(maps.Keys(a.fields))))
		}
		return "", fmt.Errorf("tool is missing or not a string%s", got)
	}
	return s, nil
}

func (a *arguments) wrong(name, want string) {
	if a.err == nil {
		a.err = fmt.Errorf("%s is %.60s; want %s", name, a.fields[name], want)
	}
}

// text returns a text, or "" if it is missing.
func (a *arguments) text(name string) string {
	var s string
	if v, ok := a.fields[name]; ok && json.Unmarshal(v, &s) != nil {
		a.wrong(name, "a string")
	}
	return strings.TrimSpace(s)
}

// texts returns a list of texts. One text is a list of one.
func (a *arguments) texts(name string) []string {
	v, ok := a.fields[name]
	if !ok {
		return nil
	}
	var list []string
	var one string
	if json.Unmarshal(v, &one) == nil {
		list = []string{one}
	} else if json.Unmarshal(v, &list) != nil {
		a.wrong(name, "a string or a list of strings")
	}
	return slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// number returns a whole number within bounds, which may be quoted, or 0 if it is missing.
func (a *arguments) number(name string, least, most int) int {
	v, ok := a.fields[name]
	if !ok {
		return 0
	}
	f, err := strconv.ParseFloat(strings.Trim(string(v), `"`), 64)
	if err != nil || f != float64(int(f)) || int(f) < least || int(f) > most {
		a.wrong(name, fmt.Sprintf("a whole number, %d to %d", least, most))
		return 0
	}
	return int(f)
}
