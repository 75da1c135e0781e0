package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/registry"
)

// person answers what clients ask, by what is in the question.
type person struct {
	mu    sync.Mutex
	says  func(message string) *mcp.ElicitResult
	asked []string
}

func (p *person) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context,
		r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, r.Params.Message)
		says := *p.says(r.Params.Message)
		says.Content = maps.Clone(says.Content) // the SDK adds defaults to it
		return &says, nil
	}}
}

func (p *person) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

var (
	accept  = &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}
	decline = &mcp.ElicitResult{Action: "decline"}
)

func always(r *mcp.ElicitResult) *person {
	return &person{says: func(string) *mcp.ElicitResult { return r }}
}

// transports are the ways in which clients reach a server.
var transports = map[string]func(t *testing.T, s *serve.Server, opts *mcp.ClientOptions) *client{
	"stdio": connect,
	"2025-11-25": func(t *testing.T, s *serve.Server, opts *mcp.ClientOptions) *client {
		return dialHTTP(t, "http://"+listen(t, s, &serve.HTTP{})+"/mcp", "2025-11-25", "", opts)
	},
	"2026-07-28": func(t *testing.T, s *serve.Server, opts *mcp.ClientOptions) *client {
		return dialHTTP(t, "http://"+listen(t, s, &serve.HTTP{})+"/mcp", "2026-07-28", "", opts)
	},
}

// asksForWrites is a policy by which a person must approve of an effect call.
var asksForWrites = &policy.Policy{Approve: policy.ApproveWrites}

const deletesThree = `for i := range 3 {
	_, err := files.DeleteFile(files.DeleteFileParams{Path: fmt.Sprint("file", i)})
	fmt.Println(i, err)
}`

// Each call is asked about by itself, when it is its turn, and the script gets what
// became of it.
func TestEachCallIsAskedAbout(t *testing.T) {
	t.Parallel()
	for name, dial := range transports {
		t.Run(name, func(t *testing.T) {
			asksSessions(t, name)
			s, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
			p := &person{says: func(m string) *mcp.ElicitResult {
				if strings.Contains(m, "file1") {
					return decline
				}
				return accept
			}}
			got, a := dial(t, s, p.options()).run(deletesThree)
			asked := p.questions()
			if a.Status != outcome.OK || f.calls.Load() != 2 || len(asked) != 3 || a.Attempts != 4 {
				t.Errorf("%d calls, %d attempts, asked %q: %s", f.calls.Load(), a.Attempts, asked, got)
			}
			for i, m := range asked {
				if !strings.Contains(m, fmt.Sprintf(`{"path":"file%d"}`, i)) {
					t.Errorf("question %d: %s", i, m)
				}
			}
			if want := "0 <nil>\n1 files.delete_file: not sent: the user at "; !strings.Contains(got, want) ||
				!strings.Contains(got, "\n2 <nil>\n") {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// All that waits at the same time is asked at once, and a yes for all calls of a tool
// is one, where the ask allows that.
func TestWhatWaitsIsAskedAtOnce(t *testing.T) {
	s, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
	p := always(accept)
	got, a := connect(t, s, p.options()).run(`var wg sync.WaitGroup
for i := range 3 {
	wg.Go(func() { _, _ = files.DeleteFile(files.DeleteFileParams{Path: fmt.Sprint(i)}) })
}
wg.Wait()
Return("done")`)
	if got != "done\n" || f.calls.Load() != 3 || len(p.questions()) != 3 || a.Attempts != 2 {
		t.Errorf("%d calls, %d attempts, %d questions: %s", f.calls.Load(), a.Attempts, len(p.questions()), got)
	}
}

// A run whose calls nobody answers for now waits, and goes on when a file beside its
// record says yes: without a client, and after a restart.
func TestARunGoesOnWhenItIsAnswered(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			dir := t.TempDir()
			s, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, dir)})
			got, a := connect(t, s, nil).run(deleting)
			if a.Status != outcome.Waiting || !strings.Contains(got, "harness approvals yes "+a.Waiting[0].ID) {
				t.Fatal(got)
			}
			other := folderStore(t, dir) // as another process has it
			if restart {
				s.Close()
			}
			if err := other.Answer(a.Waiting[0].ID, &record.Answer{Yes: true, Who: "ann", How: "approvals"}); err != nil {
				t.Fatal(err)
			}
			if restart { // a server with other tools leaves the run to the one that has them
				var log lockedLog
				serving(t, &serve.Options{Records: folderStore(t, dir), Log: textLog(&log),
					Catalog: func(context.Context) (*catalog.Catalog, error) {
						return &catalog.Catalog{Registry: &registry.Registry{}, Calls: newFake()}, nil
					}})
				until(t, func() bool { return strings.Contains(log.text(), "needs tools that this server does not have") })
				s, f = serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, dir)})
			}
			until(t, func() bool {
				run, err := other.Load(a.Run)
				if err != nil {
					t.Fatal(err)
				}
				return run.End != nil && run.End.Status == "ok" && !run.Running
			})
			if n := f.calls.Load(); n != 1 {
				t.Errorf("%d calls", n)
			}
			// Who sends it again gets what it came to, once; then it is a new run.
			c := connect(t, s, nil)
			got, again := c.run(deleting)
			if again.Run != a.Run || !strings.HasPrefix(got, "deleted\n") || !strings.Contains(got, "after an approval") ||
				f.calls.Load() != 1 {
				t.Errorf("%d calls: %s", f.calls.Load(), got)
			}
			if got, again = c.run(deleting); again.Run == a.Run || again.Status != outcome.Waiting {
				t.Errorf("the next one: %s", got)
			}
		})
	}
}

