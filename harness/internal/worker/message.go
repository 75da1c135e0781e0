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
	Source string                     `json:"-"` // sent as it is: it may be invalid UTF-8
	Strict bool                       // nothing undeclared is tolerated
	Check  bool                       // stop before running
	Inputs map[string]json.RawMessage // for Input
	Stored map[string]json.RawMessage // for Stored; nil: nothing is kept between scripts
	Limits Limits
	// Seed is what the script's random functions draw from, and what its maps are
	// ordered by, 32 bytes. Where it is nil, Run sets it to random bytes.
	Seed []byte
	// Clock says that the worker notes what the script reads from its clock, and
	// tells the Host. Native code's own clock, such as that of package log, is not
	// noted.
	Clock bool
	// Mark is what the worker begins printed text with, so that its line is known, see
	// exec.Options; nil: nobody wants to know. Run sets it.
	Mark []byte
	// Replay makes the script repeat a run; nil: it runs in the world's time.
	Replay *Replay
	// Resume says that the replay may become live: Host.Still may answer Live. Then
	// Clock is about what the script reads from then on.
	Resume bool
	// Free says that a script which needs nothing runs without asking: Resolve
	// has nothing for it, and Start nothing against it. Not so with Check.
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

// alone: with these needs, a worker goes on without being told of tools.
func (s *Script) alone(n *Needs) bool { return s.Free && !s.Check && n.none() }

// Replay is what a script sees of time that repeats a run. Its clock begins at
// Begin and stands still; it moves on to the time of each answer, and of each timer
// that goes off. Of what a goroutine read from its clock in the run, it reads the
// same again. Nothing waits: sleeps and timers go off when Host.Still says so. Calls
// are not limited to Limits.Parallel at once, nor their arguments but by what a run
// may send. What native code reads and sets goes by the world's clock. See the
// package's documentation for what becomes of it with Script.Resume.
type Replay = exec.Replay

// ready is a worker's first word.
type ready struct {
	Report sandbox.Report `json:"report"`
	Error  string         `json:"error,omitempty"` // why it cannot take a script
}

// Needs is what a script asks for, found without types.
type Needs struct {
	Phrases []Phrase `json:"phrases"`
	Names   []Name   `json:"names"`
	// Probe says that the script does nothing but declare.
	Probe bool `json:"probe"`
	// Own are the parts of the harness itself that it uses, see check.Script.Own.
	Own []string `json:"own,omitempty"`
	// Uncertain says that the script names UncertainError, and has none of its own: it
	// looks whether a call came to that.
	Uncertain bool `json:"uncertain,omitempty"`
	// Broken says that the script is not Go: its names and phrases are guessed
	// from its text, and its errors follow whatever tools there are.
	Broken bool   `json:"broken,omitempty"`
	Timing Timing `json:"timing"`
}

// none reports whether there are no needs.
func (n *Needs) none() bool { return len(n.Phrases)+len(n.Names)+len(n.Own) == 0 }

// Phrase is one argument of UseTools.
type Phrase struct {
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Handled bool   `json:"handled"` // the script looks at UseTools' error
}

