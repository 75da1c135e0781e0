package console

import (
	"fmt"
	"html/template"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
)

// ledger is the editor's view of a dry run.
type ledger struct {
	Run      string
	UnderWay bool
	Ended    bool
	NotSent  int           // number of effect calls
	Shown    template.HTML // calls and output
	Approval string        // ID; empty if no approval is required
}

// Limits of a dry run in the editor.
const (
	maxLedgerRows = 200
)

// ledgerOf returns the ledger of a dry run.
func (v *view) ledgerOf(r *record.Run) (*ledger, error) {
	l := &ledger{Run: r.Begin.ID, UnderWay: r.End == nil && r.Running, Ended: r.End != nil}
	if !l.Ended {
		return l, nil
	}
	res, err := outcome.FromRecord(r)
	if err != nil {
		return nil, fmt.Errorf("reading the dry run: %w", err)
	}
	for _, a := range approval.Open(r) {
		if a.IsLedger() {
			l.Approval = a.ID
		}
	}
	l.NotSent = len(res.Ledger)
	more := max(l.NotSent-maxLedgerRows, 0)
	res.Ledger = res.Ledger[:l.NotSent-more]
	doc := res.LedgerDocument()
	plain := func(s string) present.Text { return present.Words(present.Plain, s) }
	if more > 0 {
		doc = append(doc, &present.Paragraph{Text: plain(fmt.Sprintf("… and %s, on the page of the run", count(more, "more call")))})
	}
	if sent := sentCalls(res); sent != nil {
		doc = append(doc, &present.Heading{Level: 2, Text: plain("calls that were sent")}, sent)
	}
	doc = append(doc, present.New(r).Received(nil)...)
	l.Shown, err = v.html(doc)
	return l, err
}

// sentCalls counts the calls that a dry run sent, by tool. It returns nil if none was sent.
func sentCalls(res *outcome.Result) *present.Table {
	times, failed := map[string]int{}, map[string]int{}
	t := &present.Table{Columns: present.Columns("tool", "calls", "failed")}
	for _, c := range res.Calls {
		if times[c.Tool]++; c.Error != nil {
			failed[c.Tool]++
		}
		if times[c.Tool] == 1 {
			t.Rows = append(t.Rows, present.Row{Cells: []present.Text{present.Words(present.Tool, c.Tool)}})
		}
	}
	for i := range t.Rows {
		tool := t.Rows[i].Cells[0].String()
		t.Rows[i].Cells = append(t.Rows[i].Cells, present.Words(present.Plain, fmt.Sprint(times[tool])), present.Words(present.Bad, fmt.Sprint(failed[tool])))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
