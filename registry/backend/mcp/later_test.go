package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/wiretest"
	"github.com/usetools/usetools/registry/config"
)

// later is a server that answers calls later: by rounds, and by tasks.
type later struct {
	mu    sync.Mutex
	calls map[string]int // tools/call by tool, the other methods by their name
	polls map[string]int // since the last tasks/update or tasks/cancel, by task
	told  map[string]string
	// called is called with the tool of each tools/call; may be nil.
	called func(tool string)
}

// laterVariable is set in a process that is such a server on stdio.
const laterVariable = "USETOOLS_LATER"

func init() {
	roles = append(roles, func() {
		if os.Getenv(laterVariable) == "" {
			return
		}
		l := newLater()
		for in := bufio.NewReader(os.Stdin); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				os.Exit(0)
			}
			if m := l.reply(line); m != "" {
				io.WriteString(os.Stdout, m+"\n")
			}
		}
	})
}

func newLater() *later {
	return &later{calls: map[string]int{}, polls: map[string]int{}, told: map[string]string{}}
}

// forms are n questions.
func forms(n int) string {
	var b []string
	for i := range n {
		b = append(b, fmt.Sprintf(`"q%d":{"method":"elicitation/create","params":{"message":"Name?","requestedSchema":`+
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}}}`, i))
	}
	return "{" + strings.Join(b, ",") + "}"
}

func textResult(text string) string {
	return fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":%q}]}`, text)
}

func inputRequired(state, requests string) string {
	return fmt.Sprintf(`{"resultType":"input_required","requestState":%q,"inputRequests":%s}`, state, requests)
}

// reply answers one message; "" where nothing is to be answered.
func (l *later) reply(body []byte) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name  string          `json:"name"`
			State string          `json:"requestState"`
			Input json.RawMessage `json:"inputResponses"`
			Task  string          `json:"taskId"`
			Meta  json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &m) != nil || len(m.ID) == 0 {
		return ""
	}
	p, result, refusal := m.Params, "", ""
	switch m.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
	case "server/discover":
		result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
	case "tools/list":
		result = `{"resultType":"complete","tools":[]}`
	case "tools/call":
		l.calls[p.Name]++
		if l.called != nil {
			l.called(p.Name)
		}
		result, refusal = l.call(p.Name, p.State, string(p.Input), string(p.Meta))
	case "tasks/get":
		l.polls[p.Task]++
		result, refusal = l.task(p.Task)
	case "tasks/update", "tasks/cancel":
		l.calls[m.Method]++
		l.polls[p.Task], l.told[p.Task] = 0, m.Method+string(p.Input)
		result = `{"resultType":"complete"}`
	}
	if refusal != "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, refusal)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (l *later) call(tool, state, input, meta string) (result, refusal string) {
	if id, ok := strings.CutPrefix(tool, "task-"); ok {
		switch id {
		case "none":
			id = ""
		case "lines":
			id = "a\nb"
		case "long":
			id = strings.Repeat("x", backend.MaxTaskID+1)
		}
		l.polls[id], l.told[id] = 0, ""
		return fmt.Sprintf(`{"resultType":"task","taskId":%q,"status":"working","ttlMs":null,"pollIntervalMs":0}`, id), ""
	}
	answered := textResult(state + " " + input)
	switch {
	case tool == "count":
		b, _ := json.Marshal(l.calls)
		return textResult(string(b)), ""
	case tool == "meta":
		return textResult(meta), ""
	case tool == "form" && state == "", tool == "thrice" && state == "":
		return inputRequired("s1", forms(2)), ""
	case tool == "thrice" && len(state) < 3:
		return inputRequired(state+"+", forms(1)), ""
	case tool == "form", tool == "thrice":
		return answered, ""
	case tool == "stateless" && input == "":
		return `{"resultType":"input_required","inputRequests":` + forms(1) + `}`, ""
	case tool == "busy" && len(state) < 2:
		return `{"resultType":"input_required","requestState":"` + state + `b"}`, ""
	case tool == "always busy":
		return inputRequired("b", "{}"), ""
	case tool == "sign-in" && input == "":
		return "", `{"code":-32042,"message":"sign in","data":{"elicitations":[{"mode":"url","elicitationId":"e1",` +
			`"url":"https://x.example/","message":"Sign in."}]}}`
	case tool == "roots":
		return inputRequired("s", `{"a":{"method":"roots/list"}}`), ""
	case tool == "sampling":
		return inputRequired("s", `{"a":{"method":"sampling/createMessage","params":{"messages":[]}}}`), ""
	case tool == "hundred":
		return inputRequired("s", forms(100)), ""
	case tool == "large":
		return inputRequired("s", `{"a":{"method":"elicitation/create","params":{"message":"`+
			strings.Repeat("x", backend.MaxQuestion)+`"}}}`), ""
	case tool == "large state":
		return inputRequired(strings.Repeat("x", backend.MaxQuestion+1), forms(1)), ""
	case tool == "list":
		return inputRequired("s", `[1]`), ""
	case tool == "number":
		return `{"resultType":"input_required","requestState":7,"inputRequests":{}}`, ""
	case tool == "mode":
		return inputRequired("s", `{"a":{"method":"elicitation/create","params":{"mode":"voice"}}}`), ""
	}
	return answered, ""
}

