package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

const deleting = `_, err := files.DeleteFile(files.DeleteFileParams{Path: "x"})
if err != nil { panic(err) }
Return("deleted")`

func TestPolicyDecidesBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		policy *policy.Policy
		want   string
		status outcome.Status
	}{
		"nothing against it": {&policy.Policy{}, "deleted", outcome.OK},
		"denied server":      {&policy.Policy{Deny: []string{"files"}}, "denied by -deny files", outcome.Denied},
		"denied pattern":     {&policy.Policy{Deny: []string{"*.delete_*"}}, "denied by -deny *.delete_*", outcome.Denied},
		"not allowed": {&policy.Policy{Allow: []string{"git", "files.read_*"}}, "not among the allowed",
			outcome.Denied},
		"read-only":   {&policy.Policy{ReadOnly: true}, "not marked as read-only", outcome.Denied},
		"destructive": {&policy.Policy{Approve: policy.ApproveDestructive}, "needs approval", outcome.Waiting},
		"marked":      {&policy.Policy{Approve: policy.ApproveMarked}, "needs approval", outcome.Waiting},
		"writes":      {&policy.Policy{Approve: policy.ApproveWrites}, "needs approval", outcome.Waiting},
		"approved by operator": {&policy.Policy{Approve: policy.ApproveDestructive, Approved: []string{"files.*"}},
			"deleted", outcome.OK},
		"denied though allowed": {&policy.Policy{Allow: []string{"files"}, Deny: []string{"files.delete_file"}}, "denied by",
			outcome.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			if x.status == outcome.Waiting && !*clustered { // nobody can be asked, and nothing is kept, as a cluster does
				s, f := serving(t, &serve.Options{Policy: x.policy})
				if got, a := connect(t, s, nil).run(deleting); a.Status != outcome.Denied || f.calls.Load() > 0 ||
					!strings.Contains(got, "waits for approval with -state DIR") {
					t.Errorf("without a folder: %s", got)
				}
			}
			s, f := serving(t, &serve.Options{Policy: x.policy, Records: folderStore(t, t.TempDir())})
			c := connect(t, s, nil)
			got, a := c.run("fmt.Println(\"begun\")\n" + deleting)
			if !strings.Contains(got, x.want) || a.Status != x.status {
				t.Errorf("%s: %s", a.Status, got)
			}
			if len(a.Decisions) != 1 || a.Decisions[0].Tool != "files.delete_file" {
				t.Errorf("decisions: %+v", a.Decisions)
			}
			if x.status == outcome.Denied && (f.calls.Load() > 0 || strings.Contains(got, "begun\n")) {
				t.Error("something ran:", got)
			}
			if x.status == outcome.Denied && !strings.Contains(got, `files.DeleteFile(files.DeleteFileParams{Path: "x"})`) {
				t.Error("the call is not shown:", got)
			}
			if x.status == outcome.Waiting && (f.calls.Load() > 0 || len(a.Waiting) != 1 || !strings.Contains(got,
				fmt.Sprintf("harness approvals yes %s.1", a.Run)) || !strings.Contains(got, "  files.delete_file  line 2  ") || !strings.Contains(got, `| {"path":"x"}`)) {
				t.Error("the pending call is not shown:", got)
			}
		})
	}
}

// What policy denies is found by no tool, and said to be denied by all that it
// is named to.
func TestADeniedToolIsOfferedByNoTool(t *testing.T) {
	s, f := serving(t, &serve.Options{Tools: serve.All, Policy: &policy.Policy{Deny: []string{"*.delete_*"}}})
	c := connect(t, s, nil)
	for tool, args := range map[string]map[string]any{
		"tool_describe": {"tool": "files.delete_file"}, "describe_tool": {"tools": []string{"files.DeleteFile"}},
		"tool_load": {"tool": "delete_file"},
		"call_tool": {"tool": "files.delete_file", "arguments": map[string]any{"path": "x"}},
	} {
		if res := c.call(tool, args); !res.IsError || !strings.Contains(textOf(res), "denied by -deny *.delete_*") ||
			strings.Contains(textOf(res), "Params") {
			t.Errorf("%s: %s", tool, textOf(res))
		}
	}
	for tool, args := range map[string]map[string]any{
		"tool_find": {"query": "delete a file"}, "search_tools": {"query": "delete", "match": "substring"},
		"tool_load": {"tool": "files.remove_file"},
	} {
		if got := textOf(c.call(tool, args)); strings.Contains(got, "delete_file") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	if res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "tool://files/delete_file"}); err == nil {
		t.Errorf("%+v", res)
	}
	if f.calls.Load() > 0 {
		t.Error("called")
	}
}

