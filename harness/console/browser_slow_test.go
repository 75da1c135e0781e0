//go:build slow

package console_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/outcome"
)

// Every page is painted without a word in the console, in light and dark, and none is
// wider than a small window. With -screenshots DIR there are pictures of all.
func TestEveryPageFitsEveryWindow(t *testing.T) {
	w := demo(t)
	b := w.openTab(t, "")
	for _, p := range w.places(t) {
		b.open(p.path)
		if status := eval[int](b, `performance.getEntriesByType("navigation")[0].responseStatus`); status != 200 {
			t.Errorf("%s: status %d", p.path, status)
			continue
		}
		for _, size := range []struct {
			name          string
			width, height int64
		}{{"360", 360, 740}, {"760", 760, 1000}, {"1440", 1440, 1000}, {"4k", 3840, 2160}} {
			b.size(size.width, size.height)
			b.fits(p.name + " at " + size.name)
			if *screenshots == "" {
				continue
			}
			for _, scheme := range []string{"light", "dark"} {
				b.like("prefers-color-scheme", scheme)
				b.picture(fmt.Sprintf("%s-%s-%s", p.name, size.name, scheme), size.name == "360")
			}
		}
	}
}

// axe finds nothing, in light, in dark and in a small window.
func TestEveryPageIsAccessible(t *testing.T) {
	w := demo(t)
	b := w.openTab(t, "")
	for _, p := range w.places(t) {
		b.open(p.path)
		b.accessible(p.name + ", light")
		b.like("prefers-color-scheme", "dark")
		b.accessible(p.name + ", dark")
		b.like()
		b.size(360, 740)
		b.accessible(p.name + ", 360 px")
		b.size(1440, 1000)
	}
	door := w.newTab(t)
	door.allowing("401")
	door.open("/")
	door.accessible("the door")
}

// The theme is the system's until somebody chooses one, which then holds for all pages.
func TestTheThemeIsChosen(t *testing.T) {
	b := demo(t).openTab(t, "")
	ground := func() string { return eval[string](b, "getComputedStyle(document.body).backgroundColor") }
	light := ground()
	b.like("prefers-color-scheme", "dark")
	dark := ground()
	if light == dark {
		t.Fatalf("dark is %s, as light", dark)
	}
	b.click("#theme") // light
	b.wait(`document.documentElement.dataset.theme === "light"`)
	if got := ground(); got != light {
		t.Errorf("light is %s, want %s", got, light)
	}
	b.wait(`(fetch("/").then((r) => r.text()).then((s) => { window.themed = s.includes('data-theme="light"') }), window.themed)`)
	b.open("/runs")
	if got := ground(); got != light {
		t.Errorf("another page is %s, want %s", got, light)
	}
	b.like()
	b.click("#theme") // dark
	b.wait(`document.documentElement.dataset.theme === "dark"`)
	if got := ground(); got != dark {
		t.Errorf("dark is %s, want %s", got, dark)
	}
}

// A call that waits is answered by a button; the run goes on, and the page says so.
func TestACallIsApprovedInTheBrowser(t *testing.T) {
	w := emptyDemo(t)
	res, err := w.run("dev", pushScript, nil)
	if err != nil || res.Status != outcome.Waiting {
		t.Fatal(res, err)
	}
	b := w.openTab(t, "ann")
	b.open("/approvals")
	b.waitText("#ask", "git.git_push")
	b.waitText("#ask", `"branch": "main"`)
	b.click("#ask button[name=answer][value=yes]")
	until(t, "the run goes on", func() bool {
		run, err := w.store.Load(res.Run)
		return err == nil && run.End != nil && run.End.Status == "ok"
	})
	b.waitText(".said", "Approved: 1 call of git.git_push")
	b.wait(`!document.querySelector("#ask")`)
	if n := w.shop.effects.Load(); n != 1 {
		t.Errorf("%d effects", n)
	}
	run, err := w.store.Load(res.Run)
	if err != nil || len(run.Asks) != 1 || run.Asks[0].Answer == nil || run.Asks[0].Answer.Who != "ann" {
		t.Errorf("%+v %v", run.Asks, err)
	}
}

