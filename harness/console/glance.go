package console

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/registry/text"
)

const (
	// maxGlances is how many runs' pictures are kept.
	maxGlances = 1000
	// maxGlanced bounds a record that a list of runs reads for that, in bytes.
	maxGlanced = 16 << 20
	// glanceWait is how long a page waits for glances. Those that take longer are there
	// the next time; an open page is told.
	glanceWait = 40 * time.Millisecond
	// glanceFor is how long a glance of a run is taken for true that may go on.
	glanceFor = time.Second
)

// glance is what a list says of a run beyond its summary.
type glance struct {
	Picture picture
	Effects int    // calls with an effect
	Note    string // what it waits for, or what is not known of it; empty: nothing
	Asks    bool   // it waits for a person
	Damaged bool
	Live    bool // a dry run that went on
}

// picture is the calls of a run in time, by the lines that made them: lanes below each
// other in a box of 100 by 24. It is empty for a run without calls.
type picture struct {
	Strokes []stroke
	Width   string // class of the strokes' width
}

// stroke are all calls of a server, or those that failed.
type stroke struct {
	Server string // "": failed
	Path   string // of an SVG
}

// glances remembers how runs look, by their IDs.
type glances struct {
	mu   sync.Mutex
	runs map[string]*glanced
}

// glanced is a glance that is there, or is being made.
type glanced struct {
	key  string // tells whether the run is as it was
	at   time.Time
	used time.Time
	is   *glance       // nil: there is none yet, or the record cannot be read
	made chan struct{} // closed when it is; nil: nobody makes it
}

