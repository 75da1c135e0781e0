package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// Bounds of the questions to a client's user.
const (
	maxAsked  = 20_000           // characters of a question; harness approvals show has longer ones
	maxAsks   = 20               // questions at a time
	maxRounds = 20               // of questions in one request
	askWait   = 60 * time.Second // for an answer during a request
	answerFor = 24 * time.Hour   // between requests
)

// asksUser reports whether the client's user may approve the calls of its own scripts.
func (c *session) asksUser() bool { return c.s.opts.Approvals != ApprovalsConsole }

// elicitModes says which kinds of elicitation a request's client supports.
type elicitModes struct{ form, url bool }

func elicits(req *mcp.CallToolRequest) elicitModes {
	caps := req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil {
		return elicitModes{}
	}
	e := caps.Elicitation
	return elicitModes{form: e.Form != nil || e.URL == nil, url: e.URL != nil} // neither: an older client, which has forms
}

// askOf returns the number of an approval's ask in its run.
func askOf(id string) string {
	_, ask, _ := strings.Cut(id, ".")
	return ask
}

// questions returns the questions for the client's user, by keys that are unique in the run. It
// omits questions that others must answer, that the client does not support, or that were asked
// before in this exchange.
func (c *session) questions(res *outcome.Result, has elicitModes, was []string) mcp.InputRequestMap {
	out := mcp.InputRequestMap{}
	for i := range res.Waiting {
		w := &res.Waiting[i]
		asked, err := c.ask(res.Run, w)
		if err != nil {
			c.s.log.Warn("a server's question cannot be asked", "approval", w.ID, "error", err)
			continue
		}
		fits := len(asked) > 0 && len(out)+len(asked) <= maxAsks
		for key, r := range asked {
			p := r.(*mcp.ElicitParams)
			fits = fits && !slices.Contains(was, key) && utf8.RuneCountInString(p.Message) <= maxAsked &&
				(p.Mode == backend.URL && has.url || p.Mode == backend.Form && has.form)
		}
		if fits {
			maps.Copy(out, asked)
		}
	}
	return out
}

// ask returns the questions about a pending call. It returns nil if only others may answer.
func (c *session) ask(run string, w *outcome.Pending) (mcp.InputRequestMap, error) {
	if w.Question == nil {
		if !c.asksUser() {
			return nil, nil
		}
		return mcp.InputRequestMap{askOf(w.ID): approvalForm(run, w)}, nil
	}
	asked, err := backend.Questions(w.Question)
	if err != nil {
		return nil, err
	}
	server, _, _ := strings.Cut(w.Tool, ".")
	out := mcp.InputRequestMap{}
	for _, q := range asked {
		out[askOf(w.ID)+"."+q.Key] = relayed(server, w.Tool, q)
	}
	return out, nil
}

// wholeField is the field of an approval that extends it to all calls of the tool.
const wholeField = "all_calls"

// approvalForm asks a person to approve a call.
func approvalForm(run string, w *outcome.Pending) *mcp.ElicitParams {
	doc := append(present.Document{&present.Paragraph{Text: present.Words(present.Plain,
		"A call of run "+run+" needs approval; it has not been sent.")}}, w.Document()...)
	fields := map[string]any{}
	if w.AllCalls {
		fields[wholeField] = map[string]any{"type": "boolean", "title": "all calls of " + w.Tool + " in this run",
			"default": false}
	}
	return &mcp.ElicitParams{Mode: backend.Form, Message: doc.Model(0),
		RequestedSchema: map[string]any{"type": "object", "properties": fields}}
}

// relayed returns a server's question during a call, marked as its words.
func relayed(server, tool string, q *backend.Question) *mcp.ElicitParams {
	in := ""
	if tool != "" {
		in = " during the call " + tool
	}
	p := &mcp.ElicitParams{Mode: q.Mode, Message: fmt.Sprintf("The server %s asks this%s, in its own words:\n%s",
		server, in,
		registry.Quoted(visible([]byte(q.Message))))}
	if q.Mode == backend.URL {
		p.URL, p.ElicitationID = q.URL, rand.Text()
		p.Message += fmt.Sprintf("\nIt asks you to open this page: %s", visible([]byte(q.URL)))
		return p
	}
	p.RequestedSchema = schema(`{"type":"object","properties":{}}`)
	if q.Schema != nil {
		p.RequestedSchema = q.Schema
	}
	return p
}

// replyOf returns a client's answer to a server's question, or nil.
func replyOf(from mcp.InputResponse) *backend.Reply {
	res, _ := from.(*mcp.ElicitResult)
	if res == nil || res.Action != backend.Accept && res.Action != backend.Decline {
		return nil
	}
	r := &backend.Reply{Action: res.Action}
	if res.Action == backend.Accept && res.Content != nil {
		var err error
		if r.Content, err = json.Marshal(res.Content); err != nil {
			return nil
		}
	}
	return r
}

