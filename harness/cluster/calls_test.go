package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
)

// stall is a server that does what its tools are called.
type stall struct {
	mu     sync.Mutex
	effect int               // of the tool buy
	calls  map[string]int    // by tool
	seen   []*backend.Send   // of the calls
	ctxs   []context.Context // of the calls
	args   []json.RawMessage // of the calls
	begun  chan struct{}     // a call of slow has begun
	free   chan struct{}     // closed: calls of slow end
}

func newStall() *stall {
	return &stall{calls: map[string]int{}, begun: make(chan struct{}, 100), free: make(chan struct{})}
}

func (s *stall) List(context.Context) (*backend.Listing, error) {
	return &backend.Listing{Server: registry.Server{Name: "shop", Version: "1"},
		Tools: []registry.Tool{{Server: "shop", Name: "echo", Input: json.RawMessage(`{"type":"object"}`)}}}, nil
}

func (s *stall) Close() error { return nil }

func (s *stall) Call(ctx context.Context, tool string, args json.RawMessage) (*backend.Result, error) {
	how := backend.SendOf(ctx)
	s.mu.Lock()
	s.calls[tool]++
	s.seen, s.ctxs, s.args = append(s.seen, how), append(s.ctxs, ctx), append(s.args, args)
	s.mu.Unlock()
	if err := how.Begin(ctx); err != nil {
		return nil, err
	}
	defer how.End()
	answer := func(format string, a ...any) (*backend.Result, error) {
		return backend.DecodeResult(fmt.Appendf(nil, format, a...))
	}
	if how != nil && how.Effect {
		s.mu.Lock()
		s.effect++
		s.mu.Unlock()
	}
	fails := map[string]error{
		"refuse":  &backend.RefusedError{Server: "shop", Tool: "refuse", Code: -32602, Message: "no such thing"},
		"die":     fmt.Errorf("calling: %w", backend.ErrDisconnected),
		"late":    fmt.Errorf("calling: %w", context.DeadlineExceeded),
		"unread":  &backend.OutcomeError{Outcome: backend.Unread, Err: errors.New("too large")},
		"refrain": &backend.OutcomeError{Outcome: backend.NotSent, Err: errors.New("nothing was written")},
		"signin":  fmt.Errorf("calling: %w", backend.ErrSignIn),
	}
	switch tool {
	case "echo", "buy":
		return answer(`{"content":[{"type":"text","text":"<ok>"}],  "structuredContent":%s}`, args)
	case "fail":
		return answer(`{"content":[{"type":"text","text":"out of nuts"}],"isError":true}`)
	case "large":
		var a struct{ Bytes int }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		return answer(`{"content":[],"structuredContent":{"x":%q}}`, strings.Repeat("x", a.Bytes))
	case "slow":
		s.begun <- struct{}{}
		select {
		case <-s.free:
			return answer(`{"content":[]}`)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case "ask":
		page := make(chan struct{})
		close(page)
		r, err := how.Ask(ctx, &backend.Question{Mode: backend.Form, Message: "sure?",
			Schema: json.RawMessage(`{"type":"object"}`), Done: page})
		if err != nil {
			return nil, err
		}
		return answer(`{"content":[],"structuredContent":{"action":%q,"content":%s}}`, r.Action, r.Content)
	case "rounds":
		if c := how.Continue; c != nil {
			return answer(`{"content":[],"structuredContent":{"state":%q,"input":%s}}`, c.State, c.Input)
		}
		if err := how.Later("state 1", ""); err != nil {
			return nil, err
		}
		return nil, &backend.InputRequiredError{State: "state 1",
			Requests: json.RawMessage(`{"q":{"method":"elicitation/create","params":{"message":"which one?"}}}`)}
	case "panic":
		panic("a fault")
	}
	return nil, fails[tool]
}

// pool has the shop, which is its connection.
func (s *stall) pool(t *testing.T) *backend.Pool {
	p := backend.NewPool(func(_ context.Context, server string) (backend.Backend, error) { return s, nil }, nil)
	t.Cleanup(func() { p.Close() })
	return p
}

const testAckWait = 2 * time.Second

// to connects a process to a server of the engine.
func to(t testing.TB, url string) *Cluster {
	return connect(t, Options{URL: url, AckWait: testAckWait})
}

// serves lets a node serve the calls of a shop, until stop is called.
func serves(t testing.TB, c *Cluster, local catalog.Caller, servers ...config.Server) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n, err := c.newNode(local, servers)
	if err != nil {
		t.Fatal(err)
	}
	must(t, c.conn.Flush())
	over := make(chan struct{})
	go func() {
		n.serveUntil(ctx)
		close(over)
	}()
	stop = func() {
		cancel()
		<-over
	}
	t.Cleanup(stop)
	return stop
}

