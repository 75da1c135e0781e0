package discovery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
)

// Query selects tools for [Index.Search]. The zero value selects all tools.
type Query struct {
	Text     string // if empty, all tools match, in the order of the registry
	Match    Match  // if empty, Semantic
	Server   string // only tools of this server; case is ignored if no server has this exact name
	Category string // only tools of this category
	Prefix   string // only tools whose name or ID has this prefix, ignoring case
	Limit    int    // most results on the page, up to MaxLimit; if zero, 10
	Offset   int    // index of the page's first result
	Detail   Detail // of the results; if empty, NameDescription
	// Keep reports whether a tool may be in the results. If nil, all tools may.
	Keep func(*registry.Tool) bool
}

// MaxLimit bounds the results of one page.
const MaxLimit = 1000

const defaultLimit = 10

// Match says how a query's text is compared with tools.
type Match string

const (
	Semantic  Match = "semantic"  // ranks like Resolve
	Substring Match = "substring" // finds the text, ignoring case, in ID, title, category or description
)

// Page is one page of the tools that match a query, the best first.
type Page struct {
	Results []Hit `json:"results"`
	Total   int   `json:"total"`  // tools that match
	Offset  int   `json:"offset"` // of the first result
	HasMore bool  `json:"hasMore"`
	// Note says, for an empty page, which part of the query excludes all tools, and what to use
	// instead.
	Note string `json:"note,omitempty"`
}

// Hit is a tool that matches.
type Hit struct {
	Entry
	// Score is from 0 to 1. With a semantic match it is the softmax over the first 50 results, as
	// in Resolve, and 0 for further results.
	Score float64 `json:"score"`
	// Why says in a few words what matched.
	Why string `json:"why,omitempty"`
}

// Search returns one page of the tools that match a query, the best first. The pages of one query
// together have each matching tool exactly once.
func (ix *Index) Search(query Query) (Page, error) {
	page := Page{Results: []Hit{}}
	if err := query.Detail.check(); err != nil {
		return page, err
	}
	if query.Offset < 0 || query.Limit < 0 {
		return page, fmt.Errorf("searching: offset %d and limit %d must not be negative", query.Offset, query.Limit)
	}
	var found []match
	var err error
	switch only := ix.filter(&query); {
	case strings.TrimSpace(query.Text) == "":
		found = listed(ix.all, only)
	case query.Match == "" || query.Match == Semantic:
		found, err = ix.searchMeaning(query.Text, only)
	case query.Match == Substring:
		found = ix.searchText(query.Text, only)
	default:
		err = fmt.Errorf("match %q: want %s or %s", query.Match, Semantic, Substring)
	}
	if err != nil {
		return page, err
	}
	limit := min(query.Limit, MaxLimit)
	if limit == 0 {
		limit = defaultLimit
	}
	from := min(query.Offset, len(found))
	to := min(from+limit, len(found))
	page.Total, page.Offset, page.HasMore = len(found), from, to < len(found)
	for _, m := range found[from:to] {
		page.Results = append(page.Results, Hit{ix.entry(m.tool, query.Detail), round(m.score), m.why})
	}
	if from == to {
		page.Note = ix.blame(&query, len(found))
	}
	return page, nil
}

// namesNoted is the most names that a note lists.
const namesNoted = 30

// blame returns why a page has no results although found tools match.
func (ix *Index) blame(query *Query, found int) string {
	if found > 0 {
		return fmt.Sprintf("offset %d is after the last of %d tools", query.Offset, found)
	}
	alone := func(q Query) bool { q.Keep = query.Keep; return len(listed(ix.all, ix.filter(&q))) > 0 }
	switch {
	case len(ix.all) == 0:
		return "the registry has no tools"
	case query.Server != "" && !alone(Query{Server: query.Server}):
		var names []string
		for _, s := range ix.reg.Servers {
			if strings.EqualFold(s.Name, query.Server) {
				return fmt.Sprintf("the server %q has no tools", s.Name)
			}
			names = append(names, s.Name)
		}
		return fmt.Sprintf("unknown server %q; the servers are: %s", query.Server, someOf(names))
	case query.Category != "" && !alone(Query{Category: query.Category}):
		var names []string
		for _, c := range ix.Categories(Query{}) {
			names = append(names, c.Name)
		}
		return fmt.Sprintf("no tool has the category %q; the categories are: %s", query.Category, someOf(names))
	case query.Prefix != "" && !alone(Query{Prefix: query.Prefix}):
		return fmt.Sprintf("no tool's name or ID begins with %q", query.Prefix)
	case !alone(*query):
		return "no tool passes all of server, category and prefix"
	case query.Match == Substring:
		return fmt.Sprintf("no such tool has %q in its ID, title, category or description; the match %s searches by meaning",
			query.Text, Semantic)
	}
	return "nothing matches; use other words"
}

