package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// input is a hidden field or a tick of a form.
var input = regexp.MustCompile(`<input [^>]*name="(ids|all)" value="([^"]*)"([^>]*)>`)

// asked is what the form of a question has: the values of all calls, those that are
// ticked, and in which order.
func asked(page string) (all, ticked []string) {
	for _, m := range input.FindAllStringSubmatch(page, -1) {
		switch value := html.UnescapeString(m[2]); {
		case m[1] == "all":
			all = append(all, value)
		case strings.Contains(m[3], "checked"):
			ticked = append(ticked, value)
		}
	}
	return all, ticked
}

// answers are what was said to what a run asks, by numbers.
func (w *world) answers(t *testing.T, run string) map[string]*record.Answer {
	t.Helper()
	r, err := w.store.Load(run)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*record.Answer{}
	for _, a := range r.Asks {
		if a.Answer != nil {
			out[a.A] = a.Answer
		}
	}
	return out
}

// idOf is the ID of the first approval of a run for a tool.
func (w *world) idOf(t *testing.T, run, tool string) string {
	t.Helper()
	r, err := w.store.Load(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Open() {
		if a.Tool == tool {
			return record.ApprovalID(run, a.A)
		}
	}
	t.Fatalf("run %s does not ask for %s", run, tool)
	return ""
}

// said is whose yes or no each answer is, in words.
func said(answers map[string]*record.Answer) string {
	var all []string
	for _, a := range slices.Sorted(maps.Keys(answers)) {
		all = append(all, a+": "+present.AnswerLine(&record.Answer{Yes: answers[a].Yes, AllCalls: answers[a].AllCalls, Who: answers[a].Who,
			How: answers[a].How, Word: answers[a].Word}, true))
	}
	return strings.Join(all, "\n")
}

// body is what a page has between its head and its foot.
func body(page string) string {
	_, page, _ = strings.Cut(page, "<main")
	return page
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(text, s) {
			t.Errorf("there is no %q in\n%.4000s", s, body(text))
		}
	}
}

func lacks(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, s := range want {
		if strings.Contains(text, s) {
			t.Errorf("there is %q in\n%.4000s", s, body(text))
		}
	}
}

func TestManyCallsAreShownAsOneQuestion(t *testing.T) {
	t.Parallel()
	w := demo(t)
	c := w.signIn(t, "")
	run := w.runs["waiting"]
	page := c.page("/approvals/" + w.idOf(t, run, "mail.send_mail"))
	contains(t, page, "12 calls of <a", "4</b>", "also need approval", "The same in all 12", `&#34;Your order <mark>…</mark>&#34;`,
		"ingrid.vasko@mail.example", "times the median", `href="/runs/`+run+`#L`, "<dt>token</dt><dd><b><bdi>support</bdi></b></dd>",
		"Approve mail.send_mail in this run", `needs approval by the rule &#34;mail.send_mail&#34;`)
	all, ticked := asked(page)
	if len(all) != 12 || len(ticked) == 0 || len(ticked) == 12 {
		t.Errorf("%d calls, %d of them ticked", len(all), len(ticked))
	}
	refunds := c.page("/approvals/" + w.idOf(t, run, "shop.refund_payment"))
	contains(t, refunds, "4 calls of <a", "  &#34;amount&#34;: 148,\n  &#34;order&#34;: 10371,\n  &#34;reason&#34;: &#34;lost&#34;\n}")
	lacks(t, refunds, "shop.refund_payment in this run") // the rule does not allow it
	contains(t, c.page("/approvals"), "18 calls need approval, of 3 runs")
}

