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

// defaultMaxMessage bounds a message from a server, in bytes, if its definition does not. A
// longer message makes its call fail.
const defaultMaxMessage = 64 << 20

// Options configure a connection.
type Options struct {
	// Log gets the server's stderr, and the lines on stdout that are not messages. If nil, only
	// the ends of both are kept, for errors.
	Log io.Writer
	// ToolsChanged is called when the server reports that its list of tools has changed, one call
	// at a time. It must not take long. It may be nil.
	ToolsChanged func(server string)
	// Tokens is the folder for tokens of OAuth sign-ins. If empty, it is in the user's config
	// folder.
	Tokens string
	// Verdicts remembers, between connections, which handshake a server supports. If nil, each
	// connection finds out.
	Verdicts *Verdicts
	// Asks declares to servers that the people behind calls can be asked, by forms and URLs (the
	// elicitation capability). Some servers then ask about things that they otherwise just do.
	// [backend.Send] has the person to ask.
	Asks bool
}

// errStartDeadline is the cause of a context with an expired start-up deadline.
var errStartDeadline = errors.New("start-up deadline")

// Open starts or reaches the server and shakes hands, within s.StartTimeout. A process first
// waits until it may start, see Starting; its time begins then. The connection outlives ctx.
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
		o.Verdicts.set(s.Name, "") // the next attempt tries all handshakes
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
	// signedIn sends the tokens of a server with OAuth. It is nil for other servers.
	signedIn *signedIn
	// place is the process's turn to start. It is nil for other servers.
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

// dialStdio starts the server and uses the older handshake, or the newer one if the server
// refuses that.
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

// handshake shakes hands with a process. If more is true, a server that does not answer the newer
// handshake leaves time for the older one.
func (d *dialer) handshake(ctx context.Context, p *process, protocol string, more bool) (*session, error) {
	if protocol != legacyProtocol && more {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.server.StartTimeout/3)
		defer cancel()
	}
	return d.connect(ctx, p, p.captures, protocol)
}

// refused reports whether the server answered the handshake with an error.
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

	// The SDK's SSE stream ends with the context that opened it.
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

// version returns the program's version in a handshake.
var version = sync.OnceValue(func() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
})

// explainStart turns a failed handshake with a process into an error that describes what the
// process did.
func (d *dialer) explainStart(ctx context.Context, err error, p *process) error {
	died := ctx.Err() == nil && !refused(err) && p.died()
	words := p.lastWords(d.hide) // if it died, only now is stderr complete
	switch {
	case errors.Is(context.Cause(ctx), errStartDeadline):
		return &textError{fmt.Sprintf("no answer to the handshake within %v; raise usetools.startTimeout in its config entry "+
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

// textError is an error with a complete text; its cause is for errors.Is.
type textError struct {
	text  string
	cause error
}

func (e *textError) Error() string { return e.text }
func (e *textError) Unwrap() error { return e.cause }