// Name is a selector on a server package: git.Log.
type Name struct {
	Package  string `json:"package"`
	Name     string `json:"name"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Imported bool   `json:"imported"` // false: the identifier has no import
	Std      bool   `json:"std"`      // a standard package of that name has it too
	// Fields are what the script writes in literals of that type, or as keys of
	// a map which that function is called with; see check.Name.
	Fields []string `json:"fields,omitempty"`
}

// Tools is the parent's answer to Needs.
type Tools struct {
	Units []Unit `json:"units"`
	// Go says that the script runs without asking once it compiles: Start has
	// nothing against it. Not so with Script.Check.
	Go   bool          `json:"go,omitempty"`
	Left time.Duration `json:"left"` // until the parent's deadline; Run sets it
	// Unresolved maps each phrase without a tool, whose error the script
	// handles, to what that error says.
	Unresolved map[string]Unresolved `json:"unresolved,omitempty"`
}

// Unresolved is why a phrase has no tool, and its nearest tools.
type Unresolved struct {
	Message    string   `json:"message"`
	Candidates []string `json:"candidates"`
}

// Unit is one generated package: its import path and source, and what else
// scripts may call it.
type Unit struct {
	Path   string `json:"path"`
	Name   string `json:"name,omitempty"` // the server's own name
	Source string `json:"source"`
}

// Plan says that a script compiles. With Script.Check the lowered program
// follows, in a frame of its own.
type Plan struct {
	Warnings []Diagnostic `json:"warnings"`
	// MapWrites are the lines that write to maps, of a script with goroutines.
	MapWrites []int  `json:"mapWrites,omitempty"`
	Timing    Timing `json:"timing"`
}

// Errors says why a script does not compile.
type Errors struct {
	Errors   []Diagnostic `json:"errors"`
	Warnings []Diagnostic `json:"warnings"`
	Timing   Timing       `json:"timing"`
}

// Diagnostic is a message about a place in the script as it was sent.
type Diagnostic = check.Diagnostic

// Timing are milliseconds by phase; 0 where a phase was not reached.
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

// validate says what is wrong with a call's path or place.
func (c *call) validate() error {
	if err := plain("path", c.Path, maxPath); err != nil {
		return err
	}
	return plain("place", c.Place, maxPlace)
}

// plain reports a text that is longer than most bytes or has others than
// printable ASCII.
func plain(what, text string, most int) error {
	if len(text) > most {
		return fmt.Errorf("its %s has %d bytes, at most %d are allowed", what, len(text), most)
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

// done is how the script ended, as the worker sees it.
type done struct {
	Exit    int       `json:"exit"`              // os.Exit's code
	Panic   string    `json:"panic,omitempty"`   // Go's text of an uncaught panic
	Fatal   string    `json:"fatal,omitempty"`   // Go's text of a fatal error of its runtime: a deadlock
	Code    exec.Code `json:"code,omitempty"`    // of Panic or Fatal
	Error   string    `json:"error,omitempty"`   // a fault of the harness kept the script from running
	Refused string    `json:"refused,omitempty"` // what of the script cannot run; nothing has run
	Trace   []Frame   `json:"trace,omitempty"`   // of a panic, innermost first
	Line    int       `json:"line,omitempty"`
	Late    bool      `json:"late,omitempty"` // it ended itself before the parent's deadline; Line is where it was
	Timing  Timing    `json:"timing"`
}

// Frame is a function that a panic passed.
type Frame = exec.Frame

// Reading is one time that a script read from its clock: the path of the goroutine,
// and ns since 1970.
type Reading = exec.Reading

// readings are what a script read from its clock since the last frame of this kind:
// At[i] by the goroutine Paths[Of[i]].
type readings struct {
	Paths []string `json:"paths,omitempty"`
	Of    []int    `json:"of,omitempty"`
	At    []int64  `json:"at,omitempty"`
	Lost  bool     `json:"lost,omitempty"` // there are more, which are not told
}

// pack makes readings of a list.
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

// list is the list that pack was given, of at most so many readings.
func (r *readings) list(most int) ([]Reading, error) {
	if len(r.At) > most || len(r.Of) != len(r.At) || len(r.Paths) > len(r.At) {
		return nil, fmt.Errorf("%d readings of %d paths, at most %d are allowed", len(r.At), len(r.Paths), most)
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

// still says that nothing of a replay moves, or, in one that is live or a run that is
// none, nothing but timers, while calls are parked.
type still struct {
	Next    int64  `json:"next,omitempty"`   // in a replay: when the next timer goes off, in ns since 1970; 0: there is none
	Waiting int    `json:"waiting"`          // calls without an answer
	Seen    uint32 `json:"seen"`             // frames that the worker has read since its script runs
	Timers  bool   `json:"timers,omitempty"` // when it is live: a sleep or a timer is pending
}

// mark is larger for each that the same worker sends.
func (s *still) mark() uint64 {
	if s.Timers {
		return 2 * uint64(s.Seen)
	}
	return 2*uint64(s.Seen) + 1
}

// Note is a warning of the running script.
type Note struct {
	Code    string `json:"code,omitempty"` // one of package bridge's
	Tool    string `json:"tool,omitempty"` // the ID of the tool that it is about, with a Code
	Message string `json:"message"`
}

// Limits bound one run. A zero field means its default.
type Limits struct {
	Timeout  time.Duration `json:"timeout"`  // wall clock of the whole run; 30 s
	Stdout   int           `json:"stdout"`   // bytes of stdout and stderr; 1 MiB
	Value    int           `json:"value"`    // bytes of the returned value; 8 MiB
	Calls    int           `json:"calls"`    // tool calls; 1,000
	Parallel int           `json:"parallel"` // tool calls at once; 16
	Result   int           `json:"result"`   // bytes of one tool result; 32 MiB
	Memory   int64         `json:"memory"`   // bytes of the worker, its own included; 512 MiB
	CPU      time.Duration `json:"cpu"`      // on all cores together; twice Timeout
}

const (
	// maxArgs bounds the arguments of one call, in bytes; maxPending those of
	// all calls that are under way, maxReceived all that a run may send.
	maxArgs     = 8 << 20
	maxPending  = 16 << 20
	maxReceived = 256 << 20
	// maxPath and maxPlace bound where a call says to come from, in bytes.
	maxPath  = exec.MaxPath
	maxPlace = 40
	seedSize = 32 // bytes of Script.Seed

	defaultMemory = 512 << 20
	// MinMemory is the least memory of a worker, in bytes; a limit below it is
	// taken as it. A worker alone holds some 30 MB, Go asks the kernel for 64 MiB
	// at a time, and half is kept back (sandbox.Config.Memory): with 80 MiB hardly
	// a script runs, with 96 MiB one that calls tools ended for want of memory.
	MinMemory = 112 << 20
)

// sandbox is what the limits mean for the worker's lock.
func (l Limits) sandbox(p sandbox.Policy) sandbox.Config {
	return sandbox.Config{Policy: p, Memory: l.Memory, CPU: l.CPU}
}

// WithDefaults fills in what is zero.
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
