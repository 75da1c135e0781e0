package outcome

import "fmt"

// Next says how the reader of a Result answers the asks of its run and resumes it.
type Next struct {
	// Command writes a command that finds the record of the run. If nil, the reader
	// cannot run one.
	Command func(args ...string) string
	// Page is the URL of the console, without a slash at its end, for if Command is nil.
	// If empty, the reader has no console.
	Page string
	// Asks reports whether only the user of this client can answer, who is asked when
	// the script is sent again.
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
func (n *Next) settle(run string, call int) string {
	switch {
	case n.Command != nil:
		return fmt.Sprintf("the user says what is true, after which the script goes on when it is sent again:\n  %s\n  %s\n"+
			"or ends the run:\n  %s\n", n.Command("runs", "settle", run, fmt.Sprint(call), "happened", "-result", "JSON"),
			n.Command("runs", "settle", run, fmt.Sprint(call), "not"), n.Command("runs", "close", run))
	case n.Page != "":
		return fmt.Sprintf("the user says what is true at %s/runs/%s; the script then goes on when it is sent again\n", n.Page, run)
	}
	return fmt.Sprintf("ask the operator what is true of call %d of run %s; the script then goes on when it is sent again\n", call, run)
}

// approve says how a person approves a pending call.
func (n *Next) approve(id string) string {
	switch {
	case n.Command != nil:
		return fmt.Sprintf("by one of:\n  %s\n  %s\n", n.Command("approvals", "yes", id), n.Command("approvals", "no", id))
	case n.Page != "":
		return "at " + n.Page + "/approvals/" + id + "\n"
	case n.Asks:
		return "when the script is sent again\n"
	}
	return "through the operator: ask for an approval of " + id + "\n"
}
