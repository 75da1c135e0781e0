package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

const (
	// toolsListed is the number of tools on a page of the list.
	toolsListed = 100
	// candidatesShown is the number of displayed candidates of a phrase.
	candidatesShown = 8
	// maxChosen limits the values of one filter.
	maxChosen = 200
)

// known is the catalog as a viewer may see it, with names and colours.
type known struct {
	v       *view
	cat     *catalog.Catalog
	index   *discovery.Index
	view    *wrappers.View
	policy  *policy.Policy
	servers []string // in the order of their colours
}

// known returns the catalog of the viewer, or nil without an error while it is loading.
func (v *view) known() (*known, error) {
	cat := v.c.host.Catalog(v.Viewer)
	if cat == nil {
		return nil, nil
	}
	k := &known{v: v, cat: cat, policy: v.c.host.Policy(v.Viewer), servers: serverOrder(cat)}
	var err error
	if k.view, err = cat.View(); err != nil {
		return nil, err
	}
	if k.index, err = cat.Index(); err != nil {
		return nil, err
	}
	return k, nil
}

// serverOrder returns the names of the servers in the order of their colours: first the order of
// the config, then servers that are not in it.
func serverOrder(cat *catalog.Catalog) []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for i := range cat.Servers {
		add(cat.Servers[i].Name)
	}
	for i := range cat.Registry.Servers {
		add(cat.Registry.Servers[i].Name)
	}
	return names
}

func (k *known) hue(server string) string { return hueOf(k.servers, server) }

// hueOfPackage returns the colour of a server by its Go package, or "". It is for highlight.
func (k *known) hueOfPackage(pkg string) string {
	if s, ok := k.view.Package(pkg); ok {
		return k.hue(s.Name)
	}
	return ""
}

// decide returns the policy's decision about a tool before its arguments are known.
func (k *known) decide(t *registry.Tool) policy.Decision {
	if t.Held {
		return policy.Decision{Tool: t.ID, Verdict: policy.IsDenied, Rule: t.Error}
	}
	return k.cat.Decide(k.policy, t, nil)
}

// shows reports whether the viewer may see a tool. The operator sees all tools, others those that
// their scripts may call.
func (k *known) shows(t *registry.Tool) bool {
	return k.v.shows(k.cat, k.policy, t)
}

func (v *view) shows(cat *catalog.Catalog, p *policy.Policy, t *registry.Tool) bool {
	return v.Operator || cat.Decide(p, t, nil).Verdict != policy.IsDenied
}

// countTools returns the number of tools that the viewer may see.
func (v *view) countTools(cat *catalog.Catalog) int {
	if v.Operator {
		return len(cat.Registry.Tools)
	}
	n, p := 0, v.c.host.Policy(v.Viewer)
	for i := range cat.Registry.Tools {
		if v.shows(cat, p, &cat.Registry.Tools[i]) {
			n++
		}
	}
	return n
}

// showsID is shows for an ID. For a tool that no longer exists, it is true only for the operator.
func (k *known) showsID(id string) bool {
	t, ok := k.cat.Registry.Tool(id)
	return k.v.Operator || ok && k.shows(t)
}

// maySay reports whether the viewer may read a sentence: it names no tool that the viewer may not
// see and, unless the viewer is the operator, repeats no server's error.
func (k *known) maySay(s string) bool {
	if k.v.Operator {
		return true
	}
	reg := k.cat.Registry
	for i := range reg.Servers {
		if e := reg.Servers[i].Error; e != nil && *e != "" && strings.Contains(s, *e) {
			return false
		}
	}
	for i := range reg.Tools {
		if t := &reg.Tools[i]; strings.Contains(s, t.ID) && !k.shows(t) {
			return false
		}
	}
	return true
}

// Hue returns the colour class of a tool's server.
func (k *known) Hue(t *wrappers.Tool) string { return k.hue(t.Server) }

// About returns a tool's description in one sentence.
func (k *known) About(t *wrappers.Tool) string { return k.index.Short(t.ID) }

// hide removes from an explanation what the viewer may not see. A phrase for a tool that the viewer
// may not see matches no tool.
func (k *known) hide(x *discovery.Explanation) {
	if t, ok := k.cat.Registry.Tool(x.Tool); ok && !k.shows(t) {
		x.Verdict, x.Tool, x.Confidence = discovery.NotFound, "", 0
		x.Note, x.Reason = "", ""
	}
	if !k.maySay(x.Note) {
		x.Note = ""
	}
	if !k.maySay(x.Reason) {
		x.Reason = ""
	}
}

