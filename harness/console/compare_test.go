package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/record"
)

func TestTwoRunsAreCompared(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	body := c.page("/runs/diff?run=" + w.runs["late"] + "&run=" + w.runs["dry"])
	for _, want := range []string{"calls  (32 in a, ", "tickets.create_ticket",
		`href="/runs/` + w.runs["dry"] + `/compare/` + w.runs["late"] + `">Swap`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	old := c.page("/runs/" + w.runs["short"] + "/diff/" + w.runs["compile"])
	if body = c.page("/runs/" + w.runs["short"] + "/compare/" + w.runs["compile"]); body != old {
		t.Error("the earlier address leads elsewhere")
	}
	for _, want := range []string{"-UseTools(", "&#43;log, err :=", "unknown field Count"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	if body := c.page("/runs/" + w.runs["panic"] + "/compare/" + w.runs["panic"]); !strings.Contains(body, " are the same: script,") {
		t.Error(body)
	}
}

func TestRunsToCompareAreChosen(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "support")
	if body := c.page("/runs/diff?run=" + w.runs["late"]); !strings.Contains(body, "Tick two runs to compare them; 1 ticked.") {
		t.Error("it is not said that two are wanted")
	}
	for _, path := range []string{"/runs/diff?run=" + w.runs["late"] + "&run=" + w.runs["panic"],
		"/runs/" + w.runs["late"] + "/diff/" + w.runs["panic"], "/runs/" + w.runs["panic"] + "/compare/" + w.runs["late"]} {
		if status, _ := c.get(path); status != http.StatusNotFound {
			t.Errorf("%s: a run of others is compared: %d", path, status)
		}
	}
}

func TestAComparisonIsBoundedAndText(t *testing.T) {
	t.Parallel()
	w := emptyDemo(t)
	var ids []string
	for _, text := range []string{strings.Repeat(foreign+"\n", 3000), strings.Repeat("x\n", 3000) + strings.Repeat("y", 100<<10)} {
		b := &record.Begin{Script: record.String(text), Name: text, Subject: text, Inputs: record.Values{text[:20]: record.String(text)}}
		ids = append(ids, ended(t, w.store, b, &record.End{Status: text[:10], Value: record.String(text),
			Error: []byte(`{"message":` + string(record.String(text[:100]).JSON) + `}`)},
			&record.Call{N: 1, Tool: text[:30], Place: "1:1", Args: record.String(text)}))
	}
	body := w.signIn(t, "").page("/runs/" + ids[0] + "/compare/" + ids[1])
	if strings.Contains(body, "<script>alert") || strings.Contains(body, "\u202e") || strings.Contains(body, "\x1b") {
		t.Error("a text is more than that")
	}
	if len(body) > 1<<20 {
		t.Errorf("the page has %d bytes", len(body))
	}
}
