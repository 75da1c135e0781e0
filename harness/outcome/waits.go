package outcome

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Bounds of the text about the calls of a Result.
const (
	maxWaits = 20  // pending calls, and unresolved ones
	maxMade  = 10  // effect calls that were made
	maxArgs  = 500 // characters of arguments
)

// AddEffect adds an effect call that was made at a place.
func (r *Result) AddEffect(at, tool string, args json.RawMessage) {
	r.AddMade(fmt.Sprintf("%s: %s(%s)", at, tool, text.Cut(string(cutArgs(args, 0)), 150)))
}

// AddMade adds a line about an effect call that was made.
func (r *Result) AddMade(line string) {
	if len(r.Made) == maxMade {
		r.MoreMade++
		return
	}
	r.Made = append(r.Made, line)
}

// MadeEffect reports whether a call of a record is an effect call that had its effect.
func MadeEffect(m *record.Made) bool {
	return m.Call.Class != record.Read && m.Done != nil && !m.Done.Failed && (m.Done.Kind == record.Unread ||
		m.Done.Kind == record.Answered && m.Done.Error == "")
}

// waitsDocument returns the effect calls of a run that did not end with ok, its unresolved calls,
// its pending calls, and what to do about each. It is empty for a run that ended without effect
// calls.
func (r *Result) waitsDocument() (out present.Document) {
	if len(r.Made) > 0 && !r.Dry {
		out = append(out, r.madeDocument()...)
	}
	if r.Status == Canceled && r.Run != "" && r.NoResume == "" && len(r.Made) == 0 && r.Next.Command != nil {
		out = append(out, say("to resume the run:"), &present.Command{Line: r.Next.Command("resume", r.Run)})
	}
	if r.NoResume != "" {
		out = append(out, say("the run cannot be resumed, not even after an approval: %s", r.NoResume))
	}
	if len(r.Unknown) > 0 {
		out = slices.Concat(out, UnresolvedCalls(r.Run, r.Unknown, maxArgs), r.Next.settle(r.Run, r.Unknown[0].N))
	}
	if len(r.Waiting) > 0 {
		out = append(out, r.pendingDocument()...)
	}
	return out
}

func say(format string, args ...any) *present.Paragraph {
	return &present.Paragraph{Text: present.Words(present.Plain, fmt.Sprintf(format, args...))}
}

// madeDocument returns the effect calls that were sent, and how to continue after them.
func (r *Result) madeDocument() present.Document {
	list := &present.List{Noun: "call"}
	for _, line := range r.Made {
		list.Items = append(list.Items, present.Words(present.Plain, line))
	}
	if r.MoreMade > 0 {
		list.Items = append(list.Items, present.Words(present.Plain, "… and "+text.Count(r.MoreMade, "more call")))
	}
	out := present.Document{say("effect calls that were made:"), list}
	const sendRest = "a script that repeats them makes them twice: send a script with only the rest"
	switch {
	case r.Status == Waiting || r.Status == Uncertain:
		return out
	case r.Status == Lost && r.NoResume == "":
		return append(out, say("send exactly this script again to resume after them%s", r.Next.or("resume", r.Run)))
	case (r.Status == Timeout || r.Status == Canceled) && r.Run != "" && r.NoResume == "":
		resume := []string{"resume", r.Run}
		if r.Status == Timeout {
			resume = append(resume, "-timeout", fmt.Sprintf("%.0fs", 2*r.Timing.Total/1000+1))
		}
		return append(out, say("%s%s", sendRest, r.Next.or(resume...)))
	}
	return append(out, say("%s", sendRest))
}

// UnresolvedDocument returns the effect calls of a run whose outcome is unknown, with all
// arguments, and how to settle them. It is empty for a run that has not ended.
func UnresolvedDocument(run *record.Run, next *Next) present.Document {
	calls := UnresolvedOf(run)
	if len(calls) == 0 || run.Running {
		return nil
	}
	out := UnresolvedCalls(run.Begin.ID, calls, 0)
	if run.End != nil && run.End.Closed {
		return append(out, say("the run is closed; it cannot be resumed"))
	}
	return append(out, next.settle(run.Begin.ID, calls[0].N)...)
}

