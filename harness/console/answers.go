package console

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/text"
)

const (
	maxWord = 1000 // characters
	maxTold = 5    // sentences of what went wrong
)

// answer takes a yes or a no to what was shown. All calls are looked at before one is
// answered: where the form is not right for one of them, none is.
func (v *view) answer() error {
	form := v.r.PostForm
	values, word := form["ids"], strings.TrimSpace(form.Get("word"))
	how := form.Get("answer")
	if how == "all" || how == "whole" {
		values = form["all"]
	}
	switch {
	case how != "yes" && how != "all" && how != "whole" && how != "no":
		return badRequest("The answer is neither yes nor no.")
	case utf8.RuneCountInString(word) > maxWord:
		return badRequest(fmt.Sprintf("The word has %d characters, at most %d are passed on.", utf8.RuneCountInString(word), maxWord))
	case len(values) > maxRows:
		return badRequest(fmt.Sprintf("At most %d calls are answered at a time.", maxRows))
	case len(values) == 0:
		v.say("wait", "Nothing was ticked, and nothing was answered.")
		return v.goTo(back(form.Get("at")))
	}
	if err := v.turn(); err != nil {
		return err
	}
	a := &answering{v: v, how: how, word: word}
	var all []*reply
	for _, value := range values {
		r, bad, err := a.read(value)
		switch {
		case err != nil:
			return err
		case bad != nil:
			return v.approvals(r.call.ID, bad)
		case r != nil:
			all = append(all, r)
		}
	}
	for _, r := range all {
		a.send(r)
	}
	return v.goTo(a.end(form.Get("at")))
}

// back is the page of an approval, of all where it has no ID.
func back(id string) string {
	if id == "" {
		return "/approvals"
	}
	return "/approvals/" + url.PathEscape(id)
}

// answering is what a form comes to.
type answering struct {
	v         *view
	how, word string
	runs      []*answeredRun
	last      *record.Run // the one that was read last; calls of a run stand together
	failed    []string    // sentences: what became of calls that were not answered
}

// answeredRun are the calls of a run that a form is for.
type answeredRun struct {
	id     string
	tool   string // of those that were answered
	done   int
	ledger bool
}

// reply is the answer to one call.
type reply struct {
	call   *approval.Call
	run    *answeredRun
	answer *record.Answer
}

// read returns the reply to a call, by its ID and the digest of what was shown, or nil if the
// call is gone. bad is a form that does not fit what a server asks.
func (a *answering) read(value string) (r *reply, bad *filledForm, err error) {
	v := a.v
	id, digest, ok := strings.Cut(value, " ")
	if !ok || digest == "" {
		return nil, nil, badRequest("The form does not say what was shown.")
	}
	call, err := a.call(id)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAmbiguous) {
		a.fail("%s is not there any more: its record was removed, or it is not yours.", text.FirstBytes(id, 100))
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	said := &record.Answer{Who: v.Name, How: "console", Digest: digest}
	r = &reply{call: call, answer: said}
	yes, no := v.mayAnswer(call)
	if a.how == "no" {
		if said.Word = a.word; !no {
			return nil, nil, forbidden(whoMay(call))
		}
	} else {
		said.Until, said.Whole = time.Now().Add(record.GrantFor), a.how == "whole"
		switch {
		case !yes:
			return nil, nil, forbidden(whoMay(call))
		case call.Question != nil:
			if said.Input, bad, err = fill(call.Question, v.r.PostForm); err != nil || bad != nil {
				return r, bad, err
			}
		case said.Whole && !call.Whole:
			return nil, nil, badRequest("The config does not allow a yes to all calls of this tool in a run.")
		}
	}
	i := slices.IndexFunc(a.runs, func(x *answeredRun) bool { return x.id == call.Run.ID })
	if i < 0 {
		i = len(a.runs)
		a.runs = append(a.runs, &answeredRun{id: call.Run.ID})
	}
	r.run = a.runs[i]
	return r, nil, nil
}

// call returns the call of an ID. Its run is read once for all its calls.
func (a *answering) call(id string) (*approval.Call, error) {
	of, name, _ := strings.Cut(id, ".")
	if a.last == nil || a.last.Begin.ID != of {
		if err := a.v.fits(id); err != nil {
			return nil, err
		}
		run, err := a.v.c.store.Load(of)
		if err != nil {
			return nil, err
		}
		a.last = run
	}
	i := slices.IndexFunc(a.last.Asks, func(x *record.Asked) bool { return x.A == name })
	if i < 0 || a.last.Begin.ID != of || !a.v.mayLook(a.last.Begin.Subject) {
		return nil, store.ErrNotFound
	}
	return approval.New(a.last, a.last.Asks[i]), nil
}

