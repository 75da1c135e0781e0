package console_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/wrappers/observe"
)

// atEnd are called when all tests have run.
var atEnd []func()

func TestMain(m *testing.M) {
	harness.RunWorker()
	code := m.Run()
	for _, end := range atEnd {
		end()
	}
	if err := shared.close(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "ending the demo world:", err)
		code = 1
	}
	os.Exit(code)
}

// patience is how long a test waits for what must come; it is only used up when the
// test fails.
const patience = time.Minute

// gaveUp says that a wait has failed: then the tests have, and further waits are short.
var gaveUp atomic.Bool

// waitUntil returns the time at which a wait that begins now fails.
func waitUntil() time.Time {
	if gaveUp.Load() {
		return time.Now().Add(patience / 20)
	}
	return time.Now().Add(patience)
}

// until waits for a condition of which no channel tells.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := waitUntil(); !holds(); <-tick.C {
		if time.Now().After(end) {
			gaveUp.Store(true)
			t.Fatal("this did not happen: " + what)
		}
	}
}

// The tokens of the demo world: chief may see and do all, ann may say yes to others,
// support, finance, dev and nightly may nothing more.
var demoTokens = map[string]string{"chief": "token-of-chief-0123", "ann": "token-of-ann-012345",
	"support": "token-of-support-01", "finance": "token-of-finance-01", "dev": "token-of-dev-0123456",
	"nightly": "token-of-nightly-01"}

// demoSecret is in a config of the demo world, and must be on no page.
const demoSecret = "s3cret-of-the-config-42"

// world is a server with a console over the demo shop.
type world struct {
	url     string // http://HOST:PORT
	dir     string
	tokens  map[string]string
	store   *store.Store
	catalog *catalog.Catalog
	policy  *policy.Policy
	harness *harness.Harness // over the same records, for runs that no client sends
	shop    *demoShop
	http    *serve.HTTP
	// runs are the IDs of the records that the world begins with, by what they show.
	runs map[string]string

	ends []func() error // the last one first
}

// sharedWorld is one world for all tests that leave it as it is.
type sharedWorld struct {
	once sync.Once
	w    *world
	err  error
}

var shared sharedWorld

func (s *sharedWorld) close() error {
	if s.w == nil {
		return nil
	}
	return s.w.close()
}

