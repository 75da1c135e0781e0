package harness

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/rerun"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// Replay says how to run a script again from the record of its run. No server is asked.
type Replay struct {
	Run *record.Run
	// Source is the script. If empty, it is that of the record. The calls of another script
	// are told apart by tool and arguments alone.
	Source string
	// Catalog has the tools that the script is checked against. If nil, they are those of the
	// record.
	Catalog *catalog.Catalog
	Timeout time.Duration // wall clock; if 0, that of the record's limits, at most 10 min
}

// Replayed is the result of a replay.
type Replayed struct {
	Result     *outcome.Result
	Calls      int               // answered from the record
	Difference *rerun.Difference // the first one, or nil
}

// Replay runs a script again and answers its calls from a record. The error is
// ErrNothingToReplay, says why the record cannot be replayed, or is a fault of the harness.
func (h *Harness) Replay(ctx context.Context, p *Replay) (*Replayed, error) {
	return replay(ctx, p, h.runScript)
}

func replay(ctx context.Context, p *Replay, execute runFunc) (*Replayed, error) {
	end := p.Run.End
	switch {
	case p.Run.Damaged != nil:
		return nil, p.Run.Damaged
	case end == nil:
		return nil, errors.New("the run has not ended, or its process died: its record has no end to compare with")
	}
	recorded, err := p.Run.Text(p.Run.Begin.Script)
	if err != nil {
		return nil, err
	}
	source := cmp.Or(p.Source, recorded)
	if recorded == "" || source == recorded && outcome.NeverBegan(outcome.Status(end.Status)) {
		return nil, rerun.ErrNothingToReplay
	}
	gate, err := record.NewGate(p.Run, source != recorded)
	if err != nil {
		return nil, err
	}
	s, err := recordedScript(p.Run)
	if err != nil {
		return nil, err
	}
	s.Source, s.Catalog = source, p.Catalog
	s.Limits.Timeout = cmp.Or(max(p.Timeout, 0), s.Limits.Timeout)
	l := worker.Limits(s.Limits)
	answers := rerun.New(p.Run, gate, nil)
	answers.Source, answers.Parallel, answers.BindAnew = source, l.WithDefaults().Parallel, p.Catalog != nil
	s.tree = newTree(l)
	s.tree.answers, s.tree.journal = answersOf(answers), journal.New(p.Run.Begin.Seed, nil)
	res, err := execute(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Replayed{Result: res, Calls: answers.Calls(), Difference: answers.Compare(res)}, nil
}
