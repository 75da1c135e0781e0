package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

const (
	maxPhrases    = 100     // of one script
	maxPhraseSize = 4 << 10 // bytes; the front end takes less, but who knows what sent them
	maxNames      = 2000    // selectors on server packages in one script
	maxName       = 200     // bytes; a longer name is no tool's
	maxFields     = 20      // of a name
	// reach is how many candidates of a phrase a used name may pick from.
	reach = 20
	// shown is how many candidates of a phrase a Result lists.
	shown = 10
)

// How a tool was found, besides the values of discovery.
const (
	ByName  discovery.By = "name"  // the script uses its Go name, a phrase has it within reach
	ByAdded discovery.By = "added" // the script uses its Go name, no phrase declares it
)

// Resolve finds the tools that a script needs: phrases narrow, names select.
func (r *run) Resolve(ctx context.Context, n *worker.Needs) (*worker.Tools, bool, error) {
	if len(n.Phrases) > maxPhrases || len(n.Names) > maxNames {
		r.stop(CompileError, Error{Kind: KindRefused, Message: fmt.Sprintf(
			"the script declares %d phrases and uses %d names, at most %d and %d are allowed", len(n.Phrases), len(n.Names),
			maxPhrases, maxNames)})
		return nil, false, nil
	}
	if i := slices.IndexFunc(n.Phrases, func(p worker.Phrase) bool { return len(p.Text) > maxPhraseSize }); i >= 0 {
		r.stop(CompileError, Error{Kind: KindRefused, Line: n.Phrases[i].Line,
			Message: fmt.Sprintf("a phrase has more than %d bytes", maxPhraseSize)})
		return nil, false, nil
	}
	r.tellsUncertain = n.Uncertain
	switch p := r.tree.replay; {
	case p != nil && p.resume:
		if tools, ok, err := r.resumed(ctx, n); ok || err != nil || r.result.Status == Diverged {
			r.err = err
			return tools, ok, err
		}
	case p != nil && r.script.Catalog == nil:
		return r.recorded(n)
	}
	r.names, r.probe, r.broken = bounded(n.Names), n.Probe && !n.Broken, n.Broken
	r.allowed, r.declared = map[string]*wrappers.Tool{}, map[string]int{}
	r.builtins = n.Own
	if len(n.Phrases)+len(n.Names)+len(n.Own) == 0 {
		return &worker.Tools{}, true, nil
	}
	if r.cat, r.err = r.catalog(ctx); r.err != nil {
		if n.Broken { // what is wrong is known
			r.cat, r.err = nil, nil
			return &worker.Tools{}, true, nil
		}
		serversOwn := func(n worker.Name) bool { return n.Imported || len(export.ByName(n.Package)) == 0 }
		if len(n.Phrases)+len(n.Own) == 0 && !slices.ContainsFunc(n.Names, serversOwn) {
			r.cat, r.err = nil, nil // packages of the library are meant
			return &worker.Tools{}, true, nil
		}
		return nil, false, r.err
	}
	if r.cat, r.err = r.await(ctx, r.cat, n); r.err != nil {
		return nil, false, r.err
	}
	if r.err = r.use(r.cat); r.err != nil {
		return nil, false, r.err
	}
	begin := time.Now()
	used := r.usedTools()
	var unresolved map[string]worker.Unresolved
	if unresolved, r.err = r.phrases(ctx, n.Phrases, used); r.err != nil {
		return nil, false, r.err
	}
	if r.probe {
		r.lookUp()
		r.result.Timing.Resolve = ms(time.Since(begin))
		return nil, false, nil
	}
	r.undeclared(used)
	r.result.Timing.Resolve = ms(time.Since(begin))
	if n.Broken {
		return &worker.Tools{}, true, nil
	}
	if len(r.result.Errors) == 0 {
		r.showUnused(used)
	}
	begin = time.Now()
	// Where a phrase has no tool the script is checked all the same, so that
	// all that is wrong is told at once.
	tools := &worker.Tools{Units: r.units(), Unresolved: unresolved, Go: len(r.result.Errors) == 0 && !r.refuses()}
	r.result.Timing.Generate = ms(time.Since(begin))
	if r.err = r.journal.tools(r, tools); r.err != nil {
		return nil, false, r.err
	}
	return tools, true, nil
}

