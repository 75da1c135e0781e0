package serve

import (
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
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/wrappers"
)

// Bounds of looking for tools.
const (
	found        = 8   // tools that a page has unless the client says
	maxDescribed = 100 // tools that are described at once
)

// The schemas of the classic tools say all that they take.
var (
	searchSchema = `{"type":"object","properties":{"query":{"type":"string"},"match":` + enum(matches) +
		`,"server":{"type":"string"},"category":{"type":"string"},"prefix":{"type":"string","description":"of names"},"detail":` + enum(discovery.Details) +
		`,"limit":{"type":"integer"},"offset":{"type":"integer"}}}`
	describeSchema = `{"type":"object","properties":{"tool":{"type":"string"},"tools":{"type":"array","items":{"type":"string"}},"detail":` + enum(discovery.Details) + `}}`
)

var matches = []discovery.Match{discovery.Semantic, discovery.Substring}

// enum is the schema of a string that is one of some words. It is made without
// package json, whose first use costs every process of this program, of workers too.
func enum[T ~string](values []T) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(string(v))
	}
	return `{"enum":[` + strings.Join(quoted, ",") + `],"type":"string"}`
}

// find answers tool_find and search_tools: a page of the tools that match.
func (c *session) find(_ context.Context, req *mcp.CallToolRequest, cat *harness.Catalog) (*mcp.CallToolResult, error) {
	q, err := parseQuery(req.Params.Name, req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	q.Keep = c.offers(cat)
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	page, err := cat.Find(*q)
	if err != nil {
		return nil, err
	}
	out := entries{left: c.s.opts.Answer}
	for _, h := range page.Results {
		text, err := show(view, h.Entry, h, q.Detail)
		if err != nil {
			return nil, err
		}
		if !out.add(text) {
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
	if down := downServers(cat); down != "" {
		fmt.Fprintf(&out.b, "(down, and perhaps not complete: %s)\n", down)
	}
	return textResult(out.b.String(), nil), nil
}

// parseQuery reads the arguments of a search.
func parseQuery(tool string, raw json.RawMessage) (*discovery.Query, error) {
	a, err := readArguments(tool, raw, "query", "match", "server", "category", "prefix", "detail", "limit", "offset")
	if err != nil {
		return nil, err
	}
	q := &discovery.Query{
		Text: cutText(a.text("query"), discovery.MaxPhrase/4), Match: discovery.Match(a.text("match")),
		Server: a.text("server"), Category: a.text("category"), Prefix: a.text("prefix"),
		Detail: discovery.Detail(a.text("detail")),
		Limit:  a.number("limit", 1, discovery.MaxLimit), Offset: a.number("offset", 0, 1<<30),
	}
	if q.Limit == 0 {
		q.Limit = found
	}
	if q.Match == discovery.Substring {
		q.Text = a.text("query")
	}
	return q, a.err
}

// describeTools answers tool_describe and describe_tool, for one tool or for
// several.
func (c *session) describeTools(_ context.Context, req *mcp.CallToolRequest, cat *harness.Catalog) (*mcp.CallToolResult,
	error) {
	a, err := readArguments(req.Params.Name, req.Params.Arguments, "tool", "tools", "detail")
	if err != nil {
		return nil, err
	}
	asked := append(a.texts("tool"), a.texts("tools")...)
	d := discovery.Detail(a.text("detail"))
	switch {
	case a.err != nil:
		return nil, a.err
	case len(asked) == 0:
		return nil, errors.New(`tool is missing: want the name of a tool, or "tools": ["…", "…"]`)
	case len(asked) > maxDescribed:
		return nil, fmt.Errorf("%d tools are too many, want up to %d", len(asked), maxDescribed)
	case d == "" && c.mode.scripts():
		d = discovery.Go
	case d == "":
		d = discovery.FullSchema
	}
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	out := entries{left: c.s.opts.Answer}
	var shown, missing, omitted []string
	for _, name := range c.listedNames(cat, asked) {
		t, err := c.lookUp(cat, name)
		if err != nil {
			missing = append(missing, err.Error())
			continue
		}
		if d := c.decide(cat, t); d.Verdict == harness.IsDenied {
			missing = append(missing, denied(d))
			continue
		}
		if slices.Contains(shown, t.ID) {
			continue
		}
		description, err := cat.Describe([]string{t.ID}, d)
		if err != nil {
			return nil, err
		}
		for _, e := range description.Tools {
			text, err := show(view, e, e, d)
			switch {
			case err != nil:
				return nil, err
			case out.add(text):
				shown = append(shown, t.ID)
			default:
				omitted = append(omitted, t.ID)
			}
		}
	}
	if len(shown)+len(omitted) == 0 {
		return nil, errors.New(strings.Join(missing, "\n"))
	}
	if len(omitted) > 0 {
		fmt.Fprintf(&out.b, "(too long for this answer, ask again for: %s)\n", strings.Join(omitted, ", "))
	}
	for _, m := range missing {
		fmt.Fprintf(&out.b, "notFound: %s\n", m)
	}
	return textResult(strings.TrimSuffix(out.b.String(), "\n"), nil), nil
}

// listedNames takes a text that is no name of a tool, but has commas, for a
// list of names.
func (c *session) listedNames(cat *harness.Catalog, asked []string) []string {
	var names []string
	for _, text := range asked {
		if strings.Contains(text, ",") {
			if _, err := c.lookUp(cat, text); err != nil {
				for name := range strings.SplitSeq(text, ",") {
					if name = strings.TrimSpace(name); name != "" {
						names = append(names, name)
					}
				}
				continue
			}
		}
		names = append(names, text)
	}
	return names[:min(len(names), maxDescribed)]
}

// show writes a tool as a level of detail has it: the levels for reading as
// text, the others as one line of JSON with all that is known of the match.
func show(view *wrappers.View, e discovery.Entry, all any, d discovery.Detail) (string, error) {
	switch d {
	case discovery.NameOnly:
		return e.ID, nil
	case discovery.Go:
		return e.ID + "\n" + e.Signature, nil
	case "", discovery.NameDescription:
		t, ok := view.Tool(e.ID)
		if !ok {
			return e.ID, nil
		}
		return fmt.Sprintf("%s  %s // %s", e.ID, t.Line(), e.Short), nil
	}
	b, err := json.Marshal(all)
	return string(b), err
}

// entries collects as many texts as an answer may have; the first is cut where
// it alone is too long.
type entries struct {
	b    strings.Builder
	n    int // texts
	left int // characters
}

func (l *entries) add(text string) bool {
	if l.n == 0 {
		if json.Valid([]byte(text)) {
			text = string(cutJSON([]byte(text), l.left))
		}
		text, _ = headAndTail(text, l.left)
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

// arguments are those of a tool of ours; err is the first fault in them.
type arguments struct {
	fields map[string]json.RawMessage
	err    error
}

// readArguments reads an object that may have the given fields.
func readArguments(tool string, raw json.RawMessage, known ...string) (*arguments, error) {
	a := &arguments{}
	if len(raw) > 0 && (!utf8.Valid(raw) || json.Unmarshal(raw, &a.fields) != nil) {
		return nil, fmt.Errorf(`the arguments are no JSON object; want {%q: "…"}`, known[0])
	}
	for _, name := range slices.Sorted(maps.Keys(a.fields)) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown argument %.60q; %s takes %s", name, tool, strings.Join(known, ", "))
		}
		if string(a.fields[name]) == "null" {
			delete(a.fields, name)
		}
	}
	return a, nil
}

func (a *arguments) wrong(name, want string) {
	if a.err == nil {
		a.err = fmt.Errorf("%s is %.60s; want %s", name, a.fields[name], want)
	}
}

// text is a text, empty where there is none.
func (a *arguments) text(name string) string {
	var s string
	if v, ok := a.fields[name]; ok && json.Unmarshal(v, &s) != nil {
		a.wrong(name, "a text")
	}
	return strings.TrimSpace(s)
}

// texts are those of a list, or one text.
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
		a.wrong(name, "a text or a list of texts")
	}
	return slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// number is a whole number within bounds, also one in quotes; 0 where there is
// none.
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