// demo is the world that tests share. Those that answer, settle, run or save make
// their own, by newDemo.
func demo(t testing.TB) *world {
	t.Helper()
	shared.once.Do(func() {
		if shared.w, shared.err = openWorld("127.0.0.1:0", nil); shared.err == nil {
			shared.err = shared.w.fill()
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.w
}

// newDemo is a world of a test's own, with the records of these runs; no names: of all.
func newDemo(t testing.TB, names ...string) *world {
	t.Helper()
	w := emptyDemo(t)
	if err := w.fill(names...); err != nil {
		t.Fatal(err)
	}
	return w
}

// emptyDemo is a world of a test's own in which nothing has run.
func emptyDemo(t testing.TB) *world {
	t.Helper()
	return otherDemo(t, nil)
}

// otherDemo is a world of a test's own that is made another one before it is served.
func otherDemo(t testing.TB, change func(*world)) *world {
	t.Helper()
	w, err := openWorld("127.0.0.1:0", change)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// openWorld serves the demo shop, without records; change, which may be nil, makes it
// another world before it is served.
func openWorld(address string, change func(*world)) (w *world, err error) {
	w = &world{runs: map[string]string{}, tokens: demoTokens}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.dir, err = os.MkdirTemp("", "console"); err != nil {
		return w, err
	}
	dir := w.dir
	w.ends = append(w.ends, func() error { return os.RemoveAll(dir) })
	if w.store, err = store.Open(filepath.Join(dir, "runs"), nil); err != nil {
		return w, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.shop = &demoShop{end: ctx}
	w.ends = append(w.ends, func() error { cancel(); return nil })
	reg := demoRegistry()
	w.catalog = &catalog.Catalog{Registry: reg, Calls: w.shop,
		Servers: []config.Server{{Name: "ledger", Type: "stdio", Command: "ledger-mcp",
			Env: config.Secrets{"LEDGER_KEY": demoSecret}, Pin: true}},
		Rights:  map[string][]catalog.Right{"chief": {catalog.Operate, catalog.Approve}, "ann": {catalog.Approve}},
		Memory:  memory.New(filepath.Join(dir, "phrases.json"), reg),
		Shapes:  observe.New(filepath.Join(dir, "shapes.json")),
		Scripts: library.Open(filepath.Join(dir, "scripts")),
		Usage:   usage.Open(filepath.Join(dir, "usage.jsonl"))}
	large, err := policy.ParseCondition("amount > 100")
	if err != nil {
		return w, err
	}
	w.catalog.Rules = []policy.Rule{
		{Pattern: "mail.send_mail", Then: policy.NeedsApproval, AllCalls: true},
		{Pattern: "shop.refund_payment", Then: policy.NeedsApproval, If: large},
		{Pattern: "ledger.*", Then: policy.IsDenied, Token: "support"},
		{Pattern: "ledger.*", Then: policy.IsDenied, Token: "dev"},
		{Pattern: "ledger.book_entry", Then: policy.IsAllowed, Token: "finance"},
		{Pattern: "chat.post_message", Then: policy.IsAllowed, Token: "nightly"},
	}
	w.policy = &policy.Policy{Approve: policy.ApproveWrites, Deny: []string{"shop.delete_*"}}
	if change != nil {
		change(w)
	}
	w.harness = harness.New(&harness.Options{Records: w.store, BestEffort: true, Version: "demo",
		Catalog: func(context.Context) (*catalog.Catalog, error) { return w.catalog, nil }})
	w.ends = append(w.ends, w.harness.Close)

	s, err := serve.New(&serve.Options{Records: w.store, Policy: w.policy, BestEffort: true, Grace: -1, Version: "demo",
		KeptFor: "runs are kept as long as this test runs", Guides: os.DirFS("../../cmd/harness/help/html"),
		Catalog: func(context.Context) (*catalog.Catalog, error) { return w.catalog, nil }})
	if err != nil {
		return w, err
	}
	w.ends = append(w.ends, s.Close)
	w.http = &serve.HTTP{Endpoint: transport.Endpoint{Address: address, Tokens: w.tokens}, Secret: make([]byte, 32)}
	rand.Read(w.http.Secret)
	if err := w.http.Listen(); err != nil {
		return w, err
	}
	w.url = strings.TrimSuffix(w.http.URL(), "/mcp")
	serving, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.HTTP(serving, w.http) }()
	w.ends = append(w.ends, func() error { stop(); return <-served })
	return w, nil
}

func (w *world) close() error {
	var errs []error
	for _, end := range slices.Backward(w.ends) {
		errs = append(errs, end())
	}
	w.ends = nil
	return errors.Join(errs...)
}

// link opens the console once, as the operator.
func (w *world) link() string { return w.http.ConsoleLink() }

// run runs a script for the holder of a token, as if a client had sent it.
func (w *world) run(subject, source string, change func(*harness.Script)) (*outcome.Result, error) {
	p := *w.policy
	p.Token = subject
	s := &harness.Script{Source: source, Origin: harness.Origin{Subject: subject, Session: "s-" + subject}, Policy: &p}
	if change != nil {
		change(s)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return w.harness.Run(ctx, s)
}

// goOn goes on with a run, or waits for what it comes to where the server was faster.
func (w *world) goOn(res *outcome.Result, subject string) (*outcome.Result, error) {
	p := *w.policy
	p.Token = subject
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := w.harness.Resume(ctx, res.Run, &harness.Script{Origin: harness.Origin{Subject: subject}, Policy: &p})
	var ended *harness.NotResumableError
	if !errors.Is(err, store.ErrRunning) && !errors.As(err, &ended) {
		return got, err
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		run, err := w.store.Load(res.Run)
		if err != nil {
			return nil, err
		}
		if !run.Running && run.End != nil && (run.End.Status != string(outcome.Waiting) || len(run.Open()) > 0) {
			return outcome.FromRecord(run)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// demoRun is a run that the world begins with.
type demoRun struct {
	name, subject, source string
	want                  outcome.Status
	change                func(*harness.Script)
}

func named(name string) func(*harness.Script) {
	return func(s *harness.Script) { s.Origin.Name = name }
}

// demoRuns are made in this order, so that lists have the last one first.
var demoRuns = []demoRun{
	{"timeout", "finance", priceScript, outcome.Timeout,
		func(s *harness.Script) { s.Limits.Timeout = 300 * time.Millisecond }},
	{"uncertain", "finance", bookScript, outcome.Uncertain, nil},
	{"thousand", "nightly", stockScript, outcome.OK, named("stock_check")},
	{"denied", "dev", `UseTools("delete an order for ever")
_, err := shop.DeleteOrder(shop.DeleteOrderParams{ID: 10371})
if err != nil { panic(err) }`, outcome.Denied, nil},
	{"ambiguous", "support", "UseTools(\"a page or mail\")\nReturn(1)", outcome.Ambiguous, nil},
	{"panic", "finance", panicScript, outcome.ScriptError, named("invoice_match")},
	{"compile", "dev", `log, err := git.Log(git.LogParams{Count: 3}); Return(log); _ = err`, outcome.CompileError, nil},
	{"short", "dev", logScript, outcome.OK, nil},
	{"log", "dev", logScript, outcome.OK, nil},
	{"late", "support", lateScript, outcome.Waiting, named("late_orders")},
	{"dry", "support", lateScript, outcome.OK, func(s *harness.Script) { s.Dry, s.Origin.Name = true, "late_orders" }},
	{"waiting", "support", refundScript, outcome.Waiting, nil},
	{"changes", "dev", pushScript, outcome.Waiting, nil},
}

// make makes one of them. On a busy machine one with a deadline has it later, so that
// it comes to its calls.
func (w *world) make(d *demoRun) (*outcome.Result, error) {
	for more := time.Duration(1); ; more *= 5 {
		res, err := w.run(d.subject, d.source, func(s *harness.Script) {
			if d.change != nil {
				d.change(s)
			}
			s.Limits.Timeout *= more
		})
		if err != nil || res.Status != outcome.Timeout {
			return res, err
		}
		run, err := w.store.Load(res.Run)
		if err != nil || len(run.Calls) > 0 || more > 100 {
			return res, err
		}
		if err := w.store.Remove(res.Run); err != nil {
			return nil, err
		}
	}
}

// fill makes the records that the world begins with, or those of some runs.
func (w *world) fill(names ...string) error {
	for _, s := range []*library.Script{{Name: "late_orders", About: "Tickets for orders that have not left", Source: lateScript},
		{Name: "stock_check", About: "How much of each article is free", Source: stockScript}} {
		ids := []string{"shop.list_orders", "warehouse.track_parcel"}
		s.UseTools(ids, w.catalog.Registry)
		if err := w.catalog.Scripts.Save(s); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		if err := w.died(); err != nil {
			return err
		}
	}
	for _, d := range demoRuns {
		if len(names) > 0 && !slices.Contains(names, d.name) {
			continue
		}
		res, err := w.make(&d)
		if err != nil {
			return fmt.Errorf("demo run %s: %w", d.name, err)
		}
		if res.Status != d.want {
			return fmt.Errorf("demo run %s is %s, want %s:\n%s", d.name, res.Status, d.want, res.Text())
		}
		w.runs[d.name] = res.Run
		if d.name == "late" {
			if err := w.approveAll(res, d.subject); err != nil {
				return fmt.Errorf("demo run %s: %w", d.name, err)
			}
		}
	}
	if len(names) > 0 {
		return nil
	}
	return w.begin()
}

// approveAll says yes to all that a run waits for, until it waits no more.
func (w *world) approveAll(res *outcome.Result, subject string) error {
	for res.Status == outcome.Waiting {
		for _, x := range res.Waiting {
			if err := w.store.Answer(x.ID, &record.Answer{Yes: true, Who: "ann", How: "console"}); err != nil {
				return err
			}
		}
		var err error
		if res, err = w.goOn(res, subject); err != nil {
			return err
		}
	}
	if res.Status != outcome.OK {
		return errors.New(res.Text())
	}
	return nil
}

// died leaves the record of a run whose process ended in the middle.
func (w *world) died() error {
	const source = "t, err := tickets.CreateTicket(tickets.CreateTicketParams{Queue: \"shop\", Title: \"again\"})\nReturn(t)\n_ = err"
	wr, err := w.store.Begin(&record.Begin{Script: record.String(source), Subject: "dev", Session: "s-dev", Harness: "demo",
		Limits: json.RawMessage("{}")})
	if err != nil {
		return err
	}
	w.runs["died"] = wr.ID()
	return errors.Join(wr.Add(&record.Call{N: 1, Place: "1:11", Class: record.Read, Tool: "warehouse.stock_level",
		Args: record.Raw(json.RawMessage(`{"article":"NUT-8"}`)), Attempt: 1}), wr.Sync(), wr.Close())
}

// begin begins a run that goes on until the world ends.
func (w *world) begin() error {
	id, ended := make(chan string, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	called := make(chan struct{}, 10)
	go func() {
		p := *w.policy
		res, err := w.harness.Run(ctx, &harness.Script{Source: runningScript, Origin: harness.Origin{Subject: "nightly", Session: "s-nightly", Name: "stock_check"}, Policy: &p, Limits: harness.Limits{Timeout: time.Hour}, OnProgress: func(p record.Progress) {
			switch {
			case p.Begin != nil:
				id <- p.Begin.ID
			case p.Done == nil && p.Call.Tool == "warehouse.count_again":
				called <- struct{}{}
			}
		}})
		if err == nil && res.Status != outcome.Canceled {
			err = errors.New("the run that goes on has ended: " + res.Text())
		}
		ended <- err
	}()
	w.ends = append(w.ends, func() error { cancel(); <-ended; return nil })
	for range 3 {
		select {
		case <-called:
		case err := <-ended:
			ended <- err
			return err
		}
	}
	w.runs["running"] = <-id
	return nil
}

// client is a browser without JavaScript: it keeps cookies and follows redirects.
type client struct {
	*http.Client
	t testing.TB
	w *world
}

// signIn opens the console as the holder of a token; "": as the operator, by a link.
func (w *world) signIn(t testing.TB, token string) *client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{&http.Client{Jar: jar, Timeout: patience}, t, w}
	status, body := 0, ""
	if token == "" {
		status, body = c.get(strings.TrimPrefix(w.link(), w.url))
	} else {
		status, body = c.post("/login", url.Values{"token": {w.tokens[token]}})
	}
	if status != http.StatusOK {
		t.Fatalf("signing in as %q: %d %.500s", token, status, body)
	}
	return c
}

// do sends a request as a page of ours does and returns what follows.
func (c *client) do(method, path string, form url.Values, header ...string) (*http.Response, string) {
	c.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.w.url+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if method != http.MethodGet {
		r.Header.Set("Origin", c.w.url)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i+1] == "" {
			r.Header.Del(header[i])
		}
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := c.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp, string(b)
}

// get fetches a path and follows redirects.
func (c *client) get(path string) (status int, body string) {
	c.t.Helper()
	resp, body := c.do(http.MethodGet, path, nil)
	return resp.StatusCode, body
}

// post sends a form and follows the redirect.
func (c *client) post(path string, form url.Values) (status int, body string) {
	c.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	resp, body := c.do(http.MethodPost, path, form)
	return resp.StatusCode, body
}

// page fetches a path that must be there.
func (c *client) page(path string) string {
	c.t.Helper()
	status, body := c.get(path)
	if status != http.StatusOK {
		c.t.Fatalf("GET %s: %d\n%.2000s", path, status, body)
	}
	return body
}

// place is a page of the demo world.
type place struct{ name, path string }

// places are all pages, in the states that they have.
func (w *world) places(t testing.TB) []place {
	t.Helper()
	list := []place{{"overview", "/"}, {"runs", "/runs"}, {"runs-filtered", "/runs?status=waiting&tool=mail.send_mail"},
		{"runs-none", "/runs?text=there+is+none"}}
	for _, name := range []string{"late", "thousand", "running", "waiting", "uncertain", "died", "dry", "timeout", "panic",
		"compile", "denied", "ambiguous"} {
		list = append(list, place{"run-" + name, "/runs/" + w.runs[name]})
	}
	list = append(list, place{"tools", "/tools"}, place{"tools-search", "/tools?q=who+changed+each+line+of+a+file"},
		place{"tools-none", "/tools?q=launch+a+rocket"}, place{"tool", "/tools/git.git_blame"},
		place{"tool-effect", "/tools/shop.refund_payment?example=0"},
		place{"editor", "/editor"}, place{"editor-run", "/editor?run=" + w.runs["late"]}, place{"approvals", "/approvals"})
	return append(list, place{"servers", "/servers"}, place{"servers-one", "/servers/ledger"}, place{"overview-week", "/?hours=168"}, place{"policy", "/policy"}, place{"help", "/help"},
		place{"compare", "/runs/" + w.runs["late"] + "/compare/" + w.runs["dry"]}, place{"policy-why", "/policy?token=support&tool=mail.send_mail"}, place{"scripts", "/scripts"}, place{"skills", "/skills"})
}

func TestDemo(t *testing.T) {
	begun := time.Now()
	w := demo(t)
	t.Logf("made in %v", time.Since(begun).Round(time.Millisecond))
	got := map[string]string{}
	calls := map[string]int{}
	for sum, err := range w.store.List(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for name, id := range w.runs {
			if id == sum.ID {
				got[name], calls[name] = string(sum.Status), sum.Calls
			}
		}
	}
	want := map[string]string{"running": record.Running, "died": record.Died, "late": "ok"}
	for _, d := range demoRuns {
		if want[d.name] == "" {
			want[d.name] = string(d.want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("run %s is %q, want %q", name, got[name], want[name])
		}
	}
	if calls["late"] != 32 || calls["thousand"] != 1000 {
		t.Errorf("late_orders made %d calls, want 32; the long one %d, want 1000", calls["late"], calls["thousand"])
	}
	for token := range demoTokens {
		w.signIn(t, token).page("/")
	}
	w.signIn(t, "").page("/")
}
