package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

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
	err := c.mcp.Run(serving, &mcp.IOTransport{
		Reader:        &requests{ReadCloser: in, quick: quick, all: all, gone: serving.Done()},
		Writer:        &answers{WriteCloser: out, quick: quick, all: all},
		MaxLineLength: maxLine,
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
	o.ids[string(m.ID)] = struct{}{}
}

func (o *owed) answer(m message) {
	if m.Method != "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, waits := o.ids[string(m.ID)]; !waits {
		return
	}
	if delete(o.ids, string(m.ID)); len(o.ids) == 0 {
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

// requests is the client's side, whose end waits for what is owed.
type requests struct {
	io.ReadCloser
	quick, all *owed
	gone       <-chan struct{}
	line       lines
}

func (r *requests) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.line.add(p[:n], func(m message) { r.quick.ask(m); r.all.ask(m) })
	if err == io.EOF {
		r.quick.wait(r.gone, owedWait)
	}
	return n, err
}

// answers is this side.
type answers struct {
	io.WriteCloser
	quick, all *owed
	line       lines
}

func (a *answers) Write(p []byte) (int, error) {
	n, err := a.WriteCloser.Write(p)
	a.line.add(p[:n], func(m message) { a.quick.answer(m); a.all.answer(m) })
	return n, err
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
