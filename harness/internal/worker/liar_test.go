package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/internal/exec"
)

func TestMain(m *testing.M) {
	if IsWorker() {
		os.Exit(Main())
	}
	if len(os.Args) == 5 && os.Args[1] == "liar" {
		var set setup
		if err := json.Unmarshal([]byte(os.Args[4]), &set); err != nil {
			panic(err)
		}
		lie(os.Args[2], set.Sandbox.Keep)
		return
	}
	os.Exit(m.Run())
}

type lieTold struct {
	tell func(l *liar)
	want Status
	say  string // in the message
}

// lies are the ways in which a worker can leave the protocol, and how the run
// must end.
var lies = map[string]lieTold{
	"says nothing and exits":     {func(l *liar) { os.Exit(0) }, SandboxError, "ended without an answer"},
	"exits with a code":          {func(l *liar) { os.Exit(7) }, SandboxError, "exit status 7"},
	"sends rubbish":              {func(l *liar) { l.out.Write(bytes.Repeat([]byte("x"), 1000)) }, SandboxError, ""},
	"sends an endless frame":     {func(l *liar) { l.out.Write([]byte("\xff\xff\xff\xffr")) }, SandboxError, ""},
	"sends half a frame":         {func(l *liar) { l.out.Write([]byte("\x10\x00\x00\x00rabc")) }, SandboxError, ""},
	"begins with done":           {func(l *liar) { l.send(kindDone, done{}) }, SandboxError, "broke the protocol"},
	"is ready twice":             {func(l *liar) { l.send(kindReady, ready{}); l.send(kindReady, ready{}); l.wait() }, SandboxError, "broke the protocol"},
	"calls before it may":        {func(l *liar) { l.send(kindReady, ready{}); l.call(1, "s.t"); l.wait() }, SandboxError, "broke the protocol"},
	"needs that are no JSON":     {func(l *liar) { l.send(kindReady, ready{}); l.frames.write(kindNeeds, []byte("{")); l.wait() }, SandboxError, "broke the protocol"},
	"errors without any":         {func(l *liar) { l.send(kindReady, ready{}); l.send(kindErrors, Errors{}); l.wait() }, SandboxError, "broke the protocol"},
	"a call without a number":    {func(l *liar) { l.running(); l.frames.write(kindCall, []byte("x")) }, SandboxError, "broke the protocol"},
	"a call that is not JSON":    {func(l *liar) { l.running(); l.frames.write(kindCall, number(1), []byte("{")) }, SandboxError, "broke the protocol"},
	"a call of an endless path":  {func(l *liar) { l.running(); l.from(strings.Repeat("x", maxPath+1), "1:1"); l.wait() }, SandboxError, "its path"},
	"a call of an endless place": {func(l *liar) { l.running(); l.from("", strings.Repeat("x", maxPlace+1)); l.wait() }, SandboxError, "its place"},
	"a call of an unseen place":  {func(l *liar) { l.running(); l.from("", "1:1\u202e"); l.wait() }, SandboxError, "printable ASCII"},
	"two calls of one number":    {func(l *liar) { l.running(); l.call(1, "s.t"); l.call(1, "s.t") }, SandboxError, "broke the protocol"},
	"a value that is not JSON":   {func(l *liar) { l.running(); l.frames.write(kindValue, []byte("}")) }, SandboxError, "broke the protocol"},
	"a frame of another kind":    {func(l *liar) { l.running(); l.send('?', nil) }, SandboxError, "broke the protocol"},
	"a parent's frame":           {func(l *liar) { l.running(); l.send(kindGo, nil) }, SandboxError, "broke the protocol"},
	"a forged call":              {func(l *liar) { l.running(); l.call(1, "s.forbidden"); l.wait() }, Denied, "forbidden"},
	"too many calls":             {func(l *liar) { l.running(); l.flood(); l.wait() }, CallLimit, "10 tool calls"},
	"a flood of stdout":          {func(l *liar) { l.running(); l.print() }, OutputLimit, "stdout"},
	"never ends":                 {func(l *liar) { l.running(); l.wait() }, Timeout, "longer than"},
	"never begins":               {func(l *liar) { l.wait() }, Timeout, "longer than"},
	"hides a deadlock":           {func(l *liar) { l.running(); l.die("fatal error: all goroutines are asleep - deadlock!\n") }, ScriptError, "deadlock"},
	"panics in the runtime's words": {func(l *liar) {
		l.running()
		l.die("panic: x\nfatal error: out of memory\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/x.go:1\n")
	}, ScriptError, "panic: x"},
	"runs out of memory":               {func(l *liar) { l.running(); l.die("fatal error: runtime: out of memory\n") }, MemoryLimit, "memory"},
	"a warning that is not JSON":       {func(l *liar) { l.running(); l.frames.write(kindWarn, []byte("w")); l.wait() }, SandboxError, "broke the protocol"},
	"a warning with a code of its own": {func(l *liar) { l.running(); l.send(kindWarn, Note{Code: "x", Message: "w"}); l.wait() }, SandboxError, "broke the protocol"},
	"errors with a code of its own": {func(l *liar) {
		l.send(kindReady, ready{})
		l.send(kindErrors, Errors{Errors: []Diagnostic{{Kind: "compile", Code: "x", Message: "m"}}})
		l.wait()
	}, SandboxError, "broke the protocol"},
	"an error about a name without end": {func(l *liar) {
		l.send(kindReady, ready{})
		l.send(kindErrors, Errors{Errors: []Diagnostic{{Kind: "compile", Code: "undefined", Name: strings.Repeat("x", 10_000), Message: "m"}}})
		l.wait()
	}, SandboxError, "broke the protocol"},
	"warnings of a plan that are none": {func(l *liar) {
		l.send(kindReady, ready{})
		l.send(kindNeeds, Needs{})
		l.send(kindPlan, Plan{Warnings: []Diagnostic{{Kind: "x"}}})
		l.wait()
	}, SandboxError, "broke the protocol"},
	"an end with a code of its own": {func(l *liar) { l.running(); l.send(kindDone, done{Panic: "x", Code: "y"}) }, ScriptError, "panic: x"},
	"readings without end":          {func(l *liar) { l.running(); l.readings(exec.MaxReadings, 1); l.wait() }, SandboxError, "readings of"},
	"readings of no path":           {func(l *liar) { l.running(); l.send(kindClock, readings{Of: []int{0}, At: []int64{1}}); l.wait() }, SandboxError, "a reading of path 0 of 0"},
	"readings of an endless path": {func(l *liar) {
		l.running()
		l.send(kindClock, pack([]Reading{{Path: strings.Repeat("x", maxPath+1)}}, false))
		l.wait()
	}, SandboxError, "its path"},
	"is still where nothing is repeated": {func(l *liar) { l.running(); l.send(kindStill, still{}); l.wait() }, SandboxError, "this is not a replay"},
	"more warnings than any":             {func(l *liar) { l.running(); l.warn(10_000); l.send(kindDone, done{}) }, OK, ""},
	"a trace without end":                {func(l *liar) { l.running(); l.send(kindDone, done{Panic: "x", Trace: make([]Frame, 10_000)}) }, ScriptError, "panic: x"},
	"a plan for no Go": {func(l *liar) {
		l.send(kindReady, ready{})
		l.send(kindNeeds, Needs{Broken: true})
		l.send(kindPlan, Plan{})
		l.wait()
	}, SandboxError, "does not parse"},
	"needs without end": {func(l *liar) {
		l.send(kindReady, ready{})
		l.frames.write(kindNeeds, make([]byte, maxReport+1))
		l.wait()
	}, SandboxError, "broke the protocol"},
	"a call too long":              {func(l *liar) { l.running(); l.frames.write(kindCall, make([]byte, maxArgs+1<<20)); l.wait() }, SandboxError, "broke the protocol"},
	"values without end":           {func(l *liar) { l.running(); l.values(); l.wait() }, OutputLimit, "sent more than"},
	"a call after done":            {func(l *liar) { l.running(); l.send(kindDone, done{}); l.call(1, "s.forbidden"); l.wait() }, OK, ""},
	"has seen what nobody sent":    {func(l *liar) { l.parked(1); l.send(kindStill, still{Waiting: 1, Seen: 1 << 31}); l.wait() }, SandboxError, "it has seen"},
	"is still in no JSON":          {func(l *liar) { l.parked(1); l.frames.write(kindStill, []byte("still")); l.wait() }, SandboxError, "broke the protocol"},
	"is still twice":               {func(l *liar) { l.parked(1); l.still(1, 1, true); l.still(1, 1, true); l.wait() }, SandboxError, "a repetition"},
	"is still before it was":       {func(l *liar) { l.parked(2); l.still(2, 1, false); l.still(2, 0, false); l.wait() }, SandboxError, "a repetition"},
	"forgets a call":               {func(l *liar) { l.parked(1); l.call(7, "s.slow"); l.still(1, 1, false); l.wait() }, Timeout, ""},
	"makes up a call that waits":   {func(l *liar) { l.parked(1); l.still(2, 1, false); l.wait() }, Timeout, ""},
	"waits for less than no calls": {func(l *liar) { l.parked(1); l.still(-1, 1, true); l.wait() }, Timeout, ""},
	"is still, as it should say":   {func(l *liar) { l.parked(3); l.still(3, 3, false); l.wait() }, Waiting, "waits"},
	"has a timer for ever":         {func(l *liar) { l.parked(1); l.still(1, 1, true); l.wait() }, Waiting, "waits"},
	"never stops talking": {func(l *liar) {
		l.parked(1)
		l.still(1, 1, true)
		for l.frames.write(kindValue, []byte("1")) == nil {
		}
	}, OutputLimit, "more than"},
	"goes on after it was still": {func(l *liar) { l.parked(1); l.still(1, 1, true); l.call(9, "s.t"); l.send(kindDone, done{}) }, OK, ""},
	"closes its pipes and goes":  {func(l *liar) { l.running(); l.out.Close(); l.wait() }, SandboxError, "closed its pipe"},
}

