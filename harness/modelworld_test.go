package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/record/recordtest"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
)

// errDead is what a process gets that was killed: nothing that it does is seen.
var errDead = errors.New("the process was killed")

// errDisk is a step that failed.
var errDisk = errors.New("input/output error")

// process is one that can be killed at any of its points.
type process struct {
	w      *world
	cancel context.CancelFunc
	dead   chan struct{}

	mu     sync.Mutex
	n      int  // points that it has passed
	killAt int  // 0: it is not
	leave  bool // at killAt its caller leaves instead
	failAt int  // the step of the record that fails is the first one at or after it; 0: none
	killed bool
	failed bool
	at     string // where it was killed
	// rival does what another process tries at the first point of a call at or after
	// rivalAt; 0: none does.
	rivalAt int
	rival   func()
}

// newProcess returns a process, and the context of what it does.
func (w *world) newProcess(killAt, failAt int) (*process, context.Context) {
	ctx, cancel := context.WithCancel(context.Background())
	return &process{w: w, cancel: cancel, dead: make(chan struct{}), killAt: killAt, failAt: failAt}, ctx
}

// point is one at which the process may be killed.
func (p *process) point(name string) error {
	p.mu.Lock()
	if !p.killed && p.rivalAt > 0 && p.n >= p.rivalAt && (name == "begun" || name == "executed") {
		p.rivalAt = 0
		p.mu.Unlock()
		p.rival()
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	if p.killed {
		return errDead
	}
	if p.n++; p.n == p.killAt && p.leave {
		p.w.count("left: " + name)
		p.cancel()
		return nil
	}
	if p.n == p.killAt {
		p.killed, p.at = true, name
		p.w.count("killed: " + name)
		close(p.dead)
		p.cancel()
		return errDead
	}
	return nil
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed
}

// open opens the store of a process.
func (p *process) open(dir string) (*store.Store, error) {
	in, err := store.Folder(dir)
	if err != nil {
		return nil, err
	}
	return store.On(recordtest.Through(in, p.through), dir, nil), nil
}

// through is what the steps of the process's store go through. The files of a process
// that was killed are closed.
func (p *process) through(step string, do func() error) error {
	if err := p.point("before " + step); err != nil && step != "close" {
		return err
	}
	p.mu.Lock()
	fails := p.failAt > 0 && p.n >= p.failAt && !p.failed && step != "close" && step != "reopen"
	p.failed = p.failed || fails
	p.mu.Unlock()
	if fails {
		p.w.count("failed: " + step)
		return errDisk
	}
	size := p.w.recordSize()
	if err := do(); err != nil {
		return err
	}
	if step == "sync" || step == "put" { // an answer is not kept before what it answers
		p.w.setSynced(size)
	}
	if err := p.point("after " + step); err != nil && step != "close" {
		return err
	}
	return nil
}

// world is all that is not the harness: a folder, a server that counts, and people.
type world struct {
	dir   string // of the store
	file  string // the record, where that is known
	model *model

	mu       sync.Mutex
	rng      *rand.Rand
	synced   int64 // bytes of the record that are on disk
	requests []*request
	tries    []*try
	yes      map[string]int // by call: how often a person said yes to it, or may have
	faults   map[string]int
	sum      int
	bad      []string      // what must not be
	before   time.Duration // that has passed before the present bubble
	begun    time.Time     // of the present bubble
}

// try is one execution of the script.
type try struct {
	p      *process
	n      int
	resume bool
	calls  []*modelCall // that the script has made
	sent   int          // an effect call
	out    *worker.Outcome
}

// request is what has come to the server.
type request struct {
	by         *try
	tool, args string
	key        string // Idempotency-Key
	receipt    int
	executed   bool
	unread     bool          // the answer could not be read
	late       bool          // after whoever sent it had gone
	order      int           // of the execution
	due        time.Duration // when it is executed whatever happens; 0: not by itself
}

func (q *request) effect() bool { return q.tool != "look" }

func callOfModel(tool, args string) string { return tool + args }

func (w *world) count(fault string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults[fault]++
	w.sum++
}

func (w *world) fault(format string, a ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faultLocked(format, a...)
}

func (w *world) faultLocked(format string, a ...any) {
	w.bad = append(w.bad, fmt.Sprintf(format, a...))
}

func (w *world) chance(percent int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rng.IntN(100) < percent
}

// recordFile is the path of the record, "" where there is none.
func (w *world) recordFile() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == "" {
		if files, _ := filepath.Glob(filepath.Join(w.dir, "*.run.jsonl")); len(files) == 1 {
			w.file = files[0]
		}
	}
	return w.file
}

