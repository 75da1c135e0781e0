package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/propagation"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
)

// maxServed is how many calls a node serves at a time, those that wait for a place at
// their server included.
const maxServed = 4096

// sessionIdle is how long a node has a session that nobody uses.
const sessionIdle = 30 * time.Minute

// node serves calls of other processes.
type node struct {
	c      *Cluster
	id     string // nobody else ever has it
	local  catalog.Caller
	hides  map[string]*redact.Redactor // secrets of its servers
	ctx    context.Context             // ends when no more calls are taken
	cancel context.CancelFunc
	work   sync.WaitGroup

	subscribed []*nats.Subscription

	mu      sync.Mutex
	ended   bool
	served  map[string]*served // by ID
	claims  map[sessionKey]*claim
	claimed sync.Mutex // one claim is made at a time
}

// served is a call that is under way here.
type served struct {
	server *config.Server
	m      *message // the request
	inbox  string   // of the call
	cancel context.CancelFunc
	args   []byte

	mu    sync.Mutex
	heard time.Time // from the caller
	begun bool      // the caller has let it go
	n     int       // of the last message with a number
}

// claim is a session that this node has.
type claim struct {
	seq   uint64    // of its message
	since time.Time // the claim
	used  time.Time
}

// ServeCalls takes calls of other processes to servers of this one, which local calls,
// until ctx ends and those under way have ended. Those that have not been sent by then
// are not; those that may change something go on until local or c is closed.
//
// It believes callers that a call of a tool only reads, unless the server's entry says
// otherwise, and calls no tool that the entry leaves out by name. Who may publish to the server's subject may call it.
func (c *Cluster) ServeCalls(ctx context.Context, local catalog.Caller, servers []config.Server) error {
	n, err := c.newNode(local, servers)
	if err != nil {
		return err
	}
	n.serveUntil(ctx)
	return nil
}

// newNode takes calls from now on; see ServeCalls. Call serveUntil.
func (c *Cluster) newNode(local catalog.Caller, servers []config.Server) (*node, error) {
	n := &node{c: c, id: strings.ToLower(rand.Text()), local: local, served: map[string]*served{},
		hides:  map[string]*redact.Redactor{},
		claims: map[sessionKey]*claim{}}
	n.ctx, n.cancel = context.WithCancel(c.ctx)
	for i := range servers {
		server := &servers[i]
		n.hides[server.Name] = server.Redactor()
		take := func(m *nats.Msg) { n.take(server, m) }
		own, err := c.conn.Subscribe(nodeSubject(server.Name, n.id), take)
		if err == nil {
			n.subscribed = append(n.subscribed, own)
			var shared *nats.Subscription
			shared, err = c.conn.QueueSubscribe(callSubject(server.Name), "nodes", take)
			n.subscribed = append(n.subscribed, shared)
		}
		if err != nil {
			n.end()
			return nil, fmt.Errorf("taking calls to server %q: %w", server.Name, err)
		}
	}
	return n, nil
}

// serveUntil serves calls until ctx ends and those under way have ended.
func (n *node) serveUntil(ctx context.Context) {
	defer n.work.Wait()
	defer n.end()
	if leave, err := n.c.announce(func(p *Process) { p.Node = true }); err == nil {
		defer leave()
	} else if n.c.ctx.Err() == nil {
		n.c.log.Warn("others cannot see that this process is alive", "error", err)
	}
	beats := time.NewTicker(n.c.o.AckWait / 4)
	defer beats.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.ctx.Done():
			return
		case <-beats.C:
			n.forget()
			n.keepClaims(n.ctx)
		}
	}
}

// end takes no more calls, and calls off those that have not been sent.
func (n *node) end() {
	for _, s := range n.subscribed {
		s.Unsubscribe() // where the connection is closed, there is none
	}
	n.cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	for _, s := range n.served {
		s.callOff()
	}
}

// callOff ends a call, unless it was sent and may change something.
func (s *served) callOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.cancel()
	}
}