// The answer of a script whose dry run a person has approved, and which went on without
// its client, is that of the calls that were made. One that waits for the same is over.
func TestADryRunThatWentOnIsTheAnswer(t *testing.T) {
	t.Parallel()
	s, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
	c := connect(t, s, nil)
	_, waits := c.run(deleting)
	_, dry := c.dry(deleting)
	if waits.Status != outcome.Waiting || dry.Approval == "" {
		t.Fatalf("%+v %+v", waits, dry)
	}
	if err := s.Records().Answer(dry.Approval, &record.Answer{Yes: true}); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool {
		run, err := s.Records().Load(dry.Run)
		return err == nil && run.Live() && run.End != nil && !run.Running
	})
	got, a := c.run(deleting)
	if a.Run != dry.Run || a.Dry || a.Ledger != nil || len(a.Calls) != 1 || strings.Contains(got, "not sent:") ||
		f.calls.Load() != 1 {
		t.Errorf("%d calls: %s", f.calls.Load(), got)
	}
	if run, err := s.Records().Load(waits.Run); err != nil || !run.End.Closed {
		t.Errorf("the run before waits on: %+v, %v", run.End, err)
	}
}

// While a run waits the same request is answered with it, and another one is not.
func TestWhatIsSentAgainDoesNotBeginAgain(t *testing.T) {
	t.Parallel()
	for name, dial := range transports {
		t.Run(name, func(t *testing.T) {
			s, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
			c := dial(t, s, nil)
			_, first := c.run(deleting)
			got, again := c.run(deleting)
			if again.Run != first.Run || again.Status != outcome.Waiting || again.Waiting[0].ID != first.Waiting[0].ID {
				t.Errorf("sent again: %s", got)
			}
			if _, other := c.run(deleting + " // another"); other.Run == first.Run {
				t.Error("another script is taken for the same")
			}
			if err := s.Records().Answer(first.Waiting[0].ID, &record.Answer{Yes: true}); err != nil {
				t.Fatal(err)
			}
			if got, again = c.run(deleting); again.Run != first.Run || !strings.HasPrefix(got, "deleted\n") ||
				f.calls.Load() != 1 {
				t.Errorf("after a yes, %d calls: %s", f.calls.Load(), got)
			}
		})
	}
	t.Run("no rejoin", func(t *testing.T) {
		s, _ := serving(t, &serve.Options{Policy: asksForWrites, NoRejoin: true})
		c := connect(t, s, nil)
		_, first := c.run(deleting)
		if _, again := c.run(deleting); again.Run == first.Run {
			t.Error("it is not a new run")
		}
	})
}

