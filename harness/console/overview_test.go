package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/usage"
)

func TestTheOverviewSaysWhatNeedsAPerson(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	page := ""
	until(t, "the pending calls are counted", func() bool {
		page = c.page("/")
		return strings.Contains(page, "16 pending calls")
	})
	for _, want := range []string{`href="/approvals/` + w.runs["waiting"], "Unresolved call", `href="/runs/` + w.runs["uncertain"] + `">Settle`,
		"ledger is down", "connection refused", "mail.send_mail", `role="img" aria-label="Runs of the last 24 hours`,
		"ended ok", "% fewer", "instead of about", "shop.delete_order", "shop.list_orders", "Denied calls"} {
		if !strings.Contains(page, want) {
			t.Errorf("the overview lacks %q", want)
		}
	}
	if n := strings.Count(page, "btn first"); n != 1 {
		t.Errorf("%d filled buttons", n)
	}
	if page := c.page("/?hours=1"); !strings.Contains(page, "the last hour") {
		t.Error("there are no numbers of the last hour")
	}
	if got, _ := c.get("/?hours=5"); got != 400 {
		t.Errorf("five hours are %d", got)
	}
}

func TestTheOverviewIsOfTheViewersRuns(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "dev")
	page := c.page("/")
	if !strings.Contains(page, `/runs/`+w.runs["log"]) {
		t.Error("a run of dev is not on the page of dev")
	}
	for name, id := range w.runs {
		sum := ""
		for s, err := range w.store.List(t.Context(), &store.Filter{}) {
			if err == nil && s.ID == id {
				sum = s.Subject
			}
		}
		if sum != "dev" && strings.Contains(page, id) {
			t.Errorf("the run %s of %q is on the page of dev", name, sum)
		}
	}
	for _, bad := range []string{"connection refused", "running script", "Phrases that found no tool", "Settle", "mail.send_mail</bdi>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page of dev has %q", bad)
		}
	}
}

func TestTheOverviewOfNothing(t *testing.T) {
	w := emptyDemo(t)
	c := w.signIn(t, "")
	page := c.page("/")
	if !strings.Contains(page, "No script has run yet") || !strings.Contains(page, "Write a script") || strings.Contains(page, "NaN") {
		t.Errorf("the page is\n%s", page)
	}
}

func TestRefusedPhrasesAreTold(t *testing.T) {
	w := emptyDemo(t)
	for i := range 3 {
		err := w.catalog.Usage.Add(usage.Run{Time: time.Now(), Status: "ambiguous", Phrases: []usage.Phrase{
			{Phrase: fmt.Sprintf("close a ticket%s", strings.Repeat(" <b>", i/2)), Verdict: "ambiguous"}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	c := w.signIn(t, "")
	page := c.page("/")
	if !regexp.MustCompile(`close a ticket</bdi>”</a></td><td class="num">2<`).MatchString(page) || strings.Contains(page, "<b>\"") ||
		!strings.Contains(page, "&lt;b&gt;") {
		t.Error("the phrases are not told as they are")
	}
}

// BenchmarkOverview is the page over 10,000 runs.
func BenchmarkOverview(b *testing.B) {
	w, err := openWorld("127.0.0.1:0", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.close() })
	for i := range 10_000 {
		wr, err := w.store.Begin(&record.Begin{Script: record.String("x := 1\n"), Name: fmt.Sprintf("script-%d", i%20)})
		if err != nil {
			b.Fatal(err)
		}
		for n := range 10 {
			for _, l := range []record.Line{
				&record.Call{N: n + 1, Place: "1:1", Tool: fmt.Sprintf("shop.tool_%d", n%5), Args: record.Raw([]byte(`{}`)), Class: record.Read},
				&record.Done{N: n + 1, Kind: record.Answered, Result: record.Raw([]byte(`{"content":[]}`)), Ms: float64(n + i%100)},
			} {
				if err := wr.Add(l); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := wr.Add(&record.End{Status: "ok", Ms: 12}); err != nil {
			b.Fatal(err)
		}
		if err := wr.Close(); err != nil {
			b.Fatal(err)
		}
	}
	c := w.signIn(b, "")
	begun := time.Now()
	if page := c.page("/"); !strings.Contains(page, "10,000 runs with calls") {
		b.Fatal("the overview counts other runs")
	}
	b.Logf("the first page took %v", time.Since(begun))
	for b.Loop() {
		c.page("/")
	}
}
