package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine bounds one message on stdio.
const maxLine = 16 << 20

// Stdio serves one client over a pair of streams until it closes in, or ctx
// ends. What runs when the client goes is canceled; what runs when ctx ends
// has the grace time.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	c := s.newSession("stdio", operator, s.opts.Tools, true, nil)
	defer c.end()
	c.one = true
	serving, stop := context.WithCancel(context.Background())
	defer stop()
	quick, all, open := newOwed(quick), newOwed(ends), newOwed(everything)
	defer context.AfterFunc(ctx, func() {
		if s.queue.close(max(s.opts.Grace, 0)) == 0 {
			all.wait(serving.Done(), lastWords) // what has ended is on its way
		}
		stop()
		in.Close()
	})()
	answers := &answers{WriteCloser: out, quick: quick, all: all, open: open}
	err := c.mcp.Run(serving, &mcp.IOTransport{
		Reader: &requests{in: bufio.NewReaderSize(in, 64<<10), Closer: in, c: c, answers: answers,
			gone: serving.Done()},
		Writer:        answers,
		MaxLineLength: maxLine + 1,
	})
	if ctx.Err() != nil || err == nil {
		return nil
	}
	return err
}

// owed are requests of a stdio client that wait for an answer: the quick ones,
// since a client that closes its side after its last request still gets what it
// asked for, where the end of input would cancel what is being answered; all
// of them, since a server that ends still answers for the scripts that have; and
// those whose ID another request must not have.
type owed struct {
	counts func(method string) bool

	mu   sync.Mutex
	ids  map[string]struct{}
	none chan struct{} // closed while ids is empty
}

// owedWait is how long the end of input waits for answers. Nothing but a
// request for a list or the like is waited for, and a list may take listWait.
const owedWait = listWait + 25*time.Second

// lastWords is how long the end of a server waits for answers to be written,
// which takes that long only on a machine that is very busy.
const lastWords = 5 * time.Second

func newOwed(counts func(method string) bool) *owed {
	o := &owed{counts: counts, ids: map[string]struct{}{}, none: make(chan struct{})}
	close(o.none)
	return o
}

// message is what tells a request from an answer.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// key is the ID as the SDK gives it back: the text of a string, a number
// without its fraction.
func (m *message) key() string {
	var s string
	var n float64
	switch {
	case string(m.ID) == "null": // of an answer to what could not be read
	case json.Unmarshal(m.ID, &s) == nil:
		return "s" + s
	case json.Unmarshal(m.ID, &n) == nil:
		return fmt.Sprint("n", int64(n))
	}
	return string(m.ID)
}

// quick reports whether a request is answered at once. Calls of tools and
// streams of notifications are not: they end with the client.
func quick(method string) bool {
	return method == "initialize" || method == "ping" || method == "server/discover" ||
		strings.HasSuffix(method, "/list") || strings.HasSuffix(method, "/get") || strings.HasSuffix(method, "/read")
}

// ends reports whether a request is answered at some time: a stream of
// notifications is not.
func ends(method string) bool { return method != methodListen }

const methodListen = "subscriptions/listen"

func everything(string) bool { return true }

func (o *owed) ask(m message) {
	if !o.counts(m.Method) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ids) == 0 {
		o.none = make(chan struct{})
	}
	o.ids[m.key()] = struct{}{}
}

// has reports whether a request with that ID waits.
func (o *owed) has(m message) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, waits := o.ids[m.key()]
	return waits
}

func (o *owed) answer(m message) {
	if m.Method != "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, waits := o.ids[m.key()]; !waits {
		return
	}
	if delete(o.ids, m.key()); len(o.ids) == 0 {
		close(o.none)
	}
}

// wait waits until nothing is owed, gone is closed, or the time is over.
func (o *owed) wait(gone <-chan struct{}, most time.Duration) {
	o.mu.Lock()
	none := o.none
	o.mu.Unlock()
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-none:
	case <-gone:
	case <-late.C:
	}
}

// requests is the client's side, line by line. A line that is no message, or
// asks a second time with the ID of a request under way, is answered with an
// error and left out, since the SDK would end the connection or say nothing. The
// end waits for what is owed.
type requests struct {
	in *bufio.Reader
	io.Closer
	c       *session
	answers *answers
	gone    <-chan struct{}
	rest    []byte // of the present line
}

func (r *requests) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.next()
		r.c.s.handled(len(line))
		r.answers.spoken.Store(true)
		switch {
		case errors.Is(err, errLongLine):
			r.answers.refuse(nil, jsonrpc.CodeInvalidRequest, err)
			continue
		case err != nil:
			if err == io.EOF {
				r.answers.quick.wait(r.gone, owedWait)
			}
			return 0, err
		}
		switch start := bytes.TrimSpace(line); {
		case len(start) == 0:
		case start[0] == '[' && r.batches():
			r.rest = r.batch(line)
		case r.check(line):
			r.rest = line
		}
	}
	n := copy(p, r.rest)
	if r.rest = r.rest[n:]; len(r.rest) == 0 {
		r.rest = nil // which would keep all of the line
	}
	return n, nil
}

