package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
)

// place is a page of the demo world.
type place struct{ name, path string }

// places are all pages, in the states that they have.
func (w *world) places(t testing.TB) []place {
	t.Helper()
	list := []place{{"overview", "/"}, {"runs", "/runs"}, {"runs-filtered", "/runs?status=waiting&tool=mail.send_mail"},
		{"runs-none", "/runs?text=there+is+none"}}
	for _, name := range []string{"late", "thousand", "running", "waiting", "uncertain", "died", "dry", "timeout", "panic",
		"compile", "denied", "ambiguous"} {
		list = append(list, place{"run-" + name, "/runs/" + w.runs[name]})
	}
	list = append(list, place{"tools", "/tools"}, place{"tools-search", "/tools?q=who+changed+a+line"},
		place{"tools-none", "/tools?q=launch+a+rocket"}, place{"tool", "/tools/git.git_blame"},
		place{"tool-effect", "/tools/shop.refund_payment?example=0"},
		place{"editor", "/editor"}, place{"editor-run", "/editor?run=" + w.runs["late"]}, place{"approvals", "/approvals"})
	return append(list, place{"servers", "/servers"}, place{"policy", "/policy"},
		place{"policy-why", "/policy?token=support&tool=mail.send_mail"}, place{"scripts", "/scripts"})
}

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

// A run appears in an open list, and what waits is counted, without reloading.
func TestARunAppearsInAnOpenList(t *testing.T) {
	w := newDemo(t)
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

// A page of a run under way grows, and says when the run has ended.
func TestAnOpenRunIsFollowed(t *testing.T) {
	w := emptyDemo(t)
	id := make(chan string, 1)
	done := make(chan error, 1)
	go func() {
		_, err := w.run("dev", slowScript, func(s *harness.Script) {
			s.OnLine = func(l record.Line) {
				if l, ok := l.(*record.Begin); ok {
					id <- l.ID
				}
			}
		})
		done <- err
	}()
	b := w.openTab(t, "")
	b.open("/runs/" + <-id)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	b.wait(`!document.querySelector("main").textContent.includes("running")`)
	b.waitText("main", "Rui Tavares")
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
