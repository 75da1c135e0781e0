// Package exec runs scripts that package check has accepted. It hides from the rest of the
// harness how a script runs: the lowering (lower), the library's other half (rt), the
// interpreter (eval) and its symbol tables (syms). A test enforces that no other package
// imports these. Another way to run scripts could replace them behind the same functions.
//
// The [Outcome] describes how a script ended. A construct that cannot run with Go's semantics
// is a [*Refusal]. Any other error is a fault of the harness; its text is for a bug report, and
// callers do not branch on it.
package exec

import (
	"cmp"
	"errors"
	"flag"
	"go/types"
	"log"
	"os"
	"runtime"
	"slices"

	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/gotype"
	"github.com/usetools/usetools/harness/internal/lower"
	rt "github.com/usetools/usetools/harness/internal/runtime"
	"github.com/usetools/usetools/harness/internal/yaegi"
)

// A Program is a script that can be run once.
type Program struct {
	lowered *lower.Program
	timers  *rt.Timers
	procs   int // of the process, outside a replay
}

// A Refusal describes a part of a script that cannot run with Go's semantics. Nothing of the
// script has run.
type Refusal struct {
	Line, Column int    // of the construct in the script, from 1; 0 if unknown
	Message      string // the unsupported construct, and an alternative
}

func (r *Refusal) Error() string { return "not supported: " + r.Message }

// Compile makes a program from a checked script. An error is a *[Refusal] or a fault of the
// harness.
func Compile(checked *check.Checked) (*Program, error) {
	in := &lower.Input{Fset: checked.Fset, Info: checked.Info, Place: checked.LogPlaces(), Ordered: calls(checked)}
	for _, p := range checked.Packages {
		in.Packages = append(in.Packages, lower.Package{Types: p.Types, Files: p.Files, Init: p.InitOrder})
	}
	lowered, err := lower.Lower(in)
	if refused := (*lower.Refusal)(nil); errors.As(err, &refused) {
		return nil, &Refusal{refused.Pos.Line, refused.Pos.Column, refused.Msg}
	} else if err != nil {
		return nil, err
	}
	if at := lowered.Makes; at != nil {
		if err := checkTypes(); err != nil {
			return nil, &Refusal{at.Line, at.Column, "values of the script's types in interfaces, and interfaces of the script: " + err.Error()}
		}
	}
	return &Program{lowered: lowered, timers: rt.NewTimers()}, nil
}

// calls reports whether a script can make calls, which a later run of it must repeat in the
// same order.
func calls(checked *check.Checked) bool {
	for _, p := range checked.Packages {
		if slices.ContainsFunc(p.Types.Imports(), func(i *types.Package) bool { return i.Path() == "usetools/host" }) {
			return true
		}
	}
	for _, o := range checked.Info.Uses {
		if f, ok := o.(*types.Func); ok && f.FullName() == "usetools/prelude.RunScript" {
			return true
		}
	}
	return false
}

// checkTypes reports whether types can be made at run time. Tests replace it.
var checkTypes = gotype.Check

// MapWrites returns the lines on which the script writes to maps, if it starts goroutines. If
// two write at once, Go's runtime ends the process without naming the line.
func (p *Program) MapWrites() []int { return p.lowered.MapWrites }

// Listing returns the lowered program as text, for debugging.
func (p *Program) Listing() string { return p.lowered.Source }

// Waiting reports whether a timer may still wake the running script.
func (p *Program) Waiting() bool { return p.timers.Pending() }

// A Reading is one time that a script read from its clock.
type Reading = rt.Reading

// MaxReadings is the maximum number of recorded readings of one script.
const MaxReadings = rt.MaxReadings

// Record makes the program record its clock readings. Call it before Run.
func (p *Program) Record() { p.timers.Record() }

// Readings returns the clock readings of a recording program since the last call, and whether
// it made more than are recorded.
func (p *Program) Readings() (fresh []Reading, lost bool) { return p.timers.Readings() }

// A Replay makes a program repeat an earlier run: its clock shows the times that the run read,
// and stands still in between; timers do not wait.
type Replay struct {
	Begin    int64              // of the run, in ns since 1970
	Readings map[string][]int64 // times in ns since 1970, by the path of the goroutine that read them
	// CPUs is the run's runtime.NumCPU and GOMAXPROCS. If 0, it is this process's.
	CPUs int
}

// Replay makes the program repeat a run. Call it before Run. Answered and Advance move its
// clock. The process runs on one processor until Live, so that goroutines take turns as in the
// run, as far as possible.
func (p *Program) Replay(r *Replay) {
	p.procs = runtime.GOMAXPROCS(1)
	p.timers.Replay(r.Begin, r.Readings, cmp.Or(r.CPUs, p.procs))
}

