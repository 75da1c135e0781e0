package console_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// wants says which texts are not in a page.
func wants(t testing.TB, page, where string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%s: no %q", where, text)
		}
	}
}

func TestEachStateOfARunSaysWhatIsAndWhatToDo(t *testing.T) {
	t.Parallel()
	w := demo(t)
	c := w.signIn(t, "")
	for name, texts := range map[string][]string{
		"late":      {`id="L24"`, " waiting</span>", "What the agent received", `href="#c17"`, "/again", "/replay", "Save as script…"},
		"waiting":   {"calls need approval", `class="b ask"`, "/approvals/" + w.runs["waiting"] + ".", "Close…"},
		"uncertain": {"Outcome of call 2 unknown", "It happened…", "It did not happen…", "b s", " lost"},
		"died":      {"process died:", "Resume…"},
		"dry":       {"dry run:", "Effect calls of the dry run", ">not sent<", "answer of run"},
		"compile":   {"unknown field Count", "did you mean MaxCount?", "No calls."},
		"panic":     {`class="note mark bad"`},
		"ambiguous": {"nearest: ", "/tools/mail.send_mail"},
		"running":   {"so far", ` open"`, `data-live="run:` + w.runs["running"], `class="now"`},
		"thousand":  {"score many", "1,000", "page 1 of 10", "?calls=2"},
	} {
		wants(t, c.page("/runs/"+w.runs[name]), name, texts...)
	}
	page := c.page("/runs/" + w.runs["thousand"] + "?calls=3")
	wants(t, page, "page 3", `id="c201"`, "page 3 of 10", `class="l"`)
	if len(page) > 300<<10 {
		t.Errorf("a run of 1,000 calls has %d bytes, want at most 300 KB", len(page))
	}
	call := c.page("/runs/" + w.runs["late"] + "/calls/1")
	wants(t, call, "call 1", "shop.ListOrders", "Arguments", "Result", "<!doctype html>")
	_, part := c.do("GET", "/runs/"+w.runs["late"]+"/calls/1", nil, "X-Part", "1")
	if strings.Contains(part, "<!doctype") || !strings.Contains(part, "shop.ListOrders") {
		t.Errorf("the part of call 1 is %.200q", part)
	}
	r, body := c.do("GET", "/runs/"+w.runs["late"]+"/record", nil)
	if r.Header.Get("Content-Disposition") == "" || !json.Valid([]byte(body)) || !strings.Contains(body, `"script"`) {
		t.Errorf("the record is %.200q", body)
	}
	if status, body := c.get("/runs/" + w.runs["late"] + "/calls/1/result"); status != 200 || !json.Valid([]byte(body)) {
		t.Errorf("the result of call 1: %d %.200q", status, body)
	}
	for _, path := range []string{"/calls/99", "/calls/x", "/calls/1/other", "/calls/99/args"} {
		if status, _ := c.get("/runs/" + w.runs["late"] + path); status != 404 {
			t.Errorf("%s: status %d, want 404", path, status)
		}
	}
}

