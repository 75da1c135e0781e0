package console

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const (
	// maxRecent limits the runs that statistics are computed from.
	maxRecent = 10_000
	// recentFor is how long the list of recent runs is cached.
	recentFor = time.Second
	// maxScanned limits the records that are read for lists, in bytes.
	maxScanned = 16 << 20
)

// recent caches the summaries of the latest runs of all tokens.
type recent struct {
	mu   sync.Mutex
	at   time.Time
	runs []*record.Summary // latest first
}

// recentRuns returns last month's runs that the viewer may see, latest first, and whether maxRecent
// was reached.
func (v *view) recentRuns() (runs []*record.Summary, full bool) {
	r := &v.c.recent
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) > recentFor {
		r.runs = nil
		f := &store.Filter{Since: time.Now().Add(-waitsSince), Limit: maxRecent}
		for sum, err := range v.c.store.List(context.WithoutCancel(v.r.Context()), f) {
			if err == nil {
				r.runs = append(r.runs, sum)
			}
		}
		r.at = time.Now()
	}
	for _, sum := range r.runs {
		if v.Sees(sum.Subject) {
			runs = append(runs, sum)
		}
	}
	return runs, len(r.runs) == maxRecent
}

// since returns the runs that began after a time.
func since(runs []*record.Summary, t time.Time) []*record.Summary {
	i, _ := slices.BinarySearchFunc(runs, t, func(s *record.Summary, t time.Time) int { return t.Compare(s.Time) })
	return runs[:i]
}

// called has statistics of the calls of a tool, or of a server's tools.
type called struct {
	record.Used
	Runs    int
	Refused *record.Summary // the latest run in which a call was denied
	hours   [24]record.Used // by the age of the run in hours
}

// Mean returns the mean duration of answered calls, in ms.
func (t *called) Mean() float64 { return mean(&t.Used) }

func mean(u *record.Used) float64 { return u.Ms / float64(max(u.Timed, 1)) }

func add(to *record.Used, u *record.Used) {
	to.Calls += u.Calls
	to.Failed += u.Failed
	to.Denied += u.Denied
	to.Timed += u.Timed
	to.Ms += u.Ms
	to.Max = max(to.Max, u.Max)
}

// calledBy sums up calls by tool, or by the name that nameOf returns for the tool.
func calledBy(runs []*record.Summary, nameOf func(tool string) string, now time.Time) map[string]*called {
	all := map[string]*called{}
	for _, sum := range runs {
		seen := map[string]bool{}
		for i := range sum.Used {
			u := &sum.Used[i]
			name := nameOf(u.Tool)
			t := all[name]
			if t == nil {
				t = &called{Used: record.Used{Tool: name}}
				all[name] = t
			}
			if !seen[name] {
				seen[name] = true
				t.Runs++
			}
			if u.Denied > 0 && t.Refused == nil {
				t.Refused = sum
			}
			add(&t.Used, u)
			if hour := int(now.Sub(sum.Time).Hours()); hour >= 0 && hour < len(t.hours) {
				add(&t.hours[hour], u)
			}
		}
	}
	return all
}

// Spark returns the mean durations over the last 24 hours, as a line.
func (t *called) Spark() []point {
	values := make([]float64, len(t.hours))
	for i := range t.hours {
		at := &values[len(values)-1-i]
		if *at = missing; t.hours[i].Timed > 0 {
			*at = mean(&t.hours[i])
		}
	}
	return spark(values)
}
