package console

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry"
)

const (
	// maxNeeds is the number of items of each kind that need a person.
	maxNeeds = 4
	// maxUnresolved is the number of runs that may have unresolved calls whose records are read.
	maxUnresolved = 20
	// tableRows is the number of rows of each table of the overview.
	tableRows = 8
	// maxLatest is the number of latest runs.
	maxLatest = 7
)

func (c *Console) overviewPage(v *view) error {
	hours, err := strconv.Atoi(cmp.Or(v.r.URL.Query().Get("hours"), "24"))
	i := slices.IndexFunc(periods, func(s period) bool { return s.Hours == hours })
	if err != nil || i < 0 {
		return badRequest("The overview shows 1, 24 or 168 hours.")
	}
	d, err := c.overview(v, &periods[i], time.Now())
	if err != nil {
		return err
	}
	return v.show("overview.html", &Page{Title: "Overview", Nav: "overview", Class: "over",
		Live: []string{topicRuns, topicApprovals, topicServers}, Data: d})
}

// overviewData is the data of the overview.
type overviewData struct {
	Now     time.Time
	Period  *period
	Periods []period
	Needs   []*need
	runTotals
	Full    bool // not all runs are counted
	Plot    *plot
	Latest  []latestRun
	Slowest []*called
	Top     float64 // duration of the slowest call in Slowest, in ms
	Refused []*called
	With    int // number of runs with calls
	Phrases []usage.RefusedPhrase
	Servers []*serverRow
	Names   []string // server names, for colours
	// Running and Waiting count scripts, for the operator.
	Running, Waiting int
	// All is the size of the definitions of all tools in tokens, Execute the size of the tool
	// execute. If zero, the sizes are unknown.
	All, Execute int
	ToolCount    int
	Cluster      *Cluster // nil without a cluster, or if the viewer may not see it
}

// Fewer returns the share of tokens that execute saves, or "" if it saves none.
func (d *overviewData) Fewer() string {
	if d.All <= d.Execute {
		return ""
	}
	return sharePercents(d.All-d.Execute, d.All)
}

// latestRun is one of the latest runs.
type latestRun struct {
	*record.Summary
	Preview *preview
}

func (c *Console) overview(v *view, s *period, now time.Time) (*overviewData, error) {
	d := &overviewData{Now: now, Period: s, Periods: periods}
	runs, full := v.recentRuns()
	d.Full = full
	cat := c.host.Catalog(v.Viewer)
	if v.Operator {
		d.Running, d.Waiting = c.host.Load()
		d.Cluster = c.cluster(v.r.Context(), since(runs, now.Add(-24*time.Hour)))
	}
	if err := v.turn(); err != nil {
		return nil, err
	}
	for _, sum := range runs[:min(len(runs), maxLatest)] {
		d.Latest = append(d.Latest, latestRun{sum, v.preview(sum)})
	}
	begin := s.begin(now)
	inPeriod := since(runs, begin)
	pieces := d.count(s, begin, inPeriod)
	if d.Runs > 0 {
		d.Plot = newPlot(s, begin, pieces)
	}
	for _, sum := range inPeriod {
		if sum.Calls > 0 {
			d.With++
		}
	}
	d.tools(calledBy(inPeriod, func(id string) string { return id }, now))
	d.Servers = c.serverRows(v, runs, now, false)
	if cat != nil {
		d.Names, d.ToolCount = serverOrder(cat), v.countTools(cat)
		if c.opts.ListTokens > 0 && d.ToolCount > 0 && d.ToolCount == len(cat.Registry.Tools) {
			d.All, d.Execute = c.sizes.of(cat).Total.SchemaTokens, c.opts.ListTokens
		}
		if v.Operator && cat.Usage != nil {
			used, err := cat.Usage.Runs(now.Add(-time.Duration(s.Hours) * time.Hour))
			if err != nil {
				c.log.Warn("usage cannot be read", "error", err)
			}
			phrases := usage.Summarize(used, nil, serverOf).Phrases
			d.Phrases = phrases[:min(len(phrases), tableRows)]
		}
	}
	d.Needs = c.needs(v, runs, d.Servers)
	return d, nil
}

