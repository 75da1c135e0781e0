package present

import (
	"fmt"
	"strconv"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// asks returns the run's approvals, with their answers.
func (p *page) asks() Document {
	r := p.view.Run
	if len(r.Asks)+len(r.Forged) == 0 {
		return nil
	}
	now := p.Now
	if now.IsZero() {
		now = time.Now()
	}
	t := &Table{Columns: Columns("approval", "tool", "arguments"), Inset: true}
	for _, a := range r.Asks {
		tool, args, where := a.Tool, Short(a.Args, p.Width, false), At(r, a.Path, a.Place)+": "+a.Why
		switch {
		case a.A == record.Ledger:
			tool, args, where = "all calls of the dry run", "", a.Why
		case a.Question != nil:
			args = "question of its server"
		}
		state := Words(Warn, ExpiresIn(a.Until, now))
		switch {
		case a.Answer != nil:
			state = AnswerText(a.Answer)
			if a.Used != nil {
				state = state.Add(Plain, "; used by "+usedBy(r, a))
			}
		case r.End != nil && r.End.Closed:
			state = Words(Warn, "not answered before the run was closed")
		}
		t.Rows = append(t.Rows, Row{Cells: []Text{Words(Strong, record.ApprovalID(r.Begin.ID, a.A)), Words(Tool, tool), Words(Mono, args)},
			Below: []Text{Words(Dim, where), state}})
	}
	out := Document{&Heading{2, Words(Plain, "approvals")}, t}
	for _, f := range r.Forged {
		out = append(out, &Callout{Bad, "", Words(Plain, f)})
	}
	if n := len(r.Open()); n > 0 && record.Resumable(p.view.Status) {
		out = append(out, &Callout{Warn, "", Words(Warn, NeedApproval(n)+":")}, &Command{p.command("approvals", "show", r.Begin.ID)})
	}
	return out
}

// NeedApproval returns "1 call needs approval", or the like for n calls.
func NeedApproval(n int) string {
	if n == 1 {
		return "1 call needs approval"
	}
	return text.Count(n, "call") + " need approval"
}

// usedBy returns the calls that used an approval.
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
