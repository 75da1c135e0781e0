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

// later is a server that asks for input before it answers calls.
type later struct {
	mu    sync.Mutex
	calls map[string]int // by tool
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
	return &later{calls: map[string]int{}}
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
	}
	if refusal != "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, refusal)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (l *later) call(tool, state, input, meta string) (result, refusal string) {
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
	res, err := b.Call(t.Context(), &backend.Request{Tool: "count"})
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
		send.Later = func(state string) error {
			told = append(told, state)
			return nil
		}
		res, err = b.Call(t.Context(), &backend.Request{Tool: tool, Send: send})
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
		next = &backend.Continue{State: asks.State, Input: input}
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
				"form":      {`s1 {"q0":` + yes + `,"q1":` + yes + `}`, 2, 2, []string{"s1"}},
				"thrice":    {`s1+ {"q0":` + yes + `}`, 3, 3, []string{"s1", "s1+"}},
				"stateless": {` {"q0":` + yes + `}`, 2, 2, []string{""}},
				"busy":      {`bb `, 1, 3, nil},
				"sign-in":   {` {"1":` + yes + `}`, 2, 2, []string{""}},
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
		})
	}
}

// A server that is busy all the time has not begun with the call.
func TestServersAreBusyUntilTheCallIsOver(t *testing.T) {
	t.Parallel()
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
		_, err := b.Call(ctx, &backend.Request{Tool: "always busy", Send: send})
		// The answer may come after the cancellation: then nobody knows.
		if got := send.Outcome(err); got != backend.Answered && got != backend.Unknown || !errors.Is(err, context.Canceled) ||
			*times != 1 {
			t.Errorf("%s: outcome %s, error %v, asked %d times", protocol, got, err, *times)
		}
	}
}

// A question that no person can be asked ends the call.
func TestHostileRounds(t *testing.T) {
	for kind, def := range laters(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t, def, nil)
			var all sync.WaitGroup
			for tool, want := range map[string]struct {
				outcome backend.Outcome
				text    string
			}{
				"roots":       {backend.Answered, `by "roots/list", which is not supported`},
				"sampling":    {backend.Answered, `by "sampling/createMessage", which is not supported`},
				"hundred":     {backend.Answered, "with 100 questions at once; the limit is 3"},
				"large":       {backend.Answered, "bytes; the limit is 65536"},
				"large state": {backend.Answered, "with a state of 65537 bytes; the limit is 65536"},
				"list":        {backend.Answered, "not a JSON object of requests"},
				"number":      {backend.Answered, "its requestState is not a string"},
				"mode":        {backend.Answered, `in the mode "voice"`},
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
		})
	}
}

func TestAnswersThatCannotBeAreNotSent(t *testing.T) {
	for kind, def := range laters(t) {
		b := open(t, def, nil)
		for _, next := range []*backend.Continue{
			{State: "s", Input: json.RawMessage(`[1]`)}, {State: "s", Input: json.RawMessage(`"x"`)},
			{State: "s", Input: json.RawMessage(`{"a":"` + strings.Repeat("x", backend.MaxQuestion) + `"}`)},
		} {
			send, times := wiretest.Ask(true, "k", func() error { return nil })
			send.Continue = next
			_, err := b.Call(t.Context(), &backend.Request{Tool: "form", Send: send})
			if send.Outcome(err) != backend.NotSent || *times != 0 {
				t.Errorf("%s: outcome %s, error %v, asked %d times", kind, send.Outcome(err), err, *times)
			}
		}
		no := errors.New("disk full")
		send, times := wiretest.Ask(true, "k", func() error { return no })
		send.Continue = &backend.Continue{State: "s1", Input: json.RawMessage(`{}`)}
		_, err := b.Call(t.Context(), &backend.Request{Tool: "form", Send: send})
		if !errors.Is(err, no) || send.Outcome(err) != backend.NotSent || *times != 1 {
			t.Errorf("%s: outcome %s, error %v, asked %d times", kind, send.Outcome(err), err, *times)
		}
		if n := counts(t, b); n["form"] != 0 {
			t.Errorf("%s: sent: %v", kind, n)
		}
	}
}

// Servers of the newer revision are told whether people can be asked.
func TestWhatIsDeclaredOfLaterAnswers(t *testing.T) {
	for kind, def := range laters(t) {
		if !strings.Contains(kind, "modern") {
			continue
		}
		for _, asks := range []bool{false, true} {
			meta := call(t, open(t, def, asking(asks)), "meta", "").Text()
			if strings.Contains(meta, `"elicitation":{"form":{},"url":{}}`) != asks {
				t.Errorf("%s, asks %v: %s", kind, asks, meta)
			}
		}
	}
}
