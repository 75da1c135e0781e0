package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/registry/backend"
)

// FrontOptions configure a Front.
type FrontOptions struct {
	// Records are those of the cluster, see Cluster.Store.
	Records *store.Store
	// Pool names the runners that scripts go to. If empty, it is DefaultPool.
	Pool string
	// Wait is how long a script may wait for a runner. If zero, it is DefaultWait.
	Wait time.Duration
	// Version is the version of this build, for the records.
	Version string
}

const (
	// DefaultWait is how long a script waits for a runner.
	DefaultWait = 5 * time.Minute
	// maxWait is less than jobAge, so that no job is gone before its front end knows.
	maxWait = 25 * time.Minute

	// lookEvery is the interval at which a waiting front end looks at the record of a run.
	lookEvery = 3 * time.Second
	// maxEvents bounds the events of a run that its listener has not taken yet.
	maxEvents = 4096
	// beatEvery is the interval at which a front end that asks a person says so. A runner
	// that waits for the answer gives up after beatsMissed intervals without a message.
	beatEvery   = 5 * time.Second
	beatsMissed = 4
	// maxAsking is how many questions of one run are asked at a time.
	maxAsking = 4
)

// answeredAfter is how long after a result was handed on it counts as answered.
var answeredAfter = 5 * time.Second

// Front sends scripts to runners and waits for their results. It implements
// harness.Elsewhere.
type Front struct {
	c     *Cluster
	o     FrontOptions
	local *harness.Harness // runs no scripts
	subs  []*nats.Subscription
	msgs  chan *nats.Msg
	leave func()

	mu       sync.Mutex
	flights  map[string]*flight     // by ID of the run
	answered map[string]*time.Timer // by ID of the run; fires when its result counts as received
}

var _ harness.Elsewhere = (*Front)(nil)

// flight is a run whose result this front end waits for.
type flight struct {
	s      *harness.Script
	asking chan struct{} // has a value for each question that is being asked
	ctx    context.Context
	client context.Context // of the request: ends when its client is gone

	events chan []byte // from the runner
}

// Front returns a front end that sends scripts to the runners of a pool. Close it before the
// Cluster.
func (c *Cluster) Front(o *FrontOptions) (*Front, error) {
	f := &Front{c: c, o: *o, msgs: make(chan *nats.Msg, 64<<10), flights: map[string]*flight{},
		answered: map[string]*time.Timer{}}
	f.o.Pool = cmp.Or(f.o.Pool, DefaultPool)
	if err := ValidPool(f.o.Pool); err != nil {
		return nil, err
	}
	f.o.Wait = min(cmp.Or(f.o.Wait, DefaultWait), maxWait)
	f.local = harness.New(&harness.Options{Records: o.Records, Version: o.Version})
	subscribe := func(sub *nats.Subscription, err error) error {
		if err == nil {
			f.subs = append(f.subs, sub)
		}
		return err
	}
	err := errors.Join( // one channel for both, so that progress comes before the result
		subscribe(c.conn.ChanSubscribe(eventSubject(c.id, "*"), f.msgs)),
		subscribe(c.conn.ChanSubscribe(doneSubject(c.id, "*"), f.msgs)),
		subscribe(c.conn.Subscribe(askSubject(c.id, "*"), f.asked)),
		subscribe(c.conn.Subscribe(pingSubject(c.id), f.pinged)),
		c.conn.FlushTimeout(requestTimeout),
	)
	if err != nil {
		return nil, fmt.Errorf("listening to runners: %w", err)
	}
	if _, err := c.Backing().Key(true); err != nil { // without it, repeated requests are not recognised
		return nil, err
	}
	if f.leave, err = c.announce(func(p *Process) { p.Front = true }); err != nil {
		return nil, err
	}
	c.work.Go(f.read)
	return f, nil
}

// Close closes the front end. Results that were handed on then count as received by their clients.
func (f *Front) Close() error {
	f.leave()
	for _, sub := range f.subs {
		sub.Unsubscribe()
	}
	f.mu.Lock()
	rest := f.answered
	f.answered = map[string]*time.Timer{}
	f.mu.Unlock()
	for run, due := range rest {
		if due.Stop() {
			f.o.Records.Fetch(run)
		}
	}
	return f.local.Close()
}

// read hands messages of runners to the flights of their runs.
func (f *Front) read() {
	for {
		var msg *nats.Msg
		select {
		case msg = <-f.msgs:
		case <-f.c.ctx.Done():
			return
		}
		f.mu.Lock()
		to := f.flights[lastToken(msg.Subject)]
		f.mu.Unlock()
		if msg.Reply != "" { // also if it is a repetition
			msg.Respond(nil)
		}
		if to == nil {
			continue
		}
		select {
		case to.events <- msg.Data:
		default: // the listener is too slow: progress is dropped
			if strings.HasPrefix(msg.Subject, doneSubjects) {
				go func() {
					select {
					case to.events <- msg.Data:
					case <-to.ctx.Done():
					}
				}()
			}
		}
	}
}