func (l *later) task(id string) (result, refusal string) {
	is := func(status, more string) string {
		return fmt.Sprintf(`{"resultType":"complete","taskId":%q,"status":%q%s}`, id, status, more)
	}
	completed := is("completed",
		`,"result":{"content":[{"type":"text","text":"done"}],"structuredContent":{"z":1.50,"a":1}}`)
	cancelled := strings.HasPrefix(l.told[id], "tasks/cancel")
	switch {
	case id == "slow" && l.polls[id] < 3, id == "endless" && !cancelled, id == "stubborn", id == "late" && !cancelled,
		id == "closed":
		return is("working", `,"pollIntervalMs":-1e300`), ""
	case id == "asks" && l.told[id] == "":
		return is("input_required", `,"inputRequests":`+forms(2)), ""
	case id == "asks" && l.polls[id] == 1: // it has not heard of the answers yet
		return is("input_required", `,"inputRequests":`+forms(2)), ""
	case id == "asks" && l.polls[id] == 2:
		return is("input_required", `,"inputRequests":{}`), ""
	case id == "asks":
		return is("completed", `,"result":`+textResult(l.told[id])), ""
	case id == "samples" && !cancelled:
		return is("input_required", `,"inputRequests":{"a":{"method":"sampling/createMessage"}}`), ""
	case id == "gone":
		return "", `{"code":-32602,"message":"Task not found"}`
	case id == "flaky" && l.polls[id] < 3, id == "deaf":
		return "", `{"code":-32603,"message":"database is locked"}`
	case id == "failed":
		return is("failed", `,"error":{"code":-32001,"message":"rate limit"}`), ""
	case id == "cancelled":
		return is("cancelled", `,"statusMessage":"no time"`), ""
	case id == "endless", id == "samples":
		return is("cancelled", `,"statusMessage":5`), ""
	case id == "other":
		return strings.Replace(completed, "other", "slow", 1), ""
	case id == "nested":
		return is("completed", `,"result":{"resultType":"task","taskId":"slow"}`), ""
	case id == "bare":
		return is("completed", ""), ""
	case id == "list":
		return "[1]", ""
	}
	return completed, ""
}

// ServeHTTP is the server over streamable HTTP.
func (l *later) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if task := r.Header.Get("Mcp-Name"); strings.Contains(string(body), `"taskId"`) &&
		!strings.Contains(string(body), fmt.Sprintf(`"taskId":%q`, task)) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if strings.Contains(string(body), "tasks/update") && r.Header.Get("Idempotency-Key") != "k" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	m := l.reply(body)
	if m == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, m)
}

// laters are definitions of the server, over each transport and revision.
func laters(t *testing.T) map[string]config.Server {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	old, modern := web(t, config.HTTP, newLater()), web(t, config.HTTP, newLater())
	old.Protocol, modern.Protocol = "legacy", "modern"
	stdio := config.Server{Name: "w", Type: config.Stdio, Command: exe, StartTimeout: 20 * time.Second,
		CallTimeout: time.Minute, Env: config.Secrets{laterVariable: "1", "GORACE": "atexit_sleep_ms=0"}}
	newStdio := stdio
	newStdio.Protocol = "modern"
	return map[string]config.Server{"http": old, "http, modern": modern, "stdio": stdio, "stdio, modern": newStdio}
}

