package worker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/exec"
	"github.com/usetools/usetools/harness/internal/sandbox"
	"github.com/usetools/usetools/harness/internal/stack"
	"github.com/usetools/usetools/registry/text"
)

// Main runs the worker process and returns its exit code.
func Main() int {
	debug.SetGCPercent(gcPercent)
	stack.Grow()
	var set setup
	if err := json.Unmarshal([]byte(os.Args[2]), &set); err != nil || len(set.Sandbox.Keep) != 3 {
		fmt.Fprintf(os.Stderr, "%s is started by the harness, not by hand\n", marker)
		return 64
	}
	os.Args = []string{"script"} // for scripts that read them
	os.Clearenv()
	pipe := func(i int) *os.File { return os.NewFile(uintptr(set.Sandbox.Keep[i]), "pipe") }
	stderr := pipe(2)
	c := newChild(pipe(0), pipe(1), stderr)
	c.streams = []*os.File{os.Stdout, stderr, os.Stderr}
	c.lost = func() { os.Exit(70) } // without a parent there is nothing to do
	c.stuck = func(code exec.Code) {
		c.end(&done{Fatal: fatalTexts[code], Code: code, Line: c.lastLine()})
		os.Exit(2)
	}
	if set.Line > 0 {
		c.line = mapLine(set.Line)
	}
	if err := c.work(&set.Sandbox); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return 70
	}
	return 0
}

// gcPercent lets the heap of the short-lived worker grow to 16 MiB before the first collection.
// Near its memory limit it collects as needed (debug.SetMemoryLimit).
const gcPercent = 400

// child is the worker's end of one conversation.
type child struct {
	from    io.Reader
	to      *frameWriter
	stderr  *os.File        // the script's; the process's own is for the Go runtime
	streams []*os.File      // closed by end
	lost    func()          // called when the parent is gone
	stuck   func(exec.Code) // called for a deadlock; if nil, deadlocks are not detected
	noMain  atomic.Bool     // main called runtime.Goexit
	line    *int            // shared with the parent; may be nil
	script  Script
	tools   Tools

	program *exec.Program // the running program

	mu      sync.Mutex
	made    uint32 // number of calls
	seen    uint32 // number of frames since the script began
	waiting map[uint32]chan result
	parked  int // number of parked calls among the waiting
	held    int // in a replay, goroutines that only wait for a result

	saying   sync.Mutex // held while clock readings and the frame behind them are sent
	saidLost bool       // the parent knows that readings were dropped
}

func newChild(from io.Reader, to io.Writer, stderr *os.File) *child {
	return &child{from: bufio.NewReader(from), to: &frameWriter{w: to}, stderr: stderr, waiting: map[uint32]chan result{}}
}

// work locks the process, performs the requested rehearsals, and serves one script.
func (c *child) work(lock *sandbox.Config) error {
	report, err := sandbox.Apply(lock)
	if err != nil {
		return c.to.writeJSON(kindReady, &ready{Report: report, Error: err.Error()})
	}
	go check.Begin(checkOptions(nil))
	for {
		if err := c.to.writeJSON(kindReady, &ready{Report: report}); err != nil {
			return err
		}
		k, b, err := readFrame(c.from, maxFrameToWorker)
		if err != nil {
			return err
		}
		if k != kindRehearse {
			return c.serve(k, b)
		}
		for _, n := range b {
			if int(n) < len(rehearsals) {
				_ = rehearsals[n]() // the script encounters the error again, and reports it
			}
		}
	}
}

