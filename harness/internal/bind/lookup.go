package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// LookUpTokens limits the answer to a lookup, in tokens.
const LookUpTokens = 1200

// alsoTokens is reserved for the names of the tools that do not fit into a phrase's part.
const alsoTokens = 10

// Number of tools besides the best that a lookup shows for a phrase.
const (
	maxRunnersUp   = 4
	leastRunnersUp = 2
)

// An entry is a part of an answer in several lengths.
type entry struct {
	tool  *wrappers.Tool
	texts []string // the shortest first, which is empty
	at    int      // the chosen one
}

func (e *entry) text() string { return e.texts[e.at] }

// raise raises entries to a length, in their order, as far as a budget of tokens allows. It
// returns the rest of the budget.
func raise(entries []*entry, length, budget int) int {
	for _, e := range entries {
		if length <= e.at || length >= len(e.texts) {
			continue
		}
		if cost := text.Tokens(e.texts[length]) - text.Tokens(e.text()); cost <= budget {
			e.at, budget = length, budget-cost
		}
	}
	return budget
}

// Lengths of a tool's entry.
const (
	inOneLine = 1 + iota
	withTypes
	inBrief
	inFull
)

// toolEntry returns an entry that describes a tool. about is appended to its shorter texts, and
// its line contains the used fields.
func toolEntry(t *wrappers.Tool, about string, used ...string) *entry {
	return &entry{tool: t, texts: []string{"", t.Line(used...) + about + "\n", strings.TrimPrefix(about, " ") + "\n" +
		t.Show(wrappers.Types, used...), t.Show(wrappers.Brief, used...), t.Show(wrappers.Full)}}
}

// lineEntry returns an entry with one line about a tool.
func lineEntry(t *wrappers.Tool, note string) *entry {
	return &entry{tool: t, texts: []string{"", t.Line() + note + "\n"}}
}

// found is the part of a lookup's answer about one phrase.
type found struct {
	use    *outcome.ToolUse
	best   []*entry // at most one
	tools  []*entry // of the server that the phrase names
	others []*entry
	names  []string // of tools without an entry
}

// unusedTokens limits the answer about phrases whose tools the script does not use, in tokens.
const unusedTokens = 400

// isUnused reports whether a script does not use a tool that its phrase declares. The answer
// then shows it, because the author may need it.
func (b *Bound) isUnused(u *outcome.ToolUse, used []*wrappers.Tool) bool {
	if s, ok := b.asksForServer(&u.Resolution); ok {
		return !slices.ContainsFunc(used, func(t *wrappers.Tool) bool { return t.Package() == s })
	}
	t, ok := b.View.Tool(u.Tool)
	return ok && u.Phrase != "" && !slices.Contains(used, t) && b.shows(t.Tool)
}

// show describes the tools of the selected phrases within a token budget: the best tool of each
// with its signature and types, and others in a line each.
func (b *Bound) show(budget int, phrases func(*outcome.ToolUse) bool) {
	var all []*found
	budget = budget * 19 / 20 // costs are estimates
	shown := map[*wrappers.Tool]bool{}
	for i := range b.Uses {
		if f := (&found{use: &b.Uses[i]}); phrases(f.use) {
			b.lookBest(f, shown)
			all = append(all, f)
		}
	}
	for _, f := range all {
		b.lookOthers(f, shown)
		budget -= text.Tokens(f.use.Heading()) + alsoTokens
	}
	var bests, near, far []*entry
	for _, f := range all {
		bests = append(append(bests, f.best...), f.tools...)
		near = append(near, f.others[:min(2, len(f.others))]...)
		far = append(far, f.others[min(2, len(f.others)):]...)
	}
	budget = raise(bests, inOneLine, budget)
	budget = raise(bests, withTypes, budget)
	budget = raise(near, inOneLine, budget)
	budget = raise(bests, inBrief, budget)
	budget = raise(bests, inFull, budget)
	budget = raise(far, inOneLine, budget)
	budget = raise(near, inOneLine+1, budget) // the categories of a server
	budget = raise(far, inOneLine+1, budget)
	for _, f := range all {
		for _, e := range f.best {
			f.use.Signature = e.text()
			if e.at == 0 && f.use.Verdict != discovery.Resolved { // otherwise the heading names it
				f.names = append([]string{e.tool.Go()}, f.names...)
			}
		}
		left := 0 // categories
		for _, e := range append(f.tools, f.others...) {
			switch {
			case e.at > 0:
				f.use.Others = append(f.use.Others, strings.TrimSuffix(e.text(), "\n"))
			case e.tool != nil:
				f.names = append(f.names, e.tool.Go())
			default:
				left++
			}
		}
		if left > 0 {
			f.use.Others = append(f.use.Others, fmt.Sprintf("and %d more categories of tools", left))
		}
		if len(f.names) > 0 && budget >= 0 {
			f.use.Others = append(f.use.Others, "also "+text.List(f.names, 3))
		}
		f.use.Tokens, f.use.Shown = text.Tokens(f.use.Signature), true
	}
}