// Twelve calls that are alike are one table; what stands out is not ticked, and stays
// when the others are answered with no and a word.
func TestCallsAlikeAreAnsweredTogether(t *testing.T) {
	w := emptyDemo(t)
	res, err := w.run("support", refundScript, nil)
	if err != nil || res.Status != outcome.Waiting {
		t.Fatal(res, err)
	}
	b := w.openTab(t, "")
	b.open("/approvals")
	b.open(eval[string](b, `[...document.querySelectorAll('#inbox a[href^="/approvals/"]')]
		.find((a) => a.textContent.includes("mail.send_mail")).getAttribute("href")`))
	b.wait(`document.querySelectorAll("#ask table.diff tbody tr").length === 12`)
	b.waitText("#ask", "Hana Kobayashi")
	b.fill("#ask input[name=word]", "not before Monday")
	b.click("#ask button[name=answer][value=no]")
	ticked := 0
	until(t, "the calls are answered", func() bool {
		run, err := w.store.Load(res.Run)
		if err != nil {
			return false
		}
		ticked = 0
		for _, a := range run.Asks {
			if a.Answer != nil && !a.Answer.Yes && a.Answer.Word == "not before Monday" {
				ticked++
			}
		}
		return ticked >= 10
	})
	if ticked > 12 || w.shop.effects.Load() != 0 {
		t.Errorf("%d calls are answered, %d effects", ticked, w.shop.effects.Load())
	}
}

// The search answers while one types, and shows what each of its parts says.
func TestTheSearchSaysWhy(t *testing.T) {
	b := demo(t).openTab(t, "")
	b.open("/tools")
	b.key("/")
	b.wait(`document.activeElement.matches("input[type=search]")`)
	b.press("who changed each line of a file")
	b.waitText("main", "means")
	b.wait(`document.querySelector("table.whyt tr.on")?.textContent.includes("git.Blame")`)
	b.click("details.feats summary")
	b.wait(`document.querySelectorAll("table.scoret tbody tr:first-child td").length >= 4`)
	b.wait(`document.querySelectorAll("table.whyt tbody tr").length > 1`)
	b.wait(`location.search.includes("changed")`)
}

// The page of a run with 1,000 calls shows each of them, and keys go from one to the
// next.
func TestAThousandCallsAreShown(t *testing.T) {
	w := demo(t)
	b := w.openTab(t, "")
	b.open("/runs/" + w.runs["thousand"])
	b.waitText("main", "×992") // at the line that most of them are of
	b.open("/runs/" + w.runs["thousand"] + "#c500")
	b.waitText("main", "call 500 of 1,000")
	next := eval[int](b, `(() => { // in time, which is not the order of the numbers where several go out at once
		const calls = JSON.parse(document.getElementById("data").textContent).calls;
		return calls[calls.findIndex(([n]) => n === 500) + 1][0];
	})()`)
	b.press(kb.ArrowRight)
	b.waitText("main", fmt.Sprintf("call %d of 1,000", next))
	b.press(kb.ArrowLeft)
	b.waitText("main", "call 500 of 1,000")

	// Bars are one path; a pointer finds the call all the same: the longest of those in
	// the window, at whatever zoom the choice of call 500 has left.
	at := eval[struct{ N, X, Y float64 }](b, `(() => {
		const data = JSON.parse(document.getElementById("data").textContent), end = data.segs.at(-1)[1];
		const most = data.calls.find(([n]) => n === 500)[1]; // the row of the 992
		document.getElementById("c1").closest("section").scrollIntoView();
		document.getElementById(data.rows[most]).scrollIntoView({ block: "center" });
		const z = document.querySelector("#" + data.rows[most] + " svg.z.bars"), zoom = (a) => parseFloat(z.getAttribute(a)) / 100;
		const axis = document.getElementById("axis").getBoundingClientRect();
		const mid = ([, , t, ms]) => zoom("x") + zoom("width") * (t + ms / 2) / end;
		const [n, row, t, ms, , , lane] = data.calls.filter((c) => c[1] === most && mid(c) > 0 && mid(c) < 1).reduce((a, c) => c[3] > a[3] ? c : a);
		const l = document.querySelectorAll("#" + data.rows[row] + " .l")[lane].getBoundingClientRect();
		return { N: n, X: axis.left + axis.width * mid([n, row, t, ms]), Y: l.top + l.height / 2 };
	})()`)
	b.do(chromedp.MouseClickXY(at.X, at.Y))
	b.waitText("#detail", fmt.Sprintf("call %.0f of 1,000", at.N))
	b.wait(fmt.Sprintf(`location.hash === "#c%.0f" && document.activeElement.matches(".l a[href$='#c%.0f']") && document.activeElement.ariaLabel.startsWith("call %.0f of 1000, line 15, warehouse.stock_level, ")`, at.N, at.N, at.N))
}