// Live ends the replay, as if the program had been running all the time: its clock shows the
// real time, and its timers wait for their remaining time.
func (p *Program) Live() {
	p.timers.Live()
	runtime.GOMAXPROCS(p.procs)
}

// Answered sets the time, in ns since 1970, at which a call of a replay was answered.
func (p *Program) Answered(at int64) { p.timers.Answered(at) }

// Next returns the time, in ns since 1970, of the first timer of a replay for which a goroutine
// waits.
func (p *Program) Next() (due int64, ok bool) { return p.timers.Next() }

// Advance fires that timer.
func (p *Program) Advance() { p.timers.Advance() }

// Goroutines returns the number of goroutines in a replay, and how many of those sleep.
func (p *Program) Goroutines() (all, asleep int) { return p.timers.Goroutines(), p.timers.Asleep() }

// Alone reports whether a replay has only one goroutine and no timer.
func (p *Program) Alone() bool { return p.timers.Goroutines() == 1 && p.timers.Idle() }

// MaxPath limits the path of a calling goroutine, in bytes.
const MaxPath = rt.MaxPath

// MarkSize is the size of Options.Mark, and MaxHead limits a mark with its head, in bytes.
const (
	MarkSize = rt.MarkSize
	MaxHead  = rt.MaxHead
)

// ReadHead decodes the head between a mark and its text: the printing line of the script, and
// the size of the text, at least 1. read is the size of the head, or 0 if b is too short or not
// a head.
func ReadHead(b []byte) (line, size, read int) { return rt.ReadHead(b) }

// Host gives a running script access to everything outside the library.
type Host interface {
	bridge.Bridge
	rt.Host
}

// Options configure Run.
type Options struct {
	// Host answers the script's calls. It is required.
	Host Host
	// Stderr is the script's os.Stderr, and the output of its packages log and flag. If nil, it
	// is this process's stderr.
	Stderr *os.File
	// Line, if not nil, receives the number of the script's current line, to be read after the
	// process has died.
	Line *int
	// Goexit, if not nil, is called when the script's main goroutine has ended by
	// runtime.Goexit. Run then waits for the others.
	Goexit func()
	// Seed seeds the random functions and the order of maps, 32 bytes. If nil, a random seed is
	// used.
	Seed []byte
	// Mark precedes the script's output to identify its line. It consists of MarkSize
	// unguessable bytes. A head (the text's line and size, see ReadHead) and the text follow. If
	// nil, only the text is written.
	Mark []byte
	// Stop ends Run with a Stopped Outcome when it is closed. The script's goroutines continue,
	// so the caller must end the process.
	Stop <-chan struct{}
}

// An Outcome describes how a script ended. The zero value means that it ended normally.
type Outcome struct {
	Code    int    // of os.Exit or log.Fatal
	Panic   *Panic // an unrecovered panic, or nil
	Stopped bool   // by Options.Stop
	Line    int    // the last line of a stopped script, or 0 if unknown
}

// A Panic is an unrecovered panic.
type Panic struct {
	Code  Code
	Text  string  // what Go prints after "panic: "
	Trace []Frame // the script's functions that it unwound, innermost first
}

// A Frame is one function of a trace.
type Frame struct {
	Func string `json:"func"` // as Go names it: main.(*T).M
	Line int    `json:"line"` // of the script; 0 if unknown
}

// Run runs the program to its end in this process. A fatal error of Go's runtime in the script
// ends the process, and an endless script blocks it. An error is a *[Refusal] or a fault of the
// harness, and means that nothing has run.
func (p *Program) Run(o *Options) (*Outcome, error) {
	bridge.SetBridge(o.Host)
	in := &yaegi.Options{Symbols: bridge.Symbols(), Host: o.Host, Timers: p.timers,
		Line: o.Line, Goexit: o.Goexit, Stop: o.Stop, Seed: o.Seed, Mark: o.Mark}
	if o.Stderr != nil {
		in.Stderr = o.Stderr
		log.SetOutput(o.Stderr)
		flag.CommandLine.SetOutput(o.Stderr)
	}
	out, err := yaegi.Run(p.lowered, in)
	if limit := (*yaegi.LimitError)(nil); errors.As(err, &limit) {
		return nil, &Refusal{Message: limit.Msg}
	} else if err != nil {
		return nil, err
	}
	end := &Outcome{Code: out.Code, Stopped: out.Stopped, Line: out.Line}
	if p := out.Panic; p != nil {
		end.Panic = &Panic{Code: codeOf(p.Cause), Text: p.Text}
		for _, f := range p.Trace {
			end.Panic.Trace = append(end.Panic.Trace, Frame(f))
		}
	}
	return end, nil
}
