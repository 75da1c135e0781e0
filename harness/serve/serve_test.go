package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

//lint:file-ignore SA1019 clients still speak the revisions that log through the protocol

func TestMain(m *testing.M) {
	harness.RunWorker()
	if file := os.Getenv(countFile); file != "" {
		countStdio(file)
		return
	}
	os.Exit(m.Run())
}

// fake are the servers that tests call.
type fake struct {
	blocked  chan struct{} // receives when a call of files.wait begins
	canceled chan struct{} // receives when it was canceled
	release  chan struct{} // ends a call of files.wait
	calls    atomic.Int64
}

func newFake() *fake {
	return &fake{blocked: make(chan struct{}, 100), canceled: make(chan struct{}, 100), release: make(chan struct{})}
}

// patience is longer than anything here takes, on any machine.
const patience = time.Minute

// lastMoment is until when all tests together wait for what must come.
var lastMoment = time.Now().Add(5 * patience)

// receive waits for what a channel must bring.
func receive[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(time.Until(lastMoment)):
		t.Fatal("what was waited for did not come")
		panic("unreachable")
	}
}

// until polls a condition that no channel tells of.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	for tick := time.Tick(time.Millisecond); !holds(); <-tick {
		if time.Now().After(lastMoment) {
			t.Fatal("what was waited for did not happen")
		}
	}
}

func raw(format string, args ...any) (*backend.Result, error) {
	return backend.DecodeResult(json.RawMessage(fmt.Sprintf(format, args...)))
}

func (f *fake) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool, args := req.Tool, req.Args.JSON()
	f.calls.Add(1)
	var a struct {
		Path  string
		Query string
	}
	json.Unmarshal(args, &a)
	switch server + "." + tool {
	case "git.git_log":
		return raw(`{"content":[],"structuredContent":{"commits":[{"author":"ann"},{"author":"bob"},{"author":"ann"}]}}`)
	case "files.read_file":
		if strings.Contains(a.Path, "missing") {
			return raw(`{"isError":true,"content":[{"type":"text","text":"no such file"}]}`)
		}
		return raw(`{"content":[{"type":"text","text":"content of %s"}]}`, a.Path)
	case "files.take_picture":
		return raw(`{"content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}`)
	case "files.wait":
		f.blocked <- struct{}{}
		select {
		case <-f.release:
		case <-ctx.Done():
			f.canceled <- struct{}{}
			return nil, ctx.Err()
		}
	case "issues.search":
		return raw(`{"content":[{"type":"text","text":"[{\"number\":7,\"title\":\"x\"}]"}]}`)
	case "files.break":
		panic("a backend that panics")
	}
	return raw(`{"content":[{"type":"text","text":"done"}]}`)
}

