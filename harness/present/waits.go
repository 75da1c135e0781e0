package present

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// attempts writes when each attempt began, and who had it go on.
func (p *page) attempts() {
	ends := p.view.Run.Ended
	for i, a := range p.view.Run.Attempts {
		what := fmt.Sprintf("%d began %s", a.Number, a.Time.In(p.Zone).Format(time.DateTime))
		if a.Who != "" {
			what += " by " + a.Who
		}
		if a.Live {
			what += ", and makes the calls of a dry run"
		}
		if i < len(ends) {
			what += "; the one before ended " + ends[i].Status
		}
		p.fact("attempt", what)
	}
}

// asks writes what people were asked, and what they said.
func (p *page) asks() {
	r := p.view.Run
	if len(r.Asks)+len(r.Forged) == 0 {
		return
	}
	p.title("asked of people")
	now := p.Now
	if now.IsZero() {
		now = time.Now()
	}
	for _, a := range r.Asks {
		what := a.Tool
		switch {
		case a.A == record.Ledger:
			what = "all calls of the dry run"
		case a.Question != nil:
			what += "  what its server asks"
		default:
			what = p.withArgs(what+"  ", a.Args, p.Width-24)
		}
		p.line("  %s  %s", p.paint(bold, p.safe(record.ApprovalID(r.Begin.ID, a.Ask.A), 2*maxName)), p.safe(what, p.Width-24))
		where := At(r, a.Path, a.Place) + ": " + a.Why
		if a.A == record.Ledger {
			where = a.Why
		}
		p.line("      %s", p.paint(dim, p.safe(where, p.Width-6)))
		state, colour := "", yellow
		switch {
		case a.Answer != nil:
			state = said(a.Answer, p.Zone)
			if a.Answer.Yes {
				colour = green
			}
			if a.Used != nil {
				state += "; used by " + usedBy(r, a)
			}
		case r.End != nil && r.End.Closed:
			state = "nobody answered before the run was closed"
		default:
			state = Left(a.Until, now)
		}
		for _, l := range p.wrapped(state, p.Width-6, math.MaxInt) {
			p.line("      %s", p.paint(colour, l))
		}
	}
	for _, f := range r.Forged {
		for _, l := range p.wrapped(f, p.Width-2, math.MaxInt) {
			p.line("  %s", p.paint(red, l))
		}
	}
	if n := len(r.Open()); n > 0 && goesOn(p.view.Status) {
		p.line("  %s for a person: %s", hasHave(n), p.command("approvals", "show", p.safe(r.Begin.ID, maxName)))
	}
}

// usedBy are the calls that an answer was for.
func usedBy(r *record.Run, a *record.Asked) string {
	var numbers []string
	for _, m := range r.Calls {
		if m.Call != nil && m.Call.Ask == a.Ask.A {
			numbers = append(numbers, strconv.Itoa(m.Call.N))
		}
	}
	if len(numbers) < 2 {
		return fmt.Sprintf("call %d", a.Used.N)
	}
	return fmt.Sprintf("%s: %s", text.Count(len(numbers), "call"), text.List(numbers, 8))
}

func hasHave(n int) string {
	if n == 1 {
		return "one waits"
	}
	return fmt.Sprintf("%d wait", n)
}

// goesOn reports whether a run that ended so goes on once people have answered.
func goesOn(status string) bool { return status == "waiting" || status == "uncertain" }

// unknown writes the calls of which nobody knows what became, with all that is known
// of them, and what can be done.
func (p *page) unknown() {
	r := p.view.Run
	lost := r.Unknown()
	if len(lost) == 0 || r.Running {
		return
	}
	id := p.safe(r.Begin.ID, maxName)
	p.title("nobody knows what became of " + text.Count(len(lost), "call"))
	for _, m := range lost {
		c := m.Call
		p.line("  %s  %s  %s", p.paint(bold, fmt.Sprintf("call %d", c.N)), p.safe(c.Tool, p.Width/2),
			p.safe(string(c.Class), maxName))
		p.fact("at", At(r, c.Path, c.Place))
		p.fact("sent", fmt.Sprintf("%s, in attempt %d", c.Time.In(p.Zone).Format(time.DateTime), max(c.Attempt, 1)))
		p.fact("key", c.Key)
		if c.Ask != "" {
			p.fact("approval", r.Begin.ID+"."+c.Ask)
		}
		p.facts("ended by", LostBy(m))
		p.fact("script", "was not told of it")
		p.line("  %s", p.paint(dim, "arguments"))
		p.bars(p.shown(c.Args))
	}
	if r.End != nil && r.End.Closed {
		p.line("  The run is closed: nothing goes on with it.")
		return
	}
	p.line("  It may yet happen. Look first; then say what is:")
	for _, m := range lost {
		p.line("    %s", p.command("runs", "settle", id, strconv.Itoa(m.Call.N), "happened", "-result", "JSON"))
		p.line("  or make it again when the run is resumed:")
		p.line("    %s", p.command("runs", "settle", id, strconv.Itoa(m.Call.N), "not"))
	}
	p.line("  or end the run:")
	p.line("    %s", p.command("runs", "close", id))
}

// LostBy says what ended a call of which nobody knows what became.
func LostBy(m *record.Made) string {
	switch {
	case m.Done != nil:
		return cmp.Or(strings.TrimSpace(m.Done.Error), strings.TrimSpace(m.Done.Message), "no answer")
	case m.Round != nil:
		return "what its server asked was not answered in time"
	}
	return "its process ended before the answer came"
}
