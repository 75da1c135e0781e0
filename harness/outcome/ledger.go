package outcome

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Unmade is a call that a dry run did not make.
type Unmade struct {
	Tool  string       `json:"tool"`
	Class record.Class `json:"class"`
	// Script is the saved script that makes the call, "" for the one that was sent;
	// Line is the line of it, or of its File where it is several.
	Script string `json:"script,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	// Args are as they would be sent. Bytes, where it is not 0, is how many these are:
	// there was no room for all of them, or for any (null).
	Args  json.RawMessage `json:"args"`
	Bytes int             `json:"bytes,omitempty"`
	// Approval says why a person must approve of the call before it is made; "":
	// nobody must.
	Approval string `json:"approval,omitempty"`
	// After is how many calls before it were not made either: what the script read
	// since then does not show what they would have done.
	After int `json:"after,omitempty"`
	// Guess says that an answer before it was made up, so that its arguments, and
	// whether it is made at all, may come from that.
	Guess bool `json:"guess"`
	// From is the run whose answer the script got; "": it was made up.
	From string `json:"from,omitempty"`
}

// LedgerText says in words which calls a dry run did not make, a line for each, and
// how firm that is; "" for another run, and for a script that did not begin.
func (r *Result) LedgerText() string {
	if !r.Dry || len(r.Ledger) == 0 && NeverBegan(r.Status) {
		return ""
	}
	var b strings.Builder
	if len(r.Ledger) == 0 {
		b.WriteString("dry run: no call that changes anything was asked for\n")
	}
	for i, u := range r.Ledger {
		switch {
		case i == 0:
			b.WriteString("dry run: nothing was changed; these calls were not made:\n")
		case u.Guess && !r.Ledger[i-1].Guess:
			b.WriteString("after effects that were not made; may depend on a made-up answer:\n")
		case u.After > 0 && r.Ledger[i-1].After == 0:
			b.WriteString("after effects that were not made:\n")
		}
		fmt.Fprintf(&b, "  %d. %s: %s(%s)", i+1, u.Where(), u.Tool, u.args())
		if u.Approval != "" {
			fmt.Fprintf(&b, " [%s]", u.Approval)
		}
		b.WriteByte('\n')
	}
	if r.Status != OK && slices.ContainsFunc(r.Ledger, func(u Unmade) bool { return u.From == "" }) {
		b.WriteString("answers of these calls were made up, which may be why the script did not end well:\n")
	}
	if r.Approval != "" {
		fmt.Fprintf(&b, "the same script, not as a dry run, makes these once a person has approved all of them at once, %s",
			r.Next.approve(r.Approval))
	}
	return b.String()
}

// Where is the place of the call in words.
func (u *Unmade) Where() string { return Where(u.Script, u.File, u.Line) }

func Where(script, file string, line int) string {
	at := fmt.Sprintf("line %d", line)
	if file != "" {
		at = file + " " + at
	}
	if script != "" {
		at = script + ", " + at
	}
	return at
}

func (u *Unmade) args() string {
	if u.Args == nil {
		return fmt.Sprintf("%d bytes", u.Bytes)
	}
	return string(registry.PrintableJSON(u.Args))
}
