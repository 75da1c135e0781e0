package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// Clock implements worker.Host.
func (r *run) Clock(readings []worker.Reading, lost bool) { r.journal.Clock(r.path, readings, lost) }

// Still implements worker.Host.
func (r *run) Still(ctx context.Context, next time.Time, waiting, answered int) (worker.Next, error) {
	return r.answers.Still(ctx, next, waiting, answered)
}

// recorded binds a script to the tools of its record. The script of a resumed run can call
// the tools that have not changed. ok is false if the script must not run.
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
	json.Unmarshal(line.Phrases, &r.bound.Uses) // for display only
	r.result.Tools = r.bound.Uses
	if r.tree.asks.run == nil || len(line.Tools)+len(line.Own) == 0 {
		return tools, true, nil
	}
	if ok, err := r.bound.Load(ctx, n); !ok {
		return tools, err == nil, err
	}
	r.beginFlow(r.script.Source)
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
		r.tree.rerun.Final = true
		r.stop(outcome.Diverged, outcome.Error{Kind: outcome.KindRuntime, Message: fmt.Sprintf("the session of %s is lost: it keeps state in its "+
			"process (usetools.session), which was restarted after the run called it; run the script again from the start", server)})
		return nil, false, nil
	}
	_, errs := r.bound.Judge()
	tools.Go = len(errs) == 0
	return tools, true, nil
}

// earlier adds a call that an earlier attempt of a resumed run made to the result, and
// returns its answer. If the record hides secrets in the answer, the server is asked again.
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
		r.result.AddEffect(r.placed(m.Call.Place).At(), c.Tool, args)
	}
	r.mu.Unlock()
	if m.Done.Error == "" && m.Done.Result.Redacted {
		a.Result, err = r.readAgain(ctx, m, args)
	}
	return a, err
}

// sessionKeeper is a Caller that knows which servers keep state in their process, and since when
// they have the state of the subject's calls. If since is zero, they have no such state.
type sessionKeeper interface {
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
			if c, ok := r.bound.Catalog.Calls.(sessionKeeper); ok {
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

// readAgain asks a server again for a result in which the record hides secrets. The script
// gets the result only if it is unchanged.
func (r *run) readAgain(ctx context.Context, m *record.Made, args registry.Args) (json.RawMessage, error) {
	t := r.bound.Allowed[m.Call.Tool]
	if t == nil {
		return nil, r.diverge(&changedError{m.Call.Tool})
	}
	res, _, err := r.send(ctx, ctx, t, args, &backend.Send{})
	if err != nil {
		return nil, r.diverge(fmt.Errorf("the record has only part of the answer of call %d (%s), and asking the server "+
			"again failed: %w", m.Call.N, t.ID, err))
	}
	if same, err := r.tree.asks.run.Same(m.Done.Result, res.Raw); err != nil || !same {
		return nil, r.diverge(fmt.Errorf("the record has only part of the answer of call %d (%s), and the server now "+
			"gives a different one", m.Call.N, t.ID))
	}
	return res.Raw, nil
}
