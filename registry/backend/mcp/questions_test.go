package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/wiretest"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/config"
)

// askerVariable names the server on stdio that a process is: "sdk" or "raw".
const askerVariable = "USETOOLS_ASKER"

func init() {
	roles = append(roles, func() {
		switch os.Getenv(askerVariable) {
		case "sdk":
			asker().Run(context.Background(), &sdk.StdioTransport{})
			os.Exit(0)
		case "raw":
			rawAsker()
			os.Exit(0)
		}
	})
}

// asker is a server of the SDK that asks in the middle of calls: form and url
// once, many five times. hold ends with a call of release.
func asker() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "asker", Version: "1"}, nil)
	ask := func(name string, times int, p *sdk.ElicitParams) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				var texts []string
				for range times {
					q := *p
					res, err := r.Session.Elicit(ctx, &q)
					if err != nil {
						return nil, err
					}
					texts = append(texts, fmt.Sprint(res.Action, res.Content))
				}
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Join(texts, " ")}}}, nil
			})
	}
	form := &sdk.ElicitParams{Message: "Your name?", RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"name":{"type":"string","default":"nobody"}}}`)}
	ask("form", 1, form)
	ask("many", 5, form)
	ask("url", 1, &sdk.ElicitParams{Message: "Sign in.", URL: "https://x.example/", ElicitationID: "e1"})
	released := make(chan bool)
	for name, then := range map[string]func(ctx context.Context){
		"hold": func(ctx context.Context) {
			select {
			case <-released:
			case <-ctx.Done():
			}
		},
		"release": func(ctx context.Context) {
			select {
			case released <- true:
			case <-ctx.Done():
			}
		},
	} {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				then(ctx)
				return &sdk.CallToolResult{}, nil
			})
	}
	return s
}

// rawAsker is a server on stdio. Its tool "ask" sends the list of params in its
// arguments as questions, and returns the answers.
func rawAsker() {
	var call json.RawMessage
	var left, asked int
	var answers []json.RawMessage
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Arguments struct {
					Ask []json.RawMessage `json:"ask"`
				} `json:"arguments"`
			} `json:"params"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		json.Unmarshal(line, &m)
		switch m.Method {
		case "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},`+
				`"serverInfo":{"name":"x","version":"1"}}}`+"\n", m.ID)
		case "tools/call":
			call, left, answers = m.ID, len(m.Params.Arguments.Ask), nil
			for _, p := range m.Params.Arguments.Ask {
				asked++ // an ID that was used before may still be in use at the client, which then drops the question
				fmt.Printf(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":%s}`+"\n", asked, p)
			}
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}}`)
		case "":
			if left--; m.Error != nil {
				m.Result = m.Error
			}
			if answers = append(answers, m.Result); left == 0 {
				slices.SortFunc(answers, func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
				b, _ := json.Marshal(answers)
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":%s}}`+"\n", call, b)
			}
		}
	}
}

func asking(asks bool) *mcp.Options { return &mcp.Options{Asks: asks} }

func askers(t *testing.T) map[string]config.Server {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := asker()
	stream := web(t, config.HTTP, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	stream.Protocol = "legacy"
	return map[string]config.Server{
		"http": stream,
		"sse":  web(t, config.SSE, sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)),
		"stdio": {Name: "w", Type: config.Stdio, Command: exe, StartTimeout: 20 * time.Second, CallTimeout: time.Minute,
			Env: config.Secrets{askerVariable: "sdk", "GORACE": "atexit_sleep_ms=0"}},
	}
}

