package worker

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/exec"
	"github.com/usetools/usetools/harness/internal/sandbox"
)

// Script is the first frame for a worker.
type Script struct {
	Source string                     `json:"-"` // sent unencoded, because it may be invalid UTF-8
	Strict bool                       // tolerates nothing undeclared
	Check  bool                       // stop before running
	Inputs map[string]json.RawMessage // for Input
	Stored map[string]json.RawMessage // for Stored; if nil, nothing is kept between scripts
	Limits Limits
	// Seed seeds the script's random functions and the order of its maps, 32 bytes. If nil, Run
	// sets it to random bytes.
	Seed []byte
	// Clock makes the worker record the script's clock readings and send them to the Host.
	// Native code's readings, such as those of package log, are not recorded.
	Clock bool
	// Mark precedes printed text in the worker's streams, to report its line; see exec.Options.
	// Run sets it. If nil, lines are not reported.
	Mark []byte
	// Replay makes the script repeat a run. If nil, it runs in real time.
	Replay *Replay
	// Resume permits Host.Still to answer Live, which ends the replay. Clock then applies from
	// that time on.
	Resume bool
	// Free lets a script without needs run at once: Resolve has nothing to add, and Start does
	// not object. It has no effect with Check.
	Free bool
	Left time.Duration // until the parent's deadline; Run sets it
}

// encode returns the payload of the script's frame: the size of its JSON, the JSON
// and the source.
func (s *Script) encode() ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return slices.Concat(number(uint32(len(b))), b, []byte(s.Source)), nil
}

// decode reads the payload of a script's frame.
func (s *Script) decode(b []byte) error {
	n, b, err := numbered(b)
	if err != nil || int64(n) > int64(len(b)) {
		return fmt.Errorf("%w: no script", errFrame)
	}
	s.Source = string(b[n:])
	return json.Unmarshal(b[:n], s)
}

// alone reports whether a worker with these needs continues without the tools frame.
func (s *Script) alone(n *Needs) bool { return s.Free && !s.Check && n.none() }

// Replay describes the time in a script that repeats a run. Its clock starts at Begin and
// stands still; it advances to the time of each answer, and of each timer that fires. Each
// goroutine reads the same times from its clock as in the run. Nothing waits: sleeps and timers
// fire when Host.Still says so. Limits.Parallel does not apply, and arguments are limited only
// by the total that a run may send. Native code uses the real clock. The package documentation
// describes the effect of Script.Resume.
type Replay = exec.Replay

// ready is the first frame of a worker.
type ready struct {
	Report sandbox.Report `json:"report"`
	Error  string         `json:"error,omitempty"` // why it cannot take a script
}

// Needs are the tools that a script needs, found without types.
type Needs struct {
	Phrases []Phrase `json:"phrases"`
	Names   []Name   `json:"names"`
	// Probe reports that the script only declares tools.
	Probe bool `json:"probe"`
	// Own are the harness features that the script uses, see check.Script.Own.
	Own []string `json:"own,omitempty"`
	// Uncertain reports that the script refers to the predeclared UncertainError, and so
	// handles unresolved calls.
	Uncertain bool `json:"uncertain,omitempty"`
	// Broken reports that the script is not Go: its names and phrases are guessed from its
	// text, and its errors follow regardless of tools.
	Broken bool   `json:"broken,omitempty"`
	Timing Timing `json:"timing"`
}

// none reports whether the script needs nothing.
func (n *Needs) none() bool { return len(n.Phrases)+len(n.Names)+len(n.Own) == 0 }

// Phrase is one argument of UseTools.
type Phrase struct {
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Handled bool   `json:"handled"` // the script reads UseTools' error
}