// forget calls off calls whose callers say nothing any more.
func (n *node) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.served {
		s.mu.Lock()
		silent := time.Since(s.heard) > n.c.o.AckWait
		s.mu.Unlock()
		if silent {
			s.callOff()
		}
	}
}

// take takes a message to a server.
func (n *node) take(server *config.Server, in *nats.Msg) {
	m, err := decodeMessage(in.Data)
	if err != nil {
		n.refuse(in, "", err)
		return
	}
	switch m.Kind {
	case aliveKind, cancelKind:
		n.mu.Lock()
		s := n.served[m.ID]
		n.mu.Unlock()
		switch {
		case s == nil:
			n.c.respond(in, &message{Kind: overKind, ID: m.ID, Node: n.id})
			return
		case m.Kind == cancelKind:
			s.cancel()
		}
		s.hear()
		n.c.respond(in, &message{Kind: aliveKind, ID: m.ID, Node: n.id})
	case sessionKind:
		n.begin(func() { n.tellSession(server, in, m) })
	case callKind, listKind:
		n.serve(server, in, m)
	default:
		n.refuse(in, m.ID, fmt.Errorf("a message of the kind %.40q, which no server gets", m.Kind))
	}
}

func (s *served) hear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = time.Now()
}

func (n *node) refuse(in *nats.Msg, id string, err error) {
	n.c.respond(in, &message{Kind: refusedKind, ID: id, Node: n.id, Error: errorOnWire(err, backend.NotSent)})
}

// begin runs f in a goroutine that ServeCalls waits for; false when it is too late.
func (n *node) begin(f func()) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended {
		return false
	}
	n.work.Go(f)
	return true
}

// serve begins with a call. One that has begun already is told so again.
func (n *node) serve(server *config.Server, in *nats.Msg, m *message) {
	switch {
	case m.Call == nil || m.ID == "":
		n.refuse(in, m.ID, errors.New("a call that says nothing of itself"))
		return
	case m.Kind == callKind && !server.Allows(m.Call.Tool):
		n.refuse(in, m.ID, fmt.Errorf("the node's config leaves out the tool %.100q", m.Call.Tool))
		return
	case m.Kind == callKind && !m.Call.Effect && !server.MayRead(m.Call.Tool):
		n.refuse(in, m.ID, fmt.Errorf("the node's config says that a call of %.100q may change something, and the caller takes it "+
			"for one that only reads: build the registry of the cluster with the node's entry of the server", m.Call.Tool))
		return
	case !strings.HasPrefix(in.Reply, "_INBOX."):
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(n.ctx))
	if m.Call.Left > 0 {
		ctx, cancel = context.WithTimeout(ctx, min(time.Duration(m.Call.Left)*time.Millisecond, 24*time.Hour))
	}
	s := &served{server: server, m: m, inbox: in.Reply, cancel: cancel, heard: time.Now()}
	n.mu.Lock()
	switch was := n.served[m.ID]; {
	case was != nil:
		n.mu.Unlock()
		cancel()
		was.hear()
		return // what it is asked is asked again
	case n.ended || len(n.served) >= maxServed:
		n.mu.Unlock()
		cancel()
		n.refuse(in, m.ID, errors.New("the node takes no more calls now"))
		return
	}
	n.served[m.ID] = s
	n.work.Go(func() {
		defer func() {
			cancel()
			n.mu.Lock()
			defer n.mu.Unlock()
			delete(n.served, m.ID)
		}()
		stop := context.AfterFunc(n.c.ctx, cancel)
		defer stop()
		n.run(ctx, s, in)
	})
	n.mu.Unlock()
}