// counts are the calls that a server has seen.
func counts(t *testing.T, b backend.Backend) (n map[string]int) {
	t.Helper()
	res, err := b.Call(t.Context(), "count", nil)
	if err == nil {
		err = json.Unmarshal([]byte(res.Text()), &n)
	}
	if err != nil {
		t.Error(err)
	}
	return n
}

// goOn makes a call with an effect, and goes on with it while it asks for input.
// It returns how often it was asked whether the call may be sent, what Later was
// told, and the result.
func goOn(t *testing.T, b backend.Backend, tool string) (res *backend.Result, asked int, told []string, err error) {
	t.Helper()
	var next *backend.Continue
	for range 10 {
		send, times := wiretest.Ask(true, "k", func() error { return nil })
		send.Continue = next
		send.Later = func(state, task string) error {
			told = append(told, state+"/"+task)
			return nil
		}
		res, err = b.Call(backend.WithSend(t.Context(), send), tool, nil)
		asked += *times
		var asks *backend.InputRequiredError
		if !errors.As(err, &asks) {
			return res, asked, told, err
		}
		if got := send.Outcome(err); got != backend.Later {
			t.Errorf("outcome %s of %v", got, err)
		}
		questions, qerr := backend.Questions(asks.Requests)
		if qerr != nil {
			t.Error(qerr)
		}
		replies := map[string]*backend.Reply{}
		for _, q := range questions {
			if q.Message == "" || q.Mode == backend.Form && !strings.HasPrefix(string(q.Schema),
				`{"type":"object","properties":{"z"`) {
				t.Errorf("question %+v", q)
			}
			replies[q.Key] = &backend.Reply{Action: backend.Accept, Content: json.RawMessage(`{"n":9007199254740993}`)}
		}
		input, qerr := backend.Answers(replies)
		if qerr != nil {
			t.Error(qerr)
		}
		next = &backend.Continue{State: asks.State, Task: asks.Task, Input: input}
	}
	t.Errorf("%s asks for ever", tool)
	return res, asked, told, err
}

// A call that its server asks about goes on with the answers, is sent once a
// round, and is not sent where nobody answers.
func TestQuestionsByRoundsAreAnswered(t *testing.T) {
	yes := `{"action":"accept","content":{"n":9007199254740993}}`
	for kind, def := range laters(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t, def, nil)
			var all sync.WaitGroup
			var mu sync.Mutex
			calls := map[string]int{}
			for tool, want := range map[string]struct {
				text  string
				sends int
				calls int
				told  []string
			}{
				"form":      {`s1 {"q0":` + yes + `,"q1":` + yes + `}`, 2, 2, []string{"s1/"}},
				"thrice":    {`s1+ {"q0":` + yes + `}`, 3, 3, []string{"s1/", "s1+/"}},
				"stateless": {` {"q0":` + yes + `}`, 2, 2, []string{"/"}},
				"busy":      {`bb `, 1, 3, nil},
				"sign-in":   {` {"1":` + yes + `}`, 2, 2, []string{"/"}},
				"task-slow": {"done", 1, 1, []string{"/slow"}},
				"task-asks": {`tasks/update{"q0":` + yes + `,"q1":` + yes + `}`, 2, 1, []string{"/asks"}},
				"echo":      {" ", 1, 1, nil},
			} {
				all.Go(func() {
					res, sends, told, err := goOn(t, b, tool)
					if err != nil {
						t.Errorf("%s: %v", tool, err)
						return
					}
					if res.Text() != want.text || sends != want.sends || !cmp.Equal(told, want.told) {
						t.Errorf("%s: %q, sent %d times, told %q; want %+v", tool, res.Text(), sends, told, want)
					}
					mu.Lock()
					defer mu.Unlock()
					calls[tool] = want.calls
				})
			}
			all.Wait()
			n := counts(t, b)
			for tool, want := range calls {
				if n[tool] != want {
					t.Errorf("%s: called %d times, want %d", tool, n[tool], want)
				}
			}
			if n := n["tasks/update"]; n != 1 {
				t.Errorf("the task was answered %d times", n)
			}
		})
	}
}

