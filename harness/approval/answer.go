package approval

import (
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
)

// Refused returns a sentence that says why [store.Store.Answer] rejected an answer to a call.
func Refused(c *Call, err error) string {
	var before *store.AnsweredError
	why := "was not answered: " + registry.PrintableText(err.Error(), 500)
	switch {
	case errors.As(err, &before):
		why = "was already " + present.AnswerLine(before.Answer, false)
	case errors.Is(err, store.ErrExpired):
		why = "expired " + c.Until.Local().Format(time.DateTime) + "; the answer came too late"
	case errors.Is(err, store.ErrEnded):
		why = "is not sent any more: " + registry.PrintableText(err.Error(), 500)
	case errors.Is(err, store.ErrOtherAsk):
		why = "is not the call that was shown, and was not answered; look at it again"
	case errors.Is(err, store.ErrNotFound):
		why = "no longer exists: its record was removed"
	}
	return c.ID + " " + why
}

// Blocked returns why a run cannot be resumed, and the arguments of the command that shows more.
// why is empty if the run can be resumed.
func Blocked(r *record.Run) (why string, command []string) {
	id := r.Begin.ID
	switch open, lost := len(r.Open()), r.Unknown(); {
	case r.Running:
		return fmt.Sprintf("run %s is running", id), []string{"runs", "show", id}
	case open > 0:
		return fmt.Sprintf("run %s: %s", id, present.NeedApproval(open)), []string{"approvals", "show", id}
	case len(lost) > 0:
		return fmt.Sprintf("run %s: outcome unknown: call %d", id, lost[0].N), []string{"runs", "show", id}
	case r.End != nil && !record.Resumable(r.End.Status) && (!r.Begin.Dry || r.Live()):
		return fmt.Sprintf("run %s has ended: %s", id, r.End.Status), []string{"runs", "show", id}
	}
	return "", nil
}