// run makes a call, and tells the caller what came of it.
func (n *node) run(ctx context.Context, s *served, in *nats.Msg) {
	taken := &message{Kind: takenKind, ID: s.m.ID, Node: n.id}
	if s.m.Kind == callKind && s.server.Session {
		owner, err := n.claim(ctx, sessionKey{s.server.Name, s.m.Call.Subject})
		switch {
		case err != nil:
			n.refuse(in, s.m.ID, fmt.Errorf("looking for who has the session: %w", err))
			return
		case owner != n.id:
			n.c.respond(in, &message{Kind: elsewhereKind, ID: s.m.ID, Node: owner})
			return
		}
		taken.Session = &wireSession{Keeps: true}
	}
	n.c.respond(in, taken)
	raw, err := json.RawMessage(nil), error(nil)
	if s.args, err = n.args(ctx, s); err == nil {
		raw, err = n.do(ctx, s)
	}
	n.tellEnd(s, raw, err)
}

// args returns the arguments of a call; the parts that did not come with it are asked
// for.
func (n *node) args(ctx context.Context, s *served) ([]byte, error) {
	args := s.m.data
	for i := 1; len(args) < s.m.Size; i++ {
		m, err := n.ask(ctx, s, &message{Kind: argsKind, N: i})
		switch {
		case err != nil:
			return nil, &backend.OutcomeError{Outcome: backend.NotSent, Err: err}
		case len(m.data) == 0:
			return nil, &backend.OutcomeError{Outcome: backend.NotSent, Err: errors.New("its arguments have no such part")}
		}
		args = append(args, m.data...)
	}
	if err := s.m.whole(args); err != nil {
		return nil, &backend.OutcomeError{Outcome: backend.NotSent,
			Err: fmt.Errorf("its arguments have not come whole: %w", err)}
	}
	return args, nil
}

// do makes a call here, and returns its raw result. Its error is a *wireError.
func (n *node) do(ctx context.Context, s *served) (raw json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil { // one backend's fault is not the end of the others
			raw, err = nil, fmt.Errorf("calling %q failed inside its node: %.200v", s.m.Call.Tool, p)
		}
	}()
	if s.m.Kind == listKind {
		return n.list(ctx, s.server.Name)
	}
	w := s.m.Call
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier(w.Trace))
	how := &backend.Send{Effect: w.Effect, Key: w.Key, Within: n.c.o.AckWait}
	if w.Effect {
		how.Sending = func(ctx context.Context) error {
			m, err := n.ask(ctx, s, &message{Kind: beginKind})
			switch {
			case err != nil:
				return err
			case m.Error != nil:
				return errors.New(m.Error.Text)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.begun = true
			return ctx.Err()
		}
	}
	if w.Asks {
		how.Ask = func(ctx context.Context, q *backend.Question) (*backend.Reply, error) { return n.put(ctx, s, q) }
	}
	if w.Notes {
		how.Later = func(state, task string) error {
			m, err := n.ask(ctx, s, &message{Kind: laterKind, N: s.next(), Later: &wireLater{state, task}})
			if err == nil && m.Error != nil {
				err = errors.New(m.Error.Text)
			}
			return err
		}
	}
	if c := w.Continue; c != nil {
		how.Continue = &backend.Continue{State: c.State, Task: c.Task, Input: c.Input}
	}
	if w.Tenant != "" {
		ctx = backend.WithTenant(ctx, w.Tenant, w.Shares)
	}
	ctx = backend.WithSubject(backend.WithSend(backend.Expect(ctx, w.Expect), how), w.Subject)
	res, err := n.local.Call(ctx, s.server.Name, w.Tool, s.args)
	if err != nil {
		return nil, &outcomeOf{how.Outcome(err), err}
	}
	return res.Raw, nil
}

// outcomeOf is the error of a call with what its sender knows.
type outcomeOf struct {
	outcome backend.Outcome
	error
}

func (e *outcomeOf) Unwrap() error { return e.error }

func (s *served) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return s.n
}

