package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
)

func (e *env) approvalsCommand() *cli.Command {
	return &cli.Command{
		Name:  "approvals",
		Usage: "list the calls that need approval, show, approve or reject them",
		Description: `A call that needs approval (the config's "approve", -approve) ends its run: it is
not sent, and no process waits. This command lists such calls, the oldest first:
ID, when it expires, tool, class, place in the script, arguments in short, and why
approval is required. With -json a call is an object on one line:

  {"id", "run", "tool", "class", "args", "why", "line", "script", "path", "until",
   "whole", "question"}

show prints all arguments, the calls that the run has sent before, the line of the
script, and a server's question. yes approves, no rejects; then harness resume, or
-resume at once, resumes the run; with -cluster on a runner of the -pool. The call is
sent once, exactly as shown. Users that can write the folder with the records, or run
programs as its user, can approve; they could also call the tool without the harness.

  harness approvals
  harness approvals show 7f3k.1
  harness approvals yes 7f3k.1 -resume
  harness approvals no 7f3k.2 -word 'not on a Friday'
  harness approvals yes 7f3k               all pending calls of this run

The beginning of an ID is enough if it is unique.`,
		Flags:  append(join.Flags(), recordsFlag()),
		Action: e.approvals,
		Commands: []*cli.Command{
			{Name: "show", Usage: "show a pending call with all its arguments", ArgsUsage: "APPROVAL…",
				Action: e.showApprovals},
			{Name: "yes", Usage: "approve a call: it is sent", ArgsUsage: "APPROVAL…", Flags: append([]cli.Flag{
				&cli.BoolFlag{Name: "whole", Usage: "approve all calls of the tool in this run, if the config allows it"},
				&cli.DurationFlag{Name: "for", Usage: "how long the approval is valid", Value: record.GrantFor, Validator: positive},
			}, answerFlags()...),
				Action: func(ctx context.Context, c *cli.Command) error { return e.answerApprovals(ctx, c, true) }},
			{Name: "no", Usage: "reject a call: it is not sent, and the script gets an error", ArgsUsage: "APPROVAL…", Flags: append([]cli.Flag{
				&cli.StringFlag{Name: "word", Usage: "`TEXT` for the script: why it was rejected, what to do instead"},
			}, answerFlags()...),
				Action: func(ctx context.Context, c *cli.Command) error { return e.answerApprovals(ctx, c, false) }},
		},
	}
}

func answerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "resume", Usage: "resume the runs once all their calls are answered"},
		poolFlag(),
		whoFlag("`NAME` of the person who answers (default: the user of this system)"),
	}
}

func whoFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "who", Usage: usage} }

// userName returns the name of the current user.
func userName() string {
	if u, err := user.Current(); err == nil {
		return cmp.Or(u.Username, u.Uid)
	}
	return cmp.Or(os.Getenv("USER"), os.Getenv("USERNAME"))
}

func (e *env) approvals(ctx context.Context, c *cli.Command) error {
	records, err := e.store(c, nil)
	if err != nil {
		return err
	}
	var all []*approval.Call
	for a, err := range approval.List(ctx, records, nil) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			e.say(c, "%v", err)
			continue
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b *approval.Call) int { return a.Time.Compare(b.Time) })
	switch {
	case c.Bool("json"):
		return printLines(e, all)
	case len(all) > 0:
		return e.show(approval.Table(all, time.Now()))
	case anyRun(ctx, records):
		e.say(c, "no call needs approval")
	default:
		e.say(c, "no call needs approval: %s", noRuns(c))
	}
	return nil
}

// approvalsOf returns the calls that the arguments name: one by its ID, or all pending calls of
// a run.
func (e *env) approvalsOf(ctx context.Context, c *cli.Command) (*store.Store, []*approval.Call, error) {
	records, err := e.store(c, nil)
	if err != nil {
		return nil, nil, err
	}
	var all []*approval.Call
	for _, arg := range c.Args().Slice() {
		var found []*approval.Call
		if strings.Contains(arg, ".") {
			a, err := approval.Load(records, arg)
			if err != nil {
				return nil, nil, e.notFound(ctx, c, records, err, "approvals")
			}
			found = append(found, a)
		} else {
			r, err := e.loadRun(ctx, c, records, arg)
			if err != nil {
				return nil, nil, err
			}
			if found = approval.Open(r); len(found) == 0 {
				return nil, nil, notFound("no call of run %s needs approval; its status is %s", r.Begin.ID, r.Summary().Status)
			}
		}
		for _, a := range found {
			if !slices.ContainsFunc(all, func(b *approval.Call) bool { return b.ID == a.ID }) {
				all = append(all, a)
			}
		}
	}
	return records, all, nil
}

