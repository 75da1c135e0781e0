package bind

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// RefusedTokens limits the answer to a refused script, in tokens.
const RefusedTokens = 900

// Explain converts the worker's diagnostics to errors. It adds hints from the whole registry;
// the worker sees only the declared servers and tools.
func (b *Bound) Explain(ctx context.Context, ds []worker.Diagnostic) (errs []outcome.Error) {
	known := b.Catalog != nil || b.loadFor(ctx, ds)
	missing := map[string]bool{} // unknown servers, each reported once
	var fs []finding
	for _, d := range ds {
		if known && d.Code == check.CodeNoServer {
			if missing[d.Package] {
				continue
			}
			missing[d.Package] = true
		}
		f := finding{outcome.Error{Kind: outcome.KindCompile, Line: d.Line, Column: d.Column, Message: d.Message,
			Snippet: d.Snippet, Hint: d.Hint, Signatures: d.Signatures}, d}
		if d.Kind == string(outcome.KindRefused) {
			f.Kind = outcome.KindRefused
		}
		if b.fixes(&f, d.Near...); known {
			b.explain(&f)
		}
		fs = append(fs, f)
	}
	if known && b.Needs.Broken {
		fs = append(fs, b.mentioned()...)
	}
	for _, f := range fs {
		errs = append(errs, f.Error)
		if !known {
			continue
		}
		if s := b.server(f.about.Package); s != nil {
			n := beside
			if f.about.Code == check.CodeNoName { // their descriptions help to choose
				n = alsoNamed
			}
			b.mean(n, b.toolsOfSmall(s)...)
		}
	}
	return errs
}

// mentioned returns errors about the names in a text that is not Go: unknown servers and
// functions that resemble known ones.
func (b *Bound) mentioned() []finding {
	var fs []finding
	reported := map[string]bool{}
	for _, n := range b.Needs.Names {
		if b.guesses >= maxGuessed {
			break
		}
		s := b.server(n.Package)
		e := finding{outcome.Error{Kind: outcome.KindCompile, Line: n.Line, Column: n.Column, Message: "undefined: " + n.Package},
			worker.Diagnostic{Package: n.Package, Name: n.Name}}
		switch fn := function(n.Name); {
		case s == nil && !reported[n.Package]:
			reported[n.Package] = true
			e.about.Code = check.CodeNoServer
		case s != nil && !reported[n.Package+"."+fn]:
			if _, ok := s.Func(fn); ok || len(s.Type(n.Name)) > 0 {
				continue
			}
			reported[n.Package+"."+fn] = true
			e.Message += "." + n.Name
			e.about.Code = check.CodeNoName
		default:
			continue
		}
		if b.explain(&e); e.Shown { // the others may be variables
			fs = append(fs, e)
		}
	}
	return fs
}

// loadFor loads the catalog for a script that uses no tool by its syntax, but may mean one: the
// catalog is at hand, or an undefined name is spelled like a tool.
func (b *Bound) loadFor(ctx context.Context, ds []worker.Diagnostic) bool {
	if !b.AtHand && !slices.ContainsFunc(ds, func(d worker.Diagnostic) bool {
		first, _ := utf8.DecodeRuneInString(d.Name)
		return d.Code == check.CodeUndefined && (strings.HasPrefix(d.Name, "mcp__") || unicode.IsUpper(first))
	}) {
		return false
	}
	cat, err := b.Tools(ctx)
	return err == nil && b.use(cat) == nil
}

func (b *Bound) explain(e *finding) {
	switch e.about.Code {
	case "":
	case check.CodeUndefined:
		if e.about.Name == "servers" {
			e.Hint = serversHint
			return
		}
		b.explainBare(e, e.about.Name)
	case check.CodeNoServer:
		b.explainServer(e, e.about.Package)
	default:
		s := b.server(e.about.Package)
		if s == nil {
			return
		}
		if e.about.Code == check.CodeNoName {
			b.explainName(e, s, e.about.Name)
			return
		}
		tools := s.Type(e.about.Name)
		if t, ok := s.Func(e.about.Name); ok && len(tools) == 0 {
			tools = []*wrappers.Tool{t}
		}
		if len(tools) > 0 { // if several tools share a type, one that the script may call
			b.showTool(e, misused, tools[max(0, slices.IndexFunc(tools,
				func(t *wrappers.Tool) bool { return b.Allowed[t.ID] != nil }))])
		}
	}
}

// showTool attributes an error to a tool, whose types the answer shows.
func (b *Bound) showTool(e *finding, n need, t *wrappers.Tool) {
	b.mean(n, t)
	if e.Signatures, e.Shown = nil, true; !b.hides(t.ID) {
		e.Signatures = []string{t.Signature()}
	}
}