// lookBest adds the tool that a phrase means, or the most likely one.
func (b *Bound) lookBest(f *found, shown map[*wrappers.Tool]bool) {
	u := f.use
	if s, ok := b.asksForServer(&u.Resolution); ok {
		b.lookAround(f, s, shown)
		return
	}
	t, ok := b.View.Tool(u.Tool)
	switch {
	case ok && u.Verdict == discovery.Resolved:
		if t.Held { // shown as last accepted
			u.Note = t.Error
		} else if d := b.Decide(t); d.Verdict == policy.IsDenied {
			u.Note = "denied: " + d.Rule
			if !slices.Contains(b.Decisions, d) { // for an earlier phrase
				b.Decisions = append(b.Decisions, d)
			}
			return
		}
	case len(u.Candidates) > 0:
		t, ok = b.View.Tool(u.Candidates[0].ID)
	default:
		_, _, hint := b.whyNot(u.Phrase, &u.Resolution)
		u.Note = strings.TrimPrefix(u.Note+"; "+hint, "; ")
	}
	if ok && shown[t] {
		f.names = append(f.names, t.Go()+" (above)")
	} else if ok {
		u.Note = strings.TrimPrefix(u.Note+besideGo(t.Package()), "; ")
		f.best = append(f.best, toolEntry(t, " // "+b.Index.Short(t.ID)))
		shown[t] = true
	}
}

// lookOthers adds further tools that a phrase may mean.
func (b *Bound) lookOthers(f *found, shown map[*wrappers.Tool]bool) {
	u := f.use
	if u.NamesServer || strings.HasPrefix(u.Note, "denied: ") {
		return
	}
	for _, t := range b.namedServers(u) {
		if !shown[t] {
			f.others = append(f.others, lineEntry(t, " // "+b.Index.Short(t.ID)))
			shown[t] = true
		}
	}
	var ids []string
	for _, c := range u.Candidates[:min(maxRunnersUp+1, len(u.Candidates))] {
		ids = append(ids, c.ID)
	}
	offered := b.Index.Distinguish(ids)
	for i, d := range offered {
		if u.Verdict == discovery.Resolved && len(f.others) >= leastRunnersUp &&
			u.Candidates[candidate(&u.Resolution, d.ID)].Score < leastOther*u.Candidates[0].Score {
			break
		}
		if t, ok := b.View.Tool(d.ID); ok && !shown[t] && len(f.others) < maxRunnersUp {
			f.others = append(f.others, lineEntry(t, " // "+summary(offered, i)))
			shown[t] = true
		}
	}
}

// namedServers returns the tools of the small servers that a phrase names and that have one of
// its candidates.
func (b *Bound) namedServers(u *outcome.ToolUse) []*wrappers.Tool {
	var tools []*wrappers.Tool
	for _, w := range strings.Fields(u.Phrase) {
		if s, ok := b.View.NearPackage(w); ok && slices.ContainsFunc(b.tools(u.Candidates),
			func(t *wrappers.Tool) bool { return t.Package() == s }) {
			tools = append(tools, b.toolsOfSmall(s)...)
		}
	}
	return tools
}

// besideGo returns a note for a server with the name of a standard package: that a script may
// use both, and which names need an alias.
func besideGo(s *wrappers.Server) string {
	paths := export.ByName(s.Package)
	if len(paths) == 0 {
		return ""
	}
	note := fmt.Sprintf("; Go's package %s can be used beside it, without an alias", paths[0])
	var both []string
	for _, t := range s.Tools {
		for _, name := range []string{t.Func, t.ParamsType(), t.ResultType()} {
			if export.Declares(paths[0], name) {
				both = append(both, name)
			}
		}
	}
	if len(both) > 0 {
		note += fmt.Sprintf("; both have %s: for that, import server%s %q", strings.Join(both, ", "), s.Package, s.Path())
	}
	return note
}

// leastOther is the share of the first candidate's score from which another tool is shown
// beside a resolved one.
const leastOther = .02

// maxServerTools is the number of a server's tools up to which each is shown. If there are
// more, their names are listed by category.
const maxServerTools = 25

// Limits of the line about a category of a server's tools.
const (
	maxCategory   = 40 // characters of its name
	someFunctions = 8  // named if not all fit
)

// lookAround adds a server's tools that are not shown yet.
func (b *Bound) lookAround(f *found, s *wrappers.Server, shown map[*wrappers.Tool]bool) {
	f.use.NamesServer = true
	var all []discovery.Hit
	for more := true; more; {
		page, err := b.Catalog.Find(discovery.Query{Server: s.Name, Offset: len(all), Limit: discovery.MaxLimit,
			Detail: discovery.NameDescription, Keep: b.shows})
		if err != nil {
			return
		}
		all, more = append(all, page.Results...), page.HasMore
	}
	f.use.Note = fmt.Sprintf("the server %s has %s", s.Package, text.Count(len(all), "tool")) + besideGo(s)
	if len(all) <= maxServerTools {
		for _, e := range all {
			if t, ok := b.View.Tool(e.ID); ok && !shown[t] {
				f.tools = append(f.tools, toolEntry(t, " // "+e.Short))
				shown[t] = true
			}
		}
		return
	}
	var order []string
	names := map[string][]string{}
	for _, e := range all {
		if names[e.Category] == nil {
			order = append(order, e.Category)
		}
		if t, ok := b.View.Tool(e.ID); ok {
			names[e.Category] = append(names[e.Category], t.Func)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(names[b]) - len(names[a]) })
	for _, c := range order {
		head := fmt.Sprintf("%s, %d: ", registry.Printable(c, maxCategory), len(names[c]))
		texts := []string{"", head + strings.Join(names[c], " ") + "\n"}
		if len(names[c]) > someFunctions { // "…, 300: A B C …" if the rest does not fit
			texts = slices.Insert(texts, 1, head+strings.Join(names[c][:someFunctions], " ")+" …\n")
		}
		f.others = append(f.others, &entry{texts: texts})
	}
}
