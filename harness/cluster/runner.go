package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/telemetry"
	"github.com/usetools/usetools/registry/backend"
)

// RunnerOptions configure Cluster.Serve.
type RunnerOptions struct {
	// Harness runs the scripts. Its records are those of the cluster, and it has no Elsewhere.
	Harness *harness.Harness
	// Records are the same as those of Harness.
	Records *store.Store
	// Catalog returns the tools and packages that a script can use. release is called when the
	// script has ended.
	Catalog func(ctx context.Context) (cat *catalog.Catalog, release func(), err error)
	// Pool names the queue of the runner's scripts. If empty, it is DefaultPool.
	Pool string
	// MaxRuns is the number of scripts that run at a time. If zero, it is DefaultRuns.
	MaxRuns int
	// RerunReads resumes a run whose runner died, if it had sent only read calls.
	RerunReads bool
	// ReadOnly and Deny are as in a policy. They apply in addition to the policy of each script.
	ReadOnly bool
	Deny     []string
	// Limits bound each run in addition to its own limits. Zero fields do not.
	Limits harness.Limits
	// Grace is how long scripts may continue when the runner ends. If zero, they are canceled
	// at once.
	Grace time.Duration
	// Telemetry, if set, receives each run.
	Telemetry *telemetry.Telemetry
}

// DefaultRuns is how many scripts a runner runs at a time.
const DefaultRuns = 8

const (
	// pullFor is how long one request for a job waits. A runner that ends may take as long to
	// notice it.
	pullFor = time.Second
	// resultTries is how many times a result is sent to a front end that does not acknowledge
	// it.
	resultTries = 3
	// cancelAnswer is how long the answer to a cancellation waits for the end of the run.
	cancelAnswer = time.Second
	// notCanceled is the answer to a cancellation of a run that has just ended as pending.
	notCanceled = "it waits"
	// versionDelay is how long the queue keeps a job of another version before the next
	// runner gets it.
	versionDelay = 5 * time.Second
)

// runner runs the jobs of a pool.
type runner struct {
	c   *Cluster
	o   RunnerOptions
	log *slog.Logger
	end sync.WaitGroup // jobs with a result to send

	lacks   atomic.Pointer[string] // a revision that a job needs and this runner does not have; the first one was logged
	failing bool                   // asking for jobs fails; this was logged

	busy    atomic.Int64 // places in use
	mu      sync.Mutex
	mine    map[uint64]*running // by sequence of the job in the queue
	tenants map[string]*catalog.Own
	used    *catalog.Catalog // the latest one
}

// running is a run that this runner has.
type running struct {
	msg atomic.Pointer[jetstream.Msg] // the latest delivery of its job
	job *job
	seq uint64 // of the job in the queue
	// again reports whether the job was delivered before, to this runner or another.
	again bool
	span  *telemetry.Span
}

// later returns the job to the queue; it is delivered again after a delay.
func (r *running) later(delay time.Duration) { (*r.msg.Load()).NakWithDelay(delay) }

// Serve runs the scripts of a pool until ctx ends. Scripts under way then have RunnerOptions.Grace
// to finish.
func (c *Cluster) Serve(ctx context.Context, o *RunnerOptions) error {
	r := &runner{c: c, o: *o, log: c.log, mine: map[uint64]*running{}, tenants: map[string]*catalog.Own{}}
	r.o.Pool, r.o.MaxRuns = cmp.Or(o.Pool, DefaultPool), cmp.Or(o.MaxRuns, DefaultRuns)
	if err := errors.Join(ValidPool(r.o.Pool), (&policy.Policy{Deny: o.Deny}).Validate()); err != nil {
		return err
	}
	var queue jetstream.Consumer
	err := c.retry(ctx, func(ctx context.Context) (err error) {
		queue, err = c.queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: token(r.o.Pool),
			FilterSubject: prefix + "run." + token(r.o.Pool) + ".>", AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.o.AckWait,
			MaxDeliver: -1, MaxAckPending: -1})
		return err
	})
	if err != nil && ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the queue of the pool %q: %w", r.o.Pool, err)
	}
	leave, err := c.announce(func(p *Process) { p.Runner = &Runner{r.o.Pool, int(r.busy.Load()), r.o.MaxRuns} })
	if err != nil {
		return err
	}
	defer leave()
	// Scripts continue for the grace time after ctx ends.
	scripts, kill := context.WithCancel(c.ctx)
	defer kill()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(r.o.Grace, kill) })()
	var jobs sync.WaitGroup
	places := make(chan struct{}, r.o.MaxRuns)
	for ctx.Err() == nil {
		select {
		case places <- struct{}{}: // ask only when a place is free, so that no job waits here
		case <-ctx.Done():
			continue
		}
		msg := r.next(ctx, queue)
		if msg == nil {
			<-places
			continue
		}
		jobs.Go(func() {
			defer func() { <-places }()
			r.take(scripts, msg)
		})
	}
	jobs.Wait()
	r.end.Wait()
	return r.drain()
}

