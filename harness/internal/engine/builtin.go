package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// Functions that the harness itself answers: those of import "discovery", and RunScript.
// They arrive like tool calls, from an untrusted worker.

const (
	// MaxNestedWarnings is the maximum number of warnings of saved scripts in one Result.
	MaxNestedWarnings = 50
)

// askHarness answers a call of the package discovery. It is recorded like other calls,
// since the answer depends on the present tools.
func (r *run) askHarness(line *record.Call, args json.RawMessage) (json.RawMessage, error) {
	if r.bound.Catalog == nil || !slices.Contains(r.bound.Needs.Own, line.Tool) {
		return nil, &worker.DeniedError{Reason: fmt.Sprintf("the script called %q, which its source does not name", line.Tool)}
	}
	line.Class = record.Read
	if err := r.journal.Add(line); err != nil {
		return nil, err
	}
	begin := time.Now()
	raw, err := r.bound.Discover(args)
	done := &record.Done{N: line.N, Kind: record.Answered, Ms: ms(time.Since(begin)), Bytes: len(raw)}
	if err != nil {
		done.Error = err.Error()
	} else {
		done.Result = record.Raw(raw)
	}
	r.journal.Add(done)
	if err == nil && bind.IsSkill(args) {
		r.tree.flow.addResult(r.journal.ID(), line, done, raw)
	}
	return raw, err
}

// runSaved runs a script of the library with the running script's policy and the rest of
// its limits. Approvals do not apply to it, since a person approved only the running
// script. Only one saved script runs at a time; others wait.
func (r *run) runSaved(ctx context.Context, path string, c *worker.Call) (json.RawMessage, error) {
	if !slices.Contains(r.bound.Needs.Own, c.Tool) {
		return nil, &worker.DeniedError{Reason: fmt.Sprintf("the script called %q, which its source does not name", c.Tool)}
	}
	var q struct {
		Name   string                     `json:"name"`
		Inputs map[string]json.RawMessage `json:"inputs"`
	}
	if err := json.Unmarshal(c.Args, &q); err != nil {
		return nil, errors.New(`the inputs are not an object: want map[string]any{"name": value}, a struct or nil`)
	}
	live := r.answers.Live()
	if live && (r.bound.Catalog == nil || r.bound.Catalog.Scripts == nil) {
		return nil, errors.New("no script library is configured")
	}
	depth := r.script.depth + 1
	switch {
	case depth > maxDepth:
		return nil, fmt.Errorf("saved scripts are nested more than %d deep", maxDepth)
	case depth >= len(r.tree.memory):
		return nil, fmt.Errorf("saved scripts are nested more than %d deep; the next one needs %d MB more memory, but "+
			"all together must stay below twice the %d MB of the first",
			depth-1, worker.MinMemory>>20, r.tree.memory[0]>>20)
	}
	inner := r.journal.ScriptPath(path, c.Place)
	var saved *library.Script
	var err error
	known := false
	if !live {
		saved, known, err = r.answers.Saved(inner, q.Name)
	}
	if !known && r.bound.Catalog != nil && r.bound.Catalog.Scripts != nil {
		saved, err = r.bound.Catalog.Scripts.Load(q.Name)
	}
	child := &record.Child{N: r.journal.NextCall(), Path: inner, Name: q.Name, Inputs: record.ValuesOf(q.Inputs)}
	if err != nil {
		child.Error = err.Error()
	} else {
		child.Script = record.String(saved.Source)
	}
	if !known {
		err = errors.Join(err, r.journal.Add(child))
	}
	if err != nil {
		return nil, err
	}
	select {
	case r.nested <- struct{}{}:
		defer func() { <-r.nested }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s := *r.script
	s.path, s.Name = inner, q.Name
	s.Source, s.Inputs, s.Stored, s.Stdout, s.Stderr = saved.Source, q.Inputs, nil, nil, nil
	s.Catalog, s.Room, s.approved, s.depth, s.tree = r.bound.Catalog, r.room, nil, depth, r.tree
	s.Limits.Memory = r.tree.memory[depth]
	sum := sha256.Sum256([]byte(saved.Source))
	ran := outcome.NestedScript{Name: q.Name, Hash: hex.EncodeToString(sum[:]), Depth: depth, Time: time.Now().UTC(),
		Status: outcome.SandboxError}
	res, err := r.e.Run(ctx, &s, false)
	ran.Ms = ms(time.Since(ran.Time))
	r.mu.Lock()
	if err == nil {
		ran.Status = res.Status
		r.result.Calls = append(r.result.Calls, res.Calls...)
		for _, line := range res.Made {
			r.result.AddMade(line)
		}
		r.result.MoreMade += res.MoreMade
		for _, w := range res.Warnings[:min(len(res.Warnings), MaxNestedWarnings-r.nestedWarnings)] {
			r.result.Warnings = append(r.result.Warnings, q.Name+": "+w)
			r.nestedWarnings++
		}
		r.result.Scripts = append(r.result.Scripts, res.Scripts...)
	}
	r.result.Scripts = append(r.result.Scripts, ran)
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if live {
		NoteChecked(r.bound.Catalog, saved, res)
	}
	if res.Parked {
		return nil, worker.ErrParked
	}
	if res.Status != outcome.OK {
		why := notOK(res)
		if !known && outcome.NeverBegan(res.Status) {
			r.journal.Add(&record.Child{N: child.N, Path: inner, Name: q.Name, Error: why})
		}
		return nil, errors.New(why)
	}
	if res.Value == nil {
		return json.Marshal(strings.TrimSuffix(res.Stdout, "\n"))
	}
	return res.Value, nil
}
