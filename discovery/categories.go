package discovery

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// A category says in one word what a tool is for. It is the category whose description is nearest
// to the tool's text. Words of the category in the names of tool and server count too, and so do
// the server's other tools: "click" alone could be anything, but not on a server of browser
// tools. Categories and words are data (categories.json).

// Other is the category of a tool that fits no other category.
const Other = "other"

// Weights of a category's score, in units of a cosine.
const (
	perNameWord = .35 // a word of the category in the tool's name
	perTextWord = .08 // in the first words of its description
	mostWords   = 2   // the most words that count, of name and of description
	perServer   = .9  // of the mean score of the server's tools
	perHost     = .3  // a word of the category in the server's name
	leastScore  = .35 // a tool with a lower score is Other
)

// CategoryInfo is one category.
type CategoryInfo struct {
	Name  string `json:"name"`
	About string `json:"about"` // what its tools do, in a line
}

type category struct {
	CategoryInfo
	Words []string `json:"words"`

	vector []float32
	stems  map[string]bool
}

//go:embed categories.json
var categoriesJSON []byte

// loadCategories parses the table, on the first call.
var loadCategories = sync.OnceValue(func() []category {
	var all []category
	if err := json.Unmarshal(categoriesJSON, &all); err != nil {
		panic("discovery: categories.json is damaged: " + err.Error())
	}
	t, m := loadTables(), embed.Default()
	for i := range all {
		c := &all[i]
		c.vector, c.stems = m.Embed(c.About), map[string]bool{}
		for _, w := range c.Words {
			c.stems[t.stem(w)] = true
		}
	}
	return all
})

// KnownCategories returns all categories that a tool may be given, Other last.
func KnownCategories() []CategoryInfo {
	var out []CategoryInfo
	for _, c := range loadCategories() {
		out = append(out, c.CategoryInfo)
	}
	return append(out, CategoryInfo{Other, "tools that fit no other category"})
}

// categorize gives a category to each tool of a registry that lacks one. A tool's category
// depends on the other tools of its server.
func categorize(reg *registry.Registry) {
	missing := func(t registry.Tool) bool { return t.Category == "" }
	if !slices.ContainsFunc(reg.Tools, missing) {
		return
	}
	for i, c := range categoriesOf(reg) {
		if reg.Tools[i].Category == "" {
			reg.Tools[i].Category = c
		}
	}
}

// categoriesOf returns the category of each tool of a registry.
func categoriesOf(reg *registry.Registry) []string {
	all := loadCategories()
	scores := make([][]float32, len(reg.Tools))
	sums, count := map[string][]float32{}, map[string]float32{}
	for i := range reg.Tools {
		t := &reg.Tools[i]
		scores[i] = categoryScores(all, t)
		sum := sums[t.Server]
		if sum == nil {
			sum = make([]float32, len(all))
			sums[t.Server] = sum
		}
		for c, s := range scores[i] {
			sum[c] += s
		}
		count[t.Server]++
	}
	for name, sum := range sums {
		s, _ := reg.Server(name)
		hosts := hostScores(all, name, s)
		for c := range sum {
			sum[c] = perServer*sum[c]/count[name] + hosts[c]
		}
	}
	out := make([]string, len(reg.Tools))
	for i := range reg.Tools {
		best, most := Other, float32(leastScore)
		for c, s := range scores[i] {
			if s += sums[reg.Tools[i].Server][c]; s > most {
				best, most = all[c].Name, s
			}
		}
		out[i] = best
	}
	return out
}

// categoryScores compares a tool's text with each category.
func categoryScores(all []category, t *registry.Tool) []float32 {
	tables := loadTables()
	v := embed.Default().Embed(fullText(t, t.Description))
	name := tables.terms(t.Name)
	head := text.First(t.Description, 200)
	text := tables.terms(head)
	out := make([]float32, len(all))
	for i := range all {
		c := &all[i]
		out[i] = dot(v, c.vector) + perNameWord*c.count(name) + perTextWord*c.count(text)
	}
	return out
}

