package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/procgroup"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
	"github.com/usetools/usetools/registry/text"
)

const (
	// grace is how long a server may take to exit after its stdin is closed, and again after the
	// request to terminate. A server that never shook hands gets less.
	grace      = 2 * time.Second
	shortGrace = 200 * time.Millisecond
	// pipeGrace is how long the pipes of a dead process are still read, because its last output
	// is useful, but a grandchild may hold them open forever.
	pipeGrace = 500 * time.Millisecond
)

// process is a running server, and the connection over its stdin and stdout, with one JSON-RPC
// message per line. It is a Transport, and also the Connection of its only session.
type process struct {
	cmd      *exec.Cmd
	captures *captures
	max      int // limit of a message, in bytes
	stdin    io.WriteCloser
	stdout   *os.File

	frames chan frame           // to the writer
	inbox  chan jsonrpc.Message // from the reader; closed after its last message
	closed chan struct{}        // Close was called
	exited chan struct{}        // the process has ended and was reaped
	loops  sync.WaitGroup

	established atomic.Bool // the handshake is done
	close       sync.Once

	mu      sync.Mutex
	junk    string // first line on stdout that was not a message
	junks   int
	readErr error
	hungUp  bool      // the server closed stdout before Close was called
	log     io.Writer // may be nil
	kept    *serverLog
	stderr  tail
	unguard func()
}

// startProcess starts the command of a stdio server.
func startProcess(s config.Server, o Options) (*process, error) {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir = s.Cwd
	if s.Cwd != "" {
		if st, err := os.Stat(s.Cwd); err != nil || !st.IsDir() {
			return nil, fmt.Errorf("cwd %q is not a folder; correct it in %q", s.Cwd, s.File)
		}
	}
	cmd.Env = procgroup.Environ()
	for _, name := range s.Env.Names() {
		cmd.Env = append(cmd.Env, name+"="+s.Env[name])
	}
	kept := keptLog(s)
	p := &process{
		cmd: cmd, captures: newCaptures(o.Asks), max: s.MaxMessage, log: tee(o.Log, kept), kept: kept,
		frames: make(chan frame), inbox: make(chan jsonrpc.Message),
		closed: make(chan struct{}), exited: make(chan struct{}),
	}
	cmd.Stderr = (*stderrWriter)(p)
	cmd.WaitDelay = pipeGrace
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = w
	unguard, err := procgroup.Start(cmd)
	w.Close()
	if err != nil {
		r.Close()
		stdin.Close()
		return nil, fmt.Errorf("cannot start: %w; install it or correct its command in %q", err, s.File)
	}
	p.kept.note(fmt.Sprintf("started: process %d", cmd.Process.Pid))
	p.stdin, p.stdout, p.unguard = stdin, r, unguard
	p.loops.Go(p.read)
	p.loops.Go(p.write)
	go p.wait()
	return p, nil
}

// Connect implements mcp.Transport.
func (p *process) Connect(context.Context) (mcp.Connection, error) { return p, nil }

// SessionID implements mcp.Connection.
func (p *process) SessionID() string { return "" }

// Read implements mcp.Connection.
func (p *process) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-p.inbox:
		if !ok {
			return nil, p.readError()
		}
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, io.EOF
	}
}

