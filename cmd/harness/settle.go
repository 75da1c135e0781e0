package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
)

// The words of runs settle.
const (
	happened = "happened"
	didNot   = "not"
)

func (e *env) settleRun(ctx context.Context, c *cli.Command) error {
	if n := c.Args().Len(); n < 2 || n > 3 {
		return usageError{"runs settle wants a RUN, the number of a CALL, and happened or not"}
	}
	n, err := strconv.Atoi(strings.TrimPrefix(c.Args().Get(1), "#"))
	if err != nil || n < 1 {
		return usageError{fmt.Sprintf("runs settle: %q is no number of a call", c.Args().Get(1))}
	}
	if c.Args().Len() == 2 {
		if err := pointless(c, true, "without happened or not", "result", "force", "who"); err != nil {
			return err
		}
		_, r, err := e.openRun(ctx, c, c.Args().First())
		if err != nil {
			return err
		}
		return e.verify(ctx, c, r, n)
	}
	word := c.Args().Get(2)
	if word != happened && word != didNot {
		return usageError{fmt.Sprintf("runs settle: want happened or not, and got %q", word)}
	}
	if err := pointless(c, word == didNot, "with not: what did not happen has no result", "result"); err != nil {
		return err
	}
	st := &record.Settle{N: n, Happened: word == happened, Who: cmp.Or(c.String("who"), userName()), How: "said"}
	if err := pointless(c, !c.IsSet("result"), "without -result", "force"); err != nil {
		return err
	}
	if st.Happened && !c.IsSet("result") {
		return usageError{fmt.Sprintf("runs settle: without the result of call %d the run could not go on, and nothing was written: "+
			"-result JSON or -result @FILE gives what the tool answered; harness runs close %s ends the run", n, c.Args().First())}
	}
	if st.Happened {
		if st.Result, err = givenResult(c.String("result")); err != nil {
			return usageError{fmt.Sprintf("-result: %v", err)}
		}
	}
	store, r, err := e.openRun(ctx, c, c.Args().First())
	if err != nil {
		return err
	}
	tool := ""
	for _, m := range r.Unknown() {
		if m.N == n {
			tool = m.Tool
		}
	}
	if st.Happened && tool != "" && !c.Bool("force") {
		if err := fitsTool(r, tool, st.Result.JSON); err != nil {
			return usageError{fmt.Sprintf("-result: it does not fit the output schema of %s: %v; nothing was written; with -force "+
				"the script gets it all the same", registry.Quoted(tool), err)}
		}
	}
	files := e.files(c)
	defer files.Close()
	if store, err = record.Open(store.Dir(), storeOptions(files)); err != nil { // secrets of the config stay hidden
		return err
	}
	err = store.Settle(r.Begin.ID, st, callTimeout(files, tool))
	switch {
	case errors.Is(err, record.ErrNotUnknown):
		return e.noRun(err.Error() + "; harness runs show " + r.Begin.ID + " shows the calls of which nothing is known")
	case errors.Is(err, record.ErrRunning), errors.Is(err, record.ErrTooEarly):
		fmt.Fprintln(e.stderr, "harness:", show.Visible(err.Error(), 2000, ascii()))
		return exit(1)
	case err != nil:
		return err
	}
	return e.saySettled(c, store, r.Begin.ID, st)
}

// saySettled says what was written, and how the run goes on.
func (e *env) saySettled(c *cli.Command, store *record.Store, id string, st *record.Settle) error {
	r, err := store.Load(id)
	if err != nil {
		return err
	}
	var left []int
	for _, m := range r.Unknown() {
		left = append(left, m.N)
	}
	if c.Bool("json") {
		return e.print(map[string]any{"run": id, "call": st.N, "happened": st.Happened, "who": st.Who,
			"unknown": append([]int{}, left...), "open": len(r.Open())})
	}
	switch {
	case len(left) > 0:
		e.nothing(c, fmt.Sprintf("written; of call %d of run %s nothing is known either", left[0], id))
	case len(r.Open()) > 0:
		e.nothing(c, fmt.Sprintf("written; run %s: %s still, see harness approvals", id, waits(len(r.Open()))))
	default:
		e.nothing(c, fmt.Sprintf("written; run %s can go on: harness resume %s", id, id))
	}
	return nil
}

