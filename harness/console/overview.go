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
	// maxNeeds are named of each kind of what needs a person.
	maxNeeds = 4
	// tableRows are in each table of the overview.
	tableRows = 8
	// maxLatest are the latest runs that are listed.
	maxLatest = 7
)

// overviewPages adds the page of how all is.
func (c *Console) overviewPages(see func(pattern string, page func(*view) error)) {
	see("GET /{$}", func(v *view) error {
		hours, err := strconv.Atoi(cmp.Or(v.r.URL.Query().Get("hours"), "24"))
		i := slices.IndexFunc(periods, func(s period) bool { return s.Hours == hours })
		if err != nil || i < 0 {
			return badRequest("There are numbers of 1, 24 and 168 hours.")
		}
		return v.show("overview.html", &Page{Title: "Overview", Nav: "overview", Class: "over",
			Live: []string{topicRuns, topicApprovals, topicServers, topicNumbers}, Data: c.overview(v, &periods[i], time.Now())})
	})
}

// overviewData is what the overview shows.
type overviewData struct {
	Now     time.Time
	Period  *period
	Periods []period
	Needs   []*need
	Ready   bool // the records have been read
	Full    bool
	Runs    int // in the period
	Ended   int
	Well    int
	Share   string // of those that ended which ended well; "": none has
	P50     float64
	P95     float64
	Calls   int
	Failed  int
	Sparks  struct{ Runs, P50, Calls string }
	Plot    *plot
	Latest  []latestRun
	Tools   []slowTool
	Scale   *logScale
	Read    int // runs that Tools and Denied are of
	With    int // runs that made calls
	Denied  []*calledTool
	Phrases []usage.Trouble
	Servers []*serverRow
	Names   []string // of servers, for their colours
	// Running and Waiting are scripts; Queue: the viewer may know.
	Queue            bool
	Running, Waiting int
	// All is about what the definitions of all tools take of a context, in tokens;
	// Execute at most what one tool takes in their place. 0: not known.
	All, Execute int
	Saved        string // the share
	ToolCount    int
	Cluster      *Cluster // nil: there is none, or the viewer may not know
}

// ShownServers are those that the overview has a row for, trouble first.
func (d *overviewData) ShownServers() []*serverRow {
	return d.Servers[:min(len(d.Servers), tableRows+2)]
}

// slowTool is a row of the slowest tools: its range on the scale in percents.
type slowTool struct {
	*calledTool
	X, W string
}

func (c *Console) overview(v *view, s *period, now time.Time) *overviewData {
	n := c.digests.get(v.Viewer)
	d := &overviewData{Now: now, Period: s, Periods: periods, Ready: n.Ready, Full: n.Full}
	cat := c.host.Catalog(v.Viewer)
	if v.Operator {
		d.Queue = true
		d.Running, d.Waiting = c.host.Load()
		d.Cluster = c.cluster(v.r.Context(), n, now)
	}
	begin := s.begin(now)
	runs := n.since(begin)
	d.count(s, begin, runs)
	called, _ := called(runs, func(id string) string { return id }, now)
	for _, x := range runs {
		if x.Calls > 0 {
			if d.With++; x.read {
				d.Read++
			}
		}
	}
	d.tools(called)
	d.latest(v, n)
	d.Servers = c.serverRows(v, n, now, false)
	if cat != nil {
		d.Names, d.ToolCount = serverOrder(cat), v.countTools(cat)
		k := c.costs.get(c, cat)
		if k.known && c.opts.ListTokens > 0 && d.ToolCount > 0 && d.ToolCount == len(cat.Registry.Tools) {
			d.All, d.Execute = k.stats.Total.SchemaTokens, c.opts.ListTokens
			if d.All > d.Execute {
				d.Saved = sharePercents(d.All-d.Execute, d.All)
			}
		}
		if v.Operator {
			d.Phrases = k.phrases[s.Hours]
		}
	}
	d.Needs = c.needs(v, n, d.Servers, now)
	return d
}

// latestRun is one of the latest runs.
type latestRun struct {
	*record.Summary
	Preview *preview
}

func (d *overviewData) latest(v *view, n *numbers) {
	inTurn := v.turn() == nil
	for _, x := range n.Runs[:min(len(n.Runs), maxLatest)] {
		run := latestRun{Summary: x.Summary}
		if inTurn {
			run.Preview = v.preview(x.Summary)
		}
		d.Latest = append(d.Latest, run)
	}
}

