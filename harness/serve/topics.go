package serve

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/wrappers"
)

// telltale says how much a server's name tells of what its tools do.
type telltale int

const (
	unheard telltale = iota // it is no word, and no tool's words are part of it: quaylog
	vague                   // it is a word, but none of its tools': linear
	telling                 // it has words of its tools: filesystem
)

// topics are the words that the tools of a server are made of.
type topics struct {
	name   telltale
	weight map[string]int // how often a word, in the singular, is there
	forms  map[string]string
	score  func(word string) float64 // less for words of many servers
}

// plainWords stand in the names and descriptions of tools of all kinds, and
// tell nothing of a server.
var plainWords = sync.OnceValue(func() map[string]bool {
	return set(`
	a able about add after again all also an and any are as at available back based batch be been before being between both but by
	call can change check clear contains content contents convert count create current currently data default delete details do does
	each edit either end enable execute existing fetch find first for from full get given gives has have help how id ids if in
	including info information input insert into is it item items its just kind know last like list load look made make many may mcp
	mode more most move must name named names need needed new next no not note now number of off on one only open optional or other
	output over own parameter parameters params part particular post provide provided put query read remove request require required
	requires reset resolve result results retrieve return returned returns run same save search see send server set show shows simple
	single some specific specified start status stop string support supports system take text than that the their them then there
	these they this those through time to tool tools turn two type under up update upsert use used user users uses using value values
	via want was what when where whether which while who will with without work would write you your`)
})

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// maxRead bounds, in bytes, what is read of a description.
const maxRead = 200

// readTopics reads the names and descriptions of all tools.
func readTopics(servers []*stocked) {
	in := map[string]int{} // servers that have a word
	for _, s := range servers {
		p := &s.topics
		p.weight, p.forms = map[string]int{}, map[string]string{}
		for _, t := range s.Tools {
			seen := map[string]bool{}
			for _, w := range splitName(t.Func) {
				p.add(w, 3, seen)
			}
			for _, w := range textWords(t.Title + " " + t.Description[:min(len(t.Description), maxRead)]) {
				p.add(w, 1, seen)
			}
		}
		for w := range p.weight {
			in[w]++
		}
		p.name = tells(s.Server, p.weight)
	}
	for _, s := range servers {
		s.topics.score = func(w string) float64 {
			return float64(s.topics.weight[w]) * math.Log(1+float64(len(servers))/float64(in[w]))
		}
	}
}

// add counts a word once for each tool.
func (p *topics) add(word string, weight int, seen map[string]bool) {
	word = strings.TrimRight(word, "0123456789")
	one := strings.TrimSuffix(word, "s")
	if len(word) < 3 || seen[one] || plainWords()[word] || plainWords()[one] {
		return
	}
	seen[one] = true
	if p.forms[one] == "" {
		p.forms[one] = word
	}
	p.weight[one] += weight
}

// best are up to three words that tell what a server is about.
func (p *topics) best(s *stocked) []string {
	name := wrappers.Fold(s.Name)
	words := slices.DeleteFunc(slices.Collect(maps.Keys(p.weight)), func(w string) bool {
		return strings.Contains(name, w) || strings.Contains(w, s.Package) || len(w) > 14
	})
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(p.score(b), p.score(a)), cmp.Compare(a, b)) })
	var out []string
	for _, w := range words[:min(3, len(words))] {
		out = append(out, p.forms[w])
	}
	return out
}

// tells says how much a server's name tells of its tools, which have the given
// words. That they have the name itself (git_log, quaylog_list) counts where it
// is a word.
func tells(s *wrappers.Server, words map[string]int) telltale {
	name, known := wrappers.Fold(s.Name), embed.Default().Has(s.Package)
	for w := range words {
		switch {
		case w == s.Package || w == strings.TrimSuffix(s.Package, "s"):
			if known {
				return telling
			}
		case len(w) > 3 && strings.Contains(name, w), len(s.Package) > 2 && strings.HasPrefix(w, s.Package):
			return telling
		}
	}
	if known {
		return vague
	}
	return unheard
}

// splitName splits a Go name into lower-case words.
func splitName(name string) []string {
	var out []string
	start := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] >= 'A' && name[i] <= 'Z' && (name[i-1] < 'A' || name[i-1] > 'Z') {
			out = append(out, strings.ToLower(name[start:i]))
			start = i
		}
	}
	return out
}

// textWords are the words of a text, in lower case.
func textWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}