// Keys at the ends of a run go nowhere, and take nothing away.
func TestKeysAtTheEdgesOfARunStay(t *testing.T) {
	w := demo(t)
	b := w.openTab(t, "")
	for _, name := range []string{"thousand", "late"} {
		b.open("/runs/" + w.runs[name])
		b.wait(`document.querySelector('.lane a[tabindex="0"]')`)
		eval[bool](b, `(document.querySelector('.lane a[tabindex="0"]').focus(), true)`)
		edges := eval[[]int](b, `(() => { const calls = JSON.parse(document.getElementById("data").textContent).calls; return [calls[0][0], calls.at(-1)[0]] })()`)
		for _, x := range []struct {
			to   string
			keys []string
			call int
		}{{kb.Home, []string{kb.ArrowLeft, kb.Home}, edges[0]}, {kb.End, []string{kb.ArrowRight, kb.End}, edges[1]}} {
			b.press(x.to)
			for _, key := range x.keys {
				b.press(key)
				if got := eval[string](b, `document.activeElement.getAttribute("href") ?? document.activeElement.outerHTML`); !strings.HasSuffix(got, fmt.Sprintf("#c%d", x.call)) {
					t.Errorf("%s: at the edge the focus is on %.100s, want call %d", name, got, x.call)
				}
			}
		}
		rows := eval[int](b, `new Set(JSON.parse(document.getElementById("data").textContent).calls.map((c) => c[1])).size`)
		for _, key := range []string{kb.ArrowDown, kb.ArrowUp} {
			for range rows {
				b.press(key)
			}
			last := eval[string](b, `document.activeElement.closest(".row").id`)
			b.press(key)
			if got := eval[string](b, `document.activeElement.closest(".row").id`); got != last {
				t.Errorf("%s: beyond the row %s at the edge is %s", name, last, got)
			}
		}
	}
}

// Text that goes from right to left stays where it is, and turns nothing else around.
func TestTextFromRightToLeftIsKeptApart(t *testing.T) {
	w := demo(t)
	b := w.openTab(t, "")
	for _, path := range []string{"/tools", "/tools?q=find+a+page+of+the+notes", "/tools/notes.find_page", "/runs/" + w.runs["late"],
		"/approvals"} {
		b.open(path)
		if apart := eval[[]string](b, `(() => {
			const out = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
			for (let n; (n = walk.nextNode());) {
				if (!/[\u0590-\u06ff]/.test(n.data) || n.parentElement.closest("script,option")) continue;
				const e = n.parentElement, apart = (e) => /isolate|plaintext/.test(getComputedStyle(e).unicodeBidi);
				if (!apart(e) && !(e.parentElement && apart(e.parentElement))) out.push(e.outerHTML.slice(0, 150));
			}
			return out;
		})()`); len(apart) > 0 {
			t.Errorf("%s: these are not kept apart: %s", path, strings.Join(apart, "\n"))
		}
		b.fits(path)
	}
}

// The pictures of README, with -pictures.
func TestThePicturesOfTheReadme(t *testing.T) {
	if *pictures == "" {
		t.Skip("with -pictures DIR only")
	}
	w := demo(t)
	mails := ""
	for p, err := range approval.List(t.Context(), w.store, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Tool == "mail.send_mail" && mails == "" {
			mails = "/approvals/" + p.ID
		}
	}
	b := w.openTab(t, "")
	b.size(1280, 860)
	for _, p := range []place{{"overview", "/"}, {"run", "/runs/" + w.runs["late"]}, {"tools", "/tools?q=who+changed+each+line+of+a+file"},
		{"approvals", mails}} {
		for _, scheme := range []string{"light", "dark"} {
			b.open(p.path)
			b.like("prefers-color-scheme", scheme)
			if n := b.pictureTo(filepath.Join(*pictures, p.name+"-"+scheme+".png"), false); n > 150_000 {
				t.Errorf("%s in %s has %d bytes; at most 150,000 may be", p.name, scheme, n)
			}
		}
	}
}

// What the system prefers counts: no motion, and colours of its own.
func TestThePreferencesOfTheSystemCount(t *testing.T) {
	w := demo(t)
	b := w.openTab(t, "")
	b.like("prefers-reduced-motion", "reduce")
	b.open("/runs/" + w.runs["late"])
	if moving := eval[[]string](b, `[...document.querySelectorAll("*")].filter((e) => { const s = getComputedStyle(e);
		return [s.transitionDuration, s.animationDuration].some((d) => d.split(",").some((x) => parseFloat(x) > 0.001)) })
		.map((e) => e.outerHTML.slice(0, 80)).slice(0, 3)`); len(moving) > 0 {
		t.Errorf("these move: %s", strings.Join(moving, "\n"))
	}
	b.like("forced-colors", "active")
	b.open("/runs/" + w.runs["late"])
	b.fits("run in forced colours")
	b.picture("run-late-forced", false)
}