// runTotals are statistics of the runs of a period.
type runTotals struct {
	Runs, Ended, Well, Calls, Failed int
	P50, P95                         float64 // durations of ended runs, in ms
	RunsLine, TimesLine, CallsLine   []point
}

// Share returns the share of ended runs that are ok, or "" if no run has ended.
func (t *runTotals) Share() string {
	if t.Ended == 0 {
		return ""
	}
	return sharePercents(t.Well, t.Ended)
}

// count counts runs, in total and by start time.
func (t *runTotals) count(s *period, begin time.Time, runs []*record.Summary) []piece {
	pieces := make([]piece, s.pieces())
	const points = 24
	number, calls := make([]float64, points), make([]float64, points)
	times := make([][]float64, points)
	var all []float64
	for _, x := range runs {
		i, in := s.at(x.Time, begin)
		if !in {
			continue
		}
		at := i * points / len(pieces)
		t.Runs, number[at] = t.Runs+1, number[at]+1
		t.Calls, calls[at] = t.Calls+x.Calls, calls[at]+float64(x.Calls)
		t.Failed += x.Failed
		switch statusClass(x.Status) {
		case "bad":
			pieces[i].Bad++
		case "off":
			pieces[i].Off++
		case "ok":
			pieces[i].OK++
			t.Well++
		default: // may still continue
			pieces[i].Wait++
			continue
		}
		t.Ended++
		all, times[at] = append(all, x.Ms), append(times[at], x.Ms)
	}
	slices.Sort(all)
	t.P50, t.P95 = present.Quantile(all, .5), present.Quantile(all, .95)
	if t.Runs > 0 {
		medians := make([]float64, points)
		for i, ms := range times {
			if medians[i] = missing; len(ms) > 0 {
				slices.Sort(ms)
				medians[i] = present.Quantile(ms, .5)
			}
		}
		t.RunsLine, t.TimesLine, t.CallsLine = spark(number), spark(medians), spark(calls)
	}
	return pieces
}