// serve speaks the protocol once, from the script in the given frame to done.
func (c *child) serve(k kind, b []byte) error {
	if k != kindScript {
		return fmt.Errorf("%w: %v instead of %v", errFrame, k, kindScript)
	}
	if err := c.script.decode(b); err != nil {
		return err
	}
	begin := time.Now()
	late := begin.Add(c.script.Left)
	narrowed := c.script.Limits.sandbox("")
	narrowed.Tune()
	script, bad := check.Parse([]byte(c.script.Source))
	timing := Timing{Parse: ms(time.Since(begin))}
	if len(bad) > 0 {
		if needs := needsOfText([]byte(c.script.Source), timing); !needs.none() {
			if err := c.to.writeJSON(kindNeeds, needs); err != nil {
				return err
			}
		}
		return c.to.writeJSON(kindErrors, &Errors{Errors: bad, Timing: timing})
	}
	needs := needsOf(script, timing)
	if err := c.to.writeJSON(kindNeeds, needs); err != nil {
		return err
	}
	free := c.script.alone(needs)
	if !free {
		if err := c.read(kindTools, &c.tools); err != nil {
			return err
		}
		late = time.Now().Add(c.tools.Left)
		free = c.tools.Go
	}
	program, err := c.compile(script, &timing)
	if program == nil || err != nil {
		return err
	}
	if !free || c.script.Check {
		var start goAhead
		if err := c.read(kindGo, &start); err != nil {
			return err
		}
		late = time.Now().Add(start.Left)
	}
	c.program = program
	if c.script.Clock {
		program.Record()
	}
	over := make(chan struct{})
	if c.script.Replay != nil {
		program.Replay(c.script.Replay)
		go c.conduct(over)
	} else {
		go c.attend(over)
	}
	// Shortly before the parent would kill it, the worker ends the script itself, to report its line.
	stop := make(chan struct{})
	left := time.Until(late)
	inner := time.AfterFunc(left-min(left/10, innerMargin), func() { close(stop) })
	d := c.run(program, stop)
	inner.Stop()
	close(over)
	return c.end(d)
}

// innerMargin is the maximum time before the parent's deadline at which a worker ends the script.
const innerMargin = 200 * time.Millisecond

// lastLine returns the line that the script noted last, or 0 if it is unknown.
func (c *child) lastLine() int {
	if c.line == nil {
		return 0
	}
	return *c.line
}

// end reports how the script ended. It closes the streams first, so that the parent gets all
// output without waiting for the process.
func (c *child) end(d *done) error {
	for _, f := range c.streams {
		f.Close()
	}
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return c.say(kindDone, b)
}

// say sends a frame, preceded by the script's new clock readings.
func (c *child) say(k kind, parts ...[]byte) error {
	if !c.script.Clock {
		return c.to.write(k, parts...)
	}
	c.saying.Lock()
	defer c.saying.Unlock()
	if err := c.sayReadings(); err != nil {
		return err
	}
	return c.to.write(k, parts...)
}

func (c *child) sayReadings() error {
	fresh, lost := c.program.Readings()
	if len(fresh) == 0 && lost == c.saidLost {
		return nil
	}
	c.saidLost = lost
	b, err := json.Marshal(pack(fresh, lost))
	if err != nil {
		return err
	}
	if len(b) > maxReport { // the paths of thousands of goroutines
		c.saidLost = true
		b = []byte(`{"lost":true}`)
	}
	return c.to.write(kindClock, b)
}

// read reads a frame of the wanted kind and decodes it into v.
func (c *child) read(want kind, v any) error {
	k, b, err := readFrame(c.from, maxFrameToWorker)
	if err != nil {
		return err
	}
	return c.decode(want, v, k, b)
}

func (c *child) decode(want kind, v any, k kind, b []byte) error {
	if k != want {
		return fmt.Errorf("%w: %v instead of %v", errFrame, k, want)
	}
	return json.Unmarshal(b, v)
}

// maxNames is more than any host accepts.
const maxNames = 5000

func needsOf(s *check.Script, t Timing) *Needs {
	n := &Needs{Probe: s.Probe(), Own: s.Own(), Uncertain: s.Refers("UncertainError"), Timing: t}
	n.add(s.Phrases(), s.Used())
	return n
}

// needsOfText returns the guessed needs of a script that does not parse.
func needsOfText(src []byte, t Timing) *Needs {
	n := &Needs{Broken: true, Timing: t}
	n.add(check.Mentions(src))
	return n
}

