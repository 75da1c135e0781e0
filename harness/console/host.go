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

// Host is the server behind a console. Its methods are safe for concurrent use, and never return a
// viewer data that it may not see.
type Host interface {
	// Catalog returns the tools that the scripts of a viewer can use. It returns nil while the
	// catalog is loading, or if loading failed.
	Catalog(v *Viewer) *catalog.Catalog
	// Policy returns the policy for the viewer's scripts. If nil, all tools are allowed.
	Policy(v *Viewer) *policy.Policy
	// Load returns how many scripts run and how many are queued.
	Load() (running, waiting int)
	// Execute starts a run and returns its ID without waiting for its end. A refused script has a
	// run too.
	Execute(ctx context.Context, v *Viewer, s *Script) (run string, err error)
	// Check checks a script without running it.
	Check(ctx context.Context, v *Viewer, s *Script) (*outcome.Result, error)
	// CallTool calls a tool without a script and returns the ID of the run with that call. approved
	// means that the viewer saw and approved the call. If a call needs approval and lacks it,
	// CallTool returns an *ApprovalError.
	CallTool(ctx context.Context, v *Viewer, tool string, args json.RawMessage, approved bool) (run string, err error)
	// Replay runs a script again from its record, without servers.
	Replay(ctx context.Context, v *Viewer, p *harness.Replay) (*harness.Replayed, error)
	// Resume resumes a run, whatever its status. It returns an error if the run cannot be resumed.
	Resume(run string) error
	// ResumeWhenAnswered resumes a run as soon as none of its calls needs a person. It returns
	// false if this server does not resume the run; then another server or harness resume does.
	ResumeWhenAnswered(run string) bool
}

// Script is a script to be checked or run.
type Script struct {
	Source string
	Name   string // name of a saved script, or ""
	Inputs map[string]json.RawMessage
	Dry    bool
}

// Viewer is the identity that a page is shown to.
type Viewer struct {
	Name    string // in records and on pages
	Token   string // the name of its token; "" after sign-in with a link
	Subject string // the subject of its runs in records
	// Operator permits seeing the runs of all clients and doing everything.
	Operator bool
	// Approves permits answering the pending calls of other clients' scripts.
	Approves bool
	// OthersOnly forbids answering the pending calls of its own scripts, even for an operator.
	OthersOnly bool
}

// Sees reports whether a viewer may see a run.
func (v *Viewer) Sees(subject string) bool { return v.Operator || subject == v.Subject }

// Filter returns the filter for the runs that a viewer may see.
func (v *Viewer) Filter() *store.Filter {
	if v.Operator {
		return &store.Filter{}
	}
	return &store.Filter{Subject: &v.Subject}
}

// MayAnswer reports whether a viewer may approve or reject the pending calls of a subject's runs.
func (v *Viewer) MayAnswer(subject string) bool {
	if subject == v.Subject && v.OthersOnly {
		return false
	}
	return v.Operator || v.Approves && subject != v.Subject
}

// mayLook reports whether a viewer may see the pending calls of a subject's runs.
func (v *Viewer) mayLook(subject string) bool { return v.Sees(subject) || v.MayAnswer(subject) }

// ApprovalError is returned for a call that needs approval.
type ApprovalError struct{ Rule string } // the rule that requires it

func (e *ApprovalError) Error() string { return "the call needs approval: " + e.Rule }