// What can be done with a run is what its status leaves to do.
func TestEachStatusOfARunHasItsActions(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	action := regexp.MustCompile(`(?:action|href)="/(?:runs/[0-9a-z]+/([a-z]+)|(editor)\?run=[0-9a-z]+)"`)
	for name, want := range map[string]string{
		"late":      "again again diff editor record replay save",
		"panic":     "again again diff editor record replay save",
		"timeout":   "again again diff editor record replay save",
		"dry":       "again again diff editor record replay save",
		"running":   "again again diff editor record save",
		"waiting":   "again again close diff editor record replay save",
		"uncertain": "again again close diff editor record replay save settle settle",
		"died":      "again again close diff editor record resume save",
		"compile":   "again again diff editor record",
		"denied":    "again again diff editor record save",
		"ambiguous": "again again diff editor record",
	} {
		var got []string
		for _, m := range action.FindAllStringSubmatch(c.page("/runs/"+w.runs[name]), -1) {
			got = append(got, m[1]+m[2])
		}
		slices.Sort(got)
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

func TestOnlyTheOperatorSettlesAndCloses(t *testing.T) {
	w := demo(t)
	own, other := w.signIn(t, "finance"), w.signIn(t, "dev")
	at := "/runs/" + w.runs["uncertain"]
	page := own.page(at)
	wants(t, page, "its owner's", "Only the operator can settle this call.", "/again")
	for _, no := range []string{at + "/settle", at + "/close", at + "/resume"} {
		if strings.Contains(page, no) {
			t.Errorf("its owner is offered %s", no)
		}
		if status, _ := own.post(no, url.Values{"call": {"2"}, "what": {"not"}}); status != 403 {
			t.Errorf("%s by its owner: status %d, want 403", no, status)
		}
	}
	for _, path := range []string{"", "/record", "/diff", "/calls/1", "/calls/1/args"} {
		if status, _ := other.get(at + path); status != 404 {
			t.Errorf("%s by another: status %d, want 404", at+path, status)
		}
	}
	for _, path := range []string{"/again", "/replay", "/save"} {
		if status, _ := other.post(at+path, url.Values{"name": {"mine"}}); status != 404 {
			t.Errorf("%s by another: status %d, want 404", at+path, status)
		}
	}
}

func TestARunIsRunAgainReplayedAndSaved(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "compile", "log", "short")
	c := w.signIn(t, "")
	at := "/runs/" + w.runs["short"]
	status, page := c.post(at+"/again", nil)
	if status != 200 || strings.Contains(page, "was not started") || strings.Contains(page, ">"+w.runs["short"]+"<") {
		t.Errorf("again: %d %.300s", status, page)
	}
	_, page = c.post(at+"/again", url.Values{"dry": {"1"}})
	wants(t, page, "a dry run", "dry run:")
	_, page = c.post(at+"/replay", nil)
	wants(t, page, "a replay", "The replay gave the same result: ")
	_, page = c.post(at+"/save", url.Values{"name": {"Not A Name"}})
	wants(t, page, "a wrong name", "The script was not saved:")
	_, page = c.post(at+"/save", url.Values{"name": {"git_log"}, "about": {"What was committed"}})
	wants(t, page, "saved", "Saved. RunScript(")
	s, err := w.catalog.Scripts.Load("git_log")
	if err != nil || s.About != "What was committed" || s.Source == "" {
		t.Errorf("the saved script is %+v, %v", s, err)
	}
	_, page = c.post("/runs/"+w.runs["compile"]+"/save", url.Values{"name": {"broken"}})
	wants(t, page, "a script that never ran", "its script never ran, and is not saved")
	wants(t, c.page(at+"/diff"), "runs to compare with", at+"/compare/"+w.runs["log"])
}

func TestAnUnknownCallIsSettledAndTheRunClosed(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "uncertain", "waiting")
	c := w.signIn(t, "")
	id := w.runs["uncertain"]
	for _, wrong := range []url.Values{
		{"call": {"2"}, "what": {"happened"}, "result": {"no JSON"}},
		{"call": {"1"}, "what": {"not"}},
	} {
		_, page := c.post("/runs/"+id+"/settle", wrong)
		wants(t, page, fmt.Sprint(wrong), "The call was not settled:")
	}
	if status, _ := c.post("/runs/"+id+"/settle", url.Values{"call": {"x"}}); status != 400 {
		t.Errorf("a call x: status %d, want 400", status)
	}
	var page string
	until(t, "the call is old enough to be settled", func() bool {
		_, page = c.post("/runs/"+id+"/settle", url.Values{"call": {"2"}, "what": {"happened"}, "force": {"1"}, "result": {`"booked"`}})
		return !strings.Contains(page, "The call was not settled:")
	})
	wants(t, page, "settled", "Settled: call 2 happened.")
	r, err := w.store.Load(id)
	if err != nil || len(r.Unknown()) != 0 {
		t.Errorf("unknown are %v, %v", r.Unknown(), err)
	}
	_, page = c.post("/runs/"+w.runs["waiting"]+"/close", url.Values{"why": {"not wanted"}})
	wants(t, page, "closed", "The run is closed; it cannot be resumed.", "closed by a person:")
}

