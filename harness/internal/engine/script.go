// Package engine runs scripts, each in a worker process. It is the worker's Host: it binds
// the script to its tools (package bind), decides on each call and makes it, runs saved
// scripts within the script, and writes everything to the run's journal (package journal).
package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/room"
	"github.com/usetools/usetools/harness/internal/sandbox"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// maxDepth is the maximum nesting depth of saved scripts.
const maxDepth = 3

// MemoryFactor times Script.Limits.Memory is the memory limit of a run with all the scripts
// that it runs through RunScript: each has half of its caller's memory.
const MemoryFactor = 2

// Engine runs scripts. It is safe for concurrent use.
type Engine struct {
	// Catalog returns the loaded catalog for scripts without a Catalog.
	Catalog func(context.Context) (*catalog.Catalog, error)
	// Scripts returns the library for scripts that use no catalog. It and its result may be nil.
	Scripts func() *library.Library
	// Work runs a script in a worker, as worker.Run does.
	Work    func(context.Context, *worker.Script, worker.Host, *worker.Options) (*worker.Outcome, error)
	Command []string       // starts a worker; if empty, this program's own binary
	Lock    sandbox.Policy // of workers
	Spares  *worker.Spares // may be nil
	Records *store.Store   // of Script.Begin and Script.Rerun; may be nil

	learning sync.WaitGroup // saving the inferred result types and usage of ended runs
}

// Script is one script and how to run it.
type Script struct {
	Source, Name   string
	Answers        *store.Store // has the earlier runs of Subject whose answers a dry run reuses; may be nil
	Subject        string
	Inputs, Stored map[string]json.RawMessage
	Limits         worker.Limits
	Policy, Began  *policy.Policy   // the present policy, and the one with which a resumed run began
	Catalog        *catalog.Catalog // instead of the Engine's; may be nil
	Strict, Dry    bool
	NoAsk          bool // no person can answer: calls that need approval are denied
	OnProgress     func(record.Progress)
	Stdout, Stderr io.Writer
	Ask            func(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error)
	Session        *flow.Session // that it belongs to; if nil, nothing is known of its client
	Late           bool          // whether it was sent after untrusted text may have gone back to its client
	Room           *room.Room    // for the results of its calls
	Begin          *record.Begin // the first line of its record; if nil, no record is kept
	Rerun          *Rerun        // if not nil, the script runs again from its record

	approved []string // IDs of tools that a person has approved for the script
	depth    int      // nesting depth in RunScript
	path     string   // path of the RunScript calls that contain it
	tree     *tree    // of the script that runs it; may be nil
}

// Rerun says how a script runs again from its record.
type Rerun struct {
	Journal *journal.Journal
	Answers func(path string, s *worker.Script) Answers
	Run     *record.Run  // the resumed run; nil for a replay, which makes no calls
	Gate    *record.Gate // nil for a replay

	// Final reports whether the run has diverged and would diverge in every further
	// attempt.
	Final bool
}

// run is one script in progress; it is the worker's Host.
type run struct {
	ctx    context.Context // of Run
	e      *Engine
	script *Script
	direct bool        // whether it is one call without a script
	check  bool        // whether it is only checked
	bound  *bind.Bound // its tools

	mu     sync.Mutex
	result *outcome.Result
	// changed says why tools can no longer be called, and classes has their recorded
	// classes, both by ID, in a resumed run.
	changed map[string]error
	classes map[string]record.Class
	// handlesUncertain reports whether the script names UncertainError.
	handlesUncertain bool
	pending          []string          // calls in progress
	misfits          map[string]string // why a result does not fit the output schema, by tool
	samples          []sample
	// sampleBytes is the total size of the samples.
	sampleBytes    int
	tree           *tree
	journal        *journal.Journal // of tree
	answers        Answers
	path           string // path of the script within those that run it
	room           *room.Room
	nested         chan struct{} // has an element while a saved script runs
	nestedWarnings int           // of saved scripts
	calls          int           // number of calls begun
	callsNow       int           // calls in progress at servers
	callsSince     time.Time
	notStarted     sync.Map // servers whose failed start a call of this run has reported
	err            error    // the harness's own fault
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// sample is one result to learn from.
type sample struct {
	tool *wrappers.Tool
	args string
	raw  json.RawMessage
}

// tree is the state that a run shares with all scripts that it runs through RunScript.
type tree struct {
	budget  *worker.Budget
	journal *journal.Journal
	dry     *guesser // if nil, calls are sent
	flow    *flowing // if nil, the config does not mark untrusted data
	asks    *asks
	// answers returns the Answers for the script s at path.
	answers func(path string, s *worker.Script) Answers
	rerun   *Rerun // of a script that runs again
	// memory has the memory limits of workers in bytes, by nesting depth, beginning with
	// the run's own. Its length limits the nesting depth.
	memory []int64
}

func newTree(l worker.Limits) *tree {
	l = l.WithDefaults()
	return &tree{budget: worker.NewBudget(l), asks: newAsks(nil, nil), memory: NestedMemory(l.Memory),
		answers: func(string, *worker.Script) Answers { return noAnswers{} }}
}

// NestedMemory returns the memory limits of a run and its nested scripts by depth, beginning
// with own, the run's limit. Each is half the previous one, but at least worker.MinMemory. It
// has at most 1 + maxDepth limits, fewer if their sum would reach MemoryFactor times own.
// Only one script of each depth runs at a time.
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

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// stop ends the run before it begins.
func (r *run) stop(s outcome.Status, e outcome.Error) {
	r.result.Status, r.result.Errors = s, append(r.result.Errors, e)
}

// diverge ends a resumed run because one of its calls cannot be made as recorded.
func (r *run) diverge(err error) error {
	a := r.tree.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.diverged == nil {
		a.diverged = err
	}
	return worker.ErrParked
}

// changedError stops a run whose tool differs from the recorded one.
type changedError struct{ tool string }

func (e *changedError) Error() string {
	return fmt.Sprintf("%s has changed since the run began: its definition or its server's entry is different; "+
		"run the script again from the start", e.tool)
}

// placed returns a place of the script for display.
func (r *run) placed(place string) (w record.Where) {
	if r.script.depth > 0 {
		w.Script = r.script.Name
	}
	w.File, w.Line = check.Place(check.Parts([]byte(r.script.Source)), record.PlaceLine(place))
	return w
}

// guesser answers the effect calls of a dry run.
type guesser struct {
	records *store.Store
	subject string

	mu      sync.Mutex
	unmade  []outcome.Unmade
	bytes   int // size of their arguments
	guessed bool
	earlier map[string]earlier // by tool and arguments; nil before the search
}

// earlier is the result of a call in an earlier run.
type earlier struct {
	raw json.RawMessage
	run string
}