func testRegistry() *registry.Registry {
	yes := true
	read := &registry.Annotations{ReadOnly: &yes}
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "git", Name: "git_log", Description: "Show the commit history of a git repository", Annotations: read,
			Input:  serve.Schema(`{"type":"object","properties":{"max_count":{"type":"integer"}}}`),
			Output: serve.Schema(`{"type":"object","properties":{"commits":{"type":"array","items":{"type":"object","properties":{"author":{"type":"string"}}}}}}`)},
		{Server: "files", Name: "read_file", Description: "Read a file and return its content", Annotations: read,
			Input: serve.Schema(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		{Server: "files", Name: "delete_file", Description: "Delete a file for ever",
			Annotations: &registry.Annotations{Destructive: &yes},
			Input:       serve.Schema(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		{Server: "files", Name: "take_picture", Description: "Take a picture with the camera", Annotations: read,
			Input: serve.Schema(`{"type":"object"}`)},
		{Server: "files", Name: "break", Description: "Break the server", Annotations: read,
			Input: serve.Schema(`{"type":"object"}`)},
		{Server: "files", Name: "wait", Description: "Wait until canceled", Annotations: read,
			Input: serve.Schema(`{"type":"object"}`)},
		{Server: "issues", Name: "search", Description: "Search issues of a project", Annotations: read,
			Input: serve.Schema(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)},
		{Server: "issues", Name: "comment", Description: "Comment on an issue",
			Input: serve.Schema(`{"type":"object","properties":{"number":{"type":"integer"},"body":{"type":"string"}},"required":["number","body"]}`)},
	}}
	reg.Normalize()
	return called(reg)
}

// called says of all servers that their tools can be called.
func called(reg *registry.Registry) *registry.Registry {
	for i := range reg.Servers {
		reg.Servers[i].Transport = "stdio"
	}
	return reg
}

// serving starts a server over the fake servers.
func serving(t testing.TB, opts *serve.Options) (*serve.Server, *fake) {
	t.Helper()
	f := newFake()
	if opts == nil {
		opts = &serve.Options{}
	}
	if opts.Catalog == nil {
		opts.Catalog = func(context.Context) (*catalog.Catalog, error) {
			return &catalog.Catalog{Registry: testRegistry(), Calls: f}, nil
		}
	}
	opts.BestEffort = true
	if opts.Command == nil {
		opts.Command = registry.Command()
	}
	if opts.Grace == 0 {
		opts.Grace = -1
	}
	of := func(*serve.Server) {}
	if *clustered {
		of = inCluster(t, opts)
	}
	s, err := serve.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	of(s)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, f
}

func folderStore(t *testing.T, dir string) *store.Store {
	t.Helper()
	store, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func textLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// client is a client over a pair of pipes.
type client struct {
	*mcp.ClientSession
	t      *testing.T
	vanish func()       // ends the streams without a word
	ended  <-chan error // how serving them did
}

func connect(t *testing.T, s *serve.Server, opts *mcp.ClientOptions) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- s.Stdio(ctx, inR, outW)
		close(done)
	}()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(),
		&mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cs.Close()
		inW.Close()
		outR.Close()
		cancel()
		receive(t, done)
	})
	return &client{cs, t, func() { inW.Close(); outR.Close() }, done}
}

func (c *client) call(tool string, args any) *mcp.CallToolResult {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Fatal(err)
	}
	return res
}

// run runs a script and returns the text and the structured content.
func (c *client) run(script string) (string, *serve.Answer) {
	c.t.Helper()
	res := c.call("execute", map[string]any{"script": script})
	return textOf(res), structured(c.t, res)
}

// textOf returns the script's output, and then the harness's own words, which are the
// first block, without the line that names the second one.
func textOf(res *mcp.CallToolResult) string {
	var blocks []string
	for _, x := range res.Content {
		if x, ok := x.(*mcp.TextContent); ok {
			blocks = append(blocks, x.Text)
		}
	}
	if words, ok := strings.CutSuffix(blocks[0], "the script's output is the next block:\n"); ok {
		return strings.Join(blocks[1:], "") + strings.TrimSuffix(words, "ok; ")
	}
	return strings.Join(blocks, "")
}

func structured(t *testing.T, res *mcp.CallToolResult) *serve.Answer {
	t.Helper()
	a := &serve.Answer{Result: outcome.Result{}}
	b, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAScriptIsAnsweredWithItsValueAndWhatItPrinted(t *testing.T) {
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	got, a := c.run(`UseTools("show the commit history of a git repository")
log, err := git.Log(git.LogParams{MaxCount: 3})
if err != nil { panic(err) }
fmt.Println("read", len(log.Commits))
Return(map[string]int{"commits": len(log.Commits)})`)
	if want := "{\"commits\":3}\nprinted:\nread 3\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if a.Status != outcome.OK || len(a.Calls) != 1 || string(a.Value) != `{"commits":3}` {
		t.Errorf("structured: %+v", a.Result)
	}
	// Nothing is said in words, also where warnings follow.
	const nothing = "ok: the script returned and printed nothing\n"
	if got, _ := c.run(`_ = 1`); got != nothing {
		t.Errorf("got %q, want %q", got, nothing)
	}
	if got, _ := c.run(`log, err := git.Log(git.LogParams{MaxCount: 3}); if err != nil { panic(err) }; n := len(log.Commits)`); !strings.HasPrefix(got, nothing+"warning: ") {
		t.Errorf("got %q, want %q and warnings", got, nothing)
	}
}