func TestTickedCallsAreApproved(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "waiting")
	c := w.signIn(t, "chief")
	run := w.runs["waiting"]
	id := w.idOf(t, run, "mail.send_mail")
	all, ticked := asked(c.page("/approvals/" + id))
	before, made := time.Now(), w.shop.effects.Load()
	_, page := c.post("/approvals", url.Values{"at": {id}, "answer": {"yes"}, "ids": ticked, "all": all})
	contains(t, page, fmt.Sprintf("Approved: %d calls of mail.send_mail. Run %s: %d calls need approval.", len(ticked), run, 16-len(ticked)),
		`<a href="/runs/`+run+`">To the run</a>`)
	got := w.answers(t, run)
	if len(got) != len(ticked) {
		t.Errorf("%d answers, %d calls were ticked", len(got), len(ticked))
	}
	for a, answer := range got {
		until := answer.Until.Sub(before)
		if !answer.Yes || answer.AllCalls || answer.Who != "chief" || answer.How != "console" ||
			until < record.GrantFor-time.Second || until > record.GrantFor+patience {
			t.Errorf("%s: %+v", a, answer)
		}
	}
	rest, _ := asked(c.page("/approvals/" + w.idOf(t, run, "mail.send_mail")))
	if len(rest) != len(all)-len(ticked) {
		t.Errorf("%d calls wait still", len(rest))
	}
	// A no with a word, and a yes to all: then the run goes on by itself.
	_, page = c.post("/approvals", url.Values{"answer": {"no"}, "ids": rest, "word": {"too <much>"}})
	contains(t, page, "Rejected: ", "too &lt;much&gt;")
	all, _ = asked(c.page("/approvals/" + w.idOf(t, run, "shop.refund_payment")))
	_, page = c.post("/approvals", url.Values{"answer": {"all"}, "all": all})
	contains(t, page, "Approved: 4 calls of shop.refund_payment. Run "+run)
	until(t, "the run goes on to its end", func() bool {
		r, err := w.store.Load(run)
		return err == nil && r.End != nil && r.End.Status == string(outcome.OK)
	})
	if n := w.shop.effects.Load() - made; int(n) != 4+len(ticked) {
		t.Errorf("%d effects were made, want %d and 4", n, len(ticked))
	}
}

func TestAYesMayBeForTheToolInTheRun(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "waiting")
	c := w.signIn(t, "")
	run := w.runs["waiting"]
	id := w.idOf(t, run, "mail.send_mail")
	all, _ := asked(c.page("/approvals/" + id))
	_, page := c.post("/approvals", url.Values{"answer": {"whole"}, "all": all})
	contains(t, page, "Approved: 12 calls of mail.send_mail, and all others in this run.")
	for a, answer := range w.answers(t, run) {
		if !answer.Yes || !answer.AllCalls || answer.Who != "operator" {
			t.Errorf("%s: %+v", a, answer)
		}
	}
	// Not where the rule does not allow that.
	all, _ = asked(c.page("/approvals/" + w.idOf(t, run, "shop.refund_payment")))
	status, page := c.post("/approvals", url.Values{"answer": {"whole"}, "all": all})
	if status != http.StatusBadRequest {
		t.Errorf("%d\n%s", status, page)
	}
	contains(t, page, "does not allow one approval for all calls")
	if n := len(w.answers(t, run)); n != 12 {
		t.Errorf("%d answers", n)
	}
}