// Only tools that read are offered, and those of a server that is not trusted
// cannot be known to.
func TestAServerThatIsNotTrustedOffersNothingReadOnly(t *testing.T) {
	f := newFake()
	s, _ := serving(t, &serve.Options{Tools: serve.All, Policy: &policy.Policy{ReadOnly: true},
		Catalog: func(context.Context) (*catalog.Catalog, error) {
			return &catalog.Catalog{Registry: testRegistry(), Calls: f,
				Servers: []config.Server{{Name: "files", Trust: config.TrustNothing}}}, nil
		}})
	c := connect(t, s, nil)
	if got := textOf(c.call("tool_find", map[string]any{"query": "read a file"})); strings.Contains(got, "files.") ||
		!strings.Contains(got, "git.git_log") {
		t.Errorf("found: %s", got)
	}
	for tool, args := range map[string]map[string]any{
		"tool_describe": {"tool": "files.read_file"}, "tool_load": {"tool": "files.read_file"},
		"call_tool": {"tool": "files.read_file", "arguments": map[string]any{"path": "x"}},
	} {
		if res := c.call(tool, args); !res.IsError ||
			!strings.Contains(textOf(res), "its server's hints do not count: usetools.trust is false") {
			t.Errorf("%s: %s", tool, textOf(res))
		}
	}
	got, a := c.run(`r, err := files.ReadFile(files.ReadFileParams{Path: "x"}); if err != nil { panic(err) }; Return(r.Text())`)
	if a.Status != outcome.Denied || !strings.Contains(got, "usetools.trust is false") || f.calls.Load() > 0 {
		t.Errorf("%s after %d calls: %s", a.Status, f.calls.Load(), got)
	}
}

// Of two servers with the same tool, one denied, the other's is meant.
func TestANameThatADeniedToolHasTooMeansTheOther(t *testing.T) {
	for _, x := range []struct {
		deny []string
		want string
	}{
		{[]string{"fsb.*"}, `^fsa\.write_file\n`},
		{[]string{"fs*"}, `^fsa\.write_file is unavailable: denied by -deny fs\*$`},
		{nil, `^several servers have a tool "write_file": fsa\.write_file, fsb\.write_file$`},
	} {
		reg := &registry.Registry{Tools: []registry.Tool{
			{Server: "fsa", Name: "write_file", Description: "Write a file", Input: json.RawMessage(`{"type":"object"}`)},
			{Server: "fsb", Name: "write_file", Description: "Write a file", Input: json.RawMessage(`{"type":"object"}`)},
		}}
		reg.Normalize()
		s, _ := serving(t, &serve.Options{Tools: serve.Discovery, Policy: &policy.Policy{Deny: x.deny},
			Catalog: func(context.Context) (*catalog.Catalog, error) {
				return &catalog.Catalog{Registry: reg, Calls: newFake()}, nil
			}})
		c := connect(t, s, nil)
		if got := textOf(c.call("tool_describe",
			map[string]any{"tool": "write_file"})); !regexp.MustCompile(x.want).MatchString(got) {
			t.Errorf("%v: %s\nwant %s", x.deny, got, x.want)
		}
	}
}

func TestAPersonIsAskedWhereTheClientCan(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "2025-11-25", "2026-07-28"} {
		for action, want := range map[string]string{"accept": "deleted\n", "decline": "rejected it", "cancel": "waiting\n"} {
			t.Run(transport+" "+action, func(t *testing.T) {
				asksSessions(t, transport)
				s, f := serving(t, &serve.Options{Policy: &policy.Policy{Approve: policy.ApproveDestructive}})
				var question string
				opts := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult,
					error) {
					question = r.Params.Message
					return &mcp.ElicitResult{Action: action, Content: map[string]any{}}, nil
				}}
				var c *client
				if transport == "stdio" {
					c = connect(t, s, opts)
				} else {
					c = dialHTTP(t, "http://"+listen(t, s, &serve.HTTP{})+"/mcp", transport, "", opts)
				}
				got, a := c.run(deleting)
				if !strings.Contains(got, want) {
					t.Errorf("got %q", got)
				}
				if !strings.Contains(question, "tool: files.delete_file\nclass: effect\n") || !strings.Contains(question, `{"path":"x"}`) ||
					!strings.Contains(question, "\nat: line 1\n") || !strings.Contains(question, "run "+a.Run) {
					t.Errorf("question %q", question)
				}
				if n := f.calls.Load(); (n == 1) != (action == "accept") {
					t.Errorf("%d calls", n)
				}
				if (a.Status == outcome.Waiting) != (action == "cancel") || len(a.Waiting) > 0 != (action == "cancel") {
					t.Errorf("%s, %+v", a.Status, a.Waiting)
				}
			})
		}
	}
}