// hostScores compares a server's name and title with each category.
func hostScores(all []category, name string, s *registry.Server) []float32 {
	words := loadTables().terms(name)
	if s != nil {
		words = append(words, loadTables().terms(s.Title)...)
	}
	out := make([]float32, len(all))
	for i := range all {
		out[i] = perHost * all[i].count(words)
	}
	return out
}

// count returns the number of distinct words of the category in a text, at most mostWords.
func (c *category) count(stems []string) float32 {
	n := 0
	for i, w := range stems {
		if c.stems[w] && !slices.Contains(stems[:i], w) {
			n++
		}
	}
	return float32(min(n, mostWords))
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// checkCategories returns an error for an invalid pattern or category in Options.Categories.
func checkCategories(overrides map[string]string) error {
	for pattern, category := range overrides {
		if !registry.IsPattern(pattern) {
			return fmt.Errorf("categories: %q is not a tool pattern: want a server (git), a tool (git.git_log) or wildcards "+
				"(git.*_log)", pattern)
		}
		if strings.TrimSpace(category) == "" || len(category) > 40 {
			return fmt.Errorf("categories: %q has the category %.50q: want a word of at most 40 bytes", pattern, category)
		}
	}
	return nil
}

// categories are the categories of an index's tools. The options come first, then the registry,
// then the text.
type categories struct {
	once sync.Once
	of   []string // per tool
}

// CategoryCount is a category and its number of tools.
type CategoryCount struct {
	CategoryInfo
	Tools int `json:"tools"`
	// Servers are the names of the servers with such tools, sorted.
	Servers []string `json:"servers"`
}

// Categories returns the categories of the tools that pass the query's filters (all fields except
// Text), the one with the most tools first.
func (ix *Index) Categories(query Query) []CategoryCount {
	counts := map[string]*CategoryCount{}
	for _, m := range listed(ix.all, ix.filter(&query)) {
		c := ix.category(m.tool)
		n := counts[c]
		if n == nil {
			n = &CategoryCount{CategoryInfo: CategoryInfo{Name: c}, Servers: []string{}}
			counts[c] = n
		}
		n.Tools++
		if server := ix.reg.Tools[m.tool].Server; !slices.Contains(n.Servers, server) {
			n.Servers = append(n.Servers, server)
		}
	}
	for _, known := range KnownCategories() {
		if n := counts[known.Name]; n != nil {
			n.About = known.About
		}
	}
	list := []CategoryCount{}
	for _, n := range counts {
		slices.Sort(n.Servers)
		list = append(list, *n)
	}
	slices.SortFunc(list, func(a, b CategoryCount) int {
		if a.Tools != b.Tools {
			return b.Tools - a.Tools
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

// category returns the category of the tool at an index of the registry.
func (ix *Index) category(tool int32) string {
	ix.loadCategories()
	return ix.categories.of[tool]
}

// loadCategories sets ix.categories on the first call.
func (ix *Index) loadCategories() {
	ix.categories.once.Do(func() {
		of := make([]string, len(ix.reg.Tools))
		var computed []string
		for i := range ix.reg.Tools {
			t := &ix.reg.Tools[i]
			c := ix.overridden(t)
			if c == "" {
				c = t.Category
			}
			if c == "" {
				if computed == nil {
					computed = categoriesOf(ix.reg)
				}
				c = computed[i]
			}
			of[i] = c
		}
		ix.categories.of = of
	})
}

// overridden returns the category that the options give a tool, or "". The longest matching
// pattern wins.
func (ix *Index) overridden(t *registry.Tool) string {
	best := ""
	for pattern := range ix.overrides {
		if (len(pattern) > len(best) || len(pattern) == len(best) && pattern > best) && t.Match(pattern) {
			best = pattern
		}
	}
	return ix.overrides[best]
}
