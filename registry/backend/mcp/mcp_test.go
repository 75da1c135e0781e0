package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
	"github.com/usetools/usetools/registry/config"
)

// roles are what this binary does instead of tests when it was started for it.
var roles = []func(){mcptest.Main}

func TestMain(m *testing.M) {
	for _, role := range roles {
		role()
	}
	os.Exit(m.Run())
}

// open connects to a server and closes the connection with the test.
func open(t testing.TB, s config.Server, opts *mcp.Options) backend.Backend {
	t.Helper()
	b, err := mcp.Open(t.Context(), s, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// limits are times for what a server that never answers is in. Each is tried
// when the one before was too short for the rest, as on a busy machine.
var limits = []time.Duration{time.Second, 5 * time.Second, 25 * time.Second}

func list(t *testing.T, b backend.Backend) *backend.Listing {
	t.Helper()
	l, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func call(t testing.TB, b backend.Backend, tool, args string) *backend.Result {
	t.Helper()
	r, err := b.Call(t.Context(), &backend.Request{Tool: tool, Args: registry.ReadArgs([]byte(args))})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(tools []registry.Tool) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.Name
	}
	return out
}

func TestListKeepsKeyOrderAndDigitsOfSchemas(t *testing.T) {
	l := list(t, open(t, mcptest.Server("s"), nil))
	want := `{"type":"object","properties":{"zeta":{"type":"integer","maximum":9007199254740993},"alpha":{"type":"string","default":1.50}},"required":["zeta"]}`
	if got := string(l.Tools[0].Input); got != want {
		t.Errorf("schema:\n got %s\nwant %s", got, want)
	}
	if got, want := names(l.Tools), []string{"echo", "fail"}; !cmp.Equal(got, want) {
		t.Errorf("tools %q, want %q", got, want)
	}
	if a := l.Tools[0].Annotations; a == nil || a.ReadOnly == nil || !*a.ReadOnly || l.Tools[0].Title != "Echo" {
		t.Errorf("annotations and title: %+v", l.Tools[0])
	}
	server := registry.Server{Name: "s", Transport: "stdio", Title: "Test server", Version: "1.2.3",
		Instructions: "Be careful.", Protocol: "2025-11-25"}
	if d := cmp.Diff(server, l.Server); d != "" {
		t.Errorf("server (-want +got):\n%s", d)
	}
}

func TestCallReturnsExactBytes(t *testing.T) {
	b := open(t, mcptest.Server("s"), nil)
	args := `{"zeta":9007199254740993,"alpha":1.500,"html":"<&>","deep":{"b":1,"a":2}}`
	r := call(t, b, "echo", args)
	if string(r.Structured) != args {
		t.Errorf("structured:\n got %s\nwant %s", r.Structured, args)
	}
	if want := `{"content":[{"type":"text","text":"ok"}],"structuredContent":` + args + `}`; string(r.Raw) != want {
		t.Errorf("raw:\n got %s\nwant %s", r.Raw, want)
	}
	if r.Text() != "ok" || r.IsError {
		t.Errorf("text %q, isError %v", r.Text(), r.IsError)
	}
}

func TestCallWithoutArgumentsSendsAnEmptyObject(t *testing.T) {
	b := open(t, mcptest.Server("s"), nil)
	for _, args := range []string{"", "null", "{}", " {} "} {
		if r := call(t, b, "echo", args); string(r.Structured) != "{}" {
			t.Errorf("args %q: server got %s, want {}", args, r.Structured)
		}
	}
	for _, args := range []string{"[1]", `"x"`, `{"a":`, "7"} {
		if _, err := b.Call(t.Context(), &backend.Request{Tool: "echo", Args: registry.ReadArgs([]byte(args))}); err == nil ||
			!strings.Contains(err.Error(), " JSON") {
			t.Errorf("args %q: error %v, want one that says so", args, err)
		}
	}
}

func TestToolsOwnFailureIsAResult(t *testing.T) {
	if r := call(t, open(t, mcptest.Server("s"), nil), "fail", ""); !r.IsError || r.Text() != "no such branch" {
		t.Errorf("got %+v", r)
	}
}

func TestUnknownToolIsARefusal(t *testing.T) {
	_, err := open(t, mcptest.Server("s"), nil).Call(t.Context(), &backend.Request{Tool: "nope"})
	var refused *backend.RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("error %v, want a RefusedError", err)
	}
	if d := cmp.Diff(&backend.RefusedError{Server: "s", Tool: "nope", Code: -32602, Message: "Unknown tool: nope"},
		refused); d != "" {
		t.Error(d)
	}
}

func TestOddContentDoesNotCostTheResult(t *testing.T) {
	r := call(t, open(t, mcptest.Server("s"), nil), "odd", "")
	want := []backend.Content{
		{Type: "video", Text: `{"type":"video","uri":"v:1","length":12345678901234567890}`, URI: "v:1"},
		{Type: "image", MIMEType: "image/png"},
		{Type: "unknown", Text: "null"},
		{Type: "image", MIMEType: "image/png", Data: []byte("hi")},
		{Type: "unknown", Text: `{"type":5}`},
		{Type: "resource", URI: "f:1", Text: "body"},
	}
	if d := cmp.Diff(want, r.Content); d != "" {
		t.Errorf("content (-want +got):\n%s", d)
	}
}

func TestResultThatIsNoObjectIsAnError(t *testing.T) {
	b := open(t, mcptest.Server("s"), nil)
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "bare"}); err == nil ||
		!strings.Contains(err.Error(), `server "s": calling "bare": the result is not a JSON object`) {
		t.Errorf("error %v", err)
	}
	call(t, b, "echo", "") // the connection is still good
}

