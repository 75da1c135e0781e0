package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
)

// tasksExtension is the extension that lets a server answer a call with a task:
// https://github.com/modelcontextprotocol/ext-tasks, revision 2026-07-28.
const tasksExtension = "io.modelcontextprotocol/tasks"

// Methods of tasks.
const (
	getTask    = "tasks/get"
	updateTask = "tasks/update"
	cancelTask = "tasks/cancel"
)

const (
	// minPoll and maxPoll bound the pause between two questions for a task.
	minPoll = 100 * time.Millisecond
	maxPoll = 10 * time.Second
	// maxPollFailures is how many questions for a task in a row may get no answer.
	maxPollFailures = 3
	// cancelTimeout bounds the cancelling of a task, and the look at what came of it.
	cancelTimeout = 3 * time.Second
)

// taskParams are the params of a method of tasks.
type taskParams struct {
	mcp.ParamsBase
	ID    string               `json:"taskId"`
	Input mcp.InputResponseMap `json:"inputResponses,omitempty"`
}

// taskResult is what the SDK gets to see of a result; see captures.
type taskResult struct{ mcp.ResultBase }

// addTasks lets a client send the methods of tasks.
func addTasks(c *mcp.Client) error {
	for _, method := range []string{getTask, updateTask, cancelTask} {
		if err := mcp.AddSendingCustomMethod[*taskParams, *taskResult](c, method); err != nil {
			return err
		}
	}
	return nil
}

