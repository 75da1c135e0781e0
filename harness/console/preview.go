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

// maxPreview limits the records that lists of runs read for previews, in bytes. Runs with larger
// records have no preview.
const maxPreview = 128 << 10

// preview is the data that a list shows of a run beyond its summary.
type preview struct {
	Timeline   []stroke
	Effects    int    // effect calls
	NotSent    int    // unsent calls of a dry run
	Note       string // the calls that need approval, or whose outcome is unknown
	Asks       bool   // calls need approval
	Unresolved bool
	Code       string // first line of a script whose title is its tools
	Damaged    bool
	Live       bool // a dry run that was resumed
}

// stroke is the SVG path of a server's calls in a 100 by 24 box. Failed calls have no Server.
type stroke struct{ Server, Path string }

// preview reads the record of a run. It returns nil if the record is large or unreadable. The view
// must have a turn to read records.
func (v *view) preview(sum *record.Summary) *preview {
	r, err := v.c.store.LoadListed(sum, maxPreview)
	if err != nil {
		return nil
	}
	run := present.New(r)
	return &preview{Timeline: strokes(run), Effects: run.Classes[record.Effect] + run.Classes[record.Idempotent], NotSent: run.NotSent, Note: noteOf(r), Asks: len(approval.Open(r)) > 0, Unresolved: len(r.Unknown()) > 0 && !r.Running,
		Code: codeOf(run, sum), Damaged: r.Damaged != nil, Live: r.Live()}
}

// codeOf returns the first line of code of a run whose title is its tools, or "".
func codeOf(run *present.View, sum *record.Summary) string {
	if len(sum.Tools) == 0 || present.HasName(sum) || slices.ContainsFunc(run.Phrases, func(p present.Phrase) bool { return p.Phrase != "" }) {
		return ""
	}
	source, _ := run.Run.Text(run.Run.Begin.Script)
	comment, code := record.FirstLines(source)
	if comment != "" {
		return ""
	}
	return code
}

// mayContinue reports whether a run may still continue.
func mayContinue(s *record.Summary) bool {
	return slices.Contains([]string{record.Running, record.Died, "waiting", "uncertain"}, s.Status)
}

// noteOf returns a note about the run's calls that need a person, or "".
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

// strokes returns the preview of a run as SVG paths.
func strokes(run *present.View) (out []stroke) {
	paths := map[string]string{}
	for _, s := range run.Preview() {
		server := serverOf(s.Tool)
		if s.Bad {
			server = ""
		}
		paths[server] += "M" + fixed(s.X0*100, 1) + " " + fixed(s.Y*24, 1) + "h" + fixed((s.X1-s.X0)*100, 1)
	}
	for _, server := range slices.Backward(slices.Sorted(maps.Keys(paths))) { // failed calls are drawn last, on top
		out = append(out, stroke{server, paths[server]})
	}
	return out
}
