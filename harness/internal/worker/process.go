package worker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/harness/internal/sandbox"
)

// marker is the first argument of a worker process.
const marker = "usetools-worker"

// setup configures a worker by its arguments, before it is locked.
type setup struct {
	Line    int            `json:"line,omitempty"` // the descriptor for mapLine, or 0
	Sandbox sandbox.Config `json:"sandbox"`        // its Keep contains the descriptors of the pipes
}

// IsWorker reports whether this process was started as a worker. If so, main must call Main
// before anything else.
func IsWorker() bool { return len(os.Args) == 3 && os.Args[1] == marker }

// process is a started worker.
type process struct {
	child  *sandbox.Child
	state  func() *os.ProcessState // after wait
	to     *frameWriter
	toFile *os.File
	from   *bufio.Reader
	ofFrom *os.File
	stdout *os.File
	stderr *os.File // the script's stderr
	crash  *os.File // the process's stderr, for the last words of a dying Go runtime
	line   *os.File // for readLine; may be nil
	begun  time.Time
	locked sandbox.Config // the configuration that it was started with
	killed atomic.Bool    // by us

	mu    sync.Mutex // held while a frame of the worker is awaited
	ready *ready     // nil until this frame has been read

	// Used by Spares under its lock:
	rehearsed int  // number of completed rehearsals
	rising    bool // it rehearses or is about to
}

// start runs the binary again as a worker, with an almost empty environment, no inherited files
// except the pipes, and a separate process group.
func start(command []string, set setup) (*process, error) {
	begun := time.Now()
	if len(command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("finding this program to start a worker: %w", err)
		}
		command = []string{exe}
	}
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			f.Close()
		}
	}
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	inR, inW, err1 := pipe()
	outR, outW, err2 := pipe()
	stdoutR, stdoutW, err3 := pipe()
	stderrR, stderrW, err4 := pipe()
	crashR, crashW, err5 := pipe()
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		closeAll()
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = []string{"GOMAXPROCS=1"} // until it is locked, so that few threads start and locking reaches each of them
	cmd.Stdout, cmd.Stderr = stdoutW, crashW
	inherited := []*os.File{inR, outW, stderrW}
	line := newLine()
	if line != nil {
		files, inherited = append(files, line), append(inherited, line)
	}
	fds := inheritPipes(cmd, inherited...)
	if line != nil {
		set.Line = fds[3]
	}
	set.Sandbox.Keep = fds[:3]
	settings, err := json.Marshal(&set)
	if err != nil {
		closeAll()
		return nil, err
	}
	cmd.Args = append(cmd.Args, marker, string(settings))
	child, err := sandbox.Start(cmd, &set.Sandbox)
	if err != nil {
		closeAll()
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	for _, f := range []*os.File{inR, outW, stdoutW, stderrW, crashW} {
		f.Close()
	}
	return &process{
		child: child, state: func() *os.ProcessState { return cmd.ProcessState },
		to: &frameWriter{w: inW}, toFile: inW, from: bufio.NewReader(outR), ofFrom: outR, stdout: stdoutR, stderr: stderrR, crash: crashR, line: line, begun: begun, locked: set.Sandbox,
	}, nil
}

// awaitReady reads the frame with which a worker reports that it is locked and ready for a
// script. A rehearsing worker sends it after the rehearsal.
func (p *process) awaitReady() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.readReady()
}

func (p *process) readReady() error {
	if p.ready != nil {
		return nil
	}
	k, b, err := readFrame(p.from, maxFrameToParent)
	if err != nil {
		return err
	}
	if k != kindReady {
		return fmt.Errorf("%w: %v instead of %v", errFrame, k, kindReady)
	}
	r := &ready{}
	if err := json.Unmarshal(b, r); err != nil {
		return fmt.Errorf("%w: %v: %v", errFrame, k, err)
	}
	p.ready = r
	return nil
}