func (n *Needs) add(phrases []check.Phrase, names []check.Name) {
	n.Phrases, n.Names = []Phrase{}, []Name{}
	for _, p := range phrases {
		n.Phrases = append(n.Phrases, Phrase(p))
	}
	for _, u := range names[:min(len(names), maxNames)] {
		n.Names = append(n.Names, Name(u))
	}
}

// compile checks and lowers the script and sends the plan. If the script has errors, it sends
// them and returns nil.
func (c *child) compile(script *check.Script, timing *Timing) (*exec.Program, error) {
	opts := checkOptions(c.tools.Units)
	opts.Strict = c.script.Strict
	begin := time.Now()
	checked, bad := script.Check(opts)
	timing.Check = ms(time.Since(begin))
	if len(bad) > 0 {
		return nil, c.to.writeJSON(kindErrors, &Errors{Errors: bad, Timing: *timing})
	}
	begin = time.Now()
	program, err := exec.Compile(checked)
	timing.Lower = ms(time.Since(begin))
	var refused *exec.Refusal
	switch {
	case errors.As(err, &refused):
		d := checked.Diagnose(refused.Line, refused.Column, check.Refused, refused.Error(), "")
		return nil, c.to.writeJSON(kindErrors, &Errors{Errors: []Diagnostic{d}, Warnings: checked.Warnings, Timing: *timing})
	case err != nil:
		return nil, err
	}
	plan := &Plan{Warnings: checked.Warnings, MapWrites: program.MapWrites(), Timing: *timing}
	if err := c.to.writeJSON(kindPlan, plan); err != nil || !c.script.Check {
		return program, err
	}
	return program, c.to.write(kindLowered, []byte(program.Listing()))
}

// checkOptions returns the options for generated packages and the package through which they
// call tools.
func checkOptions(units []Unit) *check.Options {
	o := &check.Options{Prelude: bridge.Prelude, Units: []check.Unit{{Path: "usetools/host", Source: bridge.Source, Host: true}}}
	for _, u := range units {
		o.Units = append(o.Units, check.Unit{Path: u.Path, Name: u.Name, Source: u.Source})
	}
	return o
}

// maxText limits the message of a panic, in bytes, and maxTrace its frames.
const (
	maxText  = 16 << 10
	maxTrace = 20
)

// run runs main and returns how it ended.
func (c *child) run(program *exec.Program, stop <-chan struct{}) *done {
	begin := time.Now()
	out, err := program.Run(&exec.Options{Host: c, Stderr: c.stderr, Line: c.line, Goexit: func() { c.noMain.Store(true) }, Stop: stop,
		Seed: c.script.Seed, Mark: c.script.Mark})
	d := &done{Timing: Timing{Run: ms(time.Since(begin))}}
	var refused *exec.Refusal
	switch {
	case errors.As(err, &refused):
		d.Refused = refused.Message
	case err != nil:
		d.Error = text.CutBytes(err.Error(), maxText)
	case out.Stopped:
		d.Late, d.Line = true, out.Line
	case out.Panic != nil:
		d.Panic, d.Code = text.CutBytes(out.Panic.Text, maxText), out.Panic.Code
		for _, f := range out.Panic.Trace {
			if d.Line == 0 {
				d.Line = f.Line
			}
			if len(d.Trace) < maxTrace {
				d.Trace = append(d.Trace, Frame{Func: text.CutBytes(f.Func, maxNote), Line: f.Line})
			}
		}
	default:
		d.Exit = out.Code
	}
	return d
}

// attend serves a script in real time: it passes results to the waiting calls until the parent
// is gone, and looks for deadlocks until over is closed.
func (c *child) attend(over <-chan struct{}) {
	if c.stuck != nil {
		go c.watch(over)
	}
	c.listen()
}

func (c *child) listen() {
	for {
		k, b, err := c.next()
		var n uint32
		var r result
		switch {
		case err == nil && (k == kindResult || k == kindFailed):
			if n, r, err = resultOf(k, b); err == nil {
				c.hand(n, r)
				continue
			}
		case err == nil && k == kindParked:
			c.park()
			continue
		}
		c.lost()
		return
	}
}

