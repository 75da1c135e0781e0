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

// flowing is what a run, with the scripts that it runs, knows of where values come from.
type flowing struct {
	session  *flow.Session
	set      *flow.Settings
	labels   bool        // the config says what is untrusted
	late     bool        // the script was sent after untrusted text may have gone back to its client
	received atomic.Bool // a result of the run had untrusted text
}

// maxBefore is how many earlier runs of a session are read for a run that is resumed.
const maxBefore = 100

// beginFlow begins to note where values come from, if the config asks for that. text is the
// script, or the arguments of a call without one.
func (r *run) beginFlow(text string) {
	if r.check || r.script.depth > 0 || r.tree.flow != nil || r.bound.Catalog == nil {
		return
	}
	again := r.script.Again
	set := r.bound.Catalog.Flow()
	switch {
	case again != nil && again.Run == nil: // a replay decides nothing
		return
	case set == nil && r.tree.dry != nil: // its ledger says where values come from in any case
		r.tree.flow = &flowing{session: &flow.Session{}, set: flow.NoLabels}
		r.say(text)
		return
	case set == nil:
		if s := r.script.Session; s != nil { // it is not known what goes back
			s.Forget()
		}
		return
	}
	f := &flowing{session: r.script.Session, set: set, late: r.script.Late, labels: true}
	r.tree.flow = f
	switch {
	case again != nil: // as its record has it, whatever else the process knows
		f.session, f.late = &flow.Session{}, again.Run.IsLate()
		r.before(again.Run.Begin)
		f.received.Store(again.Run.Flow(f.session, set, nil))
		return
	case f.session == nil:
		f.session, f.late = flow.NewUnknown(), true
	case f.session.Window > 0 && r.script.Begin != nil && r.e.Records != nil: // the process may be younger than that
		f.session.Fill(func() { r.before(r.script.Begin) })
		f.late = f.late || f.session.IsRead(time.Now())
	}
	r.say(text)
}

// say adds what the client sent.
func (r *run) say(text string) {
	f := r.tree.flow
	said := flow.Source{Kind: flow.Script, Trust: flow.Trusted}
	if r.journal != nil {
		said.Run = r.journal.ID()
	}
	if f.late {
		said.Trust = flow.Late
	}
	f.session.Say(said, text)
	said.Kind = flow.Input
	f.session.SayValues(said, r.script.Inputs)
	said.Kind = flow.Stored
	f.session.SayValues(said, r.script.Stored)
}

// sent returns what the record says of when the script was sent.
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

// facts returns what rules ask about a call, or nil if the config does not say what is untrusted.
func (r *run) facts(t *wrappers.Tool, args registry.Args) *flow.Facts {
	if f := r.tree.flow; f != nil {
		return f.session.Facts(f.set, f.late, t.ID, args.JSON(), time.Now())
	}
	return nil
}

// got notes what a call got, after its line.
func (f *flowing) got(run string, line *record.Call, done *record.Done, raw json.RawMessage) {
	if f == nil || done.Kind == record.NotSent {
		return
	}
	call, label := flow.Call{Run: run, N: line.N, Tool: line.Tool}, f.set.Untrusted(line.Tool)
	if done.Error != "" && f.session.Fail(call, label, done.Error) || done.Error == "" && f.session.Add(call, label, raw) {
		f.received.Store(true)
	}
}

// endFlow notes whether the result that goes back can have untrusted text. whole says that the
// result of a call goes back as it is.
func (r *run) endFlow(whole bool) {
	f := r.tree.flow
	if f == nil || r.script.depth > 0 || !f.received.Load() || !whole && !r.mayReturnText() {
		return
	}
	r.result.Untrusted = true
	f.session.Return(time.Now())
	if s := r.script.Session; s != nil { // another one if the run was resumed
		s.Return(time.Now())
	}
}

// mayReturnText reports whether the result can have text that the script got: any text but names
// of members that stand in the script.
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

// before adds the earlier runs of the session of a run to what it knows, in their order. Sessions
// without a name, and those over stdio, are of one process. What cannot be read makes the session
// one of which nothing is known, unless the script was sent clean: then it could not steer it.
func (r *run) before(b *record.Begin) {
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
		if read++; read > maxBefore {
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
		if run.Tools != nil && run.Tools.Sent == "" { // the config did not say then what is untrusted
			forget()
		}
		run.Flow(s, f.set, nil)
	}
}
