package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/text"
)

// run reads the run named in the path, if the viewer may see it. It takes a turn, which bounds how
// many pages of runs are made at a time.
func (v *view) run() (*present.View, error) {
	if err := v.turn(); err != nil {
		return nil, err
	}
	r, err := v.named()
	if err != nil {
		return nil, err
	}
	return present.New(r), nil
}

// named reads the run named in the path, if the viewer may see it.
func (v *view) named() (*record.Run, error) { return v.load(v.r.PathValue("id")) }

// turn waits until v may read records: few requests may at a time. Its turn lasts until the page is
// rendered or the request ends.
func (v *view) turn() error {
	if v.inTurn {
		return nil
	}
	if err := v.c.reading.Acquire(v.r.Context(), 1); err != nil {
		return err
	}
	v.inTurn = true
	return nil
}

// rest ends the turn to read records. Call it before sending the page, which may be slow.
func (v *view) rest() {
	if v.inTurn {
		v.c.reading.Release(1)
		v.inTurn = false
	}
}

// maxShownRecord limits the size of a record with a page, in bytes.
const maxShownRecord = 32 << 20

// load reads a run, if the viewer may see it. If its record is too large for a page, it returns a
// *problem that offers the file.
func (v *view) load(id string) (*record.Run, error) {
	r, size, err := v.loadUpTo(id, maxShownRecord)
	if errors.Is(err, store.ErrLarge) {
		return nil, v.tooLarge(id, size)
	}
	return r, err
}

// tooLarge returns a *problem for a record that is too large for a page.
func (v *view) tooLarge(id string, size int64) error {
	return &problem{Status: http.StatusRequestEntityTooLarge, Title: "Too large for a page",
		Text: fmt.Sprintf("The record of run %s has %s bytes; pages show at most %s. Download the file instead.",
			id, thousands(int(size)), thousands(maxShownRecord)) + v.terminal("runs", "show", id),
		Next: "/runs/" + link(id) + "/record", Do: "Download the record"}
}

// loadUpTo reads a run with a record of at most max bytes, if the viewer may see it. If the record
// is larger, it returns ErrLarge and the size.
func (v *view) loadUpTo(id string, max int64) (r *record.Run, size int64, err error) {
	first, size, err := v.c.store.First(id)
	switch {
	case err != nil:
		return nil, 0, err
	case !v.Sees(first.Subject):
		return nil, 0, store.ErrNotFound
	case size > max:
		return nil, size, store.ErrLarge
	}
	if !v.inTurn {
		if err := v.c.reading.Acquire(v.r.Context(), 1); err != nil {
			return nil, 0, err
		}
		defer v.c.reading.Release(1)
	}
	r, err = v.c.store.Load(first.ID)
	if err == nil && !v.Sees(r.Begin.Subject) {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, 0, err
	}
	return r, size, nil
}

// servers returns the servers in the order of their colours: those of the catalog, then others that
// the run uses.
func (v *view) servers(run *present.View) []string {
	out := v.c.servers(v)
	for _, s := range run.Sources {
		for _, p := range s.Places {
			if name := serverOf(p.Tool); !slices.Contains(out, name) && len(out) < 1000 {
				out = append(out, name)
			}
		}
	}
	return out
}

// runView is the data of the page of a run.
type runView struct {
	*present.View
	ID, Title     string
	Code          string // first line of the script, if the run has no other title
	Timeline      *timeline
	Table         *callTable
	Chosen        *shownCall
	Took, Between string
	Open          []openAsk
	Waits         int // number of pending calls
	Unknown       []unknownCall
	States        template.HTML
	Ledger        template.HTML // effect calls that a dry run did not send
	LedgerMore    int           // number of omitted calls
	LedgerAsk     string        // ID of the approval for all effect calls
	Received      template.HTML // the result that the client got
	Decisions     []policy.Decision
	Facts         template.HTML // see present.View.RunFacts
	Effects       toolCounts
	Names         []string // server names, for colours
	Can           can
	CanNot        string // why the script cannot run again
	Whose         string // the token that sent the script, if it is another one
}

type (
	openAsk struct { // pending calls of a tool with the same reason
		*approval.Call
		Args, Row string
		Times     int
	}
	unknownCall struct {
		N     int
		Shown template.HTML
	}
)

// can has the actions that a viewer may take on a run.
type can struct{ Again, Replay, Save, Settle, Close, Resume, Stop bool }

