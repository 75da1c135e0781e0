package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// Elsewhere runs scripts in other processes that share Options.Records with this one; see
// Options.Elsewhere.
type Elsewhere interface {
	// Run and Resume do what those of a Harness do, including OnProgress, Stdout, Stderr and Ask of
	// the script. The events of a run under way may be incomplete.
	Run(context.Context, *Script) (*outcome.Result, error)
	Resume(ctx context.Context, run string, s *Script) (*outcome.Result, error)
	// Join waits for an unfinished run of the script's Request that no front end has a client for,
	// and returns its Result. Without one, it returns the script's Seen.
	Join(ctx context.Context, s *Script) (*outcome.Result, *Seen, error)
	// HasClient reports whether a process that accepts requests, by Request.Front, can be reached and
	// has a client that waits for the result of the run or has just received it.
	HasClient(ctx context.Context, front, run string) bool
	// Deliver reports whether the result of a run has not been given to its client before. The result
	// counts as given when the client has received it, somewhat later, unless this process dies
	// before.
	Deliver(run string) bool
}

// Seen describes the earlier runs of a request at the time it was looked up.
type Seen struct {
	Run     string // ID of its latest run, or ""
	Version uint64 // of the note about the request
	At      time.Time
}

// ErrSentAgain is returned by Run of Elsewhere if the script's request was sent again after Rejoin
// looked it up. Nothing was run.
var ErrSentAgain = errors.New("the request was sent again after it was looked up")

// Withdraw records the run of a script that was to run elsewhere as canceled, so that no process
// begins it, and returns its result. If the run has begun, the error is store.ErrTaken. The same
// script sent again is another run.
func (h *Harness) Withdraw(s *Script, why string) (*outcome.Result, error) {
	b, err := h.beginOf(s, limits(s.Limits, h.opts.Limits))
	if err != nil {
		return nil, err
	}
	b.Request, b.Once = "", ""
	res := &outcome.Result{Status: outcome.Canceled, ExitCode: outcome.Canceled.ExitCode(), Tools: []outcome.ToolUse{}, Calls: []outcome.Call{}, Warnings: []string{},
		Errors: []outcome.Error{{Kind: outcome.KindRuntime, Message: why}}, Run: b.ID, Dry: s.Dry}
	res.Error = &res.Errors[0]
	if err := h.opts.Records.BeginEnded(b, res.End()); err != nil {
		return nil, err
	}
	return res, nil
}

// EndLost ends a run with the status lost, because its process died or was cut off, and returns its
// result. If the run has ended meanwhile, the error is store.ErrEnded.
func (h *Harness) EndLost(id string) (*outcome.Result, error) {
	store := h.opts.Records
	run, err := store.Load(id)
	if err != nil {
		return nil, err
	}
	effects := "effect calls may have been made"
	if !madeEffects(run) {
		effects = "no effect calls had been made"
	}
	e := outcome.Error{Kind: outcome.KindRuntime, Message: fmt.Sprintf("the runner was lost after %v; %s. "+
		"The script was not run again", time.Since(run.Begin.Time).Round(time.Second), effects)}
	if err := store.EndLost(id, &record.End{ExitCode: outcome.Lost.ExitCode(), Error: record.JSON(e), Errors: record.JSON([]outcome.Error{e})}); err != nil {
		return nil, err
	}
	if run, err = store.Load(id); err != nil {
		return nil, err
	}
	return outcome.FromRecord(run)
}