// A server that is busy all the time has not begun with the call.
func TestServersAreBusyUntilTheCallIsOver(t *testing.T) {
	for _, protocol := range []string{"legacy", "modern"} {
		l := newLater()
		ctx, cancel := context.WithCancel(t.Context())
		l.called = func(tool string) {
			if l.calls[tool] == 2 {
				cancel()
			}
		}
		def := web(t, config.HTTP, l)
		def.Protocol = protocol
		b := open(t, def, nil)
		send, times := wiretest.Ask(true, "k", func() error { return nil })
		_, err := b.Call(backend.WithSend(ctx, send), "always busy", nil)
		// The answer may come after the cancellation: then nobody knows.
		if got := send.Outcome(err); got != backend.Answered && got != backend.Unknown || !errors.Is(err, context.Canceled) ||
			*times != 1 {
			t.Errorf("%s: outcome %s, error %v, asked %d times", protocol, got, err, *times)
		}
	}
}

// What a server wants to know that nobody tells it, or what it says of a task
// that cannot be, ends the call.
func TestHostileRoundsAndTasks(t *testing.T) {
	for kind, def := range laters(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t, def, nil)
			var all sync.WaitGroup
			for tool, want := range map[string]struct {
				outcome backend.Outcome
				text    string
			}{
				"roots":          {backend.Answered, `by "roots/list", which is not offered`},
				"sampling":       {backend.Answered, `by "sampling/createMessage", which is not offered`},
				"hundred":        {backend.Answered, "with 100 questions at once; at most 3"},
				"large":          {backend.Answered, "bytes; at most 65536 are passed on"},
				"large state":    {backend.Answered, "with a state of 65537 bytes; at most 65536 are kept"},
				"list":           {backend.Answered, "no JSON object of requests"},
				"number":         {backend.Answered, "its requestState is no string"},
				"mode":           {backend.Answered, `in the mode "voice"`},
				"task-none":      {backend.Unknown, "no ID of 1 to 1024 printable characters"},
				"task-lines":     {backend.Unknown, "no ID of 1 to 1024 printable characters"},
				"task-long":      {backend.Unknown, "no ID of 1 to 1024 printable characters"},
				"task-gone":      {backend.Unknown, "asking for its task: it answered: Task not found (code -32602)"},
				"task-deaf":      {backend.Unknown, "asking for its task: it answered: database is locked"},
				"task-other":     {backend.Unknown, `its answer is the task "slow", and "other" was asked for`},
				"task-list":      {backend.Unknown, "its answer is no task"},
				"task-nested":    {backend.Unread, `the result of its task is "task"`},
				"task-bare":      {backend.Unread, "no JSON object"},
				"task-failed":    {backend.Answered, `refused "task-failed": rate limit (code -32001)`},
				"task-cancelled": {backend.Answered, "its task is cancelled: no time"},
				"task-samples":   {backend.Answered, `by "sampling/createMessage", which is not offered`},
				"task-flaky":     {backend.Answered, ""},
			} {
				all.Go(func() {
					_, sends, _, err := goOn(t, b, tool)
					if got := backend.OutcomeOf(err, true); got != want.outcome || sends != 1 ||
						want.text != "" && !strings.Contains(fmt.Sprint(err), want.text) {
						t.Errorf("%s: outcome %s, sent %d times, error %v; want %+v", tool, got, sends, err, want)
					}
				})
			}
			all.Wait()
			if n := counts(t, b)["tasks/cancel"]; n != 1 {
				t.Errorf("%d tasks were cancelled, want that which samples", n)
			}
		})
	}
}

// A task whose call is given up is cancelled; what the server says of it then
// counts.
func TestTasksAreCancelledWithTheirCall(t *testing.T) {
	var all sync.WaitGroup
	for kind, def := range laters(t) {
		b := open(t, def, nil)
		for tool, want := range map[string]struct {
			outcome backend.Outcome
			text    string
		}{
			"task-endless":  {backend.Answered, "its task is cancelled"},
			"task-stubborn": {backend.Unknown, "context canceled"},
			"task-late":     {backend.Answered, "done"},
		} {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				send, _ := wiretest.Ask(true, "k", func() error { return nil })
				send.Later = func(string, string) error {
					cancel()
					return nil
				}
				res, err := b.Call(backend.WithSend(ctx, send), tool, nil)
				text := fmt.Sprint(err)
				if err == nil {
					text = res.Text()
				}
				if got := backend.OutcomeOf(err, true); got != want.outcome || !strings.Contains(text, want.text) {
					t.Errorf("%s, %s: outcome %s, %q; want %+v", kind, tool, got, text, want)
				}
			})
		}
		defer func() {
			if n := counts(t, b)["tasks/cancel"]; n != 3 {
				t.Errorf("%s: %d tasks were cancelled", kind, n)
			}
		}()
	}
	all.Wait()
}