// stop ends the run before it began.
func (r *run) stop(s Status, e Error) {
	r.result.Status = s
	r.result.Errors = append(r.result.Errors, e)
	r.result.Error = &r.result.Errors[0]
}

// usedTools maps the names that the script uses to tools, in the order of
// their first use. A type name counts where it belongs to one tool only.
func (r *run) usedTools() []*wrappers.Tool {
	var out []*wrappers.Tool
	add := func(t *wrappers.Tool) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, n := range r.names {
		s := r.server(n.Package)
		if s == nil || n.Std && !n.Imported {
			continue
		}
		if ts := s.Type(n.Name); len(ts) == 1 {
			add(ts[0])
		} else if t, ok := s.Func(n.Name); ok && len(ts) == 0 {
			add(t)
		}
	}
	return out
}

// server returns the server that a package name in a script means.
func (r *run) server(pkg string) *wrappers.Server {
	if s, ok := r.view.Package(pkg); ok {
		return s
	}
	s, _ := r.view.NearPackage(pkg)
	return s
}

// phrases resolves every phrase, lets the used names pick among its
// candidates, and returns the unresolved phrases whose error the script
// handles.
func (r *run) phrases(ctx context.Context, ps []worker.Phrase, used []*wrappers.Tool) (map[string]worker.Unresolved,
	error) {
	unresolved := map[string]worker.Unresolved{}
	for _, p := range ps {
		// What a script does is decided by the names that it uses; a probe has
		// nothing but its phrases.
		res, err := r.cat.Resolve(ctx, p.Text, &discovery.ResolveOptions{Candidates: reach, Alone: r.probe})
		if err != nil {
			return nil, err
		}
		r.pick(&res, used)
		if err := r.dropDenied(&res); err != nil {
			return nil, err
		}
		if t, ok := r.view.Tool(res.Tool); ok && res.Verdict == discovery.Resolved {
			r.allow(t)
			if r.declared[t.ID] == 0 {
				r.declared[t.ID] = p.Line
			}
		} else if _, ok := r.asksForServer(&res); !ok && !r.probe { // a server's name declares no tool
			r.notFound(p, &res, unresolved)
		}
		r.report(res)
	}
	return unresolved, nil
}

// pick lets the names that the script uses decide among a phrase's candidates.
func (r *run) pick(res *discovery.Resolution, used []*wrappers.Tool) {
	if res.By == discovery.ByExact {
		return
	}
	var first *wrappers.Tool
	for _, c := range res.Candidates {
		t, ok := r.view.Tool(c.ID)
		if !ok || !slices.Contains(used, t) {
			continue
		}
		if res.Verdict == discovery.Resolved && c.ID == res.Tool {
			first = t // what it means by itself
			break
		}
		if first == nil || r.allowed[first.ID] != nil && r.allowed[t.ID] == nil {
			first = t // a tool that no earlier phrase has claimed is better
		}
	}
	if first == nil {
		return
	}
	by := ByName
	if first.ID == res.Tool { // it was resolved to that
		by = res.By
	}
	// All used tools within reach are declared by this phrase; one of them is
	// its answer.
	for _, c := range res.Candidates {
		if t, ok := r.view.Tool(c.ID); ok && slices.Contains(used, t) {
			r.allow(t)
		}
	}
	res.Verdict, res.By, res.Tool, res.NoTool, res.Reason = discovery.Resolved, by, first.ID, false, ""
}

