package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry/backend"
)

// Calls calls tools of servers that this process has, and, through the nodes that have
// them, of all others. It is a catalog.Caller.
//
// A node asks the caller directly before the first byte of a call with an effect leaves
// it ([backend.Send.Sending] then runs at the caller), and the caller says yes once: a
// request that is delivered twice, or late, is sent once at most. A node that ends before
// it has asked has sent nothing; of one that ends after it nobody knows what it has done
// ([backend.Unknown]). A call that no node can take fails at once, and was not sent.
//
// A server with usetools.session is called for each subject ([backend.WithSubject])
// through the node that called it first. Where that node is gone, the next call fails
// with [backend.ErrDisconnected], as with a server whose process has died, and the one
// after it begins anew at another node. Questions of servers, and tasks, go on at the node
// that the call goes to; a server with several nodes that asks or makes tasks needs
// usetools.session for that.
type Calls struct {
	c       *Cluster
	local   catalog.Caller
	has     func(server string) bool
	effects backend.Gate            // of calls to nodes
	hide    func(secrets ...string) // told what is secret in answers of nodes; nil: nobody is
}

// Calls returns a caller: local calls the servers that this process has. A server with
// usetools.node and usetools.session is one of a node, also where this process is that:
// has returns false for it.
func (c *Cluster) Calls(local catalog.Caller, has func(server string) bool) *Calls {
	return &Calls{c: c, local: local, has: has}
}

// Call calls a tool on a server.
func (s *Calls) Call(ctx context.Context, server, tool string, args json.RawMessage) (*backend.Result, error) {
	if s.has(server) {
		return s.local.Call(ctx, server, tool, args)
	}
	how := backend.SendOf(ctx)
	ended, err := s.effects.Enter(how != nil && how.Effect)
	if err != nil {
		return nil, how.Told(err)
	}
	defer ended()
	if args, err = backend.ArgsObject(args); err != nil {
		return nil, how.Told(fmt.Errorf("calling %q of server %q: %w", tool, server, err))
	}
	raw, err := s.c.call(ctx, &call{kind: callKind, server: server, tool: tool, how: how, args: args,
		hide: s.hide})
	if err != nil {
		return nil, err
	}
	res, err := backend.DecodeResult(raw)
	if err != nil {
		return nil, how.Told(&backend.OutcomeError{Outcome: backend.Unread,
			Err: fmt.Errorf("server %q: calling %q: %w", server, tool, err)})
	}
	return res, nil
}

// Ready makes a server of this process ready to be called; a node does so when it is asked.
func (s *Calls) Ready(ctx context.Context, server string) error {
	if local, ok := s.local.(interface {
		Ready(context.Context, string) error
	}); ok && s.has(server) {
		return local.Ready(ctx, server)
	}
	return nil
}

// connector is a Caller that gives the connection to a server.
type connector interface {
	Connect(ctx context.Context, server string) (backend.Backend, error)
}

// Connect returns the connection to a server of this process, or what reaches that of a
// node. Do not close it.
func (s *Calls) Connect(ctx context.Context, server string) (backend.Backend, error) {
	if !s.has(server) {
		return &away{s, server}, nil
	}
	local, ok := s.local.(connector)
	if !ok {
		return nil, fmt.Errorf("server %q cannot be connected to here", server)
	}
	return local.Connect(ctx, server)
}

// away is a server of a node.
type away struct {
	s      *Calls
	server string
}

func (a *away) List(ctx context.Context) (*backend.Listing, error) {
	raw, err := a.s.c.call(ctx, &call{kind: listKind, server: a.server})
	if err != nil {
		return nil, err
	}
	var l backend.Listing
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, fmt.Errorf("server %q: its tools as its node tells them: %w", a.server, err)
	}
	return &l, nil
}

func (a *away) Call(ctx context.Context, tool string, args json.RawMessage) (*backend.Result, error) {
	return a.s.Call(ctx, a.server, tool, args)
}

func (a *away) Close() error { return nil }

// State returns what is known of the connection to a server of this process.
func (s *Calls) State(server string) backend.State {
	if local, ok := s.local.(interface{ State(string) backend.State }); ok && s.has(server) {
		return local.State(server)
	}
	return backend.State{}
}

// keeper is a Caller that knows since when a server has what a subject's calls did.
type keeper interface {
	Session(ctx context.Context, server string) (keeps bool, since time.Time)
}

// Session reports whether a server keeps state in its process, as far as a node says so,
// and since when it has what the calls of ctx's subject did; the zero time: it has
// nothing of it.
func (s *Calls) Session(ctx context.Context, server string) (keeps bool, since time.Time) {
	if s.has(server) {
		if local, ok := s.local.(keeper); ok {
			return local.Session(ctx, server)
		}
		return false, time.Time{}
	}
	return s.c.session(ctx, server)
}

