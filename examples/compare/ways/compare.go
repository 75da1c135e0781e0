package ways

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// Ways are the ways of giving a model tools that [Compare] compares:
//
//  1. every tool's definition in its context, every answer too;
//  2. three tools that search, describe and call, every answer in its context;
//  3. one script, run by this harness.
var Ways = [3]string{"all tools in context", "search, then call", "UseTools"}

// CompareOptions configure Compare.
type CompareOptions struct {
	// Catalog has the tools of the tasks, among others.
	Catalog *catalog.Catalog
	// Scripts are the tasks. Each must run well, and may call only tools that
	// say that they only read: every call is made several times.
	Scripts []Task
	// WorkerCommand is that of harness.Options.
	WorkerCommand []string
	// Count counts tokens. If nil, text.Tokens estimates them.
	Count func(string) int
	// Progress, if not nil, receives what is being measured.
	Progress func(string)
}

// Task is something that a model is to do with tools.
type Task struct{ Name, Script string }

// Comparison is what each way costs.
type Comparison struct {
	Tools   int         `json:"tools"`
	Servers int         `json:"servers"`
	Lists   [3]int      `json:"lists"` // tokens before any task: instructions and definitions
	Tasks   []TaskCosts `json:"tasks"`
	Faults  []Fault     `json:"faults"`
}

// TaskCosts are the costs of one task in each of the Ways.
type TaskCosts struct {
	Name  string  `json:"name"`
	Calls int     `json:"calls"`
	Costs [3]Cost `json:"costs"`
	// Made are the calls in the order in which the script made them. The calls
	// of one element were under way at the same time.
	Made [][]Call `json:"-"`
}

// Call is one tool call of a task's script.
type Call struct {
	Server, Tool string
	Args         json.RawMessage
}

// Cost is what one task takes in one way.
type Cost struct {
	// Tokens are in the model's context at the end: the list of tools, what
	// the model writes to call, and what it gets back. The question and the
	// last answer, the same in every way, are not counted.
	Tokens int `json:"tokens"`
	// Turns is how often the model is asked, the last answer included.
	Turns int `json:"turns"`
	// Ms is the time in ms that is not the model's.
	Ms float64 `json:"ms"`
}

// Fault is a bad script and what this harness makes of it.
type Fault struct {
	What     string        `json:"what"`
	Script   string        `json:"-"`
	Deadline time.Duration `json:"-"`
	// UseTools is the status of the Result and after what time it came, then
	// whether the next script ran.
	UseTools string `json:"usetools"`
}

// rounds is how often each thing is timed; the quickest counts.
const rounds = 3

// Compare measures what tasks cost in each of the Ways. No model is asked: its part
// is what a perfect one would send, the fewest turns and no mistake. Calls that
// need nothing from each other's answers go out together. Searching costs one turn,
// describing one; a script costs the script and the last answer, and a lookup
// unless the list has the signatures of all its tools.
func Compare(ctx context.Context, o *CompareOptions) (*Comparison, error) {
	if o.Catalog.Calls == nil {
		return nil, errors.New("the tools of a registry alone cannot be called; want a config")
	}
	c := &compare{CompareOptions: *o, ctx: ctx, calls: &recorder{next: o.Catalog.Calls}}
	if c.Count == nil {
		c.Count = text.Tokens
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	c.Catalog.Calls = c.calls
	defer func() { c.Catalog.Calls = c.calls.next }()
	var err error
	if c.scripts, err = c.connect(serve.Execute); err != nil {
		return nil, err
	}
	defer c.scripts.Close()
	if c.classic, err = c.connect(serve.Classic); err != nil {
		return nil, err
	}
	defer c.classic.Close()

	out := &Comparison{Tools: len(c.Catalog.Registry.Tools), Servers: len(c.Catalog.Registry.Servers)}
	out.Lists[0] = c.allTools()
	if out.Lists[1], err = c.listOf(c.classic); err != nil {
		return nil, err
	}
	if out.Lists[2], err = c.listOf(c.scripts); err != nil {
		return nil, err
	}
	for _, t := range c.Scripts {
		c.Progress(t.Name)
		costs, err := c.task(&t, out.Lists)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		out.Tasks = append(out.Tasks, *costs)
	}
	out.Faults, err = c.faults()
	return out, err
}

type compare struct {
	CompareOptions
	ctx              context.Context
	calls            *recorder
	scripts, classic *client
}

// recorder notes the calls that pass through it.
type recorder struct {
	next catalog.Caller

	mu   sync.Mutex
	seen []*made
}

// made is a call with its answer.
type made struct {
	server, tool string
	args         json.RawMessage
	answer       string
	begin, end   time.Time
}

func (r *recorder) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool, args := req.Tool, req.Args.JSON()
	m := &made{server: server, tool: tool, args: slices.Clone(args), begin: time.Now()}
	r.mu.Lock()
	r.seen = append(r.seen, m)
	r.mu.Unlock()
	res, err := r.next.Call(ctx, server, req)
	r.mu.Lock()
	defer r.mu.Unlock()
	m.end = time.Now()
	if err == nil {
		m.answer = res.Text()
		if m.answer == "" {
			m.answer = string(res.Structured)
		}
	}
	return res, err
}

