package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const (
	// numbersOf is how old runs may be that numbers are made of.
	numbersOf = 7 * 24 * time.Hour
	// maxDigests are kept: the latest runs.
	maxDigests = 10_000
	// maxRead are the latest runs with calls whose records are read for the times of
	// their calls, readAtOnce of them before others wait for the rest.
	maxRead, readAtOnce = 500, 100
	// maxTimes of a run's calls of one tool are kept, evenly chosen, and maxToolsOf of
	// its tools.
	maxTimes, maxToolsOf = 64, 100
	// maxScanned bounds a record that is read because a list or a number needs it, in bytes.
	maxScanned = 16 << 20
	// maxUnknown are the runs with unknown effects that are looked into.
	maxUnknown = 50
	// digestsEvery is how often the records are looked through at most, and
	// digestsWait how long a page waits for that.
	digestsEvery, digestsWait = time.Second, 50 * time.Millisecond
)

// runDigest is what pages of numbers need of a run.
type runDigest struct {
	*record.Summary
	read    bool // its record, for the calls
	large   bool // it is not read, and nothing is known of its calls
	calls   []toolCalls
	unknown []*record.Call // effects of which nobody knows whether they happened
}

// called reports whether the run has called tools, or was denied before its first call.
func (d *runDigest) called() bool { return d.Calls > 0 || d.Status == "denied" }

// toolCalls are a run's calls of a tool.
type toolCalls struct {
	Tool   string
	Calls  int
	Failed int
	Denied int
	Why    string    // the last was denied
	Ms     []float32 // of those that have ended, at most maxTimes of them
}

// digests are those of the latest runs. They are kept up to date while pages ask for
// them, by one goroutine at a time.
type digests struct {
	c *Console

	mu      sync.Mutex
	runs    []*runDigest  // the latest first
	full    bool          // there are more runs than maxDigests
	read    bool          // once
	at      time.Time     // when
	reading chan struct{} // closed when what is under way has ended; nil: nothing is
}

// numbers are digests at a time, as a viewer may have them.
type numbers struct {
	Runs []*runDigest // the latest first
	// Ready says that all records have been looked through once.
	Ready bool
	Full  bool // there are more runs than maxDigests
}

// get returns the digests of the runs that a viewer may see. It does not wait for
// records to be read: open pages are told when they have been.
func (d *digests) get(v *Viewer) *numbers {
	h := &d.c.hub
	d.mu.Lock()
	if d.reading == nil && time.Since(d.at) > digestsEvery && h.begin(d.refresh) {
		d.reading = make(chan struct{}) // refresh waits for the lock
	}
	reading := d.reading
	d.mu.Unlock()
	waitFor(reading, digestsWait)
	d.mu.Lock()
	defer d.mu.Unlock()
	n := &numbers{Ready: d.read, Full: d.full}
	for _, x := range d.runs {
		if v.Sees(x.Subject) {
			n.Runs = append(n.Runs, x)
		}
	}
	return n
}

// refresh looks through the records.
func (d *digests) refresh() {
	ctx := d.c.hub.ctx
	d.mu.Lock()
	known := make(map[string]*runDigest, len(d.runs))
	for _, x := range d.runs {
		known[x.ID] = x
	}
	first := !d.read
	d.mu.Unlock()
	var runs []*runDigest
	f := &store.Filter{Since: time.Now().Add(-waitsSince), Limit: maxDigests}
	for sum, err := range d.c.store.List(ctx, f) {
		if err != nil {
			continue
		}
		x := &runDigest{Summary: sum}
		if was := known[sum.ID]; was != nil && same(was.Summary, sum) {
			x.read, x.large, x.calls, x.unknown = was.read, was.large, was.calls, was.unknown
		}
		runs = append(runs, x)
	}
	if ctx.Err() == nil && first { // the calls come later
		d.publish(slices.Clone(runs), true)
	}
	more := d.readCalls(ctx, runs)
	d.publish(runs, false)
	if first || more {
		d.c.hub.tell(topicNumbers)
	}
}

// publish makes runs what pages get; partly says that their calls are being read.
func (d *digests) publish(runs []*runDigest, partly bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.runs, d.full, d.read, d.at = runs, len(runs) == maxDigests, true, time.Now()
	if partly {
		return
	}
	close(d.reading)
	d.reading = nil
}

// same reports whether nothing has happened to a run between two summaries.
func same(a, b *record.Summary) bool {
	return a.Status == b.Status && a.Ms == b.Ms && a.Calls == b.Calls && a.Failed == b.Failed && a.Attempts == b.Attempts
}