// A record with as much as one may have is shown within bounds.
func TestALargeRecordIsShownWithinBounds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many requests, one after another")
	}
	w := emptyDemo(t)
	long := strings.Repeat("é<b>", 64<<10)
	var lines []record.Line
	for i := range 3000 {
		args := fmt.Sprintf(`{"id":%d,"text":%q}`, i, strings.Repeat("x", 100))
		if i == 0 {
			args = fmt.Sprintf(`{"text":%q}`, long)
		}
		lines = append(lines, &record.Call{N: i + 1, Place: fmt.Sprintf("%d:1", 1+i%5), Class: record.Effect, Tool: "shop." + long[:100], Args: record.Raw(json.RawMessage(args)), Attempt: 1},
			&record.Done{N: i + 1, Kind: record.Answered, Error: long[:2000], Failed: true})
	}
	id := ended(t, w.store, &record.Begin{Script: record.String(strings.Repeat("\t\n", 60<<10) + long[:128<<10]), Name: long[:1000], Subject: "dev"},
		&record.End{Status: string(outcome.ScriptError), Warnings: []string{long, "line 3: " + long}, Value: record.String(long)}, lines...)
	c := w.signIn(t, "")
	page := c.page("/runs/" + id)
	if len(page) > 2<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	if strings.Contains(page, "é<b>") {
		t.Error("a text is markup")
	}
	part := c.page("/runs/" + id + "/calls/1")
	wants(t, part, "a long argument", "Its first 8 KB.", "/calls/1/args")
	if len(part) > 200<<10 {
		t.Errorf("the call has %d bytes", len(part))
	}
}

func TestValuesThatAreNotKeptAreSaid(t *testing.T) {
	w := emptyDemo(t)
	gone := record.Data{SHA256: strings.Repeat("ab", 32), Bytes: 41, Redacted: true}
	id := ended(t, w.store, &record.Begin{Script: record.String("shop.GetOrder()"), Subject: "dev"}, &record.End{Status: "ok"},
		&record.Call{N: 1, Place: "1:1", Class: record.Read, Tool: "shop.get_order", Args: gone, Attempt: 1},
		&record.Done{N: 1, Kind: record.Answered, Result: gone, Bytes: 41})
	c := w.signIn(t, "")
	wants(t, c.page("/runs/"+id), "the run", "values not kept:", "41 bytes, not kept")
	wants(t, c.page("/runs/"+id+"/calls/1"), "the call", "41 bytes, not kept; digest abababab")
}

func BenchmarkRunPage(b *testing.B) {
	w := demo(b)
	c := w.signIn(b, "")
	for _, name := range []string{"late", "thousand"} {
		b.Run(name, func(b *testing.B) {
			size := 0
			for b.Loop() {
				size = len(c.page("/runs/" + w.runs[name]))
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// A run whose process died goes on when the operator says so.
func TestADiedRunGoesOn(t *testing.T) {
	t.Parallel()
	w := newDemo(t)
	c := w.signIn(t, "")
	id := w.runs["died"]
	if _, page := c.post("/runs/"+id+"/resume", nil); !strings.Contains(page, "The run resumes: ") {
		t.Error(page)
	}
	until(t, "it has gone on", func() bool {
		r, err := w.store.Load(id)
		return err == nil && len(r.Attempts) > 0 && !r.Running
	})
	if _, page := c.post("/runs/"+w.runs["compile"]+"/resume", nil); !strings.Contains(page, "cannot be resumed") {
		t.Error(page)
	}
}