// A process that comes later goes on with a task that another has begun.
func TestTasksOutliveTheirConnection(t *testing.T) {
	l := newLater()
	def := web(t, config.HTTP, l)
	def.Protocol = "modern"
	first := open(t, def, nil)
	noted := make(chan string, 1)
	send, _ := wiretest.Ask(true, "k", func() error { return nil })
	send.Later = func(_, task string) error {
		noted <- task
		return errors.New("disk full") // costs the note, not the call
	}
	failed := make(chan error, 1)
	go func() {
		_, err := first.Call(backend.WithSend(t.Context(), send), "task-closed", nil)
		failed <- err
	}()
	task := <-noted
	first.Close()
	if err := <-failed; !errors.Is(err, backend.ErrClosed) || send.Outcome(err) != backend.Unknown {
		t.Errorf("error %v", err)
	}
	l.mu.Lock()
	if l.calls["tasks/cancel"] != 0 {
		t.Error("the task was cancelled")
	}
	l.mu.Unlock()

	second := open(t, def, nil)
	for _, tc := range []struct {
		task    string
		outcome backend.Outcome
	}{{"slow", backend.Answered}, {"gone", backend.Unknown}, {"\n", backend.NotSent}} {
		send, times := wiretest.Ask(true, "k", func() error { return nil })
		send.Continue = &backend.Continue{Task: tc.task}
		_, err := second.Call(backend.WithSend(t.Context(), send), "task-closed", nil)
		if send.Outcome(err) != tc.outcome || *times != 0 {
			t.Errorf("%q: outcome %s, error %v, asked %d times", tc.task, send.Outcome(err), err, *times)
		}
	}
	if n := counts(t, second)["task-closed"]; n != 1 || task != "closed" {
		t.Errorf("called %d times, task %q", n, task)
	}
}

func TestAnswersThatCannotBeAreNotSent(t *testing.T) {
	for kind, def := range laters(t) {
		b := open(t, def, nil)
		for _, next := range []*backend.Continue{
			{State: "s", Input: json.RawMessage(`[1]`)}, {Task: "asks", Input: json.RawMessage(`"x"`)},
			{State: "s", Input: json.RawMessage(`{"a":"` + strings.Repeat("x", backend.MaxQuestion) + `"}`)},
		} {
			send, times := wiretest.Ask(true, "k", func() error { return nil })
			send.Continue = next
			_, err := b.Call(backend.WithSend(t.Context(), send), "form", nil)
			if send.Outcome(err) != backend.NotSent || *times != 0 {
				t.Errorf("%s: outcome %s, error %v, asked %d times", kind, send.Outcome(err), err, *times)
			}
		}
		no := errors.New("disk full")
		for _, next := range []*backend.Continue{
			{State: "s1", Input: json.RawMessage(`{}`)}, {Task: "asks", Input: json.RawMessage(`{}`)},
		} {
			send, times := wiretest.Ask(true, "k", func() error { return no })
			send.Continue = next
			_, err := b.Call(backend.WithSend(t.Context(), send), "form", nil)
			if !errors.Is(err, no) || send.Outcome(err) != backend.NotSent || *times != 1 {
				t.Errorf("%s: outcome %s, error %v, asked %d times", kind, send.Outcome(err), err, *times)
			}
		}
		if n := counts(t, b); n["form"] != 0 || n["tasks/update"] != 0 {
			t.Errorf("%s: sent: %v", kind, n)
		}
	}
}

// Servers of the newer revision are told that tasks are understood, and that
// people can be asked where they can.
func TestWhatIsDeclaredOfLaterAnswers(t *testing.T) {
	for kind, def := range laters(t) {
		if !strings.Contains(kind, "modern") {
			continue
		}
		for _, asks := range []bool{false, true} {
			meta := call(t, open(t, def, asking(asks)), "meta", "").Text()
			if !strings.Contains(meta, `"extensions":{"io.modelcontextprotocol/tasks":{}}`) ||
				strings.Contains(meta, `"elicitation":{"form":{},"url":{}}`) != asks {
				t.Errorf("%s, asks %v: %s", kind, asks, meta)
			}
		}
	}
}