// readCalls reads the records of the latest runs, and replaces their digests; more:
// some have been.
func (d *digests) readCalls(ctx context.Context, runs []*runDigest) (more bool) {
	calls, read, unknown := 0, 0, 0
	for i, x := range runs {
		if ctx.Err() != nil || calls >= maxRead && unknown >= maxUnknown {
			return more
		}
		open := !x.read && !x.large && x.Status != record.Running && x.called() && calls < maxRead && read < readAtOnce
		if x.called() {
			calls++
		}
		if x.Status == "uncertain" || x.Status == record.Died {
			// Its calls may have been settled since, without another word in its summary.
			if unknown++; unknown <= maxUnknown && !x.large && (!x.read || len(x.unknown) > 0) {
				open = true
			}
		}
		if !open {
			continue
		}
		read++
		if err := d.c.reading.Acquire(ctx, 1); err != nil {
			return more
		}
		r, err := d.c.store.LoadListed(x.Summary, maxScanned)
		d.c.reading.Release(1)
		now := &runDigest{Summary: x.Summary, large: errors.Is(err, store.ErrLarge)}
		now.read = !now.large
		if err == nil { // a record that cannot be read has no calls
			now.calls = callsByTool(r)
			if r.End == nil || !r.End.Closed {
				for _, m := range r.Unknown() {
					now.unknown = append(now.unknown, m.Call)
				}
			}
		}
		runs[i], more = now, more || !x.read || len(now.unknown) != len(x.unknown)
	}
	return more
}

// callsByTool are the calls of a run by tool, in the order of the first.
func callsByTool(r *record.Run) []toolCalls {
	var out []toolCalls
	at := map[string]int{}
	for _, m := range r.Calls {
		if m.Call == nil { // of a dry run: it was not sent
			continue
		}
		l := m.Line()
		i, ok := at[l.Tool]
		if !ok {
			if len(out) == maxToolsOf {
				continue
			}
			i, at[l.Tool] = len(out), len(out)
			out = append(out, toolCalls{Tool: l.Tool})
		}
		t := &out[i]
		t.Calls++
		switch done := m.Done; {
		case done == nil:
		case done.Denied:
			t.Denied++
			t.Why, _, _ = strings.Cut(done.Message, "\n")
			t.Why = visible(cmp.Or(t.Why, done.Error))
		default:
			if done.Failed || done.Error != "" {
				t.Failed++
			}
			if done.Kind == record.Answered {
				t.Ms = append(t.Ms, float32(done.Ms))
			}
		}
	}
	for i := range out {
		out[i].Ms = some(out[i].Ms, maxTimes)
	}
	return append(out, deniedBefore(r, out)...)
}

// deniedBefore are the tools of a script that was refused before it ran, but for those
// of which a call was denied.
func deniedBefore(r *record.Run, calls []toolCalls) (out []toolCalls) {
	var decisions []policy.Decision
	if r.End == nil || json.Unmarshal(r.End.Decisions, &decisions) != nil { // of another version
		return nil
	}
	for _, d := range decisions {
		is := func(t toolCalls) bool { return t.Tool == d.Tool }
		if d.Verdict == policy.IsDenied && len(out) < maxToolsOf && !slices.ContainsFunc(out, is) &&
			!slices.ContainsFunc(calls, func(t toolCalls) bool { return is(t) && t.Denied > 0 }) {
			out = append(out, toolCalls{Tool: d.Tool, Denied: 1, Why: visible(d.Rule)})
		}
	}
	return out
}

// some are at most n of all values, evenly chosen: every value of a long list has the
// same weight.
func some(all []float32, n int) []float32 {
	if len(all) <= n {
		return slices.Clone(all)
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}

// since are the numbers of the runs that began after a time.
func (n *numbers) since(t time.Time) []*runDigest {
	i, _ := slices.BinarySearchFunc(n.Runs, t, func(d *runDigest, t time.Time) int { return t.Compare(d.Time) })
	return n.Runs[:i]
}

// calledTool is how a tool, or a server, was called in some runs.
type calledTool struct {
	Name     string
	Runs     int
	Calls    int
	Failed   int
	Denied   int
	Why      string
	P50, P95 float64
	ms       []float32
	hours    [24][]float32 // ms, by the age of the run in hours
}

// called sums up calls by tool, or by what of says that a tool is of; read is in how
// many runs.
func called(runs []*runDigest, of func(tool string) string, now time.Time) (all map[string]*calledTool, read int) {
	all = map[string]*calledTool{}
	for _, d := range runs {
		if !d.read {
			continue
		}
		read++
		hour := int(now.Sub(d.Time).Hours())
		for i := range d.calls {
			c := &d.calls[i]
			name := of(c.Tool)
			t := all[name]
			if t == nil {
				t = &calledTool{Name: name}
				all[name] = t
			}
			t.Runs++
			t.Calls += c.Calls
			t.Failed += c.Failed
			t.Denied += c.Denied
			if t.Why == "" {
				t.Why = c.Why
			}
			t.ms = append(t.ms, c.Ms...)
			if hour >= 0 && hour < len(t.hours) {
				t.hours[hour] = append(t.hours[hour], c.Ms...)
			}
		}
	}
	for _, t := range all {
		slices.Sort(t.ms)
		t.P50, t.P95 = float64(present.Quantile(t.ms, .5)), float64(present.Quantile(t.ms, .95))
	}
	return all, read
}