func nowhere(string) bool { return false }

// atNode is a caller and a node that has a shop.
func atNode(t *testing.T) (*Calls, *stall, *Cluster) {
	url := clustertest.Server(t)
	s, at := newStall(), to(t, url)
	serves(t, at, s.pool(t), config.Server{Name: "shop"})
	return to(t, url).Calls(nil, nowhere), s, at
}

func asEffect(t *testing.T, sending func() error) (context.Context, *backend.Send) {
	how := &backend.Send{Effect: true}
	if sending != nil {
		how.Sending = func(context.Context) error { return sending() }
	}
	return backend.WithSend(t.Context(), how), how
}

func TestCallsOfANodeAreAsOnesOwn(t *testing.T) {
	calls, s, _ := atNode(t)
	own := s.pool(t)
	for _, tool := range []string{"echo", "buy", "fail", "refuse", "late", "unread", "refrain", "signin", "panic", "die"} {
		for _, isEffect := range []bool{false, true} {
			args := json.RawMessage(`{"a": "<1>"}`)
			do := func(c interface {
				Call(context.Context, string, string, json.RawMessage) (*backend.Result, error)
			}) (res *backend.Result, o backend.Outcome, sent int, err error) {
				defer func() {
					if p := recover(); p != nil {
						err = fmt.Errorf("%v", p)
					}
				}()
				how := &backend.Send{Effect: isEffect, Key: "k", Sending: func(context.Context) error { sent++; return nil }}
				res, err = c.Call(backend.WithSend(t.Context(), how), "shop", tool, args)
				return res, how.Outcome(err), sent, err
			}
			want, wantO, wantSent, wantErr := do(own)
			got, o, sent, err := do(calls)
			if tool == "panic" {
				if want := "failed inside its node"; err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %s", err, want)
				}
				continue
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s %t: (-own +node):\n%s", tool, isEffect, d)
			}
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || isEffect && (sent != wantSent || o != wantO) {
				t.Errorf("%s %t: %v, %s, sent %d times; want %v, %s, %d", tool, isEffect, err, o, sent, wantErr, wantO, wantSent)
			}
			for name, is := range wireErrors {
				if errors.Is(err, is) != errors.Is(wantErr, is) {
					t.Errorf("%s: is %s: %t", tool, name, errors.Is(err, is))
				}
			}
			var refused, wantRefused *backend.RefusedError
			if errors.As(err, &refused) != errors.As(wantErr, &wantRefused) || cmp.Diff(wantRefused, refused) != "" {
				t.Errorf("%s: %v", tool, refused)
			}
		}
	}
}