// count counts runs, and draws them.
func (d *overviewData) count(s *period, begin time.Time, runs []*runDigest) {
	counts := make([]bucket, s.pieces())
	const points = 24
	var perPoint [points]struct {
		runs, calls float64
		ms          []float32
	}
	var all []float32
	for _, x := range runs {
		i, in := s.at(x.Time, begin)
		if !in {
			continue
		}
		d.Runs++
		d.Calls += x.Calls
		d.Failed += x.Failed
		p := &perPoint[i*points/len(counts)]
		p.runs++
		p.calls += float64(x.Calls)
		switch statusClass(x.Status) {
		case "bad":
			counts[i].Bad++
		case "off":
			counts[i].Off++
		case "ok":
			counts[i].OK++
			d.Well++
		default: // it goes on
			counts[i].Wait++
			continue
		}
		d.Ended++
		all = append(all, float32(x.Ms))
		p.ms = append(p.ms, float32(x.Ms))
	}
	slices.Sort(all)
	d.P50, d.P95 = float64(present.Quantile(all, .5)), float64(present.Quantile(all, .95))
	if d.Ended > 0 {
		d.Share = sharePercents(d.Well, d.Ended)
	}
	var number, took, calls []float64
	for i := range perPoint {
		p := &perPoint[i]
		number, calls = append(number, p.runs), append(calls, p.calls)
		slices.Sort(p.ms)
		if len(p.ms) == 0 {
			took = append(took, math.NaN())
		} else {
			took = append(took, float64(present.Quantile(p.ms, .5)))
		}
	}
	if d.Runs > 0 {
		d.Sparks.Runs, d.Sparks.P50, d.Sparks.Calls = spark(number), spark(took), spark(calls)
		d.Plot = newPlot(s, begin, counts)
	}
}

// sharePercents is a part of a number, in percents; it is 100 or 0 only where it is all or
// nothing.
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

// tools lists the slowest tools, and those whose calls were denied most.
func (d *overviewData) tools(all map[string]*calledTool) {
	var slow []*calledTool
	for _, t := range all {
		if len(t.ms) > 0 {
			slow = append(slow, t)
		}
		if t.Denied > 0 {
			d.Denied = append(d.Denied, t)
		}
	}
	slices.SortFunc(slow, func(a, b *calledTool) int { return cmp.Or(cmp.Compare(b.P50, a.P50), cmp.Compare(a.Name, b.Name)) })
	slices.SortFunc(d.Denied, func(a, b *calledTool) int {
		return cmp.Or(cmp.Compare(b.Denied, a.Denied), cmp.Compare(a.Name, b.Name))
	})
	slow, d.Denied = slow[:min(len(slow), tableRows)], d.Denied[:min(len(d.Denied), tableRows)]
	var ends []float64
	for _, t := range slow {
		ends = append(ends, t.P50, t.P95)
	}
	if len(slow) == 0 {
		return
	}
	d.Scale = newLogScale(ends...)
	for _, t := range slow {
		x := d.Scale.at(t.P50)
		d.Tools = append(d.Tools, slowTool{t, percents(x, 1), percents(d.Scale.at(t.P95)-x, 1)})
	}
}

// need is something that a person should do, with its one next step.
type need struct {
	Kind  string // wait, unknown, down, signin, changed, more
	Class string // of its sign
	Icon  string
	Head  string
	Run   *record.Summary
	Tools []needTool
	Rest  int // tools that are not named
	Since time.Time
	Row   *serverRow
	Text  string
	Next  string // the address, and Do what is done there
	Do    string
}

// needTool is how many calls of a tool wait.
type needTool struct {
	Tool string
	N    int
}

// needs are what a viewer should do, what waits first.
func (c *Console) needs(v *view, n *numbers, servers []*serverRow, now time.Time) []*need {
	out := c.waitingNeeds(v)
	var unknown []*need
	for _, d := range n.Runs {
		if d.large && d.Status == "uncertain" {
			unknown = append(unknown, &need{Kind: "large", Class: "wait", Icon: "unknown", Head: "effects are unknown",
				Run: d.Summary, Since: d.Time, Do: "See", Next: "/runs/" + d.ID, Text: "of run " + d.ID +
					", whose record is too large for this page." + v.terminal("runs", "show", d.ID)})
		}
		if len(d.unknown) == 0 {
			continue
		}
		x := &need{Kind: "unknown", Class: "wait", Icon: "unknown", Head: plural(len(d.unknown), "effect is unknown",
			"effects are unknown"), Run: d.Summary, Since: d.unknown[0].Time, Do: doOrSee(v, "Settle"),
			Next: fmt.Sprintf("/runs/%s#c%d", d.ID, d.unknown[0].N)}
		for _, u := range d.unknown {
			x.add(u.Tool)
		}
		unknown = append(unknown, x)
	}
	out = append(out, rest(unknown, "runs have effects of which nobody knows whether they happened", "/runs?status=uncertain")...)
	var down, signIns, changed []*need
	for _, s := range servers {
		switch s.State.Key {
		case "down", "unusable":
			down = append(down, &need{Kind: "down", Class: "bad", Icon: "bad", Head: s.Name + " is " + s.State.Word, Row: s,
				Next: "/servers/" + s.Path, Do: "See"})
		case "signin":
			signIns = append(signIns, &need{Kind: "signin", Class: "wait", Icon: "wait", Head: s.Name + " wants a sign-in", Row: s,
				Next: "/servers/" + s.Path, Do: doOrSee(v, "Sign in")})
		}
		if v.Operator && len(s.Held) > 0 {
			x := &need{Kind: "changed", Class: "wait", Icon: "unknown",
				Head: plural(len(s.Held), "tool changed", "tools changed"), Row: s, Next: "/servers/" + s.Path, Do: "Compare"}
			for _, id := range s.Held {
				x.add(id)
			}
			changed = append(changed, x)
		}
	}
	out = append(out, rest(down, "servers are down", "/servers")...)
	out = append(out, rest(signIns, "servers want a sign-in", "/servers")...)
	return append(out, rest(changed, "servers have changed tools", "/servers")...)
}

