package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/redact"
)

const (
	// maxQuestions is how many requests of a server may be unanswered. The SDK accepts any
	// number, with a goroutine each. A server that keeps asking and never reads the answers has
	// to wait.
	maxQuestions = 64
	// askTimeout is how long a person has for a question in the middle of a call.
	askTimeout = 60 * time.Second
)

// questions are the unanswered requests of a server, and the calls that they may come from.
type questions struct {
	relayed bool // to the persons behind the calls
	slots   chan struct{}

	mu    sync.Mutex
	open  map[jsonrpc.ID]*question
	last  int            // number of the last relayed question
	calls map[*call]bool // running calls
}

// question is a request of a server.
type question struct {
	// These fields are only set for relayed questions.
	number int
	params json.RawMessage
	from   *call // nil if unknown
}

// call is a running call.
type call struct {
	ctx   context.Context
	req   *backend.Request
	asked int                      // number of questions
	pages map[string]chan struct{} // by elicitationId: closed when the action at its URL is done
}

// asks reports whether a person behind the call can be asked.
func (c *call) asks() bool { return c.req.Send != nil && c.req.Send.Ask != nil }

func newQuestions(relayed bool) *questions {
	return &questions{relayed: relayed, slots: make(chan struct{}, maxQuestions), open: map[jsonrpc.ID]*question{},
		calls: map[*call]bool{}}
}

// ask registers a request, and waits while there are too many. It returns false if quit ends
// first, or if the ID is already in use, because the two would be indistinguishable.
func (q *questions) ask(id jsonrpc.ID, quit <-chan struct{}) bool {
	q.mu.Lock()
	double := q.open[id] != nil
	if !double {
		q.open[id] = &question{}
	}
	q.mu.Unlock()
	if double {
		return false
	}
	select {
	case q.slots <- struct{}{}:
		return true
	case <-quit:
		q.mu.Lock()
		delete(q.open, id)
		q.mu.Unlock()
		return false
	}
}

// answered records that the answer to a request is being sent.
func (q *questions) answered(id jsonrpc.ID) {
	q.mu.Lock()
	asked := q.open[id] != nil
	delete(q.open, id)
	q.mu.Unlock()
	if asked {
		<-q.slots
	}
}

const methodElicit = "elicitation/create"

// numberKey is the key in _meta of the number of a question. It is needed because the SDK
// (v1.8.0) does not pass the ID of a request to handlers.
const numberKey = "usetools/question"

// mark stores the params of a server's question that is to be relayed, and returns params for the
// SDK that have only its number. from is the call whose stream carried it, or nil if unknown.
func (q *questions) mark(id jsonrpc.ID, method string, params json.RawMessage, from *capture) (json.RawMessage, bool) {
	if method != methodElicit || !q.relayed {
		return nil, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	asked := q.open[id]
	if asked == nil {
		return nil, false
	}
	q.last++
	asked.number = q.last
	if len(params) <= backend.MaxQuestion {
		asked.params = params
	}
	if from != nil {
		asked.from = from.call
	}
	return fmt.Appendf(nil, `{"mode":"form","message":"","_meta":{%q:%d}}`, numberKey, asked.number), true
}

// begin registers a call that questions may come from, until end is called.
func (q *questions) begin(ctx context.Context, req *backend.Request) (c *call, end func()) {
	c = &call{req: req, pages: map[string]chan struct{}{}}
	ctx, cancel := context.WithCancel(ctx)
	c.ctx = ctx
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls[c] = true
	return c, func() {
		cancel()
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.calls, c)
	}
}

// relay returns middleware that asks the people behind calls instead of the SDK.
func (q *questions) relay(hide *redact.Redactor) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != methodElicit {
				return next(ctx, method, req)
			}
			number, _ := req.GetParams().GetMeta()[numberKey].(float64)
			r, err := q.put(ctx, int(number), hide)
			if err != nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
			}
			return &reply{Reply: *r}, nil
		}
	}
}

// reply is a person's answer for sending. The SDK (v1.8.0) does not accept a raw result of a
// handler, so it is wrapped in a type with the SDK's base.
type reply struct {
	mcp.ResultBase
	backend.Reply
}

func (r *reply) MarshalJSON() ([]byte, error) { return json.Marshal(r.Reply) }

// put asks the person behind the call that a question came from. Without an answer, or if the
// person is unknown, it returns Cancel, never Decline.
func (q *questions) put(ctx context.Context, number int, hide *redact.Redactor) (*backend.Reply, error) {
	nobody := &backend.Reply{Action: backend.Cancel}
	asked, from := q.find(number)
	if asked == nil {
		return nobody, nil
	}
	question, err := backend.ParseQuestion(asked.params)
	if err != nil || from == nil {
		return nobody, err
	}
	question.Message, question.URL = hide.Text(question.Message), hide.Text(question.URL)
	question.Schema = hide.JSON(question.Schema)
	question.Done = q.watch(asked.params, from)
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	defer context.AfterFunc(from.ctx, cancel)()
	r, err := from.req.Send.Ask(ctx, question)
	if err != nil || ctx.Err() != nil {
		return nobody, nil
	}
	if _, err := backend.Answers(map[string]*backend.Reply{"": r}); err != nil {
		return nobody, nil
	}
	return r, nil
}

// find returns a question and the call that it came from. from is nil if no person can be asked,
// or was already asked too often.
func (q *questions) find(number int) (asked *question, from *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range q.open {
		if o.number == number && number > 0 {
			asked = o
		}
	}
	if asked == nil {
		return nil, nil
	}
	if from = asked.from; from == nil {
		from = q.only()
	}
	if from == nil || !q.calls[from] || !from.asks() || from.asked >= backend.MaxQuestions {
		return asked, nil
	}
	from.asked++
	return asked, from
}

// only returns the call of a question that may come from any call: the only running one, or, if
// all belong to one tenant, the only one with a person to ask. Otherwise it returns nil. The
// caller holds the lock.
func (q *questions) only() *call {
	tenants, found := map[any]bool{}, []*call{}
	for c := range q.calls {
		tenants[c.req.Tenant] = true
		if c.asks() {
			found = append(found, c)
		}
	}
	if len(tenants) != 1 || len(found) != 1 {
		return nil
	}
	return found[0]
}

// watch returns a channel that is closed when the server reports that the action at a question's
// URL is done. It returns nil if the question has no elicitationId.
func (q *questions) watch(params json.RawMessage, from *call) <-chan struct{} {
	var p struct {
		ID string `json:"elicitationId"`
	}
	if json.Unmarshal(params, &p) != nil || p.ID == "" {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if from.pages[p.ID] == nil {
		from.pages[p.ID] = make(chan struct{})
	}
	return from.pages[p.ID]
}

// maxEarly bounds the pages per call that are known before their question.
const maxEarly = 16

// completed records that the action at a URL is done. Its question may come later, because the
// SDK handles it concurrently.
func (q *questions) completed(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for c := range q.calls {
		done := c.pages[id]
		if done == nil {
			if len(c.pages) >= maxEarly {
				continue
			}
			done = make(chan struct{})
			c.pages[id] = done
		}
		select {
		case <-done:
		default:
			close(done)
		}
	}
}