func lastToken(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// jobResult is the outcome of a job: a result or an error.
type jobResult struct {
	res *outcome.Result
	err error
}

// status returns the status of the result, or internal_error without one.
func (o *jobResult) status() string {
	if o.res == nil {
		return "internal_error"
	}
	return string(o.res.Status)
}

// expect receives the messages about a run until forget is called.
func (f *Front) expect(ctx context.Context, id string, s *harness.Script) (fl *flight, forget func()) {
	fl = &flight{s: s, client: ctx, asking: make(chan struct{}, maxAsking), events: make(chan []byte, maxEvents)}
	var end context.CancelFunc
	fl.ctx, end = context.WithCancel(context.WithoutCancel(ctx))
	f.mu.Lock()
	f.flights[id] = fl
	f.mu.Unlock()
	return fl, func() {
		end()
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.flights[id] == fl {
			delete(f.flights, id)
		}
	}
}

// Run sends a script to a runner and returns its result. The error is a *guard.BusyError if no
// runner took the script.
func (f *Front) Run(ctx context.Context, s *harness.Script) (*outcome.Result, error) {
	name := cmp.Or(s.Origin.Request.Run, store.NewName(time.Now()))
	at, id, ok := store.ParseName(name)
	if !ok {
		return nil, fmt.Errorf("invalid record name: %q", name)
	}
	j := newJob(ctx, kindRun, id, s)
	j.Name, j.Until = name, at.Add(f.o.Wait).UTC()
	j.Request = f.local.RequestOf(s)
	return f.send(ctx, j, s)
}

// Resume has a runner resume a run, and returns its result.
func (f *Front) Resume(ctx context.Context, id string, s *harness.Script) (*outcome.Result, error) {
	run, err := f.o.Records.Load(id)
	if err != nil {
		return nil, err
	}
	if run.Running {
		p := run.Begin.Process
		return nil, &store.RunningError{Run: run.Begin.ID, Host: p.Host, PID: p.PID}
	}
	j := newJob(ctx, kindResume, run.Begin.ID, s)
	j.Until = time.Now().Add(f.o.Wait).UTC()
	j.Attempts, j.Request = len(run.Attempts), run.Begin.Request
	return f.send(ctx, j, s)
}

// send notes and queues a job, and waits for its result.
func (f *Front) send(ctx context.Context, j *job, s *harness.Script) (*outcome.Result, error) {
	j.Front, j.Pool, j.Revision = f.c.id, f.o.Pool, f.c.Revision()
	fl, forget := f.expect(ctx, j.ID, s)
	defer forget()
	if j.Kind == kindRun {
		if err := f.note(ctx, j, s.Origin.Request.Seen); err != nil {
			return nil, err
		}
	}
	if err := f.enqueue(ctx, j); err != nil {
		return nil, err
	}
	if at, _, ok := store.ParseName(j.Name); ok && s.OnProgress != nil {
		s.OnProgress(record.Progress{Begin: &record.Begin{Head: record.Head{Type: "begin", Time: at}, ID: j.ID, Name: s.Origin.Name, Dry: s.Dry,
			Request: j.Request, Session: s.Origin.Session, Subject: s.Origin.Subject, Front: f.c.id}})
	}
	out := (&waiter{f: f, j: j, fl: fl}).wait(ctx)
	if out.res != nil {
		f.answers(out.res)
	}
	return out.res, out.err
}

// enqueue queues a job. If it is unknown whether the queue has it, its run is canceled.
func (f *Front) enqueue(ctx context.Context, j *job) error {
	key := cmp.Or(j.Name, j.ID+"-"+strings.ToLower(rand.Text()))
	try, cancel := f.c.forClient(ctx)
	defer cancel()
	err := f.c.enqueue(try, j, key)
	if err == nil {
		f.c.counts.queued.Add(1)
		return nil
	}
	if errors.As(err, new(*guard.BusyError)) {
		return cmp.Or(ctx.Err(), err)
	}
	if j.Kind == kindRun {
		_, err := f.local.Withdraw(j.script(), "the cluster did not take it")
		switch {
		case err == nil:
			return cmp.Or(ctx.Err(), error(busy("the cluster did not take the script")))
		case errors.Is(err, store.ErrTaken): // a runner has it and will send the result
			f.c.counts.queued.Add(1)
			return nil
		}
	}
	return fmt.Errorf("the cluster cannot be reached, and run %s may begin; see its status before you send the script again, with "+
		"harness runs show %[1]s: %w", j.ID, err)
}

// answers notes that a result is handed on. Shortly afterwards it counts as received by the client,
// and the same script sent again is a new run.
func (f *Front) answers(res *outcome.Result) {
	effect := func(c outcome.Call) bool { return c.Class != record.Read }
	if res.Run == "" || res.Unsettled() ||
		!slices.ContainsFunc(res.Calls, effect) && res.Status != outcome.Lost {
		return
	}
	f.given(res.Run)
}

// given marks the result of a run as fetched in its record, after answeredAfter.
func (f *Front) given(run string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered[run] = time.AfterFunc(answeredAfter, func() {
		f.mu.Lock()
		delete(f.answered, run)
		f.mu.Unlock()
		f.o.Records.Fetch(run)
	})
}

// asked asks the user a question that a server has during a call.
func (f *Front) asked(msg *nats.Msg) {
	f.mu.Lock()
	fl := f.flights[lastToken(msg.Subject)]
	f.mu.Unlock()
	var q userQuestion
	if fl == nil || fl.s.Ask == nil || json.Unmarshal(msg.Data, &q) != nil {
		reply(msg, nil, errNotAsked)
		return
	}
	select {
	case fl.asking <- struct{}{}:
	default:
		reply(msg, nil, errNotAsked)
		return
	}
	go func() {
		defer func() { <-fl.asking }()
		beat := time.NewTicker(beatEvery)
		defer beat.Stop()
		type answer struct {
			r   *backend.Reply
			err error
		}
		got := make(chan answer, 1)
		go func() {
			r, err := fl.s.Ask(fl.ctx, q.Server, &backend.Question{Key: q.Key, Mode: q.Mode, Message: q.Message, URL: q.URL,
				Schema: q.Schema})
			got <- answer{r, err}
		}()
		for {
			select {
			case <-beat.C:
				msg.Respond(nil)
			case a := <-got:
				reply(msg, a.r, a.err)
				return
			}
		}
	}()
}

// userQuestion is a question of a server, and userReply the answer, between processes.
type userQuestion struct {
	V       int             `json:"v"`
	Server  string          `json:"server"`
	Key     string          `json:"key,omitempty"`
	Mode    string          `json:"mode"`
	Message string          `json:"message"`
	URL     string          `json:"url,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
}

type userReply struct {
	V     int            `json:"v"`
	Reply *backend.Reply `json:"reply,omitempty"`
	Error string         `json:"error,omitempty"`
}

var errNotAsked = errors.New("no user can be asked here")

func reply(msg *nats.Msg, r *backend.Reply, err error) {
	a := userReply{V: 1, Reply: r}
	if err != nil {
		a.Error = err.Error()
	} else if r == nil {
		a.Error = errNotAsked.Error()
	}
	if b, err := json.Marshal(a); err == nil {
		msg.Respond(b)
	}
}

// Deliver reports whether the result of a run has not been given to its client before.
func (f *Front) Deliver(run string) bool {
	if f.o.Records.Fetched(run) {
		return false
	}
	f.given(run)
	return true
}

// Cancel ends a run that waits for a runner or is under way. It reports whether it found one.
func (f *Front) Cancel(ctx context.Context, run string) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, cancelFor)
	defer stop()
	j, out, err := f.cancel(ctx, run)
	if errors.Is(err, errNoRun) {
		return false, nil
	}
	if out != nil {
		f.c.sendResult(j, out)
	}
	return err == nil, err
}

// cancel ends a run. It returns (nil, nil, nil) if its runner has been asked to cancel it, and the
// result of the job if it has not begun. If the run is not under way, the error is errNoRun. A
// runner that does not answer is asked again until ctx ends.
func (f *Front) cancel(ctx context.Context, run string) (*job, *jobResult, error) {
	gone := errNoRun // the error once no process has the run
	for {
		try, cancel := context.WithTimeout(ctx, requestTimeout)
		began := time.Now()
		m, err := f.c.conn.RequestWithContext(try, cancelSubject(run), nil)
		cancel()
		switch {
		case err == nil && string(m.Data) == notCanceled:
			return nil, nil, gone
		case err == nil:
			return nil, nil, nil
		case !errors.Is(err, nats.ErrNoResponders):
			err = f.c.permitted(began, err)
			if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
				return nil, nil, err
			}
			gone = nil // a runner has the request
			continue
		}
		j, seq, err := f.c.queued(ctx, run)
		if err != nil {
			return nil, nil, err
		}
		if j == nil {
			return nil, nil, gone
		}
		out, err := f.withdraw(ctx, j, seq, "canceled before it began")
		if !errors.Is(err, store.ErrTaken) {
			return j, out, err
		}
		select { // it is just beginning, or its runner died
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

var errNoRun = errors.New("the run is not under way")

// withdraw takes a job out of the queue. If it has begun, the error is store.ErrTaken.
func (f *Front) withdraw(ctx context.Context, j *job, seq uint64, why string) (*jobResult, error) {
	out := &jobResult{err: fmt.Errorf("run %s was not resumed: %w", j.ID, context.Canceled)}
	if j.Kind == kindRun {
		var err error
		if out.res, err = f.local.Withdraw(j.script(), why); err != nil {
			return nil, err
		}
		out.err = nil
	}
	// A runner that has the job looks whether it is still there before it resumes a run.
	err := f.c.retry(ctx, func(ctx context.Context) error { return f.c.queue.DeleteMsg(ctx, seq) })
	if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) && j.Kind == kindResume {
		return nil, err
	}
	f.c.dropApart(j.ID, j.Apart)
	return out, nil
}
