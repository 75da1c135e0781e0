package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// The outcomes that runs settle accepts.
const (
	happened = "happened"
	didNot   = "not"
)

func (e *env) settleRun(ctx context.Context, c *cli.Command, _ *store.Store, r *record.Run) error {
	n, err := strconv.Atoi(strings.TrimPrefix(c.Args().Get(1), "#"))
	if err != nil || n < 1 {
		return usageError{fmt.Sprintf("runs settle: %q is not the number of a call", c.Args().Get(1))}
	}
	if c.Args().Len() == 2 {
		if err := pointless(c, true, "without happened or not", "result", "force", "who"); err != nil {
			return err
		}
		return e.verify(ctx, c, r, n)
	}
	word := c.Args().Get(2)
	if word != happened && word != didNot {
		return usageError{fmt.Sprintf("runs settle: want happened or not, and got %q", word)}
	}
	if err := pointless(c, word == didNot, "with not: a call that did not happen has no result", "result"); err != nil {
		return err
	}
	st := &record.Settle{N: n, Happened: word == happened, Who: cmp.Or(c.String("who"), userName()), How: "said"}
	if err := pointless(c, !c.IsSet("result"), "without -result", "force"); err != nil {
		return err
	}
	if st.Happened && !c.IsSet("result") {
		return usageError{fmt.Sprintf("runs settle: call %d needs a result, and nothing was written: -result JSON or -result @FILE is the "+
			"answer of the tool; to end the run: %s", n, lines(c)("runs", "close", c.Args().First()))}
	}
	if st.Happened {
		if st.Result, err = givenResult(c.String("result")); err != nil {
			return usageError{fmt.Sprintf("-result: %v", err)}
		}
	}
	files := e.files(c)
	records, err := e.store(c, storeOptions(files))
	if err != nil { // without the secrets of the config
		return err
	}
	err = approval.Settle(records, r, st, c.Bool("force"), files.CallTimeout)
	var misfit *approval.MisfitError
	switch {
	case errors.As(err, &misfit):
		return usageError{fmt.Sprintf("-result: it %v; nothing was written; -force gives it to the script anyway", misfit)}
	case errors.Is(err, store.ErrNotUnknown):
		return notFound("%v; the calls with an unknown outcome: %s", err, lines(c)("runs", "show", r.Begin.ID))
	case errors.Is(err, store.ErrRunning), errors.Is(err, store.ErrTooEarly):
		return failure{1, err.Error()}
	case err != nil:
		return err
	}
	return e.saySettled(c, records, r.Begin.ID, st)
}

// saySettled reports that a call was settled, and the command that resumes the run.
func (e *env) saySettled(c *cli.Command, store *store.Store, id string, st *record.Settle) error {
	r, err := store.Load(id)
	if err != nil {
		return err
	}
	left := []int{}
	for _, m := range r.Unknown() {
		left = append(left, m.N)
	}
	if c.Bool("json") {
		return e.print(map[string]any{"run": id, "call": st.N, "happened": st.Happened, "who": st.Who,
			"unknown": left, "open": len(approval.Open(r))})
	}
	why, next := approval.Blocked(r)
	if why == "" {
		why, next = fmt.Sprintf("run %s can be resumed", id), []string{"resume", id}
	}
	e.say(c, "settled; %s: %s", why, lines(c)(next...))
	return nil
}

// givenResult reads a tool's result from JSON or @FILE.
func givenResult(text string) (record.Data, error) {
	data := []byte(text)
	if file, ok := strings.CutPrefix(text, "@"); ok {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			return record.Data{}, err
		}
	}
	return approval.GivenResult(data)
}

func (e *env) closeRun(_ context.Context, c *cli.Command, records *store.Store, r *record.Run) error {
	id := r.Begin.ID
	err := records.EndRun(id, cmp.Or(c.String("who"), userName()), c.String("why"))
	if errors.Is(err, store.ErrEnded) || errors.Is(err, store.ErrRunning) {
		return failure{1, err.Error()}
	}
	if err != nil {
		return err
	}
	e.say(c, "run %s is closed; it cannot be resumed", id)
	return nil
}
