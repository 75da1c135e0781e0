package bind

import (
	"cmp"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/wrappers"
)

// called is a function of a server's package that a script calls, found by syntax alone: its
// name and the fields that the script sets in its arguments.
type called struct {
	name   string
	fields []string
}

// functions returns the functions of a package that the script uses, directly or by their types.
func (b *Bound) functions(pkg string) []called {
	var out []called
	for _, n := range b.Needs.Names {
		if n.Package != pkg {
			continue
		}
		fn := function(n.Name)
		i := slices.IndexFunc(out, func(c called) bool { return c.name == fn })
		if i < 0 {
			i = len(out)
			out = append(out, called{name: fn})
		}
		out[i].fields = append(out[i].fields, n.Fields...)
	}
	return out
}

// A guess contains the tools that a wrong name may mean.
type guess struct {
	best   *wrappers.Tool   // nil if none is similar
	others []*wrappers.Tool // further ones
	sure   bool
}

// Weights of the evidence for a tool, besides its score for the words of the name: the share of
// the script's fields that it has, its score for a phrase of the script, and a similar spelling.
const (
	byFields   = .5
	byPhrase   = .7
	byClaimed  = .2 // a phrase whose tool the script uses by its right name
	bySpelling = .6
	leastGuess = .25 // the least evidence for a guess
	sureGuess  = .5
	// sureConfidence is the least confidence of the search for a sure guess of a tool with a
	// different spelling.
	sureConfidence = .25
	maxGuesses     = 3
	// maxGuessed limits the names in a script for which tools are guessed. Each takes about 20
	// ms with 10,000 tools.
	maxGuessed = 40
)

// words returns the words of the name and of the fields. In a plural name such as GetIssues,
// get becomes list, unless a tool has the singular name.
func (c called) words(spelled map[*wrappers.Tool]float64) []string {
	out := wrappers.Words(c.name)
	one, several := strings.CutSuffix(c.name, "s")
	for t := range spelled {
		several = several && t.Func != one
	}
	if several && len(out) > 1 && out[0] == "get" && !strings.HasSuffix(one, "s") && !strings.HasSuffix(one, "u") {
		out[0] = "list"
	}
	for _, f := range c.fields {
		out = append(out, wrappers.Words(f)...)
	}
	return out
}

// has returns the share of the script's fields that are parameters of a tool.
func (c called) has(t *wrappers.Tool) float64 {
	n := 0
	for _, p := range t.Params() {
		if slices.ContainsFunc(c.fields, func(f string) bool { return wrappers.Fold(f) == wrappers.Fold(p) }) {
			n++
		}
	}
	return float64(n) / float64(max(len(c.fields), 1))
}

// guess returns the tools that an unknown function may mean, on server s or, if s is nil, on
// any server, using the words of the unknown server's name. It adds up the evidence for each
// tool: spelling, the words of function and fields, and the script's phrases.
func (b *Bound) guess(f called, s *wrappers.Server, unknown string) guess {
	if b.guesses++; b.guesses > maxGuessed {
		return guess{}
	}
	server, words, spelled := "", wrappers.Words(unknown), map[*wrappers.Tool]float64{}
	if s != nil {
		server, words = s.Name, nil
		for i, t := range s.Near(f.name, 3) {
			spelled[t] = bySpelling / float64(i+1)
		}
	} else {
		for _, t := range b.View.Named(f.name) {
			spelled[t] = bySpelling
		}
	}
	text := strings.Join(append(words, f.words(spelled)...), " ")
	res, err := b.Index.Resolve(text, &discovery.ResolveOptions{Server: server, Candidates: reach})
	fits := err == nil && res.Verdict != discovery.NotFound
	score := b.scores(&res, fits || server != "", server, spelled)
	var tools []*wrappers.Tool
	for _, s := range b.View.Servers() { // in a fixed order
		for _, t := range s.Tools {
			if score[t] > 0 {
				score[t] += byFields * f.has(t)
				tools = append(tools, t)
			}
		}
	}
	slices.SortStableFunc(tools, func(a, b *wrappers.Tool) int { return cmp.Compare(score[b], score[a]) })
	if len(tools) == 0 || server == "" && score[tools[0]] < leastGuess {
		return guess{others: b.tools(res.Candidates[:min(len(res.Candidates), maxGuesses)])}
	}
	best := tools[0]
	likely := spelled[best] > 0 || fits && res.Confidence >= sureConfidence // with few tools, relative scores mean little
	g := guess{best: best, sure: likely && score[best] >= sureGuess &&
		(len(tools) == 1 || score[best] > 1.5*score[tools[1]])}
	for _, t := range tools[1:] {
		if len(g.others) < maxGuesses-1 && score[t] > score[best]/4 {
			g.others = append(g.others, t)
		}
	}
	return g
}

// scores adds up the evidence for the tools of a server, or of all servers: spelling, the words
// of the name if words is true, and the script's phrases.
func (b *Bound) scores(named *discovery.Resolution, words bool, server string,
	spelled map[*wrappers.Tool]float64) map[*wrappers.Tool]float64 {
	score := map[*wrappers.Tool]float64{}
	for t, s := range spelled {
		if b.shows(t.Tool) {
			score[t] += s
		}
	}
	add := func(res *discovery.Resolution, weight float64) {
		for _, c := range res.Candidates {
			if t, ok := b.View.Tool(c.ID); ok && b.shows(t.Tool) && (server == "" || t.Server == server) {
				score[t] += c.Score * weight
			}
		}
	}
	if words {
		add(named, 1)
	}
	for i := range b.Uses {
		u := &b.Uses[i]
		switch {
		case u.Phrase == "" || u.Verdict == discovery.NotFound:
		case u.By == outcome.ByName:
			add(&u.Resolution, byClaimed)
		default:
			add(&u.Resolution, byPhrase)
		}
	}
	return score
}
