package console

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record/store"
)

// FuzzRunsQuery checks that what the address of the list asks for survives being
// written as an address.
func FuzzRunsQuery(f *testing.F) {
	for _, s := range []string{"", "text=a&status=ok,failed&since=7d", "status=ok&status=died&tool=%5B", "before=x&until=15:04",
		"text=%20+%20&subject=%00", "status=,&status= ok ,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		values, _ := url.ParseQuery(s)
		q, err := readRunsQuery(values)
		if err != nil {
			return
		}
		again, err := readRunsQuery(q.values())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(q.values(), again.values()); d != "" {
			t.Error(d)
		}
		if u, err := url.Parse(q.With("status", "ok")); err != nil || u.Path != "/runs" {
			t.Error(u, err)
		}
		q.Filter(outcome.Statuses, time.Now())
	})
}

func TestTheInputsOfAScriptAreKnown(t *testing.T) {
	got := inputsOf("var n int\n// Input(\"no\")\n_ = Input(\"count\", &n)\nx.Input(\"no\")\ns := \"\"\n" +
		"if err := Input(`days`, &s); err != nil { Input(name, &n) }\nInput(\"count\", &n)\nt := \"Input(\\\"no\\\")\"\n\"")
	want := []scriptInput{{Input: library.Input{Name: "count", Kind: "int"}}, {Input: library.Input{Name: "days", Kind: "string", Else: `""`}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// What is typed is JSON where it is, and a text where a text is wanted.
	for typed, wanted := range map[string]string{"7": "7", " [1] ": "[1]", "ann": `"ann"`, `"7"`: `"7"`} {
		if got := string((&scriptInput{Text: typed}).value()); got != wanted {
			t.Errorf("%q is %s, want %s", typed, got, wanted)
		}
	}
	if got := string((&scriptInput{Input: library.Input{Kind: "string"}, Text: "7"}).value()); got != `"7"` {
		t.Errorf("a number for a text is %s", got)
	}
}

func TestASearchThatWasStoppedGoesOn(t *testing.T) {
	q := &runsQuery{Query: present.Query{Text: "x y", Status: []string{"ok"}}, Before: "b1"}
	d := &runsData{Q: q}
	d.stop(&store.StoppedError{ID: "a1", Time: time.Unix(1, 0)})
	if d.On != "/runs?before=a1&status=ok&text=x+y" || !d.Cut || d.Until.IsZero() {
		t.Errorf("%+v", d)
	}
	if d.stop(&store.StoppedError{}); d.On != "/runs?before=b1&status=ok&text=x+y" || !d.Until.IsZero() {
		t.Errorf("where nothing was looked at: %+v", d)
	}
}