func (w *world) recordSize() int64 {
	file := w.recordFile()
	if file == "" {
		return 0
	}
	st, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return st.Size()
}

func (w *world) setSynced(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.synced = max(w.synced, n)
}

// loseUnsynced is a power failure: of what was not synced only a part is left.
func (w *world) loseUnsynced() error {
	file := w.recordFile()
	if file == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.synced == 0 {
		w.file = ""
		return os.Remove(file)
	}
	st, err := os.Stat(file)
	if err != nil || st.Size() <= w.synced {
		return err
	}
	return os.Truncate(file, w.synced+w.rng.Int64N(st.Size()-w.synced+1))
}

// passed is how much time has really passed.
func (w *world) passed() time.Duration { return w.before + time.Since(w.begun) }

type tryKey struct{}

// work runs the script of a process.
func (w *world) work(p *process) harness.WorkFunc {
	return func(ctx context.Context, s *worker.Script, host worker.Host, o *worker.Options) (*worker.Outcome, error) {
		w.mu.Lock()
		a := &try{p: p, n: len(w.tries) + 1, resume: s.Replay != nil}
		w.tries = append(w.tries, a)
		rng := rand.New(rand.NewPCG(w.rng.Uint64(), 0))
		steps := -1
		if w.rng.IntN(100) < w.model.workerDies {
			steps = w.rng.IntN(20 + 20*w.model.effects)
		}
		w.mu.Unlock()
		needs := &worker.Needs{Uncertain: w.model.uncertain}
		for i, name := range w.model.tools() {
			needs.Names = append(needs.Names, worker.Name{Package: "shop", Name: name, Line: i + 1, Column: 1})
		}
		out, err := runModel(context.WithValue(ctx, tryKey{}, a), s, host, o, needs, w.model.run, func(c *modelCall) {
			w.mu.Lock()
			defer w.mu.Unlock()
			a.calls = append(a.calls, c)
		}, rng, steps)
		w.mu.Lock()
		defer w.mu.Unlock()
		a.out = out
		if err == nil && !p.isDead() && out.Status == worker.SandboxError {
			w.faults["worker killed"]++
			w.sum++
		}
		if err == nil && out.Status == worker.Diverged && a.sent > 0 {
			w.faultLocked("attempt %d diverged and had sent %d effects", a.n, a.sent)
		}
		return out, err
	}
}

// What may become of a request, besides being answered.
var fates = []string{"down", "lost before", "lost after", "lost, executed later", "unread", "refused", "slow"}

// fate is what becomes of the next request.
func (w *world) fate(effect bool) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rng.IntN(100) >= w.model.fates {
		return ""
	}
	f := fates[w.rng.IntN(len(fates))]
	if f == "unread" && effect && w.model.strict() {
		return ""
	}
	if f != "slow" && f != "refused" {
		w.faults["server: "+f]++
		w.sum++
	}
	return f
}

// modelShop is the servers of all worlds.
type modelShop struct{}

func (modelShop) Call(ctx context.Context, _ string, req *backend.Request) (*backend.Result, error) {
	a := ctx.Value(tryKey{}).(*try)
	return a.p.w.call(ctx, a, req)
}

// call is the client's end of a call, and the server.
func (w *world) call(ctx context.Context, a *try, req *backend.Request) (*backend.Result, error) {
	tool, args, p, how := req.Tool, req.Args.JSON(), a.p, req.Send
	if err := p.point("call"); err != nil {
		return nil, err
	}
	fate := w.fate(tool != "look")
	if fate == "down" {
		return nil, errors.New("connection refused")
	}
	if err := how.Begin(ctx); err != nil {
		return nil, err
	}
	if err := p.point("begun"); err != nil { // between the line and the first byte
		return nil, err
	}
	q := w.arrive(a, tool, string(args), how.Key)
	if err := p.point("arrived"); err != nil {
		if w.chance(60) {
			w.later(q)
		}
		return nil, err
	}
	switch fate {
	case "lost before":
		return nil, fmt.Errorf("calling: %w", backend.ErrDisconnected)
	case "lost, executed later":
		w.later(q)
		return nil, fmt.Errorf("calling: %w", backend.ErrDisconnected)
	case "slow":
		done := ctx.Done()
		select {
		case <-time.After(time.Duration(1+w.pick(3000)) * time.Millisecond):
		case <-p.dead:
			if w.chance(60) {
				w.later(q)
			}
			return nil, errDead
		case <-done:
			if q.effect() && !p.isDead() {
				w.fault("%s%s was called off when it was sent", tool, args)
			}
			if w.chance(60) {
				w.later(q)
			}
			return nil, ctx.Err()
		}
	}
	w.execute(q)
	if err := p.point("executed"); err != nil {
		return nil, err
	}
	switch fate {
	case "lost after":
		return nil, fmt.Errorf("calling: %w", backend.ErrDisconnected)
	case "unread":
		w.mu.Lock()
		q.unread = true
		w.mu.Unlock()
		return nil, &backend.OutcomeError{Outcome: backend.Unread, Err: errors.New("the answer cannot be read")}
	}
	return q.answer(fate == "refused")
}

