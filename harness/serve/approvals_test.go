package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// approving serves ann, and bob who may approve.
func approving(t *testing.T, opts *serve.Options) (url string, f *fake, s *serve.Server) {
	f = newFake()
	cat := &catalog.Catalog{Registry: testRegistry(), Calls: f,
		Rights: map[string][]catalog.Right{"bob": {catalog.Approve}}}
	opts.Catalog = func(context.Context) (*catalog.Catalog, error) { return cat, nil }
	opts.Policy = asksForWrites
	s, _ = serving(t, opts)
	url = "http://" + listen(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: twoTokens}}) + "/mcp"
	receive(t, s.Told())
	return url, f, s
}

func (c *client) approvals(action string, ids ...string) string {
	return textOf(c.call(serve.ApprovalsName, map[string]any{"action": action, "ids": ids, "word": "not on a Friday"}))
}

// A token with the right approves the calls of another token's script, which then resumes.
func TestATokenWithTheRightApproves(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, console := range []serve.Approvals{serve.ApprovalsAny, serve.ApprovalsConsole} {
			t.Run(fmt.Sprint(version, " ", console), func(t *testing.T) {
				url, f, s := approving(t, &serve.Options{Approvals: console})
				ann := dialHTTP(t, url, version, twoTokens["ann"], nil)
				bob := dialHTTP(t, url, version, twoTokens["bob"], nil)
				if list := names(t, ann); strings.Contains(list, serve.ApprovalsName) {
					t.Errorf("ann has %s", list)
				}
				if list := names(t, bob); !strings.Contains(list, serve.ApprovalsName) {
					t.Errorf("bob has %s", list)
				}
				if got := bob.approvals("list"); got != "no call needs approval" {
					t.Error(got)
				}
				_, a := ann.run(deletesThree)
				id := a.Waiting[0].ID
				if got := bob.approvals("list"); !strings.Contains(got, id) || !strings.Contains(got, "files.delete_file") ||
					!strings.Contains(got, "token ann") {
					t.Error(got)
				}
				if got := bob.approvals("show", id); !strings.Contains(got, `| {"path":"file0"}`) ||
					!strings.Contains(got, "   2| \t_, err := files.DeleteFile") {
					t.Error(got)
				}
				next := func() string {
					var id string
					until(t, func() bool {
						ids := strings.Fields(bob.approvals("list"))
						id = ids[0]
						return strings.HasPrefix(id, a.Run)
					})
					return id
				}
				if got := bob.approvals("yes", id); got != id+": yes\n" {
					t.Error(got)
				}
				until(t, func() bool { id2 := strings.Fields(bob.approvals("list"))[0]; return id2 != id && id2 != "no" })
				if got := bob.approvals("no", next()); !strings.HasSuffix(got, ": no\n") {
					t.Error(got)
				}
				until(t, func() bool { return strings.HasPrefix(bob.approvals("list"), a.Run+".3 ") })
				bob.approvals("yes", a.Run+".3")
				until(t, func() bool {
					run, err := s.Records().Load(a.Run)
					return err == nil && run.End != nil && run.End.Status == "ok"
				})
				got, again := ann.run(deletesThree)
				want := "0 <nil>\n1 files.delete_file: not sent: bob rejected it: not on a Friday\n2 <nil>\n"
				if again.Run != a.Run || !strings.HasPrefix(got, want) || f.calls.Load() != 2 {
					t.Errorf("%d calls: %s", f.calls.Load(), got)
				}
			})
		}
	}
}

// No token approves the calls of its own scripts, or without the right.
func TestNobodyApprovesOfTheirOwn(t *testing.T) {
	t.Parallel()
	url, f, _ := approving(t, &serve.Options{Approvals: serve.ApprovalsConsole})
	ann, bob := dialHTTP(t, url, "", twoTokens["ann"], nil), dialHTTP(t, url, "", twoTokens["bob"], nil)
	names(t, bob)
	_, a := bob.run(deleting)
	if got := bob.approvals("list"); got != "no call needs approval" {
		t.Error(got)
	}
	for _, action := range []string{"show", "yes", "no"} {
		if got := bob.approvals(action, a.Waiting[0].ID); !strings.Contains(got, "this token sent the script") {
			t.Errorf("%s: %s", action, got)
		}
	}
	if res, err := ann.CallTool(t.Context(), &mcp.CallToolParams{Name: serve.ApprovalsName,
		Arguments: map[string]any{"action": "yes", "ids": []string{a.Waiting[0].ID}}}); err == nil {
		t.Errorf("ann is answered: %s", textOf(res))
	}
	if n := f.calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
	for _, args := range []map[string]any{{}, {"action": "maybe",
		"ids": []string{"x"}}, {"action": "yes"}, {"action": "show",
		"ids": []string{"nothing"}}} {
		if res := bob.call(serve.ApprovalsName, args); !res.IsError {
			t.Errorf("%v: %s", args, textOf(res))
		}
	}
}

