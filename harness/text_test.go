package harness_test

import (
	"encoding/json"
	"testing"

	"github.com/usetools/usetools/harness/outcome"
)

func TestTextOfAValue(t *testing.T) {
	for _, c := range []struct{ value, stdout, want string }{
		{`{"a":1}`, "", "{\"a\":1}\n"},
		{`{"a":1}`, "said\n", "{\"a\":1}\nprinted:\nsaid\n"},
		{``, "said\n", "said\n"},
		{`null`, "", "null\n"},
		{`"two\nlines\n"`, "", "two\nlines\n"},
		{`"  indented"`, "said", "  indented\nprinted:\nsaid\n"},
		{`"a \"quoted\" <word>"`, "", "a \"quoted\" <word>\n"},
		{`"{\"a\":\n  [1, 2]}\n"`, "", "{\"a\":[1,2]}\n"}, // text that is JSON
		{`"[1, 2"`, "", "[1, 2\n"},
		{`"{} {}"`, "", "{} {}\n"},
		{`"5"`, "", "5\n"},
		{`""`, "", "\"\"\n"}, // else it would not be seen
		{`" \n"`, "", "\" \\n\"\n"},
	} {
		r := &outcome.Result{Status: outcome.OK, Stdout: c.stdout}
		if c.value != "" {
			r.Value = json.RawMessage(c.value)
		}
		if got := r.Text(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.value, got, c.want)
		}
	}
}

func TestPaint(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"func git.Log(p git.LogParams) (git.LogResult, error)\n",
			"\x1b[1mfunc git.Log(p git.LogParams) (git.LogResult, error)\x1b[0m\n"},
		{"func git.Log() // the log", "\x1b[1mfunc git.Log() \x1b[0m\x1b[2m// the log\x1b[0m"},
		{"// Show\n// it\n", "\x1b[2m// Show\x1b[0m\n\x1b[2m// it\x1b[0m\n"},
		{"p { A int /*required; see http://x // y*/; B int }",
			"p { A int \x1b[2m/*required; see http://x // y*/\x1b[0m; B int }"},
		{"\tA int // of a /*kind*/\n}", "\tA int \x1b[2m// of a /*kind*/\x1b[0m\n}"},
		{"git.Log() → text or JSON\n", "git.Log() → text or JSON\n"},
	} {
		if got := outcome.Paint(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