// callTimeout is how long a call of a tool may take, by the config.
func callTimeout(files *harness.Files, tool string) time.Duration {
	server, _, _ := strings.Cut(tool, ".")
	if paths := files.AllConfigs(); len(paths) > 0 {
		if cfg, err := config.Load(paths...); err == nil {
			if s, ok := cfg.Server(server); ok {
				return s.CallTimeout
			}
		}
	}
	return config.DefaultCallTimeout
}

// maxResult bounds what is given as the result of a call, in bytes.
const maxResult = 1 << 20

// givenResult reads what a tool would have answered, JSON or @FILE: a result of MCP,
// else its structured value, or a text.
func givenResult(text string) (record.Data, error) {
	data := []byte(text)
	if file, ok := strings.CutPrefix(text, "@"); ok {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			return record.Data{}, err
		}
	}
	data = bytes.TrimSpace(data)
	switch {
	case len(data) > maxResult:
		return record.Data{}, fmt.Errorf("more than %d bytes", maxResult)
	case !json.Valid(data):
		return record.Data{}, errors.New(`it is no JSON (a text needs quotes: '"…"')`)
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) == nil && keys != nil {
		_, content := keys["content"]
		_, structured := keys["structuredContent"]
		if content || structured {
			if _, err := backend.DecodeResult(data); err != nil {
				return record.Data{}, err
			}
			return compactData(data)
		}
	}
	said := string(data)
	_ = json.Unmarshal(data, &said) // what is no text stands as JSON
	out := map[string]any{"content": []any{map[string]string{"type": "text", "text": said}}}
	if keys != nil {
		out["structuredContent"] = json.RawMessage(data)
	}
	b, err := json.Marshal(out)
	if err != nil {
		return record.Data{}, err
	}
	return compactData(b)
}

// fitsTool returns why a result, as MCP has it, is none of a tool of the run, by the
// output schema that its record has; nil where it has none.
func fitsTool(r *record.Run, id string, result json.RawMessage) error {
	var output json.RawMessage
	for _, l := range r.Lines {
		if l, ok := l.(*record.Tools); ok {
			for _, t := range l.Tools {
				if t.ID == id {
					output = t.Output
				}
			}
		}
	}
	res, err := backend.DecodeResult(result)
	if err != nil || len(output) == 0 || res.IsError {
		return err
	}
	if res.Structured == nil {
		return errors.New("it is no JSON object")
	}
	cat := &harness.Catalog{Registry: &registry.Registry{}}
	return cat.CheckResult(&registry.Tool{ID: id, Output: output}, res.Structured)
}

func compactData(data []byte) (record.Data, error) {
	var b bytes.Buffer
	err := json.Compact(&b, data)
	return record.Raw(b.Bytes()), err
}

func (e *env) closeRun(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 {
		return usageError{"runs close wants one RUN: an ID, its beginning, or last"}
	}
	store, r, err := e.openRun(ctx, c, c.Args().First())
	if err != nil {
		return err
	}
	id := r.Begin.ID
	err = store.EndRun(id, cmp.Or(c.String("who"), userName()), c.String("why"))
	if errors.Is(err, record.ErrEnded) || errors.Is(err, record.ErrRunning) {
		fmt.Fprintln(e.stderr, "harness:", show.Visible(err.Error(), 2000, ascii()))
		return exit(1)
	}
	if err != nil {
		return err
	}
	e.nothing(c, fmt.Sprintf("run %s is closed: nothing goes on with it", id))
	return nil
}