// inquiring is a backend whose server asks a person in the middle of a call: by
// rounds, or while the call is under way.
type inquiring struct {
	rounds bool
	calls  atomic.Int64 // that were begun, not gone on with
}

func (q *inquiring) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	how := req.Send
	if err := how.Begin(ctx); err != nil {
		return nil, err
	}
	const asks = `{"name":{"method":"elicitation/create","params":{"message":"Which\nbranch?","requestedSchema":` +
		`{"type":"object","properties":{"branch":{"type":"string"}}}}}}`
	switch {
	case q.rounds && how.Continue == nil:
		q.calls.Add(1)
		if err := how.Later("state-1"); err != nil {
			return nil, err
		}
		return nil, &backend.InputRequiredError{State: "state-1", Requests: json.RawMessage(asks)}
	case q.rounds:
		return raw(`{"content":[{"type":"text","text":%q}]}`, how.Continue.State+" "+string(how.Continue.Input))
	}
	q.calls.Add(1)
	if how.Ask == nil {
		return raw(`{"content":[{"type":"text","text":"nobody can be asked"}]}`)
	}
	asked, err := backend.Questions(json.RawMessage(asks))
	if err != nil {
		return nil, err
	}
	said := ""
	for range 4 {
		r, err := how.Ask(ctx, asked[0])
		if err != nil {
			said += " " + err.Error()
			break
		}
		said += fmt.Sprint(" ", r.Action, " ", string(r.Content))
	}
	return raw(`{"content":[{"type":"text","text":%q}]}`, said)
}

// What a server asks in the middle of a call reaches the client's user, as the
// server's words, and what that one says reaches the server.
func TestAServersQuestionReachesTheUser(t *testing.T) {
	t.Parallel()
	for name, dial := range transports {
		for _, rounds := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " rounds ", rounds), func(t *testing.T) {
				asksSessions(t, name)
				q := &inquiring{rounds: rounds}
				s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
					return &catalog.Catalog{Registry: testRegistry(), Calls: q}, nil
				}})
				p := always(&mcp.ElicitResult{Action: "accept", Content: map[string]any{"branch": "main"}})
				got, a := dial(t, s, p.options()).run(`r, err := issues.Comment(issues.CommentParams{Number: 1, Body: "b"})
if err != nil { panic(err) }
Return(r.Text())`)
				asked := p.questions()
				newest := name != "2025-11-25" // which is not asked in the middle of a request
				want, questions := `state-1 {"name":{"action":"accept","content":{"branch":"main"}}}`, 1
				switch {
				case !rounds && newest:
					want, questions = "nobody can be asked", 0
				case !rounds:
					want, questions = ` accept {"branch":"main"} accept {"branch":"main"} accept {"branch":"main"} servers have asked`, 3
				}
				if !strings.Contains(got, strings.TrimSpace(want)) || len(asked) != questions || q.calls.Load() != 1 ||
					a.Status != outcome.OK {
					t.Errorf("%d calls, asked %q: %s", q.calls.Load(), asked, got)
				}
				for _, m := range asked {
					if !strings.HasPrefix(m, "The server issues asks this") ||
						!strings.Contains(m, registry.Quoted("Which\nbranch?")) {
						t.Errorf("asked %q", m)
					}
				}
			})
		}
	}
}

// A question that nobody answers leaves the run where it is.
func TestAServersQuestionMayWait(t *testing.T) {
	q := &inquiring{rounds: true}
	s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: testRegistry(), Calls: q}, nil
	}})
	const script = `r, err := issues.Comment(issues.CommentParams{Number: 1, Body: "b"})
if err != nil { panic(err) }
Return(r.Text())`
	_, a := connect(t, s, nil).run(script)
	if a.Status != outcome.Waiting || len(a.Waiting) != 1 || a.Waiting[0].Question == nil {
		t.Fatalf("%+v", a.Result)
	}
	p := always(decline)
	got, again := connect(t, s, p.options()).run(script)
	if again.Run != a.Run || !strings.Contains(got, `"action":"decline"`) || q.calls.Load() != 1 {
		t.Errorf("%d calls: %s", q.calls.Load(), got)
	}
}
