package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

const deleting = `_, err := files.DeleteFile(files.DeleteFileParams{Path: "x"})
if err != nil { panic(err) }
Return("deleted")`

func TestPolicyDecidesBeforeAnythingRuns(t *testing.T) {
	for name, x := range map[string]struct {
		policy *harness.Policy
		want   string
		status harness.Status
	}{
		"nothing against it": {&harness.Policy{}, "deleted", harness.OK},
		"denied server":      {&harness.Policy{Deny: []string{"files"}}, "denied by files", harness.Denied},
		"denied pattern":     {&harness.Policy{Deny: []string{"*.delete_*"}}, "denied by *.delete_*", harness.Denied},
		"not allowed": {&harness.Policy{Allow: []string{"git", "files.read_*"}}, "not among the allowed",
			harness.Denied},
		"read-only":   {&harness.Policy{ReadOnly: true}, "not marked as read-only", harness.Denied},
		"destructive": {&harness.Policy{Approve: harness.ApproveDestructive}, "needs approval", harness.Waiting},
		"marked":      {&harness.Policy{Approve: harness.ApproveMarked}, "needs approval", harness.Waiting},
		"writes":      {&harness.Policy{Approve: harness.ApproveWrites}, "needs approval", harness.Waiting},
		"approved by operator": {&harness.Policy{Approve: harness.ApproveDestructive, Approved: []string{"files.*"}},
			"deleted", harness.OK},
		"denied though allowed": {&harness.Policy{Allow: []string{"files"}, Deny: []string{"files.delete_file"}}, "denied by",
			harness.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			if x.status == harness.Waiting && !*clustered { // nobody can be asked, and nothing is kept, as a cluster does
				s, f := serving(t, &Options{Policy: x.policy})
				if got, a := connect(t, s, nil).run(deleting); a.Status != harness.Denied || f.calls.Load() > 0 ||
					!strings.Contains(got, "with -state DIR the run waits") {
					t.Errorf("without a folder: %s", got)
				}
			}
			s, f := serving(t, &Options{Policy: x.policy, Records: folderStore(t, t.TempDir())})
			c := connect(t, s, nil)
			got, a := c.run("fmt.Println(\"begun\")\n" + deleting)
			if !strings.Contains(got, x.want) || a.Status != x.status {
				t.Errorf("%s: %s", a.Status, got)
			}
			if len(a.Decisions) != 1 || a.Decisions[0].Tool != "files.delete_file" {
				t.Errorf("decisions: %+v", a.Decisions)
			}
			if x.status == harness.Denied && (f.calls.Load() > 0 || strings.Contains(got, "begun\n")) {
				t.Error("something ran:", got)
			}
			if x.status == harness.Denied && !strings.Contains(got, `files.DeleteFile(files.DeleteFileParams{Path: "x"})`) {
				t.Error("the call is not shown:", got)
			}
			if x.status == harness.Waiting && (f.calls.Load() > 0 || len(a.Waiting) != 1 || !strings.Contains(got,
				fmt.Sprintf("harness approvals yes %s.1", a.Run)) || !strings.Contains(got, `files.delete_file({"path":"x"})`)) {
				t.Error("what waits is not told:", got)
			}
		})
	}
}