// doOrSee is what the operator does about a need; others look at it.
func doOrSee(v *view, do string) string {
	if v.Operator {
		return do
	}
	return "See"
}

// waitingNeeds are the calls that wait for a yes, by run.
func (c *Console) waitingNeeds(v *view) []*need {
	var all []*need
	by := map[string]*need{}
	for _, a := range c.hub.asks(v.Viewer) {
		x := by[a.Run.ID]
		if x == nil { // the oldest
			x = &need{Kind: "wait", Class: "wait", Icon: "wait", Run: a.Run, Since: a.Time, Do: "Answer",
				Next: "/approvals/" + a.ID}
			by[a.Run.ID] = x
			all = append(all, x)
		}
		x.add(a.Tool)
	}
	for _, x := range all {
		calls := x.Rest
		for _, t := range x.Tools {
			calls += t.N
		}
		if x.Head = plural(calls, "call waits", "calls wait"); x.Tools[0].Tool == "" {
			x.Head = "a dry run waits"
		}
		if !v.MayAnswer(x.Run.Subject) {
			x.Do = "See"
		}
	}
	return rest(all, "runs wait", "/approvals")
}

// add counts a call of a tool.
func (x *need) add(tool string) {
	for i := range x.Tools {
		if x.Tools[i].Tool == tool {
			x.Tools[i].N++
			return
		}
	}
	if len(x.Tools) == 3 {
		x.Rest++
		return
	}
	x.Tools = append(x.Tools, needTool{tool, 1})
}

// rest keeps the first of what is alike, and says how many more there are.
func rest(all []*need, what, next string) []*need {
	if len(all) <= maxNeeds {
		return all
	}
	first := all[0]
	more := &need{Kind: "more", Class: first.Class, Icon: first.Icon, Head: fmt.Sprintf("%d more", len(all)-maxNeeds+1),
		Text: what, Next: next, Do: "See all"}
	return append(all[:maxNeeds-1:maxNeeds-1], more)
}

// costs are numbers that take long to make. They are made beside the pages.
type costs struct {
	mu     sync.Mutex
	now    knownCosts
	at     time.Time
	making chan struct{} // closed when they are made; nil: nobody is at it
}

// knownCosts are what the tools of a registry take of a context, and the phrases that
// were refused, by the hours that they are of.
type knownCosts struct {
	known   bool
	of      *registry.Registry
	stats   discovery.Stats
	phrases map[int][]usage.Trouble
}

// costsEvery is how long costs are taken for true.
const costsEvery = 15 * time.Second

func (k *costs) get(c *Console, cat *catalog.Catalog) knownCosts {
	k.mu.Lock()
	old := k.now.of != cat.Registry || time.Since(k.at) > costsEvery
	if old && k.making == nil && c.hub.begin(func() { k.make(c, cat) }) {
		k.making = make(chan struct{}) // make waits for the lock
	}
	making := k.making
	k.mu.Unlock()
	waitFor(making, digestsWait)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

func (k *costs) make(c *Console, cat *catalog.Catalog) {
	k.mu.Lock()
	now := k.now
	k.mu.Unlock()
	first := now.of != cat.Registry
	if first {
		now = knownCosts{of: cat.Registry}
		if index, err := cat.Index(); err == nil {
			now.stats, now.known = index.Stats(discovery.Query{}), true
		}
	}
	now.phrases = map[int][]usage.Trouble{}
	if cat.Usage != nil {
		begun := time.Now()
		runs, _ := cat.Usage.Runs(begun.Add(-numbersOf)) // what cannot be read has none
		for _, s := range periods {
			i, _ := slices.BinarySearchFunc(runs, begun.Add(-time.Duration(s.Hours)*time.Hour),
				func(r usage.Run, t time.Time) int { return r.Time.Compare(t) })
			all := usage.Summarize(runs[i:], nil, serverOf).Phrases
			now.phrases[s.Hours] = slices.Clone(all[:min(len(all), tableRows)])
		}
	}
	k.mu.Lock()
	k.now, k.at = now, time.Now()
	close(k.making)
	k.making = nil
	k.mu.Unlock()
	if first {
		c.hub.tell(topicNumbers)
	}
}