func (e *env) showApprovals(ctx context.Context, c *cli.Command) error {
	_, all, err := e.approvalsOf(ctx, c)
	if err != nil {
		return err
	}
	for i, a := range all {
		if c.Bool("json") {
			if err := e.print(a); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		o := e.display(c)
		doc := a.Document(o.Now)
		if a.Answer == nil {
			doc = append(doc, &present.Heading{Level: 2, Text: present.Words(present.Plain, "to approve or reject it")},
				&present.Command{Line: lines(c)("approvals", "yes", a.ID, "-resume")}, &present.Command{Line: lines(c)("approvals", "no", a.ID, "-resume")})
		}
		if err := doc.Terminal(e.stdout, o); err != nil {
			return err
		}
	}
	return nil
}

// answered is a line that approvals yes and approvals no print with -json.
type answered struct {
	ID    string    `json:"id"`
	Yes   bool      `json:"yes"`
	Who   string    `json:"who"`
	Until time.Time `json:"until,omitzero"`
	Error string    `json:"error,omitempty"` // why the answer was not accepted
}

func (e *env) answerApprovals(ctx context.Context, c *cli.Command, yes bool) error {
	store, all, err := e.approvalsOf(ctx, c)
	if err != nil {
		return err
	}
	if yes {
		for _, a := range all {
			switch {
			case a.Question != nil:
				return usageError{fmt.Sprintf("%s is a question of a server; to answer it at a terminal: %s", a.ID,
					lines(c)("resume", a.Run.ID))}
			case a.Flow && len(all) > 1:
				return usageError{fmt.Sprintf("%s needs approval because of where its values come from; look at it and approve it alone: %s",
					a.ID, lines(c)("approvals", "yes", a.ID))}
			case c.Bool("whole") && !a.AllCalls:
				return usageError{fmt.Sprintf("%s: the config does not allow one approval for all calls of %s in a run: omit -whole",
					a.ID, registry.Quoted(a.Tool))}
			}
		}
	}
	who := cmp.Or(c.String("who"), userName())
	failed := false
	var runs []*record.Run // as they were before the answers
	for _, a := range all {
		answer := &record.Answer{Yes: yes, Who: who, How: "approvals", Word: c.String("word"), AllCalls: yes && c.Bool("whole")}
		if yes {
			answer.Until = time.Now().Add(c.Duration("for"))
		}
		err := store.Answer(a.ID, answer)
		out := answered{ID: a.ID, Yes: yes, Who: who}
		if yes && err == nil {
			out.Until = answer.Until
		}
		if err != nil {
			failed, out.Error = true, err.Error()
		}
		if !slices.ContainsFunc(runs, func(r *record.Run) bool { return r.Begin.ID == a.Run.ID }) {
			runs = append(runs, a.Record)
		}
		if err := e.sayAnswered(c, a, &out, err); err != nil {
			return err
		}
	}
	code, err := e.afterAnswers(ctx, c, store, runs)
	if err == nil && failed {
		code = cmp.Or(code, 1)
	}
	if err == nil && code != 0 {
		err = exit(code)
	}
	return err
}

// sayAnswered prints whether an answer was taken.
func (e *env) sayAnswered(c *cli.Command, a *approval.Call, out *answered, err error) error {
	switch {
	case c.Bool("json"):
		return e.printLine(out)
	case err != nil:
		e.tell(approval.Refused(a, err))
	case out.Yes:
		e.say(c, "%s: approved %s, expires %s", a.ID, what(a),
			out.Until.Local().Format(time.DateTime))
	default:
		e.say(c, "%s: rejected %s", a.ID, what(a))
	}
	return nil
}

// what describes a call in a few words.
func what(a *approval.Call) string {
	if a.IsLedger() {
		return "the calls of the dry run"
	}
	return registry.Quoted(registry.Printable(a.Tool, 200))
}

// afterAnswers prints which runs can be resumed, or resumes them, and returns the exit code.
func (e *env) afterAnswers(ctx context.Context, c *cli.Command, store *store.Store, runs []*record.Run) (code int,
	err error) {
	for _, asked := range runs {
		id := asked.Begin.ID
		r, err := store.Load(id)
		if err != nil {
			return 0, err
		}
		resumed := r.Running || len(r.Attempts) > len(asked.Attempts) // by a server
		switch why, next := approval.Blocked(r); {
		case why != "" && !(resumed && c.Bool("resume")):
			e.say(c, "%s: %s", why, lines(c)(next...))
		case !c.Bool("resume") && r.Begin.Session != "":
			e.say(c, "run %s resumes in its server, unless the server takes answers only in its console; "+
				"if no server runs: %s", id, lines(c)("resume", id))
		case !c.Bool("resume"):
			e.say(c, "run %s can be resumed: %s", id, lines(c)("resume", id))
		default:
			err := e.resumeRun(ctx, c, id, asked)
			var ended exit
			if err != nil && !errors.As(err, &ended) {
				return 0, err
			}
			code = cmp.Or(code, int(ended))
		}
	}
	return code, nil
}