// task is what a server says of a task.
type task struct {
	ID       string          `json:"taskId"`
	Status   string          `json:"status"`
	Message  json.RawMessage `json:"statusMessage"`
	Poll     json.RawMessage `json:"pollIntervalMs"`
	Requests json.RawMessage `json:"inputRequests"`
	Result   json.RawMessage `json:"result"`
	Error    *struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// newTask goes on with a call whose server has made a task of it.
func (s *session) newTask(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	var t task
	if err := json.Unmarshal(raw, &t); err != nil || !validTask(t.ID) {
		return nil, &backend.OutcomeError{Outcome: backend.Unknown,
			Err: fmt.Errorf("it has made a task of the call, but the task has no ID of 1 to %d printable characters",
				backend.MaxTaskID)}
	}
	noted := later(ctx, "", t.ID)
	result, err := s.follow(ctx, t.ID, nil, pollPause(t.Poll, 0))
	if err != nil && noted != nil {
		err = fmt.Errorf("%w; %w", err, noted)
	}
	return result, err
}

// resumeTask goes on with a task that was made of a call before.
func (s *session) resumeTask(ctx context.Context, next *backend.Continue) (json.RawMessage, error) {
	if !validTask(next.Task) {
		return nil, &backend.OutcomeError{Outcome: backend.NotSent, Err: errors.New("the ID of the task cannot be sent")}
	}
	if next.Input == nil {
		return s.follow(ctx, next.Task, nil, 0)
	}
	input, err := responses(next.Input)
	if err != nil {
		return nil, &backend.OutcomeError{Outcome: backend.NotSent, Err: err}
	}
	if _, err := s.task(ctx, updateTask, &taskParams{ID: next.Task, Input: input}); err != nil {
		if backend.OutcomeOf(err, true) == backend.NotSent {
			return nil, err
		}
		return nil, lostTask("answering its task", err)
	}
	return s.follow(ctx, next.Task, input, minPoll)
}

// validTask reports whether an ID can be sent, also as an HTTP header.
func validTask(id string) bool {
	for _, c := range []byte(id) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return id != "" && len(id) <= backend.MaxTaskID
}

// follow asks for a task until it has ended, and returns its raw result. input
// are the answers that were sent to it. It first asks after a pause.
func (s *session) follow(ctx context.Context, id string, input mcp.InputResponseMap, wait time.Duration) (
	json.RawMessage, error) {
	call := ctx
	ctx = backend.WithSend(ctx, nil) // the call was sent
	for n, failures := 0, 0; ; n++ {
		if pause(ctx, wait) != nil {
			return s.giveUp(ctx, id)
		}
		t, err := s.task(ctx, getTask, &taskParams{ID: id})
		switch {
		case ctx.Err() != nil:
			return s.giveUp(ctx, id)
		case err != nil:
			if failures++; s.lost(err) || unknownTask(err) || failures == maxPollFailures {
				return nil, lostTask("asking for its task", err)
			}
			wait = pollPause(nil, n)
			continue
		}
		failures, wait = 0, pollPause(t.Poll, n)
		if t.ended() {
			return s.result(t)
		}
		if t.Status != "input_required" {
			continue
		}
		requests := unanswered(t.Requests, input)
		if string(requests) == "{}" {
			continue // it has not taken notice of the answers yet
		}
		err = s.asks(call, &backend.InputRequiredError{Task: id, Requests: requests})
		if backend.OutcomeOf(err, true) != backend.Later {
			s.cancelTask(ctx, id)
		}
		return nil, err
	}
}

// giveUp ends a call whose time is over: it cancels the task, unless the
// connection is closed, and returns what came of it where the server says so.
func (s *session) giveUp(ctx context.Context, id string) (json.RawMessage, error) {
	if t := s.cancelTask(ctx, id); t != nil {
		return s.result(t)
	}
	return nil, ctx.Err()
}

// cancelTask cancels a task, and returns it if it has ended by then. The server
// need not cancel it.
func (s *session) cancelTask(ctx context.Context, id string) *task {
	ctx, cancel := s.limit(context.WithoutCancel(ctx), cancelTimeout)
	defer cancel()
	if s.base.Err() != nil {
		return nil // whoever goes on may yet ask for it
	}
	if _, err := s.task(ctx, cancelTask, &taskParams{ID: id}); err != nil {
		return nil
	}
	t, err := s.task(ctx, getTask, &taskParams{ID: id})
	if err != nil || !t.ended() {
		return nil
	}
	return t
}

// task sends a method of tasks.
func (s *session) task(ctx context.Context, method string, p *taskParams) (*task, error) {
	raw, err := s.capture(context.WithValue(ctx, taskKey{}, p.ID), false, func(ctx context.Context) error {
		_, err := mcp.CallCustomMethod[*taskParams, *taskResult](ctx, s.cs, method, p)
		return err
	})
	if err != nil || method != getTask {
		return nil, err
	}
	var t task
	switch err := json.Unmarshal(raw, &t); {
	case err != nil:
		return nil, errors.New("its answer is no task")
	case t.ID != p.ID:
		return nil, fmt.Errorf("its answer is the task %.100q, and %.100q was asked for", t.ID, p.ID)
	}
	return &t, nil
}

// taskKey is the key of a request's task in its context. HTTP names the task in
// a header.
type taskKey struct{}

func (t *task) ended() bool {
	return t.Status == "completed" || t.Status == "failed" || t.Status == "cancelled"
}

// result is what a task that has ended came to.
func (s *session) result(t *task) (json.RawMessage, error) {
	switch {
	case t.Status == "completed":
		if kind := resultType(t.Result); kind != "" {
			return nil, &backend.OutcomeError{Outcome: backend.Unread,
				Err: fmt.Errorf("the result of its task is %q instead of a tool's result", kind)}
		}
		return t.Result, nil
	case t.Status == "failed" && t.Error != nil:
		return nil, refusal(&ended{&jsonrpc.Error{Code: t.Error.Code, Message: t.Error.Message}})
	}
	var message string
	if json.Unmarshal(t.Message, &message) == nil && message != "" {
		return nil, refusal(&ended{fmt.Errorf("its task is %s: %.500s", t.Status, message)})
	}
	return nil, refusal(&ended{fmt.Errorf("its task is %s", t.Status)})
}

// ended is the error of a call whose server says that it has ended, or not begun,
// whatever the time is.
type ended struct{ err error }

func (e *ended) Error() string { return e.err.Error() }
func (e *ended) Unwrap() error { return e.err }

// lostTask is the error of a call of whose task nothing is heard any more.
func lostTask(what string, err error) error {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && !ownCode(refused) { // it refuses the question, not the call
		err = fmt.Errorf("it answered: %s (code %d)", refused.Message, refused.Code)
	}
	return &backend.OutcomeError{Outcome: backend.Unknown, Err: fmt.Errorf("%s: %w", what, err)}
}

// unknownTask reports whether a server says that there is no such task.
func unknownTask(err error) bool {
	var refused *jsonrpc.Error
	return errors.As(err, &refused) && refused.Code == jsonrpc.CodeInvalidParams
}

// unanswered returns the requests that were not answered.
func unanswered(requests json.RawMessage, input mcp.InputResponseMap) json.RawMessage {
	var members map[string]json.RawMessage
	if len(input) == 0 || json.Unmarshal(requests, &members) != nil {
		return orNone(requests)
	}
	before := len(members)
	for key := range input {
		delete(members, key)
	}
	if len(members) == before {
		return orNone(requests)
	}
	b, err := json.Marshal(members)
	if err != nil {
		return requests
	}
	return b
}

// pollPause is how long to wait before the question n for a task: as long as
// the server says, in ms, else longer each time.
func pollPause(said json.RawMessage, n int) time.Duration {
	var ms float64
	if len(said) == 0 || bytes.Equal(said, []byte("null")) || json.Unmarshal(said, &ms) != nil {
		return min(minPoll<<min(n, 10), maxPoll)
	}
	return time.Duration(max(min(ms, float64(maxPoll.Milliseconds())), float64(minPoll.Milliseconds()))) * time.Millisecond
}
