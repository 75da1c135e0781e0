package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// Elsewhere runs scripts in other processes that share Options.Records with this one;
// see Options.Elsewhere.
type Elsewhere interface {
	// Run and Resume do what those of a Harness do, OnProgress, Stdout, Stderr and Ask of the
	// script included. What they are told of a run under way may be incomplete.
	Run(context.Context, *Script) (*outcome.Result, error)
	Resume(ctx context.Context, run string, s *Script) (*outcome.Result, error)
	// Join waits for a run of a script's Request that has not ended and that no process
	// holds, and returns its Result. If there is none, it returns the script's Seen.
	Join(ctx context.Context, s *Script) (*outcome.Result, *Seen, error)
	// Holds reports whether a process that accepts requests, by Request.Front, can be
	// reached, and a client waits there for the result of a run or has just received it.
	Holds(ctx context.Context, front, run string) bool
	// Give reports whether the result of a run was not given to its client before. It
	// counts as given somewhat later, when the client has it, unless this process dies
	// until then.
	Give(run string) bool
}

// Seen is what was known of a request when it was looked up.
type Seen struct {
	Run     string // ID of its latest run, "" where there is none
	Version uint64 // of what is noted of it
	At      time.Time
}

// ErrSentAgain is returned by Run of Elsewhere, which has run nothing, where the request of
// a script was sent again since Rejoin looked it up.
var ErrSentAgain = errors.New("the request was looked up too early")

// Withdraw records the run of a script that was to run elsewhere as canceled, so that no
// process begins it, and returns its result. It returns store.ErrTaken if the run has
// begun. The same script sent again is another run.
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

// Lose ends a run whose process died or was cut off, with the status lost, and returns its result.
// It returns store.ErrEnded if the run has ended meanwhile.
func (h *Harness) Lose(id string) (*outcome.Result, error) {
	store := h.opts.Records
	run, err := store.Load(id)
	if err != nil {
		return nil, err
	}
	effects := "effect calls may have been made"
	if !madeEffects(run) {
		effects = "it had made no effect call"
	}
	e := outcome.Error{Kind: outcome.KindRuntime, Message: fmt.Sprintf("the runner was lost after %v; %s. "+
		"The script was not run again", time.Since(run.Begin.Time).Round(time.Second), effects)}
	if err := store.Lose(id, &record.End{ExitCode: outcome.Lost.ExitCode(), Error: record.JSON(e), Errors: record.JSON([]outcome.Error{e})}); err != nil {
		return nil, err
	}
	if run, err = store.Load(id); err != nil {
		return nil, err
	}
	return outcome.FromRecord(run)
}