func toolHref(id string) string { return "/tools/" + url.PathEscape(id) }

// mark is a remark about a tool, in a word, to know before calling it.
type mark struct{ Kind, Word, Why string }

// Marks returns the marks of a tool.
func (k *known) Marks(t *wrappers.Tool) (out []mark) {
	switch {
	case t.Held:
		out = append(out, mark{"wait", "held", t.Error})
	case t.Error != "":
		out = append(out, mark{"bad", "unavailable", t.Error})
	case t.Stale:
		out = append(out, mark{"wait", "stale", "its server did not answer; this is the earlier definition"})
	}
	if isDeprecated(t.Description) {
		out = append(out, mark{"wait", "deprecated", "its description says so"})
	}
	switch d := k.decide(t.Tool); {
	case t.Held:
	case d.Verdict == policy.IsDenied:
		out = append(out, mark{"bad", "denied", d.Rule})
	case d.Verdict == policy.NeedsApproval:
		out = append(out, mark{"wait", "needs approval", d.Rule})
	}
	return out
}

// isDeprecated reports whether a description says that the tool itself is deprecated, rather than
// that it works on deprecated things.
func isDeprecated(description string) bool {
	const word = "deprecated"
	head := text.First(description, 160) // further on, it is about parameters
	if strings.Contains(head, "DEPRECATED") {
		return true
	}
	low := strings.ToLower(head)
	return strings.HasPrefix(strings.TrimLeft(low, " \t\r\n[(*_!⚠\ufe0f"), word) ||
		strings.Contains(low, "tool is "+word) || strings.Contains(low, "["+word+"]") || strings.Contains(low, "("+word+")")
}

// toolRow is a tool in a list.
type toolRow struct {
	*wrappers.Tool
	Why    string      // the parts of the phrase that it matches
	Server *serverHead // set on the first of a server's tools
}

// serverHead is the heading of a server's tools.
type serverHead struct {
	Name, Hue, Href, Title, Transport string
	Tools                             int
	Down                              bool   // its tools could not be loaded
	Error                             string // the reason; empty if the viewer may not see it
	Asking                            bool   // its tools are being loaded
}

func (k *known) serverHead(name string) *serverHead {
	h := &serverHead{Name: name, Hue: k.hue(name), Href: "/servers/" + url.PathEscape(name)}
	if s, ok := k.cat.Registry.Server(name); ok {
		h.Title, h.Transport, h.Tools = s.Title, s.Transport, s.Tools
		if h.Down = s.Error != nil; h.Down && k.v.Operator {
			h.Error = registry.Printable(catalog.OfServer(name, *s.Error), 300)
		}
	}
	h.Asking = k.cat.Asking != nil && slices.Contains(k.cat.Asking.Servers, name)
	return h
}

// choice is a value of a filter, with the number of tools.
type choice struct {
	Value    string
	Count    int
	On, Down bool
}

type facet struct {
	Name, Title string
	Choices     []choice
}

// toolsData is the data of the page of tools.
type toolsData struct {
	K       *known // nil if there is no catalog
	Empty   bool   // there are no tools
	Q       string
	Facets  []facet
	Narrow  bool // some filter is on
	Found   *found
	Chosen  *signature
	Rows    []toolRow
	Total   int // number of matching tools, of Of
	Of      int
	Servers int
	Asking  []string
	From    int // number of the first row, or 0 on the first page
	// More and Less are the addresses of the next and previous page, or "".
	More, Less string
	Left       int    // number of tools after these rows
	Note       string // why no tool matches
	All        string // address of the page without filters
}

func (c *Console) toolsPage(v *view) error {
	query := v.r.URL.Query()
	d := &toolsData{Q: text.FirstBytes(strings.ToValidUTF8(query.Get("q"), "\uFFFD"), discovery.MaxPhrase)}
	k, err := v.known()
	if err != nil {
		return err
	}
	if d.K = k; k != nil {
		if err := k.fill(d, query); err != nil {
			return err
		}
	}
	if v.r.Header.Get("X-Part") == "result" {
		return v.part("tools.html", "result", d)
	}
	return v.show("tools.html", &Page{Title: "Tools", Nav: "tools", Class: "toolspage", Live: []string{topicServers},
		Module: "tools.js", Data: d})
}

