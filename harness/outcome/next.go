package outcome

import (
	"fmt"

	"github.com/usetools/usetools/harness/present"
)

// Next says how the reader of a Result answers the pending calls of its run and resumes it.
type Next struct {
	// Command writes a command that finds the record of the run. If nil, the reader
	// cannot run one.
	Command func(args ...string) string
	// Page is the URL of the console, without a final slash. It is used if Command is nil. If
	// empty, the reader has no console.
	Page string
	// Asks is true if only the user of this client can answer. The user is asked when the script is
	// sent again.
	Asks bool
}

// or returns a command as the last alternative of a sentence.
func (n *Next) or(args ...string) string {
	if n.Command == nil {
		return ""
	}
	return ", or: " + n.Command(args...)
}

// settle says how a person settles a call of a run whose outcome is unknown.
func (n *Next) settle(run string, call int) present.Document {
	switch {
	case n.Command != nil:
		return present.Document{say("then a person settles it:"),
			&present.Command{Line: n.Command("runs", "settle", run, fmt.Sprint(call), "happened", "-result", "JSON")},
			&present.Command{Line: n.Command("runs", "settle", run, fmt.Sprint(call), "not")},
			say("after which the script resumes when it is sent again; or ends the run:"),
			&present.Command{Line: n.Command("runs", "close", run)}}
	case n.Page != "":
		return present.Document{say("then the user settles it at %s/runs/%s, and the script resumes when it is sent again", n.Page, run)}
	}
	return present.Document{say("ask the operator to settle call %d of run %s; then the script resumes when it is sent again", call, run)}
}

// approve says how a person approves a pending call.
func (n *Next) approve(id string) present.Document {
	switch {
	case n.Command != nil:
		return present.Document{say("to approve or reject:"), &present.Command{Line: n.Command("approvals", "yes", id)},
			&present.Command{Line: n.Command("approvals", "no", id)}}
	case n.Page != "":
		return present.Document{say("at %s/approvals/%s", n.Page, id)}
	case n.Asks:
		return present.Document{say("when the script is sent again")}
	}
	return present.Document{say("through the operator: ask for an approval of %s", id)}
}
