package serve

import (
	"context"
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// tasksExtension is the extension of the protocol by which a call is answered
// before it has ended: with a task, which the client then asks for.
const tasksExtension = "io.modelcontextprotocol/tasks"

// The statuses of a task.
const (
	taskWorking   = "working"
	taskCompleted = "completed" // also by a script that failed
	taskFailed    = "failed"    // the server did
	taskCancelled = "cancelled"
)

// Bounds of tasks.
const (
	// taskPoll is how often a client should ask.
	taskPoll = time.Second
	// taskMemory is how long the tasks of a store in memory may be asked for at
	// most; those of a folder may as long as their records are kept.
	taskMemory = time.Hour
	// taskAnswers and taskAnswerBytes bound the answers of ended tasks that are
	// kept; what is gone is made again from the record.
	taskAnswers     = 100
	taskAnswerBytes = 64 << 20
)

// taskState is a task as the client is told of it.
type taskState struct {
	mcp.ResultBase
	ResultType    string          `json:"resultType"` // task where it answers a call, complete where it was asked for
	ID            string          `json:"taskId"`
	Status        string          `json:"status"`
	StatusMessage string          `json:"statusMessage,omitempty"`
	Created       time.Time       `json:"createdAt"`
	Updated       time.Time       `json:"lastUpdatedAt"`
	TTL           *int64          `json:"ttlMs"` // since Created; nil: no end
	Poll          int64           `json:"pollIntervalMs,omitempty"`
	Result        json.RawMessage `json:"result,omitempty"` // of a completed one
	Error         *jsonrpc.Error  `json:"error,omitempty"`  // of a failed one
}

// taskParams are the params of all requests about a task.
type taskParams struct {
	mcp.ParamsBase
	ID        string               `json:"taskId"`
	Responses mcp.InputResponseMap `json:"inputResponses,omitempty"` // of tasks/update
}

// taskDone acknowledges a request about a task.
type taskDone struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
}

// tasks are the runs of all sessions whose requests were answered before they
// ended, and some of those that have ended.
type tasks struct {
	mu    sync.Mutex
	all   map[string]*task // by ID
	ended []*task          // of all, in the order in which they ended
	bytes int              // of their answers
}

// task is a run whose request may be, or was, answered before it ends.
type task struct {
	id     string // once its request was answered, else ""
	cancel context.CancelFunc
	begun  chan struct{} // closed when its record has begun
	done   chan struct{} // closed when it has ended
	res    mcp.Result    // then
	err    error         // then
	over   *taskState    // then, where it has an ID

	mu      sync.Mutex
	run     string // its ID, once it has begun
	created time.Time
	updated time.Time
	calling string    // its last call
	client  *notifier // of its request
}

type taskKey struct{}

// taskOf is the task that a run may become; nil: it cannot.
func taskOf(ctx context.Context) *task {
	t, _ := ctx.Value(taskKey{}).(*task)
	return t
}

// line is told of the run's lines, and of the client that is told how it gets on.
func (t *task) line(l record.Line, client *notifier) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.updated = record.When(l)
	switch l := l.(type) {
	case *record.Begin:
		if t.run == "" {
			t.run, t.created, t.client = l.ID, l.Time, client
			close(t.begun)
		}
	case *record.Call:
		t.calling = fmt.Sprintf("call %d: %s", l.N, l.Tool)
	}
}

// addTasks adds the requests about tasks.
func (c *session) addTasks() {
	for _, err := range []error{
		mcp.AddReceivingCustomMethod(c.mcp, "tasks/get", ofTask(c.getTask)),
		mcp.AddReceivingCustomMethod(c.mcp, "tasks/update", ofTask(c.updateTask)),
		mcp.AddReceivingCustomMethod(c.mcp, "tasks/cancel", ofTask(c.cancelTask)),
	} {
		if err != nil { // a method of that name is in the SDK by now
			c.s.log.Error("there are no tasks", "error", err)
		}
	}
}

// ofTask is the handler of a request about a task.
func ofTask[R any](f func(context.Context, *taskParams) (R, error)) func(context.Context, *mcp.ServerSession,
	*taskParams) (R, error) {
	return func(ctx context.Context, _ *mcp.ServerSession, p *taskParams) (R, error) {
		if p == nil {
			p = &taskParams{}
		}
		return f(ctx, p)
	}
}

// asker is a request, as far as it says what its client knows.
type asker interface {
	ClientCapabilities() *mcp.ClientCapabilities
	ProtocolVersion() string
}

// takesTasks reports whether a request may be answered with a task.
func takesTasks(req asker) bool {
	caps := req.ClientCapabilities()
	if caps == nil || req.ProtocolVersion() <= lastStateful {
		return false
	}
	_, ok := caps.Extensions[tasksExtension]
	return ok
}