// explainBare explains a name without a package by the tools with that name or a type of that name.
func (b *Bound) explainBare(e *finding, name string) {
	for _, id := range slices.Sorted(maps.Keys(b.Allowed)) {
		if t := b.Allowed[id]; name == t.ParamsType() || name == t.ResultType() {
			right := t.Package().Package + "." + name
			e.Hint = "did you mean " + right + "?"
			b.fixes(e, right)
			b.showTool(e, guessed, t)
			return
		}
	}
	found := slices.DeleteFunc(b.View.Named(function(name)), func(t *wrappers.Tool) bool { return !b.shows(t.Tool) })
	if len(found) > 0 {
		e.Hint = "did you mean " + join(" or ", found[:min(len(found), 3)], (*wrappers.Tool).Go) + "? A tool is a function of its server's package"
		if b.fixes(e); len(found) == 1 && function(name) == name {
			b.fixes(e, found[0].Go())
		}
		b.showTool(e, guessed, found[0])
		b.mean(alsoNamed, found[1:min(len(found), 3)]...)
	}
}

const serversHint = `a server is used by its own name: import "servers/git", and then git.Log(…)`

// explainServer explains the name of an unknown server by similarly spelled servers, by tools
// that match the names of its functions, or else by a list of all servers.
func (b *Bound) explainServer(e *finding, name string) {
	if near := e.about.Near; len(near) > 0 && !b.namesServer(near) {
		return // probably a variable
	}
	b.fixes(e)
	if name == "servers" {
		e.Hint = serversHint
		return
	}
	functions := b.functions(name)
	near := slices.DeleteFunc(b.View.NearPackages(name, 3),
		func(s *wrappers.Server) bool { return len(s.Tools) > 0 && len(b.offered(s)) == 0 })
	if len(near) > 0 {
		var names []string
		for _, s := range near {
			names = append(names, s.Package)
		}
		e.Hint = "did you mean the server " + strings.Join(names, " or ") + "?"
		b.fixes(e, names...)
	}
	var on *wrappers.Server
	if len(near) > 0 {
		on = near[0]
	}
	var hints []string
	var right string
	for _, f := range functions {
		g := b.guess(f, on, name)
		b.mean(alsoNamed, g.others...)
		if g.best == nil {
			continue
		}
		b.showTool(e, guessed, g.best)
		hint := g.best.Go()
		right = hint
		if e.about.Name == "" { // of an import
			hint += fmt.Sprintf(" (import %q)", g.best.Package().Path())
		}
		if len(functions) > 1 {
			hint = name + "." + f.name + ": " + hint
		}
		hints = append(hints, hint)
	}
	switch {
	case len(hints) > 0 && len(functions) == 1:
		e.Hint = "did you mean " + hints[0] + "?"
		b.fixes(e, right)
	case len(hints) > 0:
		e.Hint = "did you mean these? " + strings.Join(hints, "; ")
	case len(near) == 0:
		e.Hint = fmt.Sprintf("unknown server %s, and no similar tool", name)
		if all := b.serverList(); all != "" {
			e.Hint += "; the servers are " + all
		}
	}
}

// serverListTokens limits a list of all servers, in tokens.
const serverListTokens = 300

// serverList returns the names of as many servers with allowed tools as fit.
func (b *Bound) serverList() string {
	var names []string
	size := 0
	more := 0
	for _, s := range b.View.Servers() {
		switch {
		case len(b.offered(s)) == 0:
		case more > 0 || size+text.Tokens(s.Package)+1 > serverListTokens:
			more++
		default:
			size += text.Tokens(s.Package) + 1
			names = append(names, s.Package)
		}
	}
	if more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// namesServer reports whether one of the names is a server's package, or qualified by one.
func (b *Bound) namesServer(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		pkg, _, _ := strings.Cut(name, ".")
		return b.server(pkg) != nil
	})
}

