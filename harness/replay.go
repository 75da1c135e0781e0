package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/rerun"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// Replay is a run that is to be done again from its record: no server is asked.
type Replay struct {
	Run *record.Run
	// Source is the script, "" for that of the record. The calls of another one
	// are told apart by tool and arguments alone.
	Source string
	// Catalog has the tools that the script is checked against; nil: those that the
	// record has.
	Catalog *catalog.Catalog
	Timeout time.Duration // wall clock; 0: that of the record's limits, at most 10 min
}

// Replayed is what a replay came to.
type Replayed struct {
	Result     *Result
	Calls      int         // answered from the record
	Difference *Difference // the first one; nil: the same
}

// Replay runs a script again and answers its calls from a record. An error says
// that the record cannot be replayed, or is a fault of the harness.
func (h *Harness) Replay(ctx context.Context, p *Replay) (*Replayed, error) {
	b, end := p.Run.Begin, p.Run.End
	switch {
	case p.Run.Damaged != nil:
		return nil, p.Run.Damaged
	case end == nil:
		return nil, errors.New("the run has not ended, or its process died: its record has no end to compare with")
	}
	recorded, err := p.Run.Text(b.Script)
	if err != nil {
		return nil, err
	}
	source := p.Source
	if source == "" {
		source = recorded
	}
	if recorded == "" || source == recorded && outcome.NeverBegan(Status(end.Status)) {
		return nil, ErrNothingToReplay
	}
	gate, err := record.NewGate(p.Run, source != recorded)
	if err != nil {
		return nil, err
	}
	var limits Limits
	if err := json.Unmarshal(b.Limits, &limits); err != nil {
		return nil, fmt.Errorf("the limits of the record: %w", err)
	}
	limits = Limits(rerun.BoundedLimits(worker.Limits(limits)))
	if p.Timeout > 0 {
		limits.Timeout = p.Timeout
	}
	s := &Script{Source: source, Strict: b.Strict, Catalog: p.Catalog, Limits: limits}
	if s.Inputs, err = p.Run.Values(b.Inputs); err != nil {
		return nil, err
	}
	if s.Origin.Stored, err = p.Run.Values(b.Stored); err != nil {
		return nil, err
	}
	rp := rerun.New(p.Run, gate, nil)
	rp.Source, rp.Parallel, rp.BindAnew = source, worker.Limits(limits).WithDefaults().Parallel, p.Catalog != nil
	s.tree = newTree(worker.Limits(limits))
	s.tree.answers = func(path string, s *worker.Script) answers { return rp.Enter(path, s) }
	s.tree.journal = journal.New(b.Seed, nil)
	res, err := h.run(ctx, s, false)
	if err != nil {
		return nil, err
	}
	return &Replayed{Result: res, Calls: rp.Calls(), Difference: rp.Compare(res)}, nil
}