func TestWhatACallIsToldReachesItsNode(t *testing.T) {
	calls, s, _ := atNode(t)
	type tenants struct{ int }
	ctx, how := asEffect(t, nil)
	how.Key = "key 1"
	ctx = backend.WithSubject(backend.Expect(backend.WithTenant(ctx, &tenants{}, true), "GET /x"), "ann")
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, err := calls.Call(ctx, "shop", "buy", nil); err != nil {
		t.Fatal(err)
	}
	at := s.ctxs[0]
	until, ok := at.Deadline()
	if !ok || time.Until(until) > time.Minute || s.seen[0].Key != "key 1" || !s.seen[0].Effect ||
		string(s.args[0]) != "{}" || backend.Expected(at) != "GET /x" || backend.SubjectOf(at) != "ann" || !backend.Shares(at) ||
		backend.TenantOf(at) != "s ann" {
		t.Errorf("%+v %v %v", s.seen[0], at, until)
	}
	first, second := &tenants{1}, &tenants{2}
	for _, key := range []any{first, first, second, nil} {
		if _, err := calls.Call(backend.WithTenant(t.Context(), key, false), "shop", "echo", nil); err != nil {
			t.Fatal(err)
		}
	}
	of := func(i int) any { return backend.TenantOf(s.ctxs[i]) }
	if of(1) != of(2) || of(2) == of(3) || of(4) != nil {
		t.Errorf("tenants %v %v %v %v", of(1), of(2), of(3), of(4))
	}
}

func TestLargeArgumentsAndAnswersComeInParts(t *testing.T) {
	calls, s, _ := atNode(t)
	for _, n := range []int{part - 40, part, part + 1, 2 * part, 5 << 20} {
		res, err := calls.Call(t.Context(), "shop", "large", fmt.Appendf(nil, `{"Bytes":%d}`, n))
		if err != nil || len(res.Raw) != n+len(`{"content":[],"structuredContent":{"x":""}}`) {
			t.Fatalf("%d bytes: %v, got %d", n, err, len(res.Raw))
		}
		args := fmt.Appendf(nil, `{"a":%q}`, strings.Repeat("y", n))
		res, err = calls.Call(t.Context(), "shop", "echo", args)
		if err != nil || !bytes.Equal(res.Structured, args) || !bytes.Equal(s.args[len(s.args)-1], args) {
			t.Fatalf("%d bytes of arguments: %v", n, err)
		}
	}
	ctx, how := asEffect(t, nil)
	_, err := calls.Call(ctx, "shop", "large", fmt.Appendf(nil, `{"Bytes":%d}`, maxBody))
	if how.Outcome(err) != backend.Unread || !strings.Contains(err.Error(), "at most") {
		t.Errorf("%v", err)
	}
}

func TestACallThatNobodyTakesFailsAtOnce(t *testing.T) {
	calls, _, _ := atNode(t)
	asked := false
	ctx, how := asEffect(t, func() error { asked = true; return nil })
	_, err := calls.Call(ctx, "bank", "pay", nil)
	want := `not sent: server "bank": calling "pay": no node of the cluster has the server now`
	if err == nil || err.Error() != want || how.Outcome(err) != backend.NotSent || asked {
		t.Errorf("%v, %s, asked %t; want %s", err, how.Outcome(err), asked, want)
	}
	if _, err := calls.Call(t.Context(), "bank", "pay", nil); err == nil {
		t.Error("no error")
	}
}

// The record's line is written before the call leaves; without it nothing does.
func TestACallThatMayNotLeaveDoesNot(t *testing.T) {
	calls, s, _ := atNode(t)
	lost := errors.New("another one has the run")
	ctx, how := asEffect(t, func() error { return lost })
	_, err := calls.Call(ctx, "shop", "buy", nil)
	if !errors.Is(err, lost) || how.Outcome(err) != backend.NotSent || s.effect != 0 {
		t.Errorf("%v, %d effects", err, s.effect)
	}
}

func TestACallIsCalledOff(t *testing.T) {
	t.Parallel()
	calls, s, _ := atNode(t)
	for _, isEffect := range []bool{false, true} {
		how := &backend.Send{Effect: isEffect}
		ctx, cancel := context.WithCancel(backend.WithSend(t.Context(), how))
		failed := make(chan error, 1)
		go func() {
			_, err := calls.Call(ctx, "shop", "slow", nil)
			failed <- err
		}()
		<-s.begun
		cancel()
		err := <-failed
		if !errors.Is(err, context.Canceled) || how.Outcome(err) != backend.Unknown {
			t.Errorf("effect %t: %v, %s", isEffect, err, how.Outcome(err))
		}
		s.mu.Lock()
		at := s.ctxs[len(s.ctxs)-1]
		s.mu.Unlock()
		<-at.Done()
	}
}