// dropDenied takes for an ambiguous name the one tool of that name that policy
// does not deny. Where it denies them all it is the first, so that the denial
// is the answer.
func (r *run) dropDenied(res *discovery.Resolution) error {
	if res.Verdict != discovery.Ambiguous {
		return nil
	}
	d, err := r.index.Describe([]string{res.Phrase}, discovery.NameOnly)
	if err != nil || len(d.Tools) == 0 {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(d.Tools), func(e discovery.Entry) bool { return r.hides(e.ID) })
	if len(left) > 1 || len(left) == len(d.Tools) {
		return nil
	}
	one := append(left, d.Tools[0])[0]
	res.Verdict, res.By, res.Tool, res.Confidence, res.Stale = discovery.Resolved, discovery.ByExact, one.ID, 1, one.Stale
	return nil
}

func (r *run) allow(t *wrappers.Tool) { r.allowed[t.ID] = t }

// notFound records a phrase without a tool: an error, or data for a script
// that handles it.
func (r *run) notFound(p worker.Phrase, res *discovery.Resolution, unresolved map[string]worker.Unresolved) {
	status, message, hint := r.whyNot(p.Text, res)
	if res.Note != "" && !strings.Contains(message, res.Note) {
		hint += "; " + res.Note
	}
	near := r.index.Offer(res)
	offered := slices.DeleteFunc(slices.Clone(near), func(d discovery.Difference) bool { return r.hides(d.ID) })
	if res.Verdict == discovery.Ambiguous && len(offered) == 0 {
		message, hint = message+"; policy denies them all", ""
	} else if res.Verdict == discovery.Ambiguous && len(offered) < len(near) {
		message += "; policy denies those that are not shown"
	}
	if p.Handled {
		u := worker.Unresolved{Message: message, Candidates: []string{}}
		for _, d := range offered {
			u.Candidates = append(u.Candidates, d.ID)
		}
		if len(u.Candidates) > 0 {
			u.Message += "; nearest: " + strings.Join(u.Candidates, ", ")
		}
		unresolved[p.Text] = u
		return
	}
	if r.broken {
		return
	}
	var names []string
	e := Error{Kind: KindResolve, Line: p.Line, Column: p.Column, Message: message, Hint: hint, shown: true}
	if res.Verdict == discovery.Ambiguous && !res.NoTool {
		e.Fixes = r.phraseFixes(p, offered)
	}
	for i, d := range offered {
		if t, ok := r.view.Tool(d.ID); ok {
			e.Signatures = append(e.Signatures, t.Signature()+t.Mark()+" // "+inShort(offered, i))
			names = append(names, fmt.Sprintf("%s (%s)", t.Go(), inShort(offered, i)))
		}
	}
	if res.Verdict != discovery.Unavailable && !r.script.Strict && r.allFound() {
		w := fmt.Sprintf("%s; nearest: %s; the names that the script uses were all found", message, text.List(names, 3))
		r.result.Warnings = append(r.result.Warnings, fmt.Sprintf("line %d: %s", p.Line, w))
		r.result.Mended = append(r.result.Mended, Error{Line: p.Line, Column: p.Column, Message: w, Sent: p.Line})
		return
	}
	if len(names) > 0 && res.NoTool {
		e.Message += "; nearest, does something else"
	}
	if len(names) > 0 {
		e.Message += ": " + strings.Join(names, ", ")
	}
	for i, d := range offered {
		if t, ok := r.view.Tool(d.ID); ok {
			n := guessed
			if i > 1 {
				n = alsoNamed
			}
			r.mean(n, t)
		}
	}
	if r.result.Status != ToolNotFound {
		r.result.Status = status
	}
	r.result.Errors = append(r.result.Errors, e)
}

// allFound reports whether the script uses tools, and all of them by names
// that there are.
func (r *run) allFound() bool {
	found := false
	for _, n := range r.names {
		s := r.server(n.Package)
		if s == nil && n.Std && !n.Imported {
			continue
		}
		if s == nil {
			return false
		}
		if len(s.Type(n.Name)) > 0 {
			continue
		}
		if _, ok := s.Func(n.Name); !ok {
			if n.Std && !n.Imported {
				continue
			}
			return false
		}
		found = true
	}
	return found
}

