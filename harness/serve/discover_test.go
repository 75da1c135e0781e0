package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/observe"
)

func names(t *testing.T, c *client) string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range list.Tools {
		out = append(out, x.Name)
	}
	return strings.Join(out, " ")
}

func TestALoadedToolIsCallableByItself(t *testing.T) {
	s, _ := serving(t, &serve.Options{Tools: serve.Discovery})
	changed := make(chan struct{}, 10)
	c := connect(t, s, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context,
		*mcp.ToolListChangedRequest) {
		changed <- struct{}{}
	}})
	if got := textOf(c.call("tool_find", map[string]any{"query": "read a file"})); !strings.HasPrefix(got,
		"files.read_file  files.ReadFile(Path string) → text or JSON // Read a file") {
		t.Error(got)
	}
	if got := textOf(c.call("tool_describe", map[string]any{"tool": "files.ReadFile"})); !strings.Contains(got,
		"func files.ReadFile(p files.ReadFileParams)") {
		t.Error(got)
	}
	if got := textOf(c.call("tool_load", map[string]any{"tool": "files.read_file"})); !strings.Contains(got,
		"files__read_file") {
		t.Error(got)
	}
	receive(t, changed)
	if got := names(t, c); !strings.Contains(got, "files__read_file") {
		t.Error(got)
	}
	if got := textOf(c.call("files__read_file", map[string]any{"path": "a"})); got != "content of a" {
		t.Error(got)
	}
	if got := c.call("files__read_file", map[string]any{"path": 7}); !got.IsError ||
		!strings.Contains(textOf(got), "wrong arguments") ||
		!strings.Contains(textOf(got), `; it takes {"p":{"path":"s"},"r":["path"]}`) {
		t.Error(textOf(got))
	}
	if got := textOf(c.call("tool_load", map[string]any{"name": "x"})); got != `tool is missing or not a string; got "name"` {
		t.Error(got)
	}
	if got := textOf(c.call("tool_active",
		map[string]any{})); got != "files__read_file: files.read_file, in a script files.ReadFile" {
		t.Error(got)
	}
	other := connect(t, s, nil) // another session does not have it
	if got := names(t, other); strings.Contains(got, "files__read_file") {
		t.Error(got)
	}
}

func TestWithoutASessionALoadedToolIsCalledByName(t *testing.T) {
	s, _ := serving(t, &serve.Options{Tools: serve.Discovery})
	c := dialHTTP(t, "http://"+listen(t, s, &serve.HTTP{})+"/mcp", "2026-07-28", "", nil)
	if got := textOf(c.call("tool_load", map[string]any{"tool": "files.read_file"})); !strings.Contains(got,
		"call_tool") || !strings.Contains(got, `"path"`) {
		t.Error(got)
	}
	if got := textOf(c.call("call_tool",
		map[string]any{"tool": "files.read_file", "arguments": map[string]any{"path": "b"}})); got != "content of b" {
		t.Error(got)
	}
}