// fill answers a query of the page of tools.
func (k *known) fill(d *toolsData, query url.Values) error {
	reg := k.cat.Registry
	d.Servers = len(reg.Servers)
	if k.cat.Asking != nil {
		d.Asking = k.cat.Asking.Servers
	}
	if d.Empty = len(reg.Tools) == 0; d.Empty {
		for i := range reg.Servers {
			if reg.Servers[i].Error != nil {
				d.Facets = append(d.Facets, facet{Name: reg.Servers[i].Name})
			}
		}
		return nil
	}
	keep := k.facets(d, query)
	if strings.TrimSpace(d.Q) != "" {
		var err error
		if d.Found, err = k.explain(d.Q); err != nil {
			return err
		}
		if t := d.Found.choose(); t != nil && k.shows(t.Tool) {
			d.Chosen = k.signature(t)
		}
	}
	q := discovery.Query{Text: d.Q, Keep: keep, Limit: toolsListed, Detail: discovery.NameDescription}
	fmt.Sscan(text.First(query.Get("from"), 9), &q.Offset)
	q.Offset = max(q.Offset, 0)
	page, err := k.index.Search(q)
	if err != nil {
		return err
	}
	d.Total, d.Note = page.Total, page.Note
	if page.Offset > 0 {
		d.From = page.Offset + 1
	}
	last := ""
	for _, h := range page.Results {
		t, ok := k.view.Tool(h.ID)
		if !ok {
			continue
		}
		row := toolRow{Tool: t, Why: h.Why}
		if d.Found == nil && t.Server != last {
			last = t.Server
			row.Server = k.serverHead(last)
		}
		d.Rows = append(d.Rows, row)
	}
	at := func(from int) string {
		next := url.Values{}
		for _, name := range []string{"q", "server", "class", "category"} {
			if of := query[name]; len(of) > 0 && of[0] != "" {
				next[name] = of[:min(len(of), maxChosen)]
			}
		}
		if from > 0 {
			next.Set("from", fmt.Sprint(from))
		}
		return "/tools?" + next.Encode()
	}
	if page.HasMore {
		d.Left = page.Total - page.Offset - len(page.Results)
		d.More = at(page.Offset + len(page.Results))
	}
	if page.Offset > 0 {
		d.Less = at(page.Offset - toolsListed)
	}
	d.All = "/tools?" + url.Values{"q": {d.Q}}.Encode()
	return nil
}

// facets counts the tools by server, class and category, and returns whether the query keeps a
// tool.
func (k *known) facets(d *toolsData, query url.Values) func(*registry.Tool) bool {
	chosen := func(name string) map[string]bool {
		out := map[string]bool{}
		for _, v := range query[name][:min(len(query[name]), maxChosen)] {
			if v != "" {
				out[v] = true
			}
		}
		d.Narrow = d.Narrow || len(out) > 0
		return out
	}
	servers, classes, categories := chosen("server"), chosen("class"), chosen("category")
	var in map[string]bool // the IDs in the chosen categories
	if len(categories) > 0 {
		in = map[string]bool{}
		for name := range categories {
			for _, id := range k.index.Names(discovery.Query{Category: name}) {
				in[id] = true
			}
		}
	}
	byServer, byClass := map[string]int{}, map[record.Class]int{}
	shown := map[string]bool{}
	for i := range k.cat.Registry.Tools {
		t := &k.cat.Registry.Tools[i]
		if !k.shows(t) {
			continue
		}
		class, _ := k.cat.Class(t)
		byServer[t.Server]++
		byClass[class]++
		d.Of++
		shown[t.ID] = (len(servers) == 0 || servers[t.Server]) && (len(classes) == 0 || classes[string(class)]) &&
			(in == nil || in[t.ID])
	}
	f := facet{Name: "server", Title: "Server"}
	for _, name := range serverOrder(k.cat) {
		if s, ok := k.cat.Registry.Server(name); ok && (byServer[name] > 0 || servers[name]) {
			f.Choices = append(f.Choices, choice{name, byServer[name], servers[name], s.Error != nil})
		}
	}
	d.Facets = append(d.Facets, f)
	f = facet{Name: "class", Title: "Class"}
	for _, class := range policy.Classes {
		if byClass[class] > 0 || classes[string(class)] {
			f.Choices = append(f.Choices, choice{Value: string(class), Count: byClass[class], On: classes[string(class)]})
		}
	}
	d.Facets = append(d.Facets, f)
	f = facet{Name: "category", Title: "Category"}
	for _, c := range k.index.Categories(discovery.Query{Keep: k.shows}) {
		f.Choices = append(f.Choices, choice{Value: c.Name, Count: c.Tools, On: categories[c.Name]})
	}
	d.Facets = append(d.Facets, f)
	return func(t *registry.Tool) bool { return shown[t.ID] }
}

