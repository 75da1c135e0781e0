package observe

//lint:file-ignore SA1019 clients of all revisions but the newest learn what a script prints by logging

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Notifier sends a client progress, if it asked for that, and printed lines and failed
// calls as log messages. It drops those that the client is too slow to take.
type Notifier struct {
	ctx     context.Context
	req     *mcp.CallToolRequest
	token   any
	queue   chan func()
	sending sync.WaitGroup

	mu      sync.Mutex
	printed []byte // a line that has not ended yet
	sent    int
	shut    bool
}

// Limits of the notifications of one run.
const (
	maxNotes     = 500
	maxNoteLine  = 1000 // bytes
	notifyBuffer = 64
	// notifyTail is how long an answer waits until the last notifications are written. The
	// rest is dropped: the machine is very busy, or the client is slow to take the answer too.
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

// progress notifies the client of a call that begins, if it asked for progress, and of a
// call that failed.
func (n *Notifier) progress(p record.Progress) {
	c := p.Call
	if n == nil || c == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case p.Done == nil && n.token != nil:
		n.send(func() {
			n.req.Session.NotifyProgress(n.ctx, &mcp.ProgressNotificationParams{
				ProgressToken: n.token, Progress: float64(c.N), Message: fmt.Sprintf("call %d: %s", c.N, c.Tool),
			})
		})
	case p.Done != nil && p.Done.Message != "":
		n.log("warning", c.Tool+": "+p.Done.Message)
	}
}

// log queues a log message. The caller holds the lock.
func (n *Notifier) log(level mcp.LoggingLevel, line string) {
	n.send(func() {
		n.req.Session.Log(n.ctx, &mcp.LoggingMessageParams{Level: level, Logger: "script",
			Data: text.FirstBytes(line, maxNoteLine)})
	})
}

// Write takes output of the script, and logs it line by line.
func (n *Notifier) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.sent >= maxNotes {
		return len(p), nil
	}
	n.printed = append(n.printed, p...)
	for {
		line, rest, ended := bytes.Cut(n.printed, []byte{'\n'})
		if !ended && len(line) < maxNoteLine {
			return len(p), nil
		}
		n.log("info", strings.ToValidUTF8(string(line[:min(len(line), maxNoteLine)]), "\uFFFD"))
		n.printed = rest
	}
}