// answerFrom returns the answer of the client's user to a pending call, or nil.
func (c *session) answerFrom(w *outcome.Pending, got mcp.InputResponseMap) (*record.Answer, error) {
	a := &record.Answer{Who: c.answerer(), How: "elicitation"}
	if w.Question == nil {
		res, _ := got[askOf(w.ID)].(*mcp.ElicitResult)
		if res == nil || !c.asksUser() || res.Action != backend.Accept && res.Action != backend.Decline {
			return nil, nil
		}
		a.Yes = res.Action == backend.Accept
		allCalls, _ := res.Content[wholeField].(bool)
		a.AllCalls = a.Yes && w.AllCalls && allCalls
		return a, nil
	}
	asked, err := backend.Questions(w.Question)
	if err != nil {
		return nil, err
	}
	replies := map[string]*backend.Reply{}
	for _, q := range asked {
		if replies[q.Key] = replyOf(got[askOf(w.ID)+"."+q.Key]); replies[q.Key] == nil {
			return nil, nil
		}
	}
	a.Yes = true
	a.Input, err = backend.Answers(replies)
	return a, err
}

// answerer returns the name of the person that answers at the session's client.
func (c *session) answerer() string { return cmp.Or(c.owner.Token(), "the user at "+c.id) }

// saveAnswers records the answers of the client's user to the pending calls that were shown. An
// earlier answer takes precedence.
func (c *session) saveAnswers(res *outcome.Result, shown func(key string) bool, got mcp.InputResponseMap) error {
	for i := range res.Waiting {
		w := &res.Waiting[i]
		if w.Question == nil && !shown(askOf(w.ID)) {
			continue
		}
		a, err := c.answerFrom(w, got)
		if err == nil && a != nil {
			err = c.s.records.Answer(w.ID, a)
		}
		if err != nil && !errors.Is(err, store.ErrAnswered) {
			return err
		}
	}
	return nil
}

// elicit asks the client's user in the middle of a request, all questions at once and within
// askWait, and returns the answers.
func elicit(ctx context.Context, req *mcp.CallToolRequest, asked mcp.InputRequestMap) mcp.InputResponseMap {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	var mu sync.Mutex
	var all sync.WaitGroup
	got := mcp.InputResponseMap{}
	for key, p := range asked {
		all.Go(func() {
			res, err := elicitOne(ctx, req, p.(*mcp.ElicitParams))
			if err != nil { // not answered
				return
			}
			mu.Lock()
			defer mu.Unlock()
			got[key] = res
		})
	}
	all.Wait()
	return got
}

func elicitOne(ctx context.Context, req *mcp.CallToolRequest, p *mcp.ElicitParams) (res *mcp.ElicitResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("asking failed: %.200v", p)
		}
	}()
	return req.Session.Elicit(ctx, p)
}

// relays returns the function that asks the client's user a server's question during a call, or nil
// if the client does not support that.
func (c *session) relays(req *mcp.CallToolRequest) func(context.Context, string, *backend.Question) (*backend.Reply, error) {
	if req == nil || req.ProtocolVersion() > transport.LastStateful || elicits(req) == (elicitModes{}) {
		return nil
	}
	return func(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error) {
		ctx, cancel := context.WithTimeout(ctx, askWait)
		defer cancel()
		p := relayed(server, "", q)
		if utf8.RuneCountInString(p.Message) > maxAsked {
			return nil, fmt.Errorf("its question has more than %d characters", maxAsked)
		}
		res, err := elicitOne(ctx, req, p)
		if err != nil {
			return nil, err
		}
		if r := replyOf(res); r != nil {
			return r, nil
		}
		return &backend.Reply{Action: backend.Cancel}, nil
	}
}

// waitState is the signed state that a client carries from the question to the answer.
type waitState struct {
	Run     string   `json:"r"`
	Asks    []string `json:"a"` // keys of all questions
	Round   int      `json:"n"`
	Session string   `json:"s"`
	Request string   `json:"h"` // hash of the script and its inputs
	Until   int64    `json:"u"` // Unix seconds
}

// asksClient answers a request with questions, which the client asks its user and sends back with
// the request. before is the state of the request. It returns nil without questions.
func (c *session) asksClient(req *mcp.CallToolRequest, args *executeArgs, res *outcome.Result,
	before *waitState) *mcp.CallToolResult {
	asked := c.questions(res, elicits(req), before.Asks)
	if len(asked) == 0 || before.Round >= maxRounds {
		return nil
	}
	s := waitState{Run: res.Run, Session: c.id, Request: args.hash(), Round: before.Round + 1,
		Asks:  append(slices.Clip(before.Asks), slices.Collect(maps.Keys(asked))...),
		Until: time.Now().Add(answerFor).Unix()}
	return &mcp.CallToolResult{InputRequests: asked, RequestState: c.sign(s)}
}

// answers returns the state with the answers of a client's user to questions of asksClient.
func (c *session) answers(req *mcp.CallToolRequest, args *executeArgs) (*waitState, error) {
	s := &waitState{}
	if !c.verify(req.Params.RequestState, s) || s.Session != c.id || s.Request != args.hash() || s.Run == "" ||
		time.Now().Unix() > s.Until {
		return nil, &refusal{why: "the answers are for another script, or expired; send the script again " +
			"without them to resume it"}
	}
	return s, nil
}

// recordAnswers records the answers of a request. A run that was resumed meanwhile does not need
// them; if it is running, it may ask the same question again.
func (c *session) recordAnswers(ctx context.Context, s *waitState, got mcp.InputResponseMap) error {
	res, err := c.waitResult(ctx, s.Run)
	if errors.Is(err, outcome.ErrNotEnded) { // its process died
		return nil
	}
	if err != nil {
		return err
	}
	return c.saveAnswers(res, func(key string) bool { return slices.Contains(s.Asks, key) }, got)
}
