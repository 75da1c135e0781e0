package bind

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

const (
	maxPhrases    = 100     // of one script
	maxPhraseSize = 4 << 10 // bytes; the worker checks it too, but is not trusted
	maxNames      = 2000    // selectors on server packages in one script
	maxName       = 200     // bytes; no tool has a longer name
	maxFields     = 20      // of a name
	// reach is how many candidates of a phrase a used name may choose from.
	reach = 20
	// shown is how many candidates of a phrase a Result lists.
	shown = 10
)

// TooMuch returns an error if a script needs more than one script may.
func TooMuch(n *worker.Needs) *outcome.Error {
	if len(n.Phrases) > maxPhrases || len(n.Names) > maxNames {
		return &outcome.Error{Kind: outcome.KindRefused, Message: fmt.Sprintf(
			"the script declares %d phrases and uses %d names, at most %d and %d are allowed", len(n.Phrases), len(n.Names),
			maxPhrases, maxNames)}
	}
	if i := slices.IndexFunc(n.Phrases, func(p worker.Phrase) bool { return len(p.Text) > maxPhraseSize }); i >= 0 {
		return &outcome.Error{Kind: outcome.KindRefused, Line: n.Phrases[i].Line,
			Message: fmt.Sprintf("a phrase has more than %d bytes", maxPhraseSize)}
	}
	return nil
}

// Load gets the catalog, and waits for the servers in it that the script means. Without an
// error, ok is false if the script needs no catalog, or does not depend on one that failed.
func (b *Bound) Load(ctx context.Context, n *worker.Needs) (ok bool, err error) {
	b.Needs = *n
	b.Needs.Names, b.Needs.Probe = bounded(n.Names), n.Probe && !n.Broken
	b.Allowed, b.declared, b.unresolved = map[string]*wrappers.Tool{}, map[string]int{}, map[string]worker.Unresolved{}
	if len(n.Phrases)+len(n.Names)+len(n.Own) == 0 {
		return false, nil
	}
	cat, err := b.Tools(ctx)
	if err != nil {
		serversOwn := func(n worker.Name) bool { return n.Imported || len(export.ByName(n.Package)) == 0 }
		if n.Broken || // the error in the script is known
			len(n.Phrases)+len(n.Own) == 0 && !slices.ContainsFunc(n.Names, serversOwn) { // packages of the library are meant
			return false, nil
		}
		return false, err
	}
	if cat, err = b.await(ctx, cat); err == nil {
		err = b.use(cat)
	}
	return err == nil, err
}

// Resolve finds the tools that the script means: phrases narrow, names select. A lookup
// is answered.
func (b *Bound) Resolve(ctx context.Context) error {
	used := b.usedTools()
	if err := b.phrases(ctx, used); err != nil {
		return err
	}
	if b.Needs.Probe {
		b.show(LookUpTokens, func(*outcome.ToolUse) bool { return true })
		b.Status = outcome.OK
		return nil
	}
	b.undeclared(used)
	if len(b.Errors) == 0 && !b.Needs.Broken {
		b.show(unusedTokens, func(u *outcome.ToolUse) bool { return b.isUnused(u, used) })
	}
	return nil
}

// Generate returns the packages that the script is checked with. If a phrase has no tool
// the script is checked all the same, so that all errors are reported at once.
func (b *Bound) Generate() *worker.Tools {
	_, errs := b.Judge()
	return &worker.Tools{Units: b.units(), Unresolved: b.unresolved, Go: len(b.Errors)+len(errs) == 0}
}

