package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
)

// wire is what a client was sent.
type wire struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// tasker is a client that takes tasks.
type tasker struct {
	*client
	wire *wire
}

var tasksTaken = &mcp.ClientCapabilities{Extensions: map[string]any{tasksExtension: map[string]any{}}}

// teed notes what comes back.
type teed struct {
	http.RoundTripper
	w io.Writer
}

func (t teed) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(res.Body, t.w), res.Body}
	}
	return res, err
}

// taking connects a client that takes tasks, over HTTP where there is a URL, else
// over stdio.
func taking(t *testing.T, s *Server, url, token string, opts *mcp.ClientOptions) *tasker {
	t.Helper()
	if opts == nil {
		opts = &mcp.ClientOptions{}
	}
	opts.Capabilities = tasksTaken
	if opts.ElicitationHandler != nil {
		opts.Capabilities = &mcp.ClientCapabilities{Extensions: tasksTaken.Extensions,
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	for _, err := range []error{
		mcp.AddSendingCustomMethod[*taskParams, *taskState](c, "tasks/get"),
		mcp.AddSendingCustomMethod[*taskParams, *taskDone](c, "tasks/update"),
		mcp.AddSendingCustomMethod[*taskParams, *taskDone](c, "tasks/cancel"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w := &wire{}
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: url,
		HTTPClient: &http.Client{Transport: teed{bearer(token), w}}}
	if url == "" {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- s.Stdio(context.Background(), inR, outW) }()
		t.Cleanup(func() { inW.Close(); outR.Close(); receive(t, done) })
		transport = &mcp.IOTransport{Reader: struct {
			io.Reader
			io.Closer
		}{io.TeeReader(outR, w), outR}, Writer: inW}
	}
	cs, err := c.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return &tasker{&client{cs, t, nil, nil}, w}
}

var taskIDs = regexp.MustCompile(`"resultType":"task","taskId":"([^"]+)"`)

// begins calls execute, and returns the ID of the task that it is answered with.
func (c *tasker) begins(script string) string {
	c.t.Helper()
	c.wire.mu.Lock()
	c.wire.b.Reset()
	c.wire.mu.Unlock()
	res := c.call("execute", map[string]any{"script": script})
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	m := taskIDs.FindSubmatch(c.wire.b.Bytes())
	if m == nil {
		c.t.Fatalf("no task: %s\n%s", textOf(res), &c.wire.b)
	}
	return string(m[1])
}

func (c *tasker) get(id string) (*taskState, error) {
	return mcp.CallCustomMethod[*taskParams, *taskState](c.t.Context(),
		c.ClientSession, "tasks/get", &taskParams{ID: id})
}

func (c *tasker) cancel(id string) {
	c.t.Helper()
	if _, err := mcp.CallCustomMethod[*taskParams, *taskDone](c.t.Context(), c.ClientSession, "tasks/cancel",
		&taskParams{ID: id}); err != nil {
		c.t.Fatal(err)
	}
}

// becomes waits until a task has a status.
func (c *tasker) becomes(id, status string) *taskState {
	c.t.Helper()
	var s *taskState
	until(c.t, func() bool {
		var err error
		if s, err = c.get(id); err != nil {
			c.t.Fatal(err)
		}
		return s.Status == status
	})
	return s
}

// answerOf is the result of a completed task.
func answerOf(t *testing.T, s *taskState) *mcp.CallToolResult {
	t.Helper()
	res := &mcp.CallToolResult{}
	if err := json.Unmarshal(s.Result, res); err != nil {
		t.Fatal(err)
	}
	return res
}

func codeOf(err error) int64 {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

const waiting = `_, err := files.Wait(); fmt.Println("waited", err == nil); Return("done")`

func folderStore(t *testing.T, dir string) *record.Store {
	t.Helper()
	store, err := record.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestALongScriptBecomesATask(t *testing.T) {
	for _, transport := range []string{"http", "stdio"} {
		t.Run(transport, func(t *testing.T) {
			alone(t, "the others do not know how far a task is")
			dir := t.TempDir()
			connect := func() (*tasker, *fake, *Server) {
				s, f := serving(t, &Options{Records: folderStore(t, dir), TaskAfter: time.Nanosecond})
				url := ""
				if transport == "http" {
					url = "http://" + listen(t, s, &HTTP{Tokens: twoTokens}) + "/mcp"
				}
				return taking(t, s, url, twoTokens["ann"], nil), f, s
			}
			c, f, s := connect()
			if _, ok := c.InitializeResult().Capabilities.Extensions[tasksExtension]; !ok {
				t.Error("the extension is not declared")
			}
			ids := map[string]string{}
			for name, script := range map[string]string{"ok": waiting, "fails": waiting + "\npanic(7)"} {
				id := c.begins(script)
				receive(t, f.blocked)
				if *clustered { // what is told of a run comes after the call
					until(t, func() bool { got, err := c.get(id); return err != nil || got.StatusMessage != "" })
				}
				got, err := c.get(id)
				if err != nil || got.Status != taskWorking || got.StatusMessage != "call 1: files.wait" || got.Poll != 1000 ||
					got.TTL != nil || got.ResultType != "complete" || got.Created.IsZero() || got.Updated.Before(got.Created) {
					t.Errorf("%+v, %v", got, err)
				}
				f.release <- struct{}{}
				ids[name] = id
			}
			texts := map[string]string{}
			for name, id := range ids {
				res := answerOf(t, c.becomes(id, taskCompleted))
				if texts[name] = textOf(res); res.IsError != (name == "fails") || !strings.Contains(texts[name], "waited true") {
					t.Errorf("%s: %+v", name, res)
				}
				c.cancel(id) // which changes nothing
				c.becomes(id, taskCompleted)
			}
			// A restart, which knows nothing but the records.
			s.Close()
			c, _, _ = connect()
			for name, id := range ids {
				if got := textOf(answerOf(t, c.becomes(id, taskCompleted))); got != texts[name] {
					t.Errorf("%s: after a restart it is %q, was %q", name, got, texts[name])
				}
			}
		})
	}
}

func TestATaskThatIsCanceledEnds(t *testing.T) {
	alone(t, "the others cannot end a task")
	dir := t.TempDir()
	s, f := serving(t, &Options{Records: folderStore(t, dir), TaskAfter: time.Nanosecond})
	c := taking(t, s, "http://"+listen(t, s, &HTTP{})+"/mcp", "", nil)
	id := c.begins(waiting)
	receive(t, f.blocked)
	c.cancel(id)
	receive(t, f.canceled)
	c.becomes(id, taskCancelled)
	s, _ = serving(t, &Options{Records: folderStore(t, dir)})
	taking(t, s, "http://"+listen(t, s, &HTTP{})+"/mcp", "", nil).becomes(id, taskCancelled)
}

// A client that says nothing of tasks is answered as ever, and one of an earlier
// revision knows of none.
func TestWhoTakesNoTasksGetsNone(t *testing.T) {
	s, f := serving(t, &Options{TaskAfter: time.Nanosecond})
	url := "http://" + listen(t, s, &HTTP{}) + "/mcp"
	id := taking(t, s, url, "", nil).begins("Return(1)")
	for version, code := range map[string]int64{"2026-07-28": mcp.CodeMissingRequiredClientCapabilities,
		"2025-11-25": jsonrpc.CodeMethodNotFound} {
		opts := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
		if version == "2025-11-25" {
			opts.Capabilities = tasksTaken
		}
		c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
		if err := mcp.AddSendingCustomMethod[*taskParams, *taskState](c, "tasks/get"); err != nil {
			t.Fatal(err)
		}
		cs, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		defer cs.Close()
		if _, has := cs.InitializeResult().Capabilities.Extensions[tasksExtension]; has != (version > lastStateful) {
			t.Errorf("%s: the extension is declared: %v", version, has)
		}
		go func() { receive(t, f.blocked); f.release <- struct{}{} }()
		x := &client{cs, t, nil, nil}
		if got, _ := x.run(waiting); !strings.HasPrefix(got, "done\n") {
			t.Errorf("%s: %s", version, got)
		}
		_, err = mcp.CallCustomMethod[*taskParams, *taskState](t.Context(), cs, "tasks/get", &taskParams{ID: id})
		if codeOf(err) != code {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestATaskIsFoundByItsIDAlone(t *testing.T) {
	s, _ := serving(t, &Options{TaskAfter: time.Nanosecond})
	c := taking(t, s, "http://"+listen(t, s, &HTTP{})+"/mcp", "", nil)
	id := c.begins("Return(1)")
	run, mac, _ := strings.Cut(id, "-")
	other := "0"
	if mac[:1] == other {
		other = "1"
	}
	for _, wrong := range []string{"", run, run + "-", run + "-" + other + mac[1:], id + "0", strings.ToUpper(id), "x-y",
		strings.Repeat("a", 100_000)} {
		if got, err := c.get(wrong); codeOf(err) != jsonrpc.CodeInvalidParams {
			t.Errorf("%.30q: %+v, %v", wrong, got, err)
		}
	}
	if _, err := mcp.CallCustomMethod[*taskParams, *taskState](t.Context(),
		c.ClientSession, "tasks/get", nil); err == nil {
		t.Error("a request without an ID is answered")
	}
	if _, err := mcp.CallCustomMethod[*taskParams, *taskDone](t.Context(), c.ClientSession, "tasks/update",
		&taskParams{ID: id, Responses: mcp.InputResponseMap{"x": &mcp.ElicitResult{Action: "accept"}}}); err != nil {
		t.Error("an answer to nothing:", err)
	}
	s.tasks.mu.Lock()
	clear(s.tasks.all)
	s.tasks.mu.Unlock()
	if got := answerOf(t, c.becomes(id, taskCompleted)); textOf(got) != "1\n" {
		t.Errorf("from the record: %s", textOf(got))
	}
}

// What has no end in its record is not said to have one.
func TestATaskWhoseProcessDiedHasFailed(t *testing.T) {
	store := folderStore(t, t.TempDir())
	s, _ := serving(t, &Options{Records: store})
	c := taking(t, s, "http://"+listen(t, s, &HTTP{})+"/mcp", "", nil)
	b := &record.Begin{Script: record.String("Return(1)")}
	w, err := store.Begin(b)
	if err != nil {
		t.Fatal(err)
	}
	id, err := (&session{s: s}).taskID(b.ID)
	if err != nil {
		t.Fatal(err)
	}
	c.becomes(id, taskWorking) // of another process, for all that this one knows
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := c.becomes(id, taskFailed); got.Error == nil || got.Error.Code != jsonrpc.CodeInternalError ||
		!strings.Contains(got.StatusMessage, b.ID) {
		t.Errorf("%+v", got)
	}
}

// Until it is a task a run ends with its request.
func TestADroppedRequestEndsWhatIsNoTaskYet(t *testing.T) {
	s, f := serving(t, &Options{TaskAfter: time.Hour})
	c := taking(t, s, "http://"+listen(t, s, &HTTP{})+"/mcp", "", nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.CallTool(ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": waiting}})
	}()
	receive(t, f.blocked)
	cancel()
	receive(t, f.canceled)
	receive(t, done)
}

func TestAnswersOfTasksAreBounded(t *testing.T) {
	ts := &tasks{all: map[string]*task{}}
	for i := range taskAnswers + 10 {
		ts.keep(&task{id: fmt.Sprint(i), over: &taskState{Result: make(json.RawMessage, 1)}})
	}
	if len(ts.all) != taskAnswers || len(ts.ended) != taskAnswers || ts.bytes != taskAnswers || ts.all["9"] != nil {
		t.Errorf("%d answers of %d bytes are kept", len(ts.all), ts.bytes)
	}
	ts.keep(&task{id: "large", over: &taskState{Result: make(json.RawMessage, taskAnswerBytes)}})
	if len(ts.all) != 1 || ts.bytes != taskAnswerBytes {
		t.Errorf("%d answers of %d bytes are kept", len(ts.all), ts.bytes)
	}
}

// Nothing of a run is lost when it becomes a task just as it ends.
func TestATaskMayEndAsItBegins(t *testing.T) {
	s, _ := serving(t, &Options{TaskAfter: time.Nanosecond})
	c := s.newSession("x", operator, Execute, true, nil)
	for i := range 200 {
		res, err := c.runTask(t.Context(), func(ctx context.Context) (mcp.Result, error) {
			taskOf(ctx).line(&record.Begin{Head: record.Head{Time: time.Now()}, ID: fmt.Sprintf("run%d", i)},
				c.notify(ctx, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}))
			return c.answer(&harness.Result{Status: harness.OK, Value: json.RawMessage("7")}), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		switch res := res.(type) {
		case *mcp.CallToolResult:
			if textOf(res) != "7\n" {
				t.Fatal(textOf(res))
			}
		case *taskState:
			until(t, func() bool {
				got, err := c.getTask(t.Context(), &taskParams{ID: res.ID})
				return err == nil && got.Status == taskCompleted && strings.Contains(string(got.Result), `"7\n"`)
			})
		}
	}
}