// inShort says in a line what an offered tool does, and what distinguishes it
// where another of them says the same.
func inShort(offered []discovery.Difference, i int) string {
	d := offered[i]
	same := func(o discovery.Difference) bool { return o.ID != d.ID && o.Summary == d.Summary }
	telling := d.Distinction()
	if telling == "" || !slices.ContainsFunc(offered, same) {
		return d.Summary
	}
	return strings.TrimPrefix(d.Summary+"; only here: "+telling, "; ")
}

// whyNot says why a phrase has no tool, and what to do.
func (r *run) whyNot(phrase string, res *discovery.Resolution) (status Status, message, hint string) {
	switch {
	case res.Verdict == discovery.Unavailable:
		r.result.Down = append(r.result.Down, res.Server)
		return ToolNotFound, fmt.Sprintf("%q cannot be served now: %s", phrase, res.Note), ""
	case res.Verdict == discovery.Ambiguous && res.NoTool:
		return Ambiguous, fmt.Sprintf("no tool does %q", phrase),
			"do it another way; if one of these is meant, call it by its Go name, or put its ID into UseTools"
	case res.Verdict == discovery.Ambiguous:
		return Ambiguous, fmt.Sprintf("%q could mean several tools", phrase),
			"call the one that you mean by its Go name, or put its ID into UseTools"
	case res.Note != "" && r.cat.Misnamed(phrase, res.Note):
		return ToolNotFound, res.Note, "call one that it has, or say in plain words what you need"
	}
	down := down(r.cat.Registry)
	if r.cat.Asking != nil {
		r.result.Down = append(r.result.Down, r.cat.Asking.Servers...)
	}
	for _, s := range down {
		if s.Tools == 0 {
			r.result.Down = append(r.result.Down, s.Name)
		}
	}
	switch servers := r.cat.Registry.Servers; {
	case len(r.cat.Registry.Tools) > 0:
		hint = "reword the phrase with what the tool does and to what"
		if len(down) > 0 {
			hint += "; these servers could not be asked: " + serverNames(down)
		}
	case len(servers) == 0:
		hint = "there are no tools: the config names no servers"
	case len(down) == 0:
		hint = "there are no tools: the servers have none, or their allow and deny lists leave none: " + serverNames(servers)
	default:
		hint = fmt.Sprintf("there are no tools: no server could be asked: %s (%s)", serverNames(down),
			reason(down[0].Name, *down[0].Error))
	}
	return ToolNotFound, fmt.Sprintf("no tool found for %q", phrase), hint
}

// reason is in at most 200 characters why a server could not be asked.
func reason(name, message string) string {
	return registry.Printable(catalog.OfServer(name, message), 200)
}

// down returns the servers whose last listing failed.
func down(reg *registry.Registry) []registry.Server {
	return slices.DeleteFunc(slices.Clone(reg.Servers), func(s registry.Server) bool { return s.Error == nil })
}