// Drain lets no more calls begin, and returns when those under way have ended that may
// change something, or ctx has, with an error that says how many have not.
func (s *Calls) Drain(ctx context.Context) error {
	var local error
	if l, ok := s.local.(interface{ Drain(context.Context) error }); ok {
		local = l.Drain(ctx)
	}
	return cmp.Or(s.effects.Drain(ctx), local)
}

// outgoing are the calls of this process that are under way at nodes.
type outgoing struct {
	mu     sync.Mutex
	inbox  string                    // its calls' inboxes are behind it; empty: not yet listened to
	calls  map[string]chan *nats.Msg // by ID
	owners map[sessionKey]string     // nodes, as they said
}

// sessionKey is a server's session of a subject.
type sessionKey struct{ server, subject string }

// listen gives a call its inbox, until closed is called.
func (c *Cluster) listen(id string) (inbox string, in chan *nats.Msg, closed func(), err error) {
	o := &c.outgoing
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.inbox == "" {
		inbox := c.conn.NewInbox()
		if _, err := c.conn.Subscribe(inbox+".*", c.deliver); err != nil {
			return "", nil, nil, err
		}
		o.inbox, o.calls, o.owners = inbox, map[string]chan *nats.Msg{}, map[sessionKey]string{}
	}
	in = make(chan *nats.Msg, 16)
	o.calls[id] = in
	return o.inbox + "." + id, in, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.calls, id)
	}, nil
}

// deliver hands a message to its call. What a call has no room for is sent again.
func (c *Cluster) deliver(m *nats.Msg) {
	o := &c.outgoing
	o.mu.Lock()
	in := o.calls[m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]]
	o.mu.Unlock()
	if in == nil {
		c.respond(m, &message{Kind: overKind})
		return
	}
	select {
	case in <- m:
	default:
	}
}

// respond answers a message, where an answer is wanted. Only inboxes get answers: who
// asks must not choose what else this process publishes to.
func (c *Cluster) respond(to *nats.Msg, m *message) {
	if !strings.HasPrefix(to.Reply, "_INBOX.") {
		return
	}
	if b, err := m.encode(); err == nil {
		c.conn.Publish(to.Reply, b) // an error is met again by who waits for the answer
	}
}

// owner returns the node that has a session, as far as is known; empty: none.
func (c *Cluster) owner(k sessionKey) string {
	c.outgoing.mu.Lock()
	defer c.outgoing.mu.Unlock()
	return c.outgoing.owners[k]
}

// owned notes which node has a session; empty: none.
func (c *Cluster) owned(k sessionKey, node string) {
	c.outgoing.mu.Lock()
	defer c.outgoing.mu.Unlock()
	if node == "" {
		delete(c.outgoing.owners, k)
		return
	}
	if len(c.outgoing.owners) >= maxOwners {
		clear(c.outgoing.owners)
	}
	c.outgoing.owners[k] = node
}

const (
	maxOwners = 10_000 // that are known; the nodes know them all
	maxMoves  = 3      // of one call from node to node
	// maxStrikes is how often in a row, a beat apart, nobody listens where a node was: it
	// may be connecting again.
	maxStrikes = 2
	// lastWords is how long a call that was sent and is called off waits for what came
	// of it: a task is canceled first.
	lastWords = 4 * time.Second
	// askTime is how long a person may think about a server's question.
	askTime = time.Minute
)

// beat is how often a caller asks whether a node is still at its call.
func (c *Cluster) beat() time.Duration { return c.o.AckWait / 10 }

// call is a call under way at a node.
type call struct {
	kind, server, tool string
	how                *backend.Send // nil: nobody is asked
	hide               func(secrets ...string)
	args               json.RawMessage

	c       *Cluster
	id      string
	key     sessionKey
	inbox   string
	request []byte
	node    string // that has taken it; empty: none yet
	to      string // the node that it is sent to; empty: any
	moves   int
	strikes int
	heard   time.Time

	begun    *message // the answer to beginKind; nil: it has not been asked
	beginErr error
	notes    map[int]*message      // answers to laterKind
	asked    map[int]*callQuestion // by number
	answers  chan answer           // of persons
	body     []byte                // of the answer
	parts    int
}

// callQuestion is one of a server, that a person is asked.
type callQuestion struct {
	last   *nats.Msg // that asked it
	answer *message  // nil: not yet
	page   chan struct{}
	done   bool // page is closed
}

// answer is that of a person to question n.
type answer struct {
	n     int
	reply *backend.Reply
}