func (w *world) pick(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rng.IntN(n)
}

// answer is what the server says.
func (q *request) answer(refused bool) (*backend.Result, error) {
	return backend.DecodeResult(q.result(refused))
}

func (q *request) result(refused bool) json.RawMessage {
	b, _ := json.Marshal(map[string]any{"content": []any{}, "isError": refused,
		"structuredContent": map[string]any{"receipt": q.receipt, "said": q.tool + q.args}})
	return b
}

// receiptOf is the receipt in a result, 0 where there is none.
func receiptOf(raw json.RawMessage) (receipt int, refused bool) {
	var r struct {
		IsError           bool
		StructuredContent struct{ Receipt int }
	}
	json.Unmarshal(raw, &r)
	return r.StructuredContent.Receipt, r.IsError
}

// arrive takes a request: an effect call only of an attempt that has asked for all
// that was executed before it.
func (w *world) arrive(a *try, tool, args, key string) *request {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tickLocked()
	q := &request{by: a, tool: tool, args: args, key: key, receipt: len(w.requests) + 1}
	w.requests = append(w.requests, q)
	if !q.effect() {
		return q
	}
	a.sent++
	asked := asksOf(a)
	earlier := map[string]int{}
	for _, o := range w.requests {
		if o.executed && o.effect() && o.by != a {
			k := callOfModel(o.tool, o.args)
			if earlier[k]++; earlier[k] > asked[k] && o.tool != "set" {
				w.faultLocked("attempt %d sends %s%s before it has asked for %s, which attempt %d had done", a.n, tool, args, k,
					o.by.n)
			}
		}
	}
	return q
}

// asksOf is how often an attempt has made each call. The caller holds the lock.
func asksOf(a *try) map[string]int {
	asked := map[string]int{}
	for _, c := range a.calls {
		asked[c.tool[len("shop."):]+c.args]++
	}
	return asked
}

// later lets a request be executed some time after whoever sent it has gone: within
// the call's time.
func (w *world) later(q *request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q.due = w.passed() + time.Duration(w.rng.Int64N(int64(callTime+4*time.Second)))
}

// callTime is how long a call may take.
const callTime = 10 * time.Second

func (w *world) execute(q *request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.executeLocked(q)
}

func (w *world) executeLocked(q *request) {
	if q.executed {
		return
	}
	q.executed, q.due = true, 0
	for _, o := range w.requests {
		q.order = max(q.order, o.order)
	}
	q.order++
}

// tickLocked executes what is due.
func (w *world) tickLocked() {
	for _, q := range w.requests {
		if q.due > 0 && q.due <= w.passed() {
			q.late = true
			w.executeLocked(q)
		}
	}
}

// comeToRest lets all that the server still has be executed.
func (w *world) comeToRest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, q := range w.requests {
		if q.due > 0 {
			q.late = true
			w.executeLocked(q)
		}
	}
}

// modelCatalog has the tools of modelShop.
var modelCatalog = sync.OnceValue(func() *catalog.Catalog {
	yes, no := true, false
	in := json.RawMessage(`{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]}`)
	reg := &registry.Registry{Servers: []registry.Server{{Name: "shop"}}, Tools: []registry.Tool{
		{Server: "shop", Name: "look", Description: "Show an item", Input: in,
			Annotations: &registry.Annotations{ReadOnly: &yes}},
		{Server: "shop", Name: "buy", Description: "Order an item", Input: in,
			Annotations: &registry.Annotations{ReadOnly: &no, Destructive: &no}},
		{Server: "shop", Name: "set", Description: "Set a value", Input: in,
			Annotations: &registry.Annotations{ReadOnly: &no, Destructive: &no}},
		{Server: "shop", Name: "pay", Description: "Pay for an item", Input: in,
			Annotations: &registry.Annotations{ReadOnly: &no, Destructive: &yes}},
	}}
	reg.Normalize()
	return &catalog.Catalog{Registry: reg, Calls: modelShop{}, Servers: []config.Server{{Name: "shop",
		Classes: []config.ClassRule{{Pattern: "set", Class: config.ClassAgain}}}}}
})