// later answers a call of execute that takes long with a task, where the client
// takes tasks, and keeps requests about tasks from clients that do not.
func (c *session) later(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if from, ok := req.(asker); ok && strings.HasPrefix(method, "tasks/") && !takesTasks(from) {
			if from.ProtocolVersion() <= lastStateful {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("%q unsupported", method)}
			}
			return nil, lacksTasks()
		}
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || call.Params.Name != "execute" || c.s.opts.TaskAfter < 0 || !takesTasks(call) {
			return next(ctx, method, req)
		}
		return c.runTask(ctx, func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, req) })
	}
}

// lacksTasks is the answer to who asks for a task without declaring the extension.
func lacksTasks() error {
	return &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities,
		Message: "the request does not declare the extension " + tasksExtension,
		Data:    json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + tasksExtension + `":{}}}}`)}
}

// runTask runs what a request asks for, and answers with its result, or with a task
// where that takes longer than Options.TaskAfter. Until it is a task it ends with
// the request.
func (c *session) runTask(ctx context.Context, run func(context.Context) (mcp.Result, error)) (mcp.Result, error) {
	t := &task{begun: make(chan struct{}), done: make(chan struct{})}
	var own context.Context
	own, t.cancel = context.WithCancel(context.WithValue(context.WithoutCancel(ctx), taskKey{}, t))
	detach := context.AfterFunc(ctx, t.cancel)
	go func() {
		defer t.cancel()
		var res mcp.Result
		var err error
		func() {
			defer c.s.recovered("execute", &err)
			res, err = run(own)
		}()
		c.s.tasks.end(t, res, err)
	}()
	after := time.NewTimer(c.s.opts.TaskAfter)
	defer after.Stop()
	select {
	case <-t.done:
		return t.res, t.err
	case <-after.C:
	}
	select {
	case <-t.done:
		return t.res, t.err
	case <-t.begun: // what waits for its turn has no record, and so no ID
	}
	id, err := c.taskID(t.run)
	if err != nil {
		c.s.log.Error("a run cannot become a task", "error", err)
	}
	if err != nil || !detach() { // or the client is gone, and the run ends
		<-t.done
		return t.res, t.err
	}
	t.client.close()
	if !c.s.tasks.add(id, t) { // it has ended just now
		return t.res, t.err
	}
	return c.stateOf(t, "task"), nil
}

// taskID is the ID of the task of a run of the session's owner. It cannot be
// guessed, and is the same after a restart with the same folder of records.
func (c *session) taskID(run string) (string, error) {
	mac, err := c.s.records.MAC("task/1", run, string(c.owner))
	if err != nil {
		return "", fmt.Errorf("making the ID of a task: %w", err)
	}
	return run + "-" + hex.EncodeToString(mac[:8]), nil
}

// taskRun is the run of a task, if the ID is one of the session's owner.
func (c *session) taskRun(id string) (run string, err error) {
	run, _, _ = strings.Cut(id, "-")
	want, err := c.taskID(run)
	if err != nil {
		return "", err
	}
	if !hmac.Equal([]byte(want), []byte(id)) {
		return "", noTask(id)
	}
	return run, nil
}

func noTask(id string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no task %.100q", id)}
}

// getTask is how a task is getting on.
func (c *session) getTask(ctx context.Context, p *taskParams) (*taskState, error) {
	run, err := c.taskRun(p.ID)
	if err != nil {
		return nil, err
	}
	t := c.s.tasks.find(p.ID)
	if t == nil {
		if t, err = c.recordedTask(ctx, p.ID, run); err != nil {
			return nil, err
		}
	}
	return c.stateOf(t, "complete"), nil
}

// updateTask takes what a person answered. No run asks anything while it is under
// way, and what nobody has asked for counts for nothing.
func (c *session) updateTask(_ context.Context, p *taskParams) (*taskDone, error) {
	if _, err := c.taskRun(p.ID); err != nil {
		return nil, err
	}
	return &taskDone{ResultType: "complete"}, nil
}

// cancelTask ends a run that this server has under way.
func (c *session) cancelTask(_ context.Context, p *taskParams) (*taskDone, error) {
	if _, err := c.taskRun(p.ID); err != nil {
		return nil, err
	}
	if t := c.s.tasks.find(p.ID); t != nil {
		t.cancel()
	}
	return &taskDone{ResultType: "complete"}, nil
}