// glances returns how runs look, nil for those of which it is not known yet.
func (c *Console) glances(ctx context.Context, sums []*record.Summary, wait time.Duration) []*glance {
	now := time.Now()
	type job struct {
		sum *record.Summary
		to  *glanced
	}
	var jobs []job
	of := make([]*glanced, len(sums))
	var open []chan struct{}
	g := &c.looks
	g.mu.Lock()
	for i, sum := range sums {
		if sum == nil {
			continue
		}
		e := g.runs[sum.ID]
		if e == nil {
			e = &glanced{}
			g.runs[sum.ID] = e
		}
		of[i], e.used = e, now
		key := fmt.Sprintf("%s %d %g", sum.Status, sum.Attempts, sum.Ms)
		if mayChange(sum) {
			key = sum.Status
		}
		stale := e.key != key || mayChange(sum) && now.Sub(e.at) > glanceFor
		if stale && e.made == nil {
			e.key, e.at, e.made = key, now, make(chan struct{})
			jobs = append(jobs, job{sum, e})
		}
		if e.made != nil {
			open = append(open, e.made)
		}
	}
	g.trim()
	g.mu.Unlock()
	late := make(chan struct{}) // closed: the page has not waited for all of them
	if len(jobs) > 0 {
		look := func() {
			first := false // one has none that was there before
			for _, j := range jobs {
				is := c.look(j.sum)
				g.mu.Lock()
				first = first || j.to.is == nil && is != nil
				j.to.is = is
				close(j.to.made)
				j.to.made = nil
				g.mu.Unlock()
			}
			select {
			case <-late:
				if first {
					c.hub.changed(topicRuns)
				}
			default:
			}
		}
		if !c.hub.begin(look) {
			look() // the console is closed: look returns without reading
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for _, made := range open {
		select {
		case <-made:
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		close(late)
		break
	}
	out := make([]*glance, len(sums))
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, e := range of {
		if e != nil {
			out[i] = e.is
		}
	}
	return out
}

// mayChange reports whether a run may go on, a dry run also after its end.
func mayChange(s *record.Summary) bool { return s.Dry || mayGoOn(s) }

// mayGoOn reports whether a run has not ended for good.
func mayGoOn(s *record.Summary) bool {
	return slices.Contains([]string{record.Running, record.Died, "waiting", "uncertain"}, s.Status)
}

// trim forgets the runs that nobody has looked at for the longest time.
func (g *glances) trim() {
	if len(g.runs) <= maxGlances {
		return
	}
	var ids []string
	for id, e := range g.runs {
		if e.made == nil {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return g.runs[a].used.Compare(g.runs[b].used) })
	for _, id := range ids[:min(len(ids), len(g.runs)-maxGlances*3/4)] {
		delete(g.runs, id)
	}
}

// look reads a record and returns how the run looks; nil: it cannot be read now.
func (c *Console) look(sum *record.Summary) *glance {
	if c.reading.Acquire(c.hub.ctx, 1) != nil {
		return nil
	}
	defer c.reading.Release(1)
	r, err := c.store.LoadListed(sum, maxGlanced)
	if err != nil {
		return nil
	}
	v := show.New(r)
	return &glance{Picture: pictureOf(v), Effects: v.Classes[record.Effect], Note: noteOf(v), Asks: len(r.Open()) > 0,
		Damaged: r.Damaged != nil, Live: r.Live()}
}

// noteOf says what a run waits for, or what nobody knows of it.
func noteOf(v *show.View) string {
	r := v.Run
	if lost := r.Unknown(); len(lost) > 0 && !r.Running {
		m := lost[0]
		note := fmt.Sprintf("nobody knows what became of %s at %s", m.Tool, cmp.Or(m.Place, "no line"))
		if len(lost) > 1 {
			note += fmt.Sprintf(" and of %d more", len(lost)-1)
		}
		return note
	}
	open := r.Open()
	if len(open) == 0 {
		return ""
	}
	if open[0].A == record.Ledger {
		return "all calls of the dry run wait for a yes"
	}
	of, most := map[string]int{}, ""
	for _, a := range open {
		of[a.Tool]++
	}
	for tool, n := range of {
		if n > of[most] || n == of[most] && tool < most {
			most = tool
		}
	}
	note := fmt.Sprintf("%s of %s", text.Count(of[most], "call"), most)
	if n := len(open) - of[most]; n > 0 {
		note += fmt.Sprintf(" and %s", text.Count(n, "other"))
	}
	if len(open) == 1 {
		return note + " waits for a person"
	}
	return note + " wait for a person"
}

const (
	// mostLanes are those of a picture. Where there are more, calls share one.
	mostLanes = 11
	// leastWide is how wide a call is at least, and leastApart how far apart two are
	// that are drawn as two, in percent of the run.
	leastWide, leastApart = .8, .5
)

// pictureOf draws the calls of a run.
func pictureOf(v *show.View) picture {
	lanes := newLanes(v)
	if lanes.all == 0 {
		return picture{}
	}
	type row struct {
		server string
		lane   int
	}
	drawn := map[row][][2]float64{} // from, to
	for i, s := range v.Sources {
		for _, p := range s.Places {
			for _, b := range p.Calls {
				r := row{serverOf(p.Tool), lanes.of(i, p, b)}
				switch b.State {
				case show.Failed, show.NotSent, show.Unread, show.Unknown:
					r.server = ""
				}
				from := min(share(b.Start, v.Ms), 100-leastWide)
				drawn[r] = append(drawn[r], [2]float64{from, min(max(share(b.End, v.Ms), from+leastWide), 100)})
			}
		}
	}
	paths := map[string]*strings.Builder{}
	rows := slices.SortedFunc(maps.Keys(drawn), func(a, b row) int { return a.lane - b.lane })
	step := 24 / float64(lanes.all)
	for _, r := range rows {
		if paths[r.server] == nil {
			paths[r.server] = &strings.Builder{}
		}
		for _, s := range joined(drawn[r]) {
			fmt.Fprintf(paths[r.server], "M%s %sh%s", fixed(s[0], 1), fixed((float64(r.lane)+.5)*step, 1), fixed(s[1]-s[0], 1))
		}
	}
	pic := picture{Width: "h15"}
	switch {
	case step >= 9:
		pic.Width = "h30"
	case step >= 4.8:
		pic.Width = "h22"
	case step >= 3:
		pic.Width = "h18"
	}
	for _, server := range slices.Sorted(maps.Keys(paths)) {
		pic.Strokes = append(pic.Strokes, stroke{server, paths[server].String()})
	}
	if first := pic.Strokes[0]; first.Server == "" { // what failed is drawn above all
		pic.Strokes = append(pic.Strokes[1:], first)
	}
	return pic
}

// lanes are those of a picture: of each line of the scripts as many as its calls need
// at a time, where there is room.
type lanes struct {
	all   int
	wide  map[[2]int]int // of a line: source and number
	begin map[[2]int]int
	sum   int // without the bound
}

func newLanes(v *show.View) *lanes {
	l := &lanes{wide: map[[2]int]int{}, begin: map[[2]int]int{}}
	var order [][2]int
	for i, s := range v.Sources {
		for _, p := range s.Places {
			at := [2]int{i, p.Line}
			if l.wide[at] == 0 {
				order = append(order, at)
			}
			l.wide[at] = max(l.wide[at], p.Lanes)
		}
	}
	for most := mostLanes; ; most-- {
		l.sum = 0
		for _, at := range order {
			l.wide[at] = min(l.wide[at], most)
			l.begin[at] = l.sum
			l.sum += l.wide[at]
		}
		if l.sum <= mostLanes || most == 1 {
			break
		}
	}
	l.all = min(l.sum, 2*mostLanes)
	return l
}

// of is the lane of a call.
func (l *lanes) of(source int, p *show.Place, b *show.Bar) int {
	at := [2]int{source, p.Line}
	lane := b.Lane
	if p.Lanes > l.wide[at] {
		lane = lane * l.wide[at] / p.Lanes
	}
	return (l.begin[at] + lane) * l.all / l.sum
}

// joined are spans in their order, those that are hardly apart as one.
func joined(spans [][2]float64) (out [][2]float64) {
	slices.SortFunc(spans, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	for _, s := range spans {
		if n := len(out); n > 0 && s[0] < out[n-1][1]+leastApart {
			out[n-1][1] = max(out[n-1][1], s[1])
		} else {
			out = append(out, s)
		}
	}
	return out
}

// share is a part of a whole in percent.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(max(100*part/whole, 0), 100)
}
