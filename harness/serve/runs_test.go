package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/harness/serve/transport"
)

// reads is the text of a resource.
func (c *client) reads(uri string) string {
	c.t.Helper()
	res, err := c.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		c.t.Fatal(err)
	}
	return res.Contents[0].Text
}

// dry runs a script without its effects.
func (c *client) dry(script string) (string, *serve.Answer) {
	c.t.Helper()
	res := c.call("execute", map[string]any{"script": script, "dry_run": true})
	return textOf(res), structured(c.t, res)
}

// countFile names the variable with the file in which the test's own program
// counts calls, as an MCP server over stdio.
const countFile = "USETOOLS_TEST_COUNT"

// counting is an MCP server that tells of each call of its tools: look, which
// says that it only reads, and add.
func counting(tell func(tool string)) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "counting", Version: "1"}, nil)
	for name, a := range map[string]*mcp.ToolAnnotations{"look": {ReadOnlyHint: true}, "add": nil} {
		s.AddTool(&mcp.Tool{Name: name, Description: name + " a number", Annotations: a,
			InputSchema: serve.Schema(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				tell(name)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
			})
	}
	return s
}

// countStdio is the test's program as a server over stdio.
func countStdio(file string) {
	counting(func(tool string) {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(f, "stdio", tool)
			f.Close()
		}
	}).Run(context.Background(), &mcp.StdioTransport{})
}

// A dry run sends what reads and nothing else, over whatever transport, by
// whatever way the script makes the call.
func TestADryRunSendsNothingButReads(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME", "AppData", "LocalAppData"} {
		t.Setenv(name, dir)
	}
	var mu sync.Mutex
	var seen []string
	tell := func(where string) func(string) {
		return func(what string) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, where+" "+what)
		}
	}
	mux := http.NewServeMux()
	for _, name := range []string{"web", "shady"} {
		s := counting(tell(name))
		mux.Handle("/"+name, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	}
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"openapi":"3.0.0","info":{"title":"orders","version":"1"},"servers":[{"url":"/"}],"paths":{"/orders":{
			"get":{"operationId":"listOrders","summary":"List the orders","responses":{"200":{"description":"ok"}}},
			"post":{"operationId":"createOrder","summary":"Create an order","responses":{"200":{"description":"ok"}}}}}}`)
	})
	mux.HandleFunc("/orders", func(w http.ResponseWriter, r *http.Request) {
		tell("api")(r.Method)
		fmt.Fprint(w, `"done"`)
	})
	web := httptest.NewServer(mux)
	defer web.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	counted := filepath.Join(dir, "counted")
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"web":   map[string]any{"url": web.URL + "/web"},
		"shady": map[string]any{"url": web.URL + "/shady", "usetools": map[string]any{"trust": false}},
		"local": map[string]any{"command": exe, "env": map[string]string{countFile: counted}},
		"api":   map[string]any{"type": "openapi", "url": web.URL + "/openapi.json"},
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "mcp.json"), config, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := &catalog.Files{Configs: []string{filepath.Join(dir, "mcp.json")}, NoMemory: true, NoObserve: true, NoUsage: true}
	defer files.Close()
	cat, err := files.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, srv := range cat.Registry.Servers {
		if srv.Error != nil {
			t.Fatal(srv.Name, *srv.Error)
		}
	}
	cat.Scripts = library.Open(t.TempDir())
	if err := cat.Scripts.Save(&library.Script{Name: "adds", Source: "_, _ = local.Add(local.AddParams{N: 7})\n" +
		"r, err := web.Look(web.LookParams{N: 8}); if err != nil { panic(err) }; Return(r.Text())"}); err != nil {
		t.Fatal(err)
	}
	s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }})
	const script = `_, _ = web.Look(web.LookParams{N: 1})
