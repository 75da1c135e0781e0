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

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// The functions that the harness itself answers: those of import "discovery",
// and RunScript. They arrive as tool calls do, from a worker that is not
// trusted.

const (
	// maxDepth is how many saved scripts may run one within the other.
	maxDepth = 3
	// MaxNestedWarnings bounds the warnings of saved scripts in one Result.
	MaxNestedWarnings = 50
)

// askHarness answers a call of the package discovery, which is recorded as others
// are: what it answers depends on the tools of the day.
func (r *run) askHarness(line *record.Call, args json.RawMessage) (json.RawMessage, error) {
	if r.bound.Catalog == nil || !slices.Contains(r.bound.Needs.Own, line.Tool) {
		return nil, &worker.DeniedError{Reason: fmt.Sprintf("the script called %q, which it does not mention", line.Tool)}
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
	return raw, err
}

// tree is what a run and all that it runs through RunScript share.
type tree struct {
	budget  *worker.Budget
	journal *journal.Journal
	dry     *guesser // nil: calls are sent
	asks    *asks
	// answers begins to answer the script at path, which s runs.
	answers func(path string, s *worker.Script) Answers
	again   *Again // of a script that runs again
	// memory is what each worker may take, in bytes: the run's own, and that of
	// a script within it, and so on; scripts cannot run deeper than it is long.
	memory []int64
}

func newTree(l worker.Limits) *tree {
	l = l.WithDefaults()
	return &tree{budget: worker.NewBudget(l), asks: newAsks(nil, nil), memory: NestedMemory(l.Memory),
		answers: func(string, *worker.Script) Answers { return noAnswers{} }}
}

// NestedMemory is tree.memory for a run: each script has half of its caller's,
// and at least what a worker needs. They run one within the other, one chain at
// a time, so that all together stay below twice the first: a chain that would
// not is shorter than maxDepth.
func NestedMemory(own int64) []int64 {
	chain, sum := []int64{own}, own
	for len(chain) <= maxDepth {
		next := max(chain[len(chain)-1]/2, worker.MinMemory)
		if sum += next; sum >= MemoryFactor*own {
			break
		}
		chain = append(chain, next)
	}
	return chain
}

// runSaved runs a script of the library as the running script would be run
// itself: with its policy, and what is left of its limits, but without what a
// person approved, who has seen the running script alone. While one is under
// way, further ones wait.
func (r *run) runSaved(ctx context.Context, path string, c *worker.Call) (json.RawMessage, error) {
	if !slices.Contains(r.bound.Needs.Own, c.Tool) {
		return nil, &worker.DeniedError{Reason: fmt.Sprintf("the script called %q, which it does not mention", c.Tool)}
	}
	var q struct {
		Name   string                     `json:"name"`
		Inputs map[string]json.RawMessage `json:"inputs"`
	}
	if err := json.Unmarshal(c.Args, &q); err != nil {
		return nil, errors.New(`the inputs are no object: want map[string]any{"name": value}, a struct or nil`)
	}
	live := r.answers.Live()
	if live && (r.bound.Catalog == nil || r.bound.Catalog.Scripts == nil) {
		return nil, errors.New("there is no library of scripts here")
	}
	depth := r.script.depth + 1
	switch {
	case depth > maxDepth:
		return nil, fmt.Errorf("saved scripts run each other more than %d deep", maxDepth)
	case depth >= len(r.tree.memory):
		return nil, fmt.Errorf("saved scripts run each other more than %d deep, for which %d MB of memory are too little: "+
			"%d more are needed, and all together must stay below twice the memory of the first",
			depth-1, r.tree.memory[0]>>20, worker.MinMemory>>20)
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

// notOK says in a line why a script did not end well.
func notOK(res *outcome.Result) string {
	if res.Error == nil {
		return string(res.Status)
	}
	msg := fmt.Sprintf("%s: %s", res.Status, res.Error.Message)
	if res.Error.File != "" {
		msg = fmt.Sprintf("%s, %s line %d: %s", res.Status, res.Error.File, res.Error.Line, res.Error.Message)
	} else if res.Error.Line > 0 {
		msg = fmt.Sprintf("%s, line %d: %s", res.Status, res.Error.Line, res.Error.Message)
	}
	return text.Cut(msg, 500)
}

// NoteChecked keeps what a run, or a check, of a saved script says about it:
// that it compiles with the tools as they are now, or why it does not.
func NoteChecked(c *catalog.Catalog, s *library.Script, res *outcome.Result) {
	if c.Scripts == nil {
		return
	}
	changed := len(s.Changed(c.Registry)) > 0
	switch res.Status {
	case outcome.CompileError, outcome.ToolNotFound, outcome.Ambiguous:
		if why := notOK(res); s.Broken != why {
			s.Broken = why
			c.Scripts.Note(s)
		}
	default:
		if s.Broken != "" || changed {
			s.Broken = ""
			s.UseTools(toolsOf(res), c.Registry)
			c.Scripts.Note(s)
		}
	}
}

func toolsOf(res *outcome.Result) []string {
	var ids []string
	for _, u := range res.Tools {
		if u.Tool != "" {
			ids = append(ids, u.Tool)
		}
	}
	return ids
}

// SaveScript saves a script that was checked, or run, with this result in the
// catalog's library. Where it replaces another script of that name, warning says
// so.
func SaveScript(c *catalog.Catalog, name, about, source string, res *outcome.Result) (warning string, err error) {
	if c.Scripts == nil {
		return "", errors.New("there is no library of scripts here")
	}
	s := &library.Script{Name: name, About: about, Source: source, Saved: time.Now().UTC().Truncate(time.Second)}
	s.UseTools(toolsOf(res), c.Registry)
	return c.Scripts.Replace(s)
}

// keep saves a script that ended well and has a header with its name, also one
// that needed no tools, and so no catalog.
func (r *run) keep() {
	if r.script.depth > 0 || r.result.Status != outcome.OK || r.bound.Needs.Probe || r.script.Dry {
		return
	}
	name, about, ok := library.Header(r.script.Source)
	if !ok {
		if name != "" {
			r.result.Warnings = append(r.result.Warnings, "not saved: "+library.CheckName(name).Error())
		}
		return
	}
	cat := r.bound.Catalog
	if cat == nil {
		cat = &catalog.Catalog{Registry: &registry.Registry{}, Scripts: r.scripts()}
	}
	if cat.Scripts == nil {
		r.result.Warnings = append(r.result.Warnings,
			fmt.Sprintf("not saved as %q: there is no library of scripts here; scripts are kept for a config or a registry",
				name))
		return
	}
	if old, err := cat.Scripts.Own(name); err == nil && old.Source == r.script.Source &&
		len(old.Changed(cat.Registry)) == 0 {
		return
	}
	warning, err := SaveScript(cat, name, about, r.script.Source, r.result)
	if err != nil {
		warning = err.Error()
	}
	if warning != "" {
		r.result.Warnings = append(r.result.Warnings, warning)
	}
}

// scripts is the library of a run that asked for no catalog.
func (r *run) scripts() *library.Library {
	switch {
	case r.script.Catalog != nil:
		return r.script.Catalog.Scripts
	case r.e.Scripts != nil:
		return r.e.Scripts()
	}
	return nil
}