func TestListUsesWhatIsGood(t *testing.T) {
	for _, tc := range []struct {
		fault    mcptest.Fault
		tools    []string
		problems []string // parts of them, in order
	}{
		{mcptest.Malformed, []string{"echo", "fail", "hints", "badoutput"}, []string{
			"tool 3 omitted: it has no name", `tool "hints": annotation readOnlyHint is "yes"; ignored`,
			`tool "badschema" omitted: inputSchema`, "tool 6 omitted", "tool 7 omitted",
			`tool "badoutput": description is not a string`, `tool "badoutput": outputSchema`}},
		{mcptest.Duplicate, []string{"echo", "fail"}, []string{`tool "echo" listed twice`}},
		{mcptest.HugeTool, []string{"echo", "fail"}, []string{"tool 3 omitted: its definition has 10485"}},
		{mcptest.DeepSchema, []string{"echo", "fail"}, []string{"tool 3 omitted: its definition is nested deeper"}},
		{mcptest.InvalidUTF8, []string{"echo", "fail", "utf"}, nil},
		{mcptest.Pages, []string{"tool0", "tool1", "tool2", "tool3", "echo", "fail"}, nil},
		{mcptest.CyclicPages, []string{"tool0", "tool1"}, []string{"repeats the cursor", `"tool0" listed twice`}},
		{mcptest.NoTools, []string{}, nil},
		{mcptest.Banner, []string{"echo", "fail"}, nil},
		{mcptest.ModernOnly, []string{"echo", "fail"}, nil},
		{mcptest.DiesOfModern, []string{"echo", "fail"}, nil},
	} {
		t.Run(string(tc.fault), func(t *testing.T) {
			t.Parallel()
			l := list(t, open(t, mcptest.Server("s", tc.fault), nil))
			if got := names(l.Tools); !cmp.Equal(got, tc.tools) {
				t.Errorf("tools %q, want %q", got, tc.tools)
			}
			ok := len(l.Server.Problems) == len(tc.problems)
			for i := 0; ok && i < len(tc.problems); i++ {
				ok = strings.Contains(l.Server.Problems[i], tc.problems[i])
			}
			if !ok {
				t.Errorf("problems\n%q, want parts\n%q", l.Server.Problems, tc.problems)
			}
			for _, tool := range l.Tools {
				if !json.Valid(tool.Input) || strings.ToValidUTF8(string(tool.Input), "") != string(tool.Input) {
					t.Errorf("tool %q: schema %q", tool.Name, tool.Input)
				}
			}
		})
	}
}

func TestMalformedHintCountsAsNotGiven(t *testing.T) {
	l := list(t, open(t, mcptest.Server("s", mcptest.Malformed), nil))
	a := l.Tools[2].Annotations
	if l.Tools[2].Name != "hints" || a == nil || a.ReadOnly != nil || a.Destructive == nil || *a.Destructive {
		t.Errorf("annotations of %q: %+v", l.Tools[2].Name, a)
	}
}

