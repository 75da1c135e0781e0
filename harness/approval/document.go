package approval

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
)

// Document returns everything that a person needs to decide: the tool, why approval is required,
// all arguments, how other pending calls of the tool differ, a server's question, the calls that
// the run sent before, and the line of the script.
func (c *Call) Document(now time.Time) present.Document {
	return slices.Concat(present.Document{
		&present.Heading{Level: 1, Text: present.Words(present.Strong, c.ID).Add(present.Plain, "  ").Add(present.Warn, c.state(now))},
		c.Facts(now)}, c.Arguments(), c.others(), c.Context(""))
}

// state returns in a few words whether the call can be answered.
func (c *Call) state(now time.Time) string {
	if c.Answer != nil {
		return "answered"
	}
	return present.ExpiresIn(c.Until, now)
}

// Facts returns the facts about the call and its run.
func (c *Call) Facts(now time.Time) present.Facts {
	w := present.Words
	var out present.Facts
	if c.IsLedger() {
		out = present.Facts{{Name: "what", Value: w(present.Plain, "all effect calls of a dry run; if approved, the run resumes and sends exactly these"), Wrap: true},
			{Name: "why", Value: w(present.Plain, c.Why), Wrap: true}}
	} else {
		out = c.pending().Facts()
		out[1].Value = w(present.Plain, present.Class(c.Record, c.Ask))
	}
	if c.Answer != nil {
		out = append(out, present.Fact{Name: "answer", Value: present.AnswerText(c.Answer), Wrap: true})
	}
	run := w(present.Mono, c.Run.ID)
	if name := c.Run.Name; name != "" && name != "-" {
		run = run.Add(present.Plain, ", "+name)
	}
	run = append(run.Add(present.Plain, ", began "), present.TimeText(c.Run.Time)...).Add(present.Plain, ", "+present.Ago(c.Run.Time, now))
	return append(out, present.Fact{Name: "until", Value: present.TimeText(c.Until)}, present.Fact{Name: "run", Value: run, Wrap: true},
		present.Fact{Name: "token", Value: w(present.Strong, c.Run.Subject)}, present.Fact{Name: "session", Value: w(present.Mono, c.Run.Session)})
}

// pending returns the call as it is in the Result of its run, with its line in the full script.
func (c *Call) pending() *outcome.Pending {
	args, _ := c.Record.Value(c.Args)
	p := outcome.PendingCall(c.Run.ID, c.Ask, args)
	p.Script, p.Line = present.Script(c.Record, c.Path), c.Line()
	return &p
}

// Arguments returns all arguments of the call, or of all calls of a dry run, and the question of a
// server.
func (c *Call) Arguments() present.Document {
	if c.IsLedger() {
		return outcome.LedgerCalls(outcome.Ledger(c.Record))
	}
	args, _ := c.Record.Value(c.Args)
	return slices.Concat(present.Args(outcome.ArgsTitle(c.Question), c.Record, c.Args), present.Questions(c.Question),
		present.Origins(args, c.Origins, c.Late))
}

// Table returns a table of calls with shortened arguments.
func Table(calls []*Call, now time.Time) present.Document {
	t := &present.Table{Header: true, Columns: present.Columns("approval", "expires", "tool", "class", "place")}
	w := present.Words
	for _, c := range calls {
		tool, class, at := c.Tool, string(c.Class), c.At()
		if c.IsLedger() {
			tool, class, at = "all calls of a dry run", "", ""
		}
		if name := c.Run.Name; name != "" && name != "-" {
			at = strings.TrimPrefix(at+" of "+name, " of ")
		}
		why := w(present.Plain, c.Why)
		if c.Run.Subject != "" {
			why = why.Add(present.Dim, "; token "+c.Run.Subject)
		}
		row := present.Row{Cells: []present.Text{w(present.Strong, c.ID), w(present.Warn, present.ExpiresIn(c.Until, now)), w(present.Tool, tool),
			w(present.Plain, class), w(present.Plain, at)}, Below: []present.Text{w(present.Mono, present.Short(c.Args, maxShort, false)), why}}
		t.Rows = append(t.Rows, row)
	}
	return present.Document{t}
}

// maxShort limits the arguments in a table, in characters.
const maxShort = 200

// maxOthers limits how many other pending calls are listed.
const maxOthers = 20

// others returns the other pending calls of the tool in the run, with the arguments that
// differ.
func (c *Call) others() present.Document {
	if c.Question != nil || c.IsLedger() {
		return nil
	}
	list := &present.List{Most: maxOthers, Noun: "call"}
	for _, o := range c.Record.Open() {
		if o.Tool == c.Tool && o.Question == nil && o.A != c.A {
			differs := cmp.Or(present.Differing(o.Args, c.Args, 200), "no other value")
			list.Items = append(list.Items, present.Words(present.Strong, record.ApprovalID(c.Run.ID, o.A)).Add(present.Mono, "  "+differs))
		}
	}
	if len(list.Items) == 0 {
		return nil
	}
	return present.Document{&present.Heading{Level: 2, Text: present.Words(present.Plain,
		"other calls of the tool that need approval, and their other values")}, list}
}

// Context returns the line of the script that makes the call, and the calls that the run sent
// before. page is the address of the run's page, for links. If empty, the document has no links.
func (c *Call) Context(page string) present.Document {
	v := present.New(c.Record)
	return append(v.ScriptAround(c.Path, c.Place, page), v.CallsBefore(page)...)
}