func TestClassicToolsNeedNoScripts(t *testing.T) {
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	s, f := serving(t, &serve.Options{Tools: serve.Classic, Audit: observe.AuditFile{Path: audit},
		Policy: &policy.Policy{Deny: []string{"issues"}, Approve: policy.ApproveDestructive}})
	asked, says := "", "accept"
	c := connect(t, s, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context,
		r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked = r.Params.Message
		return &mcp.ElicitResult{Action: says, Content: map[string]any{}}, nil
	}})
	if got := names(t, c); got != "call_tool describe_tool search_tools" {
		t.Error(got)
	}
	if got := textOf(c.call("search_tools", map[string]any{"query": "search issues"})); strings.Contains(got,
		"issues.search") {
		t.Error("a denied tool is offered:", got)
	}
	if got := textOf(c.call("describe_tool", map[string]any{"tool": "read_file"})); !json.Valid([]byte(got)) ||
		!strings.Contains(got, `"inputSchema"`) {
		t.Error(got)
	}
	if got := textOf(c.call("call_tool",
		map[string]any{"tool": "issues.search", "arguments": map[string]any{"query": "x"}})); !strings.Contains(got,
		"denied by -deny issues") || f.calls.Load() != 0 {
		t.Error(got)
	}
	if got := textOf(c.call("call_tool",
		map[string]any{"tool": "files.delete_file", "arguments": map[string]any{"path": "x"}})); got != "done" ||
		!strings.Contains(asked, `{"path":"x"}`) {
		t.Error(got, asked)
	}
	says = "decline"
	if got := textOf(c.call("call_tool",
		map[string]any{"tool": "files.delete_file", "arguments": map[string]any{"path": "x"}})); !strings.Contains(got,
		"denied") {
		t.Error(got)
	}
	if lines, err := os.ReadFile(audit); err != nil || !strings.Contains(string(lines), "the user did not approve it") {
		t.Errorf("%s, %v", lines, err)
	}
	if got := textOf(c.call("call_tool",
		map[string]any{"tool": "files.read_fil", "arguments": map[string]any{}})); !strings.Contains(got, "the nearest are") {
		t.Error(got)
	}
}

func TestResourcesTellOfToolsAndTheRegistry(t *testing.T) {
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	read := func(uri string) (string, error) {
		res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return res.Contents[0].Text, nil
	}
	if got, err := read("tool://files/read_file"); err != nil || !strings.Contains(got, "func files.ReadFile(") {
		t.Error(got, err)
	}
	if _, err := read("tool://files/nothing_at_all"); err == nil {
		t.Error("there is no such tool")
	}
	if got, err := read(serve.StatsURI); err != nil || !strings.Contains(got, `"tools": 8`) {
		t.Error(got, err)
	}
}

func TestAnswersFitTheirSchema(t *testing.T) {
	t.Parallel()
	s, _ := serving(t, &serve.Options{Answer: 600, Policy: &policy.Policy{Deny: []string{"files.delete_file"}}})
	c := connect(t, s, nil)
	res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: serve.ResultSchemaURI})
	if err != nil {
		t.Fatal(err)
	}
	var js jsonschema.Schema
	if err := json.Unmarshal([]byte(res.Contents[0].Text), &js); err != nil {
		t.Fatal(err)
	}
	r, err := js.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"Return(1)", "", "x", "panic(1)", deleting, `UseTools("read a file")`,
		`UseTools("paint the moon")`, `Return(strings.Repeat("x", 9999))`,
		`_, _ = files.ReadFile(files.ReadFileParams{Path: "a"})`, `p, _ := files.TakePicture(); Return(p)`,
		`var x any = 7; fmt.Println(x.(string))`} {
		a := c.call("execute", map[string]any{"script": script})
		if a.StructuredContent == nil {
			continue
		}
		if err := r.Validate(a.StructuredContent); err != nil {
			t.Errorf("%q: %v", script, err)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"script":"Return(1)","timeout_ms":5,"inputs":{"a":1}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := serve.ParseArgs(raw)
		if err == nil && (strings.TrimSpace(a.Script) == "" || a.Timeout < 0) {
			t.Errorf("%q: %+v", raw, a)
		}
		if err != nil && len(err.Error()) > 500 {
			t.Errorf("%d bytes of error: %s", len(err.Error()), fmt.Sprintf("%.100s", err))
		}
	})
}

func TestNamesOfLoadedToolsAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{
		"m.send_mail", "m.send.mail", "a.b_c", "a.b.c", "a.b__c", "a__b.c", "a_.b", "a._b", "a-.b", "m.send/mail", "m.sénd",
		"m." + strings.Repeat("x", 100), "m." + strings.Repeat("x", 101),
	} {
		name := serve.McpName(id)
		if other := seen[name]; other != "" || len(name) > 64 {
			t.Errorf("%s and %s are %q", other, id, name)
		}
		seen[name] = id
	}
	if got := serve.McpName("m.send_mail"); got != "m__send_mail" {
		t.Error(got)
	}
}