func (c *Console) runPage(v *view, run *present.View) error {
	id := run.Run.Begin.ID
	if v.r.PathValue("id") != id { // a prefix of an ID
		return v.goTo("/runs/" + link(id))
	}
	d, err := v.newRunView(run)
	if err != nil {
		return err
	}
	page := &Page{Title: d.Title + ", run " + id, Nav: "runs", Class: "runpage", Module: "run.js", Data: d}
	if mayChange(run) {
		page.Live = []string{topicRun(id)}
	}
	return v.show("run.html", page)
}

// mayChange reports whether the run may still change.
func mayChange(v *present.View) bool {
	return v.Run.End == nil || v.Status == string(outcome.Waiting) || v.Status == string(outcome.Uncertain) || len(v.Run.Open()) > 0
}

func (v *view) newRunView(run *present.View) (*runView, error) {
	r, b := run.Run, run.Run.Begin
	servers := v.servers(run)
	page, _ := strconv.Atoi(v.r.URL.Query().Get("calls"))
	page = min(max(page, 1), 1+maxTablePages)
	now := time.Now()
	sum := r.Summary()
	d := &runView{View: run, ID: b.ID, Names: servers, Title: titled(sum), Timeline: newTimeline(run, servers, page, now),
		Took: present.Duration(run.Ms)}
	d.Title, d.Code = present.Visible(d.Title, 120, false), titleCode(sum)
	rows := d.Timeline.Layout
	if d.Table = newCallTable(rows, servers, page); d.Table.Last < page {
		d.Table = newCallTable(rows, servers, d.Table.Last)
	}
	if r.End != nil && r.End.Ms > 0 {
		d.Took = present.Duration(r.End.Ms)
	} else if r.End == nil && run.Status == record.Running {
		d.Took = present.Duration(max(run.Ms, float64(now.Sub(b.Time).Milliseconds())-run.Paused)) + " so far"
	}
	if run.Paused > 0 {
		d.Between = present.Duration(run.Paused)
	}
	if n := d.Timeline.Data.Chosen; n > 0 {
		d.Chosen = newShownCall(rows, servers, n)
	}
	d.asks(rows)
	if err := errors.Join(d.unresolved(v), d.received(v)); err != nil {
		return nil, err
	}
	d.Decisions = d.decisions()
	d.actions(v)
	return d, d.describe(v)
}

// maxTablePages limits the page number in a request.
const maxTablePages = record.MaxLines / callsPage

// maxListed limits lists on the page.
const maxListed = 20

func (d *runView) asks(rows *present.Layout) {
	for _, a := range approval.Open(d.Run) {
		if a.IsLedger() {
			d.LedgerAsk = a.ID
			continue
		}
		d.Waits++
		i := slices.IndexFunc(d.Open, func(o openAsk) bool { return o.Tool == a.Tool && o.Why == a.Why })
		switch {
		case i >= 0:
			d.Open[i].Times++
		case len(d.Open) < maxListed:
			d.Open = append(d.Open, openAsk{Call: a, Times: 1,
				Args: shortArgs(d.Run, a.Args, 110), Row: rows.RowOf(a.Path, a.Line())})
		}
	}
}

// unresolved sets the calls whose outcome is unknown, and the effect calls that a dry run did not
// send.
func (d *runView) unresolved(v *view) (err error) {
	for _, u := range outcome.UnresolvedOf(d.Run) {
		if d.Run.Running || len(d.Unknown) >= maxListed {
			break
		}
		shown, err := v.html(outcome.UnresolvedCalls(d.ID, []outcome.Unresolved{u}, 0))
		if err != nil {
			return err
		}
		d.Unknown = append(d.Unknown, unknownCall{u.N, shown})
	}
	if !d.Run.Begin.Dry || d.Run.Live() {
		return nil
	}
	ledger := outcome.Ledger(d.Run)
	d.LedgerMore = max(len(ledger)-maxListed*5, 0)
	d.Ledger, err = v.html(outcome.LedgerCalls(ledger[:len(ledger)-d.LedgerMore]))
	return err
}

// maxRefusal limits the response to a refused script, in bytes.
const maxRefusal = 8 << 10