func TestOnceIsOnce(t *testing.T) {
	t.Parallel()
	for name, dial := range transports {
		for _, off := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, no rejoin %t", name, off), func(t *testing.T) {
				s, f := serving(t, &serve.Options{NoRejoin: off, Records: folderStore(t, t.TempDir())})
				c := dial(t, s, nil)
				once := func(key, script string) (string, *serve.Answer) {
					res := c.call("execute", map[string]any{"script": script, "once": key})
					if res.IsError && res.StructuredContent == nil {
						return textOf(res), nil
					}
					return textOf(res), structured(t, res)
				}
				_, first := once("a", deleting)
				for range 3 {
					if got, again := once("a", deleting); again == nil || again.Run != first.Run ||
						!strings.HasPrefix(got, "deleted\n") {
						t.Errorf("the same key: %s", got)
					}
				}
				for range 2 {
					if got, _ := once("a", deleting+"// x"); !strings.Contains(got, "another script") ||
						!strings.Contains(got, first.Run) {
						t.Errorf("another script: %s", got)
					}
				}
				if _, other := once("b", deleting); other.Run == first.Run {
					t.Error("another key is taken for the same")
				}
				if n := f.calls.Load(); n != 2 {
					t.Errorf("%d calls", n)
				}
				res := c.call("execute", map[string]any{"script": "Return(1)", "once": strings.Repeat("x", serve.MaxOnce+1)})
				if !strings.Contains(textOf(res), "once is") {
					t.Error(textOf(res))
				}
			})
		}
	}
}

// A script whose client went before the answer came is not done a second time.
func TestAnAnswerThatWasLostIsGivenAgain(t *testing.T) {
	s, f := serving(t, nil)
	c := dialHTTP(t, "http://"+listen(t, s, &serve.HTTP{})+"/mcp", "", "", nil)
	const script = `_, err := files.DeleteFile(files.DeleteFileParams{Path: "x"})
fmt.Println(err)
files.Wait()
Return("end")`
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.CallTool(ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": script}})
	}()
	receive(t, f.blocked)
	cancel()
	receive(t, done)
	receive(t, f.canceled)
	calls := f.calls.Load() // the deletion and what was cut
	if *balanced {          // that its client has gone only the instance knows while it is under way
		until(t, func() bool {
			for sum, err := range s.Records().List(t.Context(), nil) {
				return err == nil && sum.Status != record.Running
			}
			return false
		})
	}
	go func() { receive(t, f.blocked); f.release <- struct{}{} }()
	got, a := c.run(script)
	if !strings.HasPrefix(got, "end\n") || !strings.Contains(got, "not started again") || a.Attempts != 2 {
		t.Errorf("sent again: %s", got)
	}
	if n := f.calls.Load(); n != calls+1 {
		t.Errorf("%d calls, want %d", n, calls+1)
	}
}

func TestTheRunOfALostAnswerIsKnown(t *testing.T) {
	s, _ := serving(t, nil)
	c := s.NewSession("x", serve.Execute, true)
	script := &harness.Script{Source: "Return(7)"}
	run := func(leave bool) *outcome.Result {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := s.Harness().Answering(ctx, s.Harness().RequestOf(script))
		res, err := c.Begins(ctx, script)
		if err != nil {
			t.Fatal(err)
		}
		if leave {
			cancel()
		}
		done(res)
		return res
	}
	first, again := run(true), run(false)
	if again.Run != first.Run || !strings.Contains(strings.Join(again.Warnings, ""), "and did not reach its client") {
		t.Errorf("%+v", again)
	}
	if third := run(false); third.Run == first.Run {
		t.Error("it is answered twice")
	}
}

