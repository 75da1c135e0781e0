package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/serve/guard"
)

// newConsole returns the console of a front.
func (f *front) newConsole() *console.Console {
	s, o := f.s, &f.s.opts
	secret := f.h.Secret
	if len(secret) == 0 || !f.h.Local() { // otherwise tokens open it
		secret = make([]byte, 32)
		rand.Read(secret)
	}
	c := &console.Options{Host: &consoleHost{f}, Records: s.records, Secret: secret,
		Files: o.Files, Next: f.next, Kept: o.KeptFor, Cluster: o.Cluster, Guides: o.Guides, Version: o.Version, Log: s.log}
	if o.Tools == Execute {
		c.ListTokens = o.ListTokens
	}
	if f.signsIn() {
		c.Holder, c.Viewer = f.h.Holder, f.viewer
		c.Tokens = slices.Sorted(maps.Keys(f.h.Tokens))
	}
	return console.New(c)
}

// signsIn reports whether tokens open the console. If only the console may approve, a single token
// does not, because its client could approve its own scripts.
func (f *front) signsIn() bool {
	return f.h.Tenants() || len(f.h.Tokens) > 0 && f.s.opts.Approvals != ApprovalsConsole
}

// viewer returns the viewer of the console with a token, or nil for an unknown token.
func (f *front) viewer(name string) *console.Viewer {
	if _, ok := f.h.Tokens[name]; !ok {
		return nil
	}
	o, cat := f.owner(name), f.s.live.current()
	may := func(r catalog.Right) bool { return cat != nil && cat.May(name, r) }
	v := &console.Viewer{Name: name, Token: name, Subject: o.Subject(), Operator: o == guard.Operator || may(catalog.Operate)}
	v.Approves = v.Operator || may(catalog.Approve)
	v.OthersOnly = f.s.opts.Approvals == ApprovalsConsole
	return v
}

// pages serves the console, and passes requests for other paths, and MCP requests at /, to rest.
func (f *front) pages(rest *http.ServeMux) http.Handler {
	if f.console == nil {
		return rest
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, other := rest.Handler(r)
		unknown := other == "" && f.console.SignedIn(r) != nil // gets the page for unknown paths
		if !f.console.Has(r) && !unknown || strings.Contains(r.Header.Get("Accept"), "text/event-stream") && r.URL.Path == "/" {
			rest.ServeHTTP(w, r)
			return
		}
		who := f.console.SignedIn(r)
		if r.ContentLength != 0 && (who != nil || r.URL.Path == console.LoginPath) { // their handlers bound the body
			token, most := "", int64(console.MaxLogin)
			if who != nil {
				token, most = who.Token, console.MaxForm
			}
			release, ok := f.bodies.Hold(w, r, token, most)
			if !ok {
				return
			}
			defer release()
			w.Header().Del("Connection")
		}
		f.console.ServeHTTP(w, r)
	})
}

// consoleHost is the console's host.
type consoleHost struct{ f *front }