// received sets the result that the client got.
func (d *runView) received(v *view) (err error) {
	doc := d.View.Received(func(line int) string {
		if row := d.Timeline.RowOf("", line); row != "" {
			return "#" + row
		}
		return ""
	})
	if end := d.Run.End; end != nil && d.Error == nil && end.Status != string(outcome.OK) {
		if res, err := outcome.FromRecord(d.Run); err == nil {
			res.Next = v.next()
			_, refusal, _ := strings.Cut(text.CutBytes(res.Problems(false, false), maxRefusal), "\n") // without the status
			if refusal != "" {
				doc = append(present.Document{&present.Quote{Text: refusal}}, doc...)
			}
		}
	}
	d.Received, err = v.html(doc)
	return err
}

func decisionsOf(r *record.Run) (all []policy.Decision) {
	if r.End != nil {
		_ = json.Unmarshal(r.End.Decisions, &all) // malformed decisions are not shown
	}
	return all
}

// decisions returns the first decision on each tool.
func (d *runView) decisions() (out []policy.Decision) {
	seen := map[string]bool{}
	for _, x := range decisionsOf(d.Run) {
		if !seen[x.Tool] && len(out) < 100 {
			seen[x.Tool], out = true, append(out, x)
		}
	}
	return out
}

// describe sets the facts about the run and remarks about its state.
func (d *runView) describe(v *view) (err error) {
	var t outcome.Timing
	var facts present.Facts
	if end := d.Run.End; end != nil && json.Unmarshal(end.Timing, &t) == nil && t.Total > 0 {
		facts = present.Facts{{Name: "phases", Value: present.Words(present.Plain, fmt.Sprintf("start %.1f · parse %.1f · resolve %.1f · generate %.1f · check %.1f · lower %.1f · run %.0f ms",
			t.Start, t.Parse, t.Resolve, t.Generate, t.Check, t.Lower, t.Run))}}
	}
	if d.Facts, err = v.html(present.Document{append(facts, d.RunFacts(true)...)}); err != nil {
		return err
	}
	var states present.Document
	for _, state := range d.View.States() {
		states = append(states, state)
	}
	d.States, err = v.html(states)
	return err
}

// actions sets the actions for the run, and the effects of running it again.
func (d *runView) actions(v *view) {
	r := d.Run
	for _, m := range r.Calls {
		if l := m.Line(); l.Class != record.Read {
			d.Effects.add(l.Tool)
		}
	}
	d.Effects = d.Effects[:min(len(d.Effects), maxListed)]
	if _, err := scriptOf(r); err != nil {
		d.CanNot = sentence(err)
	} else if d.Can.Again = true; r.Begin.Subject != v.Subject {
		d.Whose = r.Begin.Subject
	}
	neverRan := r.End != nil && outcome.Status(d.Status).ExitCode() == outcome.CompileError.ExitCode()
	refused := d.Status == string(outcome.Denied) && len(r.Calls) == 0
	d.Can.Replay = d.Can.Again && r.End != nil && r.Damaged == nil && !neverRan && !refused
	d.Can.Save = d.Can.Again && !neverRan && v.library() != nil
	if v.Operator && !r.Running && r.Damaged == nil && (r.End == nil || !r.End.Closed) {
		waits := d.Status == string(outcome.Waiting) || d.Status == string(outcome.Uncertain) || d.Status == record.Died
		d.Can.Settle = len(d.Unknown) > 0
		d.Can.Close = waits
		d.Can.Resume = len(d.Unknown) == 0 && len(r.Open()) == 0 && (waits || d.Status == string(outcome.Canceled))
	}
}

// Raw returns the address of the page without a query.
func (d *runView) Raw() string { return "/runs/" + link(d.ID) }

// SaveName returns the proposed name for saving the script, or "".
func (d *runView) SaveName() string {
	if name := d.Run.Begin.Name; library.CheckName(name) == nil {
		return name
	}
	return ""
}

// Panels returns the number of panels side by side below the timeline.
func (d *runView) Panels() int {
	n := 2
	if len(d.Ledger) > 0 {
		n++
	}
	if len(d.Decisions) > 0 {
		n++
	}
	return n
}

// Sent returns the number of sent calls.
func (d *runView) Sent() int { return d.Calls - d.NotSent }

// Counted returns the number of effect calls, or "no effects", and of calls that were not sent.
func (d *runView) Counted() string {
	out := "no effects"
	if n := d.Classes[record.Effect] + d.Classes[record.Idempotent]; n > 0 {
		out = text.Count(n, "effect")
	}
	if d.NotSent > 0 {
		out += ", " + thousands(d.NotSent) + " not sent"
	}
	return out
}