// drain waits for effect calls under way, so that their outcome gets into their records.
func (r *runner) drain() error {
	r.mu.Lock()
	cat := r.used
	r.mu.Unlock()
	if cat == nil || r.o.Grace <= 0 {
		return nil
	}
	calls, ok := cat.Calls.(interface{ Drain(context.Context) error })
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.o.Grace)
	defer cancel()
	return calls.Drain(ctx)
}

// next returns the next job of the queue, or nil if none came within pullFor.
func (r *runner) next(ctx context.Context, queue jetstream.Consumer) jetstream.Msg {
	msg, err := queue.Next(jetstream.FetchMaxWait(pullFor))
	switch {
	case err == nil && ctx.Err() != nil:
		msg.Nak()
		return nil
	case err == nil || errors.Is(err, nats.ErrTimeout) && r.c.conn.IsConnected():
		r.failing = false
		return msg
	case r.c.conn.IsConnected() && !lostRequest(err) && !r.failing: // a lost connection has been logged already
		r.failing = true
		r.log.Warn("no jobs from the cluster; asking again each second", "error", err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
	return nil
}

// take runs a job that was delivered.
func (r *runner) take(ctx context.Context, msg jetstream.Msg) {
	j, err := parseJob(msg.Data())
	if err != nil {
		if errors.Is(err, errVersion) {
			msg.NakWithDelay(versionDelay)
			return
		}
		r.log.Error("an unreadable job is dropped", "subject", msg.Subject(), "error", err)
		msg.TermWithReason("it cannot be read")
		return
	}
	meta, err := msg.Metadata()
	if err != nil {
		r.log.Error("a job without queue metadata is dropped", "subject", msg.Subject(), "error", err)
		return
	}
	seq := meta.Sequence.Stream
	if own := r.running(seq); own != nil { // the run is under way; its job was delivered again
		own.msg.Store(&msg)
		return
	}
	if err := r.c.fetchApart(ctx, j); err != nil {
		r.log.Error("a job is returned to the queue", "run", j.ID, "error", err)
		msg.NakWithDelay(versionDelay)
		return
	}
	r.c.counts.taken.Add(1)
	r.c.counts.waited.Add(int64(max(time.Since(meta.Timestamp), 0)))
	run := &running{job: j, seq: seq, again: meta.NumDelivered > 1}
	if run.again {
		r.c.counts.redelivered.Add(1)
	}
	run.msg.Store(&msg)
	r.mu.Lock()
	r.mine[seq] = run
	r.mu.Unlock()
	run.span, ctx = r.o.Telemetry.Run(j.trace(ctx), &telemetry.Job{Run: j.ID, Pool: j.Pool, Queued: meta.Timestamp,
		Delivered: meta.NumDelivered})
	r.busy.Add(1)
	out := r.run(ctx, run)
	r.busy.Add(-1)
	if out != nil { // otherwise the job stays in the queue, or another process has it
		run.span.End(out.status(), out.res)
	}
	r.end.Go(func() { // the place is free meanwhile
		if out != nil {
			r.c.sendResult(j, out)
			r.ack(run)
		}
		r.mu.Lock()
		delete(r.mine, seq)
		r.mu.Unlock()
	})
}

func (r *runner) running(seq uint64) *running {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mine[seq]
}

// ack removes a job from the queue.
func (r *runner) ack(run *running) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.c.ctx), r.c.o.AckWait)
	defer cancel()
	if err := r.c.retry(ctx, (*run.msg.Load()).DoubleAck); err != nil {
		r.log.Warn("a finished job may be delivered again", "run", run.job.ID, "error", err) // the next runner finds its end
	}
	r.c.dropApart(run.job.ID, run.job.Apart)
}