// replayLies are those of a worker whose replay becomes live.
var replayLies = map[string]lieTold{
	"is still for ever":        {func(l *liar) { l.live(); l.still(0, 1, false); l.wait() }, SandboxError, "no call is parked"},
	"is still without end":     {func(l *liar) { l.running(); l.still(0, 0, false); l.still(0, 0, false); l.wait() }, SandboxError, "a repetition"},
	"has seen the future":      {func(l *liar) { l.running(); l.still(0, 1, false); l.wait() }, SandboxError, "it has seen"},
	"repeats after it is live": {func(l *liar) { l.live(); l.call(1, "s.park"); l.read(1); l.still(0, 2, false); l.wait() }, Timeout, ""},
	"is live with a parked call": {func(l *liar) {
		l.running()
		l.call(1, "s.park")
		l.read(1)
		l.still(1, 1, false)
		l.read(1)
		l.still(1, 2, false)
		l.wait()
	}, Waiting, ""},
	"says nothing more": {func(l *liar) { l.live(); l.call(1, "s.park"); l.wait() }, Timeout, ""},
	"calls for ever":    {func(l *liar) { l.live(); l.flood(); l.wait() }, CallLimit, "10 tool calls"},
}

// liar is a process that is started as a worker and is none.
type liar struct {
	in, out *os.File
	frames  *frameWriter
}

