package text_test

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

func ExampleCut() {
	fmt.Println(text.Cut("vingt-cinq élèves", 13))
	// Output: vingt-cinq é…
}

func ExampleCount() {
	fmt.Println(text.Count(1, "tool"), "of", text.Count(2, "server"))
	// Output: 1 tool of 2 servers
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"log", "log", 0}, {"lgo", "log", 1}, {"logs", "log", 1}, {"blame", "branch", 4}, {"é", "e", 1}} {
		if got, back := text.Edits(c.a, c.b), text.Edits(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q: %d, the other way %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

func FuzzCutsKeepTheirBounds(f *testing.F) {
	f.Add("vingt-cinq élèves", 13)
	f.Add("\xff\xfe…", 4)
	f.Add("", 3)
	f.Fuzz(func(t *testing.T, s string, max int) {
		if max < 3 || max > 1000 {
			return
		}
		if got := text.Cut(s, max); utf8.RuneCountInString(got) > max {
			t.Errorf("Cut: %q", got)
		}
		for _, got := range []string{text.CutBytes(s, max), text.FirstBytes(s, max)} {
			if len(got) > max || utf8.ValidString(s) && !utf8.ValidString(got) {
				t.Errorf("%q", got)
			}
		}
		text.Tokens(s)
	})
}
