package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// Answers answers a script that runs again from the record of its run.
type Answers interface {
	// Live reports whether the script makes its calls. A resumed run does so when it has
	// left its record behind, a replay never.
	Live() bool
	// Tools returns what the script was compiled with, and the record's line of it, which may be
	// nil. Both are nil if the script is to be bound.
	Tools(*worker.Needs) (*record.Tools, *worker.Tools, error)
	// Saved returns the saved script that a call of RunScript ran; known is false if the
	// record does not have it.
	Saved(path, name string) (s *library.Script, known bool, err error)
	// RunScript notes that a saved script is to run. ended is called when it has, and told
	// whether its caller gets an answer.
	RunScript() (ended func(answered bool))
	// Ask answers a call of the script at path, and returns the call of the record that answers
	// it. args are its arguments as they would be sent. If neither an answer nor an error is
	// returned, the call is to be made; made is the call of the record that continues, or nil.
	Ask(ctx context.Context, path string, c *worker.Call, args json.RawMessage) (
		a *worker.Answer, made *record.Made, err error)
	// Still is that of worker.Host.
	Still(ctx context.Context, next time.Time, waiting, answered int) (worker.Next, error)
	// Leave notes that the worker of the script has ended.
	Leave()
}

// noAnswers are those of a script that runs for the first time.
type noAnswers struct{}

func (noAnswers) Live() bool { return true }

func (noAnswers) Tools(*worker.Needs) (*record.Tools, *worker.Tools, error) { return nil, nil, nil }

func (noAnswers) Saved(string, string) (*library.Script, bool, error) { return nil, false, nil }

func (noAnswers) RunScript() func(bool) { return func(bool) {} }

func (noAnswers) Ask(context.Context, string, *worker.Call, json.RawMessage) (*worker.Answer, *record.Made, error) {
	return nil, nil, nil
}

func (noAnswers) Still(context.Context, time.Time, int, int) (worker.Next, error) {
	return worker.Await, errors.New("this is no replay")
}

func (noAnswers) Leave() {}

// Clock implements worker.Host.
func (r *run) Clock(readings []worker.Reading, lost bool) { r.journal.Clock(r.path, readings, lost) }

// Still implements worker.Host.
func (r *run) Still(ctx context.Context, next time.Time, waiting, answered int) (worker.Next, error) {
	return r.answers.Still(ctx, next, waiting, answered)
}

// recorded binds a script to the tools of its record. The script of a resumed run can call those
// of them that have not changed. ok is false if the script is not to run.
func (r *run) recorded(ctx context.Context, n *worker.Needs, line *record.Tools, tools *worker.Tools) (
	_ *worker.Tools, ok bool, err error) {
	if n.Probe && !n.Broken {
		r.result.Status = outcome.OK
		return nil, false, nil
	}
	r.bound.Needs.Own = slices.Clone(n.Own)
	if line == nil {
		return tools, true, nil
	}
	json.Unmarshal(line.Phrases, &r.bound.Uses) // for the reader alone
	r.result.Tools = r.bound.Uses
	if r.tree.asks.run == nil || len(line.Tools)+len(line.Own) == 0 {
		return tools, true, nil
	}
	if ok, err := r.bound.Load(ctx, n); !ok {
		return tools, err == nil, err
	}
	r.changed, r.classes = map[string]error{}, map[string]record.Class{}
	for _, was := range line.Tools {
		r.classes[was.ID] = was.Class
		if t, ok := r.bound.View.Tool(was.ID); ok && t.Hash == was.Hash {
			r.bound.Allowed[was.ID] = t
		} else {
			r.changed[was.ID] = &changedError{was.ID}
		}
	}
	if server := r.lostSession(ctx); server != "" {
		r.tree.again.Final = true
		r.stop(outcome.Diverged, outcome.Error{Kind: outcome.KindRuntime, Message: fmt.Sprintf("the session of %s is lost: it keeps state in its "+
			"process (usetools.session), and has been started anew since the run called it; run the script anew", server)})
		return nil, false, nil
	}
	_, errs := r.bound.Judge()
	tools.Go = len(errs) == 0
	return tools, true, nil
}

// earlier lists a call that an earlier attempt of a resumed run made in the result, and returns
// its answer. If secrets in the answer were hidden in the record, the server is asked again.
func (r *run) earlier(ctx context.Context, m *record.Made, args registry.Args, a *worker.Answer, err error) (
	*worker.Answer, error) {
	if r.tree.asks.run == nil || m.Call == nil || m.Done == nil || m.Settle != nil && m.Settle.Happened {
		return a, err
	}
	c := outcome.CallOf(m)
	c.Earlier = true
	r.mu.Lock()
	r.calls++
	c.Number = r.calls
	r.result.Calls = append(r.result.Calls, c)
	if outcome.MadeEffect(m) {
		args, _ := r.tree.asks.run.Value(m.Call.Args)
		r.result.AddEffect(outcome.Where(r.placed(m.Call.Place)), c.Tool, args)
	}
	r.mu.Unlock()
	if m.Done.Error == "" && m.Done.Result.Redacted {
		a.Result, err = r.readAgain(ctx, m, args)
	}
	return a, err
}

// diverge ends a resumed run because one of its calls cannot be made as its record has it.
func (r *run) diverge(err error) error {
	a := r.tree.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.diverged == nil {
		a.diverged = err
	}
	return worker.ErrParked
}

// keeper is a Caller that knows which servers keep state in their process, and since when they
// have the state of the subject's calls. If since is zero, they have none.
type keeper interface {
	Session(ctx context.Context, server string) (keeps bool, since time.Time)
}

// lostSession returns a server that keeps state in its process and has lost that of the run,
// or "".
func (r *run) lostSession(ctx context.Context) string {
	type state struct {
		keeps bool
		since time.Time
	}
	states := map[string]state{}
	for _, m := range r.tree.asks.run.Calls {
		if m.Call == nil || m.Done != nil && m.Done.Kind == record.NotSent {
			continue
		}
		t := r.bound.Allowed[m.Call.Tool]
		if t == nil {
			continue
		}
		s, asked := states[t.Server]
		if !asked {
			if c, ok := r.bound.Catalog.Calls.(keeper); ok {
				s.keeps, s.since = c.Session(ctx, t.Server)
			}
			s.keeps = s.keeps || r.bound.Catalog.Server(t.Server).Session
			states[t.Server] = s
		}
		if s.keeps && (s.since.IsZero() || s.since.After(m.Call.Time)) {
			return t.Server
		}
	}
	return ""
}

// readAgain asks a server again for a result in which the record hides secrets. The script gets
// the result only if it is the same as before.
func (r *run) readAgain(ctx context.Context, m *record.Made, args registry.Args) (json.RawMessage, error) {
	t := r.bound.Allowed[m.Call.Tool]
	if t == nil {
		return nil, r.diverge(&changedError{m.Call.Tool})
	}
	res, _, err := r.send(ctx, ctx, t, args, &backend.Send{})
	if err != nil {
		return nil, r.diverge(fmt.Errorf("the record does not have the whole answer of call %d (%s), and it cannot be asked "+
			"for again: %w", m.Call.N, t.ID, err))
	}
	if same, err := r.tree.asks.run.Same(m.Done.Result, res.Raw); err != nil || !same {
		return nil, r.diverge(fmt.Errorf("the record does not have the whole answer of call %d (%s), and asked again the "+
			"server answers something else", m.Call.N, t.ID))
	}
	return res.Raw, nil
}
