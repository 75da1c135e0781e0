package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// ledger is what a dry run did and what it would have done.
type ledger struct {
	Run           string
	UnderWay      bool
	Ended         bool
	Sent, NotSent int
	Rows          []dryCall
	More          int // rows that are left out
	// Guess is the number of the first row that depends on a made-up answer, and Tool
	// whose answer that is; 0: none does.
	Guess int
	Tool  string
	Value string // what it would return, as JSON; "": nothing
	// Error says why the run did not end well.
	Error string
	// Approval is the ID of a question for a yes to all that was not sent; "": nobody
	// has to say it.
	Approval string
	Printed  string
}

// dryCall is a call of a dry run, or all that were sent of a tool from one line: the first
// of them with how many there were.
type dryCall struct {
	N            int
	Tool, Hue    string
	Where        string
	Args, Answer string // in a line
	Sent         bool
	Took         string // of one that was sent
	Times        int    // how often it was sent from this place
	Failures     int    // of those
	From         string // the run whose answer one got that was not sent; "": it was made up
}

const (
	maxLedgerRows = 200
	maxLedgerText = 240
	maxLedgerMore = 20_000
)

// ledgerOf is the ledger of a dry run.
func (v *view) ledgerOf(r *record.Run) (*ledger, error) {
	l := &ledger{Run: r.Begin.ID, UnderWay: r.End == nil && r.Running}
	if r.End == nil {
		return l, nil
	}
	k, err := v.known()
	if err != nil {
		return nil, err
	}
	res, err := outcome.FromRecord(r)
	if err != nil {
		return nil, fmt.Errorf("reading the dry run: %w", err)
	}
	l.Ended = true
	made := ""               // the first tool whose answer was made up
	sent := map[string]int{} // by tool and line: their row
	for _, m := range r.Calls {
		row := dryCall{N: l.Sent + l.NotSent + 1, Times: 1}
		switch {
		case m.Guess != nil:
			l.NotSent++
			if made != "" && l.Guess == 0 {
				l.Guess, l.Tool = row.N, made
			}
			if made == "" && m.Guess.From == "" {
				made = m.Guess.Tool
			}
		case m.Call != nil:
			l.Sent++
			key := m.Call.Tool + " " + lineOf(r, m.Call.Path, m.Call.Place)
			if i, ok := sent[key]; ok {
				if l.Rows[i].Times++; m.Done != nil && (m.Done.Failed || m.Done.Error != "") {
					l.Rows[i].Failures++
				}
				continue
			}
			if len(l.Rows) < maxLedgerRows {
				sent[key] = len(l.Rows)
			}
		default:
			continue
		}
		if len(l.Rows) == maxLedgerRows {
			l.More++
			continue
		}
		if row.fill(r, m); k != nil {
			row.Hue = k.hue(serverOf(row.Tool))
		}
		l.Rows = append(l.Rows, row)
	}
	if len(res.Value) > 0 {
		var b bytes.Buffer
		if json.Indent(&b, registry.PrintableJSON(res.Value), "", "  ") == nil {
			l.Value = text.Cut(b.String(), maxLedgerMore)
		}
	}
	l.Printed = text.Cut(registry.PrintableText(res.Stdout, maxLedgerMore), maxLedgerMore)
	if res.Error != nil {
		l.Error = visible(res.Error.Message)
		if res.Error.Line > 0 {
			l.Error = fmt.Sprintf("line %d: %s", res.Error.Line, l.Error)
		}
	}
	for _, a := range approval.Open(r) {
		if a.IsLedger() {
			l.Approval = a.ID
		}
	}
	return l, nil
}

// fill tells of a call.
func (row *dryCall) fill(r *record.Run, m *record.Made) {
	l := m.Line()
	row.Tool, row.Where, row.Args = l.Tool, lineOf(r, l.Path, l.Place), ledgerValue(r, l.Args)
	if g := m.Guess; g != nil {
		row.From, row.Answer = g.From, ledgerAnswer(r, g.Result)
		return
	}
	row.Sent = true
	if d := m.Done; d != nil {
		row.Took = present.Duration(d.Ms)
		if d.Failed || d.Error != "" {
			row.Failures, row.Answer = 1, present.Visible(d.Message, maxLedgerText, false)
		} else {
			row.Answer = ledgerAnswer(r, d.Result)
		}
	}
}

// lineOf is the line that makes a call.
func lineOf(r *record.Run, path, place string) string {
	at, _, _ := strings.Cut(present.At(r, path, place), ", in the goroutine")
	return at
}

// ledgerValue is a value of the record in a line.
func ledgerValue(r *record.Run, d record.Data) string {
	b, err := r.Value(d)
	if err != nil {
		return plural(d.Bytes, "byte that was not kept", "bytes that were not kept")
	}
	return present.Visible(string(b), maxLedgerText, false)
}

// ledgerAnswer is what a call was answered with, in a line: the structured part, or the
// text.
func ledgerAnswer(r *record.Run, d record.Data) string {
	b, err := r.Value(d)
	if err != nil {
		return ledgerValue(r, d)
	}
	res, err := backend.DecodeResult(b)
	switch {
	case err != nil:
		return ledgerValue(r, d)
	case res.Structured != nil:
		return present.Visible(string(res.Structured), maxLedgerText, false)
	case res.Text() != "":
		return present.Visible(res.Text(), maxLedgerText, false)
	}
	return "nothing"
}