// What policy denies is found by no tool, and said to be denied by all that it
// is named to.
func TestADeniedToolIsOfferedByNoTool(t *testing.T) {
	s, f := serving(t, &Options{Tools: All, Policy: &harness.Policy{Deny: []string{"*.delete_*"}}})
	c := connect(t, s, nil)
	for tool, args := range map[string]map[string]any{
		"tool_describe": {"tool": "files.delete_file"}, "describe_tool": {"tools": []string{"files.DeleteFile"}},
		"tool_load": {"tool": "delete_file"},
		"call_tool": {"tool": "files.delete_file", "arguments": map[string]any{"path": "x"}},
	} {
		if res := c.call(tool, args); !res.IsError || !strings.Contains(textOf(res), "denied by *.delete_*") ||
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
	s, _ := serving(t, &Options{Tools: All, Policy: &harness.Policy{ReadOnly: true},
		Catalog: func(context.Context) (*harness.Catalog, error) {
			return &harness.Catalog{Registry: testRegistry(), Calls: f,
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
	if a.Status != harness.Denied || !strings.Contains(got, "usetools.trust is false") || f.calls.Load() > 0 {
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
		{[]string{"fs*"}, `^fsa\.write_file is not to be had: denied by fs\*$`},
		{nil, `^several servers have a tool "write_file": fsa\.write_file, fsb\.write_file$`},
	} {
		reg := &registry.Registry{Tools: []registry.Tool{
			{Server: "fsa", Name: "write_file", Description: "Write a file", Input: json.RawMessage(`{"type":"object"}`)},
			{Server: "fsb", Name: "write_file", Description: "Write a file", Input: json.RawMessage(`{"type":"object"}`)},
		}}
		reg.Normalize()
		s, _ := serving(t, &Options{Tools: Discovery, Policy: &harness.Policy{Deny: x.deny},
			Catalog: func(context.Context) (*harness.Catalog, error) {
				return &harness.Catalog{Registry: reg, Calls: newFake()}, nil
			}})
		c := connect(t, s, nil)
		if got := textOf(c.call("tool_describe",
			map[string]any{"tool": "write_file"})); !regexp.MustCompile(x.want).MatchString(got) {
			t.Errorf("%v: %s\nwant %s", x.deny, got, x.want)
		}
	}
}

func TestAPersonIsAskedWhereTheClientCan(t *testing.T) {
	for _, transport := range []string{"stdio", "2025-11-25", "2026-07-28"} {
		for action, want := range map[string]string{"accept": "deleted\n", "decline": "did not approve", "cancel": "waiting\n"} {
			t.Run(transport+" "+action, func(t *testing.T) {
				asksSessions(t, transport)
				s, f := serving(t, &Options{Policy: &harness.Policy{Approve: harness.ApproveDestructive}})
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
					c = dialHTTP(t, "http://"+listen(t, s, &HTTP{})+"/mcp", transport, "", opts)
				}
				got, a := c.run(deleting)
				if !strings.Contains(got, want) {
					t.Errorf("got %q", got)
				}
				if !strings.Contains(question, "files.delete_file (effect)") || !strings.Contains(question, `{"path":"x"}`) ||
					!strings.Contains(question, "line 1, run "+a.Run) {
					t.Errorf("question %q", question)
				}
				if n := f.calls.Load(); (n == 1) != (action == "accept") {
					t.Errorf("%d calls", n)
				}
				if (a.Status == harness.Waiting) != (action == "cancel") || len(a.Waiting) > 0 != (action == "cancel") {
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
	a, b := s.newSession("a", operator, Execute, true, nil), s.newSession("b", operator, Execute, true, nil)
	args, other := &executeArgs{Script: "x"}, &executeArgs{Script: "y"}
	state := a.question("?", args.hash(), []string{"files.delete_file"}).RequestState
	ask := func(c *session, state string, args *executeArgs) error {
		req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{RequestState: state,
			InputResponses: mcp.InputResponseMap{"approve": &mcp.ElicitResult{Action: "accept"}}}}
		tools, refused := c.approvals(req, args.hash())
		if refused != nil {
			return refused
		}
		if len(tools) != 1 {
			t.Error(tools)
		}
		return nil
	}
	elsewhere := s.opts // another instance with the same key, and records of its own
	elsewhere.Records = record.Memory(10, nil)
	two, err := New(&elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	for name, err := range map[string]error{
		"another store":   ask(two.newSession("a", operator, Execute, true, nil), state, args),
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
		{"execute", map[string]any{"script": "files.DeleteFile(files.DeleteFileParams{Path: " +
			"\"tmp\"})\nfiles.DeleteFile(files.DeleteFileParams{Path: \"/pr\u202eod\" /*\x1b[8m\u200b*/})",
			"inputs": map[string]any{"who": "x\u202ey"}},
			[]string{`{"path":"tmp"}`, `{"path":"/pr\u202eod"}`, "line 1, ", "line 2, "}, "\x1b\u202e\u200b"},
		{"call_tool", map[string]any{"tool": "files.delete_file",
			"arguments": map[string]any{"path": strings.Repeat("x", 2000) + "/prod\u202e"}}, []string{`/prod\u202e"`}, "\u202e"},
	} {
		s, f := serving(t, &Options{Tools: All, Policy: &harness.Policy{Approve: harness.ApproveDestructive}})
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
		long := strings.Repeat("x", maxAsked)
		want := "would have to read"
		if tc.tool == "execute" {
			tc.args["script"] = fmt.Sprintf("files.DeleteFile(files.DeleteFileParams{Path: %q})", long)
			want = "harness approvals yes"
		} else {
			tc.args["arguments"] = map[string]any{"path": long}
		}
		if got := textOf(c.call(tc.tool, tc.args)); question != "" || !strings.Contains(got, want) || f.calls.Load() != calls {
			t.Errorf("%s: too much to be read: asked %.100q, answer %.300s", tc.tool, question, got)
		}
	}
}

func TestTheAuditTellsOfRunsAndCallsWithoutValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	s, _ := serving(t, &Options{Audit: file})
	c := connect(t, s, nil)
	c.run("UseTools(\"read a file\")\nfiles.ReadFile(files.ReadFileParams{Path: \"secret-name\"})")
	c.run("not go")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []map[string]any
	for in := bufio.NewScanner(f); in.Scan(); {
		if strings.Contains(in.Text(), "secret-name") {
			t.Error("a value:", in.Text())
		}
		var m map[string]any
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, m)
	}
	if len(lines) != 3 {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	if lines[0]["type"] != "call" || lines[0]["tool"] != "files.read_file" || lines[0]["run"] != lines[1]["run"] {
		t.Error(lines[0])
	}
	if size := lines[0]["args"].(map[string]any)["path"]; size != float64(len(`"secret-name"`)) {
		t.Error(lines[0]["args"])
	}
	if lines[1]["type"] != "run" || lines[1]["status"] != "ok" || lines[1]["session"] != "stdio" ||
		len(lines[1]["script"].(string)) != 64 {
		t.Error(lines[1])
	}
	if lines[2]["status"] != "compile_error" {
		t.Error(lines[2])
	}
}

// Files that make room are told of, with whose records fill the latest; where
// records are required none makes room.
func TestTheAuditIsRotated(t *testing.T) {
	for _, required := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "audit.jsonl")
		var log strings.Builder
		m := &metrics{}
		a, err := openAudit(file, false, textLog(&log), m)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		want, deleted := auditFiles, int64(20-auditFiles)
		if required {
			a.fail = func(err error) { t.Error(err) }
			want, deleted = 20, 0
		}
		a.max = 100
		a.write("bob", []byte("the first\n"))
		for range 20 {
			a.write("ann", []byte(strings.Repeat("x", 69)+"\n"))
		}
		a.write("bob", []byte("the last\n"))
		files, _ := filepath.Glob(file + "*")
		if len(files) != want {
			t.Errorf("%d files, want %d", len(files), want)
		}
		all := 0
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil || len(data) > 100 {
				t.Error(f, len(data), err)
			}
			all += strings.Count(string(data), "\n")
		}
		if required && all != 22 {
			t.Errorf("%d records of 22 are there", all)
		}
		if n := m.auditDeleted.Load(); n != deleted || int64(strings.Count(log.String(), "DELETES")) != n {
			t.Errorf("%d files were deleted, want %d; the log: %s", n, deleted, log.String())
		}
		if !required && !strings.Contains(log.String(), "file="+file+".4 latest_mostly_of_token=ann bytes=70 of=70") {
			t.Error(log.String())
		}
	}
}

// Nothing that a client or a server names makes a line long: what there is no
// room for is counted.
func TestLinesOfTheAuditAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	a, err := openAudit(file, true, serverLog(t), &metrics{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.fail = func(err error) { t.Error(err) }
	args, fields := &executeArgs{Inputs: map[string]json.RawMessage{}},
		map[string]any{"+a": "short", "+b": strings.Repeat("x", 1<<20)}
	res := &harness.Result{Decisions: make([]harness.Decision, 1000)}
	for i := range 1000 {
		name := fmt.Sprintf("%04d%s", i, strings.Repeat("n", 1000))
		args.Inputs[name], fields[name] = json.RawMessage("0"), strings.Repeat("v", 1000)
		res.Tools = append(res.Tools, harness.ToolUse{Resolution: discovery.Resolution{Phrase: name}})
		res.Decisions[i].Verdict = harness.IsAllowed
	}
	res.Decisions[999].Verdict = harness.IsDenied
	r := a.begin(&session{}, args, &registry.Registry{})
	r.ready()
	sent, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	r.ended(&record.Call{Tool: "files.wait", Args: record.Raw(sent)}, &record.Done{})
	r.end("ok", res, 0)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(data)), "\n")
	for i, x := range []struct {
		most  int
		parts []string
	}{
		{10 << 10, []string{`"type":"begin"`, `"0000nnnn`, `"more":{"inputs":950}`}},
		{32 << 10, []string{`"type":"call"`, `"+a":"short"`, `"+b":{"bytes":1048578,"sha256":"`, `":"vvvv`,
			`"more":{"args":952}`}},
		{32 << 10, []string{`"type":"run"`, `"verdict":"denied"`, `"more":{"decisions":950,"inputs":950,"tools":950}`}},
	} {
		if len(lines[i]) > x.most {
			t.Errorf("a line of %d bytes, want at most %d", len(lines[i]), x.most)
		}
		for _, part := range x.parts {
			if !strings.Contains(lines[i], part) {
				t.Errorf("%s is not in %.3000s", part, lines[i])
			}
		}
	}
}

// A name that a tool does not declare is made by the script, as values are.
func TestTheAuditNamesDeclaredArgumentsOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	a, err := openAudit(file, false, serverLog(t), &metrics{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	tools := &registry.Registry{Tools: []registry.Tool{{Server: "notes", Name: "put",
		Input: schema(`{"type":"object","properties":{"title":{}},"additionalProperties":true}`)}}}
	tools.Normalize()
	r := a.begin(&session{}, &executeArgs{}, tools)
	r.ended(&record.Call{Tool: "notes.put", Args: record.Raw([]byte(`{"title":"x","secret-1":1,"secret-2":2}`))},
		&record.Done{})
	r.end("ok", nil, 0)
	data, err := os.ReadFile(file)
	if text := string(data); err != nil || strings.Contains(text, "secret") ||
		!strings.Contains(text, `"args":{"title":3},"more":{"args":2}`) {
		t.Errorf("%s, %v", data, err)
	}
}

// A disk that hangs, or who reads from a pipe, holds nothing up for long.
func TestAnAuditThatHangsIsLoudAndServingGoesOn(t *testing.T) {
	for _, required := range []bool{false, true} {
		var log strings.Builder
		s, _ := serving(t, &Options{Audit: filepath.Join(t.TempDir(), "audit.jsonl"), Grace: patience, Log: textLog(&log)})
		s.audit.wait = time.Millisecond
		if required {
			s.audit.fail = s.fail
		}
		c := connect(t, s, nil)
		s.audit.turn <- struct{}{} // somebody writes and writes
		got, _ := c.run("Return(1)")
		<-s.audit.turn
		if required {
			if err := receive(t, c.ended); err == nil || !strings.Contains(got, "nothing has run") ||
				!strings.Contains(err.Error(), "hangs") {
				t.Error(got, err)
			}
			continue
		}
		if n := s.metrics.auditFailed.Load(); got != "1\n" || n != 1 ||
			!strings.Contains(log.String(), "AUDIT CANNOT BE WRITTEN") {
			t.Errorf("%s; %d failures; log: %s", got, n, log.String())
		}
	}
}

// Who takes the file away does not take the records that are still to come.
func TestAnAuditFileThatIsGoneIsNoticed(t *testing.T) {
	for name, take := range map[string]func(file string) error{
		"deleted":  os.Remove,
		"moved":    func(file string) error { return os.Rename(file, file+".old") },
		"replaced": func(file string) error { return errors.Join(os.Remove(file), os.WriteFile(file, nil, 0o600)) },
	} {
		file := filepath.Join(t.TempDir(), "audit.jsonl")
		var log strings.Builder
		a, err := openAudit(file, false, textLog(&log), &metrics{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if err := errors.Join(a.write("", []byte("first\n")), take(file), a.write("", []byte("second\n"))); err != nil {
			t.Fatal(name, err)
		}
		if data, err := os.ReadFile(file); string(data) != "second\n" ||
			!strings.Contains(log.String(), "another audit file begins") {
			t.Errorf("%s: %s, %v; log: %s", name, data, err, log.String())
		}
		var ended error
		a.fail = func(err error) { ended = err }
		if err := errors.Join(take(file), a.write("", []byte("third\n"))); !errors.Is(err, errAuditGone) ||
			!errors.Is(ended, errAuditGone) {
			t.Error(name, err, ended)
		}
	}
}

func TestAFullDiskIsLoudAndServingGoesOn(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	var log strings.Builder
	s, _ := serving(t, &Options{Audit: "/dev/full", Log: textLog(&log)})
	c := connect(t, s, nil)
	if got, _ := c.run("Return(1)"); got != "1\n" {
		t.Error(got)
	}
	if n := s.metrics.auditFailed.Load(); n != 1 || !strings.Contains(log.String(), "AUDIT CANNOT BE WRITTEN") {
		t.Errorf("%d failures; log: %s", n, log.String())
	}
}

// Where records are required nothing runs without one, and serving ends when
// there can be none.
func TestARequiredAuditThatCannotBeWrittenEndsServing(t *testing.T) {
	for _, over := range []string{"stdio", "HTTP"} {
		t.Run(over, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "audit")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "runs.jsonl")
			s, f := serving(t, &Options{Tools: All, Audit: file, AuditRequired: true, Grace: patience})
			var c *client
			if over == "HTTP" {
				addr, done := make(chan string, 1), make(chan error, 1)
				go func() {
					done <- s.HTTP(context.Background(),
						&HTTP{Address: "127.0.0.1:0", listening: func(a net.Addr) { addr <- a.String() }})
				}()
				c = dialHTTP(t, "http://"+receive(t, addr)+"/mcp", "2026-07-28", "", nil)
				c.ended = done
			} else {
				c = connect(t, s, nil)
			}
			if got, _ := c.run("Return(1)"); got != "1\n" {
				t.Fatal(got)
			}
			b, err := os.ReadFile(file)
			lines := strings.Split(strings.TrimSpace(string(b)), "\n")
			if err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"type":"begin",`) ||
				!strings.HasPrefix(lines[1], `{"type":"run",`) {
				t.Errorf("%v: %s", err, b)
			}
			os.RemoveAll(folder)
			reading := map[string]any{"script": `files.ReadFile(files.ReadFileParams{Path: "x"})`}
			if got := textOf(c.call("execute", reading)); !strings.Contains(got, "nothing has run") {
				t.Error(got)
			}
			if err := receive(t, c.ended); err == nil || !strings.Contains(err.Error(), "the audit cannot be written") {
				t.Errorf("serving ended with %v", err)
			}
			late, req := s.newSession("late", operator, All, false, nil), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}
			res := late.direct(t.Context(), req, "files.read_file", json.RawMessage(`{"path":"x"}`))
			if !res.IsError || f.calls.Load() > 0 {
				t.Errorf("%d calls; %s", f.calls.Load(), textOf(res))
			}
		})
	}
	if _, err := New(&Options{AuditRequired: true}); err == nil {
		t.Error("no file is a fine audit")
	}
}

// wires is an io.Writer that writes nowhere once it is cut.
type wires struct {
	lockedLog
	cut atomic.Bool
}

func (w *wires) Write(p []byte) (int, error) {
	if w.cut.Load() {
		return 0, errors.New("the wire is cut")
	}
	return w.lockedLog.Write(p)
}

// The lines of the file go to a second place, whole, and one that is not taken there
// counts as one that is not written.
func TestTheAuditHasASecondPlace(t *testing.T) {
	file, to := filepath.Join(t.TempDir(), "runs.jsonl"), &wires{}
	s, _ := serving(t, &Options{Audit: file, AuditTo: to, AuditRequired: true, Grace: patience})
	c := connect(t, s, nil)
	c.run("Return(1)")
	b, err := os.ReadFile(file)
	if err != nil || len(b) == 0 || to.b.String() != string(b) {
		t.Errorf("%v: the file has\n%s\nthe second place\n%s", err, b, to.b.String())
	}
	to.cut.Store(true)
	if got, _ := c.run("Return(2)"); !strings.Contains(got, "nothing has run") {
		t.Error(got)
	}
	if err := receive(t, c.ended); err == nil || !strings.Contains(err.Error(), "the wire is cut") {
		t.Errorf("serving ended with %v", err)
	}
}
