package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
)

// legacyProtocol is the newest revision with the initialize handshake.
const legacyProtocol = "2025-11-25"

// defaultMaxMessage bounds one message from a server, in bytes, where its
// definition does not. A longer one costs its call.
const defaultMaxMessage = 64 << 20

// Options configure a connection.
type Options struct {
	// Log gets what the server writes to stderr, and the lines on stdout that
	// are no messages. nil: only their ends are kept, for errors.
	Log io.Writer
	// ToolsChanged is called when the server says that its list of tools has
	// changed, one call at a time; nil: nobody is told. It must not take long.
	ToolsChanged func(server string)
	// Tokens is the folder where the tokens of OAuth sign-ins are kept; empty
	// means DefaultTokens.
	Tokens string
	// Verdicts remembers, between connections, which handshake a server wants;
	// nil: it is found out each time.
	Verdicts *Verdicts
	// Asks declares to servers that the persons behind calls can be asked, by
	// forms and URLs (the elicitation capability). Some servers ask only then what
	// they do without otherwise. Who is asked, [backend.Send] says.
	Asks bool
}

// errStartDeadline is the cause of a context whose start-up time is over.
var errStartDeadline = errors.New("start-up deadline")

// Open starts or reaches the server and shakes hands, within s.StartTimeout. A
// process waits first until it may start, see Starting; its time begins then.
// The context is for that only; the connection outlives it.
func Open(ctx context.Context, s config.Server, opts *Options) (backend.Backend, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if s.MaxMessage <= 0 {
		s.MaxMessage = defaultMaxMessage
	}
	if s.StartTimeout <= 0 {
		s.StartTimeout = config.DefaultStartTimeout
	}
	if s.CallTimeout <= 0 {
		s.CallTimeout = config.DefaultCallTimeout
	}
	d := &dialer{server: s, opts: o, hide: s.Redactor()}
	d.signedIn = d.newSignedIn()
	if s.Type == config.Stdio {
		var err error
		if d.place, err = starting.enter(ctx, s.Name); err != nil {
			return nil, fmt.Errorf("server %q: waiting until it may start: %w", s.Name, err)
		}
		defer d.place.leave()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.StartTimeout, errStartDeadline)
	defer cancel()
	b, err := d.dial(ctx)
	if err != nil {
		o.Verdicts.set(s.Name, "") // the next attempt begins anew
		return nil, fmt.Errorf("server %q: %w", s.Name, err)
	}
	o.Verdicts.Learn(b.info())
	return b, nil
}

// dialer makes one connection.
type dialer struct {
	server config.Server
	opts   Options
	hide   *redact.Redactor
	// signedIn sends the tokens of a server that wants OAuth; nil: it does not.
	signedIn *signedIn
	// place is the server's turn to start; nil: it is no process.
	place *place
}

func (d *dialer) dial(ctx context.Context) (*session, error) {
	switch d.server.Type {
	case config.Stdio:
		return d.dialStdio(ctx)
	case config.HTTP:
		return d.dialHTTP(ctx)
	case config.SSE:
		return d.dialSSE(ctx)
	}
	return nil, fmt.Errorf("type %q is not MCP, want stdio, http or sse", d.server.Type)
}

// dialStdio starts the server and shakes hands the older way, or the newer
// way where the server says no to that.
func (d *dialer) dialStdio(ctx context.Context) (*session, error) {
	protocols := []string{legacyProtocol, ""}
	switch {
	case d.server.Protocol == "legacy":
		protocols = protocols[:1]
	case d.server.Protocol == "modern":
		protocols = protocols[1:]
	case d.opts.Verdicts.of(d.server.Name) == speaksModern:
		slices.Reverse(protocols)
	}
	var first error
	for i, protocol := range protocols {
		p, err := startProcess(d.server, d.opts)
		if err != nil {
			return nil, err
		}
		d.place.start()
		s, err := d.handshake(ctx, p, protocol, i < len(protocols)-1)
		if err == nil {
			s.process = p
			p.established.Store(true)
			return s, nil
		}
		if first == nil {
			first = d.explainStart(ctx, err, p)
		}
		p.Close()
		if !refused(err) && protocol == legacyProtocol || ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// handshake shakes hands with a process. A server that does not answer the
// newer question leaves time for the older one, if that is to follow.
func (d *dialer) handshake(ctx context.Context, p *process, protocol string, more bool) (*session, error) {
	if protocol != legacyProtocol && more {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.server.StartTimeout/3)
		defer cancel()
	}
	return d.connect(ctx, p, p.captures, protocol)
}

// refused reports whether the server answered the handshake with a no.
func refused(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && !ownCode(e)
}

// connect shakes hands over a transport. ctx limits the handshake only.
func (d *dialer) connect(ctx context.Context, t mcp.Transport, caps *captures, protocol string) (
	*session, error) {
	asked := caps.asked
	o := &mcp.ClientOptions{
		Logger:         slog.New(slog.DiscardHandler),
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}
	if asked.relayed {
		o.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{},
			URL: &mcp.URLElicitationCapabilities{}}
		o.ElicitationCompleteHandler = func(_ context.Context, r *mcp.ElicitationCompleteNotificationRequest) {
			asked.completed(r.Params.ElicitationID)
		}
	}
	if tell := d.opts.ToolsChanged; tell != nil {
		o.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { tell(d.server.Name) }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "usetools", Version: version()}, o)
	if err := addSkills(client); err != nil {
		return nil, err
	}
	if asked.relayed {
		client.AddReceivingMiddleware(asked.relay(d.hide))
	}

	// The SDK's SSE stream lives as long as the context it was opened with.
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	cs, err := client.Connect(base, t, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err == nil && !stop() {
		cs.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	s := &session{dialer: d, cs: cs, captures: caps, base: base, cancel: cancel, done: make(chan struct{})}
	go func() {
		cs.Wait()
		close(s.done)
	}()
	return s, nil
}

// version is what this program calls itself in a handshake.
var version = sync.OnceValue(func() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
})

// explainStart turns a failed handshake with a process into an error that
// says what the process did.
func (d *dialer) explainStart(ctx context.Context, err error, p *process) error {
	died := ctx.Err() == nil && !refused(err) && p.died()
	words := p.lastWords(d.hide) // after it died: then stderr is complete
	switch {
	case errors.Is(context.Cause(ctx), errStartDeadline):
		return &said{fmt.Sprintf("no answer to the handshake within %v; raise usetools.startTimeout in its config entry "+
			"if it needs longer%s",
			d.server.StartTimeout, words), context.DeadlineExceeded}
	case ctx.Err() != nil:
		return ctx.Err()
	case refused(err):
		return fmt.Errorf("refused the handshake: %s%s", d.hide.Err(err), words)
	case died:
		return fmt.Errorf("exited at start (%s); to see why, run it by hand: %s%s", p.exitStatus(), d.server.ByHand(), words)
	}
	return fmt.Errorf("handshake failed: %s%s", d.hide.Text(err.Error()), words)
}

// said is an error that says all there is to say; its cause is for errors.Is.
type said struct {
	text  string
	cause error
}

func (e *said) Error() string { return e.text }
func (e *said) Unwrap() error { return e.cause }
