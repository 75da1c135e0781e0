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
	taskInput     = "input_required"
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
	// InputRequests are what the user of the client is asked, by keys for tasks/update.
	InputRequests mcp.InputRequestMap `json:"inputRequests,omitempty"`
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

type (
	taskKey  struct{}
	askerKey struct{} // of the request about a task
)

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
		} else if ok {
			ctx = context.WithValue(ctx, askerKey{}, from)
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
		return c.ended(ctx, t)
	case <-after.C:
	}
	select {
	case <-t.done:
		return c.ended(ctx, t)
	case <-t.begun: // what waits for its turn has no record, and so no ID
	}
	id, err := c.taskID(t.run)
	if err != nil {
		c.s.log.Error("a run cannot become a task", "error", err)
	}
	if err != nil || !detach() { // or the client is gone, and the run ends
		<-t.done
		return c.ended(ctx, t)
	}
	t.client.close()
	if !c.s.tasks.add(id, t) { // it has ended just now
		return c.ended(ctx, t)
	}
	return c.tells(id, c.s.tasks.stateOf(t), "task"), nil
}

// ended is the answer to a request whose run has ended: its result, or, where that
// waits for a person, a task.
func (c *session) ended(ctx context.Context, t *task) (mcp.Result, error) {
	res, _ := resultOf(t.res)
	if t.err != nil || res == nil || res.Status != harness.Waiting {
		return t.res, t.err
	}
	id, err := c.taskID(res.Run)
	if err != nil {
		return t.res, nil
	}
	s, err := c.recordedTask(ctx, id, res.Run)
	if err != nil {
		return t.res, nil
	}
	s.InputRequests = nil // of those tasks/get tells
	return c.tells(id, s, "task"), nil
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
	var s *taskState
	if t := c.s.tasks.find(p.ID); t != nil {
		s = c.s.tasks.stateOf(t)
	} else if s, err = c.recordedTask(ctx, p.ID, run); err != nil {
		return nil, err
	}
	return c.tells(p.ID, s, "complete"), nil
}

// updateTask takes what the client's user has answered. What nobody has asked, or
// somebody has answered, counts for nothing.
func (c *session) updateTask(ctx context.Context, p *taskParams) (*taskDone, error) {
	id, err := c.taskRun(p.ID)
	if err != nil {
		return nil, err
	}
	run, err := c.recordedRun(ctx, p.ID, id)
	if err != nil {
		return nil, err
	}
	if run.End != nil && run.End.Status == string(harness.Waiting) {
		res, err := harness.Recorded(run)
		if err == nil {
			err = c.keep(res, func(string) bool { return true }, p.Responses)
		}
		if err != nil {
			return nil, err
		}
		c.s.resumer.add(id)
		c.s.resumer.answered()
	}
	return &taskDone{ResultType: "complete"}, nil
}

// cancelTask ends a run that this server has under way, or that waits.
func (c *session) cancelTask(ctx context.Context, p *taskParams) (*taskDone, error) {
	id, err := c.taskRun(p.ID)
	if err != nil {
		return nil, err
	}
	if t := c.s.tasks.find(p.ID); t != nil {
		t.cancel()
		return &taskDone{ResultType: "complete"}, nil
	}
	if c.s.opts.Elsewhere != nil {
		if found, err := c.s.opts.Elsewhere.Cancel(ctx, id); found || err != nil {
			return &taskDone{ResultType: "complete"}, err
		}
	}
	run, err := c.recordedRun(ctx, p.ID, id)
	if err != nil {
		return nil, err
	}
	if run.Running {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("the task %.100q was not "+
			"canceled: it is under way at another instance of the server, or goes on by itself after a yes", p.ID)}
	}
	if run.End != nil && run.End.Status == string(harness.Waiting) {
		err = c.s.records.EndRun(id, c.who(), "canceled by its client")
		if err != nil && !errors.Is(err, record.ErrRunning) && !errors.Is(err, record.ErrEnded) {
			return nil, err
		}
	}
	return &taskDone{ResultType: "complete"}, nil
}

// tells is what the client is told of a task.
func (c *session) tells(id string, s *taskState, resultType string) *taskState {
	s.ResultType, s.ID, s.Poll = resultType, id, taskPoll.Milliseconds()
	if c.s.records.Dir() == "" {
		ms := taskMemory.Milliseconds()
		s.TTL = &ms
	}
	return s
}