// run runs a job and returns its result, or nil if the job stays in the queue.
func (r *runner) run(ctx context.Context, run *running) (out *jobResult) {
	j := run.job
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended, stays := make(chan struct{}), false
	sub, err := r.c.conn.Subscribe(cancelSubject(j.ID), func(m *nats.Msg) {
		cancel()
		go func() {
			select {
			case <-ended:
				if stays {
					m.Respond([]byte(notCanceled))
					return
				}
			case <-time.After(cancelAnswer):
			}
			m.Respond(nil)
		}()
	})
	if err != nil {
		r.log.Error("a job is returned to the queue", "run", j.ID, "error", err)
		run.later(time.Second)
		return nil
	}
	defer func() {
		stays = out != nil && out.res != nil && out.res.Unsettled()
		close(ended)
		sub.Drain() // answers the messages that are under way
	}()
	stop := r.beat(ctx, run, cancel)
	defer stop()
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("panic", "run", j.ID, "panic", fmt.Sprint(p))
			out = &jobResult{err: fmt.Errorf("running the script failed inside the runner: %.200v", p)}
		}
	}()
	if !r.c.HasRevision(ctx, j.Revision) {
		if r.lacks.Swap(&j.Revision) == nil {
			r.log.Warn("a job waits for a registry of the cluster that is not here; a runner with -registry or -no-watch "+
				"does not follow it", "run", j.ID, "revision", j.Revision)
		}
		run.later(time.Second)
		return nil
	}
	if run.again || j.Kind == kindResume || time.Now().After(j.Until) {
		if out, done := r.earlierAttempt(ctx, run); done {
			return out
		}
	}
	s, release, err := r.script(ctx, run)
	if err != nil {
		return &jobResult{err: err}
	}
	defer release()
	var res *outcome.Result
	if j.Kind == kindResume {
		res, err = r.o.Harness.Resume(ctx, j.ID, s)
	} else {
		res, err = r.o.Harness.Run(ctx, s)
	}
	if errors.Is(err, store.ErrTaken) {
		r.c.counts.refused.Add(1)
	}
	unwritten := err
	if err == nil {
		unwritten = res.Unwritten
	}
	switch {
	case j.Kind == kindRun && errors.Is(err, store.ErrTaken):
		out, _ := r.earlierAttempt(ctx, run)
		return out
	case errors.Is(unwritten, store.ErrTaken):
		r.log.Warn("a run was taken over by another process", "run", j.ID)
		run.span.End("taken_over", res)
		return nil // the new owner sends the result
	case lostRequest(unwritten):
		r.log.Warn("the end of a run was not recorded", "run", j.ID, "error", unwritten)
		run.later(time.Second)
		return nil // the next runner of the job ends the record
	}
	return &jobResult{res, err}
}

// beat keeps the job from being delivered again until stop is called. If the engine cannot be
// reached for AckWait, another runner may have the job, and the script is canceled.
func (r *runner) beat(ctx context.Context, run *running, cancel func()) (stop func()) {
	ctx, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(r.c.o.AckWait / 4)
		defer tick.Stop()
		last := time.Now()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			try, cancelTry := context.WithTimeout(ctx, min(requestTimeout, r.c.o.AckWait/4))
			_, err := r.c.conn.RequestWithContext(try, (*run.msg.Load()).Reply(), []byte("+WPI"))
			cancelTry()
			if err == nil {
				last = time.Now()
			} else if ctx.Err() == nil && time.Since(last) > r.c.o.AckWait {
				r.log.Error("the cluster cannot be reached: a script is canceled", "run", run.job.ID, "error", err)
				cancel()
				return
			}
		}
	}()
	return func() {
		end()
		<-done
	}
}

