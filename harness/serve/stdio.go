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
	defer context.AfterFunc(ctx, func() {
		s.queue.close(max(s.opts.Grace, 0))
		stop()
		in.Close()
	})()
	owed := newOwed()
	err := c.mcp.Run(serving, &mcp.IOTransport{Reader: &requests{ReadCloser: in, owed: owed, gone: serving.Done()}, Writer: &answers{WriteCloser: out, owed: owed}, MaxLineLength: maxLine})
	if ctx.Err() != nil || err == nil {
		return nil
	}
	return err
}

// owed are the quick requests of a stdio client that wait for an answer. A
// client that closes its side after its last request still gets what it asked
// for; without this, the end of input would cancel what is being answered.
type owed struct {
	mu   sync.Mutex
	ids  map[string]struct{}
	none chan struct{} // closed while ids is empty
}

// owedWait is how long the end of input waits for answers. Nothing but a
// request for a list or the like is waited for, and a list may take listWait.
const owedWait = listWait + 25*time.Second

func newOwed() *owed {
	o := &owed{ids: map[string]struct{}{}, none: make(chan struct{})}
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

func (o *owed) ask(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 || !quick(m.Method) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ids) == 0 {
		o.none = make(chan struct{})
	}
	o.ids[string(m.ID)] = struct{}{}
}

func (o *owed) answer(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Method != "" {
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

// wait waits until nothing is owed, gone is closed, or owedWait is over.
func (o *owed) wait(gone <-chan struct{}) {
	o.mu.Lock()
	none := o.none
	o.mu.Unlock()
	late := time.NewTimer(owedWait)
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
	owed *owed
	gone <-chan struct{}
	line lines
}

func (r *requests) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.line.add(p[:n], r.owed.ask)
	if err == io.EOF {
		r.owed.wait(r.gone)
	}
	return n, err
}

// answers is this side.
type answers struct {
	io.WriteCloser
	owed *owed
	line lines
}

func (a *answers) Write(p []byte) (int, error) {
	n, err := a.WriteCloser.Write(p)
	a.line.add(p[:n], a.owed.answer)
	return n, err
}

// lines cuts a stream into lines.
type lines struct{ begun []byte }

func (l *lines) add(p []byte, each func(line []byte)) {
	for {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		if len(l.begun)+len(line) <= maxLine {
			l.begun = append(l.begun, line...)
		}
		if !whole {
			return
		}
		each(l.begun)
		l.begun, p = l.begun[:0], rest
	}
}