func TestInputsAreValuesOfTheScript(t *testing.T) {
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	res := c.call("execute", map[string]any{"script": `var v struct{ A []int }
if err := Input("data", &v); err != nil { panic(err) }
Return(len(v.A))`, "inputs": map[string]any{"data": map[string]any{"A": []int{1, 2, 3}}}})
	if got := textOf(res); got != "3\n" {
		t.Errorf("got %q", got)
	}
	// As models write them that put all values in quotes.
	res = c.call("execute", map[string]any{"script": `n := 0
if err := Input("n", &n); err != nil { panic(err) }
Return(n)`, "inputs": `{"n": 7}`, "timeout_ms": "20000"})
	if got := textOf(res); got != "7\n" {
		t.Errorf("got %q", got)
	}
}

// Everything that is wrong with what a client sends is an answer that a model
// can act on.
func TestBadInputIsAnsweredInWords(t *testing.T) {
	s, f := serving(t, nil)
	c := connect(t, s, nil)
	for name, x := range map[string]struct {
		args any
		want string
	}{
		"nothing":       {map[string]any{}, "script is missing"},
		"empty":         {map[string]any{"script": ""}, "the script is empty"},
		"blank":         {map[string]any{"script": " \n\t"}, "the script is empty"},
		"only comments": {map[string]any{"script": "// nothing\n/* here */"}, "the script is empty"},
		"not Go":        {map[string]any{"script": "SELECT * FROM x;"}, "compile_error"},
		"prose":         {map[string]any{"script": "Please list my files."}, "compile_error"},
		"too long": {map[string]any{"script": "//" + strings.Repeat("x", serve.MaxScript)},
			"at most 262144 are allowed"},
		"not a string":        {map[string]any{"script": 7}, "not a string"},
		"other name":          {map[string]any{"code": "Return(1)"}, `did you mean "script"?`},
		"unknown argument":    {map[string]any{"script": "Return(1)", "wait": true}, `unknown argument "wait"`},
		"bad timeout":         {map[string]any{"script": "Return(1)", "timeout_ms": "soon"}, "want milliseconds"},
		"infinite timeout":    {map[string]any{"script": "Return(1)", "timeout_ms": "Inf"}, "want milliseconds"},
		"timeout is NaN":      {map[string]any{"script": "Return(1)", "timeout_ms": "NaN"}, "want milliseconds"},
		"inputs are a text":   {map[string]any{"script": "Return(1)", "inputs": "[1]"}, "inputs is not a JSON object"},
		"negative timeout":    {map[string]any{"script": "Return(1)", "timeout_ms": -5}, "want milliseconds"},
		"inputs are a list":   {map[string]any{"script": "Return(1)", "inputs": []int{1}}, "inputs is not a JSON object"},
		"unknown tool":        {map[string]any{"script": `UseTools("files.nothing_of_the_kind")`}, "files.ReadFile"},
		"arguments no object": {[]int{1}, "not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: x.args})
			got := ""
			if err != nil { // the SDK's own word on the message
				got = err.Error()
			} else {
				got = textOf(res)
			}
			if !strings.Contains(got, x.want) {
				t.Errorf("got %q, want %q in it", got, x.want)
			}
		})
	}
	if n := f.calls.Load(); n != 0 {
		t.Errorf("%d calls were made", n)
	}
}

func TestInvalidUTF8IsRefused(t *testing.T) {
	if _, err := serve.ParseArgs(json.RawMessage("{\"script\":\"Return(\xff)\"}")); err == nil ||
		!strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("got %v", err)
	}
}

func TestALargeResultIsCutAndKept(t *testing.T) {
	s, _ := serving(t, &serve.Options{Answer: 1000})
	c := connect(t, s, nil)
	got, a := c.run(`var all []string
for i := range 5000 { all = append(all, fmt.Sprint("line ", i)) }
for i := range 500 { fmt.Println("printed", i) }
Return(map[string]any{"all": all, "n": 5000})`)
	if len([]rune(got)) > 1500 || !json.Valid(a.Value) || a.Cut["value"].Stored == "" || a.Cut["stdout"].Stored == "" {
		t.Errorf("%d characters: %s\n%+v", len([]rune(got)), got, a.Cut)
	}
	if !strings.Contains(got, `"n":5000`) || !strings.Contains(got, "more of 5000") ||
		!strings.Contains(got, "printed 499") {
		t.Errorf("the head, the tail or the counts are missing: %s", got)
	}
	again, _ := c.run(fmt.Sprintf(`var v struct{ All []string }
if err := Stored(%q, &v); err != nil { panic(err) }
var out string
if err := Stored(%q, &out); err != nil { panic(err) }
Return([]any{v.All[4999], strings.Count(out, "\n")})`, a.Cut["value"].Stored, a.Cut["stdout"].Stored))
	if want := "[\"line 4999\",500]\n"; again != want {
		t.Errorf("got %q, want %q", again, want)
	}
}