// usedTools returns the tools whose names the script uses, in the order of their first use.
// The name of a type counts if the type belongs to one tool only.
func (b *Bound) usedTools() []*wrappers.Tool {
	var out []*wrappers.Tool
	add := func(t *wrappers.Tool) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, n := range b.Needs.Names {
		s := b.server(n.Package)
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

// server returns the server that a package name of a script means, or nil.
func (b *Bound) server(pkg string) *wrappers.Server {
	if s, ok := b.View.Package(pkg); ok {
		return s
	}
	s, _ := b.View.NearPackage(pkg)
	return s
}

// phrases resolves every phrase, lets the used names pick among its candidates, and
// notes the unresolved phrases whose error the script handles.
func (b *Bound) phrases(ctx context.Context, used []*wrappers.Tool) error {
	for _, p := range b.Needs.Phrases {
		// The names that a script uses decide what it does; a lookup has only phrases.
		res, err := b.Catalog.Resolve(ctx, p.Text, &discovery.ResolveOptions{Candidates: reach, Alone: b.Needs.Probe})
		if err != nil {
			return err
		}
		b.pick(&res, used)
		if err := b.dropDenied(&res); err != nil {
			return err
		}
		if t, ok := b.View.Tool(res.Tool); ok && res.Verdict == discovery.Resolved {
			b.Allowed[t.ID] = t
			if b.declared[t.ID] == 0 {
				b.declared[t.ID] = p.Line
			}
		} else if _, ok := b.asksForServer(&res); !ok && !b.Needs.Probe { // a server's name declares no tool
			b.notFound(p, &res)
		}
		b.report(res)
	}
	return nil
}

// pick lets the names that the script uses decide among a phrase's candidates.
func (b *Bound) pick(res *discovery.Resolution, used []*wrappers.Tool) {
	mine := slices.DeleteFunc(b.tools(res.Candidates), func(t *wrappers.Tool) bool { return !slices.Contains(used, t) })
	if res.By == discovery.ByExact || len(mine) == 0 {
		return
	}
	first := mine[max(0, slices.IndexFunc(mine, // better one that no earlier phrase has claimed
		func(t *wrappers.Tool) bool { return b.Allowed[t.ID] == nil }))]
	if t, _ := b.View.Tool(res.Tool); res.Verdict == discovery.Resolved && slices.Contains(mine, t) {
		first = t // what the phrase means by itself
	}
	by := outcome.ByName
	if first.ID == res.Tool { // the search found it too
		by = res.By
	}
	// The phrase declares all used tools within reach; one of them is its answer.
	for _, t := range mine {
		b.Allowed[t.ID] = t
	}
	res.Verdict, res.By, res.Tool, res.NoTool, res.Reason = discovery.Resolved, by, first.ID, false, ""
}

// tools returns the tools of candidates.
func (b *Bound) tools(cs []discovery.Candidate) (tools []*wrappers.Tool) {
	for _, c := range cs {
		if t, ok := b.View.Tool(c.ID); ok {
			tools = append(tools, t)
		}
	}
	return tools
}

// dropDenied resolves the ambiguous name of several tools to the only one that policy does
// not deny. If policy denies them all it takes the first, so that the denial is reported.
func (b *Bound) dropDenied(res *discovery.Resolution) error {
	if res.Verdict != discovery.Ambiguous {
		return nil
	}
	d, err := b.Index.Describe([]string{res.Phrase}, discovery.NameOnly)
	if err != nil || len(d.Tools) == 0 {
		return err
	}
	left := b.visible(d.Tools)
	if len(left) > 1 || len(left) == len(d.Tools) {
		return nil
	}
	one := append(left, d.Tools[0])[0]
	res.Verdict, res.By, res.Tool, res.Confidence, res.Stale = discovery.Resolved, discovery.ByExact, one.ID, 1, one.Stale
	return nil
}

// notFound reports a phrase without a tool: as an error, or as a value if the script handles
// it.
func (b *Bound) notFound(p worker.Phrase, res *discovery.Resolution) {
	status, message, hint := b.whyNot(p.Text, res)
	if res.Note != "" && !strings.Contains(message, res.Note) {
		hint += "; " + res.Note
	}
	near := b.Index.Offer(res)
	offered := slices.DeleteFunc(slices.Clone(near), func(d discovery.Difference) bool { return b.hides(d.ID) })
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
		b.unresolved[p.Text] = u
		return
	}
	if b.Needs.Broken {
		return
	}
	var names []string
	e := outcome.Error{Kind: outcome.KindResolve, Line: p.Line, Column: p.Column, Message: message, Hint: hint, Shown: true}
	if res.Verdict == discovery.Ambiguous && !res.NoTool {
		e.Fixes = b.phraseFixes(p, offered)
	}
	for i, d := range offered {
		if t, ok := b.View.Tool(d.ID); ok {
			e.Signatures = append(e.Signatures, t.Signature()+t.Mark()+" // "+summary(offered, i))
			names = append(names, fmt.Sprintf("%s (%s)", t.Go(), summary(offered, i)))
		}
	}
	if res.Verdict != discovery.Unavailable && !b.Strict && b.allFound() {
		w := fmt.Sprintf("%s; nearest: %s; the names that the script uses were all found", message, text.List(names, 3))
		b.Mended = append(b.Mended, outcome.Error{Line: p.Line, Column: p.Column, Message: w, Sent: p.Line})
		return
	}
	if len(names) > 0 && res.NoTool {
		e.Message += "; nearest, does something else"
	}
	if len(names) > 0 {
		e.Message += ": " + strings.Join(names, ", ")
	}
	for i, d := range offered {
		if t, ok := b.View.Tool(d.ID); ok {
			n := guessed
			if i > 1 {
				n = alsoNamed
			}
			b.mean(n, t)
		}
	}
	if b.Status != outcome.ToolNotFound {
		b.Status = status
	}
	b.Errors = append(b.Errors, e)
}

// allFound reports whether the script uses tools, and all of them by names that exist.
func (b *Bound) allFound() bool {
	found := false
	for _, n := range b.Needs.Names {
		isType, isFunc := false, false
		if s := b.server(n.Package); s != nil {
			isType = len(s.Type(n.Name)) > 0
			_, isFunc = s.Func(n.Name)
		}
		switch {
		case isType:
		case isFunc:
			found = true
		case !n.Std || n.Imported:
			return false
		}
	}
	return found
}

// summary says in a line what an offered tool does, and what distinguishes it if another
// one has the same summary.
func summary(offered []discovery.Difference, i int) string {
	d := offered[i]
	same := func(o discovery.Difference) bool { return o.ID != d.ID && o.Summary == d.Summary }
	telling := d.Distinction()
	if telling == "" || !slices.ContainsFunc(offered, same) {
		return d.Summary
	}
	return strings.TrimPrefix(d.Summary+"; only here: "+telling, "; ")
}

// whyNot returns why a phrase has no tool, and what to do.
func (b *Bound) whyNot(phrase string, res *discovery.Resolution) (status outcome.Status, message, hint string) {
	switch {
	case res.Verdict == discovery.Unavailable:
		b.Down = append(b.Down, res.Server)
		return outcome.ToolNotFound, fmt.Sprintf("%q cannot be served now: %s", phrase, res.Note), ""
	case res.Verdict == discovery.Ambiguous && res.NoTool:
		return outcome.Ambiguous, fmt.Sprintf("no tool does %q", phrase),
			"do it another way; if one of these is meant, call it by its Go name, or put its ID into UseTools"
	case res.Verdict == discovery.Ambiguous:
		return outcome.Ambiguous, fmt.Sprintf("%q could mean several tools", phrase),
			"call the one that you mean by its Go name, or put its ID into UseTools"
	case res.Note != "" && b.Catalog.Misnamed(phrase, res.Note):
		return outcome.ToolNotFound, res.Note, "call one that it has, or say in plain words what you need"
	}
	failed := failedServers(b.Catalog.Registry)
	if b.Catalog.Asking != nil {
		b.Down = append(b.Down, b.Catalog.Asking.Servers...)
	}
	for _, s := range failed {
		if s.Tools == 0 {
			b.Down = append(b.Down, s.Name)
		}
	}
	switch servers := b.Catalog.Registry.Servers; {
	case len(b.Catalog.Registry.Tools) > 0:
		hint = "reword the phrase with what the tool does and to what"
		if len(failed) > 0 {
			hint += "; these servers could not be asked: " + serverNames(failed)
		}
	case len(servers) == 0:
		hint = "there are no tools: the config names no servers"
	case len(failed) == 0:
		hint = "there are no tools: the servers have none, or their allow and deny lists leave none: " + serverNames(servers)
	default:
		hint = fmt.Sprintf("there are no tools: no server could be asked: %s (%s)", serverNames(failed),
			serverError(failed[0].Name, *failed[0].Error))
	}
	return outcome.ToolNotFound, fmt.Sprintf("no tool found for %q", phrase), hint
}

// serverError returns, in at most 200 characters, why a server could not be asked.
func serverError(name, message string) string {
	return registry.Printable(catalog.OfServer(name, message), 200)
}

// failedServers returns the servers whose last listing failed.
func failedServers(reg *registry.Registry) []registry.Server {
	return slices.DeleteFunc(slices.Clone(reg.Servers), func(s registry.Server) bool { return s.Error == nil })
}

func serverNames(servers []registry.Server) string {
	return join(", ", servers, func(s registry.Server) string { return s.Name })
}

// undeclared allows the used tools that no phrase declares. If the script is strict each
// is an error, and is allowed only so that the rest of the script can be checked.
func (b *Bound) undeclared(used []*wrappers.Tool) {
	for _, t := range used {
		if b.Allowed[t.ID] != nil {
			continue
		}
		b.Allowed[t.ID] = t
		if b.Strict {
			line := b.lineOf(t)
			b.Status = outcome.ToolNotFound
			b.Errors = append(b.Errors,
				outcome.Error{Kind: outcome.KindResolve, Line: line, Snippet: Snippet(b.Source, line),
					Message: fmt.Sprintf("%s is used but no phrase of UseTools declares it", t.Go()),
					Hint:    fmt.Sprintf("add UseTools(%q)", t.ID)})
			continue
		}
		b.report(discovery.Resolution{Verdict: discovery.Resolved, By: outcome.ByAdded, Tool: t.ID, Confidence: 1,
			Candidates: []discovery.Candidate{}})
	}
}

// lineOf returns the line where the script first calls a tool, else where it declares it.
func (b *Bound) lineOf(t *wrappers.Tool) int {
	for _, n := range b.Needs.Names {
		if s := b.server(n.Package); s == t.Package() {
			if f, ok := s.Func(n.Name); ok && f == t {
				return n.Line
			}
		}
	}
	return b.declared[t.ID]
}

// report adds what was found for a phrase or name to Uses.
func (b *Bound) report(res discovery.Resolution) {
	u := outcome.ToolUse{Resolution: res}
	u.Candidates = slices.DeleteFunc(u.Candidates,
		func(c discovery.Candidate) bool { return c.ID != u.Tool && b.hides(c.ID) })
	u.Candidates = u.Candidates[:min(shown, len(u.Candidates))]
	if t, ok := b.View.Tool(res.Tool); ok {
		u.Go = t.Go()
	}
	b.Uses = append(b.Uses, u)
}

// units generates the packages with the tools that the script may call.
func (b *Bound) units() []worker.Unit {
	by := map[*wrappers.Server][]*wrappers.Tool{}
	for _, t := range b.Allowed {
		by[t.Package()] = append(by[t.Package()], t)
	}
	// A package that the script imports exists even if none of its tools is declared, so
	// that the message is about the function, not the import.
	for _, n := range b.Needs.Names {
		if s := b.server(n.Package); s != nil && by[s] == nil {
			by[s] = nil
		}
	}
	var units []worker.Unit
	for _, s := range b.View.Servers() {
		if ts, ok := by[s]; ok {
			units = append(units, worker.Unit{Path: s.Path(), Name: s.Name, Source: s.Source(ts, false)})
		}
	}
	if slices.Contains(b.Needs.Own, bridge.OwnDiscovery) {
		units = append(units, worker.Unit{Path: bridge.OwnDiscovery, Source: bridge.Discovery})
	}
	return units
}

// bounded leaves out names and fields that are too long for a tool. Guessing what they
// mean would take minutes.
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

// use sets the catalog that the script can use.
func (b *Bound) use(cat *catalog.Catalog) error {
	view, err := cat.View()
	if err != nil {
		return err
	}
	index, err := cat.Index()
	if err == nil {
		b.Catalog, b.View, b.Index = cat, view, index
	}
	return err
}