// ask makes a call behind which ask is asked; nil: nobody is.
func ask(t *testing.T, ctx context.Context, b backend.Backend, tool string, ask backend.Asker) (string, error) {
	t.Helper()
	send, _ := wiretest.Ask(true, "", func() error { return nil })
	send.Ask = ask
	res, err := b.Call(ctx, &backend.Request{Tool: tool, Send: send})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

func says(action, content string) backend.Asker {
	return func(context.Context, *backend.Question) (*backend.Reply, error) {
		return &backend.Reply{Action: action, Content: json.RawMessage(content)}, nil
	}
}

// A question in the middle of a call reaches the person, and nobody answers in
// its place.
func TestQuestionsInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	for kind, def := range askers(t) {
		b := open(t, def, asking(true))
		for _, tc := range []struct {
			tool string
			ask  backend.Asker
			want string
		}{
			{"form", says("accept", `{"name":"Ada"}`), `acceptmap[name:Ada]`},
			{"form", says("decline", ""), `declinemap[]`},
			{"form", says("cancel", ""), `cancelmap[]`},
			{"form", nil, `cancelmap[]`},
			{"form", says("yes", ""), `cancelmap[]`},
			{"form", says("accept", `[1]`), `cancelmap[]`},
			{"form", says("decline", `{"name":"Ada"}`), `cancelmap[]`},
			{"form", func(context.Context, *backend.Question) (*backend.Reply, error) { return nil, nil }, `cancelmap[]`},
			{"form", func(context.Context, *backend.Question) (*backend.Reply, error) { return nil, errors.New("gone") },
				`cancelmap[]`},
			{"url", says("accept", ""), `acceptmap[]`},
			{"many", says("decline", ""), `declinemap[] declinemap[] declinemap[] cancelmap[] cancelmap[]`},
			{"form", func(ctx context.Context, q *backend.Question) (*backend.Reply, error) {
				until, ok := ctx.Deadline()
				if !ok || time.Until(until) > time.Minute || q.Mode != backend.Form || q.Message != "Your name?" ||
					!strings.Contains(string(q.Schema), `"default":"nobody"`) || q.URL != "" {
					t.Errorf("%s: %+v, until %v", kind, q, until)
				}
				return &backend.Reply{Action: backend.Decline}, nil
			}, "declinemap[]"},
			{"url", func(_ context.Context, q *backend.Question) (*backend.Reply, error) {
				if q.Mode != backend.URL || q.URL != "https://x.example/" || q.Message != "Sign in." || q.Schema != nil ||
					q.Done == nil {
					t.Errorf("%s: %+v", kind, q)
				}
				return &backend.Reply{Action: backend.Decline}, nil
			}, "declinemap[]"},
		} {
			if got, err := ask(t, t.Context(), b, tc.tool, tc.ask); got != tc.want {
				t.Errorf("%s, %s: %q, error %v; want %q", kind, tc.tool, got, err, tc.want)
			}
		}
		if r, err := b.Call(t.Context(), &backend.Request{Tool: "form"}); err != nil || r.Text() != "cancelmap[]" {
			t.Errorf("%s, without a Send: %+v, %v", kind, r, err)
		}

		ctx, cancel := context.WithCancel(t.Context())
		var asked error
		over := make(chan struct{})
		if _, err := ask(t, ctx, b, "form", func(ctx context.Context, _ *backend.Question) (*backend.Reply, error) {
			defer close(over)
			cancel()
			<-ctx.Done()
			asked = ctx.Err()
			return nil, asked
		}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", kind, err)
		}
		if <-over; asked == nil {
			t.Errorf("%s: the question goes on after its call", kind)
		}
	}
}

// With several calls under way, nobody is asked what another's server wants to know.
func TestQuestionsOfSeveralCalls(t *testing.T) {
	t.Parallel()
	for kind, def := range askers(t) {
		stream := kind == "http" // a question comes on the stream of its call
		for _, tc := range []struct {
			name               string
			hold, form         bool // there is somebody to ask
			tenant             any  // of hold
			onStream, anywhere string
		}{
			{"somebody behind the one that asks", false, true, nil, "accept", "accept"},
			{"somebody behind both", true, true, nil, "accept", "cancel"},
			{"somebody behind the other", true, false, nil, "cancel", "decline"},
			{"nobody", false, false, nil, "cancel", "cancel"},
			{"two tenants", false, true, 7, "accept", "cancel"},
		} {
			b := open(t, def, asking(true))
			under, over := make(chan struct{}), make(chan struct{})
			send, _ := wiretest.Ask(true, "", func() error {
				close(under)
				return nil
			})
			if tc.hold {
				send.Ask = says("decline", "")
			}
			go func() {
				defer close(over)
				b.Call(t.Context(), &backend.Request{Tool: "hold", Send: send, Tenant: tc.tenant})
			}()
			<-under
			var who backend.Asker
			if tc.form {
				who = says("accept", `{}`)
			}
			want := tc.anywhere
			if stream {
				want = tc.onStream
			}
			if got, err := ask(t, t.Context(), b, "form", who); !strings.HasPrefix(got, want) {
				t.Errorf("%s, %s: %q, error %v; want %s", kind, tc.name, got, err, want)
			}
			call(t, b, "release", "")
			<-over
			b.Close()
		}
	}
}