// What a client carries from the question to the answer is worth nothing for
// another script, another session, or when it was written by the client.
func TestAnApprovalIsGoodForItsScriptOnly(t *testing.T) {
	s, _ := serving(t, nil)
	a, b := s.NewSession("a", serve.Execute, true), s.NewSession("b", serve.Execute, true)
	args, other := "x", "y"
	state := a.Question(args, "files.delete_file")
	ask := func(c *serve.Session, state string, args string) error {
		req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{RequestState: state,
			InputResponses: mcp.InputResponseMap{"approve": &mcp.ElicitResult{Action: "accept"}}}}
		tools, refused := c.Approvals(req, args)
		if refused != nil {
			return refused
		}
		if len(tools) != 1 {
			t.Error(tools)
		}
		return nil
	}
	elsewhere := s.Opts() // another instance with the same key, and records of its own
	elsewhere.Records = store.Memory(10, nil)
	two, err := serve.New(&elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	for name, err := range map[string]error{
		"another store":   ask(two.NewSession("a", serve.Execute, true), state, args),
		"another script":  ask(a, state, other),
		"another session": ask(b, state, args),
		"forged":          ask(a, state[:len(state)-2]+"AA", args),
		"rubbish":         ask(a, "rubbish", args),
	} {
		if err == nil {
			t.Error(name, "was accepted")
		}
	}
	if err := ask(a, state, args); err != nil {
		t.Error(err)
	}
	if err := ask(a, state, args); err == nil {
		t.Error("the same approval was accepted twice")
	}
}

// What a person is asked about is all there is, and looks as it is.
func TestAPersonIsShownAllOfIt(t *testing.T) {
	t.Parallel()
	var question string
	opts := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult,
		error) {
		question += r.Params.Message
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
	}}
	for _, tc := range []struct {
		tool  string
		args  map[string]any
		want  []string
		never string
	}{
		{"execute", map[string]any{"script": "_, _ = files.DeleteFile(files.DeleteFileParams{Path: " +
			"\"tmp\"})\n_, _ = files.DeleteFile(files.DeleteFileParams{Path: \"/pr\u202eod\" /*\x1b[8m\u200b*/})",
			"inputs": map[string]any{"who": "x\u202ey"}},
			[]string{`{"path":"tmp"}`, `{"path":"/pr\u202eod"}`, "at: line 1\n", "at: line 2\n"}, "\x1b\u202e\u200b"},
		{"call_tool", map[string]any{"tool": "files.delete_file",
			"arguments": map[string]any{"path": strings.Repeat("x", 2000) + "/prod\u202e"}}, []string{`/prod\u202e"`}, "\u202e"},
	} {
		s, f := serving(t, &serve.Options{Tools: serve.All, Policy: &policy.Policy{Approve: policy.ApproveDestructive}})
		c := connect(t, s, opts)
		question = ""
		c.call(tc.tool, tc.args)
		for _, want := range tc.want {
			if !strings.Contains(question, want) || strings.ContainsAny(question, tc.never) {
				t.Errorf("%s: asked %q, want %q", tc.tool, question, want)
			}
		}
		calls := f.calls.Load()
		if calls == 0 {
			t.Errorf("%s: nothing was called", tc.tool)
		}
		question = ""
		long := strings.Repeat("x", serve.MaxAsked)
		want := "but the text to read has"
		if tc.tool == "execute" {
			tc.args["script"] = fmt.Sprintf("_, _ = files.DeleteFile(files.DeleteFileParams{Path: %q})", long)
			want = "harness approvals yes"
		} else {
			tc.args["arguments"] = map[string]any{"path": long}
		}
		if got := textOf(c.call(tc.tool, tc.args)); question != "" || !strings.Contains(got, want) || f.calls.Load() != calls {
			t.Errorf("%s: too much to be read: asked %.100q, answer %.300s", tc.tool, question, got)
		}
	}
}
