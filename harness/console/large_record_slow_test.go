//go:build slow

package console_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/record"
)

// For a record that is too large for a page there is its file, for tokens that may see it.
func TestALargeRecordIsAFile(t *testing.T) {
	w := emptyDemo(t)
	rec, err := w.store.Begin(&record.Begin{Subject: "dev", Script: record.String("Return(1)")})
	if err != nil {
		t.Fatal(err)
	}
	uncertain, err := w.store.Begin(&record.Begin{Subject: "dev", Script: record.String("Return(1)")})
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("x", 99) + "\n"
	for _, l := range []record.Line{&record.Note{Stdout: strings.Repeat(line, 170_000)}, &record.End{Status: "uncertain"}} {
		if err := uncertain.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := uncertain.Close(); err != nil {
		t.Fatal(err)
	}
	for _, l := range []record.Line{&record.Note{Stdout: strings.Repeat(line, 340_000)}, &record.End{Status: "ok"}} {
		if err := rec.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	id := rec.ID()
	dev, support := w.signIn(t, "dev"), w.signIn(t, "support")
	for _, path := range []string{"/runs/" + id, "/runs/" + id[:6], "/runs/" + id + "/calls/1", "/runs/" + id + "/diff", "/editor?run=" + id,
		"/runs/" + id + "/compare/" + id, "/approvals/" + id + ".1"} {
		status, body := dev.get(path)
		if status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "Download the record") || len(body) > 10_000 {
			t.Errorf("%s: %d, %d bytes", path, status, len(body))
		}
		if status, body := support.get(path); status != http.StatusNotFound || strings.Contains(body, "too large") {
			t.Errorf("%s for another token: %d", path, status)
		}
	}
	if status, _ := dev.post("/runs/"+id+"/again", nil); status != http.StatusRequestEntityTooLarge {
		t.Errorf("again: %d", status)
	}
	for _, path := range []string{"/", "/runs", "/runs?text=xxx", "/approvals"} {
		dev.page(path)
	}
	tells := regexp.MustCompile(`href="/runs/` + uncertain.ID() + `"[^\n]*: <bdi>its record is too large for this page`)
	until(t, "the overview tells of what is not known of a large record", func() bool {
		return tells.MatchString(dev.page("/"))
	})
	if status, _ := support.get("/runs/" + id + "/record"); status != http.StatusNotFound {
		t.Errorf("its file for another token: %d", status)
	}
	file := dev.page("/runs/" + id + "/record")
	var got struct {
		Notes []struct{ Stdout string }
		End   struct{ Status string }
	}
	if err := json.Unmarshal([]byte(file), &got); err != nil || got.End.Status != "ok" {
		t.Fatal(err, got.End)
	}
	n := 0
	for _, note := range got.Notes {
		n += strings.Count(note.Stdout, line)
	}
	if len(file) < 34_000_000 || n < 337_000 {
		t.Errorf("%d bytes, %d lines", len(file), n)
	}
}