_, _ = local.Look(local.LookParams{N: 2})
_, _ = api.ListOrders()
_, _ = shady.Look(shady.LookParams{N: 3})
var wg sync.WaitGroup
for i := range 3 {
	wg.Go(func() { _, _ = web.Add(web.AddParams{N: i}) })
}
wg.Wait()
_, _ = local.Add(local.AddParams{N: 5})
_, _ = api.CreateOrder()
v, err := RunScript("adds", nil)
if err != nil { panic(err) }
Return(v)`
	url := "http://" + listen(t, s, &serve.HTTP{}) + "/mcp"
	clients := map[string]*client{"stdio": connect(t, s, nil), "http": dialHTTP(t, url, "2025-11-25", "", nil),
		"http, newest": dialHTTP(t, url, "", "", nil)}
	for name, c := range clients {
		got, a := c.dry(script)
		if a.Status != outcome.OK || !a.Dry || string(a.Value) != `"done"` {
			t.Fatalf("%s: %s", name, got)
		}
		var ledger []string
		for _, u := range a.Ledger {
			ledger = append(ledger, u.Tool)
		}
		slices.Sort(ledger[min(1, len(ledger)):min(4, len(ledger))])
		want := []string{"shady.look", "web.add", "web.add", "web.add", "local.add", "api.createOrder", "local.add"}
		if d := cmp.Diff(want, ledger); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if u := a.Ledger[6]; u.Script != "adds" || u.Line != 1 || string(u.Args) != `{"n":7}` {
			t.Errorf("%s: %+v", name, u)
		}
	}
	local, err := os.ReadFile(counted)
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(seen)
	var want []string
	for _, what := range []string{"api GET", "web look", "web look"} {
		want = append(want, slices.Repeat([]string{what}, len(clients))...)
	}
	slices.Sort(want)
	if d := cmp.Diff(want, seen); d != "" || string(local) != strings.Repeat("stdio look\n", len(clients)) {
		t.Errorf("what was sent: %s\n%s", d, local)
	}
}

func TestTheLedgerOfADryRunIsItsAnswer(t *testing.T) {
	t.Parallel()
	s, f := serving(t, &serve.Options{Answer: 2000})
	c := connect(t, s, nil)
	const script = `n := len("x")
_, _ = files.DeleteFile(files.DeleteFileParams{Path: "a"})
_, _ = issues.Comment(issues.CommentParams{Number: n, Body: "b"})`
	got, a := c.dry(script + "\nReturn(1)")
	want := `1
