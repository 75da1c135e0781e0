package outcome

import (
	"fmt"
	"slices"

	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Ledger returns the effect calls that a dry run did not send, from its record.
func Ledger(run *record.Run) (out []Unmade) {
	source, _ := run.Text(run.Begin.Script) // without the source, line numbers are those of the whole script
	parts, guessed := check.Parts([]byte(source)), false
	for _, g := range run.Ledger() {
		u := unmadeOf(run, g, parts)
		u.After, u.Guess = len(out), guessed
		out = append(out, u)
		guessed = guessed || g.From == ""
	}
	return out
}

// LedgerCalls returns a table of the effect calls that a dry run did not send, with their
// arguments.
func LedgerCalls(calls []Unmade) present.Document {
	t := &present.Table{Columns: present.Columns("#", "tool", "class", "place", "notes"), Inset: true}
	t.Columns[0].Number, t.Columns[4].Wrap = true, true
	for i := range calls {
		u := &calls[i]
		var notes present.Text
		if u.Approval != "" {
			notes = notes.Add(present.Warn, u.Approval+"; ")
		}
		if u.Guess {
			notes = notes.Add(present.Warn, "after a made-up answer; ")
		}
		if u.From == "" {
			notes = notes.Add(present.Plain, "answer made up")
		} else {
			notes = append(notes, present.Span{Text: "answer of run " + u.From, Href: "/runs/" + u.From})
		}
		row := present.Row{Cells: []present.Text{present.Words(present.Dim, fmt.Sprint(i+1)), present.Words(present.Tool, u.Tool),
			present.Words(present.Plain, string(u.Class)), present.Words(present.Plain, u.At()), notes}}
		switch {
		case u.Args == nil:
			row.Below = append(row.Below, present.Words(present.Bad, text.Count(u.Bytes, "byte")+" of arguments, which are not in the record"))
		case string(u.Args) != "{}":
			for _, odd := range present.DeceptiveTexts(u.Args) {
				row.Below = append(row.Below, present.Words(present.Warn, "careful: "+odd))
			}
			row.Quote = u.Args
		}
		row.Below = append(row.Below, present.OriginLines(u.Args, u.Origins)...)
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return present.Document{t}
}

// LedgerDocument returns the effect calls that a dry run did not send, and what to do next. It
// is empty for other runs, and for a script that did not begin.
func (r *Result) LedgerDocument() present.Document {
	if !r.Dry || len(r.Ledger) == 0 && NeverBegan(r.Status) {
		return nil
	}
	if len(r.Ledger) == 0 {
		return present.Document{say("dry run: the script made no effect calls")}
	}
	out := slices.Concat(present.Document{say("dry run: nothing was changed; %s not sent:",
		text.Count(len(r.Ledger), "effect call")+oneOrMany(len(r.Ledger), " was", " were"))}, LedgerCalls(r.Ledger))
	if r.Status != OK && slices.ContainsFunc(r.Ledger, func(u Unmade) bool { return u.From == "" }) {
		out = append(out, say("a made-up answer may be why the script ended with %s", r.Status))
	}
	if r.Approval != "" {
		out = append(out, say("to send them, a person approves all of them at once; then send the same script without dry run"))
		out = append(out, r.Next.approve(r.Approval)...)
	}
	return out
}

// LedgerText returns LedgerDocument for a model.
func (r *Result) LedgerText() string { return r.LedgerDocument().Model(0) }