// Name is a selector on a server package: git.Log.
type Name struct {
	Package  string `json:"package"`
	Name     string `json:"name"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Imported bool   `json:"imported"` // if false, the identifier has no import
	Std      bool   `json:"std"`      // a standard package of that name has it too
	// Fields are the script's fields in literals of that type, or keys of a map passed to that
	// function; see check.Name.
	Fields []string `json:"fields,omitempty"`
}

// Tools is the parent's answer to Needs.
type Tools struct {
	Units []Unit `json:"units"`
	// Go lets the script run at once if it compiles: Start does not object. It has no effect
	// with Script.Check.
	Go   bool          `json:"go,omitempty"`
	Left time.Duration `json:"left"` // until the parent's deadline; Run sets it
	// Unresolved maps each phrase that has no tool, and whose error the script handles, to that error.
	Unresolved map[string]Unresolved `json:"unresolved,omitempty"`
}

// Unresolved describes why a phrase has no tool, and lists the nearest tools.
type Unresolved struct {
	Message    string   `json:"message"`
	Candidates []string `json:"candidates"`
}

// Unit is one generated package: its import path, its source, and another name that scripts may use.
type Unit struct {
	Path   string `json:"path"`
	Name   string `json:"name,omitempty"` // the server's own name
	Source string `json:"source"`
}

// Plan reports that a script compiles. With Script.Check, a frame with the lowered program follows.
type Plan struct {
	Warnings []Diagnostic `json:"warnings"`
	// MapWrites are the lines that write to maps, for a script with goroutines.
	MapWrites []int  `json:"mapWrites,omitempty"`
	Timing    Timing `json:"timing"`
}

// Errors are the reasons why a script does not compile.
type Errors struct {
	Errors   []Diagnostic `json:"errors"`
	Warnings []Diagnostic `json:"warnings"`
	Timing   Timing       `json:"timing"`
}

// Diagnostic is a message about a place in the script as sent.
type Diagnostic = check.Diagnostic

// Timing contains milliseconds by phase, or 0 for a phase that was not reached.
type Timing struct {
	Parse float64 `json:"parse,omitempty"`
	Check float64 `json:"check,omitempty"`
	Lower float64 `json:"lower,omitempty"`
	Run   float64 `json:"run,omitempty"`
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// goAhead tells the worker to run the script.
type goAhead struct {
	Left time.Duration `json:"left"` // until the parent's deadline
}

// call is a tool call of the script.
type call struct {
	Tool  string          `json:"tool"`
	Args  json.RawMessage `json:"args"`
	Path  string          `json:"path,omitempty"` // see Call
	Place string          `json:"place,omitempty"`
	Alone bool            `json:"alone,omitempty"`
}

// validate returns an error if a call's path or place is invalid.
func (c *call) validate() error {
	if err := plain("path", c.Path, maxPath); err != nil {
		return err
	}
	return plain("place", c.Place, maxPlace)
}

// plain returns an error if a text is longer than limit bytes or is not printable ASCII.
func plain(what, text string, limit int) error {
	if len(text) > limit {
		return fmt.Errorf("its %s has %d bytes, at most %d are allowed", what, len(text), limit)
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return fmt.Errorf("its %s has the byte %#x, which is not printable ASCII", what, c)
		}
	}
	return nil
}

// result is the answer to a call: what a tool returned, or an error.
type result struct {
	At     int64           `json:"at,omitempty"` // ns since 1970
	Result json.RawMessage `json:"-"`
	Error  string          `json:"error,omitempty"`
	Code   string          `json:"code,omitempty"` // of Error, see CallError
}

// done is the worker's report on how the script ended.
type done struct {
	Exit    int       `json:"exit"`              // os.Exit's code
	Panic   string    `json:"panic,omitempty"`   // Go's text of an uncaught panic
	Fatal   string    `json:"fatal,omitempty"`   // Go's text of a fatal error of its runtime: a deadlock
	Code    exec.Code `json:"code,omitempty"`    // of Panic or Fatal
	Error   string    `json:"error,omitempty"`   // a fault of the harness that prevented the run
	Refused string    `json:"refused,omitempty"` // the unsupported part of the script; nothing has run
	Trace   []Frame   `json:"trace,omitempty"`   // of a panic, innermost first
	Line    int       `json:"line,omitempty"`
	Late    bool      `json:"late,omitempty"` // the worker ended the script at Line, shortly before the parent's deadline
	Timing  Timing    `json:"timing"`
}

// Frame is a function that a panic passed.
type Frame = exec.Frame

// Reading is one time that a script read from its clock: the goroutine's path, and ns since 1970.
type Reading = exec.Reading

// readings are the clock readings since the last frame of this kind: goroutine Paths[Of[i]] read At[i].
type readings struct {
	Paths []string `json:"paths,omitempty"`
	Of    []int    `json:"of,omitempty"`
	At    []int64  `json:"at,omitempty"`
	Lost  bool     `json:"lost,omitempty"` // some readings were dropped
}

// pack encodes a list of readings.
func pack(list []Reading, lost bool) *readings {
	r := &readings{Lost: lost}
	numbers := map[string]int{}
	for _, x := range list {
		n, ok := numbers[x.Path]
		if !ok {
			n = len(r.Paths)
			numbers[x.Path] = n
			r.Paths = append(r.Paths, x.Path)
		}
		r.Of, r.At = append(r.Of, n), append(r.At, x.Time)
	}
	return r
}

// list decodes the readings, or returns an error if there are more than limit.
func (r *readings) list(limit int) ([]Reading, error) {
	if len(r.At) > limit || len(r.Of) != len(r.At) || len(r.Paths) > len(r.At) {
		return nil, fmt.Errorf("%d readings of %d paths, at most %d are allowed", len(r.At), len(r.Paths), limit)
	}
	for _, p := range r.Paths {
		if err := plain("path", p, maxPath); err != nil {
			return nil, err
		}
	}
	list := make([]Reading, len(r.At))
	for i, n := range r.Of {
		if n < 0 || n >= len(r.Paths) {
			return nil, fmt.Errorf("a reading of path %d of %d", n, len(r.Paths))
		}
		list[i] = Reading{Path: r.Paths[n], Time: r.At[i]}
	}
	return list, nil
}

// still reports that nothing moves in a replay. Otherwise it reports that calls are parked, and
// that nothing moves except timers.
type still struct {
	Next    int64  `json:"next,omitempty"`   // in a replay, when the next timer fires, in ns since 1970; if 0, no timer is pending
	Waiting int    `json:"waiting"`          // calls without an answer
	Seen    uint32 `json:"seen"`             // frames that the worker has read since the script began
	Timers  bool   `json:"timers,omitempty"` // outside a replay, a sleep or a timer is pending
}

// mark returns a number that increases with each still of a worker.
func (s *still) mark() uint64 {
	if s.Timers {
		return 2 * uint64(s.Seen)
	}
	return 2*uint64(s.Seen) + 1
}

// Note is a warning of the running script.
type Note struct {
	Code    string `json:"code,omitempty"` // a code of package bridge, or ""
	Tool    string `json:"tool,omitempty"` // with a Code, the ID of the tool
	Message string `json:"message"`
}

// Limits are the limits of one run. If a field is zero, its default applies.
type Limits struct {
	Timeout  time.Duration `json:"timeout"`  // wall-clock time of the whole run; 30 s
	Stdout   int           `json:"stdout"`   // bytes of stdout and stderr; 1 MiB
	Value    int           `json:"value"`    // bytes of the returned value; 8 MiB
	Calls    int           `json:"calls"`    // tool calls; 1,000
	Parallel int           `json:"parallel"` // tool calls at once; 16
	Result   int           `json:"result"`   // bytes of one tool result; 32 MiB
	Memory   int64         `json:"memory"`   // bytes of the worker, its own included; 512 MiB
	CPU      time.Duration `json:"cpu"`      // on all cores together; twice Timeout
}

const (
	// maxArgs limits the arguments of one call, maxPending those of all calls under way, and
	// maxReceived the total that a run may send, in bytes.
	maxArgs     = 8 << 20
	maxPending  = 16 << 20
	maxReceived = 256 << 20
	// maxPath and maxPlace limit the origin of a call, in bytes.
	maxPath  = exec.MaxPath
	maxPlace = 40
	seedSize = 32 // bytes of Script.Seed

	defaultMemory = 512 << 20
	// MinMemory is the minimum memory limit of a worker, in bytes; lower limits are raised to
	// it. An idle worker uses about 30 MB, Go asks the kernel for 64 MiB at a time, and half is
	// reserved (sandbox.Config.Memory): with 80 MiB hardly any script runs, and with 96 MiB one
	// that called tools ran out of memory.
	MinMemory = 112 << 20
)

// sandbox returns the sandbox configuration for these limits.
func (l Limits) sandbox(p sandbox.Policy) sandbox.Config {
	return sandbox.Config{Policy: p, Memory: l.Memory, CPU: l.CPU}
}

// WithDefaults returns the limits with defaults for zero fields.
func (l Limits) WithDefaults() Limits {
	def := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	if l.Timeout <= 0 {
		l.Timeout = 30 * time.Second
	}
	def(&l.Stdout, 1<<20)
	def(&l.Value, 8<<20)
	def(&l.Calls, 1000)
	def(&l.Parallel, 16)
	def(&l.Result, 32<<20)
	if l.Memory <= 0 {
		l.Memory = defaultMemory
	}
	l.Memory = max(l.Memory, MinMemory)
	if l.CPU <= 0 {
		l.CPU = 2 * l.Timeout
	}
	return l
}
