package rerun

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/engine"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/room"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// Replay runs a script again and answers its calls from a record, see Harness.Replay.
func Replay(ctx context.Context, e *engine.Engine, run *record.Run, source string, c *catalog.Catalog, timeout time.Duration) (
	*outcome.Result, *Replayer, error) {
	end := run.End
	switch {
	case run.Damaged != nil:
		return nil, nil, run.Damaged
	case end == nil:
		return nil, nil, errors.New("the run has not ended, or its process died: its record has no result to compare with")
	}
	recorded, err := run.Text(run.Begin.Script)
	if err != nil {
		return nil, nil, err
	}
	source = cmp.Or(source, recorded)
	if recorded == "" || source == recorded && outcome.NeverBegan(outcome.Status(end.Status)) {
		return nil, nil, ErrNothingToReplay
	}
	gate, err := record.NewGate(run, source != recorded)
	if err != nil {
		return nil, nil, err
	}
	s, err := recordedScript(run)
	if err != nil {
		return nil, nil, err
	}
	s.Source, s.Catalog, s.Room = source, c, room.New(0, nil)
	s.Limits.Timeout = cmp.Or(max(timeout, 0), s.Limits.Timeout)
	answers := New(run, gate, nil)
	answers.Source, answers.Parallel, answers.BindAnew = source, s.Limits.WithDefaults().Parallel, c != nil
	s.Rerun = &engine.Rerun{Journal: journal.New(run.Begin.Seed, nil), Answers: answersOf(answers)}
	res, err := e.Run(ctx, s, false)
	return res, answers, err
}