dry run: nothing was changed; 2 effect calls were not sent:
1  files.delete_file  effect  line 2  answer made up
| {"path":"a"}
2  issues.comment  effect  line 3  after a made-up answer; answer made up
| {"body":"b","number":1}
`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	raw, err := json.Marshal(a)
	if err != nil || !strings.Contains(string(raw), `"ledger":[{"tool":"files.delete_file","class":"effect","line":2,`+
		`"args":{"path":"a"},"origins":[{"arg":"path","target":true,"size":1,"match":"within","from":"script",`) ||
		!strings.Contains(string(raw), `"guess":false},{"tool":"issues.comment",`) {
		t.Errorf("%s, %v", raw, err)
	}
	// What the subject's earlier runs got is no guess.
	if _, a := c.run(script); a.Status != outcome.OK || f.calls.Load() != 2 {
		t.Fatal(a.Error, f.calls.Load())
	}
	got, a = c.dry(script)
	if !strings.Contains(got, "\n2  issues.comment  effect  line 3  answer of run "+a.Ledger[1].From+"\n") || a.Ledger[1].Guess || a.Ledger[1].From == "" {
		t.Error(got)
	}
	// It has room in the answer, whatever the script does.
	got, a = c.dry(`for i := range 100 {
	_, _ = issues.Comment(issues.CommentParams{Number: i, Body: strings.Repeat("x", 5000)})
}
Return(strings.Repeat("y", 5000))`)
	n := 0
	for _, more := range a.MoreLedger {
		n += more
	}
	if len(got) > 2500 || len(a.Ledger) < 3 || n+len(a.Ledger) != 100 || a.Ledger[0].Bytes < 5000 ||
		!json.Valid(a.Ledger[0].Args) || !strings.Contains(got, "more: issues.comment ") {
		t.Errorf("%d characters, %d calls and %d: %s", len(got), len(a.Ledger), n, got)
	}
	// A failure that a made-up answer may have caused is said to be one.
	got, _ = c.dry(`r, _ := files.DeleteFile(files.DeleteFileParams{Path: "never"}); if r.Text() != "gone" { panic("not gone") }`)
	if !strings.Contains(got, "a made-up answer may be why") || !strings.Contains(got, "not gone") {
		t.Error(got)
	}
	if got, _ := c.dry("Return(1)"); got != "1\ndry run: the script made no effect calls\n" {
		t.Error(got)
	}
	if f.calls.Load() != 2 {
		t.Errorf("%d calls were made", f.calls.Load())
	}
	for _, args := range []map[string]any{{"script": "Return(1)", "dry_run": "perhaps"}, {"script": "Return(1)", "dry_run": 2}} {
		if got := textOf(c.call("execute", args)); !strings.Contains(got, "want true or false") {
			t.Error(got)
		}
	}
}

// A dry run asks nobody about what it does not send, and says that it would have
// to; what is denied is denied.
func TestPolicyInADryRun(t *testing.T) {
	yes := func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		t.Error("somebody is asked")
		return &mcp.ElicitResult{Action: "accept"}, nil
	}
	s, f := serving(t, &serve.Options{Policy: &policy.Policy{Approve: policy.ApproveWrites, Deny: []string{"issues.comment"}}})
	c := connect(t, s, &mcp.ClientOptions{ElicitationHandler: yes})
	got, a := c.dry(`_, _ = git.Log(git.LogParams{MaxCount: 1}); _, _ = files.DeleteFile(files.DeleteFileParams{Path: "a"})`)
	const why = "it is not marked as read-only and needs approval"
	if a.Status != outcome.OK || len(a.Ledger) != 1 || a.Ledger[0].Approval != why || !strings.Contains(got, "  "+why+"; ") {
		t.Errorf("%+v: %s", a.Ledger, got)
	}
	if got, a := c.dry(`_, _ = issues.Comment(issues.CommentParams{Number: 1, Body: "x"})`); a.Status != outcome.Denied {
		t.Error(got)
	}
	if n := f.calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestRunsAreResources(t *testing.T) {
	t.Parallel()
	store, err := store.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := serving(t, &serve.Options{Records: store, Tools: serve.All, Answer: 1000, Version: "test"})
	url := "http://" + listen(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: map[string]string{"only": "token-of-only-01"}}}) + "/mcp"
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		c := dialHTTP(t, url, version, "token-of-only-01", nil)
		if c.InitializeResult().Capabilities.Resources == nil {
			t.Error("no capability")
		}
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil || !slices.ContainsFunc(templates.ResourceTemplates, func(r *mcp.ResourceTemplate) bool {
			return r.URITemplate == serve.RunTemplate
		}) {
			t.Error(templates, err)
		}
		_, a := c.run(`_, _ = git.Log(git.LogParams{MaxCount: 1}); fmt.Println("printed"); Return("the value")`)
		if a.Run == "" {
			t.Fatal("the result does not name its record")
		}
		var list struct{ Runs []record.Summary }
		if err := json.Unmarshal([]byte(c.reads(serve.RunsURI)), &list); err != nil || list.Runs[0].ID != a.Run ||
			list.Runs[0].Calls != 1 || list.Runs[0].Session == "" || list.Runs[0].Subject != "" {
			t.Errorf("%+v, %v", list, err)
		}
		var one struct {
			Begin struct{ Script, Harness string }
			Calls []struct{ Tool string }
			Notes []struct{ Stdout string }
			End   struct{ Value json.RawMessage }
		}
		text := c.reads(serve.RunsURI + "/" + a.Run)
		if err := json.Unmarshal([]byte(text), &one); err != nil || one.Calls[0].Tool != "git.git_log" ||
			string(one.End.Value) != `"the value"` || one.Notes[0].Stdout != "printed\n" || one.Begin.Harness != "test" ||
			!strings.HasPrefix(one.Begin.Script, "_, _ = git.Log(") {
			t.Errorf("%v: %s", err, text)
		}
		// A call without a script is a run, too.
		c.call("call_tool", map[string]any{"tool": "files.read_file", "arguments": map[string]any{"path": "x"}})
		json.Unmarshal([]byte(c.reads(serve.RunsURI)), &list)
		if r := list.Runs[0]; r.Name != "call files.read_file" || r.Calls != 1 || r.Status != "ok" {
			t.Errorf("%+v", r)
		}
		// One that is large is cut, and stays JSON.
		_, a = c.run(`Return(strings.Repeat("x", 50_000))`)
		if text := c.reads(serve.RunsURI + "/" + a.Run); len(text) > serve.RunAnswers*1000 || !json.Valid([]byte(text)) ||
			!strings.Contains(text, a.Run) {
			t.Errorf("%d bytes: %.300s", len(text), text)
		}
		for _, id := range []string{"nothing", "", "../x", a.Run[:5]} {
			if res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: serve.RunsURI + "/" + id}); err == nil {
				t.Errorf("%q: %+v", id, res)
			}
		}
	}
}

// Who comes without a token that others have sees its own session's runs alone,
// and gets no answers of others in dry runs.
func TestRunsOfNobodyAreOfTheirSession(t *testing.T) {
	alone(t, "who has no session has no runs to see")
	s, _ := serving(t, nil)
	url := "http://" + listen(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Insecure: true}}) + "/mcp"
	a, b := dialHTTP(t, url, "2025-11-25", "", nil), dialHTTP(t, url, "2025-11-25", "", nil)
	none := dialHTTP(t, url, "2026-07-28", "", nil)
	const script = `_, _ = files.DeleteFile(files.DeleteFileParams{Path: "a"}); Return(1)`
	_, own := a.run(script)
	_, other := none.run(script)
	if list := a.reads(serve.RunsURI); !strings.Contains(list, own.Run) || strings.Contains(list, other.Run) {
		t.Error(list)
	}
	a.reads(serve.RunsURI + "/" + own.Run)
	for name, c := range map[string]*client{"another": b, "without a session": none} {
		if list := c.reads(serve.RunsURI); list != `{"runs":[]}` {
			t.Errorf("%s: %s", name, list)
		}
		if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: serve.RunsURI + "/" + own.Run}); err == nil {
			t.Error(name, "reads the run of another")
		}
		if _, d := c.dry(script); d.Ledger[0].From != "" {
			t.Errorf("%s gets the answer of another", name)
		}
	}
}

// The audit names the record of each run.
func TestTheAuditNamesTheRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	s, _ := serving(t, &serve.Options{Audit: observe.AuditFile{Path: file}, Tools: serve.All})
	c := connect(t, s, nil)
	_, a := c.run(`Return(1)`)
	_, d := c.dry(`Return(1)`)
	c.call("call_tool", map[string]any{"tool": "files.read_file", "arguments": map[string]any{"path": "x"}})
	var last record.Summary
	for last2, err := range s.Records().List(t.Context(), &store.Filter{Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		last = *last2
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		var l struct {
			Type, Record string
			Dry          bool `json:"dry_run"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Type == "run" {
			got = append(got, fmt.Sprint(l.Record, l.Dry))
		}
	}
	if d := cmp.Diff([]string{a.Run + "false", d.Run + "true", last.ID + "false"}, got); d != "" {
		t.Error(d)
	}
}

func TestARecordOfUntrustedTextMakesTheNextEffectLate(t *testing.T) {
	t.Parallel()
	late, err := policy.ParseCondition("late")
	if err != nil {
		t.Fatal(err)
	}
	f := newFake()
	cat := &catalog.Catalog{Registry: testRegistry(), Calls: f, Labels: &catalog.Labels{Untrusted: []catalog.Label{{Pattern: "files.*", All: true}}},
		Rules: []policy.Rule{{Pattern: "effect", Then: policy.NeedsApproval, If: late}}}
	s, _ := serving(t, &serve.Options{Records: folderStore(t, t.TempDir()), Catalog: func(context.Context) (*catalog.Catalog, error) { return cat, nil }})
	c := connect(t, s, nil)
	const effect = `_, err := issues.Comment(issues.CommentParams{Number: 1, Body: "b"}); if err != nil { panic(err) }; Return(1)`
	_, read := c.run(`r, err := files.ReadFile(files.ReadFileParams{Path: "a"}); if err != nil { panic(err) }; _ = r; Return(1)`)
	if _, a := c.run(effect); a.Status != outcome.OK {
		t.Fatalf("a clean session: %s %v", a.Status, a.Error)
	}
	if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: serve.RunsURI + "/" + read.Run}); err != nil {
		t.Fatal(err)
	}
	if _, a := c.run(effect); a.Status != outcome.Waiting {
		t.Errorf("after the record was read: %s %v", a.Status, a.Error)
	}
}
