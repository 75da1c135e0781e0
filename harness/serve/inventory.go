package serve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// teaching tells a model how to write a script. The first verb is the example, the second
// the time limit.
const teaching = `Runs a Go script that calls tools of MCP servers as functions.%s
Write statements or package main; imports are added. Standard library without files, network, processes; at most %s. Nothing runs unless all compiles; a wrong guess is answered with signatures.
Below, s.T(A int, B? X) → {C string} means r, err := s.T(s.TParams{A: 1}), then r.C; a line .T( continues s. ? is optional; what you write is sent, zeros too. X is s.X. Every r has r.Text(), r.JSON(&v), r.Images().
Return(v) is the answer; printed text follows. Do many calls in one script, in goroutines too.
Not listed? Call what you expect, or send only UseTools("a server", "what it should do") to see signatures.
Input("k", &v) reads inputs, Stored("id", &v) a cut result.`

const (
	minListTokens, maxListTokens = 300, 4000 // of Options.ListTokens
	// teachingTokens is what a list with nothing but teaching costs; a test counts it.
	teachingTokens        = 266
	fewFields, manyFields = 2, 6
	maxFuncs              = 12    // names of a server's tools without a signature
	maxTried              = 30    // tools in a row for which there is no room: it bounds the work
	maxSaved, longestName = 4, 24 // saved scripts, bytes of a name
)

// description returns what clients are told of execute: how to write a script, then the
// tools that fit, first those with the used IDs. If there are no tools yet, view is nil.
func (s *Server) description(cat *catalog.Catalog, view *wrappers.View, rules *policy.Policy, used []string,
	saved string) string {
	if view == nil {
		return fmt.Sprintf(teaching, "", s.opts.Limits.Timeout) + "\nThe tools are still being loaded."
	}
	l := newListing(cat, view, rules, used)
	l.left = (s.opts.ListTokens - teachingTokens) * 49 / 50 // costs are estimates
	example := l.example()
	if 2*price(example) > l.left {
		example = ""
	}
	l.left -= price(example)
	out := fmt.Sprintf(teaching, example, s.opts.Limits.Timeout)
	if saved != "" && l.takes(price(saved)) {
		out += saved
	}
	return out + "\n" + l.text()
}

// saved lists some of the saved scripts that compile.
func (s *Server) saved(cat *catalog.Catalog) string {
	var names []string
	if cat.Scripts != nil {
		names, _ = cat.Scripts.Names()
	}
	names = slices.DeleteFunc(names[:min(len(names), 4*maxSaved)], func(name string) bool {
		script, err := cat.Scripts.Load(name)
		return err != nil || script.Broken != "" || len(name) > longestName
	})
	if len(names) == 0 {
		return ""
	}
	return ` Saved scripts, for v, err := RunScript("name", inputs): ` + text.List(names, maxSaved)
}

// listed is a server in the list.
type listed struct {
	*wrappers.Server
	tools []*wrappers.Tool // that can be called, the most useful first
}

// callable returns the servers with tools that can be called and that a policy does not
// deny, and how many tools are unavailable.
func callable(cat *catalog.Catalog, view *wrappers.View, rules *policy.Policy) (servers []*listed, unavailable int) {
	for _, srv := range view.Servers() {
		reg, _ := cat.Registry.Server(srv.Name)
		s := &listed{Server: srv}
		for _, t := range srv.Tools {
			switch {
			case cat.Decide(rules, t.Tool, nil).Verdict == policy.IsDenied:
			case reg.Error != nil, reg.Transport == config.Snapshot, t.Held:
				unavailable++
			default:
				s.tools = append(s.tools, t)
			}
		}
		if len(s.tools) > 0 {
			servers = append(servers, s)
		}
	}
	return servers, unavailable
}

// listing is the list of tools in the making. Only Go identifiers and types enter it.
type listing struct {
	cat         *catalog.Catalog
	servers     []*listed
	tools       []*wrappers.Tool       // of all servers, the most useful first
	use         map[*wrappers.Tool]int // of used tools, negative
	distance    map[*wrappers.Tool]int // of all tools
	unavailable int
	left        int // tokens
}

// newListing sorts tools: those used, then by turns one of each server, first those that
// read what most tools of their server are about.
func newListing(cat *catalog.Catalog, view *wrappers.View, rules *policy.Policy, used []string) *listing {
	l := &listing{cat: cat, use: map[*wrappers.Tool]int{}, distance: map[*wrappers.Tool]int{}}
	l.servers, l.unavailable = callable(cat, view, rules)
	for i, id := range used {
		if t, ok := view.Tool(id); ok {
			l.use[t] = i - len(used)
		}
	}
	for _, s := range l.servers {
		l.measure(s.tools)
		slices.SortStableFunc(s.tools, func(a, b *wrappers.Tool) int {
			return cmp.Or(l.byUse(a, b), cmp.Compare(l.distance[a], l.distance[b]), cmp.Compare(len(a.Input), len(b.Input)))
		})
	}
	slices.SortStableFunc(l.servers, func(a, b *listed) int { return l.byUse(a.tools[0], b.tools[0]) })
	for i := 0; len(l.tools) < len(l.distance); i++ {
		for _, s := range l.servers {
			if i < len(s.tools) {
				l.tools = append(l.tools, s.tools[i])
			}
		}
	}
	slices.SortStableFunc(l.tools, l.byUse)
	return l
}