// UnresolvedCalls returns effect calls of a run whose outcome is unknown. Arguments are cut to limit
// characters. If limit is zero, they are not cut.
func UnresolvedCalls(run string, calls []Unresolved, limit int) present.Document {
	t := &present.Table{Columns: present.Columns("call", "tool", "class", "place"), Inset: true}
	for _, u := range calls[:min(len(calls), maxWaits)] {
		plain := func(s string) present.Text { return present.Words(present.Plain, s) }
		sent := append(plain("sent "), present.TimeText(u.Sent)...).Add(present.Plain, fmt.Sprintf(" in attempt %d: %s", u.Attempt, u.Why))
		row := present.Row{Cells: []present.Text{present.Words(present.Strong, fmt.Sprintf("call %d", u.N)), present.Words(present.Tool, u.Tool),
			plain(string(u.Class)), lineLink(run, u.Where)}, Below: []present.Text{sent}, Quote: cutArgs(u.Args, limit)}
		if u.Key != "" {
			row.Below = append(row.Below, plain("Idempotency-Key: "+u.Key))
		}
		if u.Ask != "" {
			row.Below = append(row.Below, plain("approval: "+record.ApprovalID(run, u.Ask)))
		}
		t.Rows = append(t.Rows, row)
	}
	return slices.Concat(present.Document{&present.Callout{Style: present.Warn, Title: "outcome unknown", Text: present.Words(present.Warn,
		text.Count(len(calls), "effect call")+" may have happened, or may still happen. Do not repeat "+oneOrMany(len(calls), "it", "them")+
			" in any script: look first whether "+oneOrMany(len(calls), "it", "they")+" happened")}, t}, more(len(calls)))
}

// lineLink returns the place of a call. On pages it is a link to the line.
func lineLink(run string, w record.Where) present.Text {
	at := present.Span{Text: w.At()}
	if w.Script == "" && w.File == "" {
		at.Href = fmt.Sprintf("/runs/%s#L%d", run, w.Line)
	}
	return present.Text{at}
}

// pendingDocument returns the pending calls, and how a person answers them.
func (r *Result) pendingDocument() present.Document {
	n := len(r.Waiting)
	head := present.NeedApproval(n)
	if !slices.ContainsFunc(r.Waiting, func(w Pending) bool { return w.Question != nil }) {
		head += "; " + oneOrMany(n, "it has", "they have") + " not been sent"
	}
	t := &present.Table{Columns: present.Columns("approval", "tool", "place", "why"), Inset: true}
	for _, w := range r.Waiting[:min(n, maxWaits)] {
		t.Rows = append(t.Rows, present.Row{Cells: []present.Text{present.Words(present.Strong, w.ID), present.Words(present.Tool, w.Tool),
			present.Words(present.Plain, w.At()), present.Words(present.Plain, w.Why)}, Quote: cutArgs(w.Args, maxArgs)})
	}
	out := slices.Concat(present.Document{say("%s:", head), t}, more(n))
	if r.NoResume != "" {
		return out // an answer would change nothing
	}
	first := slices.MinFunc(r.Waiting, func(a, b Pending) int { return a.Until.Compare(b.Until) })
	answer := r.Next.approve(first.ID)
	if first.Question != nil && r.Next.Command != nil {
		answer = present.Document{say("at a terminal:"), &present.Command{Line: r.Next.Command("resume", r.Run)}}
	}
	until := append(present.Words(present.Plain, "tell the user, who can answer until "), present.TimeText(first.Until)...)
	return slices.Concat(out, present.Document{&present.Paragraph{Text: until}}, answer,
		present.Document{say("then send exactly this script again: it resumes and repeats no call")})
}

func oneOrMany(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// more counts the calls that are not listed.
func more(n int) present.Document {
	if n <= maxWaits {
		return nil
	}
	return present.Document{say("… and %s", text.Count(n-maxWaits, "more call"))}
}

// cutArgs returns arguments cut to limit characters. It returns nil for an empty object. If limit is
// zero, they are not cut.
func cutArgs(args json.RawMessage, limit int) json.RawMessage {
	shown := registry.PrintableJSON(args)
	switch {
	case string(args) == "{}":
		return nil
	case limit > 0:
		return json.RawMessage(text.Cut(string(shown), limit))
	}
	return shown
}

// Resumable reports whether a run with this status can be resumed, if its record is complete.
func (r *Result) Resumable() bool {
	switch r.Status {
	case Waiting, Uncertain, Lost, Timeout, Canceled:
		return true
	}
	return false
}