// call makes a call at a node, and returns the raw result.
func (c *Cluster) call(ctx context.Context, k *call) (raw json.RawMessage, err error) {
	k.c, k.id, k.key = c, strings.ToLower(rand.Text()), sessionKey{k.server, backend.SubjectOf(ctx)}
	k.notes, k.asked, k.answers = map[int]*message{}, map[int]*callQuestion{}, make(chan answer)
	inbox, in, closed, err := c.listen(k.id)
	if err != nil {
		return nil, k.failed(backend.NotSent, err)
	}
	defer closed()
	k.inbox = inbox
	if k.request, err = k.encode(ctx); err != nil {
		return nil, k.failed(backend.NotSent, err)
	}
	if !k.effect() {
		if err := k.how.Begin(ctx); err != nil {
			return nil, k.how.Told(err)
		}
	}
	defer k.how.End()
	k.to = c.owner(k.key)
	k.send()

	ctx, cancel := context.WithCancel(ctx) // of persons who are asked, too
	defer cancel()
	beats := time.NewTicker(c.beat())
	defer beats.Stop()
	ended, last := ctx.Done(), (<-chan time.Time)(nil)
	for {
		var end *message
		select {
		case m := <-in:
			end, err = k.hear(ctx, m)
		case a := <-k.answers:
			k.answered(a)
		case <-beats.C:
			err = k.beat()
		case <-ended:
			k.tell(&message{Kind: cancelKind, ID: k.id})
			if !k.sent() || !k.effect() {
				return nil, k.failed(k.outcome(), ctx.Err())
			}
			ended, last = nil, time.After(lastWords)
		case <-last:
			return nil, k.failed(backend.Unknown, ctx.Err())
		case <-c.ctx.Done():
			return nil, k.failed(k.outcome(), backend.ErrClosed)
		}
		switch {
		case err != nil:
			return nil, err
		case end != nil:
			return k.ended(end)
		}
	}
}

func (k *call) effect() bool { return k.how != nil && k.how.Effect }

// sent reports whether the node may have sent the call.
func (k *call) sent() bool { return !k.effect() || k.begun != nil && k.beginErr == nil }

// outcome is what is known of a call whose node says nothing more.
func (k *call) outcome() backend.Outcome {
	if k.sent() {
		return backend.Unknown
	}
	return backend.NotSent
}

// failed is the error of a call that has none from a node.
func (k *call) failed(o backend.Outcome, err error) error {
	what := fmt.Sprintf("calling %q", k.tool)
	if k.kind == listKind {
		what = "asking for its tools"
	}
	return k.how.Told(&backend.OutcomeError{Outcome: o, Err: fmt.Errorf("server %q: %s: %w", k.server, what, err)})
}

// encode is the request.
func (k *call) encode(ctx context.Context) ([]byte, error) {
	if len(k.args) > maxBody {
		return nil, fmt.Errorf("the arguments have %d bytes, at most %d go to a node", len(k.args), maxBody)
	}
	w := &wireCall{Tool: k.tool, Effect: k.effect(), Expect: backend.Expected(ctx), Shares: backend.Shares(ctx),
		Subject: k.key.subject, Trace: traced(ctx)}
	switch key := backend.TenantOf(ctx); {
	case w.Shares:
		w.Tenant = "s " + w.Subject
	case key != nil:
		w.Tenant = fmt.Sprintf("p %s %p", k.c.id, key)
	}
	if until, ok := ctx.Deadline(); ok {
		w.Left = max(time.Until(until).Milliseconds(), 1)
	}
	if h := k.how; h != nil {
		w.Key, w.Asks, w.Notes = h.Key, h.Ask != nil, h.Later != nil
		if n := h.Continue; n != nil {
			w.Continue = &wireContinue{n.State, n.Task, n.Input}
		}
	}
	m := &message{Kind: k.kind, ID: k.id, Call: w, data: partOf(k.args, 0)}
	m.inParts(k.args)
	return m.encode()
}

// send sends the request, to the node that is known to have the session.
func (k *call) send() {
	k.heard = time.Now()
	subject := callSubject(k.server)
	if k.to != "" {
		subject = nodeSubject(k.server, k.to)
	}
	k.c.conn.PublishRequest(subject, k.inbox, k.request) // what is lost is sent again
}

// tell says something to the node that has taken the call.
func (k *call) tell(m *message) {
	if k.node == "" {
		return
	}
	if b, err := m.encode(); err == nil {
		k.c.conn.PublishRequest(nodeSubject(k.server, k.node), k.inbox, b)
	}
}

