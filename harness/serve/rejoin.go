package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
)

// sent are the requests that are under way, and those whose answers did not reach
// their clients: what is sent again is not to be done again.
type sent struct {
	mu       sync.Mutex
	underWay map[string][]*flight // by digest of the request
	lost     map[string]string    // runs whose answers were lost, by digest
	order    []string             // of lost, the oldest first
}

// flight is one request that is under way.
type flight struct {
	ctx  context.Context // ends when the client has gone
	done chan struct{}   // closed when it has ended
}

// maxLost is how many runs are remembered whose answers were lost.
const maxLost = 1000

// once waits until no other request is under way that is to be done once with a key of
// a subject, and keeps others waiting until release is called.
func (s *sent) once(ctx context.Context, subject, key string) (release func(), err error) {
	at := "once\x00" + subject + "\x00" + key
	for {
		s.mu.Lock()
		if s.underWay == nil {
			s.underWay, s.lost = map[string][]*flight{}, map[string]string{}
		}
		before := s.underWay[at]
		if len(before) == 0 {
			f := &flight{ctx, make(chan struct{})}
			s.underWay[at] = []*flight{f}
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				delete(s.underWay, at)
				close(f.done)
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-before[0].done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// begin notes a request of a digest; its end is to be told, with what it came to, nil
// for nothing.
func (s *sent) begin(ctx context.Context, digest string) (end func(context.Context, *harness.Result)) {
	if digest == "" {
		return func(context.Context, *harness.Result) {}
	}
	f := &flight{ctx, make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay == nil {
		s.underWay, s.lost = map[string][]*flight{}, map[string]string{}
	}
	s.underWay[digest] = append(s.underWay[digest], f)
	return func(ctx context.Context, res *harness.Result) {
		s.mu.Lock()
		defer s.mu.Unlock()
		all := s.underWay[digest]
		for i, other := range all {
			if other == f {
				all = append(all[:i:i], all[i+1:]...)
			}
		}
		if s.underWay[digest] = all; len(all) == 0 {
			delete(s.underWay, digest)
		}
		if ctx.Err() != nil && res != nil && res.Run != "" && res.Status != harness.Canceled && !unsettled(res) {
			s.losesLocked(digest, res.Run)
		}
		close(f.done)
	}
}

func (s *sent) losesLocked(digest, run string) {
	if _, again := s.lost[digest]; !again {
		s.order = append(s.order, digest)
	}
	s.lost[digest] = run
	for len(s.order) > maxLost {
		delete(s.lost, s.order[0])
		s.order = s.order[1:]
	}
}

// take returns the run whose answer to a request was lost, "" where there is none,
// and forgets it.
func (s *sent) take(digest string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	run := s.lost[digest]
	if run != "" {
		delete(s.lost, digest)
	}
	return run
}

// settle waits for requests of a digest whose clients have gone: they are about to
// end.
func (s *sent) settle(ctx context.Context, digest string) error {
	s.mu.Lock()
	var gone []*flight
	for _, f := range s.underWay[digest] {
		if f.ctx.Err() != nil {
			gone = append(gone, f)
		}
	}
	s.mu.Unlock()
	for _, f := range gone {
		select {
		case <-f.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// requestDigest tells a request from others, "" where none is known again.
func (c *session) requestDigest(args *executeArgs) string {
	if c.s.opts.NoRejoin || c.owner == nobody || args.DryRun {
		return ""
	}
	return c.s.records.RequestDigest(c.owner.subject(), args.Script, args.Inputs, args.DryRun)
}

// rejoins is what an earlier run of the same request came to, or is gone on with to;
// nil: there is none that the client still asks for.
func (c *session) rejoins(ctx context.Context, script *harness.Script) (*harness.Result, error) {
	digest := c.requestDigest(&executeArgs{Script: script.Source, Inputs: script.Inputs, DryRun: script.Dry})
	if digest != "" {
		if err := c.s.sent.settle(ctx, digest); err != nil {
			return nil, err
		}
		if id := c.s.sent.take(digest); id != "" {
			if run, err := c.recorded(ctx, id); err == nil && run.End != nil {
				res, err := harness.Recorded(run)
				if err == nil {
					res.Warnings = append(res.Warnings, fmt.Sprintf("this is run %s, which began %v ago with the same script and "+
						"inputs, and whose answer was lost; it was not begun again", id, time.Since(run.Begin.Time).Round(time.Second)))
					return res, nil
				}
			}
		}
	}
	for try := 1; ; try++ {
		res, err := c.s.harness.Rejoin(ctx, script)
		var running *record.RunningError
		if !errors.As(err, &running) || running.Run == "" {
			return res, err
		}
		// It is gone on with elsewhere just now.
		res, err = c.comesTo(ctx, running.Run)
		if errors.Is(err, harness.ErrNotEnded) && try < maxDied { // by a process that has died now
			continue
		}
		if err == nil && !unsettled(res) {
			c.s.harness.Give(running.Run)
		}
		return res, err
	}
}

// maxDied is how many processes may die that go on with a run for a request.
const maxDied = 3