func (l *listing) byUse(a, b *wrappers.Tool) int { return cmp.Compare(l.use[a], l.use[b]) }

// readVerbs begin the names of tools that read.
var readVerbs = []string{"Search", "List", "Get", "Read", "Query", "Find", "Fetch", "Show", "Describe", "Log", "Status"}

// notRead is the least distance of a tool that reads neither by its class nor by its name.
const notRead = 1 << 22

// measure sets the distance of a server's tools, smaller for those that a model needs first.
func (l *listing) measure(tools []*wrappers.Tool) {
	nouns, with := map[*wrappers.Tool][]string{}, map[string]int{}
	for _, t := range tools {
		words := wrappers.Words(t.Func)
		for _, w := range words[min(1, len(words)):] {
			w = strings.TrimSuffix(w, "s")
			nouns[t] = append(nouns[t], w)
			with[w]++
		}
	}
	for _, t := range tools {
		about := len(tools) // a verb alone is about all tools
		for _, w := range nouns[t] {
			about = min(about, with[w])
		}
		verb := slices.IndexFunc(readVerbs, func(v string) bool { return strings.HasPrefix(t.Func, v) })
		n := (len(tools)-about)*len(readVerbs) + max(verb, 0)
		if verb < 0 {
			n += notRead / 2
		}
		if class, _ := l.cat.Class(t.Tool); class != record.Read {
			n += notRead / 2
		}
		l.distance[t] = n
	}
}

// example returns one call of a read tool, of one with required parameters if there is one.
func (l *listing) example() string {
	for _, part := range []string{": ", "("} {
		for _, t := range l.tools[:min(len(l.tools), maxTried)] {
			if call, result := t.Example(); strings.Contains(call, part) && l.distance[t] < notRead {
				return fmt.Sprintf("\nr, err := %s; if err != nil { panic(err) }; Return(%s)", call, result)
			}
		}
	}
	return ""
}

// takes takes tokens if there are as many.
func (l *listing) takes(tokens int) bool {
	if tokens > l.left {
		return false
	}
	l.left -= tokens
	return true
}

// text writes the list: of each server the signatures that fit, then the names of its
// other tools. Signatures come first, but leave room for names; what is left makes
// signatures longer.
func (l *listing) text() string {
	l.left -= 30 // what is said at the end
	named, third, names := 0, l.left/3, 0
	for i, s := range l.servers {
		if n := text.Tokens(s.Package) + 2; n <= third && named == i {
			named, third, l.left = named+1, third-n, l.left-n
		}
		for _, t := range s.tools {
			names += text.Tokens(t.Func)
		}
	}
	keep := l.left / 2
	if names > keep { // some of the names help little
		keep = 0
	}
	signed, failed := map[*wrappers.Tool]string{}, 0
	for _, t := range l.tools {
		line, others := l.line(t, fewFields), names-text.Tokens(t.Func)
		if l.use[t] < 0 {
			line = l.line(t, manyFields)
		}
		if need := price(line); l.left-need >= min(keep, others) && l.takes(need) {
			signed[t], names, failed = line, others, 0
		} else if failed++; failed == maxTried {
			break
		}
	}
	also := make([]string, len(l.servers)) // names of the other tools
	for i, s := range l.servers {
		n := 0
		for _, t := range s.tools {
			if signed[t] != "" {
				continue
			}
			if n == maxFuncs || !l.takes(text.Tokens(t.Func)) {
				also[i] += " …"
				break
			}
			also[i] += " " + t.Func
			n++
		}
	}
	out, servers := "Tools:\n", ""
	for i, s := range l.servers {
		lines := ""
		for _, t := range s.tools {
			if short := signed[t]; short != "" {
				if line := l.line(t, manyFields); l.takes(price(line) - price(short)) {
					short = line
				}
				lines += short
			}
		}
		switch {
		case lines == "" && also[i] == " …":
			if i < named {
				servers += " " + s.Package
			}
		case lines == "":
			out += s.Package + ":" + also[i] + "\n"
		case also[i] != "":
			lines += "also" + also[i] + "\n"
			fallthrough
		default:
			out += s.Package + lines
		}
	}
	if servers != "" {
		out += "Other servers:" + servers + "\n"
	}
	if n := len(l.servers) - named; n > 0 {
		out += "and " + text.Count(n, "more server") + ": UseTools(\"what it should do\") finds their tools\n"
	}
	if len(l.servers) == 0 {
		out = "No tools can be called.\n"
	}
	if l.unavailable > 0 {
		out += text.Count(l.unavailable, "tool") + " cannot be called now\n"
	}
	return strings.TrimSuffix(out, "\n")
}

// line is the signature of a tool behind the name of its server, with up to most
// optional parameters.
func (l *listing) line(t *wrappers.Tool, most int) string {
	return strings.TrimPrefix(t.Sketch(most), t.Package().Package) + "\n"
}

// price is what a text costs inside JSON, in tokens.
func price(s string) int { return text.Tokens(string(quote(s))) }