// park records that one of the calls gets no answer.
func (c *child) park() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parked++
}

// next reads the parent's next frame.
func (c *child) next() (kind, []byte, error) {
	k, b, err := readFrame(c.from, maxFrameToWorker)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen++
	return k, b, err
}

// hand passes a result to its waiting call.
func (c *child) hand(n uint32, r result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch := c.waiting[n]; ch != nil {
		delete(c.waiting, n)
		c.held--
		ch <- r // under the lock, so that watch never sees a call as waiting that has its result
	}
}

// Call implements exec.Host: it sends the call and waits for its result.
func (c *child) Call(from bridge.From, tool string, args []byte) ([]byte, error) {
	alone := c.script.Replay != nil && c.program.Alone()
	payload, err := json.Marshal(&call{Tool: tool, Args: args, Path: from.Path, Place: from.Place, Alone: alone})
	if err != nil {
		return nil, err
	}
	if len(args) > maxArgs {
		return nil, fmt.Errorf("the arguments have %d bytes, at most %d are allowed", len(args), maxArgs)
	}
	ch := make(chan result, 1)
	c.mu.Lock()
	n := c.made
	c.made++
	c.waiting[n] = ch
	c.mu.Unlock()
	if err := c.say(kindCall, number(n), payload); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.held++
	c.mu.Unlock()
	r := <-ch
	switch {
	case r.Code == bridge.CodeUncertain:
		return nil, &bridge.UncertainError{Tool: tool, Message: r.Error}
	case r.Error != "":
		return nil, errors.New(r.Error)
	}
	return r.Result, nil
}

// Return implements exec.Host.
func (c *child) Return(value []byte) {
	// The parent checks the size before it parses the value.
	c.to.write(kindValue, value[:min(len(value), maxFrameToParent)])
}

// maxNote limits, in bytes, a warning of the running script, its tool ID, and a function name
// in a trace.
const maxNote = 1000

// Warn implements exec.Host.
func (c *child) Warn(code, tool, message string) {
	n := Note{Code: code, Tool: tool, Message: text.CutBytes(message, maxNote)}
	if len(tool) > maxNote {
		n.Code, n.Tool = "", ""
	}
	c.to.writeJSON(kindWarn, &n)
}

// Input implements exec.Host.
func (c *child) Input(name string) ([]byte, error) {
	return lookUp(c.script.Inputs, name, "Input", "the script was sent with")
}

// Stored implements exec.Host.
func (c *child) Stored(id string) ([]byte, error) {
	if c.script.Stored == nil {
		return nil, errors.New("Stored: without a session, nothing is kept between scripts; do everything in one script")
	}
	return lookUp(c.script.Stored, id, "Stored", "values are kept for 30 minutes by the server that truncated them; this client has")
}

// RunScript implements exec.Host.
func (c *child) RunScript(from bridge.From, name string, inputs []byte) ([]byte, error) {
	args, err := json.Marshal(map[string]any{"name": name, "inputs": json.RawMessage(inputs)})
	if err != nil {
		return nil, err
	}
	return c.Call(from, bridge.RunScript, args)
}

func lookUp(m map[string]json.RawMessage, name, fn, where string) ([]byte, error) {
	if v, ok := m[name]; ok {
		return v, nil
	}
	var names []string
	for n := range m {
		names = append(names, strconv.Quote(n))
	}
	slices.Sort(names)
	have := strings.Join(names, ", ")
	if have == "" {
		have = "none"
	}
	return nil, fmt.Errorf("%s: no value %q; %s %s", fn, name, where, have)
}

// Unresolved implements exec.Host.
func (c *child) Unresolved(phrases []string) (query, message string, candidates []string) {
	for _, p := range phrases {
		if u, ok := c.tools.Unresolved[p]; ok {
			return p, u.Message, u.Candidates
		}
	}
	return "", "", nil
}