// Where only the console and tokens with the right say yes, the script's own client is
// not asked, and told where that is.
func TestTheConsoleAloneSaysYes(t *testing.T) {
	s, f := serving(t, &serve.Options{Policy: asksForWrites, Approvals: serve.ApprovalsConsole})
	p := always(accept)
	got, a := connect(t, s, p.options()).run(deleting)
	if a.Status != outcome.Waiting || len(p.questions()) != 0 || f.calls.Load() != 0 {
		t.Errorf("%s; asked %q", got, p.questions())
	}
	if !strings.Contains(got, "through the operator: ask for an approval of "+a.Waiting[0].ID) ||
		strings.Contains(got, "harness approvals") {
		t.Error(got)
	}
}

// What a client carries between question and answer is good for its own script and
// session.
func TestAnswersAreToTheirQuestions(t *testing.T) {
	s, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
	url := "http://" + listen(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: twoTokens}}) + "/mcp"
	by := func(token string) *client {
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
			Capabilities:   &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}},
		}).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url,
			HTTPClient: &http.Client{Transport: bearer(twoTokens[token])}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cs.Close() })
		return &client{cs, t, nil, nil}
	}
	ann, bob := by("ann"), by("bob")
	first := ann.call("execute", map[string]any{"script": deleting})
	keys := slices.Collect(maps.Keys(first.InputRequests))
	if len(keys) != 1 || first.RequestState == "" {
		t.Fatalf("%+v", first)
	}
	send := func(c *client, script, state string) string {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute",
			Arguments:    map[string]any{"script": script},
			RequestState: state, InputResponses: mcp.InputResponseMap{keys[0]: accept}})
		if err != nil {
			t.Fatal(err)
		}
		return textOf(res)
	}
	state := first.RequestState
	for name, got := range map[string]string{
		"another script":  send(ann, deleting+"//", state),
		"another session": send(bob, deleting, state),
		"forged":          send(ann, deleting, state[:len(state)-2]+"AA"),
		"rubbish":         send(ann, deleting, "rubbish"),
	} {
		if !strings.Contains(got, "for another script, or expired") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if n := f.calls.Load(); n != 0 {
		t.Fatalf("%d calls", n)
	}
	if got := send(ann, deleting, state); got != "deleted\n" {
		t.Error(got)
	}
	if got := send(ann, deleting, state); !strings.HasPrefix(got, "deleted\n") ||
		f.calls.Load() != 1 { // its answer was lost, say
		t.Errorf("sent again, %d calls: %s", f.calls.Load(), got)
	}
}

// A run whose process died is named at the start, or goes on, as Options.Resume says.
func TestRunsWhoseProcessesDiedAreToldOf(t *testing.T) {
	t.Parallel()
	for _, how := range serve.Resumings {
		t.Run(string(how), func(t *testing.T) {
			store := folderStore(t, t.TempDir())
			w, err := store.Begin(&record.Begin{Script: record.String(`fmt.Println("hello"); Return(7)`),
				Limits: json.RawMessage(`{}`), Inputs: record.Values{}})
			if err != nil {
				t.Fatal(err)
			}
			id := w.ID()
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			var log lockedLog
			serving(t, &serve.Options{Records: store, Resume: how, Log: textLog(&log)})
			status := func() string {
				run, err := store.Load(id)
				if err != nil {
					t.Fatal(err)
				}
				return run.Summary().Status
			}
			switch how {
			case serve.ResumeAuto:
				until(t, func() bool { return status() == "ok" })
			case serve.ResumeAsk:
				until(t, func() bool { return strings.Contains(log.text(), "harness resume "+id) })
			case serve.ResumeNever:
				if got := status(); got != record.Died {
					t.Errorf("it is %s", got)
				}
			}
			if named := strings.Contains(log.text(), "harness resume"); named != (how == serve.ResumeAsk) {
				t.Errorf("the log names it: %v", named)
			}
		})
	}
}