// found explains which tool a phrase matches, and why.
type found struct {
	*discovery.Explanation
	// Denied is the rule that forbids the viewer the tool of the phrase.
	Denied     string
	Tool       *wrappers.Tool // the tool of the phrase, or nil
	Candidates []candidate
	Columns    []column // the candidates' scores
	Near       []near
	Advice     []advice
	Down       []string // servers whose tools could not be loaded
	Took       float64  // ms
}

// column is a score of the search.
type column struct {
	Title, About string
	of           func(*discovery.Legs) float64
}

var columns = []column{
	{"words", "BM25: words that the phrase and the tool share; rare words count more",
		func(l *discovery.Legs) float64 { return l.BM25 }},
	{"meaning", "cosine similarity with the tool's name and the beginning of its description",
		func(l *discovery.Legs) float64 { return l.Full }},
	{"name", "cosine similarity with the tool's name", func(l *discovery.Legs) float64 { return l.Name }},
	{"sentence", "cosine similarity with the best sentence of its description",
		func(l *discovery.Legs) float64 { return l.Sentence }},
	{"together", "words and meaning: chooses the candidates",
		func(l *discovery.Legs) float64 { return l.Fused }},
	{"re-ranked", "orders the candidates", func(l *discovery.Legs) float64 { return l.Score }},
}

// candidate is a tool that a phrase may mean.
type candidate struct {
	*wrappers.Tool
	On, Miss bool
	Share    float64
	Scores   []float64 // one for each of columns
}

type near struct {
	*wrappers.Tool
	Cosine float64
}

// advice says which words would make a candidate the tool of the phrase.
type advice struct {
	*wrappers.Tool
	Only string // what distinguishes it from the other candidates
}

// choose returns the tool shown beside the explanation, or nil.
func (f *found) choose() *wrappers.Tool {
	if len(f.Candidates) > 0 && f.Verdict == discovery.Ambiguous {
		return f.Candidates[0].Tool
	}
	return f.Tool
}

// explain returns which tool UseTools would choose for a phrase, and why.
func (k *known) explain(phrase string) (*found, error) {
	begin := time.Now()
	x, err := k.cat.Explain(k.v.r.Context(), phrase,
		&discovery.ResolveOptions{Candidates: candidatesShown, Alone: true})
	if err != nil {
		return nil, err
	}
	k.hide(&x)
	f := &found{Explanation: &x, Columns: columns, Took: float64(time.Since(begin).Microseconds()) / 1000}
	offered := map[string]bool{x.Tool: true}
	if x.Verdict == discovery.Resolved {
		if t, ok := k.view.Tool(x.Tool); ok {
			f.Tool = t
			if d := k.decide(t.Tool); d.Verdict == policy.IsDenied {
				f.Denied = d.Rule
			}
		}
	} else {
		for _, o := range k.index.Offer(&x.Resolution) {
			if t, ok := k.view.Tool(o.ID); ok && k.shows(t.Tool) {
				offered[o.ID] = true
				f.Advice = append(f.Advice, advice{t, o.Distinction()})
			}
		}
		for i := range k.cat.Registry.Servers {
			if s := &k.cat.Registry.Servers[i]; s.Error != nil {
				f.Down = append(f.Down, s.Name)
			}
		}
	}
	share := map[string]float64{}
	for _, c := range x.Candidates {
		share[c.ID] = c.Score
	}
	for i := range x.Tools {
		l := &x.Tools[i]
		t, ok := k.view.Tool(l.ID)
		if !ok || !k.shows(t.Tool) {
			continue
		}
		one := candidate{Tool: t, On: l.ID == x.Tool,
			Miss: !offered[l.ID] || x.Verdict == discovery.NotFound, Share: share[l.ID]}
		for _, c := range columns {
			one.Scores = append(one.Scores, c.of(l))
		}
		f.Candidates = append(f.Candidates, one)
	}
	if len(f.Candidates) > 0 {
		similar, err := k.index.Similar(f.Candidates[0].ID, 6)
		if err != nil {
			return nil, err
		}
		for _, s := range similar {
			if t, ok := k.view.Tool(s.ID); ok && k.shows(t.Tool) && len(f.Near) < 3 {
				f.Near = append(f.Near, near{t, s.Score})
			}
		}
	}
	return f, nil
}