// earlierAttempt looks for an earlier attempt of a job. If done is true, the job does not begin now, and
// out is its result; out is nil if the job stays in the queue or was canceled.
func (r *runner) earlierAttempt(ctx context.Context, run *running) (out *jobResult, done bool) {
	j := run.job
	if j.Kind == kindResume {
		err := r.c.retry(ctx, func(ctx context.Context) error {
			_, err := r.c.queue.GetMsg(ctx, run.seq)
			return err
		})
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, true // it was canceled
		}
	}
	rec, err := r.o.Records.Load(j.ID)
	begun := err == nil && (j.Kind == kindRun || len(rec.Attempts) > j.Attempts)
	switch {
	case errors.Is(err, store.ErrNotFound) && j.Kind == kindRun, err == nil && !begun:
		if time.Now().After(j.Until) {
			r.ack(run) // its front end withdraws it, or is gone
			return nil, true
		}
		return nil, false
	case err != nil:
		r.log.Warn("a job is returned to the queue", "run", j.ID, "error", err)
		run.later(time.Second)
		return nil, true
	case rec.End != nil && !rec.Running:
		res, err := outcome.FromRecord(rec)
		return &jobResult{res, err}, true
	case rec.Running && (j.Kind == kindResume || rec.End != nil || len(rec.Attempts) > 0): // another job resumes it
		run.later(time.Second)
		return nil, true
	case r.o.RerunReads && onlyRead(rec):
		if s, release, err := r.script(ctx, run); err == nil {
			defer release()
			res, err := r.o.Harness.Resume(ctx, j.ID, s)
			var running *store.RunningError
			var no *harness.NotResumableError
			switch {
			case errors.As(err, &running): // its process may still be alive
				run.later(r.c.o.AckWait / 10)
				return nil, true
			case err == nil && res.Unwritten == nil:
				return &jobResult{res: res}, true
			case err != nil && !errors.As(err, &no):
				r.log.Warn("a run with only read calls cannot be resumed", "run", j.ID, "error", err)
			}
		}
	}
	res, err := r.o.Harness.EndLost(j.ID)
	if err == nil {
		r.c.counts.lost.Add(1)
	}
	if errors.Is(err, store.ErrEnded) {
		if rec, err = r.o.Records.Load(j.ID); err == nil {
			res, err = outcome.FromRecord(rec)
		}
	}
	if err != nil {
		r.log.Warn("a lost run cannot be ended", "run", j.ID, "error", err)
		run.later(r.c.o.AckWait / 10)
		return nil, true
	}
	return &jobResult{res: res}, true
}

// onlyRead reports whether a run has sent only read calls.
func onlyRead(run *record.Run) bool {
	for _, l := range run.Lines {
		if c, ok := l.(*record.Call); ok && c.Class != record.Read {
			return false
		}
	}
	return true
}

// script returns the script of a job, with the limits and the policy of this runner.
func (r *runner) script(ctx context.Context, run *running) (s *harness.Script, release func(), err error) {
	j := run.job
	s = j.script()
	s.Limits = stricter(s.Limits, r.o.Limits)
	s.Policy = r.o.restrict(s.Policy)
	release = func() {}
	if r.o.Catalog != nil {
		var cat *catalog.Catalog
		if cat, release, err = r.o.Catalog(ctx); err != nil {
			return nil, nil, err
		}
		r.mu.Lock()
		r.used = cat
		r.mu.Unlock()
		s.Catalog = r.catalogFor(j, cat)
	}
	if j.Lines || run.span != nil {
		s.OnProgress = func(p record.Progress) {
			run.span.Progress(p)
			if j.Lines && p.Begin == nil { // the front end has chosen the record's name
				r.c.progress(j, &event{Progress: &p})
			}
		}
	}
	if j.Output {
		s.Stdout = printer(func(b []byte) { r.c.progress(j, &event{Stdout: b}) })
	}
	if j.Errors {
		s.Stderr = printer(func(b []byte) { r.c.progress(j, &event{Stderr: b}) })
	}
	if j.Asks {
		s.Ask = func(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error) {
			return r.c.askUser(ctx, j, server, q)
		}
	}
	return s, release, nil
}