func TestEndlessPagingEnds(t *testing.T) {
	t.Parallel()
	l := list(t, open(t, mcptest.Server("s", mcptest.EndlessPages), nil))
	if len(l.Tools) != 1000 || len(l.Server.Problems) != 1 ||
		!strings.Contains(l.Server.Problems[0], "more than 1000 pages") {
		t.Errorf("%d tools, problems %q", len(l.Tools), l.Server.Problems)
	}
}

func TestStartFailureSaysWhatHappened(t *testing.T) {
	for _, tc := range []struct {
		name   string
		server config.Server
		want   []string
	}{
		{"exits", mcptest.Server("s", mcptest.ExitAtStart),
			[]string{`server "s": exited at start (exit status 3)`, "on stderr: boom", "by hand"}},
		{"rubbish", mcptest.Server("s", mcptest.Rubbish),
			[]string{"no answer to the handshake within", `it printed "Welcome to the worst server" and 1 more`,
				"raise usetools.startTimeout"}},
		{"rubbish, then exits", mcptest.Server("s", mcptest.RubbishExit),
			[]string{"exited at start (exit status 0)", `it printed "Welcome to the worst server"`}},
		{"silent", mcptest.Server("s", mcptest.Silent), []string{`server "s": no answer to the handshake within 300ms`}},
		{"unknown revision", mcptest.Server("s", mcptest.OldProtocol),
			[]string{`unsupported protocol version: "1999-12-31"`}},
		{"no program", config.Server{Name: "s", Type: "stdio", Command: "no-such-program-here", File: "/x/.mcp.json"},
			[]string{`server "s": cannot start`, "no-such-program-here", "/x/.mcp.json"}},
		{"no folder", config.Server{Name: "s", Type: "stdio", Command: "sh", Cwd: "/no/such/folder", File: "/x/.mcp.json"},
			[]string{`cwd "/no/such/folder" is not a folder`}},
		{"no type", config.Server{Name: "s", Type: "carrier pigeon"}, []string{`"carrier pigeon"`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tries := []time.Duration{0} // the default
			switch tc.name {
			case "silent":
				tries[0] = 300 * time.Millisecond
			case "rubbish": // which it has to have printed by then
				tries = limits
			}
			var got string
			lacks := func(part string) bool { return !strings.Contains(got, part) }
			for _, tc.server.StartTimeout = range tries {
				b, err := mcp.Open(t.Context(), tc.server, nil)
				if err == nil {
					b.Close()
					t.Fatal("no error")
				}
				if got = err.Error(); !slices.ContainsFunc(tc.want, lacks) {
					return
				}
			}
			t.Errorf("error\n%s\nlacks some of %q", got, tc.want)
		})
	}
}

func TestErrorsHoldNoSecrets(t *testing.T) {
	s := mcptest.Server("s", mcptest.TellsSecret)
	s.Env["SECRET"] = "hunter2hunter2"
	_, err := mcp.Open(t.Context(), s, nil)
	if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Count(err.Error(), "token is •••") != 2 {
		t.Errorf("error %v", err)
	}
}

func TestEnvReachesTheServer(t *testing.T) {
	s := mcptest.Server("s")
	s.Env["SECRET"] = "hunter2hunter2"
	if r := call(t, open(t, s, nil), "env", `{"name":"SECRET"}`); r.Text() != "hunter2hunter2" {
		t.Errorf("got %q", r.Text())
	}
}

func TestCallThatIsNotAnsweredEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	s := mcptest.Server("s")
	s.CallTimeout = time.Second
	b := open(t, s, nil)
	_, err := b.Call(t.Context(), &backend.Request{Tool: "wait"})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 1s") {
		t.Errorf("error %v", err)
	}
	// The connection is still good, if on a busy machine not within that second.
	for end := time.Now().Add(30 * time.Second); errors.Is(err, context.DeadlineExceeded) && time.Now().Before(end); {
		_, err = b.Call(t.Context(), &backend.Request{Tool: "echo"})
	}
	if err != nil {
		t.Error(err)
	}
}

