package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// printedOf is what the notes of a run say to have been printed, a line for each part.
func printedOf(r *record.Run) string {
	var b strings.Builder
	for _, n := range r.Notes {
		for p := range n.Printed() {
			fmt.Fprintf(&b, "%d %v %q\n", p.Line, p.Stderr, p.Text)
		}
	}
	return b.String()
}

func noted(t *testing.T, o *store.StoreOptions, notes ...*record.Note) *record.Run {
	t.Helper()
	s := store.Memory(1, o)
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notes {
		if err := w.Add(n); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPrintedTextIsReadWithItsLines(t *testing.T) {
	r := noted(t, nil, &record.Note{Stdout: "old\n"}, &record.Note{Stdout: "one\n", Line: 3},
		&record.Note{Stderr: "a\nb\nc\n", Lines: [][3]int{{1, 2, 0}, {0, 2, 10}, {7, 2, 20}}})
	want := "0 false \"old\\n\"\n3 false \"one\\n\"\n1 true \"a\\n\"\n0 true \"b\\n\"\n7 true \"c\\n\"\n"
	if d := cmp.Diff(want, printedOf(r)); d != "" {
		t.Error(d)
	}
	var after []time.Duration
	for p := range r.Notes[2].Printed() {
		after = append(after, p.Time.Sub(r.Notes[2].Time))
	}
	if d := cmp.Diff([]time.Duration{0, 10 * time.Microsecond, 20 * time.Microsecond}, after); d != "" {
		t.Error(d)
	}
}

func TestMuchPrintedTextKeepsItsLines(t *testing.T) {
	var text string
	var lines [][3]int
	for i := range 30 {
		line := strings.Repeat("ä", 1000+i) + "\n"
		text, lines = text+line, append(lines, [3]int{i + 1, len(line), i})
	}
	r := noted(t, nil, &record.Note{Stdout: text, Lines: lines})
	if len(r.Notes) < 4 || r.Stdout() != text {
		t.Fatalf("%d notes of %d bytes", len(r.Notes), len(r.Stdout()))
	}
	got := map[int]string{}
	for _, n := range r.Notes {
		if len(n.Stdout) > record.MaxText+4 {
			t.Errorf("a note has %d bytes", len(n.Stdout))
		}
		for p := range n.Printed() {
			got[p.Line] += p.Text
		}
	}
	for i := range 30 {
		if want := strings.Repeat("ä", 1000+i) + "\n"; got[i+1] != want {
			t.Errorf("line %d has %d bytes, want %d", i+1, len(got[i+1]), len(want))
		}
	}
}

func TestSecretsInPrintedTextLeaveTheLines(t *testing.T) {
	o := &store.StoreOptions{Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }}
	r := noted(t, o, &record.Note{Stdout: "a hunter2\nb\n", Lines: [][3]int{{1, 10, 0}, {2, 2, 9}}},
		&record.Note{Stdout: "hunter2\n", Line: 3},
		&record.Note{Stdout: "hunter2\nc\n", Lines: [][3]int{{4, 3, 0}, {5, 5, 0}, {6, 2, 0}}}) // of line 4 only "hun"
	want := "1 false \"a [secret]\\n\"\n2 false \"b\\n\"\n3 false \"[secret]\\n\"\n0 false \"[secret]\\nc\\n\"\n"
	if d := cmp.Diff(want, printedOf(r)); d != "" {
		t.Error(d)
	}
}