// What is answered is what was shown, by who may, and once.
func TestAnAnswerIsToWhatWasShown(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "waiting")
	c := w.signIn(t, "ann")
	run := w.runs["waiting"]
	id := w.idOf(t, run, "shop.refund_payment")
	all, _ := asked(c.page("/approvals/" + id))
	first, second := all[0], all[1]
	_, digest, _ := strings.Cut(second, " ")
	firstID, _, _ := strings.Cut(first, " ")
	for _, bad := range []struct {
		form   url.Values
		status int
		want   string
	}{
		{url.Values{"answer": {"yes"}}, 200, "No call was ticked, so none was answered."},
		{url.Values{"answer": {"yes"}, "ids": {firstID}}, 400, "lacks the digest of the call"},
		{url.Values{"answer": {"yes"}, "ids": {firstID + " " + digest}}, 200, "is not the call that was shown"},
		{url.Values{"answer": {"yes"}, "ids": {firstID + " 00"}}, 200, "is not the call that was shown"},
		{url.Values{"answer": {"yes"}, "ids": {run + " " + digest}}, 200, "no longer exists"},
		{url.Values{"answer": {"yes"}, "ids": {run + ".99 " + digest}}, 200, "no longer exists"},
		{url.Values{"answer": {"yes"}, "ids": {"nothing.1 " + digest}}, 200, "no longer exists"},
		{url.Values{"answer": {"yes"}, "ids": {"../../x.1 " + digest}}, 200, "no longer exists"},
		{url.Values{"answer": {"maybe"}, "ids": {first}}, 400, "neither an approval nor a rejection"},
		{url.Values{"answer": {"no"}, "ids": {first}, "word": {strings.Repeat("x", 2000)}}, 400, "at most 1000"},
		{url.Values{"answer": {"yes"}, "ids": slices.Repeat([]string{first}, 101)}, 400, "At most 100"},
	} {
		status, page := c.post("/approvals", bad.form)
		if status != bad.status || !strings.Contains(page, bad.want) {
			t.Errorf("%v: %d, want %d and %q in\n%s", bad.form, status, bad.status, bad.want, page)
		}
	}
	if got := w.answers(t, run); len(got) != 0 {
		t.Fatal(said(got))
	}
	for _, token := range []string{"support", "dev"} { // who sent it, and somebody else
		o := w.signIn(t, token)
		status, page := o.post("/approvals", url.Values{"answer": {"yes"}, "ids": {first}})
		if want := map[string]int{"support": 403, "dev": 200}[token]; status != want {
			t.Errorf("%s: %d\n%s", token, status, page)
		}
		if token == "dev" {
			contains(t, page, "no longer exists")
			if status, _ := o.get("/approvals/" + firstID); status != 404 {
				t.Errorf("dev sees what support asks: %d", status)
			}
			lacks(t, o.page("/approvals"), run)
		}
	}
	if resp, page := c.do("POST", "/approvals", url.Values{"answer": {"yes"}, "ids": {first}}, "Origin",
		"https://evil.example"); resp.StatusCode != 403 {
		t.Errorf("%d\n%s", resp.StatusCode, page)
	}
	if got := w.answers(t, run); len(got) != 0 {
		t.Fatal(said(got))
	}
	// The same tick twice, and somebody who is faster.
	if err := w.store.Answer(firstID, &record.Answer{Who: "bob", How: "terminal", Word: "no <b>way"}); err != nil {
		t.Fatal(err)
	}
	_, page := c.post("/approvals", url.Values{"answer": {"yes"}, "ids": {first, second, second}, "at": {firstID}})
	contains(t, page, firstID+" was already rejected by bob (terminal)", "no &lt;b&gt;way", "Approved: 1 call of shop.refund_payment.",
		"already approved by ann (console)")
	_, number, _ := strings.Cut(firstID, ".")
	secondID, _, _ := strings.Cut(second, " ")
	_, next, _ := strings.Cut(secondID, ".")
	got := w.answers(t, run)
	if len(got) != 2 || got[number].Yes || !got[next].Yes {
		t.Error(said(got))
	}
	contains(t, c.page("/approvals/"+firstID), "Already rejected by bob")
}

func TestWhoMayNotAnswerSeesWhoMay(t *testing.T) {
	w := demo(t)
	page := w.signIn(t, "support").page("/approvals/" + w.idOf(t, w.runs["waiting"], "mail.send_mail"))
	contains(t, page, "You cannot approve the calls of your own scripts.", "ingrid.vasko@mail.example")
	lacks(t, page, `name="answer"`, w.runs["changes"])
	page = w.signIn(t, "nightly").page("/approvals")
	contains(t, page, "No call of your scripts needs approval")
	// ann may answer, and see no more of the run than what is asked.
	ann := w.signIn(t, "ann")
	page = ann.page("/approvals/" + w.idOf(t, w.runs["waiting"], "mail.send_mail"))
	contains(t, page, `name="answer"`)
	lacks(t, page, `href="/runs/`+w.runs["waiting"])
}