func serverNames(servers []registry.Server) string {
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// undeclared adds the used tools that no phrase declares. Where the script is
// strict that is an error, and they are there to check the rest against.
func (r *run) undeclared(used []*wrappers.Tool) {
	for _, t := range used {
		if r.allowed[t.ID] != nil {
			continue
		}
		r.allow(t)
		if r.script.Strict {
			line := r.lineOf(t)
			r.result.Status = ToolNotFound
			r.result.Errors = append(r.result.Errors,
				Error{Kind: KindResolve, Line: line, Snippet: snippet(r.script.Source, line),
					Message: fmt.Sprintf("%s is used but no phrase of UseTools declares it", t.Go()),
					Hint:    fmt.Sprintf("add UseTools(%q)", t.ID)})
			continue
		}
		r.report(discovery.Resolution{Verdict: discovery.Resolved, By: ByAdded, Tool: t.ID, Confidence: 1,
			Candidates: []discovery.Candidate{}})
	}
}

// lineOf is where the script first uses a tool, else where it declares it.
func (r *run) lineOf(t *wrappers.Tool) int {
	for _, n := range r.names {
		if s := r.server(n.Package); s == t.Package() {
			if f, ok := s.Func(n.Name); ok && f == t {
				return n.Line
			}
		}
	}
	return r.declared[t.ID]
}

// report adds a line to the result's tools.
func (r *run) report(res discovery.Resolution) {
	u := ToolUse{Resolution: res}
	u.Candidates = slices.DeleteFunc(u.Candidates,
		func(c discovery.Candidate) bool { return c.ID != u.Tool && r.hides(c.ID) })
	u.Candidates = u.Candidates[:min(shown, len(u.Candidates))]
	if t, ok := r.view.Tool(res.Tool); ok {
		u.Go = t.Go()
	}
	r.result.Tools = append(r.result.Tools, u)
}

// units generates the packages with the tools that the script may call.
func (r *run) units() []worker.Unit {
	by := map[*wrappers.Server][]*wrappers.Tool{}
	for _, t := range r.allowed {
		by[t.Package()] = append(by[t.Package()], t)
	}
	// A package that the script imports exists even when none of its tools is
	// declared, so that the message is about the function, not the import.
	for _, n := range r.names {
		if s := r.server(n.Package); s != nil && by[s] == nil {
			by[s] = nil
		}
	}
	var units []worker.Unit
	for _, s := range r.view.Servers() {
		if ts, ok := by[s]; ok {
			units = append(units, worker.Unit{Path: s.Path(), Name: s.Name, Source: s.Source(ts, false)})
		}
	}
	if slices.Contains(r.builtins, bridge.OwnDiscovery) {
		units = append(units, worker.Unit{Path: bridge.OwnDiscovery, Source: bridge.Discovery})
	}
	return units
}

// bounded leaves out names and fields that are too long to be a tool's.
// Guessing what was meant by them would take minutes.
func bounded(names []worker.Name) []worker.Name {
	var out []worker.Name
	for _, n := range names {
		if len(n.Package) > maxName || len(n.Name) > maxName {
			continue
		}
		n.Fields = slices.DeleteFunc(n.Fields, func(f string) bool { return len(f) > maxName })
		n.Fields = n.Fields[:min(len(n.Fields), maxFields)]
		out = append(out, n)
	}
	return out
}

// catalog is the script's own or that of the harness.
func (r *run) catalog(ctx context.Context) (*catalog.Catalog, error) {
	if c := r.script.Catalog; c != nil {
		return c, c.Load()
	}
	return r.h.catalog(ctx)
}

// use makes cat what the script can use.
func (r *run) use(cat *catalog.Catalog) error {
	view, err := cat.View()
	if err != nil {
		return err
	}
	index, err := cat.Index()
	if err != nil {
		return err
	}
	r.cat, r.view, r.index = cat, view, index
	return nil
}

// Start is asked once the script compiled: the place where policy decides on
// the whole set of tools before anything runs.
func (r *run) Start(ctx context.Context, _ *worker.Plan) bool {
	if len(r.result.Errors) > 0 { // a phrase has no tool
		return false
	}
	if p := r.tree.replay; p != nil && !p.isLive() { // nothing is called, or each call is decided on when it is
		return true
	}
	told := r.script.Policy != nil || r.script.ReadOnly
	for _, id := range sortedKeys(r.allowed) {
		t := r.allowed[id]
		d := r.decide(t)
		if r.against(d) {
			r.deny(t, d)
		} else if told {
			r.result.Decisions = append(r.result.Decisions, d)
		}
	}
	if r.result.Status == Denied {
		return false
	}
	if !r.check && len(r.allowed) > 0 {
		r.connect(ctx)
	}
	return true
}

// connect begins to start the servers of the script's tools, all at once, so that its first
// calls of each wait for the slowest and not for one after another. A call reports what fails.
func (r *run) connect(ctx context.Context) {
	calls, ok := r.cat.Calls.(starter)
	if !ok {
		return
	}
	servers := map[string]bool{}
	for _, t := range r.allowed {
		if t.Error == "" && !servers[t.Server] {
			servers[t.Server] = true
			go calls.Ready(ctx, t.Server)
		}
	}
}

// refuses reports whether policy has anything against the tools of the script.
func (r *run) refuses() bool {
	for _, t := range r.allowed {
		if r.against(r.decide(t)) {
			return true
		}
	}
	return false
}

// against reports whether a decision is against a script that has not begun: a call
// of it that needs a person can wait for one.
func (r *run) against(d policy.Decision) bool {
	return d.Verdict == policy.IsDenied || d.Verdict == policy.NeedsApproval && !r.canAsk() && !r.check
}

// deny ends the run for a tool that policy does not let it call.
func (r *run) deny(t *wrappers.Tool, d policy.Decision) {
	if slices.Contains(r.result.Decisions, d) { // for an earlier phrase
		return
	}
	r.result.Decisions = append(r.result.Decisions, d)
	e := Error{Kind: KindPolicy, Line: r.lineOf(t), Message: fmt.Sprintf("%s (%s): %s", t.Go(), t.ID, d.Rule)}
	e.Snippet = snippet(r.script.Source, e.Line)
	if d.Verdict == policy.NeedsApproval {
		e.Hint = fmt.Sprintf("nothing has run; ask the user: with -state DIR the run waits for approval (of harness run, or "+
			"behind serve in the entry of the client: \"-state\", \"DIR\"); -approved %s there approves the tool for that "+
			"one command or server", t.ID)
	}
	r.stop(Denied, e)
}

// shows reports whether a tool may be offered to a script that has not named
// it: policy does not deny it.
func (r *run) shows(t *registry.Tool) bool {
	return r.cat.Decide(r.policy(), t, nil).Verdict != policy.IsDenied
}

func (r *run) hides(id string) bool {
	t, ok := r.view.Tool(id)
	return ok && !r.shows(t.Tool)
}

// decide is the script's policy on a tool; one that is held is denied to all.
func (r *run) decide(t *wrappers.Tool) policy.Decision {
	if t.Held {
		return policy.Decision{Tool: t.ID, Verdict: policy.IsDenied, Rule: t.Error}
	}
	return r.strictest(t, func(p *policy.Policy) policy.Decision { return r.cat.Decide(p, t.Tool, r.script.Approved) })
}

// decideCall is that on one call of it.
func (r *run) decideCall(t *wrappers.Tool, args registry.Args) policy.Decision {
	if t.Held {
		return r.decide(t)
	}
	return r.strictest(t, func(p *policy.Policy) policy.Decision { return r.cat.DecideCall(p, t.Tool, args, r.script.Approved) })
}

// strictest is what the policy says, and in a run that goes on also the one that it
// began with. Nobody is asked about what a dry run does not send.
func (r *run) strictest(t *wrappers.Tool, decide func(*policy.Policy) policy.Decision) policy.Decision {
	d := decide(r.policy())
	if r.script.began != nil {
		then := decide(r.script.began)
		if then.Verdict == policy.IsDenied || then.Verdict == policy.NeedsApproval && d.Verdict != policy.IsDenied {
			d = then
		}
	}
	if class, _ := r.cat.Class(t.Tool); d.Verdict == policy.NeedsApproval && r.unsent(class) {
		d.Verdict, d.Rule = policy.IsAllowed, "a dry run does not call it; otherwise "+d.Rule
	}
	return d
}

func (r *run) policy() *policy.Policy {
	p := policy.Policy{}
	if r.script.Policy != nil {
		p = *r.script.Policy
	}
	p.ReadOnly = p.ReadOnly || r.script.ReadOnly
	return &p
}
