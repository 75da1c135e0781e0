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
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/text"
)

const (
	maxWord     = 1000 // characters of a reason
	maxReported = 5    // failures that are reported
)

// answer handles the form that approves or rejects calls of one run. It checks all calls before
// it answers the first: if the form is wrong for one of them, none is answered.
func (v *view) answer() error {
	form := v.r.PostForm
	values, word := form["ids"], strings.TrimSpace(form.Get("word"))
	how := form.Get("answer")
	if how == "all" || how == "whole" {
		values = form["all"]
	}
	switch {
	case how != "yes" && how != "all" && how != "whole" && how != "no":
		return badRequest("The answer is neither an approval nor a rejection.")
	case utf8.RuneCountInString(word) > maxWord:
		return badRequest(fmt.Sprintf("The reason has %d characters; at most %d are allowed.", utf8.RuneCountInString(word), maxWord))
	case len(values) > maxRows:
		return badRequest(fmt.Sprintf("At most %d calls are answered at a time.", maxRows))
	case len(values) == 0:
		v.say("wait", "No call was ticked, so none was answered.")
		return v.goTo(back(form.Get("at")))
	}
	if err := v.turn(); err != nil {
		return err
	}
	a := &answering{v: v, how: how, word: word}
	if err := a.load(values[0]); err != nil {
		return err
	}
	for _, value := range values {
		call, bad, err := a.read(value)
		switch {
		case err != nil:
			return err
		case bad != nil:
			return v.approvals(call.ID, bad)
		}
	}
	for i, call := range a.calls {
		a.send(call, a.answers[i])
	}
	return v.goTo(a.end(form.Get("at")))
}

// back returns the path of the approval, or of the list if id is empty.
func back(id string) string {
	if id == "" {
		return "/approvals"
	}
	return "/approvals/" + url.PathEscape(id)
}

// answering is the state of handling one form.
type answering struct {
	v         *view
	how, word string
	run       *record.Run // nil if it no longer exists
	calls     []*approval.Call
	answers   []*record.Answer // to the calls, by index
	done      []*approval.Call // the calls that were answered
	failed    []string         // sentences that say why other calls were not answered
}

// load reads the run of a call.
func (a *answering) load(value string) error {
	id, _, _ := strings.Cut(value, " ")
	if err := a.v.fits(id); err != nil {
		return err
	}
	of, _, _ := strings.Cut(id, ".")
	run, err := a.v.c.store.Load(of)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrAmbiguous):
		return nil
	case err == nil && run.Begin.ID == of && a.v.mayLook(run.Begin.Subject):
		a.run = run
	}
	return err
}

// read adds the answer to a call, by its ID and the digest of its displayed form. It returns nil
// for a call that no longer exists. bad is a form that does not fit a server's question.
func (a *answering) read(value string) (call *approval.Call, bad []formQuestion, err error) {
	v := a.v
	id, digest, ok := strings.Cut(value, " ")
	if !ok || digest == "" {
		return nil, nil, badRequest("The form lacks the digest of the call.")
	}
	if call = a.call(id); call == nil {
		a.fail("%s no longer exists: its record was removed, or you do not have access.", text.FirstBytes(id, 100))
		return nil, nil, nil
	}
	answer := &record.Answer{Yes: a.how != "no", Who: v.Name, How: "console", Digest: digest}
	yes, no := v.mayAnswer(call)
	if !answer.Yes {
		if answer.Word = a.word; !no {
			return nil, nil, forbidden(whoMay(call))
		}
	} else {
		answer.Until, answer.AllCalls = time.Now().Add(record.GrantFor), a.how == "whole"
		switch {
		case !yes:
			return nil, nil, forbidden(whoMay(call))
		case call.Question != nil:
			if answer.Input, bad, err = fill(call.Question, v.r.PostForm); err != nil || bad != nil {
				return call, bad, err
			}
		case answer.AllCalls && !call.AllCalls:
			return nil, nil, badRequest("The config does not allow one approval for all calls of this tool in a run.")
		}
	}
	a.calls, a.answers = append(a.calls, call), append(a.answers, answer)
	return call, nil, nil
}

// call returns the call of the run with this ID, or nil.
func (a *answering) call(id string) *approval.Call {
	if a.run != nil {
		for _, x := range a.run.Asks {
			if record.ApprovalID(a.run.Begin.ID, x.A) == id {
				return approval.New(a.run, x)
			}
		}
	}
	return nil
}

// send saves one answer, or adds a sentence that says why it failed.
func (a *answering) send(call *approval.Call, answer *record.Answer) {
	if err := a.v.c.store.Answer(call.ID, answer); err != nil {
		a.fail("%s.", approval.Refused(call, err))
		return
	}
	a.done = append(a.done, call)
}

// fail adds a sentence that says why a call was not answered.
func (a *answering) fail(format string, args ...any) {
	a.failed = append(a.failed, fmt.Sprintf(format, args...))
}

// whoMay returns who may answer a call that the viewer may not answer.
func whoMay(a *approval.Call) string {
	if a.Question != nil {
		return "Only the client that sent the script and the operator can answer a server's question during a call."
	}
	return "You cannot approve the calls of your own scripts. The operator can, or another token that may approve."
}

// end reports the answers and what happens next, and returns the path of the next page.
func (a *answering) end(at string) string {
	v := a.v
	for _, text := range a.failed[:min(len(a.failed), maxReported)] {
		v.say("bad", "%s", text)
	}
	if more := len(a.failed) - maxReported; more > 0 {
		v.say("bad", "%s not answered.", plural(more, "more call was", "more calls were"))
	}
	v.c.Changed(topicApprovals, topicRuns)
	if len(a.calls) == 0 {
		return "/approvals"
	}
	id := a.run.Begin.ID
	v.c.Changed(topicRun(id))
	run, err := v.c.store.Load(id)
	if err != nil {
		v.notify(notice{Kind: "wait", Text: a.summary() + "Run " + id + " cannot be read now."})
		return "/approvals"
	}
	n := notice{Kind: "wait", Text: a.summary() + whatNext(run, v.c.host.ResumeWhenAnswered(id), v.terminal("resume", id))}
	if len(a.done) > 0 {
		n.Kind = "ok"
	}
	if v.Sees(run.Begin.Subject) {
		n.Next, n.Do = "/runs/"+id, "To the run"
	}
	v.notify(n)
	if slices.ContainsFunc(approval.Open(run), func(c *approval.Call) bool { return c.ID == at }) { // some calls are still pending
		return back(at)
	}
	return "/approvals"
}

// summary returns a sentence about the answered calls, or "" without such calls.
func (a *answering) summary() string {
	if len(a.done) == 0 {
		return ""
	}
	last := a.done[len(a.done)-1]
	calls := fmt.Sprintf("%s of %s", count(len(a.done), "call"), oneLine(text.FirstBytes(last.Tool, 200)))
	switch {
	case last.IsLedger():
		calls = "all calls of the dry run"
	case a.how == "whole":
		calls += ", and all others in this run"
	}
	if a.how == "no" {
		return "Rejected: " + calls + ". "
	}
	return "Approved: " + calls + ". "
}

// whatNext returns a sentence about the run's next step after an answer. here reports whether this
// server resumes it; terminal is the command that resumes it otherwise.
func whatNext(run *record.Run, here bool, terminal string) string {
	id := run.Begin.ID
	if why, _ := approval.Blocked(run); why != "" {
		return capital(why) + "."
	}
	if !here {
		return fmt.Sprintf("Run %s can be resumed by the server with its token.%s", id, terminal)
	}
	return fmt.Sprintf("Run %s resumes.", id)
}