// beat asks the node whether it is still there; a request that nobody has taken is sent
// again.
func (k *call) beat() error {
	switch silent := time.Since(k.heard); {
	case silent > k.c.o.AckWait && k.node == "":
		return k.failed(k.outcome(), fmt.Errorf("no node has taken the call within %v", k.c.o.AckWait))
	case silent > k.c.o.AckWait:
		return k.lost(fmt.Sprintf("its node has said nothing for %v", k.c.o.AckWait))
	case k.node == "":
		heard := k.heard
		k.send()
		k.heard = heard
	default:
		k.tell(&message{Kind: aliveKind, ID: k.id})
	}
	return nil
}

// lost is the error of a call whose node is gone.
func (k *call) lost(why string) error {
	k.c.owned(k.key, "")
	return k.failed(k.outcome(), fmt.Errorf("%w: %s", backend.ErrDisconnected, why))
}

// hear takes a message to the call; end is the last one of its node.
func (k *call) hear(ctx context.Context, in *nats.Msg) (end *message, err error) {
	if len(in.Data) == 0 && in.Header.Get("Status") == "503" {
		return nil, k.nobody()
	}
	m, err := decodeMessage(in.Data)
	if err != nil {
		return nil, k.failed(k.outcome(), fmt.Errorf("its node sends %w", err))
	}
	switch {
	case m.Kind == elsewhereKind && k.node == "":
		if k.moves++; k.moves > maxMoves || m.Node == "" {
			return nil, k.failed(backend.NotSent, errors.New("no node says that it has the session"))
		}
		k.to, k.strikes = m.Node, 0
		k.c.owned(k.key, m.Node)
		k.send()
		return nil, nil
	case m.Kind == refusedKind && k.node == "" && m.Error != nil:
		return nil, k.failed(backend.NotSent, errors.New(m.Error.Text))
	case k.node == "":
		k.node = m.Node
	case m.Node != k.node: // of another one that has got the request, too
		k.c.respond(in, &message{Kind: overKind, ID: k.id})
		return nil, nil
	}
	k.heard, k.strikes = time.Now(), 0
	answer := &message{Kind: m.Kind, ID: k.id, N: m.N}
	switch m.Kind {
	case takenKind:
		if m.Session != nil && m.Session.Keeps {
			k.c.owned(k.key, m.Node)
		}
		return nil, nil
	case aliveKind:
		return nil, nil
	case overKind:
		return nil, k.lost("its node does not know of it any more")
	case argsKind:
		answer.data = partOf(k.args, m.N)
	case beginKind:
		answer = k.begins(ctx)
	case laterKind:
		answer = k.later(m)
	case askKind:
		return nil, k.ask(ctx, in, m)
	case pageKind:
		if q := k.asked[m.N]; q != nil && !q.done {
			q.done = true
			close(q.page)
		}
	case partKind:
		if m.N > k.parts {
			return nil, nil // of another order: the one before comes again
		}
		if err := k.takes(m); err != nil {
			return nil, err
		}
	case endKind:
		if m.Error == nil {
			if err := k.takes(&message{N: k.parts, data: m.data}); err != nil {
				return nil, err
			}
		}
		end = m
	default:
		return nil, nil
	}
	k.c.respond(in, answer)
	return end, nil
}

// nobody is told that nobody listens where a message of the call went to.
func (k *call) nobody() error {
	k.strikes++
	switch {
	case k.node == "" && k.to == "":
		return k.failed(backend.NotSent, errors.New("no node of the cluster has the server now"))
	case k.strikes < maxStrikes:
		return nil
	}
	return k.lost("the node that had it is gone, with what the server kept for its callers")
}

// takes adds a part to the answer, unless it has come before.
func (k *call) takes(m *message) error {
	switch {
	case m.N < k.parts:
		return nil
	case len(k.body)+len(m.data) > maxBody:
		return k.failed(backend.Unread, fmt.Errorf("its answer has more than %d bytes", maxBody))
	}
	k.parts++
	if k.body == nil {
		k.body = m.data
		return nil
	}
	k.body = append(k.body, m.data...)
	return nil
}

// begins says whether the first byte of the call may leave, which the caller is asked
// once.
func (k *call) begins(ctx context.Context) *message {
	if k.begun == nil {
		k.begun = &message{Kind: beginKind, ID: k.id}
		if k.beginErr = k.how.Begin(ctx); k.beginErr != nil {
			k.begun.Error = errorOnWire(k.beginErr, backend.NotSent)
		}
	}
	return k.begun
}

