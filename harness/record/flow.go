package record

import (
	"errors"

	"github.com/usetools/usetools/harness/flow"
)

// Flow adds the run's script, inputs and results to a session, in the order of the record, so that
// each call is judged by the values known when it was made. If each is not nil, it is called with
// the origins of the arguments of each effect call that was sent (*Call), that needed approval
// (*Ask) or that a dry run did not send (*Guess). Flow reports whether a result had untrusted text.
//
// If the record does not keep a result, the session no longer knows what its client has read.
func (r *Run) Flow(s *flow.Session, set *flow.Settings, each func(l Line, f *flow.Facts)) (untrusted bool) {
	late := r.IsLate() && set != flow.NoLabels // without labels no script is late
	origin := flow.Source{Kind: flow.Script, Run: r.Begin.ID, Trust: flow.Trusted}
	if late {
		origin.Trust = flow.Late
	}
	if source, err := r.Text(r.Begin.Script); err == nil {
		s.AddScript(origin, source)
	}
	origin.Kind = flow.Input
	inputs, _ := r.Values(r.Begin.Inputs) // values that are not kept explain nothing
	s.AddValues(origin, inputs)
	origin.Kind = flow.Stored
	stored, _ := r.Values(r.Begin.Stored)
	s.AddValues(origin, stored)
	asked := func(l Line, tool string, class Class, args Data) {
		if each == nil || class == Read || tool == "" {
			return
		}
		raw, err := r.Value(args)
		if errors.Is(err, ErrNotKept) {
			raw = nil
		}
		each(l, s.Facts(set, late, tool, raw, When(l)))
	}
	for _, l := range r.Lines {
		switch l := l.(type) {
		case *Tools:
			if !late {
				for _, t := range l.Tools {
					s.Plan(l.Time, t.ID)
				}
			}
		case *Ask:
			asked(l, l.Tool, l.Class, l.Args)
		case *Call:
			asked(l, l.Tool, l.Class, l.Args)
		case *Guess:
			asked(l, l.Tool, l.Class, l.Args)
		case *Done:
			untrusted = r.flowDone(s, set, l) || untrusted
		case *Settle:
			if m := r.calls[l.N]; m != nil && m.Call != nil {
				untrusted = r.flowResult(s, set, m.Call, l.Result) || untrusted
			}
		case *End:
			if l.Untrusted {
				s.Return(l.Time)
			}
		}
	}
	return untrusted
}

// IsLate reports whether the script counts as sent after untrusted text had gone back to its
// client. It does if the record does not say.
func (r *Run) IsLate() bool { return r.Tools == nil || r.Tools.Sent != SentClean }

// flowDone adds the result of a call, or its error message.
func (r *Run) flowDone(s *flow.Session, set *flow.Settings, l *Done) (untrusted bool) {
	m := r.calls[l.N]
	switch {
	case m == nil || m.Call == nil || l.Kind == NotSent:
		return false
	case l.Error != "":
		return s.Fail(flow.Call{Run: r.Begin.ID, N: l.N, Tool: m.Call.Tool}, set.Untrusted(m.Call.Tool), l.Error)
	}
	return r.flowResult(s, set, m.Call, l.Result)
}

func (r *Run) flowResult(s *flow.Session, set *flow.Settings, c *Call, d Data) (untrusted bool) {
	label := set.Untrusted(c.Tool)
	raw, err := r.Value(d)
	if err != nil {
		s.Forget()
		return !label.IsZero()
	}
	if len(raw) == 0 {
		return false
	}
	return s.Add(flow.Call{Run: r.Begin.ID, N: c.N, Tool: c.Tool}, label, raw)
}