// lockedLog is a log that is read while it is written.
type lockedLog struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Of requests with the same key that come at the same time one runs, and all get what
// it came to.
func TestOnceIsOnceAtTheSameTime(t *testing.T) {
	t.Parallel()
	for name, dial := range transports {
		t.Run(name, func(t *testing.T) {
			s, f := serving(t, &serve.Options{MaxRuns: 8, Records: folderStore(t, t.TempDir())})
			c := dial(t, s, nil)
			runs := make([]string, 8)
			var all sync.WaitGroup
			for i := range runs {
				all.Go(func() {
					res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute",
						Arguments: map[string]any{"script": deleting, "once": "a"}})
					if err == nil {
						runs[i] = structured(t, res).Run
					}
				})
			}
			all.Wait()
			if got := slices.Compact(slices.Sorted(slices.Values(runs))); len(got) != 1 || got[0] == "" || f.calls.Load() != 1 {
				t.Errorf("%d calls, runs %q", f.calls.Load(), got)
			}
		})
	}
}

// Who sends a script again while its run goes on after a yes waits for that.
func TestWhatIsSentAgainWhileItGoesOn(t *testing.T) {
	t.Parallel()
	s, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
	c := connect(t, s, nil)
	const script = `_, err := files.DeleteFile(files.DeleteFileParams{Path: "x"}); if err != nil { panic(err) }
files.Wait()
Return("end")`
	_, first := c.run(script)
	if err := s.Records().Answer(first.Waiting[0].ID, &record.Answer{Yes: true}); err != nil {
		t.Fatal(err)
	}
	receive(t, f.blocked) // it goes on, without a client
	type answer struct {
		text string
		*serve.Answer
	}
	got := make(chan answer, 1)
	go func() { text, a := c.run(script); got <- answer{text, a} }()
	until(t, func() bool { running, waits := s.Load(); return running+waits == 2 })
	f.release <- struct{}{}
	if a := receive(t, got); a.Run != first.Run || !strings.HasPrefix(a.text, "end\n") || f.calls.Load() != 2 {
		t.Errorf("%d calls: %s", f.calls.Load(), a.text)
	}
}

// A run that waits holds no process, and next to no memory.
func TestAWaitingRunHoldsNothing(t *testing.T) {
	s, _ := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
	c := connect(t, s, nil)
	wait := func(from, to int) {
		for i := from; i < to; i++ {
			if _, a := c.run(fmt.Sprintf("n := %d\n%s\n_ = n", i, deleting)); a.Status != outcome.Waiting {
				t.Fatalf("%+v", a.Result)
			}
		}
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const n = 20
	wait(0, 5)
	before := heap()
	wait(5, 5+n)
	each := (heap() - before) / n
	t.Logf("%d bytes for each run", each)
	if running, waits := s.Load(); each > 20<<10 || running+waits != 0 {
		t.Errorf("%d bytes for each run; %d run", each, running)
	}
}

// Clients at other machines are told no command: it would name files of this one.
func TestWhoIsAwayIsToldNoPath(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		away, noConsole bool
		want            string // behind it is the ID
	}{
		"here":                   {false, false, "harness approvals yes "},
		"away":                   {true, false, "https://tools.example/approvals/"},
		"away, without a page":   {true, true, "through the operator: ask for an approval of "},
		"here, without the page": {false, true, "harness approvals yes "},
	} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) {
				s, _ := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir()),
					Command: registry.Command("-state", "/srv/my records")})
				url := "http://" + listen(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: twoTokens, Hosts: []string{"tools.example"}}, NoConsole: x.noConsole}) + "/mcp"
				header := http.Header{"Authorization": {"Bearer " + twoTokens["ann"]}, "Usetools-Page": {"https://evil.example"}}
				if x.away {
					header.Set("X-Forwarded-For", "192.0.2.1")
					header.Set("X-Forwarded-Proto", "https")
				}
				cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
					&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: headers(header)}},
					&mcp.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				defer cs.Close()
				c := &client{ClientSession: cs, t: t}
				got, a := c.run(deleting)
				if a.Status != outcome.Waiting || !strings.Contains(got, x.want+a.Waiting[0].ID) || strings.Contains(got, "/srv") == x.away {
					t.Errorf("%s", got)
				}
			})
		}
	}
}

// headers sends headers with each request, to the host tools.example if it is forwarded.
type headers http.Header

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	maps.Copy(r.Header, http.Header(h))
	if r.Header.Get("X-Forwarded-For") != "" {
		r.Host = "tools.example"
	}
	return http.DefaultTransport.RoundTrip(r)
}
