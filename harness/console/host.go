package console

import (
	"context"
	"encoding/json"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
)

// Host is the server behind a console. Its methods are safe for concurrent use, and
// see to it that a viewer gets nothing that is not its own.
type Host interface {
	// Catalog is what the scripts of a viewer can use; nil: it is being loaded, or
	// could not be.
	Catalog(v *Viewer) *catalog.Catalog
	// Policy is which tools they may call; nil: all.
	Policy(v *Viewer) *policy.Policy
	// Load is how many scripts run and how many wait for their turn.
	Load() (running, waiting int)
	// Execute begins a run and returns its ID; the run goes on by itself. A script
	// that is refused has a run, too.
	Execute(ctx context.Context, v *Viewer, s *Script) (run string, err error)
	// Check says what is wrong with a script, and runs nothing.
	Check(ctx context.Context, v *Viewer, s *Script) (*outcome.Result, error)
	// CallTool calls a tool without a script and returns the ID of the run with that
	// call. approved: the viewer was shown the call and says yes. Without that a call
	// that needs one is an *ApprovalError.
	CallTool(ctx context.Context, v *Viewer, tool string, args json.RawMessage, approved bool) (run string, err error)
	// Replay runs a script again by a record, without servers.
	Replay(ctx context.Context, v *Viewer, p *harness.Replay) (*harness.Replayed, error)
	// Resume goes on with a run, whatever it ended with. An error says what stands against
	// that.
	Resume(run string) error
	// Goes has a run go on as soon as nothing of it waits for a person. It reports
	// whether this server does so; else another one does, or harness resume.
	Goes(run string) bool
}

// Script is a script to be checked or run.
type Script struct {
	Source string
	Name   string // of a saved script; empty: it has none
	Inputs map[string]json.RawMessage
	Dry    bool
}

// Viewer is who looks at a page.
type Viewer struct {
	Name    string // in records and on pages
	Token   string // the name of its token; "" for who has opened the console by a link
	Subject string // whose its runs are, in records
	// Operator sees the runs of all and may do everything.
	Operator bool
	// Approves says that it may answer what the scripts of others wait for.
	Approves bool
	// OthersOnly says that it may not answer what its own scripts wait for, also as an
	// operator.
	OthersOnly bool
}

// Sees reports whether a viewer may see a run.
func (v *Viewer) Sees(subject string) bool { return v.Operator || subject == v.Subject }

// Filter is which runs a viewer may see.
func (v *Viewer) Filter() *store.Filter {
	if v.Operator {
		return &store.Filter{}
	}
	return &store.Filter{Subject: &v.Subject}
}

// MayAnswer reports whether a viewer may say yes or no to what the runs of a subject
// wait for.
func (v *Viewer) MayAnswer(subject string) bool {
	if subject == v.Subject && v.OthersOnly {
		return false
	}
	return v.Operator || v.Approves && subject != v.Subject
}

// mayLook reports whether a viewer may see what the runs of a subject ask.
func (v *Viewer) mayLook(subject string) bool { return v.Sees(subject) || v.MayAnswer(subject) }

// ApprovalError is returned for a call that needs a person's yes.
type ApprovalError struct{ Rule string } // that says so

func (e *ApprovalError) Error() string { return "the call needs approval: " + e.Rule }