func someOf(names []string) string {
	if more := len(names) - namesNoted; more > 0 {
		names = append(slices.Clone(names[:namesNoted]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// match is a tool that matches, before its entry is made.
type match struct {
	tool  int32
	score float64
	why   string
}

// filter returns the tools that pass the query's filters, or nil if the query has no filters.
func (ix *Index) filter(query *Query) []int32 {
	if query.Server == "" && query.Category == "" && query.Prefix == "" && query.Keep == nil {
		return nil
	}
	only := []int32{}
	_, exact := ix.reg.Server(query.Server)
	for i := range ix.reg.Tools {
		t := &ix.reg.Tools[i]
		if (query.Server == "" || t.Server == query.Server || !exact && strings.EqualFold(t.Server, query.Server)) &&
			(query.Category == "" || strings.EqualFold(ix.category(int32(i)), query.Category)) &&
			(hasPrefixFold(t.Name, query.Prefix) || hasPrefixFold(t.ID, query.Prefix)) &&
			(query.Keep == nil || query.Keep(t)) {
			only = append(only, int32(i))
		}
	}
	return only
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func listed(all, only []int32) []match {
	if only != nil {
		all = only
	}
	found := make([]match, len(all))
	for i, tool := range all {
		found[i].tool = tool
	}
	return found
}

// Limits for a tool that shares no word with the query: it matches if it is among the first few
// or has at least a cosine of nearEnough.
const (
	firstFew   = 10
	nearEnough = .25
)

// searchMeaning ranks like Resolve. The other tools follow the re-ranked ones, in the order of
// the candidate score.
func (ix *Index) searchMeaning(text string, only []int32) ([]match, error) {
	q := ix.ask(context.Background(), text)
	defer q.done()
	ranked := q.matching(q.candidates(only, len(ix.all)))
	if top := ranked[:min(len(ranked), ix.t.candidates.Top)]; len(top) > 0 {
		q.rerank(top)
	}
	found := make([]match, len(ranked))
	for i, c := range ranked {
		found[i] = match{c.tool, c.share, q.why(c.tool)}
	}
	return found, nil
}

// matching returns the ranked candidates that are related to the query.
func (q *query) matching(ranked []candidate) []candidate {
	kept := ranked[:0]
	for i, c := range ranked {
		near := max(c.cos.full, c.cos.name, c.cos.sentence)
		if c.bmRel > 0 || near >= nearEnough || q.mention(c.tool) > 0 || i < firstFew && near > 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// why returns what a query and a tool have in common.
func (q *query) why(tool int32) string {
	ix := q.ix
	var shared, reasons []string
	for _, w := range q.words {
		if w.id >= 0 && slices.ContainsFunc(ix.words.textOf(tool), func(x int32) bool { return ix.words.stem[x] == w.id }) {
			shared = append(shared, w.text)
		}
	}
	if len(shared) > 0 {
		reasons = append(reasons, "words: "+strings.Join(shared, ", "))
	}
	if q.mention(tool) > 0 {
		reasons = append(reasons, "server: "+ix.reg.Tools[tool].Server)
	}
	if len(reasons) == 0 {
		return "meaning"
	}
	return strings.Join(reasons, "; ")
}

// searchText finds the text literally. Tools with the text in the name come before the others.
func (ix *Index) searchText(text string, only []int32) []match {
	text = strings.ToLower(text)
	var found []match
	for _, m := range listed(ix.all, only) {
		if m.score, m.why = whereText(&ix.reg.Tools[m.tool], ix.category(m.tool), text); m.score > 0 {
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return found
}

func whereText(t *registry.Tool, category, text string) (score float64, why string) {
	name := strings.ToLower(t.Name)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	switch {
	case name == text:
		return 1, "name"
	case strings.HasPrefix(name, text):
		return .8, "name"
	case strings.Contains(name, text), has(t.ID):
		return .6, "name"
	case has(t.Title), has(category):
		return .4, "title or category"
	case has(t.Description):
		return .2, "description"
	}
	return 0, ""
}