// stateOf is what the client is told of a task.
func (c *session) stateOf(t *task, resultType string) *taskState {
	s := &taskState{Status: taskWorking, Poll: taskPoll.Milliseconds()}
	if over := c.s.tasks.over(t); over != nil {
		*s = *over
	} else {
		t.mu.Lock()
		s.Created, s.Updated, s.StatusMessage = t.created, t.updated, t.calling
		t.mu.Unlock()
	}
	s.ResultType, s.ID = resultType, t.id
	if c.s.records.Dir() == "" {
		ms := taskMemory.Milliseconds()
		s.TTL = &ms
	}
	return s
}

// recordedTask is a task of which only the record is left, or which another process
// has under way.
func (c *session) recordedTask(ctx context.Context, id, of string) (*task, error) {
	if err := c.s.reading.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.s.reading.Release(1)
	run, err := c.s.records.Load(of)
	switch {
	case errors.Is(err, record.ErrNotFound), err == nil && (run.Begin.ID != of || run.Begin.Subject != c.owner.subject()):
		return nil, noTask(id)
	case err != nil:
		return nil, err
	}
	t := &task{id: id, cancel: func() {}, created: run.Begin.Time, updated: record.When(run.Lines[len(run.Lines)-1])}
	if n := len(run.Calls); n > 0 {
		t.calling = fmt.Sprintf("call %d: %s", n, run.Calls[n-1].Line().Tool)
	}
	var res *mcp.CallToolResult
	switch status := run.Summary().Status; status {
	case record.Running:
		return t, nil
	case record.Died:
		err = fmt.Errorf("the process that ran the script has died; what it did until then is in the record %s", of)
	default:
		if n := weightOf(run); n > maxRunBytes {
			err = fmt.Errorf("the run has %d MB of values, more than can be read here", n>>20)
			break
		}
		var whole *harness.Result
		if whole, err = harness.Recorded(run); err == nil {
			res = c.answer(whole)
		}
	}
	if err != nil {
		t.over = t.outcome(nil, err)
		return t, nil
	}
	t.over = t.outcome(res, nil)
	c.s.tasks.keep(t)
	return t, nil
}

// outcome is a task that has ended.
func (t *task) outcome(res mcp.Result, err error) *taskState {
	s := &taskState{Status: taskCompleted, Created: t.created, Updated: t.updated}
	if err == nil {
		s.Result, err = json.Marshal(res)
	}
	if err != nil {
		s.Status, s.StatusMessage = taskFailed, registry.PrintableText(err.Error(), maxFailure)
		if !errors.As(err, &s.Error) {
			s.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: s.StatusMessage}
		}
		return s
	}
	if statusOf(res) == harness.Canceled {
		s.Status, s.Result = taskCancelled, nil
	}
	return s
}

// statusOf is the status of the run that a result is of, "" where it is of none.
func statusOf(res mcp.Result) harness.Status {
	if call, ok := res.(*mcp.CallToolResult); ok {
		switch of := call.StructuredContent.(type) {
		case *Answer:
			return of.Status
		case *harness.Result:
			return of.Status
		}
	}
	return ""
}

// add makes a run a task, unless it has ended.
func (ts *tasks) add(id string, t *task) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	select {
	case <-t.done:
		return false
	default:
	}
	t.id = id
	ts.all[id] = t
	return true
}

func (ts *tasks) find(id string) *task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.all[id]
}

// over is how a task has ended; nil: it has not.
func (ts *tasks) over(t *task) *taskState {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.over
}

// end is told how a run has ended.
func (ts *tasks) end(t *task, res mcp.Result, err error) {
	ts.mu.Lock()
	t.res, t.err = res, err
	close(t.done)
	waits := t.id == "" // the request does, and gets it
	ts.mu.Unlock()
	if waits {
		return
	}
	t.mu.Lock()
	t.updated = time.Now().UTC()
	over := t.outcome(res, err)
	t.mu.Unlock()
	ts.mu.Lock()
	t.over, t.res = over, nil
	ts.mu.Unlock()
	ts.keep(t)
}

// is reports whether a run is a task, whose request was answered.
func (ts *tasks) is(t *task) bool {
	if t == nil {
		return false
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.id != ""
}

// keep keeps a task that has ended, for which the oldest ones make room.
func (ts *tasks) keep(t *task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if old := ts.all[t.id]; old != nil && old != t { // another request has read it too
		return
	}
	ts.all[t.id] = t
	ts.ended = append(ts.ended, t)
	for ts.bytes += len(t.over.Result); len(ts.ended) > taskAnswers || ts.bytes > taskAnswerBytes; ts.ended = ts.ended[1:] {
		delete(ts.all, ts.ended[0].id)
		ts.bytes -= len(ts.ended[0].over.Result)
	}
}
