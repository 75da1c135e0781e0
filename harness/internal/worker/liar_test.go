package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	if len(os.Args) == 8 && os.Args[1] == "liar" {
		lie(os.Args[2], os.Args[5], os.Args[6])
		return
	}
	os.Exit(m.Run())
}

// lies are the ways in which a worker can leave the protocol, and how the run
// must end.
var lies = map[string]struct {
	tell func(l *liar)
	want Status
	say  string // in the message
}{
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
	"a call that is no JSON":     {func(l *liar) { l.running(); l.frames.write(kindCall, number(1), []byte("{")) }, SandboxError, "broke the protocol"},
	"a call of an endless path":  {func(l *liar) { l.running(); l.from(strings.Repeat("x", maxPath+1), "1:1"); l.wait() }, SandboxError, "its path"},
	"a call of an endless place": {func(l *liar) { l.running(); l.from("", strings.Repeat("x", maxPlace+1)); l.wait() }, SandboxError, "its place"},
	"a call of an unseen place":  {func(l *liar) { l.running(); l.from("", "1:1\u202e"); l.wait() }, SandboxError, "printable ASCII"},
	"two calls of one number":    {func(l *liar) { l.running(); l.call(1, "s.t"); l.call(1, "s.t") }, SandboxError, "broke the protocol"},
	"a value that is no JSON":    {func(l *liar) { l.running(); l.frames.write(kindValue, []byte("}")) }, SandboxError, "broke the protocol"},
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
	"a warning that is no JSON":        {func(l *liar) { l.running(); l.frames.write(kindWarn, []byte("w")); l.wait() }, SandboxError, "broke the protocol"},
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
	"is still where nothing is repeated": {func(l *liar) { l.running(); l.send(kindStill, still{}); l.wait() }, SandboxError, "this is no replay"},
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
	"a call too long":           {func(l *liar) { l.running(); l.frames.write(kindCall, make([]byte, maxArgs+1<<20)); l.wait() }, SandboxError, "broke the protocol"},
	"values without end":        {func(l *liar) { l.running(); l.values(); l.wait() }, OutputLimit, "sent more than"},
	"a call after done":         {func(l *liar) { l.running(); l.send(kindDone, done{}); l.call(1, "s.forbidden"); l.wait() }, OK, ""},
	"closes its pipes and goes": {func(l *liar) { l.running(); l.out.Close(); l.wait() }, SandboxError, "closed its pipe"},
}

// liar is a process that is started as a worker and is none.
type liar struct {
	in, out *os.File
	frames  *frameWriter
}

func lie(name, in, out string) {
	open := func(s string) *os.File {
		fd, err := strconv.Atoi(s)
		if err != nil {
			os.Exit(9)
		}
		return os.NewFile(uintptr(fd), "pipe")
	}
	l := &liar{in: open(in), out: open(out)}
	l.frames = &frameWriter{w: l.out}
	lies[name].tell(l)
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
	return Await, errors.New("this is no replay")
}
func (lenient) Call(_ context.Context, c *Call) (*Answer, error) {
	if c.Tool != "s.t" {
		return nil, &DeniedError{Reason: c.Tool}
	}
	return &Answer{Result: json.RawMessage("{}")}, nil
}

func TestAWorkerThatLiesIsBoundedAndReaped(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := Limits{Timeout: 2 * time.Minute, Calls: 10, Stdout: 10_000}
			if c.want == Timeout {
				limits.Timeout = 300 * time.Millisecond
			}
			o, err := Run(t.Context(), &Script{Source: "x", Limits: limits}, lenient{}, &Options{Command: []string{exe, "liar", name}})
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != c.want || !strings.Contains(o.Message, c.say) {
				t.Errorf("got %s: %s, want %s: %s", o.Status, o.Message, c.want, c.say)
			}
			if len(o.Notes) > maxNotes || len(o.Trace) > 20 || len(o.Stdout) > 10_000 {
				t.Errorf("%d notes, %d lines of trace, %d bytes of stdout", len(o.Notes), len(o.Trace), len(o.Stdout))
			}
		})
	}
}

func TestAMissingWorkerProgramIsAnError(t *testing.T) {
	_, err := Run(t.Context(), &Script{Source: "x"}, lenient{}, &Options{Command: []string{"/no/such/program"}})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