func TestCancellationReachesTheServer(t *testing.T) {
	log := &lines{seen: make(chan string, 100)}
	b := open(t, mcptest.Server("s"), &mcp.Options{Log: log})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.Call(ctx, &backend.Request{Tool: "wait"})
		done <- err
	}()
	log.await(t, "waiting")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	log.await(t, "cancelled")
}

func TestServerThatStopsReadingDelaysNobodyBeyondTheDeadline(t *testing.T) {
	t.Parallel()
	s := mcptest.Server("s", mcptest.StopsReading)
	s.CallTimeout = 100 * time.Millisecond
	b := open(t, s, nil)
	args, _ := json.Marshal(map[string]string{"fill": strings.Repeat("x", 1<<20)})
	for range 3 { // more than any pipe holds
		if _, err := b.Call(t.Context(), &backend.Request{Tool: "echo", Args: registry.ReadArgs(args)}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want context.DeadlineExceeded", err)
		}
	}
}

func TestCrashDuringACallIsReportedWithTheLastWords(t *testing.T) {
	for _, tool := range []string{"crash", "half"} {
		t.Run(tool, func(t *testing.T) {
			b := open(t, mcptest.Server("s"), nil)
			_, err := b.Call(t.Context(), &backend.Request{Tool: tool})
			if !errors.Is(err, backend.ErrDisconnected) || !strings.Contains(err.Error(), "exit status 5") {
				t.Errorf("error %v", err)
			}
			if tool == "crash" && !strings.Contains(err.Error(), "panic: crashed on request") {
				t.Errorf("error %v lacks the end of stderr", err)
			}
			<-b.(interface{ Done() <-chan struct{} }).Done()
			if _, err := b.Call(t.Context(), &backend.Request{Tool: "echo"}); !errors.Is(err, backend.ErrDisconnected) {
				t.Errorf("second call: error %v, want ErrDisconnected", err)
			}
		})
	}
}

func TestMessageBeyondTheLimitCostsOnlyItsCall(t *testing.T) {
	t.Parallel()
	for _, fault := range []mcptest.Fault{"", mcptest.LateIDs} {
		s := mcptest.Server("s", fault)
		s.MaxMessage = 1 << 20
		b := open(t, s, nil)
		waiting := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := b.Call(ctx, &backend.Request{Tool: "wait"})
			waiting <- err
		}()
		if r := call(t, b, "big", `{"bytes":1000000}`); len(r.Text()) != 1000000 {
			t.Errorf("got %d bytes", len(r.Text()))
		}
		_, err := b.Call(t.Context(), &backend.Request{Tool: "big", Args: registry.ReadArgs([]byte(`{"bytes":3000000}`))})
		if err == nil || errors.Is(err, backend.ErrDisconnected) ||
			!strings.Contains(err.Error(), "more than 1048576 bytes") ||
			!strings.Contains(err.Error(), "usetools.maxMessageMB") {
			t.Errorf("%q: error %v", fault, err)
		}
		if string(call(t, b, "echo", `{"a":1}`).Structured) != `{"a":1}` {
			t.Error("the connection is no use any more")
		}
		cancel()
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Errorf("%q: the call under way ended with %v", fault, err)
		}
	}
}

func TestLineWithoutAnEndEndsTheConnection(t *testing.T) {
	t.Parallel()
	s := mcptest.Server("s", mcptest.NoNewline)
	s.MaxMessage = 64 << 10
	b := open(t, s, nil)
	_, err := b.Call(t.Context(), &backend.Request{Tool: "echo"})
	if !errors.Is(err, backend.ErrDisconnected) || !strings.Contains(err.Error(), "without an end: more than") {
		t.Errorf("error %v", err)
	}
}

func TestLinesThatAreNoMessagesAreSkipped(t *testing.T) {
	if r := call(t, open(t, mcptest.Server("s", mcptest.Banner), nil), "junk", ""); r.Text() != "answer" {
		t.Errorf("got %q", r.Text())
	}
}

