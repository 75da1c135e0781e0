//go:build slow

package console_test

import (
	"strings"
	"testing"
)

// A yes by keys needs the focus on the question; a no asks for its word first. What
// changed meanwhile is said, and does not move under the pointer.
func TestCallsAreAnsweredByKeys(t *testing.T) {
	w := newDemo(t, "waiting")
	run := w.runs["waiting"]
	id := w.idOf(t, run, "mail.send_mail")
	b := w.openTab(t, "")
	b.open("/approvals/" + id)
	b.accessible("many calls")
	for _, width := range []int64{360, 1440} {
		b.size(width, 900)
		b.fits("many calls")
	}
	if got := b.text("#yes"); !strings.HasPrefix(got, "Approve these 11 of 12") {
		t.Errorf("the button says %q", got)
	}
	b.press("y") // the focus is not on the question
	if n := len(w.answers(t, run)); n != 0 {
		t.Fatalf("%d answers by one key", n)
	}
	b.press("j")
	b.press("x")
	if got := b.text("#yes"); !strings.HasPrefix(got, "Approve these 10 of 12") {
		t.Errorf("the button says %q", got)
	}
	b.key("n")
	b.wait(`document.activeElement.id === "word"`)
	b.press("yes, no, y\r")
	b.wait(`document.querySelector(".said.ok")`)
	if got := b.text(".said.ok"); !strings.HasPrefix(got, "Rejected: 10 calls of mail.send_mail.") {
		t.Errorf("%q", got)
	}
	for a, answer := range w.answers(t, run) {
		if answer.Yes || answer.Word != "yes, no, y" {
			t.Errorf("%s: %+v", a, answer)
		}
	}
	b.press("y")
	b.press("y")
	b.wait(`document.querySelector(".said.ok")?.textContent.startsWith("Approved:")`)
}

// The first question comes to a page that had none, and can be answered there. Keys do
// nothing where they are turned off.
func TestTheFirstQuestionComesToAnOpenPage(t *testing.T) {
	w := newDemo(t, "log")
	b := w.openTab(t, "")
	b.open("/approvals")
	b.wait(`document.querySelector("#live") && !document.querySelector("#live").hidden`)
	if _, err := w.run("dev", pushScript, nil); err != nil {
		t.Fatal(err)
	}
	b.wait(`document.querySelector("#yes") && !document.querySelector("#keys").hidden`)
	b.key("n")
	b.wait(`document.activeElement.id === "word"`)
	b.open("/runs")
	b.press("/")
	b.wait(`document.activeElement.type === "search"`)
	eval[bool](b, `(localStorage.setItem("usetools_keys", "off"), true)`)
	b.open("/runs")
	b.press("/")
	if eval[bool](b, `document.activeElement.type === "search"`) {
		t.Error("a key that was turned off did something")
	}
}

// Somebody else answers while the page is open: it says so, and stays as it is.
func TestAnAnswerOfSomebodyElseIsTold(t *testing.T) {
	w := newDemo(t, "changes")
	id := w.idOf(t, w.runs["changes"], "git.git_push")
	b := w.openTab(t, "")
	b.open("/approvals/" + id)
	all, _ := asked(w.signIn(t, "ann").page("/approvals/" + id))
	w.signIn(t, "ann").post("/approvals", map[string][]string{"answer": {"no"}, "ids": all})
	b.wait(`document.querySelector("#changed") && !document.querySelector("#changed").hidden`)
	b.click("#no")
	b.wait(`document.querySelector(".said.bad")`)
	if got := b.text(".said.bad"); !strings.Contains(got, "already rejected by ann (console)") {
		t.Errorf("%q", got)
	}
}