// take returns the calls since the last time.
func (r *recorder) take() []*made {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

// task measures one task.
func (c *compare) task(t *Task, lists [3]int) (*TaskCosts, error) {
	c.calls.take()
	answer, err := c.execute(t.Script)
	if err != nil {
		return nil, err
	}
	calls := c.calls.take()
	if len(calls) == 0 {
		return nil, errors.New("the script calls no tool; there is nothing to compare")
	}
	phrases := phrasesOf(answer)
	waves := waves(calls, t.Script)
	out := &TaskCosts{Name: t.Name, Calls: len(calls), Made: together(calls)}

	all := &out.Costs[0]
	all.Tokens, all.Turns = lists[0], len(waves)+1
	for _, m := range calls {
		all.Tokens += c.Count(request(m.tool, m.args)) + c.Count(m.answer)
	}
	if all.Ms, err = c.least(func() error { return c.replay(waves) }); err != nil {
		return nil, err
	}
	if err := c.search(&out.Costs[1], lists[1], phrases, calls, waves); err != nil {
		return nil, err
	}

	mine, scripts := &out.Costs[2], []string{t.Script}
	known, err := c.lists(calls)
	if err != nil {
		return nil, err
	}
	if !known {
		scripts = []string{"UseTools(" + quoted(phrases) + ")", t.Script}
	}
	mine.Turns, mine.Tokens = len(scripts)+1, lists[2]
	for _, s := range scripts {
		if answer, err = c.execute(s); err != nil {
			return nil, err
		}
		mine.Tokens += c.Count(request("execute", map[string]string{"script": s})) + c.Count(textOf(answer))
	}
	mine.Ms, err = c.least(func() (err error) {
		for _, s := range scripts {
			_, e := c.execute(s)
			err = errors.Join(err, e)
		}
		return err
	})
	return out, err
}

// lists reports whether the tool list has the signatures of all tools of some calls.
func (c *compare) lists(calls []*made) (bool, error) {
	list, err := c.scripts.ListTools(c.ctx, nil)
	if err != nil {
		return false, err
	}
	view, err := c.Catalog.View()
	if err != nil {
		return false, err
	}
	signed, server := map[string]bool{}, ""
	for line := range strings.Lines(list.Tools[0].Description) { // git.Log(…), or .Show(…) of the server above
		name, rest, _ := strings.Cut(line, ".")
		server = cmp.Or(name, server)
		function, _, _ := strings.Cut(rest, "(")
		signed[server+"."+function] = true
	}
	return !slices.ContainsFunc(calls, func(m *made) bool {
		t, ok := view.Tool(m.id())
		return !ok || !signed[t.Go()]
	}), nil
}

// search measures the way of search_tools, describe_tool and call_tool.
func (c *compare) search(cost *Cost, list int, phrases []string, calls []*made, waves [][]*made) error {
	cost.Tokens, cost.Turns = list, len(waves)+3
	ask := func(tool string, args any, answer func(*mcp.CallToolResult) string) error {
		res, err := c.classic.call(c.ctx, tool, args)
		if err == nil && answer != nil {
			cost.Tokens += c.Count(request(tool, args)) + c.Count(answer(res))
		}
		return err
	}
	var used []*made // one call of each tool
	for _, m := range calls {
		if !slices.ContainsFunc(used, func(u *made) bool { return u.id() == m.id() }) {
			used = append(used, m)
		}
	}
	round := func(counted bool) error {
		found, described := textOf, func(*mcp.CallToolResult) string { return "" }
		if !counted {
			found, described = nil, nil
		}
		for _, p := range phrases {
			if err := ask("search_tools", map[string]string{"query": p}, found); err != nil {
				return err
			}
		}
		for _, m := range used {
			if err := ask("describe_tool", map[string]string{"tool": m.id()}, described); err != nil {
				return err
			}
			if counted { // what the model needs of it: without the output's schema, as in the first way
				cost.Tokens += c.Count(c.definition(m.id()))
			}
		}
		for _, wave := range waves {
			if err := each(wave, func(m *made) error {
				return ask("call_tool", map[string]any{"tool": m.id(), "arguments": m.args}, nil)
			}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := round(true); err != nil {
		return err
	}
	for _, m := range calls {
		cost.Tokens += c.Count(request("call_tool", map[string]any{"tool": m.id(), "arguments": m.args})) + c.Count(m.answer)
	}
	var err error
	cost.Ms, err = c.least(func() error { return round(false) })
	return err
}

func (m *made) id() string { return m.server + "." + m.tool }

// waves are the calls in the fewest turns: a call waits for the answers from
// which the values of its arguments come.
func waves(calls []*made, script string) [][]*made {
	level := make([]int, len(calls))
	var out [][]*made
	for i, m := range calls {
		for _, value := range texts(m.args) {
			if len(value) < 4 || strings.Contains(script, value) {
				continue // the model knows it
			}
			first := -1
			for j, earlier := range calls[:i] {
				if strings.Contains(earlier.answer, value) && (first < 0 || level[j] < first) {
					first = level[j]
				}
			}
			level[i] = max(level[i], first+1)
		}
		for len(out) <= level[i] {
			out = append(out, nil)
		}
		out[level[i]] = append(out[level[i]], m)
	}
	return slices.DeleteFunc(out, func(w []*made) bool { return len(w) == 0 })
}

// together returns the calls with those that were under way at the same time
// in one element.
func together(calls []*made) [][]Call {
	var out [][]Call
	var end time.Time
	for _, m := range calls {
		if len(out) == 0 || !m.begin.Before(end) {
			out, end = append(out, nil), m.end
		}
		out[len(out)-1] = append(out[len(out)-1], Call{m.server, m.tool, m.args})
	}
	return out
}

// texts are the texts in a JSON value.
func texts(raw json.RawMessage) []string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return out
}

// replay makes the calls directly, those of a wave at once.
func (c *compare) replay(waves [][]*made) error {
	for _, wave := range waves {
		if err := each(wave, func(m *made) error {
			_, err := c.calls.next.Call(c.ctx, m.server, &backend.Request{Tool: m.tool, Args: registry.ReadArgs(m.args)})
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// each does something with all calls of a wave at once, 16 at most.
func each(wave []*made, do func(*made) error) error {
	errs := make([]error, len(wave))
	slots := make(chan struct{}, 16)
	var wg sync.WaitGroup
	for i, m := range wave {
		slots <- struct{}{}
		wg.Go(func() {
			errs[i] = do(m)
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// least is the shortest time that f takes, in ms.
func (c *compare) least(f func() error) (float64, error) {
	var best time.Duration
	for i := range rounds {
		begin := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if d := time.Since(begin); i == 0 || d < best {
			best = d
		}
	}
	return float64(best.Microseconds()) / 1000, nil
}

// allTools counts the definitions of all tools, as models get them: without
// what they answer.
func (c *compare) allTools() int {
	n := 0
	for _, s := range c.Catalog.Registry.Servers {
		n += c.Count(s.Instructions)
	}
	for _, t := range c.Catalog.Registry.Tools {
		n += c.Count(c.definition(t.ID))
	}
	return n
}

// definition is a tool as a model gets it.
func (c *compare) definition(id string) string {
	t, ok := c.Catalog.Registry.Tool(id)
	if !ok {
		return ""
	}
	return defined(t.Name, t.Description, t.Input)
}

func defined(name, description string, input any) string {
	return compact(map[string]any{"name": name, "description": description, "input_schema": input})
}

// listOf counts what a server tells a model at the start.
func (c *compare) listOf(s *client) (int, error) {
	list, err := s.ListTools(c.ctx, nil)
	if err != nil {
		return 0, err
	}
	n := c.Count(s.InitializeResult().Instructions)
	for _, t := range list.Tools {
		n += c.Count(defined(t.Name, t.Description, t.InputSchema))
	}
	return n, nil
}

// request is what a model writes to call a tool.
func request(tool string, args any) string {
	return compact(map[string]any{"name": tool, "arguments": args})
}

func compact(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func quoted(phrases []string) string {
	var out []string
	for _, p := range phrases {
		out = append(out, fmt.Sprintf("%q", p))
	}
	return strings.Join(out, ", ")
}

func textOf(res *mcp.CallToolResult) string {
	var out []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, "\n")
}

// phrasesOf are the phrases of the script that an answer is about, and the
// tools that it declared by no phrase.
func phrasesOf(res *mcp.CallToolResult) []string {
	var a struct {
		Tools []struct{ Phrase, Tool string }
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil || json.Unmarshal(b, &a) != nil {
		return nil
	}
	var out []string
	for _, t := range a.Tools {
		out = append(out, cmp.Or(t.Phrase, t.Tool))
	}
	return out
}
