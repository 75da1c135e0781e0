package serve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/serve/shorten"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// teaching explains how to write a script. The first verb is the example, the second the time
// limit.
const teaching = `Runs a Go script that calls tools of MCP servers as functions.%s
Write statements or package main; imports are added. Standard library without files, network, processes; at most %s. Nothing runs unless all compiles; mistakes are answered with signatures.
Below, s.T(A int, B? X) → {C string} means r, err := s.T(s.TParams{A: 1}), then r.C; .T( continues s; ? is optional; X is s.X. What you write is sent, zeros too. No →: text or JSON, see r.Text() once, then r.JSON(&v). → …: more fields. Also r.Images().
Return(v) is the answer; printed text follows. Make many calls in one script.
A script of only UseTools("a server", "what it should do") shows signatures and fields.
Input("k", &v) reads inputs, Stored("id", &v) a cut result.`

const (
	minListTokens, maxListTokens = 300, 4000 // of Options.ListTokens
	// teachingTokens is the cost of a list with only teaching; a test counts it.
	teachingTokens        = 266
	fewFields, manyFields = 2, 6
	maxFuncs              = 12    // names of a server's tools without a signature
	maxTried              = 30    // tools in a row that do not fit, to bound the work
	maxSaved, longestName = 4, 24 // saved scripts, bytes of a name
)

// description returns the description of execute: how to write a script, then the tools that fit,
// beginning with the used IDs. If view is nil, the tools are still being loaded.
func (s *Server) description(cat *catalog.Catalog, view *wrappers.View, rules *policy.Policy, used []string,
	saved string) string {
	if view == nil {
		return fmt.Sprintf(teaching, "", s.opts.Limits.Timeout) + "\nThe tools are still being loaded."
	}
	l := newListing(cat, view, rules, used)
	l.left = (s.opts.ListTokens - teachingTokens) * 49 / 50
	l.left -= min(30, l.left/20) // costs are estimates
	example := l.example()
	if 2*price(example) > l.left {
		example = ""
	}
	l.left -= price(example)
	out := fmt.Sprintf(teaching, example, s.opts.Limits.Timeout)
	if n := price(saved); n <= l.left {
		out, l.left = out+saved, l.left-n
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
	tools []*wrappers.Tool // callable tools, the most useful first
}

// callable returns the servers with available tools that the policy does not deny, and the number
// of unavailable tools.
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

// listing builds the list of tools. It contains only Go identifiers and types.
type listing struct {
	servers     []*listed
	tools       []*wrappers.Tool       // of all servers, the most useful first
	use         map[*wrappers.Tool]int // of used tools, negative
	distance    map[*wrappers.Tool]int // of all tools
	unavailable int
	left        int // tokens
}

// newListing sorts tools: the used ones, then one of each server in turn, read tools first.
func newListing(cat *catalog.Catalog, view *wrappers.View, rules *policy.Policy, used []string) *listing {
	l := &listing{use: map[*wrappers.Tool]int{}, distance: map[*wrappers.Tool]int{}}
	l.servers, l.unavailable = callable(cat, view, rules)
	for i, id := range used {
		if t, ok := view.Tool(id); ok {
			l.use[t] = i - len(used)
		}
	}
	for _, s := range l.servers {
		for _, t := range s.tools {
			l.distance[t] = distanceOf(cat, t)
		}
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

// readVerbs are the first words of read tools' names.
var readVerbs = []string{"Search", "List", "Get", "Read", "Query", "Find", "Fetch", "Show", "Describe", "Log", "Status"}

// notRead is the distance of an effect tool.
const notRead = 100

// distanceOf returns a smaller number for tools that a model needs earlier.
func distanceOf(cat *catalog.Catalog, t *wrappers.Tool) int {
	if class, _ := cat.Class(t.Tool); class != record.Read {
		return notRead
	}
	n := slices.IndexFunc(readVerbs, func(v string) bool { return strings.HasPrefix(t.Func, v) })
	return cmp.Or(n+1, notRead-1)
}

// example returns a call of a read tool, preferably of one with required parameters.
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

// text returns the list: the signatures that fit, then the names of the other tools of each server.
// Parameters come first, then results of the most useful tools.
func (l *listing) text() string {
	l.left -= 30 // for the last lines
	named, third, names := 0, l.left/3, 0
	for i, s := range l.servers {
		if n := text.Tokens(s.Package) + 2; n <= third && named == i {
			named, third, l.left = named+1, third-n, l.left-n
		}
		for _, t := range s.tools {
			names += text.Tokens(t.Func)
		}
	}
	results, quarter := 0, l.left/4 // tokens reserved for results and for names
	for _, t := range l.tools[:min(len(l.tools), maxTried)] {
		_, result := l.line(t, fewFields)
		results = min(results+price(result), l.left/6)
	}
	signed := map[*wrappers.Tool]string{}
	for pass, most := range []int{fewFields, fewFields, manyFields} { // the first one without results
		for failed, i := 0, 0; i < len(l.tools) && failed < maxTried; i++ {
			t, keep := l.tools[i], min(quarter, names)
			call, result := l.line(t, most)
			switch {
			case l.use[t] < 0:
				call, result = l.line(t, manyFields)
			case pass == 0 && result != "":
				result = " → …"
			}
			if pass == 0 {
				names, keep = names-text.Tokens(t.Func), max(keep, results)
			} else if signed[t] == "" {
				continue
			}
			if need := price(call+result+"\n") - price(signed[t]); l.left-need >= keep {
				l.left -= need
				signed[t] = call + result + "\n"
				continue
			}
			if failed++; pass == 0 {
				names += text.Tokens(t.Func)
			}
		}
	}
	also := make([]string, len(l.servers)) // names of the other tools
	for i, s := range l.servers {
		n := 0
		for _, t := range s.tools {
			if signed[t] != "" {
				continue
			}
			if l.left -= text.Tokens(t.Func); n == maxFuncs || l.left < 0 {
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
			lines += signed[t]
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

// line returns the signature of a tool without its server, with up to limit optional parameters, and
// " → " with its result if the fields of that are known.
func (l *listing) line(t *wrappers.Tool, limit int) (call, result string) {
	call, result, _ = strings.Cut(strings.TrimPrefix(t.Sketch(limit), t.Package().Package), " → ")
	if result != "" {
		result = " → " + result
	}
	return call, result
}

// price returns the tokens of a text inside JSON.
func price(s string) int { return text.Tokens(string(shorten.Quote(s))) }
