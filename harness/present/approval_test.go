package present_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/registry"
)

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
		got := strings.Join(present.DeceptiveTexts([]byte(in)), "\n")
		if key, _, _ := strings.Cut(got, " is a duplicate key of an object"); key != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}
