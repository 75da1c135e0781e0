package observe

//lint:file-ignore SA1019 clients of all revisions but the newest learn what a script prints by logging

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/record"
)

// Notifier tells a client how its script gets on: progress where it asked for
// that, printed lines and failed calls as log messages. What a client is too
// slow to take is dropped.
type Notifier struct {
	ctx     context.Context
	req     *mcp.CallToolRequest
	token   any
	queue   chan func()
	sending sync.WaitGroup

	mu   sync.Mutex
	line []byte
	sent int
	shut bool
}

// Bounds of what one run tells.
const (
	maxNotes     = 500
	maxNoteLine  = 1000 // bytes
	notifyBuffer = 64
	// notifyTail is how long an answer waits until the last notifications are
	// written: what is not by then is lost. It takes that long only on a machine
	// that is very busy, or where the client is slow to take the answer too.
	notifyTail = 2 * time.Second
)

// NewNotifier notifies the client of a request until Close.
func NewNotifier(ctx context.Context, req *mcp.CallToolRequest, m *Metrics) *Notifier {
	n := &Notifier{ctx: ctx, req: req, token: req.Params.GetProgressToken(), queue: make(chan func(), notifyBuffer)}
	n.sending.Go(func() {
		for f := range n.queue {
			func() {
				var err error
				defer m.Recovered("a notification", &err)
				f()
			}()
		}
	})
	return n
}

// send queues a notification. The caller holds the lock.
func (n *Notifier) send(f func()) {
	if n.shut || n.sent >= maxNotes {
		return
	}
	select {
	case n.queue <- f:
		n.sent++
	default:
	}
}

// Close ends the notifications, and waits for the last ones, within bounds.
func (n *Notifier) Close() {
	n.mu.Lock()
	if !n.shut {
		n.shut = true
		close(n.queue)
	}
	n.mu.Unlock()
	done := make(chan struct{})
	go func() { n.sending.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(notifyTail):
	}
}

// begins tells of a call that begins.
func (n *Notifier) begins(c *record.Call) {
	if n == nil || n.token == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.send(func() {
		n.req.Session.NotifyProgress(n.ctx, &mcp.ProgressNotificationParams{
			ProgressToken: n.token, Progress: float64(c.N), Message: fmt.Sprintf("call %d: %s", c.N, c.Tool),
		})
	})
}

// ended tells of a call that has failed.
func (n *Notifier) ended(c *record.Call, d *record.Done) {
	if n != nil && d.Message != "" {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.log("warning", c.Tool+": "+d.Message)
	}
}

// log queues a log message. The caller holds the lock.
func (n *Notifier) log(level mcp.LoggingLevel, text string) {
	n.send(func() {
		n.req.Session.Log(n.ctx, &mcp.LoggingMessageParams{Level: level, Logger: "script",
			Data: text[:min(len(text), maxNoteLine)]})
	})
}

// Write takes what the script prints, and logs it line by line.
func (n *Notifier) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.sent >= maxNotes {
		return len(p), nil
	}
	rest := append(n.line, p...)
	for {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 && len(rest) < maxNoteLine {
			break
		}
		if i < 0 {
			i = len(rest) - 1
		}
		line := strings.ToValidUTF8(strings.TrimRight(string(rest[:min(i+1, maxNoteLine)]), "\n"), "\uFFFD")
		n.log("info", line)
		rest = rest[i+1:]
		if n.sent >= maxNotes {
			rest = nil
			break
		}
	}
	n.line = append([]byte(nil), rest...)
	return len(p), nil
}

var _ io.Writer = (*Notifier)(nil)