// ask records a run that waits with asks.
func (w *world) ask(t *testing.T, subject, script string, asks ...*record.Ask) string {
	t.Helper()
	wr, err := w.store.Begin(&record.Begin{Script: record.String(script), Subject: subject, Session: "s-x", Harness: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range asks {
		if err := wr.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := wr.Add(&record.End{Status: string(record.Waiting)}); err != nil {
		t.Fatal(err)
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
	return wr.ID()
}

func TestWhatCannotBeAnsweredAnyMoreSaysSo(t *testing.T) {
	w := emptyDemo(t)
	c := w.signIn(t, "")
	contains(t, c.page("/approvals"), "No call needs approval")
	args := record.Raw(json.RawMessage(`{"order":1}`))
	late := w.ask(t, "dev", "x", &record.Ask{A: "1", Tool: "shop.refund_payment", Place: "1:1", Args: args,
		Until: time.Now().Add(-time.Second)})
	contains(t, c.page("/approvals/"+late+".1"), "expired without an answer")
	open := w.ask(t, "dev", "x", &record.Ask{A: "1", Tool: "shop.refund_payment", Place: "1:1", Args: args,
		Until: time.Now().Add(time.Hour)})
	all, _ := asked(c.page("/approvals/" + open + ".1"))
	r, a, err := w.store.Asked(late + ".1")
	if err != nil {
		t.Fatal(err)
	}
	_, page := c.post("/approvals", url.Values{"answer": {"yes"}, "ids": {record.ApprovalID(r.Begin.ID, a.A) + " " + a.Digest}})
	contains(t, page, "the answer came too late")
	if err := w.store.Remove(open); err != nil {
		t.Fatal(err)
	}
	_, page = c.post("/approvals", url.Values{"answer": {"yes"}, "ids": all, "at": {open + ".1"}})
	contains(t, page, open+".1 no longer exists")
	if status, _ := c.get("/approvals/" + open + ".1"); status != 404 {
		t.Errorf("a removed run: %d", status)
	}
}

// What is wrong with one of several answers is said before any of them counts.
func TestAFormThatIsNotRightAnswersNothing(t *testing.T) {
	w := emptyDemo(t)
	c := w.signIn(t, "")
	ask := func(a string, whole bool) *record.Ask {
		return &record.Ask{A: a, Tool: "shop.refund_payment", Place: "1:1", Args: record.Raw(json.RawMessage(`{"order":` + a + `}`)),
			AllCalls: whole, Until: time.Now().Add(time.Hour)}
	}
	run := w.ask(t, "dev", "x", ask("1", true), ask("2", true), ask("3", false))
	all, _ := asked(c.page("/approvals/" + run + ".1"))
	for _, form := range []url.Values{
		{"answer": {"whole"}, "all": all},
		{"answer": {"yes"}, "ids": {all[0], all[1], run + ".3"}},
	} {
		if status, page := c.post("/approvals", form); status != http.StatusBadRequest {
			t.Errorf("%d\n%s", status, page)
		}
	}
	if got := w.answers(t, run); len(got) != 0 {
		t.Fatal(said(got))
	}
	// Of each it is said what became of it, of a no with the word as it was typed.
	word := strings.Repeat("nein – zu groß, 価格 😀 ", 40)[:1000]
	word = strings.TrimSpace(strings.ToValidUTF8(word, ""))
	first, _, _ := strings.Cut(all[0], " ")
	_, page := c.post("/approvals", url.Values{"answer": {"no"}, "ids": {first + " 00", all[1], run + ".9 00", all[2]}, "word": {word}})
	contains(t, page, first+" is not the call that was shown", run+".9 no longer exists",
		"Rejected: 2 calls of shop.refund_payment. Run "+run+": 1 call needs approval.")
	got := w.answers(t, run)
	if len(got) != 2 || got["2"].Word != word || got["3"].Word != word {
		t.Error(said(got))
	}
	contains(t, c.page("/approvals/"+run+".1"), "Answered in the last day", word)
}

// Of more calls than are listed the oldest are, and the number is that of all.
func TestTheOldestCallsAreListed(t *testing.T) {
	t.Parallel()
	w := emptyDemo(t)
	begin := time.Now().Add(-time.Hour)
	for run := range 3 {
		var lines []record.Line
		for i := range 400 {
			lines = append(lines, &record.Ask{Head: record.Head{Time: begin.Add(time.Duration(run) * time.Minute)}, A: fmt.Sprint(i + 1),
				Tool: fmt.Sprintf("shop.run%d", run), Place: "1:1", Args: record.Raw(json.RawMessage(`{}`)), Until: time.Now().Add(time.Hour)})
		}
		ended(t, w.store, &record.Begin{Head: record.Head{Time: begin.Add(time.Duration(run) * time.Minute)}, Script: record.String("x"),
			Subject: []string{"dev", "ann", "dev"}[run]}, &record.End{Status: string(record.Waiting)}, lines...)
	}
	page := w.signIn(t, "").page("/approvals")
	contains(t, page, "1,200 calls need approval, of 3 runs; the oldest 1,000 are listed", "<b>×400</b>", "<b>×200</b>")
	if i, j := strings.Index(page, "shop.run0"), strings.Index(page, "shop.run2"); i < 0 || j < i {
		t.Error("the oldest run is not the first")
	}
	page = w.signIn(t, "dev").page("/approvals")
	contains(t, page, "800 calls need approval, of 2 runs</span>")
	lacks(t, page, "shop.run1", "are listed")
}

// A run that ended in the attempt in which it had asked is found, too.
func TestAnswersOfARunWithOneAttemptAreListed(t *testing.T) {
	w := emptyDemo(t)
	wr, err := w.store.Begin(&record.Begin{Script: record.String("x"), Harness: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	if err := wr.Add(&record.Ask{A: "1", Tool: "shop.refund_payment", Place: "1:1", Args: record.Raw(json.RawMessage(`{}`)),
		Until: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if err := wr.Sync(); err != nil {
		t.Fatal(err)
	}
	_, a, err := w.store.Asked(wr.ID() + ".1")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Answer(wr.ID()+".1", &record.Answer{Who: "bob", How: "terminal", Digest: a.Digest}); err != nil {
		t.Fatal(err)
	}
	if err := wr.Add(&record.End{Status: "panic"}); err != nil {
		t.Fatal(err)
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
	contains(t, w.signIn(t, "").page("/approvals"), "Answered in the last day", "rejected by bob (terminal)")
}

// What a script or a server wrote is text, whole, and does not look like anything else.
func TestHostileArgumentsAreShownWhole(t *testing.T) {
	w := emptyDemo(t)
	c := w.signIn(t, "")
	long := strings.Repeat("all of it ", 10_000)
	value, err := json.Marshal(map[string]any{"<script>alert(1)</script>": `"><img src=x onerror=alert(1)>`,
		"name": "\u202egnp.exe\u200b", "long": long + "the end", "combining": "e\u0301"})
	if err != nil {
		t.Fatal(err)
	}
	raw := registry.ReadArgs(value).JSON()
	one := func(a string) *record.Ask {
		return &record.Ask{A: a, Tool: "shop.<b>x</b>", Place: "1:1", Class: "<i>", Args: record.Raw(raw),
			Why: "<u>\u202ewhy", Until: time.Now().Add(time.Hour)}
	}
	run := w.ask(t, "dev</b><script>", "<script>alert(2)</script> \u202e\n", one("1"), one("2"))
	page := c.page("/approvals/" + run + ".1")
	lacks(t, page, "<script>alert", "<img", "<b>x", "<i>", "<u>", "\u202e", "\u200b")
	contains(t, page, `&#34;&lt;script&gt;alert(1)&lt;/script&gt;&#34;: &#34;\&#34;&gt;&lt;img src=x onerror=alert(1)&gt;&#34;`, `\u202egnp.exe\u200b`, "the end",
		"careful:", "is not in Unicode normal form (NFC)")
	if n := strings.Count(page, "the end"); n < 2 {
		t.Errorf("one call of two is shown whole")
	}
	// More than there is room for is looked at by itself, and not ticked.
	huge := record.Raw(json.RawMessage(`{"x":"` + strings.Repeat("y", 300<<10) + `"}`))
	run = w.ask(t, "dev", "x", &record.Ask{A: "1", Tool: "a.b", Place: "1:1", Args: huge, Until: time.Now().Add(time.Hour)},
		&record.Ask{A: "2", Tool: "a.b", Place: "1:1", Args: huge, Until: time.Now().Add(time.Hour)})
	page = c.page("/approvals/" + run + ".1")
	all, _ := asked(page)
	if len(all) != 1 || !strings.Contains(page, `href="/approvals/`+run+`.2?alone=1"`) {
		t.Errorf("%d calls can be answered together", len(all))
	}
	if all, _ = asked(c.page("/approvals/" + run + ".2?alone=1")); len(all) != 1 || !strings.HasPrefix(all[0], run+".2 ") {
		t.Errorf("alone: %q", all)
	}
}

const asksServer = `{"a":{"method":"elicitation/create","params":{"message":"Which <branch>?\u202e","requestedSchema":` +
	`{"type":"object","properties":{"branch":{"type":"string","title":"Branch","minLength":3},"n":{"type":"integer"},` +
	`"force":{"type":"boolean"},"color":{"type":"string","enum":["red","<blue>"]},"tags":{"type":"array",` +
	`"items":{"enum":["x","y, z"]}}},"required":["branch"]}}},` +
	`"b":{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://a.example/?<x>"}}}`

func TestAServersQuestionIsAnsweredByAForm(t *testing.T) {
	w := emptyDemo(t)
	question := func(requests string) (id, value string) {
		run := w.ask(t, "dev", "x", &record.Ask{A: "1", N: 1, Tool: "git.git_push", Place: "1:1", Class: record.Effect,
			Args: record.Raw(json.RawMessage(`{"branch":"x"}`)), Until: time.Now().Add(time.Hour),
			Question: json.RawMessage(requests)})
		_, a, err := w.store.Asked(run + ".1")
		if err != nil {
			t.Fatal(err)
		}
		return run + ".1", run + ".1 " + a.Digest
	}
	id, value := question(asksServer)
	dev := w.signIn(t, "dev") // whose script it is: the question is the script's user's
	page := dev.page("/approvals/" + id)
	contains(t, page, "Which &lt;branch&gt;?", `name="q0/branch"`, `value="&#34;&lt;blue&gt;&#34;"`, `https://a.example/?&lt;x&gt;`, "I completed the page")
	lacks(t, page, "<branch>", `href="https://a.example`, "\u202e")
	// ann may say no to it, and not answer for another one's user.
	ann := w.signIn(t, "ann")
	lacks(t, ann.page("/approvals/"+id), `value="yes"`)
	if status, _ := ann.post("/approvals", url.Values{"answer": {"yes"}, "ids": {value}, "q0/branch": {"main"}, "q1": {"y"}}); status != 403 {
		t.Errorf("ann answers: %d", status)
	}
	form := url.Values{"answer": {"yes"}, "ids": {value}, "q0/branch": {"m\"<"}, "q0/n": {"many"}, "q0/color": {"green"}}
	status, page := dev.post("/approvals", form)
	if status != http.StatusUnprocessableEntity {
		t.Errorf("%d", status)
	}
	contains(t, page, "must be a whole number", "is not an allowed value", `value="m&#34;&lt;"`, "Confirm first that you completed")
	form = url.Values{"answer": {"yes"}, "ids": {value}, "q0/branch": {"ma"}, "q1": {"y"}}
	_, page = dev.post("/approvals", form)
	contains(t, page, "The answer does not fit the question")
	form.Set("q0/branch", "main")
	form.Set("q0/force", "false")
	form["q0/tags"] = []string{`"x"`, `"y, z"`}
	_, page = dev.post("/approvals", form)
	contains(t, page, "Approved: 1 call of git.git_push")
	got := w.answers(t, strings.TrimSuffix(id, ".1"))["1"]
	want := `{"a":{"action":"accept","content":{"branch":"main","force":false,"tags":["x","y, z"]}},"b":{"action":"accept"}}`
	if diff := cmp.Diff(want, string(got.Input)); diff != "" {
		t.Error(diff)
	}
	// A no declines all; what is not understood can be declined, too.
	for _, requests := range []string{asksServer, `{"a":{"method":"sampling/createMessage"}}`} {
		id, value = question(requests)
		_, page = ann.post("/approvals", url.Values{"answer": {"no"}, "ids": {value}, "word": {"no"}})
		contains(t, page, "Rejected: 1 call of git.git_push")
		if got := w.answers(t, strings.TrimSuffix(id, ".1"))["1"]; got.Yes || strings.Contains(string(got.Input), "accept") {
			t.Errorf("%+v", got)
		}
	}
	id, _ = question(`{"a":{"method":"sampling/createMessage"}}`)
	page = dev.page("/approvals/" + id)
	contains(t, page, "The question cannot be answered here")
	lacks(t, page, `value="yes"`)
}

func TestTheCallsOfADryRunAreOneQuestion(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "late", "dry")
	c := w.signIn(t, "")
	run := w.runs["dry"]
	page := c.page("/approvals/" + run + "." + record.Ledger)
	contains(t, page, "calls of a dry run", "tickets.create_ticket", "Approve all these calls", `<span class="tool ">a dry run</span>`)
	all, _ := asked(page)
	if len(all) != 1 {
		t.Fatalf("%q", all)
	}
	before := w.shop.effects.Load()
	_, page = c.post("/approvals", url.Values{"answer": {"yes"}, "ids": all})
	contains(t, page, "Approved: all calls of the dry run. Run "+run+" resumes.")
	until(t, "the run is made", func() bool {
		r, err := w.store.Load(run)
		return err == nil && len(r.Attempts) > 0 && r.End != nil && !r.Running
	})
	if n := w.shop.effects.Load() - before; n != 4 {
		t.Errorf("%d effects, want the 4 of the ledger", n)
	}
	lacks(t, c.page("/editor?run="+run), "nothing was changed")
	contains(t, c.page("/runs/"+run), "resumed dry run")
	until(t, "the list of runs says so", func() bool { return strings.Contains(c.page("/runs"), "dry run, approved") })
}

// What is answered by another process is told to open pages, too.
func TestAnAnswerByAnotherProcessIsTold(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "changes")
	id := w.idOf(t, w.runs["changes"], "git.git_push")
	c := w.signIn(t, "")
	until(t, "what waits is counted", func() bool { return strings.Contains(c.page("/"), `class="count"`) })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, said, _ := c.stream(ctx, "approvals")
	next := func() {
		for line := range said {
			if line == "data: approvals" {
				return
			}
		}
		t.Fatal("nothing was told")
	}
	next() // of what may have happened before
	_, a, err := w.store.Asked(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Answer(id, &record.Answer{Who: "ann", How: "command line", Digest: a.Digest}); err != nil {
		t.Fatal(err)
	}
	next()
}