func lie(name string, pipes []int) {
	l := &liar{in: os.NewFile(uintptr(pipes[0]), "pipe"), out: os.NewFile(uintptr(pipes[1]), "pipe")}
	l.frames = &frameWriter{w: l.out}
	switch c, ok := lies[name]; {
	case ok:
		c.tell(l)
	case replayLies[name].tell != nil:
		replayLies[name].tell(l)
	default:
		seed, _ := strconv.ParseUint(name, 10, 64)
		l.babble(seed)
	}
	runtime.KeepAlive(l) // a pipe that nobody holds any more is closed
}

func (l *liar) send(k kind, v any) { l.frames.writeJSON(k, v) }

// running takes the protocol honestly to the point where main runs.
func (l *liar) running() {
	l.send(kindReady, ready{})
	readFrame(l.in, maxFrameToWorker)
	l.send(kindNeeds, Needs{})
	readFrame(l.in, maxFrameToWorker)
	l.send(kindPlan, Plan{})
	readFrame(l.in, maxFrameToWorker)
}

// parked is a script that has made so many calls, which are parked.
func (l *liar) parked(n uint32) {
	l.running()
	for i := range n {
		l.call(i, "s.park")
	}
	l.read(int(n))
}

// live is a script whose replay has become live at once.
func (l *liar) live() {
	l.running()
	l.still(0, 0, false)
	l.read(1)
}

// read reads so many frames.
func (l *liar) read(n int) {
	for range n {
		readFrame(l.in, maxFrameToWorker)
	}
}

func (l *liar) still(waiting int, seen uint32, timers bool) {
	l.send(kindStill, still{Waiting: waiting, Seen: seen, Timers: timers})
}

// babble sends frames at random.
func (l *liar) babble(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	l.running()
	for n := range uint32(r.IntN(30)) {
		switch r.IntN(8) {
		case 0, 1:
			l.call(n, []string{"s.t", "s.park", "s.slow"}[r.IntN(3)])
		case 2, 3:
			l.still(r.IntN(4), uint32(r.IntN(4)), r.IntN(2) == 0)
		case 4:
			l.send(kindWarn, Note{Message: "w"})
		case 5:
			l.readings(r.IntN(3))
		case 6:
			readFrame(l.in, maxFrameToWorker) // there may be none
		case 7:
			l.send([]kind{kindValue, kindStill, kindDone, kindLive, kindParked}[r.IntN(5)], 1)
		}
	}
	l.wait()
}

func (l *liar) call(n uint32, tool string) {
	b, _ := json.Marshal(call{Tool: tool, Args: json.RawMessage("{}")})
	l.frames.write(kindCall, number(n), b)
}

