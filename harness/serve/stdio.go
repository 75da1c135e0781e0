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
	c := s.newSession("stdio", s.opts.Tools, true, nil)
	defer c.end()
	serving, stop := context.WithCancel(context.Background())
	defer stop()
	quick, all := newOwed(quick), newOwed(func(string) bool { return true })
	defer context.AfterFunc(ctx, func() {
		if s.queue.close(max(s.opts.Grace, 0)) == 0 {
			all.wait(serving.Done(), lastWords) // what has ended is on its way
		}
		stop()
		in.Close()
	})()
	answers := &answers{WriteCloser: out, quick: quick, all: all}
	err := c.mcp.Run(serving, &mcp.IOTransport{
		Reader:        &requests{in: bufio.NewReaderSize(in, 64<<10), Closer: in, c: c, answers: answers, quick: quick, all: all, gone: serving.Done()},
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
// asked for, where the end of input would cancel what is being answered; and all
// of them, since a server that ends still answers for the scripts that have.
type owed struct {
	counts func(method string) bool

	mu   sync.Mutex
	ids  map[string]struct{}
	none chan struct{} // closed while ids is empty
}

// owedWait is how long the end of input waits for answers. Nothing but a
// request for a list or the like is waited for, and a list may take listWait.
const owedWait = listWait + 25*time.Second

// lastWords is how long the end of a server waits for answers to be written.
const lastWords = 500 * time.Millisecond

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

func (o *owed) ask(m message) {
	if len(m.ID) == 0 || m.Method == "" || !o.counts(m.Method) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ids) == 0 {
		o.none = make(chan struct{})
	}
	o.ids[m.key()] = struct{}{}
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

// requests is the client's side, line by line. A line that is no message is
// answered with an error and left out, since the SDK would end the connection
// for it. The end waits for what is owed.
type requests struct {
	in *bufio.Reader
	io.Closer
	c          *session
	answers    *answers
	quick, all *owed
	gone       <-chan struct{}
	rest       []byte // of the present line
}

func (r *requests) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.next()
		r.answers.spoken.Store(true)
		switch {
		case errors.Is(err, errLongLine):
			r.answers.refuse(nil, jsonrpc.CodeInvalidRequest, err)
			continue
		case err != nil:
			if err == io.EOF {
				r.quick.wait(r.gone, owedWait)
			}
			return 0, err
		}
		if len(bytes.TrimSpace(line)) > 0 && r.check(line) {
			r.rest = line
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
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

// check reports whether the SDK can take a line, and notes what it asks for.
func (r *requests) check(line []byte) bool {
	if bytes.TrimSpace(line)[0] == '[' && r.batches() {
		return json.Valid(line) // the SDK looks into it, and ignores what it cannot take
	}
	var m message
	known := json.Unmarshal(line, &m) == nil
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		if !known || m.Method != "" || m.Result == nil && m.Error == nil { // no error in answer to an answer
			code := int64(jsonrpc.CodeInvalidRequest)
			if !json.Valid(line) {
				code = jsonrpc.CodeParseError
			}
			r.answers.refuse(m.ID, code, err)
		}
		return false
	}
	r.quick.ask(m)
	r.all.ask(m)
	return true
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
	quick, all *owed
	spoken     atomic.Bool // the client has

	mu   sync.Mutex
	line lines
}

func (a *answers) Write(p []byte) (int, error) {
	if !a.spoken.Load() {
		return len(p), nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.WriteCloser.Write(p)
	a.line.add(p[:n], func(m message) { a.quick.answer(m); a.all.answer(m) })
	return n, err
}

// refuse answers what is no message.
func (a *answers) refuse(id json.RawMessage, code int64, why error) {
	var s string
	var n int64
	if json.Unmarshal(id, &s) != nil && json.Unmarshal(id, &n) != nil || len(id) > 1000 {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": cutText(why.Error(), 300)}})
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
		if json.Unmarshal(l.begun, &m) == nil {
			each(m)
		}
		l.begun, p = l.begun[:0], rest
	}
}