// recordedRun is the run of a task.
func (c *session) recordedRun(ctx context.Context, id, of string) (*record.Run, error) {
	run, err := c.recorded(ctx, of)
	if errors.Is(err, record.ErrNotFound) {
		return nil, noTask(id)
	}
	return run, err
}

// recordedTask is a task of which only the record is left, or which another process
// has under way.
func (c *session) recordedTask(ctx context.Context, id, of string) (*taskState, error) {
	run, err := c.recordedRun(ctx, id, of)
	if err != nil {
		if e := c.s.opts.Elsewhere; e != nil {
			if waits, e := e.Queued(ctx, of); waits && e == nil {
				return c.s.tasks.stateOf(&task{id: id, created: time.Now(), updated: time.Now(), calling: "waits for its turn"}), nil
			}
		}
		return nil, err
	}
	t := &task{id: id, created: run.Begin.Time, updated: record.When(run.Lines[len(run.Lines)-1])}
	if n := len(run.Calls); n > 0 {
		t.calling = fmt.Sprintf("call %d: %s", n, run.Calls[n-1].Line().Tool)
	}
	working := c.s.tasks.stateOf(t)
	switch status := run.Summary().Status; {
	case status == record.Running, status == record.Died && goesOnAlone(run, c.s.opts.Resume):
		return working, nil
	case status == record.Died && len(run.Unknown()) == 0:
		return t.outcome(nil, fmt.Errorf("the process that ran the script has died; what it did until then is in the record %s, "+
			"and harness resume %s goes on with it", of, of)), nil
	case status == string(harness.Waiting) && len(run.Open()) == 0: // it is about to go on
		return working, nil
	}
	res, err := harness.Recorded(run)
	if err != nil {
		return t.outcome(nil, err), nil
	}
	if res.Status == harness.Waiting {
		from, _ := ctx.Value(askerKey{}).(asker)
		return c.waitingTask(working, res, from), nil
	}
	if len(run.Attempts) > 0 && !unsettled(res) {
		c.s.harness.Give(of)
	}
	t.over = t.outcome(c.answer(res), nil)
	if t.over.Status == taskCompleted && !unsettled(res) {
		c.s.tasks.keep(t)
	}
	s := *t.over
	return &s, nil
}

// waitingTask is a task that waits for a person: for the client's user where that may
// be asked, else for others.
func (c *session) waitingTask(s *taskState, res *harness.Result, from asker) *taskState {
	var has can
	if from != nil {
		has = elicits(from)
	}
	if asked := c.questions(res, has, nil); len(asked) > 0 {
		s.Status, s.InputRequests = taskInput, asked
	}
	s.StatusMessage = "waits for a person"
	for _, w := range res.Waiting {
		s.StatusMessage += fmt.Sprintf("; %s: %s", w.ID, w.Tool)
		if len(s.StatusMessage) > maxWaits {
			break
		}
	}
	s.StatusMessage += "; " + res.HowToAnswer(res.Waiting[0].ID)
	return s
}

// maxWaits bounds, in bytes, about, what a status says of the calls that wait.
const maxWaits = 500

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
	if of, ok := resultOf(res); ok && of.Status == harness.Canceled {
		s.Status, s.Result = taskCancelled, nil
	}
	return s
}

// resultOf is the Result of a run that an answer is made from; false: of none.
func resultOf(res mcp.Result) (*harness.Result, bool) {
	if call, ok := res.(*mcp.CallToolResult); ok && call != nil {
		switch of := call.StructuredContent.(type) {
		case *Answer:
			return of.Result, true
		case *harness.Result:
			return of, true
		}
	}
	return nil, false
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

// stateOf is how a task is getting on.
func (ts *tasks) stateOf(t *task) *taskState {
	ts.mu.Lock()
	over := t.over
	ts.mu.Unlock()
	if over != nil {
		s := *over
		return &s
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return &taskState{Status: taskWorking, Created: t.created, Updated: t.updated, StatusMessage: t.calling}
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
	if of, ok := resultOf(res); ok && unsettled(of) { // it may go on: the record tells
		ts.mu.Lock()
		delete(ts.all, t.id)
		ts.mu.Unlock()
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
	ts.bytes += len(t.over.Result)
	for len(ts.ended) > taskAnswers || ts.bytes > taskAnswerBytes {
		delete(ts.all, ts.ended[0].id)
		ts.bytes -= len(ts.ended[0].over.Result)
		ts.ended = ts.ended[1:]
	}
}