// from calls from a place of its own making.
func (l *liar) from(path, place string) {
	b, _ := json.Marshal(call{Tool: "s.t", Args: json.RawMessage("{}"), Path: path, Place: place})
	l.frames.write(kindCall, number(1), b)
}

// readings tells of so many readings at a time.
func (l *liar) readings(counts ...int) {
	for _, n := range counts {
		l.send(kindClock, pack(make([]Reading, n), false))
	}
}

func (l *liar) flood() {
	for n := range uint32(100) {
		l.call(n, "s.t")
	}
}

func (l *liar) values() {
	value := append(append([]byte{'"'}, bytes.Repeat([]byte("x"), 7<<20)...), '"')
	for l.frames.write(kindValue, value) == nil {
	}
}

func (l *liar) warn(n int) {
	for range n {
		l.send(kindWarn, Note{Message: strings.Repeat("w", 2000)})
	}
}

func (l *liar) print() {
	for {
		fmt.Println(strings.Repeat("x", 1000))
	}
}

func (l *liar) die(stderr string) {
	os.Stderr.WriteString(stderr)
	os.Exit(2)
}

// wait does nothing until it is killed.
func (l *liar) wait() {
	<-time.After(time.Hour) // the parent kills this process long before
}

// lenient is a Host that allows one tool.
type lenient struct{}

func (lenient) Resolve(context.Context, *Needs) (*Tools, bool, error) { return &Tools{}, true, nil }
func (lenient) Start(context.Context, *Plan) bool                     { return true }
func (lenient) Clock([]Reading, bool)                                 {}
func (lenient) Still(context.Context, time.Time, int, int) (Next, error) {
	return Await, errors.New("this is not a replay")
}
func (lenient) Call(ctx context.Context, c *Call) (*Answer, error) {
	switch c.Tool {
	case "s.t":
		return &Answer{Result: json.RawMessage("{}")}, nil
	case "s.park":
		return nil, ErrParked
	case "s.slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, &DeniedError{Reason: c.Tool}
}

// hasty is a Host whose replays are live when they are still.
type hasty struct{ lenient }

func (hasty) Still(context.Context, time.Time, int, int) (Next, error) { return Live, nil }

func TestAWorkerThatLiesIsBoundedAndReaped(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, name string, c lieTold, s *Script, h Host) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Limits = Limits{Timeout: 2 * time.Minute, Calls: 10, Stdout: 10_000}
			if c.want == Timeout {
				s.Limits.Timeout = 300 * time.Millisecond
			}
			silence := time.Minute
			if c.want == Waiting {
				silence = 10 * time.Millisecond
			}
			o, err := Run(t.Context(), s, h, &Options{Command: []string{exe, "liar", name}, silence: silence})
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != c.want || !strings.Contains(o.Message, c.say) {
				t.Errorf("got %s: %s, want %s: %s", o.Status, o.Message, c.want, c.say)
			}
			if c.want == Waiting && o.Timing.Run == 0 {
				t.Error("nobody says how long it ran")
			}
			if len(o.Notes) > maxNotes || len(o.Trace) > 20 || len(o.Stdout) > 10_000 {
				t.Errorf("%d notes, %d lines of trace, %d bytes of stdout", len(o.Notes), len(o.Trace), len(o.Stdout))
			}
		})
	}
	for name, c := range lies {
		run(t, name, c, &Script{Source: "x"}, lenient{})
	}
	for name, c := range replayLies {
		run(t, name, c, &Script{Source: "x", Replay: &Replay{}, Resume: true}, hasty{})
	}
}

// Whatever a worker says in whatever order, its run ends.
func TestAWorkerThatBabblesIsEnded(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range *schedules {
		for _, resume := range []bool{false, true} {
			t.Run(fmt.Sprint(seed, resume), func(t *testing.T) {
				t.Parallel()
				s, h := &Script{Source: "x", Limits: Limits{Timeout: 300 * time.Millisecond, Calls: 10}}, Host(lenient{})
				if resume {
					s.Replay, s.Resume, h = &Replay{}, true, hasty{}
				}
				o, err := Run(t.Context(), s, h, &Options{Command: []string{exe, "liar", fmt.Sprint(seed)}, silence: 10 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				switch o.Status {
				case OK, ScriptError, SandboxError, CallLimit, Timeout, Waiting:
				default:
					t.Errorf("%s: %s", o.Status, o.Message)
				}
			})
		}
	}
}

func TestAMissingWorkerProgramIsAnError(t *testing.T) {
	_, err := Run(t.Context(), &Script{Source: "x"}, lenient{}, &Options{Command: []string{"/no/such/program"}})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