// Write implements mcp.Connection. It passes the message to the writer, so that a server that
// does not read cannot block the caller beyond the context. A message to an ended server is
// dropped without an error, like one that is still in the pipe: the reader reports the end, after
// the server's last output.
func (p *process) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	f := frame{data: append(data, '\n')}
	p.captures.sent(ctx, m)
	switch m := m.(type) {
	case *jsonrpc.Response:
		defer p.captures.asked.answered(m.ID)
	case *jsonrpc.Request:
		if send := sendOf(ctx); send != nil && m.IsCall() {
			f.call, f.begin, f.written = m.ID, func() error { return send.Begin(ctx) }, make(chan error, 1)
		}
	}
	select {
	case p.frames <- f:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closed:
		return io.EOF
	case <-p.exited:
		return nil
	}
	if f.begin == nil {
		return nil
	}
	select {
	case err := <-f.written: // also soon after the end of the process
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// frame is a message on its way to the server.
type frame struct {
	data []byte
	// begin is nil unless this is a call with a Send.
	call    jsonrpc.ID
	begin   func() error
	written chan error // gets the error of begin, or nil after the write
}

// write is the writer. It does not report failures: stdin breaks only if the server ends, which
// the reader notices as well.
func (p *process) write() {
	for {
		select {
		case f := <-p.frames:
			if f.begin != nil {
				if err := f.begin(); err != nil {
					f.written <- fmt.Errorf("%w: %w", errRejected, err)
					continue
				}
			}
			n, err := p.stdin.Write(f.data)
			if backend.Unwritten(n, err) {
				p.captures.became(f.call, backend.NotSent)
			}
			if f.begin != nil {
				f.written <- nil
			}
			if err != nil {
				return
			}
		case <-p.closed:
			return
		case <-p.exited:
			return
		}
	}
}

// errRejected tells the SDK that a message was not sent, over a connection that
// still works.
var errRejected = &jsonrpc.Error{Code: codeRejected, Message: "rejected by transport"}

// read is the reader: it reads messages from the lines of stdout.
func (p *process) read() {
	defer close(p.inbox)
	r := bufio.NewReaderSize(p.stdout, 64<<10)
	for {
		line, long, err := p.line(r)
		messages := p.messages(bytes.TrimSpace(line), err == nil)
		if long != nil && err == nil {
			messages = p.instead(long)
		}
		for _, m := range messages {
			if !p.captures.incoming(m, nil, p.closed) {
				continue
			}
			select {
			case p.inbox <- m:
			case <-p.closed:
				return
			}
		}
		if err != nil {
			p.stopReading(err)
			return
		}
	}
}

// stopReading records why reading ended, and whether the server ended it.
func (p *process) stopReading(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readErr = err
	select {
	case <-p.closed:
	default:
		p.hungUp = errors.Is(err, io.EOF)
	}
	if !p.hungUp {
		p.stdout.Close() // so that the server does not wait for a reader
	}
}

// line reads up to a newline. It does not keep a line of more than p.max bytes, but reads to its
// end, and returns its id in long.
func (p *process) line(r *bufio.Reader) (line []byte, long *idScanner, err error) {
	for n := 0; ; {
		part, err := r.ReadSlice('\n')
		n += len(part)
		switch {
		case long != nil:
			long.scan(part)
		case n > p.max:
			long = &idScanner{}
			long.scan(line)
			long.scan(part)
			line = nil
		default:
			line = append(line, part...)
		}
		switch {
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, long, err
		case n/maxSkipped > p.max:
			return nil, nil, fmt.Errorf("%w: more than %d bytes", errEndless, n)
		}
	}
}

// instead returns the messages that replace a line that was too long.
func (p *process) instead(long *idScanner) []jsonrpc.Message {
	if m := long.instead(p.captures, p.max); m != nil {
		return []jsonrpc.Message{m}
	}
	p.stray(fmt.Appendf(nil, "a line of more than %d bytes", p.max))
	return nil
}

// messages decodes a line: one message, a batch as revision 2025-03-26 allowed, or none. complete
// says that the line is not truncated.
func (p *process) messages(line []byte, complete bool) []jsonrpc.Message {
	if len(line) == 0 {
		return nil
	}
	parts := []json.RawMessage{line}
	if line[0] == '[' && json.Unmarshal(line, &parts) != nil {
		p.stray(line)
		return nil
	}
	var out []jsonrpc.Message
	for _, part := range parts {
		m, err := decodeMessage(part)
		if err != nil {
			if r := unreadable(p.captures, part, complete); r != nil {
				out = append(out, r)
				continue
			}
			p.stray(part)
			continue
		}
		out = append(out, m)
	}
	return out
}

// stray keeps the first line that is not a message, for errors.
func (p *process) stray(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.junks++; p.junks == 1 {
		p.junk = text.CutBytes(string(line), maxTail) // cut further after secrets are hidden
	}
	if p.log != nil {
		fmt.Fprintf(p.log, "%s\n", line)
	}
}

// wait reaps the process and ends its group. A descendant that left the group, or cannot be
// killed, may hold stdout open, so reading ends after a while.
func (p *process) wait() {
	p.cmd.Wait() // its result stays in cmd.ProcessState
	p.kept.note("ended: " + p.exitStatus())
	procgroup.Kill(p.cmd)
	p.unguard()
	close(p.exited)
	time.AfterFunc(grace, func() { p.stdout.Close() })
}

// Close implements mcp.Connection. It closes stdin, then asks the process group to terminate,
// then kills it. It takes at most three times grace.
func (p *process) Close() error {
	p.close.Do(func() {
		close(p.closed)
		p.stdin.Close()
		patience := shortGrace
		if p.established.Load() {
			patience = grace
		}
		if !p.waitExit(patience) {
			procgroup.Terminate(p.cmd)
			if !p.waitExit(patience) {
				procgroup.Kill(p.cmd)
				p.waitExit(grace)
			}
		}
		p.stdout.Close()
		p.joinLoops()
	})
	return nil
}

// joinLoops waits for reader and writer. If a closed pipe does not wake its reader, they end with
// the last process that holds it.
func (p *process) joinLoops() {
	joined := make(chan struct{})
	go func() {
		p.loops.Wait()
		close(joined)
	}()
	t := time.NewTimer(pipeGrace)
	defer t.Stop()
	select {
	case <-joined:
	case <-t.C:
	}
}

// waitExit waits until the process has ended, and reports whether it has.
func (p *process) waitExit(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
	case <-t.C:
	}
	select { // both may be ready before this goroutine runs
	case <-p.exited:
		return true
	default:
		return false
	}
}

