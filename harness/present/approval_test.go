package present_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// ask adds an ask to a run.
func (r *tape) ask(a record.Ask, ms float64) *record.Asked {
	a.Time, a.Until = after(ms), after(ms).Add(7*24*time.Hour)
	asked := &record.Asked{Ask: &a}
	r.Lines, r.Asks = append(r.Lines, &a), append(r.Asks, asked)
	return asked
}

// asking is a run that waits for a person with three calls, and a server that asks.
func asking() *tape {
	r := shop()
	r.End = nil
	r.Tools = &record.Tools{Head: at(1), Tools: []record.Tool{{ID: "chat.post", Class: record.Effect,
		Why: "not marked read-only"}}}
	r.Lines = append(r.Lines, r.Tools)
	r.Begin.Name, r.Begin.Subject = "late.go", "ann"
	for i, to := range []string{"#warehouse", "#ware\u202ehouse", "#cafe\u0301"} {
		args := fmt.Sprintf(`{"channel":%q,"text":"three orders are late\nplease look","notify":[1,2]}`, to)
		args = strings.ReplaceAll(args, `\u202e`, "\u202e")
		r.ask(record.Ask{A: fmt.Sprint(i + 1), Place: "20:3", Class: record.Effect, Tool: "chat.post",
			Args: record.Raw([]byte(args)), Why: "the config asks for effects", Whole: i == 0}, 2000)
	}
	question := `{"a":{"method":"elicitation/create","params":{"mode":"form",` +
		`"message":"Which account?\n  class     read","requestedSchema":{"type":"object","properties":{"account":{"type":"string"}}}}}}`
	r.ask(record.Ask{A: "4", N: 3, Place: "20:3", Class: record.Effect, Tool: "chat.post",
		Args: record.Raw([]byte(`{}`)), Why: "its server asks", Question: json.RawMessage(question)}, 2001)
	return r
}

// Whatever arguments hold, a person sees each character of them, and no line that looks
// like one of ours.
func TestArgumentsAreShownWhole(t *testing.T) {
	long := strings.Repeat("word ", 300) + strings.Repeat("x", 1000) + "\n  class     read: harmless"
	b, err := json.Marshal(map[string]string{"text": long, evil: evil})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []present.Options{{}, {Width: 200}, {ASCII: true, Width: 61}, {Colour: true}} {
		var out strings.Builder
		if err := present.ArgsJSON("arguments", b).Terminal(&out, &o); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if o.Colour {
			for _, code := range []string{"0", "1", "2", "31", "32", "33", "36"} {
				text = strings.ReplaceAll(text, "\x1b["+code+"m", "")
			}
		}
		for _, r := range text {
			if r != '\n' && (!unicode.IsPrint(r) || registry.Invisible(r)) {
				t.Fatalf("%+v: %q in %s", o, r, text)
			}
		}
		_, rest, _ := strings.Cut(text, "arguments\n")
		var shown strings.Builder
		for line := range strings.Lines(rest) {
			line, ok := strings.CutPrefix(strings.ReplaceAll(line, "│", "|"), "  |")
			if !ok {
				break
			}
			shown.WriteString(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), " "))
		}
		var whole bytes.Buffer
		if err := json.Indent(&whole, b, "", "  "); err != nil {
			t.Fatal(err)
		}
		squeezed := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		want := ""
		for line := range strings.Lines(whole.String()) {
			want += present.Visible(strings.TrimSuffix(line, "\n"), 1<<20, o.ASCII)
		}
		if squeezed(shown.String()) != squeezed(want) {
			t.Errorf("%+v: shown is %s, want %s", o, shown.String(), want)
		}
		if strings.Contains(text, "\n  class     read") {
			t.Errorf("%+v: a line of the arguments looks like one of ours: %s", o, text)
		}
	}
}

func TestOddNamesKeysThatAreThereTwice(t *testing.T) {
	for in, want := range map[string]string{
		`{"to":"a","to":"b"}`:                         `"to"`,
		`{"a":[{"x":1,"y":{"x":2},"x":3}]}`:           `"x"`,
		`{"a":{"x":1},"b":{"x":1},"c":["x","x","x"]}`: "",
		`{"a":"a","b":"a"}`:                           "",
		`[[],{},[{"a":[]}],"a","a"]`:                  "",
		`{"a":1`:                                      "",
		`{"a":{},"a":[]}`:                             `"a"`,
	} {
		got := strings.Join(present.Odd([]byte(in)), "\n")
		if key, _, _ := strings.Cut(got, " is a key of one object twice"); key != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}
