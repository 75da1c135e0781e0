package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/usetools/usetools/registry/text"
)

const (
	// MaxLine bounds one message on stdio, in bytes.
	MaxLine = 16 << 20
	// owedWait is how long the server waits after the end of input for answers to requests other
	// than calls of tools. The first list of tools takes some seconds.
	owedWait = 30 * time.Second
)

// Stdio serves one client over a pair of streams until the client closes in or ctx ends. If the
// client leaves, its running scripts are canceled. If ctx ends, ending waits for them and reports
// whether all have ended; their answers are still written. handled receives the size of each
// message of the client.
func Stdio(ctx context.Context, server *mcp.Server, in io.ReadCloser, out io.WriteCloser, ending func() bool,
	handled func(bytes int)) error {
	serving, stop := context.WithCancel(context.Background())
	defer stop()
	conn := &stdioConn{serving: serving, handled: handled, out: &lockedWriter{WriteCloser: out},
		open: map[jsonrpc.ID]string{}, answered: make(chan struct{})}
	conn.in = stdioLines{conn: conn, Closer: in, in: bufio.NewReaderSize(in, 64<<10)}
	defer context.AfterFunc(ctx, func() {
		if ending() {
			conn.wait(LastWords, func(method string) bool { return method != MethodListen })
		}
		stop()
		in.Close()
	})()
	err := server.Run(serving, conn)
	if ctx.Err() != nil || err == nil {
		return nil
	}
	return err
}

// stdioConn is the SDK's transport with two differences. An invalid line does not end the session.
// A client that closes its side after its last request still gets the answers, except those of tool
// calls, which are canceled.
type stdioConn struct {
	mcp.Connection
	serving context.Context
	handled func(bytes int)
	in      stdioLines
	out     *lockedWriter
	spoken  atomic.Bool // the client has sent something

	mu       sync.Mutex
	open     map[jsonrpc.ID]string // methods of requests without an answer
	answered chan struct{}         // closed and replaced with each answer
}

// Connect implements mcp.Transport.
func (c *stdioConn) Connect(ctx context.Context) (mcp.Connection, error) {
	var err error
	c.Connection, err = (&mcp.IOTransport{Reader: &c.in, Writer: c.out, MaxLineLength: -1}).Connect(ctx)
	return c, err
}

// Write sends a message. It drops messages before the client has sent something, because the client
// does not expect a notification yet.
func (c *stdioConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if !c.spoken.Load() {
		return nil
	}
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, r.ID)
		close(c.answered)
		c.answered = make(chan struct{})
	}
	return err
}

// wait waits until all requests whose methods count are answered, or limit has passed.
func (c *stdioConn) wait(limit time.Duration, counts func(method string) bool) {
	ctx, cancel := context.WithTimeout(c.serving, limit)
	defer cancel()
	for {
		owed := false
		c.mu.Lock()
		for _, method := range c.open {
			owed = owed || counts(method)
		}
		answered := c.answered
		c.mu.Unlock()
		if !owed {
			return
		}
		select {
		case <-answered:
		case <-ctx.Done():
			return
		}
	}
}

// stdioLines reads the client's lines that are messages. It answers the others with an error.
type stdioLines struct {
	io.Closer
	conn *stdioConn
	in   *bufio.Reader
	rest []byte // of the current line
}

// Read implements io.Reader. It returns io.EOF when all answers are written.
func (r *stdioLines) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.next()
		r.conn.handled(len(line))
		r.conn.spoken.Store(true)
		switch {
		case errors.Is(err, errLongLine):
			r.refuse(nil, err)
		case err == io.EOF:
			r.conn.wait(owedWait, func(method string) bool { return method != methodCall && method != MethodListen })
			return 0, err
		case err != nil:
			return 0, err
		default:
			if line = bytes.TrimSpace(line); len(line) > 0 {
				r.rest = r.accept(line)
			}
		}
	}
	n := copy(p, r.rest)
	if r.rest = r.rest[n:]; len(r.rest) == 0 {
		r.rest = nil // to free the line
	}
	return n, nil
}

var errLongLine = fmt.Errorf("a message has at most %d bytes", MaxLine)

// next reads a line with its end, also if the input ends without one.
func (r *stdioLines) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > MaxLine; long {
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

// accept returns the messages of a line for the SDK, and notes the requests in it. The SDK answers
// a batch once each of its messages is answered, so messages of a batch that have no answer become
// lines of their own.
func (r *stdioLines) accept(line []byte) []byte {
	messages := []json.RawMessage{line}
	batch := line[0] == '[' && json.Unmarshal(line, &messages) == nil
	if batch && len(messages) == 0 {
		return r.refuse(line, errors.New("the batch is empty"))
	}
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	var out []byte
	var calls [][]byte
	open := maps.Clone(r.conn.open)
	for _, raw := range messages {
		m, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			return r.refuse(raw, err)
		}
		req, ok := m.(*jsonrpc.Request)
		if !ok || !req.IsCall() {
			out = append(append(out, raw...), '\n')
			continue
		}
		if _, twice := open[req.ID]; twice && batch { // it would end the session
			return r.refuse(nil, fmt.Errorf("another unanswered request has the ID %v", req.ID.Raw()))
		}
		open[req.ID] = req.Method
		calls = append(calls, raw)
	}
	r.conn.open = open
	switch {
	case !batch && len(calls) > 0:
		out = append(out, line...)
	case len(calls) > 0: // unchanged, because encoding them again may make them longer
		out = append(append(append(out, '['), bytes.Join(calls, []byte{','})...), ']')
	}
	return append(out, '\n')
}

// refuse answers an invalid message with an error, unless it is an answer itself.
func (r *stdioLines) refuse(raw []byte, why error) []byte {
	var m struct {
		ID, Result, Error json.RawMessage
		Method            string
	}
	code := int64(jsonrpc.CodeInvalidRequest)
	switch err := json.Unmarshal(raw, &m); {
	case raw != nil && !json.Valid(raw):
		code = jsonrpc.CodeParseError
	case err == nil && m.Method == "" && (m.Result != nil || m.Error != nil):
		return nil
	}
	var s string
	var n int64
	if json.Unmarshal(m.ID, &s) != nil && json.Unmarshal(m.ID, &n) != nil || len(m.ID) > 1000 {
		m.ID = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID,
		"error": map[string]any{"code": code, "message": text.Cut(why.Error(), 300)}})
	if err == nil {
		r.conn.out.Write(append(b, '\n')) // reading detects a client that is gone
	}
	return nil
}

// lockedWriter writes complete lines of the SDK and of refuse.
type lockedWriter struct {
	io.WriteCloser
	mu sync.Mutex
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}