// died waits briefly for the process to end, and reports whether it ended by itself.
func (p *process) died() bool {
	p.mu.Lock()
	hungUp := p.hungUp
	p.mu.Unlock()
	return hungUp && p.waitExit(time.Second)
}

// exitStatus describes how the process ended. Call it after its end.
func (p *process) exitStatus() string {
	if st := p.cmd.ProcessState; st != nil {
		return st.String()
	}
	return "status unknown"
}

func (p *process) readError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readErr == nil {
		return io.EOF
	}
	return p.readErr
}

// readFailure returns why reading stopped before the server ended, or nil.
func (p *process) readFailure() error {
	if err := p.readError(); errors.Is(err, errEndless) {
		return err
	}
	return nil
}

// lastWords quotes relevant output of the process: the first line on stdout that was not a
// message, and the end of stderr. It starts with "; ", and lines after the first are indented.
func (p *process) lastWords(hide *redact.Redactor) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	if p.junks > 0 {
		fmt.Fprintf(&b, "; on stdout, where only MCP messages belong, it printed %q",
			text.CutBytes(printable(hide.Text(p.junk)), maxJunk))
		if p.junks > 1 {
			fmt.Fprintf(&b, " and %d more lines", p.junks-1)
		}
	}
	switch words := p.stderr.last(hide); {
	case words == "":
	case strings.Contains(words, "\n"):
		b.WriteString("; on stderr:\n  " + strings.ReplaceAll(words, "\n", "\n  "))
	default:
		fmt.Fprintf(&b, "; on stderr: %s", words)
	}
	return b.String()
}

// stderrWriter is the process as the writer for its stderr.
type stderrWriter process

func (w *stderrWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stderr.add(b)
	if w.log != nil {
		w.log.Write(b)
	}
	return len(b), nil
}

// tail keeps the end of a stream. It keeps more than is quoted, so that secrets are complete when
// they are hidden.
type tail struct{ buf []byte }

const (
	maxTail   = 8 << 10 // bytes that are kept
	maxQuoted = 1000    // bytes that an error quotes
	maxJunk   = 200     // bytes of stdout that an error quotes
)

func (t *tail) add(b []byte) {
	if len(b) > maxTail {
		b = b[len(b)-maxTail:]
	}
	t.buf = append(t.buf, b...)
	if n := len(t.buf) - maxTail; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
}

// last returns the end of the stream for an error.
func (t *tail) last(hide *redact.Redactor) string {
	s := strings.TrimSpace(printable(hide.Text(string(t.buf))))
	if n := len(s) - maxQuoted; n > 0 {
		s = "…" + s[n:]
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// obeyed matches escape sequences and control characters, which a terminal would obey,
// except for the ends of lines and tabs.
var obeyed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\x1b(?:\[[0-9:;<=>? !"#$%&'()*+,\-./]*.?)?|[\x00-\x08\x0b-\x1f\x7f-\x{9f}]`)
})

func printable(s string) string { return obeyed().ReplaceAllString(s, "") }
