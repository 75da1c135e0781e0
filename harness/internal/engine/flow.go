package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/wrappers"
)

// flowing tracks where values come from, for a run and the scripts that it runs.
type flowing struct {
	session  *flow.Session
	set      *flow.Settings
	labels   bool        // whether the config marks untrusted data
	late     bool        // the script was sent after untrusted text may have gone back to its client
	received atomic.Bool // whether a result of the run had untrusted text
}

// maxEarlierRuns is the maximum number of earlier runs of a session that are read for a resumed
// run.
const maxEarlierRuns = 100

// beginFlow begins tracking where values come from, if the config requires it. text is the
// script, or the arguments of a call without a script.
func (r *run) beginFlow(text string) {
	if r.check || r.script.depth > 0 || r.tree.flow != nil || r.bound.Catalog == nil {
		return
	}
	rerun := r.script.Rerun
	set := r.bound.Catalog.Flow()
	switch {
	case rerun != nil && rerun.Run == nil: // a replay decides nothing
		return
	case set == nil && r.tree.dry != nil: // its ledger always says where values come from
		r.tree.flow = &flowing{session: &flow.Session{}, set: flow.NoLabels}
		r.addSent(text)
		return
	case set == nil:
		if s := r.script.Session; s != nil { // the results that go back are not tracked
			s.Forget()
		}
		return
	}
	f := &flowing{session: r.script.Session, set: set, late: r.script.Late, labels: true}
	r.tree.flow = f
	switch {
	case rerun != nil: // as recorded, regardless of the process's own knowledge
		f.session, f.late = &flow.Session{}, rerun.Run.IsLate()
		r.addEarlierRuns(rerun.Run.Begin)
		f.received.Store(rerun.Run.Flow(f.session, set, nil))
		return
	case f.session == nil:
		f.session, f.late = flow.NewUnknown(), true
	case f.session.Window > 0 && r.script.Begin != nil && r.e.Records != nil: // the process may be younger than the window
		f.session.Fill(func() { r.addEarlierRuns(r.script.Begin) })
		f.late = f.late || f.session.IsRead(time.Now())
	}
	r.addSent(text)
}

// addSent adds the data that the client sent.
func (r *run) addSent(text string) {
	f := r.tree.flow
	origin := flow.Source{Kind: flow.Script, Trust: flow.Trusted}
	if r.journal != nil {
		origin.Run = r.journal.ID()
	}
	if f.late {
		origin.Trust = flow.Late
	}
	f.session.AddScript(origin, text)
	origin.Kind = flow.Input
	f.session.AddValues(origin, r.script.Inputs)
	origin.Kind = flow.Stored
	f.session.AddValues(origin, r.script.Stored)
}

// sent returns the recorded text about when the script was sent.
func (f *flowing) sent() string {
	switch {
	case f == nil || !f.labels:
		return ""
	case f.late:
		return record.SentLate
	}
	return record.SentClean
}

// plan notes the tools that a script declares.
func (r *run) plan() {
	if f := r.tree.flow; f != nil && !f.late {
		f.session.Plan(time.Now(), sortedKeys(r.bound.Allowed)...)
	}
}

// facts returns the data that rules use about a call, or nil if the config does not mark
// untrusted data.
func (r *run) facts(t *wrappers.Tool, args registry.Args) *flow.Facts {
	if f := r.tree.flow; f != nil {
		return f.session.Facts(f.set, f.late, t.ID, args.JSON(), time.Now())
	}
	return nil
}

// addResult adds the result of a call, after its line.
func (f *flowing) addResult(run string, line *record.Call, done *record.Done, raw json.RawMessage) {
	if f == nil || done.Kind == record.NotSent {
		return
	}
	call, label := flow.Call{Run: run, N: line.N, Tool: line.Tool}, f.set.Untrusted(line.Tool)
	if done.Error != "" && f.session.Fail(call, label, done.Error) || done.Error == "" && f.session.Add(call, label, raw) {
		f.received.Store(true)
	}
}

// endFlow records whether the returned result may contain untrusted text. unchanged reports
// that the result of a call is returned unchanged.
func (r *run) endFlow(unchanged bool) {
	f := r.tree.flow
	if f == nil || r.script.depth > 0 || !f.received.Load() || !unchanged && !r.mayReturnText() {
		return
	}
	r.result.Untrusted = true
	f.session.Return(time.Now())
	if s := r.script.Session; s != nil { // a different session if the run was resumed
		s.Return(time.Now())
	}
}

// mayReturnText reports whether the result may contain text that the script received: any
// text except names of members that are in the script.
func (r *run) mayReturnText() bool {
	res := r.result
	if res.Status != outcome.OK || res.Stdout != "" || res.Stderr != "" || len(res.Ledger)+len(r.misfits) > 0 ||
		slices.ContainsFunc(res.Calls, func(c outcome.Call) bool { return c.Error != nil || c.Suspect != "" }) {
		return true
	}
	if len(res.Value) == 0 {
		return false
	}
	v, err := jsontree.Parse(res.Value, jsontree.Limits{})
	return err != nil || hasText(v, r.script.Source)
}

func hasText(v *jsontree.Value, source string) bool {
	for _, key := range v.Keys {
		if !strings.Contains(source, key) {
			return true
		}
	}
	return v.Kind == jsontree.String && v.Text != "" ||
		slices.ContainsFunc(v.Items, func(item *jsontree.Value) bool { return hasText(item, source) })
}

// addEarlierRuns adds the earlier runs of the run's session, in order. Sessions without a name and
// those over stdio belong to one process. If a record cannot be read, nothing is known
// about the session, unless the script was sent clean: then such text could not have
// influenced it.
func (r *run) addEarlierRuns(b *record.Begin) {
	f, records := r.tree.flow, r.e.Records
	s := f.session
	forget := func() {
		if f.late || s.Window > 0 {
			s.Forget()
		}
	}
	began := b.Time
	if began.IsZero() {
		began = time.Now()
	}
	filter := &store.Filter{Subject: &b.Subject, Session: b.Session}
	if s.Window > 0 {
		filter.Since = began.Add(-s.Window)
	}
	ofProcess := b.Session == "" || b.Session == "stdio"
	var runs []*record.Run
	read := 0
	for sum, err := range records.List(r.ctx, filter) {
		if err == nil && (sum.ID == b.ID || !sum.Time.Before(began) || sum.Session != b.Session || sum.Calls == 0) {
			continue
		}
		if read++; read > maxEarlierRuns {
			if len(runs) > 0 {
				forget()
			}
			break
		}
		var run *record.Run
		if err == nil {
			run, err = records.Load(sum.ID)
		}
		switch {
		case err != nil:
			forget()
		case !ofProcess || run.Begin.Host == b.Host && run.Begin.PID == b.PID:
			runs = append(runs, run)
		}
	}
	for _, run := range slices.Backward(runs) {
		if run.Tools != nil && run.Tools.Sent == "" { // the config did not yet mark untrusted data
			forget()
		}
		run.Flow(s, f.set, nil)
	}
}