// send keeps one answer. If the call was answered before, or is gone, a sentence says so.
func (a *answering) send(r *reply) {
	keep, id := r.call.Approve, r.call.ID
	if a.how == "no" {
		keep = r.call.Reject
	}
	err := keep(a.v.c.store, r.answer)
	var before *store.AnsweredError
	switch {
	case err == nil:
		r.run.done++
		r.run.tool, r.run.ledger = r.call.Tool, r.call.IsLedger()
	case errors.As(err, &before):
		a.fail("%s: somebody was first: %s.", id, show.Said(before.Answer, false))
	case errors.Is(err, store.ErrExpired):
		a.fail("%s could be answered until %s; the answer came too late.", id, day(r.call.Until, time.Now()))
	case errors.Is(err, store.ErrEnded):
		a.fail("%s: its run has ended; nothing of it is sent any more.", id)
	case errors.Is(err, store.ErrOtherAsk):
		a.fail("%s: what is asked now is not what was shown, and nothing was answered. Look at it again.", id)
	case errors.Is(err, store.ErrNotFound):
		a.fail("%s is not there any more: its record was removed.", id)
	default:
		a.fail("%s was not answered: %s", id, whole(text.FirstBytes(err.Error(), 500)))
	}
}

// fail says why one of the calls was not answered.
func (a *answering) fail(format string, args ...any) {
	a.failed = append(a.failed, fmt.Sprintf(format, args...))
}

// whoMay says who can answer what a viewer cannot.
func whoMay(a *approval.Call) string {
	if a.Question != nil {
		return "A server's question in the middle of a call is answered by who sent the script, or by the operator."
	}
	return "Nobody says yes to what their own scripts ask. The operator can, or the holder of another token that the " +
		"config lets approve."
}

// end says what was answered and what happens next, and returns where to go on.
func (a *answering) end(at string) string {
	v := a.v
	for _, text := range a.failed[:min(len(a.failed), maxTold)] {
		v.say("bad", "%s", text)
	}
	if more := len(a.failed) - maxTold; more > 0 {
		v.say("bad", "%s not answered.", plural(more, "more call was", "more calls were"))
	}
	v.c.Changed(topicApprovals, topicRuns)
	next := "/approvals"
	for _, x := range a.runs {
		v.c.Changed(topicRun(x.id))
		run, err := v.c.store.Load(x.id)
		if err != nil {
			v.tell(notice{Kind: "wait", Text: a.said(x) + "Run " + x.id + " cannot be read now."})
			continue
		}
		n := notice{Kind: "wait", Text: a.said(x) + whatNext(run, v.c.host.Goes(x.id), v.terminal("resume", x.id))}
		if x.done > 0 {
			n.Kind = "ok"
		}
		if v.Sees(run.Begin.Subject) {
			n.Next, n.Do = "/runs/"+x.id, "To the run"
		}
		v.tell(n)
		if slices.ContainsFunc(approval.Open(run), func(c *approval.Call) bool { return c.ID == at }) { // a part was answered
			next = back(at)
		}
	}
	return next
}

// said is what was answered of a run; "": nothing.
func (a *answering) said(x *answeredRun) string {
	calls := fmt.Sprintf("%s of %s", count(x.done, "call"), whole(text.FirstBytes(x.tool, 200)))
	switch {
	case x.done == 0:
		return ""
	case x.ledger:
		calls = "all calls of the dry run"
	case a.how == "whole":
		calls += ", and to all others in this run"
	}
	if a.how == "no" {
		return "No to " + calls + ". "
	}
	return "Yes to " + calls + ". "
}

// whatNext says what a run does after an answer. here reports whether this server
// resumes it; terminal says how to resume it otherwise.
func whatNext(run *record.Run, here bool, terminal string) string {
	id := run.Begin.ID
	switch open, lost := len(approval.Open(run)), run.Unknown(); {
	case run.Running:
		return fmt.Sprintf("Run %s is under way.", id)
	case open > 0:
		return fmt.Sprintf("Run %s still waits for answers to %s.", id, count(open, "call"))
	case len(lost) > 0:
		return fmt.Sprintf("Run %s is uncertain: the outcome of call %d is unknown.", id, lost[0].N)
	case run.End != nil && (!run.Begin.Dry || run.Live()) && run.End.Status != string(record.Waiting):
		return fmt.Sprintf("Run %s has ended: %s.", id, run.End.Status)
	case !here:
		return fmt.Sprintf("Run %s can be resumed by the server that has its token.%s", id, terminal)
	}
	return fmt.Sprintf("Run %s goes on.", id)
}
