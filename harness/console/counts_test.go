package console_test

import (
	"context"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// cancel makes a run of a token that is canceled during its only call.
func (w *world) cancel(t *testing.T, subject string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := *w.policy
	p.Token = subject
	res, err := w.harness.Run(ctx, &harness.Script{Source: strings.Replace(priceScript, "range 4", "range 1", 1),
		Origin: harness.Origin{Subject: subject}, Policy: &p, OnProgress: func(p record.Progress) {
			if p.Call != nil && p.Done == nil {
				cancel()
			}
		}})
	if err != nil || res.Status != outcome.Canceled {
		t.Fatal(res, err)
	}
	w.runs["canceled"] = res.Run
}

var (
	tags   = regexp.MustCompile(`(?s)<svg.*?</svg>|<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// words returns the text of a page.
func words(page string) string {
	return spaces.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(page, " ")), " ")
}

// number returns the number that a pattern finds in a text.
func number(t *testing.T, text, pattern string) int {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in\n%s", pattern, text)
	}
	n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What one page counts, another counts too, for runs of every outcome.
func TestPagesAgreeInTheirCounts(t *testing.T) {
	t.Parallel()
	w := newDemo(t)
	w.cancel(t, "finance")
	until(t, "the record of the run that goes on has all its calls", func() bool {
		run, err := w.store.Load(w.runs["running"])
		return err == nil && len(run.Calls) == 1+9+3
	})
	c := w.signIn(t, "")
	overview := words(c.page("/"))
	var runs, calls, failed, sent, failedRuns, withCalls int
	list := c.page("/runs")
	rows := map[string]string{}
	for row := range strings.SplitSeq(list, "<tr>") {
		if m := rowOf.FindStringSubmatch(row); m != nil {
			rows[m[1]] = words(row)
		}
	}
	for sum, err := range w.store.List(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		runs++
		calls += sum.Calls
		failed += sum.Failed
		if sum.Calls > 0 {
			withCalls++
		}
		page := c.page("/runs/" + sum.ID)
		text := words(page)
		n := number(t, text, `Calls ([\d,]+)`)
		said := 0
		if m := regexp.MustCompile(`Calls [\d,]+ [^F]*?, (\d+) failed`).FindStringSubmatch(text); m != nil {
			said, _ = strconv.Atoi(m[1])
		}
		if n != sum.Calls || said != sum.Failed {
			t.Errorf("the page of run %s (%s) counts %d calls, %d failed; the list %d, %d", sum.ID, sum.Status, n, said, sum.Calls, sum.Failed)
		}
		if m := regexp.MustCompile(`(\d+) of (\d+) calls failed`).FindStringSubmatch(text); m != nil && (m[1] != fmt.Sprint(sum.Failed) || m[2] != fmt.Sprint(sum.Calls)) {
			t.Errorf("run %s: the agent got %q of %d, %d", sum.ID, m[0], sum.Failed, sum.Calls)
		}
		took := regexp.MustCompile(`Took (\S+ \S+) `).FindStringSubmatch(text)
		if row := rows[sum.ID]; sum.Status != record.Running && !strings.Contains(row, " "+took[1]+" ") {
			t.Errorf("the page of run %s (%s) says that it took %s; the list says %s", sum.ID, sum.Status, took[1], row)
		}
		sent += n
		if strings.Contains(page[:strings.Index(page, "</h1>")+80], `class="st bad"`) {
			failedRuns++
		}
		if row := rows[sum.ID]; sum.Calls > 0 != !strings.Contains(row, "no call") {
			t.Errorf("the list says of a run with %d calls: %s", sum.Calls, row)
		}
	}
	if got := number(t, overview, `Runs ([\d,]+) [\d.]+ % ended ok`); got != runs {
		t.Errorf("the overview has %d runs, the list %d", got, runs)
	}
	if got := number(t, overview, `Tool calls ([\d,]+)`); got != calls || sent != calls {
		t.Errorf("the overview has %d calls, pages of runs %d, the list %d", got, sent, calls)
	}
	if got := number(t, overview, `Tool calls [\d,]+ ([\d,]+) failed`); got != failed {
		t.Errorf("the overview has %d failed calls, the list %d", got, failed)
	}
	if got := number(t, overview, `Of (\d+) runs with calls`); got != withCalls {
		t.Errorf("the overview has %d runs with calls, the list %d", got, withCalls)
	}
	plot := number(t, c.page("/"), `in all, (\d+) failed`)
	filtered := number(t, words(c.page("/runs?status=failed")), `(\d+) runs?`)
	policy := words(c.page("/policy"))
	use := policy[strings.Index(policy, "Failed calls"):]
	inUse := [4]int{}
	for _, m := range regexp.MustCompile(`(?:nightly|support|finance|dev) ([\d,]+) ([\d,]+) ([\d,]+) ([\d,]+)`).FindAllStringSubmatch(use, -1) {
		for i := range inUse {
			n, _ := strconv.Atoi(strings.ReplaceAll(m[i+1], ",", ""))
			inUse[i] += n
		}
	}
	if plot != failedRuns || filtered != failedRuns || inUse != [4]int{runs, failedRuns, calls, failed} {
		t.Errorf("%d runs are red; the plot has %d failed, the list %d, by token %v of %d runs with %d calls, %d failed", failedRuns, plot, filtered, inUse, runs, calls, failed)
	}
	// Attempts of a run count a call once, and a dry run's calls count nowhere.
	if got := number(t, words(c.page("/tools/tickets.create_ticket")), `used (\d+) times`); got != 3 {
		t.Errorf("the page of a tool has %d calls, want 3", got)
	}
	if got := number(t, words(c.page("/servers/tickets")), `0 of (\d+)`); got != 3 {
		t.Errorf("the page of its server has %d calls, want 3", got)
	}
}

// A canceled call has no time of which a median is made.
func TestACanceledCallHasNoMedian(t *testing.T) {
	w := emptyDemo(t)
	w.cancel(t, "finance")
	c := w.signIn(t, "")
	wants(t, words(c.page("/servers")), "the servers", "1 call failed of 1")
	for _, path := range []string{"/", "/servers"} {
		if strings.Contains(words(c.page(path)), " 0.0 ms ") {
			t.Errorf("%s has a call of 0.0 ms", path)
		}
	}
	wants(t, c.page("/"), "the overview", `class="off" x=`, "0 failed", `class="st off"`)
}

func TestAPendingRunShowsWhatTheAgentGot(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "changes", "uncertain")
	c := w.signIn(t, "")
	for _, name := range []string{"changes", "uncertain"} {
		r, err := w.store.Load(w.runs[name])
		if err != nil {
			t.Fatal(err)
		}
		res, err := outcome.FromRecord(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Next.Page = c.w.url
		_, got, _ := strings.Cut(words(c.page("/runs/"+w.runs[name])), "What the agent received")
		if strings.Contains(got, "Nothing: ") {
			t.Errorf("%s: nothing", name)
		}
		for line := range strings.Lines(res.Problems(false, false)) {
			line, _, _ = strings.Cut(strings.TrimSpace(spaces.ReplaceAllString(line, " ")), ": harness approvals") // or where the page is
			if !strings.Contains(got, line) {
				t.Errorf("%s: no %q in\n%s", name, line, got)
			}
		}
	}
}