// later notes once what the server says of how the call goes on.
func (k *call) later(m *message) *message {
	if a := k.notes[m.N]; a != nil {
		return a
	}
	a := &message{Kind: laterKind, ID: k.id, N: m.N}
	switch l := m.Later; {
	case k.how == nil || k.how.Later == nil:
	case l == nil || len(l.State) > backend.MaxQuestion || len(l.Task) > backend.MaxTaskID ||
		len(k.notes) > 2*backend.MaxQuestions:
		a.Error = &wireError{Text: "that cannot be noted"}
	default:
		if err := k.how.Later(l.State, l.Task); err != nil {
			a.Error = errorOnWire(err, backend.Unknown)
		}
	}
	k.notes[m.N] = a
	return a
}

// ask asks the person behind the call, once. The node gets the answer for the last
// message in which it asked.
func (k *call) ask(ctx context.Context, in *nats.Msg, m *message) error {
	if q := k.asked[m.N]; q != nil {
		if q.last = in; q.answer != nil {
			k.c.respond(in, q.answer)
		}
		return nil
	}
	w := m.Question
	if k.how == nil || k.how.Ask == nil || w == nil || len(k.asked) >= backend.MaxQuestions ||
		len(w.Schema) > backend.MaxQuestion {
		k.c.respond(in, &message{Kind: askKind, ID: k.id, N: m.N, Reply: &backend.Reply{Action: backend.Cancel}})
		return nil
	}
	asks := &backend.Question{Key: w.Key, Mode: w.Mode, Message: w.Message, URL: w.URL, Schema: w.Schema}
	q := &callQuestion{last: in, page: make(chan struct{})}
	if w.Page {
		asks.Done = q.page
	}
	k.asked[m.N] = q
	go func() {
		asking, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		r, err := k.how.Ask(asking, asks)
		if _, bad := backend.Answers(map[string]*backend.Reply{"": r}); err != nil || bad != nil {
			r = &backend.Reply{Action: backend.Cancel}
		}
		select {
		case k.answers <- answer{m.N, r}:
		case <-ctx.Done():
		}
	}()
	return nil
}

// answered tells the node what a person has answered.
func (k *call) answered(a answer) {
	q := k.asked[a.n]
	q.answer = &message{Kind: askKind, ID: k.id, N: a.n, Reply: a.reply}
	k.c.respond(q.last, q.answer)
}

// ended is what the node says in the end.
func (k *call) ended(end *message) (json.RawMessage, error) {
	switch {
	case k.beginErr != nil:
		return nil, k.how.Told(k.beginErr)
	case end.Error != nil:
		return nil, end.Error.error(k.server, k.tool)
	}
	if err := end.whole(k.body); err != nil {
		return nil, k.failed(backend.Unread, fmt.Errorf("its answer has not come whole: %w", err))
	}
	if k.hide != nil { // before anybody has the answer
		k.hide(end.Hide...)
	}
	return slices.Clip(k.body), nil
}

// session asks the nodes of a server for its session; see Calls.Session.
func (c *Cluster) session(ctx context.Context, server string) (keeps bool, since time.Time) {
	ctx, cancel := context.WithTimeout(ctx, c.o.AckWait)
	defer cancel()
	ask := &message{Kind: sessionKind, ID: strings.ToLower(rand.Text()), Call: &wireCall{Subject: backend.SubjectOf(ctx)}}
	for to := callSubject(server); ; {
		m, err := c.insist(ctx, to, ask)
		switch {
		case err != nil:
			return keeps, time.Time{}
		case m.Kind == elsewhereKind && !keeps:
			keeps, to = true, nodeSubject(server, m.Node)
			continue
		case m.Session == nil:
			return keeps, time.Time{}
		case m.Session.Age >= 0:
			since = time.Now().Add(-time.Duration(m.Session.Age) * time.Millisecond)
		}
		return m.Session.Keeps, since
	}
}

// errGone says that nobody listens at a subject.
var errGone = errors.New("nobody is there")

// insist sends a message until it is answered, or ctx ends. errGone: nobody listens, which
// was looked at twice.
func (c *Cluster) insist(ctx context.Context, subject string, m *message) (*message, error) {
	b, err := m.encode()
	if err != nil {
		return nil, err
	}
	for strikes := 0; ; {
		try, cancel := context.WithTimeout(ctx, each)
		in, err := c.conn.RequestWithContext(try, subject, b)
		cancel()
		switch {
		case err == nil:
			return decodeMessage(in.Data)
		case errors.Is(err, nats.ErrNoResponders):
			if strikes++; strikes == maxStrikes {
				return nil, errGone
			}
		case !lostRequest(err):
			return nil, err
		}
		if err := pause(ctx, c.beat()/4); err != nil {
			return nil, err
		}
	}
}

// pause waits, at most until the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