func TestQuestionsAreNotDeclaredUnasked(t *testing.T) {
	for kind, def := range askers(t) {
		got, err := ask(t, t.Context(), open(t, def, asking(false)), "form", says("accept", `{}`))
		if !strings.Contains(fmt.Sprint(got, err), "client does not support elicitation") {
			t.Errorf("%s: %q, error %v", kind, got, err)
		}
	}
}

// A server that asks wrongly, or too much, is told so; answers keep their digits.
func TestHostileQuestions(t *testing.T) {
	def := askers(t)["stdio"]
	def.Env[askerVariable] = "raw"
	b := open(t, def, asking(true))
	for _, tc := range []struct{ ask, want string }{
		{`{"message":"a","requestedSchema":{"type":"object","properties":{"z":{},"a":{}}}}`,
			`[{"action":"accept","content":{"n":9007199254740993}}]`},
		{`{"mode":"voice","message":"a"}`,
			`[{"code":-32602,"message":"the server asks for input in the mode \"voice\": want form or url"}]`},
		{`{"mode":"url","message":"a"}`, `[{"code":-32602,"message":"the server asks for input in the mode url with the URL \"\""}]`},
		{`{"message":"a","url":"https://x.example"}`,
			`[{"code":-32602,"message":"the server asks for input in the mode form with the URL \"https://x.example\""}]`},
		{`{"message":5}`, `[{"code":-32602,"message":"the server asks for input, but its question is not valid JSON"}]`},
		{`[1]`, `[{"code":-32602,"message":"the server asks for input, but its question is not valid JSON"}]`},
		{`{"message":"` + strings.Repeat("x", backend.MaxQuestion) + `"}`,
			`[{"code":-32602,"message":"the server asks for input, but its question is not valid JSON"}]`},
		{strings.TrimSuffix(strings.Repeat(`{"message":"a","_meta":{"usetools/question":1}},`, 20), ","),
			`[` + strings.Repeat(`{"action":"accept","content":{"n":9007199254740993}},`, 3) +
				strings.TrimSuffix(strings.Repeat(`{"action":"cancel"},`, 17), ",") + `]`},
	} {
		send, _ := wiretest.Ask(true, "", func() error { return nil })
		send.Ask = says("accept", `{"n":9007199254740993}`)
		res, err := b.Call(t.Context(), &backend.Request{Tool: "ask", Args: registry.ReadArgs([]byte(`{"ask":[` + tc.ask + `]}`)), Send: send})
		if err != nil {
			t.Fatalf("%.100s: %v", tc.ask, err)
		}
		if string(res.Structured) != tc.want {
			t.Errorf("%.100s:\n got %s\nwant %s", tc.ask, res.Structured, tc.want)
		}
	}

	done := make(chan struct{})
	send, _ := wiretest.Ask(true, "", func() error { return nil })
	send.Ask = func(ctx context.Context, q *backend.Question) (*backend.Reply, error) {
		select {
		case <-q.Done:
			close(done)
		case <-ctx.Done():
		}
		return &backend.Reply{Action: backend.Accept}, nil
	}
	question := `{"ask":[{"mode":"url","message":"a","url":"https://x.example","elicitationId":"e1"}]}`
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "ask", Args: registry.ReadArgs([]byte(question)), Send: send}); err != nil {
		t.Error(err)
	}
	select {
	case <-done:
	default:
		t.Error("nobody heard that the page was done")
	}
}
