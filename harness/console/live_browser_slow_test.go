//go:build slow

package console_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// A run appears in an open list, and what waits is counted, without reloading.
func TestARunAppearsInAnOpenList(t *testing.T) {
	w := newDemo(t, "compile")
	b := w.openTab(t, "")
	b.open("/runs")
	b.wait(`document.querySelector("#live") && !document.querySelector("#live").hidden`)
	eval[bool](b, `window.same = true`)
	res, err := w.run("dev", logScript, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.wait(fmt.Sprintf("document.querySelector('a[href^=\"/runs/%s\"]')", res.Run))
	before := b.text("#waiting")
	if _, err = w.run("dev", pushScript, nil); err != nil {
		t.Fatal(err)
	}
	b.wait(fmt.Sprintf("document.querySelector('#waiting').textContent !== %q", before))
	if !eval[bool](b, "window.same === true") {
		t.Error("the page was loaded again")
	}
}

// slowRun is a run whose calls are answered one by one, as a test says.
type slowRun struct {
	t     testing.TB
	w     *world
	id    string
	begin chan struct{} // closed: it may make its first call
	done  chan error
}

// slow begins a run of slowScript in a world of the test's own.
func (w *world) slow(t testing.TB) *slowRun {
	t.Helper()
	w.shop.gate = make(chan struct{})
	r := &slowRun{t, w, "", make(chan struct{}), make(chan error, 1)}
	id := make(chan string, 1)
	go func() {
		_, err := w.run("dev", slowScript, func(s *harness.Script) {
			s.OnProgress = func(p record.Progress) {
				if p.Begin != nil {
					id <- p.Begin.ID
					<-r.begin
				}
			}
		})
		r.done <- err
	}()
	select {
	case r.id = <-id:
	case err := <-r.done:
		t.Fatal("the run ended before it began: ", err)
	}
	return r
}

// answer has the server answer the call that waits.
func (r *slowRun) answer() {
	r.t.Helper()
	select {
	case r.w.shop.gate <- struct{}{}:
	case err := <-r.done:
		r.t.Fatal("the run has ended: ", err)
	}
}

// end has all further calls be answered, and waits for the end of the run.
func (r *slowRun) end() {
	r.t.Helper()
	close(r.w.shop.gate)
	if err := <-r.done; err != nil {
		r.t.Fatal(err)
	}
}

// A page of a run under way grows with it, from before its first call to its end, and
// leaves the focus where it is.
func TestAnOpenRunIsFollowed(t *testing.T) {
	w := emptyDemo(t)
	b := w.openTab(t, "")
	r := w.slow(t)
	b.open("/runs/" + r.id)
	b.wait(`document.querySelector("#detail").hidden && document.querySelector("#r-st").textContent.includes("running")`)
	close(r.begin)
	b.wait(`document.querySelectorAll(".lane a").length === 1`)
	b.waitText("#detail", "shop.ListOrders")
	b.waitText("#detail", "call 1 of 1 · running")
	for i, focus := range []string{"#thr", "#fold", `[data-zoom="+"]`, `.calls a[href="#L2"]`, `.lane a[href="#c2"]`} {
		eval[bool](b, fmt.Sprintf(`(document.querySelector(%q).focus(), window.had = document.activeElement, had.matches(%q))`, focus, focus))
		r.answer()
		b.wait(fmt.Sprintf(`document.querySelectorAll(".lane a").length === %d && document.querySelectorAll(".calls tbody tr").length === %d`, i+2, i+2))
		if !eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q) && document.activeElement !== had`, focus)) {
			t.Errorf("the focus was on %s, and is on %s", focus, eval[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
		}
	}
	b.press(kb.ArrowRight) // and goes on from there
	b.wait(`document.activeElement.getAttribute("href") === "#c3"`)
	b.waitText("#detail", "call 3 of")
	r.end()
	b.wait(`!document.querySelector("main").textContent.includes("running")`)
	b.waitText("main", "Rui Tavares")
	b.wait(`document.querySelectorAll(".lane a").length === 41`)
}

// A run that waits is followed when it goes on, and shows the break.
func TestARunThatGoesOnIsFollowed(t *testing.T) {
	w := emptyDemo(t)
	b := w.openTab(t, "")
	res, err := w.run("dev", pushScript, nil)
	if err != nil || res.Status != outcome.Waiting {
		t.Fatal(res, err)
	}
	b.open("/runs/" + res.Run)
	b.waitText("#notes", "1 call needs approval")
	b.wait(`document.querySelectorAll(".b.ask").length === 1 && !document.querySelector(".brk")`)
	eval[bool](b, `window.same = true`)
	if err := w.approveAll(res, "dev"); err != nil {
		t.Fatal(err)
	}
	b.wait(`document.querySelector("#r-st").textContent.includes("ok") && document.querySelector("#notes").textContent.trim() === ""`)
	b.wait(`document.querySelectorAll(".lane a[href='#c1'] .b.e").length === 1 && document.querySelector(".brk")`)
	b.waitText("#detail", "git.Push")
	b.waitText("#below", "2 began ")
	b.waitText("#below", "the previous attempt ended: waiting")
	if !eval[bool](b, `window.same === true`) {
		t.Error("the page was loaded again")
	}
}

// News do not close a menu or take away what somebody writes; they come when the menu is
// closed and the text is gone.
func TestAnOpenMenuStaysWhileNewsArrive(t *testing.T) {
	w := emptyDemo(t)
	b := w.openTab(t, "")
	r := w.slow(t)
	close(r.begin)
	b.open("/runs/" + r.id)
	b.click(`#acts .menu:has([name=name]) > summary`)
	b.click(`#acts .menu details:has([name=name]) > summary`)
	b.fill("#acts [name=name]", "mine")
	eval[bool](b, `(window.field = document.querySelector("#acts [name=name]"), true)`)
	r.end()
	b.waitText("#r-st", "ok") // the parts beside it are new
	same := `field.isConnected && field.value === "mine" && field.closest("details").open && field.closest(".menu").open && document.activeElement === field`
	if !eval[bool](b, same) || eval[bool](b, `!!document.querySelector("#acts [action$=replay]")`) {
		t.Errorf("the menu is another one: %s", eval[string](b, `document.querySelector("#acts").outerHTML`))
	}
	b.press(kb.Escape)
	b.wait(`!field.closest(".menu").open`)
	b.click(`#acts .menu:has([name=name]) > summary`)
	if got := eval[string](b, `field.value`); got != "mine" {
		t.Errorf("the closed menu lost its text: %q", got)
	}
	eval[bool](b, `(field.select(), true)`)
	b.press(kb.Backspace)
	b.press(kb.Escape)
	b.wait(`document.querySelector("#acts [action$=replay]")`)
}

// A run that has begun since the list was opened grows in it too, before its end.
func TestANewRunIsFollowedInAnOpenList(t *testing.T) {
	w := emptyDemo(t)
	b := w.openTab(t, "")
	b.open("/runs")
	b.wait(`!document.querySelector("#live").hidden`)
	r := w.slow(t)
	close(r.begin)
	for i := range 3 {
		b.wait(fmt.Sprintf(`document.querySelector(".runs tr:has([href$='%s']) td:nth-child(4)")?.textContent.startsWith("%d call")`, r.id, i+1))
		r.answer()
	}
	r.end()
	b.waitText(".runs tbody", "ok")
}

// A page whose viewer was signed out elsewhere says so.
func TestAPageSaysThatItsViewerWasSignedOut(t *testing.T) {
	w := newDemo(t, "log")
	b := w.openTab(t, "")
	b.allowing("401")
	b.open("/")
	b.wait(`document.querySelector("#live")?.textContent === "live"`)
	eval[bool](b, `fetch("/logout", { method: "POST", redirect: "manual" }).then(() => true)`)
	b.wait(`document.querySelector("#live").textContent.startsWith("signed out")`)
}
