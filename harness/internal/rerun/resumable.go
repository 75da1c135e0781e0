package rerun

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// NotResumableError is returned for a run that cannot be resumed.
type NotResumableError struct {
	Run string
	Why string
}

func (e *NotResumableError) Error() string {
	return fmt.Sprintf("run %s cannot be resumed: %s", e.Run, e.Why)
}

// Resumable returns nil if a run can be resumed with the limits more. Otherwise it returns a
// *NotResumableError or a *record.UnknownError.
func Resumable(run *record.Run, more worker.Limits) error {
	no := func(format string, args ...any) error {
		return &NotResumableError{run.Begin.ID, fmt.Sprintf(format, args...)}
	}
	if script := run.Begin.Script; script.IsZero() || string(script.JSON) == `""` && len(run.Calls) > 0 {
		return no("it is a single call, without a script")
	}
	for _, x := range run.Open() {
		if x.A == record.Ledger {
			return no("it is a dry run whose calls are not approved: approval %s",
				record.ApprovalID(run.Begin.ID, x.A))
		}
	}
	unknown := (*record.UnknownError)(nil)
	if _, err := record.Resume(run, nil); errors.As(err, &unknown) {
		return err
	}
	if why := outcome.Lacks(run); why != "" {
		return no("%s", why)
	}
	end := run.End
	if end == nil {
		return nil
	}
	var had worker.Limits
	json.Unmarshal(run.Begin.Limits, &had)
	switch status := outcome.Status(end.Status); status {
	case outcome.Canceled:
		if !end.Closed {
			return nil
		}
		return no("it was closed")
	case outcome.Waiting, outcome.Uncertain, outcome.Lost, outcome.Diverged, outcome.SandboxError, outcome.InternalError:
		return nil
	case outcome.Timeout:
		if more.Timeout <= had.Timeout {
			return no("it ended after %v: give it more time, with -timeout", had.Timeout)
		}
		return nil
	case outcome.CPULimit, outcome.MemoryLimit:
		if more.CPU <= had.CPU && more.Memory <= had.Memory && more.Timeout <= had.Timeout {
			return no("it ended with %s: give it more", status)
		}
		return nil
	case outcome.OK:
		if run.Begin.Dry && len(run.Asks) > 0 {
			return nil
		}
	}
	return no("it ended with %s", end.Status)
}

// BoundedLimits returns the limits of a record, which is untrusted, bounded to what a repeated
// run may use.
func BoundedLimits(l worker.Limits) worker.Limits {
	l.Timeout = min(l.Timeout, 10*time.Minute)
	l.CPU = min(l.CPU, 20*time.Minute)
	l.Memory = min(l.Memory, 4<<30)
	l.Stdout = min(l.Stdout, record.MaxRecord) // no record contains more
	return l
}
