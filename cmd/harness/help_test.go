package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// Every command has an example, and every example is a command line that there
// is: its command, its subcommand and its flags are known.
func TestExamplesInHelpAreCommandLines(t *testing.T) {
	root := app(strings.NewReader(""), io.Discard, io.Discard)
	example := regexp.MustCompile(`(?:^|[|(&;] *|xargs )harness ((?:"[^"]*"|'[^']*'|[^ |&;)<>]| [^ |&;)<>#])*)`)
	word := regexp.MustCompile(`"[^"]*"|'[^']*'|[^ ]+`)
	check := func(of, line string) {
		for _, m := range example.FindAllStringSubmatch(line, -1) {
			at, flags := root, root.Flags
			words := word.FindAllString(m[1], -1)
			for i := 0; i < len(words); i++ {
				w := words[i]
				if w == "--" {
					break
				}
				if name, isFlag := strings.CutPrefix(w, "-"); isFlag && w != "-" {
					name, value, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
					j := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
					if j < 0 {
						t.Errorf("help of %s: %q: %s has no flag %s%s", of, line, at.Name, w, value)
					} else if _, isBool := flags[j].(*cli.BoolFlag); !isBool && !hasValue {
						i++ // its value
					}
					continue
				}
				if sub := at.Command(w); sub != nil {
					at, flags = sub, append(slices.Clone(flags), sub.Flags...)
				} else if at == root {
					t.Errorf("help of %s: %q: there is no command %q", of, line, w)
				}
			}
		}
	}
	for _, c := range root.Commands {
		if c.Hidden {
			continue
		}
		examples := 0
		for line := range strings.SplitSeq(c.Description, "\n") {
			if text, ok := strings.CutPrefix(line, "  "); ok && strings.Contains(text, "harness ") {
				examples++
				check(c.Name, text)
			}
		}
		if examples == 0 || c.Usage == "" {
			t.Errorf("help of %s: no example, or no word about what it does", c.Name)
		}
		for paragraph := range strings.SplitSeq(c.Description, "\n\n") {
			if !strings.HasPrefix(paragraph, "  ") && strings.Contains(paragraph, "\n  ") && c != root {
				t.Errorf("help of %s: an empty line is missing before %q", c.Name, paragraph)
			}
		}
	}
}