// sharePercents returns a share as a percentage. It is 100 or 0 only if exact.
func sharePercents(part, of int) string {
	p := 100 * float64(part) / float64(of)
	switch {
	case part == of:
		return "100 %"
	case part == 0:
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", math.Min(math.Max(p, 0.1), 99.9))
}

// tools lists the slowest tools, and those with the most denied calls.
func (d *overviewData) tools(all map[string]*called) {
	for _, t := range all {
		if t.Timed > 0 {
			d.Slowest = append(d.Slowest, t)
		}
		if t.Denied > 0 {
			d.Refused = append(d.Refused, t)
		}
	}
	slices.SortFunc(d.Slowest, func(a, b *called) int { return cmp.Or(cmp.Compare(b.Mean(), a.Mean()), cmp.Compare(a.Tool, b.Tool)) })
	slices.SortFunc(d.Refused, func(a, b *called) int { return cmp.Or(cmp.Compare(b.Denied, a.Denied), cmp.Compare(a.Tool, b.Tool)) })
	d.Slowest, d.Refused = d.Slowest[:min(len(d.Slowest), tableRows)], d.Refused[:min(len(d.Refused), tableRows)]
	for _, t := range d.Slowest {
		d.Top = max(d.Top, t.Max)
	}
}

// need is something that a person should do.
type need struct {
	Kind  string // pending, unresolved, down, signin, changed, more
	Class string // colour class
	Icon  string
	Head  string
	Run   *record.Summary
	Tools toolCounts
	Since time.Time
	Row   *serverRow
	Text  string
	Next  string // the address, and Do the label of its button
	Do    string
}

// toolCount is a number of calls of a tool. If Tool is empty, they are the effect calls of a dry
// run.
type toolCount struct {
	Tool string
	N    int
}

// needs returns the needs that a viewer can see, pending calls first.
func (c *Console) needs(v *view, runs []*record.Summary, servers []*serverRow) []*need {
	out := c.pendingNeeds(v)
	var unresolved, down, signIns, changed []*need
	looked := 0
	for _, sum := range runs {
		if sum.Status != "uncertain" && sum.Status != record.Died {
			continue
		}
		if looked++; looked > maxUnresolved || len(unresolved) > maxNeeds {
			break
		}
		p := v.preview(sum)
		switch {
		case p == nil && sum.Status == "uncertain":
			p = &preview{Note: "its record is too large for this page." + v.terminal("runs", "show", sum.ID)}
		case p == nil || !p.Unresolved:
			continue
		}
		unresolved = append(unresolved, &need{Kind: "unresolved", Class: "wait", Icon: "unknown", Head: "Unresolved call", Run: sum,
			Since: sum.Time, Text: p.Note, Next: "/runs/" + sum.ID, Do: doOrSee(v, "Settle")})
	}
	for _, s := range servers {
		x := &need{Class: "wait", Icon: "wait", Row: s, Next: "/servers/" + link(s.Name), Do: "See"}
		switch s.State.Key {
		case "down", "unusable":
			x.Kind, x.Class, x.Icon, x.Head = "down", "bad", "bad", s.Name+" is "+s.State.Word
			down = append(down, x)
		case "signin":
			x.Kind, x.Head, x.Do = "signin", s.Name+" needs a sign-in", doOrSee(v, "Sign in")
			signIns = append(signIns, x)
		}
		if v.Operator && len(s.Held) > 0 {
			x := &need{Kind: "changed", Class: "wait", Icon: "unknown", Row: s, Next: "/servers/" + link(s.Name), Do: "Compare",
				Head: plural(len(s.Held), "tool changed", "tools changed")}
			for _, id := range s.Held {
				x.Tools.add(id)
			}
			changed = append(changed, x)
		}
	}
	out = append(out, firstNeeds(unresolved, "runs have calls whose outcome is unknown", "/runs?status=uncertain")...)
	out = append(out, firstNeeds(down, "servers are down", "/servers")...)
	out = append(out, firstNeeds(signIns, "servers need a sign-in", "/servers")...)
	return append(out, firstNeeds(changed, "servers have changed tools", "/servers")...)
}

// doOrSee returns the label of a button that only the operator can use.
func doOrSee(v *view, do string) string {
	if v.Operator {
		return do
	}
	return "See"
}

// pendingNeeds returns the pending calls by run.
func (c *Console) pendingNeeds(v *view) []*need {
	var all []*need
	by := map[string]*need{}
	for _, a := range c.hub.asks(v.Viewer) {
		x := by[a.Run.ID]
		if x == nil { // the oldest call of the run
			x = &need{Kind: "pending", Class: "wait", Icon: "wait", Run: a.Run, Since: a.Time, Do: "Answer", Next: "/approvals/" + a.ID}
			if by[a.Run.ID] = x; !v.MayAnswer(a.Run.Subject) {
				x.Do = "See"
			}
			all = append(all, x)
		}
		x.Tools.add(a.Tool)
	}
	for _, x := range all {
		calls := 0
		for _, t := range x.Tools {
			calls += t.N
		}
		if x.Head = plural(calls, "pending call", "pending calls"); x.Tools[0].Tool == "" {
			x.Head = "Pending dry run"
		}
	}
	return firstNeeds(all, "runs need approval", "/approvals")
}

// toolCounts counts calls by tool, in order of first occurrence.
type toolCounts []toolCount

func (c *toolCounts) add(tool string) {
	i := slices.IndexFunc(*c, func(t toolCount) bool { return t.Tool == tool })
	if i < 0 {
		i, *c = len(*c), append(*c, toolCount{Tool: tool})
	}
	(*c)[i].N++
}

// firstNeeds returns the first needs of a kind, and one that counts the rest.
func firstNeeds(all []*need, what, next string) []*need {
	if len(all) <= maxNeeds {
		return all
	}
	more := &need{Kind: "more", Class: all[0].Class, Icon: all[0].Icon, Head: fmt.Sprintf("%d more", len(all)-maxNeeds+1),
		Text: what, Next: next, Do: "See all"}
	return append(all[:maxNeeds-1:maxNeeds-1], more)
}

// toolSizes caches the sizes of the definitions of a registry's tools.
type toolSizes struct {
	mu    sync.Mutex
	reg   *registry.Registry
	stats discovery.Stats
}

// of returns the sizes of a catalog's tools.
func (k *toolSizes) of(cat *catalog.Catalog) *discovery.Stats {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reg != cat.Registry {
		k.reg, k.stats = cat.Registry, discovery.Stats{}
		if index, err := cat.Index(); err == nil {
			k.stats = index.Stats(discovery.Query{})
		}
	}
	return &k.stats
}
