package bind

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

const (
	maxPhrases    = 100     // of one script
	maxPhraseSize = 4 << 10 // bytes; the untrusted worker checks it too
	maxNames      = 2000    // selectors on server packages in one script
	maxName       = 200     // bytes; no tool has a longer name
	maxFields     = 20      // of a name
	// shown is the number of a phrase's candidates in a Result.
	shown = 10
)

// TooMuch returns an error if a script exceeds the limits for phrases and names.
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

// Load gets the catalog, and waits for those of its servers that the script means. Without an
// error, ok is false if the script needs no catalog, or needs none of a catalog that failed to load.
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

// Resolve finds the tools that the script means: phrases narrow the choice, and names select.
// It answers a lookup.
func (b *Bound) Resolve(ctx context.Context) error {
	used := b.usedTools()
	if err := b.phrases(ctx, used); err != nil {
		return err
	}
	if b.Needs.Probe {
		b.show(LookUpTokens, func(*outcome.ToolUse) bool { return true })
		b.addSkills()
		b.Status = outcome.OK
		return nil
	}
	b.undeclared(used)
	if len(b.Errors) == 0 && !b.Needs.Broken {
		b.show(unusedTokens, func(u *outcome.ToolUse) bool { return b.isUnused(u, used) })
	}
	return nil
}

// Generate returns the packages for checking the script. They are complete even if a phrase has
// no tool, so that all errors are reported at once.
func (b *Bound) Generate() *worker.Tools {
	_, errs := b.Judge()
	return &worker.Tools{Units: b.units(), Unresolved: b.unresolved, Go: len(b.Errors)+len(errs) == 0}
}

// phrases resolves every phrase, lets the script's names choose among its candidates, and
// records the unresolved phrases whose error the script handles.
func (b *Bound) phrases(ctx context.Context, used []*wrappers.Tool) error {
	for _, p := range b.Needs.Phrases {
		// The names in a script decide its tools; a lookup has phrases only.
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

// pick lets the script's names choose among a phrase's candidates.
func (b *Bound) pick(res *discovery.Resolution, used []*wrappers.Tool) {
	mine := slices.DeleteFunc(b.tools(res.Candidates), func(t *wrappers.Tool) bool { return !slices.Contains(used, t) })
	if res.By == discovery.ByExact || len(mine) == 0 {
		return
	}
	first := mine[max(0, slices.IndexFunc(mine, // preferably one that no earlier phrase has claimed
		func(t *wrappers.Tool) bool { return b.Allowed[t.ID] == nil }))]
	if t, _ := b.View.Tool(res.Tool); res.Verdict == discovery.Resolved && slices.Contains(mine, t) {
		first = t // the tool that the phrase means by itself
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

// dropDenied resolves the ambiguous name of several tools to the only one that policy does not
// deny. If policy denies all, it takes the first, so that the denial is reported.
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

// notFound reports a phrase without a tool: as an error, or as a value if the script handles it.
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
		b.PlacedWarnings = append(b.PlacedWarnings, outcome.Error{Line: p.Line, Column: p.Column, Message: w, Sent: p.Line})
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

// undeclared allows used tools that no phrase declares. In a strict script each is an error,
// and is allowed only so that the rest of the script can be checked.
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

// report adds the resolution of a phrase or name to Uses.
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

// units generates the packages of the tools that the script may call.
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

// bounded removes names and fields that are too long for a tool, because guessing their meaning
// would take minutes.
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
