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
	var page string
	until(t, "the records are read", func() bool {
		page = c.page("/")
		return strings.Contains(page, "1 effect is unknown") && strings.Contains(page, "16 calls wait")
	})
	for _, want := range []string{`href="/approvals/` + w.runs["waiting"], `href="/runs/` + w.runs["uncertain"] + `#c`,
		"ledger is down", "connection refused", "mail.send_mail", `role="img" aria-label="Runs of the last 24 hours`,
		"ended well", "% saved", "in place of about"} {
		if !strings.Contains(page, want) {
			t.Errorf("the overview lacks %q", want)
		}
	}
	if n := strings.Count(page, "btn first"); n != 1 {
		t.Errorf("%d filled buttons", n)
	}
	until(t, "the calls are read", func() bool {
		return strings.Contains(c.page("/?hours=1"), "the last hour") && strings.Contains(c.page("/"), "Refused calls")
	})
	if page := c.page("/"); !strings.Contains(page, "shop.delete_order") || !strings.Contains(page, "shop.list_orders") {
		t.Error("a tool that was refused, or that was slow, is not there")
	}
	if got, _ := c.get("/?hours=5"); got != 400 {
		t.Errorf("five hours are %d", got)
	}
}

func TestTheOverviewIsOfTheViewersRuns(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "dev")
	var page string
	until(t, "the records are read", func() bool {
		page = c.page("/")
		return strings.Contains(page, `/runs/`+w.runs["log"])
	})
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
	for _, bad := range []string{"connection refused", "under way", "Refused phrases", "Settle", "mail.send_mail</bdi>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page of dev has %q", bad)
		}
	}
}

func TestTheOverviewOfNothing(t *testing.T) {
	w := emptyDemo(t)
	c := w.signIn(t, "")
	var page string
	until(t, "the records are read", func() bool {
		page = c.page("/")
		return strings.Contains(page, "Nothing has run yet")
	})
	if !strings.Contains(page, "Write a script") || strings.Contains(page, "NaN") {
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
	var page string
	until(t, "the phrases are there", func() bool {
		page = c.page("/")
		return strings.Contains(page, "Refused phrases")
	})
	if !regexp.MustCompile(`close a ticket</bdi>”</td><td class="num">2<`).MatchString(page) || strings.Contains(page, "<b>\"") ||
		!strings.Contains(page, "&lt;b&gt;") {
		t.Error("the phrases are not told as they are")
	}
}

// BenchmarkOverview is the page over 10,000 runs of which 500 have been read.
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
	until(b, "the records are read", func() bool { return strings.Contains(c.page("/"), "the latest 500 of 10000 runs") })
	for b.Loop() {
		c.page("/")
	}
}
