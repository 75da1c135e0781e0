package harness

import (
	"context"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/rerun"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// Replay configures a replay: how to run a script again from the record of its run, without any
// server.
type Replay struct {
	Run *record.Run
	// Source is the script. If empty, it is that of the record. Calls of another script are matched
	// by tool and arguments alone.
	Source string
	// Catalog has the tools that the script is checked against. If nil, they are those of the
	// record.
	Catalog *catalog.Catalog
	Timeout time.Duration // wall clock; if 0, that of the record's limits, at most 10 min
}

// Replayed is the result of a replay.
type Replayed struct {
	Result     *outcome.Result
	Calls      int         // answered from the record
	Difference *Difference // the first one, or nil
}

// Replay runs a script again and answers its calls from a record. The error is ErrNothingToReplay,
// explains why the record cannot be replayed, or is a fault of the harness.
func (h *Harness) Replay(ctx context.Context, p *Replay) (*Replayed, error) {
	res, answers, err := rerun.Replay(ctx, &h.engine, p.Run, p.Source, p.Catalog, p.Timeout)
	if err != nil {
		return nil, err
	}
	return &Replayed{Result: res, Calls: answers.Calls(), Difference: answers.Compare(res)}, nil
}