func TestACallMayTakeLongerThanANodeMayBeSilent(t *testing.T) {
	t.Parallel()
	calls, s, _ := atNode(t)
	time.AfterFunc(testAckWait*3/2, func() { close(s.free) })
	if _, err := calls.Call(t.Context(), "shop", "slow", nil); err != nil {
		t.Error(err)
	}
}

// A request that comes twice is sent once, also by two nodes.
func TestARequestThatComesTwiceIsSentOnce(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	s := newStall()
	for range 2 {
		serves(t, to(t, url), s.pool(t), config.Server{Name: "shop"})
	}
	caller := to(t, url)
	calls := caller.Calls(nil, nowhere)
	twice, err := caller.conn.Subscribe(callSubject("shop"), func(m *nats.Msg) {
		if bytes.Contains(m.Data, []byte(`"again"`)) {
			return
		}
		copied := bytes.Replace(m.Data, []byte(`"v":1,`), []byte(`"v":1,"again":1,`), 1)
		for range 10 {
			caller.conn.PublishRequest(m.Subject, m.Reply, copied)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer twice.Unsubscribe()
	for i := range 20 {
		ctx, how := asEffect(t, nil)
		if _, err := calls.Call(ctx, "shop", "buy", nil); err != nil {
			t.Fatal(err, how.Outcome(err))
		}
		s.mu.Lock()
		n := s.effect
		s.mu.Unlock()
		if n != i+1 {
			t.Fatalf("%d effects of %d calls", n, i+1)
		}
	}
}

// A request that a node gets when nobody waits any more is not sent.
func TestARequestThatComesLateIsNotSent(t *testing.T) {
	calls, s, _ := atNode(t)
	b, err := (&message{Kind: callKind, ID: "late", Call: &wireCall{Tool: "buy", Effect: true}, Size: 2,
		data: []byte("{}")}).encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := calls.Call(t.Context(), "shop", "echo", nil); err != nil { // it listens to its inboxes
		t.Fatal(err)
	}
	calls.c.conn.PublishRequest(callSubject("shop"), calls.c.outgoing.inbox+".late", b)
	for i := range 100 { // what comes after it has an answer
		if _, err := calls.Call(t.Context(), "shop", "echo", nil); err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		tried := s.calls["buy"] > 0
		s.mu.Unlock()
		if tried && i > 50 {
			break
		}
	}
	if s.effect != 0 {
		t.Error("it was sent")
	}
}

func TestAServersQuestionReachesThePerson(t *testing.T) {
	calls, _, _ := atNode(t)
	var asked *backend.Question
	ctx, how := asEffect(t, nil)
	how.Ask = func(ctx context.Context, q *backend.Question) (*backend.Reply, error) {
		asked = q
		<-q.Done
		return &backend.Reply{Action: backend.Accept, Content: json.RawMessage(`{"yes":true}`)}, nil
	}
	res, err := calls.Call(ctx, "shop", "ask", nil)
	if err != nil || string(res.Structured) != `{"action":"accept","content":{"yes":true}}` {
		t.Fatal(res, err)
	}
	if asked.Message != "sure?" || asked.Mode != backend.Form || string(asked.Schema) != `{"type":"object"}` {
		t.Errorf("%+v", asked)
	}
}

func TestACallGoesOnAtItsNode(t *testing.T) {
	calls, _, _ := atNode(t)
	var noted []string
	ctx, how := asEffect(t, nil)
	how.Later = func(state, task string) error { noted = append(noted, state); return nil }
	_, err := calls.Call(ctx, "shop", "rounds", nil)
	var asks *backend.InputRequiredError
	if !errors.As(err, &asks) || asks.State != "state 1" || how.Outcome(err) != backend.Later ||
		!slices.Equal(noted, []string{"state 1"}) {
		t.Fatalf("%v %v %q", err, how.Outcome(err), noted)
	}
	questions, err := backend.Questions(asks.Requests)
	if err != nil || len(questions) != 1 || questions[0].Message != "which one?" {
		t.Fatal(questions, err)
	}
	ctx, how = asEffect(t, nil)
	how.Continue = &backend.Continue{State: asks.State, Input: json.RawMessage(`{"q":{"action":"accept"}}`)}
	res, err := calls.Call(ctx, "shop", "rounds", nil)
	if err != nil || string(res.Structured) != `{"state":"state 1","input":{"q":{"action":"accept"}}}` {
		t.Error(res, err)
	}
}

// Of a call that was sent nobody knows what became of it, when its node is gone.
func TestANodeThatIsGone(t *testing.T) {
	t.Parallel()
	calls, s, at := atNode(t)
	for _, may := range []bool{false, true} { // it may be sent
		ctx, how := asEffect(t, func() error {
			if !may {
				at.conn.Close()
			}
			return nil
		})
		failed := make(chan error, 1)
		go func() {
			_, err := calls.Call(ctx, "shop", "slow", nil)
			failed <- err
		}()
		if may {
			<-s.begun
			at.conn.Close()
		}
		err := <-failed
		if !errors.Is(err, backend.ErrDisconnected) || how.Outcome(err) != backend.Unknown ||
			!strings.HasPrefix(err.Error(), "it is not known whether it was done: ") {
			t.Errorf("%v, %s", err, how.Outcome(err))
		}
		if !may {
			url := calls.c.o.URL
			at = to(t, url)
			serves(t, at, s.pool(t), config.Server{Name: "shop"})
		}
	}
	close(s.free)
}

func TestToolsThatANodeLeavesOutAreNotCalled(t *testing.T) {
	url := clustertest.Server(t)
	s := newStall()
	serves(t, to(t, url), s.pool(t), config.Server{Name: "shop", Exclude: []string{"bu*"}})
	calls := to(t, url).Calls(nil, nowhere)
	ctx, how := asEffect(t, nil)
	_, err := calls.Call(ctx, "shop", "buy", nil)
	if err == nil || !strings.Contains(err.Error(), "leaves out") || how.Outcome(err) != backend.NotSent ||
		s.calls["buy"] != 0 {
		t.Error(err)
	}
}

func TestTheToolsOfANodesServer(t *testing.T) {
	calls, s, _ := atNode(t)
	b, err := calls.Connect(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, _ := s.List(t.Context())
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if res, err := b.Call(t.Context(), "echo", nil); err != nil || res.IsError {
		t.Error(res, err)
	}
}

func TestNoMoreCallsAfterDrain(t *testing.T) {
	calls, s, _ := atNode(t)
	ctx, _ := asEffect(t, nil)
	done := make(chan error, 1)
	go func() {
		_, err := calls.Call(ctx, "shop", "slow", nil)
		done <- err
	}()
	<-s.begun
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if err := calls.Drain(short); err == nil {
		t.Error("it does not wait")
	}
	if _, err := calls.Call(t.Context(), "shop", "echo", nil); !errors.Is(err, backend.ErrClosed) {
		t.Error(err)
	}
	close(s.free)
	if err := calls.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A node that ends lets calls end that were sent.
func TestANodeThatEnds(t *testing.T) {
	url := clustertest.Server(t)
	s, at := newStall(), to(t, url)
	stop := serves(t, at, s.pool(t), config.Server{Name: "shop"})
	calls := to(t, url).Calls(nil, nowhere)
	type outcome struct {
		effect bool
		err    error
	}
	done := make(chan outcome, 2)
	for _, isEffect := range []bool{true, false} {
		ctx := backend.WithSend(t.Context(), &backend.Send{Effect: isEffect})
		go func() {
			_, err := calls.Call(ctx, "shop", "slow", nil)
			done <- outcome{isEffect, err}
		}()
		<-s.begun
	}
	ended := make(chan struct{})
	go func() {
		stop()
		close(ended)
	}()
	if o := <-done; o.effect || !errors.Is(o.err, context.Canceled) {
		t.Errorf("the read: %+v", o)
	}
	close(s.free)
	if o := <-done; !o.effect || o.err != nil {
		t.Errorf("the effect: %+v", o)
	}
	<-ended
}

// A server that keeps state is called through one node for each subject.
func TestASessionHasOneOwner(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	browser := config.Server{Name: "browser", Session: true}
	type at struct {
		*stall
		*Cluster
		stop func()
	}
	nodes := make([]*at, 3)
	for i := range nodes {
		s, c := newStall(), to(t, url)
		nodes[i] = &at{s, c, serves(t, c, s.pool(t), browser)}
	}
	callers := []*Calls{to(t, url).Calls(nil, nowhere), to(t, url).Calls(nil, nowhere)}
	where := func(subject string) *at {
		var found *at
		for range 5 {
			for _, calls := range callers {
				before := map[*at]int{}
				for _, n := range nodes {
					before[n] = n.calls["echo"]
				}
				if _, err := calls.Call(backend.WithSubject(t.Context(), subject), "browser", "echo", nil); err != nil {
					t.Fatal(err)
				}
				for _, n := range nodes {
					if n.calls["echo"] > before[n] {
						if found != nil && found != n {
							t.Fatal("two nodes")
						}
						found = n
					}
				}
			}
		}
		return found
	}
	ann := backend.WithSubject(t.Context(), "ann")
	if keeps, since := callers[1].Session(ann, "browser"); !keeps || !since.IsZero() {
		t.Errorf("before the first call: %t, since %v", keeps, since)
	}
	owner := where("ann")
	for i := range 8 {
		where(fmt.Sprint("bob ", i))
	}
	keeps, since := callers[1].Session(ann, "browser")
	if ago := time.Since(since); !keeps || since.IsZero() || ago > time.Minute || ago < 0 {
		t.Errorf("%t, since %v", keeps, since)
	}
	// It stays while it is used.
	for until := time.Now().Add(2 * testAckWait); time.Now().Before(until); {
		if where("ann") != owner {
			t.Fatal("another owner")
		}
	}
	owner.conn.Close()
	for _, calls := range callers {
		_, err := calls.Call(ann, "browser", "echo", nil)
		if !errors.Is(err, backend.ErrDisconnected) {
			t.Errorf("the first call after that: %v", err)
		}
	}
	if keeps, since := callers[0].Session(ann, "browser"); !keeps || !since.IsZero() {
		t.Errorf("after its end: %t, since %v", keeps, since)
	}
	if where("ann") == owner {
		t.Error("the same owner")
	}
}

// What is a process's own does not go over the cluster.
func TestOwnServersAreCalledHere(t *testing.T) {
	url := clustertest.Server(t)
	s := newStall()
	c := to(t, url)
	calls := c.Calls(s.pool(t), func(server string) bool { return server == "shop" })
	if _, err := calls.Call(t.Context(), "shop", "echo", json.RawMessage("{}")); err != nil {
		t.Error(err)
	}
	if err := calls.Ready(t.Context(), "shop"); err != nil {
		t.Error(err)
	}
	if st := calls.State("shop"); st.Since.IsZero() {
		t.Error("no state")
	}
	if _, since := calls.Session(t.Context(), "shop"); since.IsZero() {
		t.Error("no session")
	}
	if c.outgoing.inbox != "" {
		t.Error("it went out")
	}
}

// Tenants that wait for a server of a node take turns.
func TestTenantsTakeTurnsAtANode(t *testing.T) {
	url := clustertest.Server(t)
	s, at := newStall(), to(t, url)
	p := backend.NewPool(func(context.Context, string) (backend.Backend, error) { return s, nil },
		&backend.PoolOptions{Concurrency: func(string) int { return 4 }})
	t.Cleanup(func() { p.Close() })
	serves(t, at, p, config.Server{Name: "shop"})
	calls := to(t, url).Calls(nil, nowhere)
	var all sync.WaitGroup
	call := func(subject string) {
		all.Go(func() {
			ctx := backend.WithSubject(backend.WithTenant(t.Context(), subject, true), subject)
			if _, err := calls.Call(ctx, "shop", "slow", nil); err != nil {
				t.Error(err)
			}
		})
	}
	for range 10 {
		call("ann")
	}
	for range 3 { // the fourth place is for others
		<-s.begun
	}
	call("bob")
	<-s.begun
	s.mu.Lock()
	last := backend.SubjectOf(s.ctxs[len(s.ctxs)-1])
	s.mu.Unlock()
	if last != "bob" {
		t.Errorf("%s is first", last)
	}
	close(s.free)
	all.Wait()
}

func FuzzDecodeMessage(f *testing.F) {
	for _, m := range []*message{
		{Kind: callKind, ID: "x", Call: &wireCall{Tool: "t", Effect: true, Continue: &wireContinue{
			Input: json.RawMessage(`{}`)}}, data: []byte(`{"a":1}`)},
		{Kind: endKind, Error: errorOnWire(&backend.InputRequiredError{State: "s", Requests: json.RawMessage(`{}`)},
			backend.Later)},
		{Kind: askKind, Question: &wireQuestion{Mode: "form"}, Reply: &backend.Reply{Action: backend.Accept}},
	} {
		b, err := m.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeMessage(b)
		if err != nil {
			return
		}
		if m.Error != nil {
			err := m.Error.error("s", "t")
			backend.OutcomeOf(err, true)
			_ = err.Error()
		}
		again, err := m.encode()
		if err != nil {
			return
		}
		m2, err := decodeMessage(again)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", b, again, err)
		}
		if !bytes.Equal(m.data, m2.data) || m.Kind != m2.Kind {
			t.Fatalf("%q is read again as %q", b, again)
		}
	})
}

// What a call costs through a node, and in the process that has the server.
func BenchmarkCall(b *testing.B) {
	url := clustertest.Server(b)
	at, caller := to(b, url), to(b, url)
	for _, n := range []int{500, 100_000, 5 << 20} {
		server := config.Server{Name: fmt.Sprint("answers-", n)}
		p := backend.NewPool(func(context.Context, string) (backend.Backend, error) {
			return quiet(fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, strings.Repeat("x", n))), nil
		}, nil)
		b.Cleanup(func() { p.Close() })
		serves(b, at, p, server)
		for _, from := range []struct {
			name   string
			effect bool
			catalog.Caller
		}{{"here", false, p}, {"read", false, caller.Calls(nil, nowhere)}, {"effect", true, caller.Calls(nil, nowhere)}} {
			b.Run(fmt.Sprintf("%d/%s", n, from.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					ctx := backend.WithSend(b.Context(), &backend.Send{Effect: from.effect})
					if _, err := from.Call(ctx, server.Name, "ask", nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// quiet is a server that gives the same answer each time.
type quiet string

func (quiet) List(context.Context) (*backend.Listing, error) { return &backend.Listing{}, nil }
func (quiet) Close() error                                   { return nil }

func (q quiet) Call(ctx context.Context, _ string, _ json.RawMessage) (*backend.Result, error) {
	if err := backend.SendOf(ctx).Begin(ctx); err != nil {
		return nil, err
	}
	return backend.DecodeResult([]byte(q))
}

func contextOf(t *testing.T, subject string) context.Context {
	return backend.WithSubject(t.Context(), subject)
}
