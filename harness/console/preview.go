package console

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// maxPreview bounds the records that lists of runs read for previews, in bytes. Runs with
// larger records have none.
const maxPreview = 128 << 10

// preview is what a list shows of a run beyond its summary.
type preview struct {
	Timeline []stroke
	Effects  int    // effect calls
	NotSent  int    // calls of a dry run
	Note     string // the calls that need approval, or whose outcome is unknown
	Asks     bool   // calls need approval
	Damaged  bool
	Live     bool // a dry run whose calls were made
}

// stroke is the SVG path of all calls of a server in a box of 100 by 24, or, without a
// server, of the calls that failed.
type stroke struct{ Server, Path string }

// preview reads the record of a run. It returns nil if that is large or unreadable. The
// view must have a turn to read records.
func (v *view) preview(sum *record.Summary) *preview {
	r, err := v.c.store.LoadListed(sum, maxPreview)
	if err != nil {
		return nil
	}
	run := present.New(r)
	return &preview{Timeline: timeline(run), Effects: run.Classes[record.Effect] + run.Classes[record.Again], NotSent: run.NotSent, Note: noteOf(r), Asks: len(approval.Open(r)) > 0,
		Damaged: r.Damaged != nil, Live: r.Live()}
}

// mayGoOn reports whether a run has not ended for good.
func mayGoOn(s *record.Summary) bool {
	return slices.Contains([]string{record.Running, record.Died, "waiting", "uncertain"}, s.Status)
}

// noteOf names the calls of a run that need a person.
func noteOf(r *record.Run) string {
	if lost := r.Unknown(); len(lost) > 0 && !r.Running {
		note := fmt.Sprintf("outcome unknown: %s at %s", lost[0].Tool, cmp.Or(lost[0].Place, "no line"))
		if n := len(lost) - 1; n > 0 {
			note += fmt.Sprintf(" and %d more", n)
		}
		return note
	}
	open := approval.Open(r)
	switch n := len(open); {
	case n == 0:
		return ""
	case open[0].IsLedger():
		return "all calls of the dry run need approval"
	case n == 1:
		return "1 call of " + open[0].Tool + " needs approval"
	case slices.ContainsFunc(open, func(a *approval.Call) bool { return a.Tool != open[0].Tool }):
		return text.Count(n, "call") + " need approval"
	default:
		return text.Count(n, "call") + " of " + open[0].Tool + " need approval"
	}
}

// timeline draws the calls of a run: a row for each line that made calls, at most 11.
func timeline(v *present.View) []stroke {
	var places []*present.Place
	for _, s := range v.Sources {
		places = append(places, s.Places...)
	}
	rows, paths := min(len(places), 11), map[string]string{}
	for i, p := range places {
		y := fixed((float64(i*rows/len(places))+.5)*24/float64(rows), 1)
		ends := map[string]float64{} // what is drawn of each stroke: a call within it adds nothing
		for _, b := range p.Calls {
			server := serverOf(p.Tool)
			if b.HasFailed() || b.State == present.Unknown {
				server = ""
			}
			from := min(share(b.Start, v.Ms), 99.2) // each call is at least .8 wide
			to := min(max(share(b.End, v.Ms), from+.8), 100)
			if from = max(from, ends[server]); from < to {
				paths[server] += "M" + fixed(from, 1) + " " + y + "h" + fixed(to-from, 1)
				ends[server] = to
			}
		}
	}
	var out []stroke
	for _, server := range slices.Backward(slices.Sorted(maps.Keys(paths))) { // what failed is drawn above all
		out = append(out, stroke{server, paths[server]})
	}
	return out
}

// share returns a part of a whole in percent.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(max(100*part/whole, 0), 100)
}