func TestListErrorsNameTheServer(t *testing.T) {
	for fault, want := range map[mcptest.Fault]string{
		mcptest.ListSilent:  `server "s": listing its tools: no answer within `,
		mcptest.ListNoArray: `server "s": listing its tools: page 1`,
		mcptest.ListRefused: `server "s": listing its tools: it answered: database is locked (code -32603)`,
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			s := mcptest.Server("s", fault)
			tries := []time.Duration{0} // the default
			if fault == mcptest.ListSilent {
				tries = limits // which are for its handshake too
			}
			var err error
			for _, s.StartTimeout = range tries {
				var b backend.Backend
				if b, err = mcp.Open(t.Context(), s, nil); err == nil {
					_, err = b.List(t.Context())
					b.Close()
				}
				if err != nil && strings.Contains(err.Error(), want) {
					return
				}
			}
			t.Errorf("error %v, want %q in it", err, want)
		})
	}
}

func TestCallsRunAtTheSameTimeAndNoneIsLost(t *testing.T) {
	b := open(t, mcptest.Server("s"), nil)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			args, _ := json.Marshal(map[string]int{"i": i})
			r, err := b.Call(context.Background(), &backend.Request{Tool: "echo", Args: registry.ReadArgs(args)})
			if err != nil || string(r.Structured) != string(args) {
				t.Errorf("call %d: %v, %v", i, r, err)
			}
		})
	}
	wg.Wait()
}

func TestCloseEndsCallsUnderWay(t *testing.T) {
	log := &lines{seen: make(chan string, 100)}
	b := open(t, mcptest.Server("s"), &mcp.Options{Log: log})
	done := make(chan error, 1)
	go func() {
		_, err := b.Call(context.Background(), &backend.Request{Tool: "wait"})
		done <- err
	}()
	log.await(t, "waiting")
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, backend.ErrClosed) {
		t.Errorf("error %v, want ErrClosed", err)
	}
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "echo"}); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("after Close: error %v, want ErrClosed", err)
	}
}

func TestNewsOfOtherToolsArrive(t *testing.T) {
	news := make(chan struct{}, 10)
	opts := &mcp.Options{ToolsChanged: func(string) { news <- struct{}{} }}
	await := func() {
		t.Helper()
		select {
		case <-news:
		case <-time.After(30 * time.Second): // only reached when the test fails
			t.Fatal("no news")
		}
	}
	call(t, open(t, mcptest.Server("s"), opts), "news", "")
	await()
	for _, o := range []*sdk.StreamableHTTPOptions{nil, {Stateless: true}} {
		s := sdkServer(t)
		b := open(t, web(t, "http", sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, o)), opts)
		call(t, b, "echo", "{}")
		s.RemoveTools("fail")
		await()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNothingIsLeftBehind looks for goroutines of this package and of the SDK's
// clients after connections were made, failed, broken and closed.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	for _, f := range []mcptest.Fault{"", mcptest.ExitAtStart, mcptest.Silent, mcptest.ModernOnly} {
		s := mcptest.Server("s", f)
		if f == mcptest.Silent {
			s.StartTimeout = 100 * time.Millisecond
		}
		b, err := mcp.Open(t.Context(), s, nil)
		if err != nil {
			continue
		}
		b.Call(t.Context(), &backend.Request{Tool: "crash"})
		b.Close()
	}
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	sse := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return sdkServer(t) }, nil)
	for _, h := range []http.Handler{hang, streamable(t, nil), sse} {
		srv := httptest.NewServer(h)
		b, err := mcp.Open(t.Context(),
			config.Server{Name: "w", Type: "http", URL: srv.URL, StartTimeout: 500 * time.Millisecond}, nil)
		if err == nil {
			b.List(t.Context())
			b.Close()
		}
		srv.CloseClientConnections()
		srv.Close()
	}
	var stacks string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(time.Millisecond) {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "ClientConn).") && !strings.Contains(stacks, "registry/backend/mcp.(") {
			return
		}
	}
	t.Errorf("goroutines are left:\n%s", stacks)
}

// lines is a log whose lines a test can wait for.
type lines struct {
	seen chan string
	part string
}

func (l *lines) Write(b []byte) (int, error) {
	l.part += string(b)
	for {
		line, rest, ok := strings.Cut(l.part, "\n")
		if !ok {
			return len(b), nil
		}
		l.part = rest
		l.seen <- line
	}
}

func (l *lines) await(t *testing.T, want string) {
	t.Helper()
	for {
		select {
		case line := <-l.seen:
			if strings.Contains(line, want) {
				return
			}
		case <-time.After(30 * time.Second): // only reached when the test fails
			t.Fatalf("the server never logged %q", want)
		}
	}
}
