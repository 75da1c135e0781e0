package console

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cases are the arguments of calls.
func cases(all ...string) (out []json.RawMessage) {
	for _, s := range all {
		out = append(out, json.RawMessage(s))
	}
	return out
}

func TestWhatManyCallsHaveInCommonIsToldOnce(t *testing.T) {
	mail := func(to, name string, order int, amount string) string {
		return fmt.Sprintf(`{"to":%q,"subject":"Your order %d","body":"Dear %s,\n\nwe refunded %s EUR of your order %d today."}`,
			to, order, name, amount, order)
	}
	a := compareCalls(cases(
		mail("ann@mail.example", "Ann Vasko", 10371, "148.00"),
		mail("bo@mail.example", "Bo", 10374, "62.90"),
		mail("kim@mail.example", "Kim van der Heuvel", 10378, "1,890.00"),
		mail("eve@evil.example", "Eve Oe", 10379, "20.50"),
		mail("eve@a.mail.example", "Eve Oe", 10380, "20.50")))
	want := &batchDiff{
		Same: []sameValue{
			{"subject", `"Your order `, `"`, true},
			{"body", `"Dear `, ` today."`, true}},
		Columns: []difference{
			{Path: "to", Cells: []string{`"ann@mail.example"`, `"bo@mail.example"`, `"kim@mail.example"`,
				`"eve@evil.example"`, `"eve@a.mail.example"`}},
			{Path: "subject", Number: true, Cells: []string{"10371", "10374", "10378", "10379", "10380"}},
			{Path: "body", Cells: []string{`Ann Vasko,\n\nwe refunded 148.00 EUR of your order 10371`,
				`Bo,\n\nwe refunded 62.90 EUR of your order 10374`,
				`Kim van der Heuvel,\n\nwe refunded 1,890.00 EUR of your order 10378`,
				`Eve Oe,\n\nwe refunded 20.50 EUR of your order 10379`, `Eve Oe,\n\nwe refunded 20.50 EUR of your order 10380`}}},
		Remarks: [][]string{nil, nil, {"body has 1890, 30 times the median"},
			{"to goes to evil.example, others to mail.example"}, nil},
	}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestWhatStandsOutIsMarked(t *testing.T) {
	for _, c := range []struct {
		name string
		args []json.RawMessage
		want map[int]string // by call, from 0
	}{
		{"an amount", cases(`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":20}`), map[int]string{3: "n has 20, 10 times the median"}},
		{"not far enough", cases(`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":19}`), nil},
		{"too few to say", cases(`{"n":1}`, `{"n":2}`, `{"n":3000}`), nil},
		{"texts without a number", cases(`{"n":1}`, `{"n":"x"}`, `{"n":3}`, `{"n":3000}`), nil},
		{"another has it", cases(`{"n":1}`, `{"n":2}`, `{"n":3,"bcc":"x"}`, `{"n":4}`), map[int]string{2: "few calls have bcc"}},
		{"one lacks it", cases(`{"n":1,"dry":true}`, `{"n":2,"dry":true}`, `{"n":3}`, `{"n":4,"dry":true}`),
			map[int]string{2: "it has no dry"}},
		{"twice", cases(`{"n":1}`, `{"n":2}`, `{"n":1}`), map[int]string{2: "the same as call 1"}},
		{"a URL", cases(`{"u":"https://a.example/1"}`, `{"u":"https://a.example/2"}`, `{"u":"https://a.example@b.example/"}`,
			`{"u":"https://a.example/3"}`), map[int]string{2: "u goes to b.example, others to a.example"}},
		{"a suffix is no host", cases(`{"to":"a@a.co.uk"}`, `{"to":"b@a.co.uk"}`, `{"to":"c@a.co.uk"}`, `{"to":"d@b.co.uk"}`),
			map[int]string{3: "to goes to b.co.uk, others to a.co.uk"}},
		{"a host in the middle of a text", cases(`{"u":["x@a.example"]}`, `{"u":["y@a.example"]}`, `{"u":["z@a.example"]}`,
			`{"u":["x@a.example","z@b.example"]}`), map[int]string{3: "few calls have u[1]"}},
	} {
		a := compareCalls(c.args)
		if a == nil {
			t.Errorf("%s: not compared", c.name)
			continue
		}
		for i, got := range a.Remarks {
			if strings.Join(got, "; ") != c.want[i] {
				t.Errorf("%s: call %d: %q, want %q", c.name, i, got, c.want[i])
			}
		}
	}
}

func TestWhatIsNotAlikeIsShownCallByCall(t *testing.T) {
	wide := func(n int) string {
		var all []string
		for i := range 30 {
			all = append(all, fmt.Sprintf(`"k%d":%d`, i, n*100+i*n))
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	for name, args := range map[string][]json.RawMessage{
		"one call":     cases(`{"a":1}`),
		"large":        cases(`{"a":1}`, `{"a":"`+strings.Repeat("x", maxBatchBytes)+`"}`),
		"many columns": cases(wide(1), wide(2)),
	} {
		if compareCalls(args) != nil {
			t.Errorf("%s are compared", name)
		}
	}
}

// What is the same in all calls and the cells of a column are, together, each text.
func TestNothingIsLostBetweenWhatIsTheSameAndWhatDiffers(t *testing.T) {
	words := []string{"order", "the", "a", " ", " ", `\n`, ",", "é", `\u202e`, "12.5", "1,000", "<b>", "{", `\"`}
	for range 2000 {
		texts := make([]json.RawMessage, 2+rand.IntN(4))
		for i := range texts {
			s := ""
			for range rand.IntN(6) {
				s += words[rand.IntN(len(words))]
			}
			texts[i] = json.RawMessage(`{"x":"the ` + s + ` end"}`)
		}
		d := compareCalls(texts)
		for i, text := range texts {
			got := d.Same[0].Begin
			if len(d.Columns) > 0 {
				got += d.Columns[0].Cells[i] + d.Same[0].End
			}
			if want := string(text[5 : len(text)-1]); got != want {
				t.Fatalf("of %q comes %q, want %q", texts, got, want)
			}
		}
	}
}