// explainName explains an unknown name of a server's package by the function or type that was
// probably meant.
func (b *Bound) explainName(e *finding, s *wrappers.Server, name string) {
	if reg, ok := b.Catalog.Registry.Server(s.Name); ok && len(s.Tools) == 0 && reg.Error != nil {
		e.Signatures, e.Hint = nil, fmt.Sprintf("the server %s has no tools: it could not be asked (%s)", s.Name,
			serverError(s.Name, *reg.Error))
		b.Down = append(b.Down, s.Name)
		return
	}
	fn := function(name)
	if t, ok := s.Func(fn); ok {
		b.fixes(e)
		right := t.ParamsType()
		if slices.ContainsFunc(typeSuffixes[slices.Index(typeSuffixes, "Result"):],
			func(suffix string) bool { return strings.HasSuffix(name, suffix) }) {
			right = t.ResultType()
		}
		e.Hint = t.Go() + " takes no arguments: " + t.Go() + "()"
		if right != "" {
			e.Hint = "did you mean " + s.Package + "." + right + "?"
			b.fixes(e, s.Package+"."+right)
		}
		b.showTool(e, guessed, t)
		return
	}
	fs := b.functions(s.Package)
	i := slices.IndexFunc(fs, func(f called) bool { return f.name == fn })
	f := called{name: fn}
	if i >= 0 {
		f = fs[i]
	}
	g := b.guess(f, s, "")
	if g.best == nil {
		e.Signatures, e.Hint = nil, s.Package+" has no tool that this script may call"
		if b.guesses > maxGuessed {
			e.Hint = fmt.Sprintf("UseTools(%q) alone lists its tools", s.Package)
		}
		return
	}
	if near := e.about.Near; len(near) == 1 {
		if name, ok := strings.CutPrefix(near[0], s.Package+"."); ok && len(s.Type(name)) > 0 {
			b.showTool(e, guessed, s.Type(name)[0]) // a type of the server is spelled like it
			return
		}
	}
	b.fixes(e)
	switch {
	case g.sure && similar(fn, g.best.Func):
		e.Hint = "did you mean " + g.best.Go() + "?"
		if fn == name {
			b.fixes(e, g.best.Go())
		}
	case len(b.toolsOfSmall(s)) > 0:
		e.Hint = s.Package + " has no " + fn + "; all its tools are below"
	default:
		names := join(", ", append([]*wrappers.Tool{g.best}, g.others...), func(t *wrappers.Tool) string { return t.Func })
		e.Hint = fmt.Sprintf("nearest in %s: %s; UseTools(%q) lists all %d", s.Package, names, s.Package, len(b.offered(s)))
	}
	b.showTool(e, guessed, g.best)
	b.mean(alsoNamed, g.others...)
}

// similar reports whether two function names share a word other than the verb, or differ in few
// letters.
func similar(a, b string) bool {
	x, y := wrappers.Words(a), wrappers.Words(b)
	x, y = x[min(1, len(x)-1):], y[min(1, len(y)-1):] // for ListIssues and Issues
	a, b = wrappers.Fold(a), wrappers.Fold(b)
	return slices.ContainsFunc(x, func(w string) bool { return slices.Contains(y, w) }) || text.Edits(a, b) <= max(len(a), len(b))/4
}

// Types returns, for the answer to a refused script, the types of the tools that it means:
// those that it names correctly, and the best guesses for wrong names. taken is the number of
// tokens in the rest of the answer.
func (b *Bound) Types(taken int) []string {
	if b.View == nil {
		return nil
	}
	for _, n := range b.Needs.Names {
		if s := b.server(n.Package); s != nil && (n.Imported || !n.Std) {
			if t, ok := s.Func(function(n.Name)); ok {
				b.mean(used, t)
			}
		}
	}
	for i := range b.Uses {
		u := &b.Uses[i]
		if t, ok := b.View.Tool(u.Tool); ok && u.Verdict == discovery.Resolved && u.Phrase != "" {
			b.mean(declared, t)
		} else if u.Verdict != discovery.Resolved {
			b.mean(beside, b.namedServers(u)...)
		}
	}
	slices.SortStableFunc(b.meant, func(a, b meant) int { return cmp.Compare(a.need, b.need) })
	names := capitals().FindAllString(b.Source, -1)
	slices.Sort(names)
	names = slices.Compact(names)
	var urgent, rest, all []*entry
	for _, m := range b.meant {
		about := " // " + b.Index.Short(m.tool.ID)
		if m.need == beside {
			about = ""
		}
		e := toolEntry(m.tool, about, names...)
		switch all = append(all, e); {
		case m.need <= misused:
			urgent = append(urgent, e)
		case m.need < alsoNamed:
			rest = append(rest, e)
		}
	}
	budget := RefusedTokens - taken - leftOutTokens
	budget = raise(all, inOneLine, budget)
	budget = raise(urgent, withTypes, budget)
	budget = raise(rest, withTypes, budget)
	raise(urgent, inBrief, min(budget, briefTokens))
	var out, left []string
	for _, e := range all {
		if e.at > 0 {
			out = append(out, strings.TrimSuffix(e.text(), "\n"))
		} else {
			left = append(left, e.tool.Go())
		}
	}
	if len(left) > 0 {
		out = append(out, "omitted: "+text.List(left, 12))
	}
	return out
}

// capitals matches the words in a script that may be field names.
var capitals = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[A-Z]\w*`) })

const (
	// leftOutTokens is reserved for the names of omitted tools.
	leftOutTokens = 30
	// briefTokens limits the descriptions of fields.
	briefTokens = 150
)
