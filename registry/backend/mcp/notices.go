package mcp

//lint:file-ignore SA1019 servers of the revisions before 2026-07-28 log this way

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/redact"
)

const (
	// maxNotice bounds the message of a notice in bytes.
	maxNotice = 4 << 10
	// logTimeout is how long a server may take to agree to log.
	logTimeout = time.Second
)

// notices passes on what a server says unasked: its log and news of its tools
// to everybody, the progress of a call also to whoever called.
type notices struct {
	server string
	hide   *redact.Redactor
	all    func(backend.Notice) // may be nil

	mu     sync.Mutex
	last   int // token
	byCall map[string]progressed
}

// progressed is a call that wants to hear of its progress.
type progressed struct {
	tool string
	tell func(backend.Notice) // may be nil
}

func newNotices(d *dialer) *notices {
	return &notices{server: d.server.Name, hide: d.hide, all: d.opts.Notify, byCall: map[string]progressed{}}
}

// handle makes a client pass its notifications on.
func (n *notices) handle(o *mcp.ClientOptions) {
	o.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { n.progress(r.Params) }
	if n.all == nil {
		return
	}
	o.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) {
		n.all(backend.Notice{Server: n.server, Kind: backend.ToolsChanged})
	}
	o.LoggingMessageHandler = func(_ context.Context, r *mcp.LoggingMessageRequest) {
		n.all(backend.Notice{Server: n.server, Kind: backend.Log, Level: string(r.Params.Level), Message: n.text(r.Params.Data)})
	}
}

// ask makes a call report its progress, if anybody wants to hear of it, until
// done is called.
func (n *notices) ask(ctx context.Context, p *mcp.CallToolParams) (done func()) {
	tell := backend.ProgressFunc(ctx)
	if tell == nil && n.all == nil {
		return func() {}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	token := strconv.Itoa(n.last)
	n.byCall[token] = progressed{p.Name, tell}
	if p.Meta == nil {
		p.Meta = mcp.Meta{}
	}
	p.Meta["progressToken"] = token
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.byCall, token)
	}
}

func (n *notices) progress(p *mcp.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	n.mu.Lock()
	call, ok := n.byCall[token]
	n.mu.Unlock()
	if !ok {
		return // over, or never asked for
	}
	notice := backend.Notice{
		Server: n.server, Kind: backend.Progress, Tool: call.tool,
		Progress: p.Progress, Total: p.Total, Message: n.text(p.Message),
	}
	if call.tell != nil {
		call.tell(notice)
	}
	if n.all != nil {
		n.all(notice)
	}
}

// text returns a log message or its JSON, without secrets, bounded.
func (n *notices) text(data any) string {
	s, ok := data.(string)
	if !ok {
		b, err := json.Marshal(data)
		if err != nil {
			return ""
		}
		s = string(b)
	}
	s = n.hide.Text(s)
	if len(s) > maxNotice {
		s = strings.ToValidUTF8(s[:maxNotice], "") + "…"
	}
	return s
}

// wantLog asks a server that logs to do so: many send nothing before.
func (n *notices) wantLog(ctx context.Context, cs *mcp.ClientSession) {
	r := cs.InitializeResult()
	if n.all == nil || r == nil || r.Capabilities == nil || r.Capabilities.Logging == nil || r.ProtocolVersion > legacyProtocol {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	cs.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"}) // a refusal changes nothing
}
