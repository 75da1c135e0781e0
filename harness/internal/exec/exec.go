// Package exec runs scripts that package check has accepted. It is all that the
// rest of the harness knows of how a script runs: the lowering (lower), the
// library's other half (rt), the interpreter (eval) and its symbol tables (syms)
// lie behind it, and no other package imports them, which a test enforces. A
// second way to run scripts would stand behind the same functions.
//
// What a script does is in the [Outcome]; a construct that cannot run as Go
// means it is a [*Refusal]. Any other error is a fault of the harness: its text
// is for a report of that fault, and nobody decides by it.
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

// A Program is a script that is ready to run, once.
type Program struct {
	lowered *lower.Program
	timers  *rt.Timers
	procs   int // of the process, when it does not repeat a run
}

// A Refusal says what of a script cannot run as Go means it. Nothing of the
// script has run.
type Refusal struct {
	Line, Column int    // of the construct in the script, from 1; 0 when it has no place there
	Message      string // what is not supported, and what to write instead
}

func (r *Refusal) Error() string { return "not supported: " + r.Message }

// Compile makes a program of a script that was checked. An error is a *[Refusal]
// or a fault of the harness.
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

// calls reports whether a script has calls, which are made again in the same order
// where it is run again.
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

// MapWrites returns the lines on which the script writes to maps, if it starts
// goroutines. Go's runtime ends the process where two write at once, and does
// not tell which.
func (p *Program) MapWrites() []int { return p.lowered.MapWrites }

// Listing returns what is run in the script's place, as text for who looks for a
// fault in it.
func (p *Program) Listing() string { return p.lowered.Source }

// Waiting reports whether a timer of the running script may still wake it.
func (p *Program) Waiting() bool { return p.timers.Pending() }

// A Reading is one time that a script has read from its clock.
type Reading = rt.Reading

// MaxReadings is how many readings of one script are noted.
const MaxReadings = rt.MaxReadings

// Record makes the program note what it reads from its clock. It is called before
// Run.
func (p *Program) Record() { p.timers.Record() }

// Readings returns what a program that records has read from its clock since the
// last call, and whether it read more than is noted.
func (p *Program) Readings() (fresh []Reading, lost bool) { return p.timers.Readings() }

// A Replay makes a program repeat an earlier run of it: its clock shows what that
// run saw, and stands still where the run did not look; no timer waits.
type Replay struct {
	Begin    int64              // of the run, in ns since 1970
	Readings map[string][]int64 // times in ns since 1970, by the path of the goroutine that read them
	// CPUs is what runtime.NumCPU was, and GOMAXPROCS; 0: what it is here.
	CPUs int
}

// Replay makes the program repeat a run. It is called before Run. Meanwhile
// Answered and Advance move its clock. The process runs on one processor until Live:
// goroutines take turns as they did, as far as that can be had.
func (p *Program) Replay(r *Replay) {
	p.procs = runtime.GOMAXPROCS(1)
	p.timers.Replay(r.Begin, r.Readings, cmp.Or(r.CPUs, p.procs))
}

// Live makes a program that repeats a run go on as if it had been running all the
// time: its clock is the world's, and its timers wait for what is left of their time.
func (p *Program) Live() {
	p.timers.Live()
	runtime.GOMAXPROCS(p.procs)
}

// Answered says that a call of a program that repeats a run was answered at a time,
// in ns since 1970.
func (p *Program) Answered(at int64) { p.timers.Answered(at) }

// Next returns the time, in ns since 1970, of the first timer of a program that
// repeats a run, of those that somebody waits for.
func (p *Program) Next() (due int64, ok bool) { return p.timers.Next() }

// Advance lets that timer go off.
func (p *Program) Advance() { p.timers.Advance() }

// Goroutines returns how many goroutines a program that repeats a run has, and how
// many of those sleep.
func (p *Program) Goroutines() (all, asleep int) { return p.timers.Goroutines(), p.timers.Asleep() }

// Alone reports whether a program that repeats a run has one goroutine and no timer.
func (p *Program) Alone() bool { return p.timers.Goroutines() == 1 && p.timers.Idle() }

// MaxPath bounds the path of a goroutine that calls, in bytes.
const MaxPath = rt.MaxPath

// MarkSize is the bytes of Options.Mark, MaxHead bounds those of all that stands before
// marked text.
const (
	MarkSize = rt.MarkSize
	MaxHead  = rt.MaxHead
)

// ReadHead returns what stands between a mark and its text, and how many bytes that is:
// the line of the script that prints it, and its bytes, 1 or more. It returns 0 where
// there are not enough bytes, or they are none that stand there.
func ReadHead(b []byte) (line, size, read int) { return rt.ReadHead(b) }

// Host is what a running script reaches besides the library.
type Host interface {
	bridge.Bridge
	rt.Host
}

// Options configure Run.
type Options struct {
	// Host answers the script's calls; required.
	Host Host
	// Stderr is the script's os.Stderr, and where its packages log and flag
	// write; nil: this process's own.
	Stderr *os.File
	// Line is where the number of the script's line that runs is kept, for
	// whoever is left when the process dies; nil: nowhere else.
	Line *int
	// Goexit is called when the script's main goroutine has ended by
	// runtime.Goexit; nil: nobody is told. Run waits for the others then.
	Goexit func()
	// Seed is what random functions draw from, and what ranges over maps are ordered
	// by, 32 bytes; nil: one that nobody knows.
	Seed []byte
	// Mark, of MarkSize bytes that nobody else knows, begins what the script prints, so
	// that its line is known: behind it comes what ReadHead reads, and then the text. nil:
	// the text alone.
	Mark []byte
	// Stop, when closed, ends Run with an Outcome that is Stopped. The script's
	// goroutines go on: whoever stops one ends the process.
	Stop <-chan struct{}
}

// An Outcome is how a script ended: by itself where nothing else is said.
type Outcome struct {
	Code    int    // of os.Exit or log.Fatal
	Panic   *Panic // that nobody recovered; nil when there was none
	Stopped bool   // by Options.Stop
	Line    int    // of a script that was stopped: where it was last; 0 when that was not noted
}

// A Panic is a panic that nobody recovered.
type Panic struct {
	Code  Code
	Text  string  // what Go prints after "panic: "
	Trace []Frame // the script's functions that it passed, innermost first
}

// A Frame is one function of a trace.
type Frame struct {
	Func string `json:"func"` // as Go names it: main.(*T).M
	Line int    `json:"line"` // of the script; 0 when it is not known
}

// Run runs the program to its end, in this process: a script that ends by a
// fatal error of Go's runtime, or never, ends the process or keeps it. An error
// is a *[Refusal] or a fault of the harness; nothing has run then.
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