// list is what a server says of its tools.
func (n *node) list(ctx context.Context, server string) (json.RawMessage, error) {
	local, ok := n.local.(connector)
	if !ok {
		return nil, errors.New("its node cannot list tools")
	}
	b, err := local.Connect(ctx, server)
	if err != nil {
		return nil, err
	}
	l, err := b.List(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(l)
}

// put asks the person behind a call.
func (n *node) put(ctx context.Context, s *served, q *backend.Question) (*backend.Reply, error) {
	ask := &message{Kind: askKind, N: s.next(), Question: &wireQuestion{Key: q.Key, Mode: q.Mode, Message: q.Message,
		URL: q.URL, Schema: q.Schema, Page: q.Done != nil}}
	if q.Done != nil {
		over, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-q.Done:
				n.ask(over, s, &message{Kind: pageKind, N: ask.N}) // nobody hears what is lost
			case <-over.Done():
			}
		}()
	}
	m, err := n.ask(ctx, s, ask)
	switch {
	case err != nil:
		return nil, err
	case m.Reply == nil:
		return nil, errors.New("the answer says nothing")
	}
	return m.Reply, nil
}

// errOver says that a caller does not know a call any more.
var errOver = errors.New("its caller does not wait for it any more")

// ask asks the caller of a call. Where it is gone, the call is called off.
func (n *node) ask(ctx context.Context, s *served, m *message) (*message, error) {
	m.ID, m.Node = s.m.ID, n.id
	answer, err := n.c.insist(ctx, s.inbox, m)
	if err == nil && answer.Kind != m.Kind {
		err = errOver
	}
	switch {
	case errors.Is(err, errGone), errors.Is(err, errOver):
		s.callOff()
		return nil, errOver
	case err != nil:
		return nil, err
	}
	s.hear()
	return answer, nil
}

// tellEnd tells the caller what came of a call, until it says that it knows.
func (n *node) tellEnd(s *served, raw json.RawMessage, err error) {
	ctx, cancel := context.WithTimeout(n.c.ctx, n.c.o.AckWait)
	defer cancel()
	end := &message{Kind: endKind}
	if err == nil && len(raw) > maxBody {
		err = &backend.OutcomeError{Outcome: backend.Unread,
			Err: fmt.Errorf("its answer has %d bytes, at most %d go to another process", len(raw), maxBody)}
	}
	if err != nil {
		outcome := backend.NotSent // what failed before the call
		if o := (*outcomeOf)(nil); errors.As(err, &o) {
			outcome = o.outcome
		} else if known := (*backend.OutcomeError)(nil); errors.As(err, &known) {
			outcome = known.Outcome
		}
		end.Error = errorOnWire(err, outcome)
	} else {
		last := len(raw) / part
		for i := range last {
			if _, err := n.ask(ctx, s, &message{Kind: partKind, N: i, data: partOf(raw, i)}); err != nil {
				return
			}
		}
		end.data = partOf(raw, last)
		end.inParts(raw)
		end.Hide = slices.DeleteFunc(n.hides[s.server.Name].In(raw), func(v string) bool { return len(v) > maxSecret })
	}
	if _, err := n.ask(ctx, s, end); err == nil || errors.Is(err, errOver) || ctx.Err() != nil {
		return
	}
	// It cannot be written as a message.
	end.Error = &wireError{Outcome: backend.Unknown, Text: "what came of it cannot be told"}
	n.ask(ctx, s, &message{Kind: endKind, Error: end.Error})
}

// claim returns the node that has a session, which is this one where none has it.
func (n *node) claim(ctx context.Context, k sessionKey) (owner string, err error) {
	n.claimed.Lock()
	defer n.claimed.Unlock()
	n.mu.Lock()
	c := n.claims[k]
	n.mu.Unlock()
	if c != nil {
		c.used = time.Now()
		return n.id, nil
	}
	for range maxMoves {
		owner, last, err := n.holder(ctx, k)
		if err != nil || owner != "" {
			return owner, err
		}
		seq, err := n.publishClaim(ctx, k, last)
		switch {
		case errors.Is(err, errOther):
			continue
		case err != nil:
			return "", err
		}
		n.mu.Lock()
		n.claims[k] = &claim{seq: seq, since: time.Now(), used: time.Now()}
		n.mu.Unlock()
		return n.id, nil
	}
	return "", errors.New("other nodes claim it all the time")
}

