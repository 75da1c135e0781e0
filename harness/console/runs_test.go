package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

var (
	rowOf     = regexp.MustCompile(`href="/runs/([0-9a-z]{10})"[^>]*><bdi>`)
	olderLink = regexp.MustCompile(`<a class="btn" href="([^"]*)">Older</a>`)
)

// listed are the names of the world's runs that a page lists, the latest first; of
// others the IDs.
func (w *world) listed(body string) (out []string) {
	for _, m := range rowOf.FindAllStringSubmatch(body, -1) {
		name := m[1]
		for n, id := range w.runs {
			if id == m[1] {
				name = n
			}
		}
		out = append(out, name)
	}
	return out
}

func TestTheListOfRunsIsFiltered(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	for query, want := range map[string]string{
		"":                                      "running changes waiting dry late log short compile panic ambiguous denied thousand uncertain timeout died",
		"status=failed":                         "compile panic ambiguous denied timeout died",
		"status=waiting,uncertain":              "changes waiting uncertain",
		"status=running&status=died":            "running died",
		"tool=shop.refund_*":                    "",
		"tool=ledger.get_price":                 "timeout",
		"server=ledger":                         "panic uncertain timeout",
		"script=stock_check":                    "running thousand",
		"script=late_orders&status=ok":          "dry late",
		"subject=dev":                           "changes log short compile denied died",
		"session=s-finance":                     "panic uncertain timeout",
		"text=88-1042":                          "panic",
		"text=GitParams+nobody+wrote":           "",
		"since=7d&until=0s&subject=support":     "waiting dry late ambiguous",
		"until=2020-01-01":                      "",
		"text=&status=&tool=git.*&until=&a=b":   "log short",
		"status=ok&tool=git&before=RUNlog":      "short",
		"subject=support&script=late_orders":    "dry late",
		"status=compile_error&session=s-dev":    "compile",
		"status=" + url.QueryEscape(" denied "): "denied",
	} {
		query = strings.ReplaceAll(query, "RUNlog", w.runs["log"])
		got := strings.Join(w.listed(c.page("/runs?"+query)), " ")
		if got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if resp, _ := c.do("GET", "/runs?text=&status=ok&tool=+&x=y", nil); resp.Request.URL.RequestURI() != "/runs?status=ok" {
		t.Errorf("a filter has the address %s", resp.Request.URL)
	}
}

func TestTheListOfRunsHasWhatEachRunLooksLikeAndWhatToDo(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	body := c.page("/runs")
	if n := strings.Count(body, `<svg class="fp"`); n != 10 { // the run with 1,000 calls is too large for one
		t.Errorf("%d timelines, want 10", n)
	}
	for _, want := range []string{
		`<span class="st wait">`, `16 calls need approval`, `<a href="/approvals">Answer</a>`,
		`<a href="/runs/` + w.runs["uncertain"] + `">Settle</a>`, `<span class="tag">dry run</span>`,
		`<span class="tag">attempt `, `<path class="x" d="M`, `panic: ledger.get_entry: no entry 88-1042`, `>1,000<`,
		`data-live="runs run:` + w.runs["running"] + ` run:`, `value="` + w.runs["late"] + `" form="compare"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
}

// A list follows what happens unless it is older runs, or reads whole records.
func TestWhichListsOfRunsAreLive(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	for query, want := range map[string]bool{"": true, "?status=running": true, "?tool=warehouse.*": true, "?text=orders": false,
		"?before=" + w.runs["running"]: false} {
		if got := strings.Contains(c.page("/runs"+query), `data-live="runs`); got != want {
			t.Errorf("/runs%s is live: %v, want %v", query, got, want)
		}
	}
}

func TestAHolderOfATokenSeesItsOwnRuns(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "support")
	for _, query := range []string{"", "?subject=dev", "?before=" + w.runs["running"]} {
		if got := strings.Join(w.listed(c.page("/runs"+query)), " "); got != "waiting dry late ambiguous" {
			t.Errorf("%s: %s", query, got)
		}
	}
	if body := c.page("/runs"); strings.Contains(body, "finance") || strings.Contains(body, `name="subject"`) {
		t.Error("others are named")
	}
}

