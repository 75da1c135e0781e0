package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/library"
)

const greetScript = "var name string\nif err := Input(\"name\", &name); err != nil { name = \"nobody\" }\nReturn(\"hello \" + name)"

func TestSavedScriptsAreListedRunReplayedAndRemoved(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "late")
	if err := w.catalog.Scripts.Save(&library.Script{Name: "greet", About: foreign, Source: greetScript}); err != nil {
		t.Fatal(err)
	}
	c := w.signIn(t, "")
	status, body := c.post("/scripts/greet/run", url.Values{"in.name": {"ann"}, "in.other": {"x"}})
	if status != http.StatusOK || !strings.Contains(body, `<dt>input</dt><dd><bdi>name = &#34;ann&#34;`) {
		t.Fatalf("%d: %s", status, body)
	}
	until(t, "the run has ended", func() bool {
		return strings.Contains(c.page("/scripts/greet"), `<span class="st ok">`)
	})
	id := w.listed(c.page("/runs?script=greet"))[0]
	r, err := w.store.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Begin.Inputs["name"].JSON); got != `"ann"` || len(r.Begin.Inputs) != 1 {
		t.Errorf("the inputs are %v", r.Begin.Inputs)
	}
	if err := w.store.Copy(id, w.catalog.Scripts.Record("greet")); err != nil {
		t.Fatal(err)
	}
	body = c.page("/scripts")
	for _, want := range []string{`<a href="/scripts/greet">greet</a>`, `<code class="theirs">name</code>`, `/runs/` + id + `"`,
		"late_orders", "Replay all"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(body, "<script>alert") {
		t.Error("what a script is about is markup")
	}
	for _, path := range []string{"/scripts", "/scripts/greet/replay"} {
		if _, body := c.post(path, nil); !strings.Contains(body, "the same</span>") || strings.Contains(body, "data-live") {
			t.Errorf("%s: %s", path, body)
		}
		if status, _ := c.get(path); status != http.StatusOK {
			t.Errorf("the page of %s loaded again: %d", path, status)
		}
	}
	if err := w.catalog.Scripts.Save(&library.Script{Name: "greet", Source: strings.ReplaceAll(greetScript, "hello", "bye")}); err != nil {
		t.Fatal(err)
	}
	if _, body := c.post("/scripts/greet/replay", nil); !strings.Contains(body, "differs</span>") {
		t.Error(body)
	}
	if status, _ := w.signIn(t, "dev").post("/scripts/greet/remove", nil); status != http.StatusForbidden {
		t.Errorf("the holder of a token removes a script: %d", status)
	}
	if _, body := c.post("/scripts/greet/remove", nil); !strings.Contains(body, "Removed greet") {
		t.Error(body)
	}
	for _, path := range []string{"/scripts/greet", "/scripts/..%2fx", "/scripts/A"} {
		if status, _ := c.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func TestSkillsAreListedAndShown(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	lib := c.page("/skills")
	for _, want := range []string{"<bdi>usetools</bdi>", "How to write scripts for the tool execute", `href="/skills?skill=skill%3A%2F%2Fscripts%2Flate-orders%2FSKILL.md"`} {
		if !strings.Contains(lib, want) {
			t.Errorf("%q is not in\n%s", want, lib)
		}
	}
	one := c.page("/skills?skill=skill%3A%2F%2Fscripts%2Flate-orders%2FSKILL.md")
	if !strings.Contains(one, "RunScript(&#34;late_orders&#34;") || !strings.Contains(one, `<a href="/scripts/late_orders">`) {
		t.Error(one)
	}
	if status, _ := c.get("/skills?skill=none"); status != http.StatusNotFound {
		t.Error(status)
	}
	theirs := c.page("/skills?skill=tickets/triage")
	for _, want := range []string{"close-month", "untrusted text", "the change is not accepted", "&lt;/pre&gt;&lt;img", "&lt;script&gt;"} {
		if !strings.Contains(theirs, want) {
			t.Errorf("%q is not in\n%s", want, theirs)
		}
	}
	for _, no := range []string{"<script>alert", "<img", "\u202e", "\x1b"} {
		if strings.Contains(theirs, no) {
			t.Errorf("%q is in the page", no)
		}
	}
	// A token sees none of a server whose tools it is denied.
	dev := w.signIn(t, "dev")
	if page := dev.page("/skills"); strings.Contains(page, "close-month") || !strings.Contains(page, "triage") {
		t.Error(page)
	}
	if status, _ := dev.get("/skills?skill=ledger/close-month"); status != http.StatusNotFound {
		t.Error(status)
	}
}
