package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/exec"
	"github.com/usetools/usetools/harness/internal/sandbox"
	"github.com/usetools/usetools/registry/text"
)

// Status is the status of a run, as in the harness's Result.
type Status string

// Statuses of a worker. The harness adds those about tools and policy.
const (
	OK           Status = "ok"
	CompileError Status = "compile_error"
	ScriptError  Status = "script_error"
	Timeout      Status = "timeout"
	OutputLimit  Status = "output_limit"
	CPULimit     Status = "cpu_limit"
	CallLimit    Status = "call_limit"
	MemoryLimit  Status = "memory_limit"
	Denied       Status = "denied"
	Canceled     Status = "canceled"
	SandboxError Status = "sandbox_error"
	// Diverged means that a replay did not repeat its run.
	Diverged Status = "diverged"
	// Waiting means that the script waits only for parked calls, see ErrParked.
	Waiting Status = "waiting"
	// Stopped means that the Host ended the run before it began.
	Stopped Status = "stopped"
)

// Host provides tools and decisions to a run. Its methods may be called from several
// goroutines, and Call concurrently.
type Host interface {
	// Resolve answers a script's needs with generated packages. If ok is false, the run ends
	// with status Stopped; an error is a fault of the harness. The script's clock is paused
	// meanwhile. For Broken needs the answer is unused, because the script's errors follow in any case.
	Resolve(ctx context.Context, n *Needs) (t *Tools, ok bool, err error)
	// Start is called after the script compiled and before it runs. If it returns false, the
	// run ends with status Stopped.
	Start(ctx context.Context, p *Plan) bool
	// Call authorises, validates and makes one tool call, and returns the MCP result. ctx ends
	// when the worker has the result, or the run ends. An error may come with an Answer that
	// contains only its time. It may be a *DeniedError, a *CallError or ErrParked.
	Call(ctx context.Context, c *Call) (*Answer, error)
	// Clock receives the script's clock readings, with Script.Clock: before the Call that
	// followed them, and before Run returns. It receives at most exec.MaxReadings; lost reports
	// that it dropped others.
	Clock(read []Reading, lost bool)
	// Still decides what happens next in a replay when nothing in the script moves. waiting and
	// answered count the script's calls without and with an answer, and next is the time of the
	// next timer, or zero. If the Host has seen fewer calls, the others are about to arrive; if
	// it has answered more, the report is outdated. Parked calls count as waiting. An error
	// ends the run with status Diverged.
	Still(ctx context.Context, next time.Time, waiting, answered int) (Next, error)
}

// Next is the next event in a replay.
type Next int

const (
	Await   Next = iota // an answer is on its way: a Call is about to return or has just returned
	Advance             // only the next timer fires
	// Live ends the replay, with Script.Resume: from now on the script runs in real time, and
	// Still is not called again.
	Live
)

// ErrParked is returned by Host.Call for a call that gets no answer in this run. A parked call
// does not count towards Limits.Parallel. Once only such calls block the script, the run ends
// with status Waiting; with pending sleeps or timers, it ends after 1 s without a frame from
// the script.
var ErrParked = errors.New("the call gets no answer in this run")

// CallError is returned by Host.Call for a failed call whose error scripts can distinguish.
type CallError struct {
	// Code is bridge.CodeUncertain for an *UncertainError with the text of Err. With any other
	// code the script gets an ordinary error.
	Code string
	Err  error
}

func (e *CallError) Error() string { return e.Err.Error() }
func (e *CallError) Unwrap() error { return e.Err }

// Call is a call of the running script. Its contents come from the worker and are untrusted.
type Call struct {
	N    int // from 1, in order of arrival
	Tool string
	Args json.RawMessage
	// Path is the calling goroutine, and Place the place where the script names the tool: see
	// the package documentation. They are printable ASCII, of at most 1,000 and 40 bytes.
	Path, Place string
	// Alone reports, in a replay, that nothing else in the script can move until this call is
	// answered, so it need not wait for Host.Still.
	Alone bool

	slots chan struct{}   // the run's slots
	slot  bool            // the call has a slot
	live  <-chan struct{} // closed when the worker knows that its replay is live
}