// maxTenants is how many tenants' catalogs are cached.
const maxTenants = 1000

// catalogFor returns the catalog with the saved scripts and inferred result types of the job's tenant.
func (r *runner) catalogFor(j *job, cat *catalog.Catalog) *catalog.Catalog {
	key, anonymous := j.Script.Origin.Tenant, j.Script.Origin.Anonymous
	if key == "" && !anonymous {
		return cat
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tenants[key]
	if t == nil {
		if len(r.tenants) >= maxTenants {
			clear(r.tenants)
		}
		t = &catalog.Own{}
		r.tenants[key] = t
	}
	if anonymous {
		key = ""
	}
	seen, err := t.Of(cat, key)
	if err != nil {
		r.log.Warn("the inferred result types of a token were reset", "error", err)
	}
	return seen
}

// progress sends the front end of a job an event, which may be lost.
func (c *Cluster) progress(j *job, e *event) {
	ctx, cancel := c.bounded()
	defer cancel()
	if m, err := c.eventMessage(ctx, j.ID, eventSubject(j.Front, j.ID), e); err == nil {
		c.conn.PublishMsg(m)
	}
}

// printer is an io.Writer that sends the output of a script.
type printer func([]byte)

func (p printer) Write(b []byte) (int, error) {
	p(b)
	return len(b), nil
}

// sendResult sends the result of a job to its front end until it acknowledges the result.
func (c *Cluster) sendResult(j *job, out *jobResult) {
	var e event
	var err error
	if out.err != nil {
		e.Error, err = harness.EncodeError(out.err)
	} else {
		e.Result, err = outcome.Encode(out.res)
	}
	var m *nats.Msg
	if err == nil {
		ctx, cancel := c.bounded()
		defer cancel()
		m, err = c.eventMessage(ctx, j.ID, doneSubject(j.Front, j.ID), &e)
	}
	if err != nil {
		c.log.Error("the result of a run cannot be sent", "run", j.ID, "error", err) // it is in the record
		return
	}
	for range resultTries {
		if _, err := c.conn.RequestMsg(m, requestTimeout); !lostRequest(err) || errors.Is(err, nats.ErrNoResponders) {
			return
		}
	}
}

// askUser asks the user of a job's front end.
func (c *Cluster) askUser(ctx context.Context, j *job, server string, q *backend.Question) (*backend.Reply, error) {
	b, err := marshal(userQuestion{V: 1, Server: server, Key: q.Key, Mode: q.Mode, Message: q.Message, URL: q.URL,
		Schema: q.Schema})
	if err != nil {
		return nil, err
	}
	inbox := c.conn.NewInbox()
	sub, err := c.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	try, cancel := context.WithTimeout(ctx, c.o.AckWait)
	defer cancel()
	err = c.retry(try, func(context.Context) error { return c.conn.PublishRequest(askSubject(j.Front, j.ID), inbox, b) })
	if err != nil {
		return nil, fmt.Errorf("asking the user: %w", c.reached(err))
	}
	for {
		beat, cancel := context.WithTimeout(ctx, beatsMissed*beatEvery)
		msg, err := sub.NextMsgWithContext(beat)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("asking the user: %w", cmp.Or(ctx.Err(), err))
		}
		if len(msg.Data) == 0 && msg.Header.Get("Status") == "" {
			continue // it is still being asked
		}
		var a userReply
		switch err := json.Unmarshal(msg.Data, &a); {
		case err != nil:
			return nil, errors.New("asking the user: the front end is gone")
		case a.Error != "":
			return nil, errors.New(a.Error)
		case a.Reply == nil:
			return nil, errNotAsked
		}
		return a.Reply, nil
	}
}