// rehearse makes a waiting worker perform rehearsal n. The caller holds p.mu.
func (p *process) rehearse(n int) error {
	if err := p.to.write(kindRehearse, []byte{byte(n)}); err != nil {
		return err
	}
	p.ready = nil
	return p.readReady()
}

// lastLine returns the last line that the worker noted, or 0 if it is unknown. lines is the
// number of lines in the script.
func (p *process) lastLine(lines int) int {
	if p.line == nil {
		return 0
	}
	if n := readLine(p.line); n > 0 && n <= lines {
		return n
	}
	return 0
}

// wait waits for the process and reaps it.
func (p *process) wait() error { return p.child.Wait() }

// kill kills the worker and any process that it started.
func (p *process) kill() {
	p.killed.Store(true)
	p.child.Kill()
}

// close kills and reaps the worker, and closes its files.
func (p *process) close() {
	p.kill()
	p.wait()
	for _, f := range []*os.File{p.toFile, p.ofFrom, p.stdout, p.stderr, p.crash, p.line} {
		f.Close() // ignores the error of a missing line
	}
}

// errOutputLimit is returned by a capture that is full.
var errOutputLimit = errors.New("output limit")

// A capture keeps a stream up to a limit and passes it on as it arrives. The byte beyond the
// limit is an error, which ends take.
type capture struct {
	mu    sync.Mutex
	text  strings.Builder
	left  *allowance
	also  Printed // may be nil
	onCut func()
	cut   bool

	mark  []byte // precedes text with a line; if nil, lines are not marked
	lines int    // number of lines in the script
	part  []byte // possibly the beginning of a mark and its head (the line and size of the text)
	at    time.Time
	line  int // the line of the current text
	size  int // remaining bytes of that text
}

// add processes a part of the stream.
func (c *capture) add(b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(b) > 0 && c.also != nil {
		c.at = time.Now()
	}
	if c.mark == nil {
		return c.print(0, b)
	}
	return c.marked(b)
}

// print stores text printed at a line, or at an unknown line if it is 0.
func (c *capture) print(line int, b []byte) error {
	n := c.left.take(len(b))
	c.text.Write(b[:n])
	if c.also != nil && n > 0 {
		c.also(c.at, line, b[:n])
	}
	if n == len(b) {
		return nil
	}
	c.cut = true
	c.onCut()
	return errOutputLimit
}

// take reads a stream to its end or limit. Most streams are empty, so it begins with a smaller
// buffer than io.Copy.
func (c *capture) take(from io.Reader) {
	buf := make([]byte, 4<<10)
	for {
		n, err := from.Read(buf)
		if full := c.add(buf[:n]); full != nil {
			return
		}
		if err != nil {
			c.rest()
			return
		}
		if n == len(buf) && n < maxRead {
			buf = make([]byte, maxRead)
		}
	}
}

// rest processes the end of the stream. If it is part of a mark, it may be text, and is printed.
// If it is a mark with part of a head, it is dropped. See exec.Options.Mark.
func (c *capture) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.part) < len(c.mark) {
		c.print(0, c.part)
	}
	c.part = nil
}

// maxRead limits a single read, in bytes.
const maxRead = 32 << 10

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.ToValidUTF8(c.text.String(), "\uFFFD")
}

// A clock calls a function after a span of running time. It can be paused.
type clock struct {
	timer *time.Timer
	until time.Time
	left  time.Duration
}

func startClock(d time.Duration, over func()) *clock {
	return &clock{timer: time.AfterFunc(d, over), until: time.Now().Add(d)}
}

// remaining returns the time left on a running clock.
func (c *clock) remaining() time.Duration { return time.Until(c.until) }

// pause stops the clock. It does nothing if the time is over.
func (c *clock) pause() {
	c.left = 0
	if c.timer.Stop() {
		c.left = time.Until(c.until)
	}
}

func (c *clock) resume() {
	if c.left > 0 {
		c.until = time.Now().Add(c.left)
		c.timer.Reset(c.left)
	}
}