// Slot waits until the call is one of the Limits.Parallel that may be under way at once. The
// call keeps the slot until Host.Call returns. In a replay, Slot also waits until the worker
// knows that it is live, because a real answer must follow that. The Host uses Slot for a call
// that arrived in a replay and is sent afterwards; any other call has a slot already. The error
// is the cause of ctx.
func (c *Call) Slot(ctx context.Context) error {
	if c.slot || c.slots == nil {
		return nil
	}
	select {
	case <-c.live:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case c.slots <- struct{}{}:
		c.slot = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// freeSlot releases the call's slot, if it has one.
func (c *Call) freeSlot() {
	if c.slot {
		<-c.slots
	}
}

// Answer is the outcome of a call.
type Answer struct {
	Result json.RawMessage // MCP result
	// At is when the answer came, in a replay. If zero, it is now.
	At time.Time
}

// DeniedError is returned by Host.Call for a call that the script may not make. The run ends
// with status Denied.
type DeniedError struct{ Reason string }

func (e *DeniedError) Error() string { return "denied: " + e.Reason }

// Options configure Run. If nil, defaults apply.
type Options struct {
	// Command starts a worker. If empty, it is this program's own binary.
	Command []string
	// Policy decides whether a worker that cannot be locked is refused. If empty, it is refused
	// on Linux.
	Policy sandbox.Policy
	// Spares provides workers that were started ahead. If nil, each run starts its own.
	Spares *Spares
	// Budget is shared by the run and the runs that it starts. If nil, the run has a new one
	// from its Limits.
	Budget *Budget
	// Stdout and Stderr receive the script's output as it arrives. If nil, it is not passed on.
	Stdout, Stderr Printed
	// Usage receives the machine resources of the run and the runs that it starts from time to
	// time, first after 50 ms. If nil, they are not sampled. It is called on Linux only,
	// because other systems do not report usage.
	Usage func(Usage)

	silence time.Duration // see ErrParked; if 0, quietTime
}

// quietTime is the time without a frame after which a script with parked calls stops waiting
// for its sleeps and timers.
const quietTime = time.Second

// Outcome is the outcome of a run.
type Outcome struct {
	Status    Status
	Value     json.RawMessage // of the last Return, or nil
	Stdout    string
	Stderr    string
	Truncated bool // stdout exceeded its limit
	Exit      int  // os.Exit's code
	Errors    []Diagnostic
	Warnings  []Diagnostic
	Notes     []Note    // warnings while running
	Message   string    // for a status other than OK without Errors
	Code      exec.Code // of the panic or fatal error in Message, or ""
	Line      int       // of Message in the script, or 0 if unknown
	Trace     []Frame   // of a panic, innermost first
	Lowered   string
	Calls     int
	Timing    Timing
	Startup   time.Duration
	Sandbox   sandbox.Report
}

// reaping counts the workers that were killed but still exist. The mutex keeps one harness from
// adding workers while another's Close waits.
var reaping struct {
	sync.Mutex
	sync.WaitGroup
}

// Wait waits until the workers of all finished runs have exited.
func Wait() {
	reaping.Lock()
	defer reaping.Unlock()
	reaping.Wait()
}

// Run starts a worker, lets it check and run the script, and kills it. An error means that the
// harness itself failed. The script's own failures are in the Outcome.
func Run(ctx context.Context, s *Script, host Host, opts *Options) (*Outcome, error) {
	if opts == nil {
		opts = &Options{}
	}
	s.Limits = s.Limits.WithDefaults()
	if s.Seed == nil {
		s.Seed = make([]byte, seedSize)
		rand.Read(s.Seed) // never fails
	}
	if len(s.Seed) != seedSize {
		return nil, fmt.Errorf("the seed has %d bytes, want %d", len(s.Seed), seedSize)
	}
	b := opts.Budget
	if b == nil {
		b = NewBudget(s.Limits)
	}
	nested := b.begin(&s.Limits)
	begin := time.Now()
	p := opts.Spares.take()
	time.AfterFunc(settled, opts.Spares.refill)
	if p == nil {
		var err error
		if p, err = start(opts.Command, setup{Sandbox: s.Limits.sandbox(opts.Policy)}); err != nil {
			return nil, err
		}
	}
	r := &run{p: p, host: host, budget: b, limits: s.Limits, out: &Outcome{}, slots: make(chan struct{}, s.Limits.Parallel),
		toldLive: make(chan struct{}), caller: ctx,
		lines: strings.Count(s.Source, "\n") + 1, resume: s.Resume, silence: cmp.Or(opts.silence, quietTime)}
	if r.state.replay = s.Replay != nil; !r.state.replay {
		close(r.toldLive)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, p.kill)
	defer stop()
	r.ctx = ctx
	if !nested {
		defer b.watch(func() { cancel(errCPU) })()
	}
	b.add(p)
	if !nested && opts.Usage != nil {
		defer b.sample(opts.Usage)()
	}
	r.clock = startClock(s.Limits.Timeout, func() { cancel(context.DeadlineExceeded) })
	defer r.clock.pause()
	s.Mark = nil
	if opts.Stdout != nil || opts.Stderr != nil {
		s.Mark = newMark()
	}
	stdout := &capture{left: &b.stdout, also: opts.Stdout, onCut: p.kill, mark: s.Mark, lines: r.lines}
	stderr := &capture{left: &b.stderr, also: opts.Stderr, onCut: p.kill, mark: s.Mark, lines: r.lines}
	// A dying Go runtime traces every goroutine; the beginning is enough.
	crash := &capture{left: newAllowance(crashBytes), onCut: p.kill}
	var streams sync.WaitGroup
	streams.Go(func() { stdout.take(p.stdout) })
	streams.Go(func() { stderr.take(p.stderr) })
	streams.Go(func() { crash.take(p.crash) })

	err := r.converse(s, begin)
	if v := r.out.Value; v != nil && !json.Valid(v) {
		r.out.Value, err = nil, r.broken("the value is not JSON")
	}
	if r.out.Status == "" { // the conversation broke off: the process's end shows why
		r.linger()
	}
	ours := p.killed.Load()
	p.kill()
	ended := context.Cause(ctx)
	cancel(nil)
	r.calls.Wait()
	streams.Wait()
	line := p.lastLine(r.lines)
	if nested { // its CPU time must count before the next one starts
		p.wait()
	}
	b.remove(p)
	reaping.Lock()
	reaping.Go(p.close) // the system takes a while to remove a killed process
	reaping.Unlock()

	o := r.out
	o.Stdout, o.Truncated = stdout.String(), stdout.cut
	o.Stderr = stderr.String()
	switch {
	case stdout.cut || stderr.cut:
		o.Status, o.Errors = OutputLimit, nil
		o.Message = fmt.Sprintf("%s wrote more than %d bytes to stdout or stderr; print less, or return a summary", b.subject(), b.limits.Stdout)
	case r.denied.Load() != nil:
		o.Status, o.Message = Denied, r.denied.Load().Error()
	case o.Status == "" && errors.Is(ended, context.DeadlineExceeded):
		o.Status, o.Message = Timeout, late(s.Limits)
	case o.Status == "" && errors.Is(ended, errCPU):
		o.Status, o.Message = CPULimit, b.cpuMessage()
	case o.Status == "" && ended != nil:
		o.Status, o.Message = Canceled, "the run was canceled"
	case o.Status == "":
		p.wait()
		o.Status, o.Code, o.Message = crashed(p.state(), ours, crash.String(), s.Limits, b, err)
		if o.Message == mapFatal { // written by goroutines, whose lines are not noted
			o.Message, line = r.mapWrites()
		}
		if o.Status == ScriptError {
			o.Line, o.Exit = line, goFatal
		}
	}
	switch o.Status {
	case Timeout, CPULimit, MemoryLimit, OutputLimit, CallLimit:
		o.Line = cmp.Or(o.Line, line)
	}
	return o, nil
}

// run is one conversation with a worker.
type run struct {
	p        *process
	host     Host
	limits   Limits
	budget   *Budget
	caller   context.Context // passed to Run; without the run's deadline
	ctx      context.Context // ends with the run
	clock    *clock
	out      *Outcome
	calls    sync.WaitGroup
	slots    chan struct{}
	toldLive chan struct{} // closed when the worker knows that it is not in a replay
	pending  pending
	denied   atomic.Pointer[DeniedError]
	state    state
	resume   bool
	silence  time.Duration
	quiet    *time.Timer // ends the run, which waits for timers only; otherwise nil
	stills   uint64      // the least mark of the next still, see still.mark
	advanced int         // timers that Host.Still has fired
	read     int         // number of clock readings received
	lines    int         // number of lines in the script
	writes   []int       // the lines that write to maps, according to the worker
}

// state is the state of a run's calls.
type state struct {
	mu       sync.Mutex
	replay   bool   // not yet live
	sent     uint32 // frames sent to the worker since its script began
	underWay int    // calls that the Host has
	parked   int    // calls that it parked
}

// converse speaks the protocol. It sets out.Status if it knows the status of the run; otherwise
// the error is the reason why the conversation broke off.
func (r *run) converse(s *Script, begun time.Time) error {
	if err := r.p.awaitReady(); err != nil {
		if errors.Is(err, errFrame) {
			return r.broken("%v", err)
		}
		return err
	}
	r.out.Startup, r.out.Sandbox = time.Since(begun), r.p.ready.Report
	if msg := r.p.ready.Error; msg != "" {
		r.out.Status, r.out.Message = SandboxError, msg
		return nil
	}
	// A spare was locked with the widest limits; this script's may be narrower.
	if narrow := s.Limits.sandbox(""); narrow.Memory < r.p.locked.Memory || narrow.CPU < r.p.locked.CPU {
		if err := r.p.child.Narrow(&narrow); err != nil {
			r.out.Status, r.out.Message = SandboxError, err.Error()
			return nil
		}
	}
	sent := *s
	sent.Left = r.clock.remaining()
	text, err := sent.encode()
	if err != nil {
		return err
	}
	if err := r.p.to.write(kindScript, text); err != nil {
		return err
	}
	var needs Needs
	if ok, err := r.orErrors(kindNeeds, &needs); !ok {
		return err
	}
	r.out.Timing.Parse = needs.Timing.Parse
	// Finding tools may involve starting servers to list them, which does not count as the
	// script's time.
	r.clock.pause()
	tools, ok, err := r.host.Resolve(r.caller, &needs)
	r.clock.resume()
	if err != nil {
		r.out.Status = Stopped
		return err
	}
	if needs.Broken {
		var none Plan
		if ok, err := r.orErrors(kindPlan, &none); !ok {
			return err
		}
		return r.broken("sent a plan for a script that does not parse")
	}
	if !ok {
		r.out.Status = Stopped
		return nil
	}
	free := s.alone(&needs)
	if !free {
		t := *tools
		t.Left = r.clock.remaining()
		if err := r.p.to.writeJSON(kindTools, &t); err != nil {
			return err
		}
		free = t.Go && !s.Check
	}
	var plan Plan
	if ok, err := r.orErrors(kindPlan, &plan); !ok {
		return err
	}
	r.writes = plan.MapWrites
	r.out.Warnings = plan.Warnings
	r.out.Timing.Check, r.out.Timing.Lower = plan.Timing.Check, plan.Timing.Lower
	if !r.host.Start(r.ctx, &plan) {
		r.out.Status = Stopped
		return nil
	}
	if s.Check {
		k, b, err := readFrame(r.p.from, maxFrameToParent)
		if err == nil && k != kindLowered {
			err = fmt.Errorf("sent frame %v instead of %v", k, kindLowered)
		}
		if err != nil {
			return r.broken("%v", err)
		}
		r.out.Status, r.out.Lowered = OK, string(b)
		r.p.kill()
		return nil
	}
	if !free {
		if err := r.p.to.writeJSON(kindGo, &goAhead{Left: r.clock.remaining()}); err != nil {
			return err
		}
	}
	return r.serve()
}

// orErrors reads a frame of the wanted kind into v. If it reads the script's errors, it ends the run.
func (r *run) orErrors(want kind, v any) (ok bool, err error) {
	k, b, err := readFrame(r.p.from, maxFrameToParent)
	if errors.Is(err, errFrame) {
		return false, r.broken("%v", err)
	}
	if err != nil {
		return false, err
	}
	switch k {
	case want:
		err := json.Unmarshal(b, v)
		if p, ok := v.(*Plan); ok && err == nil {
			err = validate(&p.Warnings)
		}
		if err != nil {
			return false, r.broken("frame %v: %v", k, err)
		}
		return true, nil
	case kindErrors:
		var e Errors
		err := json.Unmarshal(b, &e)
		if err == nil && len(e.Errors) == 0 {
			err = errors.New("it contains no error")
		}
		if err = cmp.Or(err, validate(&e.Errors), validate(&e.Warnings)); err != nil {
			return false, r.broken("frame %v: %v", k, err)
		}
		r.out.Status, r.out.Errors, r.out.Warnings = CompileError, e.Errors, e.Warnings
		if e.Timing.Parse > 0 {
			r.out.Timing.Parse = e.Timing.Parse
		}
		r.out.Timing.Check, r.out.Timing.Lower = e.Timing.Check, e.Timing.Lower
		r.p.kill()
		return false, nil
	}
	return false, r.broken("sent frame %v instead of %v", k, want)
}

// validate truncates a list of diagnostics to maxErrors, and returns an error if one of them is
// invalid.
func validate(list *[]Diagnostic) error {
	*list = (*list)[:min(len(*list), maxErrors)]
	for i := range *list {
		if err := (*list)[i].Validate(); err != nil {
			return err
		}
	}
	return nil
}

// broken ends the run because the worker left the protocol.
func (r *run) broken(format string, args ...any) error {
	r.out.Status = SandboxError
	r.out.Message = "the worker broke the protocol: " + fmt.Sprintf(format, args...)
	r.p.kill()
	return errFrame
}

// maxErrors limits the reported faults of a script, maxNotes the warnings of a run, and
// maxFrames its calls, values and warnings together.
const (
	maxErrors = 20
	maxNotes  = 50
	maxFrames = 100_000
)

// serve answers the running script until it is done.
func (r *run) serve() error {
	began := time.Now()
	defer func() {
		if r.quiet != nil {
			r.quiet.Stop()
		}
		if r.out.Timing.Run == 0 { // a killed worker reports nothing
			r.out.Timing.Run = ms(time.Since(began))
		}
	}()
	seen := map[uint32]bool{}
	for frames := 1; ; {
		k, b, err := readFrame(r.p.from, maxFrameToParent)
		switch waiting := r.quiet != nil; {
		case waiting && !r.quiet.Stop() && k != kindDone && r.ctx.Err() == nil: // otherwise the timer has killed the worker
			r.waiting()
			return nil
		case errors.Is(err, errFrame):
			return r.broken("%v", err)
		case err != nil:
			return err
		case waiting && k == kindCall:
			r.quiet = nil
		case waiting:
			r.quiet.Reset(r.silence)
		}
		if k != kindStill {
			frames++
		}
		if frames > maxFrames {
			r.out.Status = OutputLimit
			r.out.Message = fmt.Sprintf("the script sent more than %d values, calls and warnings; call Return once, with all values", maxFrames)
			r.p.kill()
			return nil
		}
		if r.budget.received.take(len(b)) < len(b) {
			r.out.Status = OutputLimit
			r.out.Message = fmt.Sprintf("%s sent more than %d MiB in calls and values", r.budget.subject(), maxReceived>>20)
			r.p.kill()
			return nil
		}
		switch k {
		case kindCall:
			n, payload, err := numbered(b)
			var c call
			if err == nil {
				err = json.Unmarshal(payload, &c)
			}
			if err == nil {
				err = c.validate()
			}
			if err != nil || seen[n] {
				return r.broken("call %d: %v", n, err)
			}
			seen[n] = true
			r.out.Calls++
			if r.budget.calls.take(1) == 0 {
				r.out.Status = CallLimit
				r.out.Message = fmt.Sprintf("%s made more than %d tool calls", r.budget.subject(), r.budget.limits.Calls)
				r.p.kill()
				return nil
			}
			live := r.state.begin()
			if !live { // calls held in a replay may wait for later ones
				payload = nil
			}
			if !r.pending.add(r.ctx, len(payload)) {
				return r.ctx.Err()
			}
			asked := &Call{N: r.out.Calls, Tool: c.Tool, Args: c.Args, Path: c.Path, Place: c.Place, Alone: c.Alone, slots: r.slots,
				live: r.toldLive}
			r.calls.Go(func() {
				defer r.pending.done(len(payload))
				if live && asked.Slot(r.ctx) != nil {
					return
				}
				defer asked.freeSlot()
				r.call(n, asked)
			})
		case kindValue:
			if len(b) > r.limits.Value {
				r.out.Status = OutputLimit
				r.out.Message = fmt.Sprintf("the returned value has %d bytes, at most %d are allowed; return a summary", len(b), r.limits.Value)
				r.p.kill()
				return nil
			}
			r.out.Value = b // validated after the run, because only the last one counts
		case kindClock:
			if err := r.clocked(b); err != nil {
				return r.broken("frame %v: %v", k, err)
			}
		case kindStill:
			if ok, err := r.still(b); !ok {
				return err
			}
		case kindWarn:
			if err := r.note(b); err != nil {
				return r.broken("frame %v: %v", k, err)
			}
		case kindDone:
			var d done
			if err := json.Unmarshal(b, &d); err != nil {
				return r.broken("frame %v: %v", k, err)
			}
			r.ended(&d)
			return nil
		default:
			return r.broken("sent frame %v while running", k)
		}
	}
}

// clocked processes the script's clock readings.
func (r *run) clocked(b []byte) error {
	var read readings
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	list, err := read.list(exec.MaxReadings - r.read)
	if err != nil {
		return err
	}
	r.read += len(list)
	r.host.Clock(list, read.Lost)
	return nil
}

// still handles a report that nothing in the script moves. It reports whether the run continues.
func (r *run) still(b []byte) (bool, error) {
	var s still
	err := json.Unmarshal(b, &s)
	r.state.mu.Lock()
	replay, sent, underWay, parked := r.state.replay, r.state.sent, r.state.underWay, r.state.parked
	r.state.mu.Unlock()
	switch {
	case err != nil:
	case !replay && parked == 0 && s.Seen == sent:
		err = errors.New("no call is parked, and this is not a replay")
	case s.Seen > sent:
		err = fmt.Errorf("it has seen %d frames of %d", s.Seen, sent)
	case s.mark() < r.stills:
		err = errors.New("it is a repetition")
	}
	if err != nil {
		return false, r.broken("frame %v: %v", kindStill, err)
	}
	r.stills = s.mark() + 1
	switch {
	case s.Seen != sent: // a frame on its way to the worker will wake it
		return true, nil
	case replay:
		return r.next(&s, int(sent)-r.advanced-parked)
	case underWay > 0 || s.Waiting != parked: // an honest worker reports neither
		return true, nil
	case s.Timers:
		r.quiet = time.AfterFunc(r.silence, r.p.kill)
		return true, nil
	}
	r.waiting()
	return false, nil
}

// waiting ends the run because it waits for parked calls.
func (r *run) waiting() {
	r.out.Status, r.out.Message = Waiting, "the script waits for calls that get no answer in this run"
	r.p.kill()
}

// next asks the Host for the next event of a replay. answered is the number of answered calls.
func (r *run) next(s *still, answered int) (bool, error) {
	var next time.Time
	if s.Next != 0 {
		next = time.Unix(0, s.Next)
	}
	what, err := r.host.Still(r.ctx, next, s.Waiting, answered)
	if r.ctx.Err() != nil { // the run has ended for another reason
		return false, r.ctx.Err()
	}
	if err == nil && what == Live && !r.resume {
		err = errors.New("this replay cannot become live")
	}
	if err != nil {
		r.out.Status, r.out.Message = Diverged, err.Error()
		r.p.kill()
		return false, nil
	}
	switch what {
	case Advance:
		r.advanced++
		r.state.tell(true)
		return true, r.p.to.write(kindAdvance)
	case Live:
		r.state.tell(false)
		err := r.p.to.write(kindLive)
		close(r.toldLive)
		return true, err
	}
	return true, nil
}

// tell records that a frame with the next event of a replay, or its end, is about to be sent.
func (s *state) tell(replay bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
	s.replay = replay
}

// begin records that the Host gets a call, and reports whether the run is live.
func (s *state) begin() (live bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay++
	return !s.replay
}

// end records that the answer of a call, or its parking, is about to be sent.
func (s *state) end(parked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay--
	s.sent++
	if parked {
		s.parked++
	}
}

// note processes a warning of the running script.
func (r *run) note(b []byte) error {
	var n Note
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	if n.Code != "" && n.Code != bridge.CodeMisfit || len(n.Tool) > maxNote {
		return fmt.Errorf("a warning with the code %.40q about %.40q", n.Code, n.Tool)
	}
	n.Message = begin(n.Message, maxNote)
	if len(r.out.Notes) < maxNotes {
		r.out.Notes = append(r.out.Notes, n)
	}
	return nil
}

// begin returns the beginning of a text, at most limit bytes.
func begin(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "\uFFFD")
}

// ended adopts the worker's report on how main ended.
func (r *run) ended(d *done) {
	o := r.out
	o.Timing.Run = d.Timing.Run
	o.Exit, o.Line, o.Trace = d.Exit, d.Line, d.Trace[:min(len(d.Trace), maxTrace)]
	for i := range o.Trace {
		o.Trace[i].Func = begin(o.Trace[i].Func, maxNote)
	}
	switch {
	case d.Late:
		o.Status, o.Message = Timeout, late(r.limits)
	case d.Error != "": // a fault of the harness, not of the script
		o.Status, o.Message = SandboxError, d.Error
	case d.Refused != "":
		o.Status = CompileError
		o.Errors = []Diagnostic{{Kind: check.Refused, Message: "not supported: " + text.CutBytes(d.Refused, 1000)}}
	case d.Panic != "":
		o.Status, o.Message, o.Exit, o.Code = ScriptError, "panic: "+d.Panic, goFatal, exec.CodePanic
		if d.Code.IsPanic() {
			o.Code = d.Code
		}
	case d.Fatal != "":
		o.Status, o.Message, o.Exit = ScriptError, "fatal error: "+d.Fatal, goFatal
		if d.Code.IsFatal() {
			o.Code = d.Code
		}
	case d.Exit != 0:
		o.Status, o.Message = ScriptError, fmt.Sprintf("the script ended with os.Exit(%d)", d.Exit)
		if d.Exit == 1 {
			o.Message = "the script ended with os.Exit(1) or log.Fatal"
		}
	default:
		o.Status = OK
	}
}

func late(l Limits) string { return fmt.Sprintf("the script ran longer than %v", l.Timeout) }

// call makes one tool call and sends its result.
func (r *run) call(n uint32, c *Call) {
	var denied *DeniedError
	ctx, handed := context.WithCancel(r.ctx)
	defer handed()
	answer, err := r.host.Call(ctx, c)
	var raw json.RawMessage
	var at int64
	if answer != nil {
		raw = answer.Result
		if !answer.At.IsZero() {
			at = answer.At.UnixNano()
		}
	}
	switch {
	case errors.As(err, &denied):
		r.denied.Store(denied)
		r.p.kill()
		return
	case r.ctx.Err() != nil:
		return
	case errors.Is(err, ErrParked):
		r.state.end(true)
		r.p.to.write(kindParked) // a dead worker is noticed elsewhere
		return
	case err != nil:
	case len(raw) > r.limits.Result:
		err = fmt.Errorf("the result has %d bytes, at most %d are allowed: ask the tool for less", len(raw), r.limits.Result)
	}
	r.state.end(false)
	// A dead worker is noticed elsewhere.
	if err != nil {
		failed := &result{At: at, Error: err.Error()}
		if coded := (*CallError)(nil); errors.As(err, &coded) {
			failed.Code = coded.Code
		}
		b, _ := json.Marshal(failed)
		r.p.to.write(kindFailed, number(n), b)
		return
	}
	r.p.to.writeResult(n, at, raw)
}

// mapWrites returns a message with the lines on which goroutines may have collided in a map,
// and the line if there is only one.
func (r *run) mapWrites() (message string, line int) {
	var lines []string
	for _, n := range r.writes {
		if n > 0 && n <= r.lines && len(lines) < maxMapLines {
			lines, line = append(lines, strconv.Itoa(n)), n
		}
	}
	switch len(lines) {
	case 0:
		return mapFatal, 0
	case 1:
		return mapFatal, line
	}
	return mapFatal + "; the script writes to maps on lines " + strings.Join(lines, ", "), 0
}

// maxMapLines limits the lines in such a message.
const maxMapLines = 5

// linger gives a worker that closed its pipe time to exit, so that its exit status can be read.
func (r *run) linger() {
	ended := make(chan struct{})
	go func() { r.p.wait(); close(ended) }()
	late := time.NewTimer(lingerTime)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
		select {
		case <-ended: // both became ready before this goroutine ran
		default:
			r.p.kill()
		}
	case <-r.ctx.Done(): // which kills the worker
		<-ended
	}
}

