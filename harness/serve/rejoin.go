package serve

import (
	"context"
	"errors"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
)

// rejoin returns the result of an earlier run of the same request, or nil if the script must run.
// It waits for a run that is under way.
func (c *session) rejoin(ctx context.Context, script *harness.Script) (*outcome.Result, error) {
	for try := 1; ; try++ {
		res, err := c.s.harness.Rejoin(ctx, script)
		var running *store.RunningError
		if !errors.As(err, &running) || running.Run == "" {
			return res, err
		}
		res, err = c.waitResult(ctx, running.Run)
		if errors.Is(err, outcome.ErrNotEnded) && try < maxDied { // its process died meanwhile
			continue
		}
		if err == nil && !res.Unsettled() {
			c.s.harness.Deliver(running.Run)
		}
		return res, err
	}
}

// maxDied is how many processes that resume the run of a request may die.
const maxDied = 3
