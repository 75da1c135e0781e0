// Package engine runs scripts, each in a worker process. It is the worker's Host: it binds the
// script to its tools (package bind), decides on each call and makes it, runs saved scripts
// within the script, and writes what happens to the run's journal (package journal).
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

// maxDepth is how many saved scripts may run one within the other.
const maxDepth = 3

// MemoryFactor times Script.Limits.Memory bounds the memory of a run with all the scripts that
// it runs through RunScript: each has half of the memory of the one that runs it.
const MemoryFactor = 2

// Engine runs scripts. It is safe for concurrent use.
type Engine struct {
	// Catalog returns what a script without a Catalog can use, loaded.
	Catalog func(context.Context) (*catalog.Catalog, error)
	// Scripts returns the library for scripts that use no catalog. It and its result may be nil.
	Scripts func() *library.Library
	// Work runs a script in a worker, as worker.Run does.
	Work    func(context.Context, *worker.Script, worker.Host, *worker.Options) (*worker.Outcome, error)
	Command []string       // starts a worker; if empty, this program's own binary
	Lock    sandbox.Policy // of workers
	Spares  *worker.Spares // may be nil
	Records *store.Store   // of Script.Begin and Script.Again; may be nil

	learning sync.WaitGroup // what ended runs taught is being saved
}

// Script is one script and how to run it.
type Script struct {
	Source, Name   string
	Answers        *store.Store // has the earlier runs of Subject whose answers a dry run gets; may be nil
	Subject        string
	Inputs, Stored map[string]json.RawMessage
	Limits         worker.Limits
	Policy, Began  *policy.Policy   // of today, and that a resumed run began with
	Catalog        *catalog.Catalog // instead of the Engine's; may be nil
	Strict, Dry    bool
	NoAsk          bool // nobody could answer: calls that need a person are denied
	OnProgress     func(record.Progress)
	Stdout, Stderr io.Writer
	Ask            func(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error)
	Session        *flow.Session // that it belongs to; if nil, nothing is known of its client
	Late           bool          // it was sent after untrusted text may have gone back to its client
	Room           *room.Room    // of the results of its calls
	Begin          *record.Begin // the first line of its record; if nil, none is kept
	Again          *Again        // of a script that runs again from its record; else nil

	approved []string // IDs of tools that a person has approved for it
	depth    int      // of RunScript
	path     string   // of the calls of RunScript that it is in
	tree     *tree    // of the script that runs it, or nil
}

// Again is how a script runs again from the record of its run.
type Again struct {
	Journal *journal.Journal
	Answers func(path string, s *worker.Script) Answers
	Run     *record.Run  // of a resumed run; nil for a replay, which makes no calls
	Gate    *record.Gate // the same

	// Final is set if the run has diverged and would do so in any further attempt.
	Final bool
}

// run is one script under way; it is the worker's Host.
type run struct {
	ctx    context.Context // of Run
	e      *Engine
	script *Script
	direct bool        // it is one call without a script
	check  bool        // it is checked, and does not run
	bound  *bind.Bound // its tools

	mu     sync.Mutex
	result *outcome.Result
	// changed says, in a resumed run, why a tool can no longer be called, and classes
	// has the classes that tools had; both by ID.
	changed map[string]error
	classes map[string]record.Class
	// tellsUncertain: the script names UncertainError.
	tellsUncertain bool
	pending        []string          // calls under way
	misfits        map[string]string // by tool: why a result is not what its output schema says
	samples        []sample
	// sampleBytes is what the samples take.
	sampleBytes    int
	tree           *tree
	journal        *journal.Journal // of tree
	answers        Answers
	path           string // of the script within those that run it
	room           *room.Room
	nested         chan struct{} // holds an element while a saved script is under way
	nestedWarnings int           // of saved scripts
	calls          int           // begun
	callsNow       int           // that servers are at work on
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

// tree is what a run and all that it runs through RunScript share.
type tree struct {
	budget  *worker.Budget
	journal *journal.Journal
	dry     *guesser // nil: calls are sent
	flow    *flowing // nil: the config does not say what is untrusted
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

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// stop ends the run before it began.
func (r *run) stop(s outcome.Status, e outcome.Error) {
	r.result.Status, r.result.Errors = s, append(r.result.Errors, e)
}

// diverge ends a resumed run because one of its calls cannot be made as its record has it.
func (r *run) diverge(err error) error {
	a := r.tree.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.diverged == nil {
		a.diverged = err
	}
	return worker.ErrParked
}

// changedError stops a run whose tool is another one than was recorded.
type changedError struct{ tool string }

func (e *changedError) Error() string {
	return fmt.Sprintf("%s is not the tool any more that this run knows: its definition or its server's entry has changed "+
		"since; run the script anew", e.tool)
}

// placed returns a place of the script for a reader.
func (r *run) placed(place string) (w record.Where) {
	if r.script.depth > 0 {
		w.Script = r.script.Name
	}
	w.File, w.Line = check.Place(check.Parts([]byte(r.script.Source)), record.PlaceLine(place))
	return w
}

// guesser answers the calls that a dry run does not make.
type guesser struct {
	records *store.Store
	subject string

	mu      sync.Mutex
	unmade  []outcome.Unmade
	bytes   int // of their arguments
	guessed bool
	earlier map[string]earlier // by tool and arguments; nil until they are looked for
}

// earlier is what a run before got for a call.
type earlier struct {
	raw json.RawMessage
	run string
}