// crashBytes limits the output of a dying runtime that is read.
const crashBytes = 64 << 10

// lingerTime is how long a process may take to exit after closing its pipes.
const lingerTime = time.Second

// fatal are the Go runtime's last words, which distinguish its deaths with exit code 2. Without
// a done frame, a script cannot end in another way with that code.
var fatal = []struct {
	text   string
	status Status
	code   exec.Code
	say    string
}{
	{"stack overflow", MemoryLimit, "", "stack overflow: the recursion is endless or too deep; the limit in 512 MB is about 200,000 nested calls of functions, or 20,000 of closures"},
	{"goroutine stack exceeds", MemoryLimit, "", "stack overflow: the recursion is endless or too deep; the limit in 512 MB is about 200,000 nested calls of functions, or 20,000 of closures"},
	{"concurrent map", ScriptError, "", mapFatal},
	{fatalTexts[exec.CodeDeadlock], ScriptError, exec.CodeDeadlock, "fatal error: " + fatalTexts[exec.CodeDeadlock]},
}

const mapFatal = "fatal error: several goroutines use a map at once, and one writes; guard it with a sync.Mutex"

// goFatal is the exit code of the Go runtime's fatal errors and panics.
const goFatal = 2

// crashed returns the status, code and message for a worker that ended without a report. They
// follow from its exit status and, if the Go runtime died, from the runtime's words.
func crashed(state *os.ProcessState, ours bool, stderr string, l Limits, b *Budget, conversation error) (Status, exec.Code, string) {
	memory := fmt.Sprintf("the script used more memory than allowed (%d MiB)", l.Memory>>20)
	cpu := b.cpuMessage()
	code := -1
	if state != nil {
		code = state.ExitCode()
	}
	if why, ok := strings.CutPrefix(stderr, "panic: "); ok && code == goFatal { // the script may have written any part of it
		why, _, _ = strings.Cut(why, "\n")
		return ScriptError, exec.CodePanic, "panic: " + text.CutBytes(strings.TrimSpace(why), maxText)
	}
	switch {
	case code == sandbox.ExitCPU:
		return CPULimit, "", cpu
	case code == sandbox.ExitMemory || sandbox.OutOfMemory(goFatal, stderr):
		return MemoryLimit, "", memory
	case code == goFatal && stderr == "": // it had no memory left for a message
		return MemoryLimit, "", "the worker died without a message, probably because memory ran out"
	case code == goFatal || strings.Contains(stderr, "fatal error: "): // only the runtime writes there
		for _, f := range fatal {
			if strings.Contains(stderr, f.text) {
				return f.status, f.code, f.say
			}
		}
		if _, misuse, ok := strings.Cut(stderr, "fatal error: sync: "); ok { // such as unlock of unlocked mutex
			misuse, _, _ = strings.Cut(misuse, "\n")
			return ScriptError, "", "fatal error: sync: " + text.CutBytes(misuse, 200)
		}
	case code == -1 && !ours && state != nil && state.UserTime()+state.SystemTime() >= l.CPU:
		return CPULimit, "", cpu
	case code == -1 && !ours && state != nil && state.String() == "signal: killed":
		return MemoryLimit, "", "the system killed the worker, probably because memory ran out"
	}
	why := "it closed its pipe without an answer"
	_, words, spoke := strings.Cut(stderr, "fatal error: ")
	switch {
	case spoke:
		why, _, _ = strings.Cut(words, "\n")
	case code > 0 || code == -1 && !ours && state != nil:
		why = state.String()
		if first, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n"); first != "" {
			why += ": " + text.CutBytes(first, 200)
		}
	case code == 0:
		why = "it ended without an answer"
	case conversation != nil && !errors.Is(conversation, io.EOF) && !errors.Is(conversation, os.ErrClosed):
		why = conversation.Error()
	}
	return SandboxError, "", "the worker died: " + why
}