var errLongLine = fmt.Errorf("a message has at most %d bytes", maxLine)

// next reads a line; the last one may lack its end.
func (r *requests) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil && len(line) == 0:
			return nil, err
		case long:
			return nil, errLongLine
		case err != nil:
			return append(line, '\n'), nil
		default:
			return line, nil
		}
	}
}

// check reports whether the SDK can take a message, and notes what it asks for.
func (r *requests) check(line []byte) bool {
	var m message
	known := json.Unmarshal(line, &m) == nil
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		if !known || m.Method != "" || m.Result == nil && m.Error == nil { // no error in answer to an answer
			code := int64(jsonrpc.CodeInvalidRequest)
			if !json.Valid(line) {
				code = jsonrpc.CodeParseError
			}
			r.answers.refuse(m.ID, code, err)
		}
		return false
	}
	if !isCall(msg) {
		return true
	}
	if r.answers.open.has(m) {
		// Without the ID, which would make it the answer to the first.
		r.answers.refuse(nil, jsonrpc.CodeInvalidRequest,
			fmt.Errorf("the ID %.100s is that of a request that is still being answered; %.100q was not looked at, send it "+
				"with an ID of its own", m.ID, m.Method))
		return false
	}
	r.answers.quick.ask(m)
	r.answers.all.ask(m)
	r.answers.open.ask(m)
	return true
}

func isCall(m jsonrpc.Message) bool {
	req, ok := m.(*jsonrpc.Request)
	return ok && req.IsCall()
}

// batch returns what the SDK can take of a batch: its calls as one, which is
// answered as one, and before them the rest, which is not answered, line by line.
func (r *requests) batch(line []byte) []byte {
	var parts []json.RawMessage
	var calls [][]byte
	var out []byte
	if err := json.Unmarshal(line, &parts); err != nil {
		r.answers.refuse(nil, jsonrpc.CodeParseError, err)
		return nil
	}
	if len(parts) == 0 {
		r.answers.refuse(nil, jsonrpc.CodeInvalidRequest, errors.New("the batch is empty"))
	}
	for _, p := range parts {
		if !r.check(p) {
			continue
		}
		if msg, err := jsonrpc.DecodeMessage(p); err == nil && isCall(msg) {
			calls = append(calls, p)
		} else {
			out = append(append(out, p...), '\n')
		}
	}
	if len(calls) > 0 { // as they came: encoded again they may be longer than a line may be
		out = append(out, '[')
		out = append(out, bytes.Join(calls, []byte(","))...)
		out = append(out, "]\n"...)
	}
	return out
}

// batches reports whether the client speaks a revision that has batches.
func (r *requests) batches() bool {
	for ss := range r.c.mcp.Sessions() {
		if p := ss.InitializeParams(); p != nil && p.ProtocolVersion < "2025-06-18" {
			return true
		}
	}
	return false
}

// answers is this side. Until the client has said something, nothing is: there
// is nobody yet to hear that the tools have changed.
type answers struct {
	io.WriteCloser
	quick, all, open *owed
	spoken           atomic.Bool // the client has

	mu   sync.Mutex
	line lines
}

func (a *answers) Write(p []byte) (int, error) {
	if !a.spoken.Load() {
		return len(p), nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var said []message
	a.line.add(p, func(m message) { said = append(said, m) })
	for _, m := range said { // before the client can use its ID again
		a.open.answer(m)
	}
	n, err := a.WriteCloser.Write(p)
	for _, m := range said {
		a.quick.answer(m)
		a.all.answer(m)
	}
	return n, err
}

// refuse answers what is no message.
func (a *answers) refuse(id json.RawMessage, code int64, why error) {
	var s string
	var n int64
	if json.Unmarshal(id, &s) != nil && json.Unmarshal(id, &n) != nil || len(id) > 1000 {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": cutText(why.Error(), 300)}})
	if err == nil {
		a.Write(append(b, '\n')) // a client that is gone is noticed by reading
	}
}

// lines cuts a stream into lines.
type lines struct{ begun []byte }

func (l *lines) add(p []byte, each func(message)) {
	for {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		if len(l.begun)+len(line) <= maxLine {
			l.begun = append(l.begun, line...)
		}
		if !whole {
			return
		}
		var m message
		var batch []message
		switch {
		case json.Unmarshal(l.begun, &m) == nil:
			each(m)
		case bytes.HasPrefix(l.begun, []byte{'['}) && json.Unmarshal(l.begun, &batch) == nil:
			for _, m := range batch {
				each(m)
			}
		}
		if l.begun, p = l.begun[:0], rest; cap(l.begun) > largeMessage {
			l.begun = nil
		}
	}
}
