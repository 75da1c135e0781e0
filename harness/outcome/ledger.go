package outcome

import (
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
)

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

func (u *Unmade) args() string {
	if u.Args == nil {
		return fmt.Sprintf("%d bytes", u.Bytes)
	}
	return string(registry.PrintableJSON(u.Args))
}
