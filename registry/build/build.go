package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/config"
)

// Options configure a build.
type Options struct {
	// Previous is the registry of an earlier build. If nil, everything is new.
	Previous *registry.Registry
	// Pins is the path of the pins file (registry.PinsPath), which is read, and written if pins
	// change. If empty, the pins of Previous are used.
	Pins string
	// Embed adds missing embeddings to the tools and sets Registry.Embedder. The registry has the
	// embeddings and the Embedder of Previous if those were kept; a hook with another model makes
	// all of them anew. If nil, only the embeddings of Previous are used.
	Embed func(ctx context.Context, r *registry.Registry) error
	// Progress is called when a server is asked and when it has answered or failed, never
	// concurrently. It may be nil.
	Progress func(Event)
	// Only are the servers to ask. Other servers are copied from Previous, if it has them. If
	// nil, all are asked.
	Only map[string]bool
	// Changed asks only the servers with a definition that differs from the one in Previous, even
	// if the answer there is an error.
	Changed bool
	// Once disables the second attempt for servers that did not answer in time.
	Once bool
	// Dial connects to a server. If nil, a dial.Dialer does.
	Dial func(ctx context.Context, s config.Server) (backend.Backend, error)
}

// Lend returns an Options.Dial that uses the connections of a pool and keeps them open. done is
// called when a server has been asked; it may be nil.
func Lend(pool *backend.Pool, done func(server string)) func(context.Context, config.Server) (backend.Backend, error) {
	return func(ctx context.Context, s config.Server) (backend.Backend, error) {
		if s.Err != nil {
			return nil, s.Err
		}
		b, err := pool.Connect(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		return &lent{b, s.Name, done}, nil
	}
}

// lent is a connection that belongs to a pool.
type lent struct {
	backend.Backend
	server string
	done   func(server string)
}

func (l *lent) Close() error {
	if l.done != nil {
		l.done(l.server)
	}
	return nil
}

// Event is the progress of one server in a build.
type Event struct {
	Server string
	Done   bool // it has answered or failed; otherwise it is being asked
	Tools  int
	Time   time.Duration
	Err    error
	// Finished is the number of servers that are done, of Total.
	Finished, Total int
}

// secondTries is the time limit of all second attempts together, for servers that did not answer
// in time.
const secondTries = 2 * time.Minute

// Build asks the servers of a config for their tools and returns a registry of them. opts may be
// nil. A server that fails is reported in the Report. The error is that of ctx or of
// Options.Embed.
func Build(ctx context.Context, c *config.Config, opts *Options) (*registry.Registry, *Report, error) {
	j := Start(ctx, c, opts)
	defer j.Close()
	if err := j.Wait(ctx); err != nil {
		return nil, nil, fmt.Errorf("building registry: %w", err)
	}
	return j.Registry(ctx)
}

// Job is a running build. Close it.
type Job struct {
	config *config.Config
	opts   Options
	start  time.Time
	cancel context.CancelFunc
	work   sync.WaitGroup

	done []chan struct{} // by server; closed when it has answered or failed

	mu       sync.Mutex // of all fields below, and of calls to Progress
	asked    []string   // names; set by Start
	answers  []answer
	finished int
	last     *registry.Registry // result of the last call of Registry
}

// errPending is the error of a server without an answer yet.
var errPending = errors.New("it has not answered yet")

// Start begins to ask the servers of a config for their tools and returns immediately. The job
// ends with ctx, or when it is closed.
func Start(ctx context.Context, c *config.Config, opts *Options) *Job {
	j := Prepare(c, opts)
	j.Ask(ctx)
	return j
}

// Prepare returns a job that asks no server until Ask is called.
func Prepare(c *config.Config, opts *Options) *Job {
	j := &Job{config: c, start: time.Now(), cancel: func() {}, done: make([]chan struct{}, len(c.Servers)),
		answers: make([]answer, len(c.Servers))}
	if opts != nil {
		j.opts = *opts
	}
	if j.opts.Dial == nil {
		j.opts.Dial = dial.New(&dial.Options{Known: j.opts.Previous}).Open
	}
	for i, s := range c.Servers {
		j.done[i] = make(chan struct{})
		a, ok := known(&s, j.opts)
		if !ok {
			a = answer{server: registry.Server{Name: s.Name, Transport: s.Type}, err: errPending}
			j.asked = append(j.asked, s.Name)
		} else {
			close(j.done[i])
		}
		j.answers[i] = a
	}
	return j
}

// Ask begins to ask the servers of the job: first those named in first, and the others once these
// have answered, failed or been too slow. The job ends with ctx, or when it is closed. Call Ask
// once.
func (j *Job) Ask(ctx context.Context, first ...string) {
	ctx, j.cancel = context.WithCancel(ctx)
	j.work.Go(func() { j.askAll(ctx, first) })
}

// Close ends the job, and its requests to servers that have not answered.
func (j *Job) Close() {
	j.cancel()
	j.work.Wait()
}

// Wait waits until the named servers, or all if none is named, have answered or failed. The error
// is that of ctx.
func (j *Job) Wait(ctx context.Context, servers ...string) error {
	for i, s := range j.config.Servers {
		if len(servers) > 0 && !slices.Contains(servers, s.Name) {
			continue
		}
		select {
		case <-j.done[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// Asked returns the names of the servers that the job asks or has asked.
func (j *Job) Asked() []string { return slices.Clone(j.asked) }

// Pending returns the names of the servers that have not answered yet.
func (j *Job) Pending() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var names []string
	for i := range j.answers {
		if j.answers[i].pending() {
			names = append(names, j.answers[i].server.Name)
		}
	}
	return names
}

// Server waits for the answer of the i-th server of the config and returns its report and its
// tools. The error is that of ctx.
func (j *Job) Server(ctx context.Context, i int) (ServerReport, []registry.Tool, error) {
	if err := j.Wait(ctx, j.config.Servers[i].Name); err != nil {
		return ServerReport{}, nil, err
	}
	j.mu.Lock()
	a := j.answers[i]
	j.mu.Unlock()
	j.finish(i, &a)
	return a.report(), a.tools, nil
}

// finish turns a copy of the i-th answer into the form for a registry.
func (j *Job) finish(i int, a *answer) {
	a.tools, a.server.Problems = slices.Clone(a.tools), slices.Clone(a.server.Problems)
	a.recall(j.opts.Previous)
	a.server.Skills = slices.Clone(a.server.Skills) // holding changes them
	a.choose(&j.config.Servers[i])
	a.confine(j.config.Servers)
}

// Registry returns a registry of the answers so far. Servers that have not answered yet are
// copied from Options.Previous, marked stale. Its Config is empty while there are such servers,
// so that it does not count as complete.
func (j *Job) Registry(ctx context.Context) (*registry.Registry, *Report, error) {
	j.mu.Lock()
	answers, last := slices.Clone(j.answers), j.last
	j.mu.Unlock()
	c, o := j.config, j.opts
	r := &registry.Registry{Config: c.Digest()}
	report := &Report{Servers: make([]ServerReport, 0, len(answers))}
	for i := range answers {
		a := &answers[i]
		j.finish(i, a)
		a.server.Definition, a.server.Rules = c.Servers[i].Digest(), c.Servers[i].Rules()
		if a.pending() {
			r.Config, a.server.Definition = "", ""
		}
		r.Servers = append(r.Servers, a.server)
		r.Tools = append(r.Tools, a.tools...)
		report.Servers = append(report.Servers, a.report())
	}
	r.Normalize()
	unlock := registry.LockPins()
	waiting, pins := hold(r, o.Previous, c.Servers, answers, o.Pins)
	report.Pins = cmp.Or(pins.Err, pins.Save(o.Pins))
	unlock()
	derive(r, o.Previous)
	derive(r, last)
	for _, known := range []*registry.Registry{o.Previous, last} {
		if known != nil && slices.ContainsFunc(r.Tools, func(t registry.Tool) bool { return len(t.Embedding) > 0 }) {
			r.Embedder = known.Embedder
		}
	}
	if o.Embed != nil {
		if err := o.Embed(ctx, r); err != nil {
			return nil, nil, fmt.Errorf("embedding tools: %w", err)
		}
	}
	report.Changes = registry.Diff(o.Previous, r)
	report.Changed = changed(o.Previous, r, report.Changes.Changed)
	for _, id := range waiting {
		accepted, now := pins.ChangeOf(r, id)
		if c := Compare(id, accepted, now); len(c.What) > 0 {
			c.Held = true
			report.Changed = append(report.Changed, c)
			report.Changes.Changed = append(report.Changes.Changed, id)
			report.Changes.Added = slices.DeleteFunc(report.Changes.Added, func(new string) bool { return new == id })
		}
	}
	report.Time = time.Since(j.start)
	j.mu.Lock()
	j.last = r
	j.mu.Unlock()
	return r, report, nil
}

// askAll asks the servers concurrently. Then it asks those that did not answer in time once more,
// one after the other, because the machine may have been busy.
func (j *Job) askAll(ctx context.Context, first []string) {
	late := make([]*answer, len(j.answers)) // first attempts that took too long
	attempt := func(i int) {
		j.tell(Event{Server: j.config.Servers[i].Name})
		a := j.ask(ctx, i, false)
		if !j.opts.Once && errors.Is(a.err, context.DeadlineExceeded) && ctx.Err() == nil {
			late[i] = &a
			return
		}
		j.answered(ctx, i, a)
	}
	var needed, others sync.WaitGroup
	for _, now := range []bool{true, false} { // all of needed begin before the first of others waits for them
		for i, s := range j.config.Servers {
			switch {
			case !slices.Contains(j.asked, s.Name) || slices.Contains(first, s.Name) != now:
			case now:
				needed.Go(func() { attempt(i) })
			default:
				others.Go(func() { needed.Wait(); attempt(i) })
			}
		}
	}
	others.Wait()
	needed.Wait()
	again, cancel := context.WithTimeout(ctx, secondTries)
	defer cancel()
	for i, a := range late {
		if a == nil {
			continue
		}
		if again.Err() == nil {
			second := j.ask(again, i, true)
			second.time += a.time
			if again.Err() == nil {
				a = &second
			}
		}
		j.answered(ctx, i, *a)
	}
}

// ask asks one server. again marks the second attempt.
func (j *Job) ask(ctx context.Context, i int, again bool) answer {
	s := j.config.Servers[i]
	start := time.Now()
	b, err := j.opts.Dial(ctx, s)
	var pause *backend.PauseError
	if errors.As(err, &pause) && again { // caused by the first attempt through a pool
		select {
		case <-time.After(pause.Wait):
			b, err = j.opts.Dial(ctx, s)
		case <-ctx.Done():
		}
	}
	if errors.As(err, &pause) { // its duration is not of interest
		err = pause.Err
	}
	var l *backend.Listing
	if err == nil {
		// Close after the answer is reported, because closing may take a while.
		defer j.work.Go(func() { b.Close() })
		l, err = b.List(ctx)
	}
	a := answer{err: err, time: time.Since(start)}
	if a.server = (registry.Server{Name: s.Name, Transport: s.Type}); err == nil {
		a.server, a.tools = l.Server, l.Tools
		a.server.Name = s.Name
		for i := range a.tools {
			a.tools[i].Server = s.Name
		}
	}
	return a
}

// answered stores the answer of a server. It ignores failures that the end of the job caused.
func (j *Job) answered(ctx context.Context, i int, a answer) {
	defer close(j.done[i])
	if a.err != nil && ctx.Err() != nil {
		return
	}
	j.mu.Lock()
	j.answers[i] = a
	j.mu.Unlock()
	j.tell(Event{Server: a.server.Name, Done: true, Tools: len(a.tools), Time: a.time, Err: a.err})
}

func (j *Job) tell(e Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Done {
		j.finished++
	}
	if j.opts.Progress != nil {
		e.Finished, e.Total = j.finished, len(j.asked)
		j.opts.Progress(e)
	}
}