// session returns the session of all viewers with a token, or of the operator.
func (h *consoleHost) session(v *console.Viewer) *session {
	f := h.f
	o := guard.Operator
	if v.Token != "" {
		o = f.owner(v.Token)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.consoles[v.Token]
	if c == nil || c.owner != o {
		c = f.s.newSession("console-"+cmp.Or(v.Token, "operator"), o, v.Token, Execute, false, false, nil)
		f.consoles[v.Token] = c
	}
	return c
}

func (h *consoleHost) Catalog(v *console.Viewer) *catalog.Catalog {
	cat := h.f.s.live.current()
	if cat == nil {
		return nil
	}
	return h.f.s.catalogFor(h.session(v).owner, cat)
}

func (h *consoleHost) Policy(v *console.Viewer) *policy.Policy { return h.session(v).policy() }

func (h *consoleHost) Load() (running, waiting int) { return h.f.s.queue.Load() }

// begun sends the ID of a run when it begins.
func begun(script *harness.Script, ids chan<- string) {
	tell := script.OnProgress
	script.OnProgress = func(p record.Progress) {
		if p.Begin != nil {
			select {
			case ids <- p.Begin.ID:
			default:
			}
		}
		tell(p)
	}
}

// begunID returns the ID of a run that has begun, or "".
func begunID(ids <-chan string) string {
	select {
	case id := <-ids:
		return id
	default:
		return ""
	}
}

func (h *consoleHost) Execute(ctx context.Context, v *console.Viewer, script *console.Script) (string, error) {
	c, s := h.session(v), h.f.s
	if len(script.Source) > maxScript {
		return "", fmt.Errorf("the script has more than %d bytes", maxScript)
	}
	args := &executeArgs{Script: script.Source, Inputs: script.Inputs, DryRun: script.Dry}
	ids, ended := make(chan string, 1), make(chan error, 1)
	turn, giveUp := context.WithCancel(s.ctx)
	s.work.Go(func() {
		defer giveUp()
		_, release, err := c.runInTurn(turn, nil, args, func(ctx context.Context, hs *harness.Script) (*outcome.Result, error) {
			hs.Origin.Name = script.Name
			begun(hs, ids)
			return s.harness.Run(ctx, hs)
		}, time.Now())
		if release != nil {
			release()
		}
		ended <- err
	})
	var err error
	select {
	case id := <-ids:
		return id, nil
	case err = <-ended:
		err = cmp.Or(err, errors.New("the script left no record"))
	case <-ctx.Done():
		err = ctx.Err()
	}
	if id := begunID(ids); id != "" { // the run continues
		return id, nil
	}
	giveUp() // a run that is reported not to have begun must not begin later
	return "", err
}

func (h *consoleHost) Check(ctx context.Context, v *console.Viewer, script *console.Script) (res *outcome.Result, err error) {
	c, s := h.session(v), h.f.s
	if len(script.Source) > maxScript {
		return nil, fmt.Errorf("the script has more than %d bytes", maxScript)
	}
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	defer s.metrics.Recovered("check", &err)
	return s.harness.Check(ctx, &harness.Script{Source: script.Source, Inputs: script.Inputs, Dry: script.Dry,
		Strict: s.opts.Strict, Catalog: cat, Policy: c.policy(), Origin: harness.Origin{Results: c.results, Session: c.id, Subject: c.owner.Subject(), Anonymous: c.owner == guard.Anonymous}})
}

func (h *consoleHost) CallTool(ctx context.Context, v *console.Viewer, tool string, args json.RawMessage,
	approved bool) (string, error) {
	c, s := h.session(v), h.f.s
	release, err := s.queue.Acquire(ctx, c.tenant(), c.id)
	if err != nil {
		return "", err
	}
	defer release()
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	begin := time.Now()
	like := &executeArgs{Script: "call " + tool, Inputs: map[string]json.RawMessage{"arguments": args}}
	account := c.account(like, cat.Registry, begin)
	if err := account.Ready(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.opts.Limits.Timeout) // it also ends if the page is closed
	defer cancel()
	script, ids := c.script(account), make(chan string, 1)
	begun(script, ids)
	res, d, err := s.harness.CallTool(ctx, cat, tool, args, script, approved)
	account.Called(res, d, err)
	if id := begunID(ids); id != "" {
		return id, nil // its outcome is in its record
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("%w%s", err, takes(cat, tool, err))
	case d.Verdict == policy.NeedsApproval:
		return "", &console.ApprovalError{Rule: d.Rule}
	}
	return "", fmt.Errorf("denied: %s: %s; nothing has run", tool, d.Rule)
}

func (h *consoleHost) Replay(ctx context.Context, v *console.Viewer, p *harness.Replay) (res *harness.Replayed, err error) {
	c, s := h.session(v), h.f.s
	release, err := s.queue.Acquire(ctx, c.tenant(), c.id)
	if err != nil {
		return nil, err
	}
	defer release()
	defer s.metrics.Recovered("replay", &err)
	return s.harness.Replay(ctx, p)
}

func (h *consoleHost) Resume(run string) error {
	s, r := h.f.s, h.f.s.resumer
	rec, err := s.records.Load(run)
	if err != nil {
		return err
	}
	r.mu.Lock()
	o, known := r.owners[rec.Begin.Subject]
	r.mu.Unlock()
	switch {
	case rec.Running:
		return errors.New("it is under way")
	case !known:
		return errors.New("it belongs to a token that this server does not know")
	}
	release := r.hold(rec.Begin.ID)
	ended := make(chan error, 1)
	s.work.Go(func() {
		defer release()
		err := r.resume(s.ctx, rec, o)
		h.f.console.RunChanged(rec.Begin.ID)
		ended <- err
	})
	select {
	case err := <-ended:
		return err
	case <-time.After(resumeWait): // resuming did not fail early
		return nil
	}
}

// resumeWait is how long a page waits for an error of resuming a run.
const resumeWait = 500 * time.Millisecond

func (h *consoleHost) ResumeWhenAnswered(run string) bool {
	r := h.f.s.resumer
	rec, err := h.f.s.records.Load(run)
	r.add(run)
	r.wake()
	return err == nil && r.serves(rec)
}