func TestAFilterThatCannotBeReadSaysWhatWouldBeRight(t *testing.T) {
	c := demo(t).signIn(t, "")
	for query, want := range map[string]string{
		"status=okay":                        "Status &#34;okay&#34; is unknown: want one of ok, compile_error",
		"tool=shop.[":                        "is not a pattern",
		"since=soon":                         "Since &#34;soon&#34;: want an age such as 90s, 2h or 7d",
		"until=%00%E2%80%AE":                 "want an age such as",
		"text=" + strings.Repeat("a", 501):   "Text: too long for a filter",
		"before=" + strings.Repeat("b", 501): "too long",
	} {
		status, body := c.get("/runs?" + query)
		if status != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: %d", query, status)
		}
	}
	if status, body := c.get("/runs?before=0000000000"); status != http.StatusNotFound || !strings.Contains(body, `href="/runs"`) {
		t.Errorf("%d: %s", status, body)
	}
}

// ended makes a record that has ended.
func ended(t testing.TB, s *store.Store, b *record.Begin, e *record.End, lines ...record.Line) string {
	t.Helper()
	w, err := s.Begin(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range append(lines, e) {
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.ID()
}

func TestTheListOfRunsIsInPagesThatStayWhereTheyAre(t *testing.T) {
	w := emptyDemo(t)
	var want []string
	for range 120 {
		want = append(want, ended(t, w.store, &record.Begin{Script: record.String("x")}, &record.End{Status: "ok"}))
	}
	slices.Reverse(want)
	c := w.signIn(t, "")
	var got []string
	for path := "/runs?status=ok"; path != ""; {
		body := c.page(path)
		got = append(got, w.listed(body)...)
		older := olderLink.FindStringSubmatch(body)
		if path = ""; older != nil {
			path = strings.ReplaceAll(older[1], "&amp;", "&")
		}
		ended(t, w.store, &record.Begin{Script: record.String("y")}, &record.End{Status: "ok"})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if body := c.page("/runs?before=" + want[119]); !strings.Contains(body, "No older run") {
		t.Error(body)
	}
}

func TestAnEmptyListOfRunsSaysWhatToDo(t *testing.T) {
	w := emptyDemo(t)
	for token, want := range map[string]string{"": "harness serve -print-config CLIENT", "dev": "None of your scripts has run yet"} {
		if body := w.signIn(t, token).page("/runs"); !strings.Contains(body, want) {
			t.Errorf("%q: %s", token, body)
		}
	}
	ended(t, w.store, &record.Begin{Script: record.String("x")}, &record.End{Status: "ok"})
	if body := w.signIn(t, "").page("/runs?status=denied"); !strings.Contains(body, "No run matches these filters") {
		t.Error(body)
	}
}

// foreign is text that would be markup, turns lines around, or does not show.
const foreign = "\"><script>alert(1)</script>'&<b x=`\u202egnp.exe\u2066\u0000\x1b[31m"

func TestTextsOfRunsAreText(t *testing.T) {
	w := emptyDemo(t)
	long := strings.Repeat("x", 100<<10)
	call := &record.Call{N: 1, Place: foreign, Tool: foreign + "." + foreign, Class: record.Effect,
		Args: record.Raw([]byte(`{}`))}
	for _, text := range []string{foreign, long} {
		ended(t, w.store, &record.Begin{Script: record.String(text), Name: text, Subject: text, Session: text},
			&record.End{Status: text, Error: record.String(text).JSON}, call)
		ended(t, w.store, &record.Begin{Script: record.String(text)},
			&record.End{Status: "script_error", Error: []byte(`{"message":` + string(record.String(text).JSON) + `}`)})
	}
	c := w.signIn(t, "")
	body := c.page("/runs")
	if n := strings.Count(body, `<svg class="fp"`); n != 1 { // the run with long texts is too large for one
		t.Errorf("%d timelines, want 1", n)
	}
	for _, bad := range []string{"<script>alert", "<b x", "\u202e", "\u2066", "\x1b", "\x00"} {
		if strings.Contains(body, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if len(body) > 100<<10 {
		t.Errorf("the page has %d bytes", len(body))
	}
	body = c.page("/runs?" + url.Values{"text": {foreign}, "script": {foreign}}.Encode())
	if strings.Contains(body, "<script>alert") {
		t.Error("what was asked for is markup")
	}
}

func TestRecordsThatCannotBeReadAreListedAsThat(t *testing.T) {
	w := emptyDemo(t)
	good := ended(t, w.store, &record.Begin{Script: record.String("x"), Subject: "dev"}, &record.End{Status: "ok"})
	bad := ended(t, w.store, &record.Begin{Script: record.String("y"), Subject: "dev"}, &record.End{Status: "ok"})
	hurt := ended(t, w.store, &record.Begin{Script: record.String("z"), Subject: "dev"}, &record.End{Status: "ok"},
		&record.Note{Stdout: "printed"}, &record.Call{N: 1, Tool: "a.b", Args: record.Raw([]byte(`{}`))})
	change := func(id string, to func(string) string) {
		files, err := filepath.Glob(filepath.Join(w.store.Dir(), "*-"+id+".run.jsonl"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		data, err := os.ReadFile(files[0])
		if err == nil {
			err = os.WriteFile(files[0], []byte(to(string(data))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change(bad, func(string) string { return "<script>\n" })
	change(hurt, func(s string) string { return strings.Replace(s, "printed", "PRINTED", 1) })
	c := w.signIn(t, "")
	body := ""
	until(t, "the damage is seen", func() bool {
		body = c.page("/runs")
		return strings.Contains(body, `<span class="tag bad">damaged</span>`)
	})
	if d := cmp.Diff([]string{hurt, good}, w.listed(body)); d != "" {
		t.Error(d)
	}
	if !strings.Contains(body, `unreadable</span>`) || !strings.Contains(body, "no line of it can be read") {
		t.Error(body)
	}
	if body := w.signIn(t, "dev").page("/runs"); strings.Contains(body, bad) {
		t.Error("somebody sees a record of which nobody knows whose it is")
	}
}

func BenchmarkRunsPage(b *testing.B) {
	w, err := openWorld("127.0.0.1:0", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer w.close()
	const many = 10_000
	for i := range many {
		var lines []record.Line
		for n := range 20 {
			lines = append(lines, &record.Call{N: n + 1, Place: fmt.Sprintf("%d:1", n/4), Tool: "shop.get_order",
				Args: record.Raw([]byte(`{"id":1}`))}, &record.Done{N: n + 1, Kind: record.Answered, Result: record.String("yes")})
		}
		if i == many/2 {
			lines = append(lines, &record.Note{Stdout: "the needle"})
		}
		ended(b, w.store, &record.Begin{Script: record.String("x"), Name: fmt.Sprint("s", i%50)}, &record.End{Status: "ok"}, lines...)
	}
	c := w.signIn(b, "")
	begun := time.Now()
	c.page("/runs")
	b.Logf("the first page took %v", time.Since(begun))
	for _, query := range []string{"", "?script=s7", "?text=needle", "?status=denied"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				c.page("/runs" + query)
			}
		})
	}
}

func TestARunWithoutPhrasesIsCalledByItsTools(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "short")
	c := w.signIn(t, "")
	if _, err := w.run("dev", "orders, err := shop.ListOrders(shop.ListOrdersParams{Status: \"paid\"})\nfmt.Println(len(orders.Orders), err)", nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/runs", "/"} {
		for _, want := range []string{"<bdi>shop.ListOrders</bdi>", `<code class="why dim theirs">orders, err := shop.ListOrders(`} {
			until(t, path+" shows "+want, func() bool { return strings.Count(c.page(path), want) == 1 })
		}
	}
}