// holder returns the other node that has a session, "" where none has, and the sequence
// of the claim, 0 where there is none.
func (n *node) holder(ctx context.Context, k sessionKey) (owner string, seq uint64, err error) {
	last, err := n.c.last(ctx, n.c.state, ownerSubject(k.server, k.subject))
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	owner = string(last.Data)
	if owner == n.id || len(owner) > maxToken { // an earlier claim of this node, or none
		return "", last.Sequence, nil
	}
	_, err = n.c.insist(ctx, nodeSubject(k.server, owner), &message{Kind: aliveKind})
	if errors.Is(err, errGone) {
		return "", last.Sequence, nil
	}
	return owner, last.Sequence, err
}

// publishClaim writes a claim in the place of the message with a sequence; 0: of none.
func (n *node) publishClaim(ctx context.Context, k sessionKey, last uint64) (seq uint64, err error) {
	m := nats.NewMsg(ownerSubject(k.server, k.subject))
	m.Data = []byte(n.id)
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	return n.c.publish(ctx, n.c.state, m, strings.ToLower(rand.Text()), last, jetstream.WithMsgTTL(seconds(n.c.o.AckWait)))
}

// keepClaims renews the claims of sessions that are used; of the others, and of those
// that another node has taken over, it lets go.
func (n *node) keepClaims(ctx context.Context) {
	n.claimed.Lock()
	defer n.claimed.Unlock()
	n.mu.Lock()
	claims := maps.Clone(n.claims)
	n.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, n.c.o.AckWait/2)
	defer cancel()
	for k, c := range claims {
		keeps := time.Since(c.used) < sessionIdle
		if keeps {
			seq, err := n.publishClaim(ctx, k, c.seq)
			if err == nil {
				c.seq = seq
			}
			keeps = !errors.Is(err, errOther)
		}
		if !keeps {
			n.mu.Lock()
			delete(n.claims, k)
			n.mu.Unlock()
		}
	}
}

// tellSession says since when a server has a subject's session here.
func (n *node) tellSession(server *config.Server, in *nats.Msg, m *message) {
	ctx, cancel := context.WithTimeout(n.ctx, each)
	defer cancel()
	answer := &message{Kind: sessionKind, ID: m.ID, Node: n.id, Session: &wireSession{Keeps: server.Session, Age: -1}}
	if server.Session && m.Call != nil {
		k := sessionKey{server.Name, m.Call.Subject}
		n.mu.Lock()
		c := n.claims[k]
		n.mu.Unlock()
		if c != nil {
			since := c.since
			if local, ok := n.local.(keeper); ok {
				if _, connected := local.Session(ctx, server.Name); connected.IsZero() || connected.After(since) {
					since = connected
				}
			}
			if !since.IsZero() {
				answer.Session.Age = time.Since(since).Milliseconds()
			}
		} else if owner, _, err := n.holder(ctx, k); err == nil && owner != "" {
			answer = &message{Kind: elsewhereKind, ID: m.ID, Node: owner}
		}
	}
	n.c.respond(in, answer)
}

// ShareServers has files call the servers that its config lacks at the nodes that have
// them, and makes this process the node of those with usetools.node, as long as files
// has their connections.
func (c *Cluster) ShareServers(files *harness.Files) {
	stop := func() {}
	files.Calls = func(cfg *config.Config, pool *backend.Pool) harness.Caller {
		stop() // what is under way ends with its connections
		var shared []config.Server
		for _, s := range cfg.Servers {
			if s.Node && s.Err == nil {
				shared = append(shared, s)
			}
		}
		if len(shared) > 0 {
			n, err := c.newNode(pool, shared)
			if err != nil {
				c.log.Error("this process takes no calls of others", "error", err)
			} else {
				var ctx context.Context
				ctx, stop = context.WithCancel(c.ctx)
				c.work.Go(func() { n.serveUntil(ctx) })
			}
		}
		calls := c.Calls(pool, func(server string) bool {
			s, ok := cfg.Server(server)
			return ok && !(s.Node && s.Session)
		})
		calls.hide = files.Hide
		return calls
	}
}