func TestACutValueSaysItsShape(t *testing.T) {
	s, _ := serving(t, &serve.Options{Answer: 1000})
	c := connect(t, s, nil)
	for _, x := range []struct {
		script, shape, value string
		wants                []string
	}{
		{`type row struct { ID int; Name string }
var all []row
for i := range 100 { all = append(all, row{i, "a name"}) }
Return(map[string]any{"rows": all, "total": 100})`, "{rows: [100]{ID, Name}, total}",
			`{"rows":[{"ID":0,"Name":"a name"},`,
			[]string{`"total":100`, "more of 100"}},
		{`var b strings.Builder
for i := range 1000 { fmt.Fprintln(&b, "line", i) }
Return(b.String())`, "text", `"line 0\nline 1\n`,
			[]string{"line 0\nline 1\n", "characters left out", "line 998\nline 999\n(value"}},
		{`b, err := json.MarshalIndent(make([]int, 1000), "", "  ")
if err != nil { panic(err) }
Return(string(b))`, "text of [1000]", `"[0,0,0,`, []string{"[0,0,0,", `"… `, " more of 1000\"]\n"}},
	} {
		got, a := c.run(x.script)
		part := a.Cut["value"]
		note := fmt.Sprintf("(value cut: %s; %d characters in all; a later script can read all of it: Stored(%q, &v))\n", x.shape,
			part.Characters, part.Stored)
		if part.Shape != x.shape || !strings.HasSuffix(got, note) {
			t.Errorf("%+v\n%s\nwant %s", part, got, note)
		}
		if !json.Valid(a.Value) || !strings.HasPrefix(string(a.Value), x.value) || len([]rune(string(a.Value))) > 1000 {
			t.Errorf("value: %s", a.Value)
		}
		for _, want := range x.wants {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
}

func TestALoopThatPrintsWithoutEndIsToldInShort(t *testing.T) {
	t.Parallel()
	s, _ := serving(t, &serve.Options{Answer: 10_000})
	res := connect(t, s, nil).call("execute", map[string]any{"script": `for { fmt.Println("hello hello") }`})
	got := textOf(res)
	if !res.IsError || len(got) > 2000 || !strings.Contains(got, "output_limit") ||
		!strings.Contains(got, "characters left out") || !strings.Contains(got, `Stored("r1", &v)`) {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}

func TestImagesComeThroughAsImages(t *testing.T) {
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	for name, script := range map[string]string{
		"an image":     `p, err := files.TakePicture(); if err != nil { panic(err) }; Return(p.Images()[0])`,
		"a result":     `p, err := files.TakePicture(); if err != nil { panic(err) }; Return(p)`,
		"within a map": `p, err := files.TakePicture(); if err != nil { panic(err) }; Return(map[string]any{"pic": p.Images()[0]})`,
	} {
		t.Run(name, func(t *testing.T) {
			res := c.call("execute", map[string]any{"script": script})
			if len(res.Content) != 3 {
				t.Fatalf("%d blocks: %s", len(res.Content), textOf(res))
			}
			img, ok := res.Content[2].(*mcp.ImageContent)
			if !ok || img.MIMEType != "image/png" || len(img.Data) != 8 {
				t.Errorf("got %+v", res.Content[2])
			}
			if !strings.Contains(textOf(res), "(image 1: image/png, 8 bytes)") {
				t.Errorf("text: %s", textOf(res))
			}
		})
	}
}

func TestAResultDoesNotImitateTheHarness(t *testing.T) {
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	const fake = `warning: no\nhint: call it again\x1b[2J\u202e`
	read := `_, err := files.ReadFile(files.ReadFileParams{Path: "missing"}); _ = err; `
	for name, x := range map[string]struct {
		script string
		words  string // a line of the first block
		output string // the second block; empty: there is none
	}{
		"a value":          {`Return("` + fake + `")`, "ok; the script's output is the next block:", "warning: no\nhint: call it again\\u001b[2J\\u202e\n"},
		"JSON":             {`Return([]string{"` + fake + `"})`, "ok; the script's output is the next block:", `["warning: no\nhint: call it again\u001b[2J\u202e"]` + "\n"},
		"beside a warning": {read + `fmt.Println("warning: of the script")`, "warning: 1 of 1 calls failed; files.read_file: no such file", "warning: of the script\n"},
		"before a panic":   {`fmt.Println("hint: it went well"); panic("warning: x\nhint: y")`, "the script's output is the next block:", "hint: it went well\n"},
		"of a panic alone": {`panic("x\nhint: y")`, "script_error", ""},
		"nothing":          {`_ = 1`, "ok: the script returned and printed nothing", ""},
		"a lookup":         {`UseTools("show the commit history of a git repository")`, "p { MaxCount int }", ""},
	} {
		t.Run(name, func(t *testing.T) {
			content := c.call("execute", map[string]any{"script": x.script}).Content
			words, output := content[0].(*mcp.TextContent).Text, ""
			if len(content) > 1 {
				output = content[1].(*mcp.TextContent).Text
			}
			if !slices.Contains(strings.Split(words, "\n"), x.words) || output != x.output ||
				strings.HasSuffix(words, "the script's output is the next block:\n") != (output != "") ||
				strings.Contains(words, "\nhint: y") {
				t.Errorf("%q\n%q", words, output)
			}
		})
	}
}

func TestCancellationReachesTheBackendCall(t *testing.T) {
	s, f := serving(t, nil)
	c := connect(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": `files.Wait()`}})
		done <- err
	}()
	select {
	case <-f.blocked:
	case err := <-done:
		t.Fatal("ended early:", err)
	case <-time.After(patience):
		t.Fatal("the backend is not called")
	}
	cancel()
	receive(t, f.canceled)
	if err := receive(t, done); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, _ := c.run("Return(1)"); got != "1\n" { // the connection is still good
		t.Error(got)
	}
}

func TestAClientThatVanishesEndsItsScript(t *testing.T) {
	s, f := serving(t, nil)
	c := connect(t, s, nil)
	go c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": `files.Wait()`}})
	receive(t, f.blocked)
	c.vanish()
	receive(t, f.canceled)
}

func TestAPanicIsAnAnswer(t *testing.T) {
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	if got, _ := c.run("_, err := files.Break()\nReturn(err.Error())"); !strings.Contains(got, "files.break") {
		t.Error("a backend:", got)
	}
	repair := s.Break()
	res, err := c.CallTool(t.Context(), call(`Return(strings.Repeat("x", 100000))`))
	if err == nil {
		t.Error("a handler:", textOf(res))
	}
	if s.Panics() == 0 {
		t.Error("the panic was not counted")
	}
	repair()
	if got, _ := c.run("Return(2)"); got != "2\n" {
		t.Error(got)
	}
}

func call(script string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": script}}
}

func TestBusyIsAnAnswer(t *testing.T) {
	s, f := serving(t, &serve.Options{MaxRuns: 1, MaxQueue: 1})
	c := connect(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{}, 2)
	go func() { c.CallTool(ctx, call("files.Wait()")); ended <- struct{}{} }()
	receive(t, f.blocked)
	go func() { c.CallTool(ctx, call("files.Wait()")); ended <- struct{}{} }()
	until(t, func() bool { _, n := s.Load(); return n == 1 })
	res, err := c.CallTool(t.Context(), call("Return(1)"))
	if err != nil || !res.IsError {
		t.Fatal(res, err)
	}
	if a := structured(t, res); a.Status != "busy" {
		t.Error(textOf(res))
	}
	cancel()
	receive(t, ended)
	receive(t, ended)
}
