package present_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/present"
)

// hostile is a text that tries to leave its place in each medium.
const hostile = "\x1b[31m<script>alert(1)</script>\u202e\nwarning: ours"

func everyBlock() present.Document {
	w := present.Words
	return present.Document{
		&present.Heading{Level: 1, Text: w(present.Plain, "run 7f3k")},
		present.Facts{{Name: "status", Value: w(present.Good, "ok")}, {Name: "for", Value: w(present.Plain, "")},
			{Name: "why", Value: w(present.Plain, hostile)}},
		&present.Heading{Level: 2, Text: w(present.Plain, "calls")},
		&present.Table{Columns: []present.Column{{Title: "#", Number: true}, {Title: "tool"}}, Header: true, Rows: []present.Row{
			{Cells: []present.Text{w(present.Dim, "1"), {{Text: "git.log", Style: present.Tool, Href: "/tools/git.log"}}}},
			{Cells: []present.Text{w(present.Dim, "12"), w(present.Plain, hostile)}, Below: []present.Text{w(present.Bad, "failed")}},
		}},
		&present.List{Items: []present.Text{w(present.Plain, "one"), w(present.Mono, hostile), w(present.Plain, "three")}, Most: 2},
		&present.Callout{Style: present.Warn, Title: "warning", Text: w(present.Plain, hostile)},
		&present.Code{First: 9, Lines: []string{"a := 1", "\tb(a)", "return"}, Mark: 10},
		&present.Quote{Text: hostile},
		&present.Command{Line: "harness runs show 7f3k"},
		&present.Contrast{Name: "status", A: "ok", B: "timeout"},
		&present.UnifiedDiff{Text: "@@ -1 +1 @@\n-a\n+b\n"},
		&present.Paragraph{Text: w(present.Plain, strings.Repeat("words ", 20))},
	}
}

func TestDocumentOnATerminal(t *testing.T) {
	var b strings.Builder
	if err := everyBlock().Terminal(&b, &present.Options{Width: 60, ASCII: true}); err != nil {
		t.Fatal(err)
	}
	const want = `run 7f3k
  status    ok
  why       \x1b[31m<script>alert(1)</script>\u202e\nwarn...

calls
 #  tool
 1  git.log
12  \x1b[31m<script>alert(1)</script>\u202e\nwarning: ours
    failed
  - one
  - \x1b[31m<script>alert(1)</script>\u202e
    warning: ours
  and 1 more item
  warning: \x1b[31m<script>alert(1)</script>\u202e\nwarning:
  ours
     9  a := 1
  > 10      b(a)
    11  return
  | \x1b[31m<script>alert(1)</script>\u202e
  | warning: ours
  harness runs show 7f3k
  status
    - ok
    + timeout
@@ -1 +1 @@
-a
+b
  words words words words words words words words words
  words words words words words words words words words
  words words
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	var coloured strings.Builder
	if err := everyBlock().Terminal(&coloured, &present.Options{Width: 60, Colour: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(coloured.String(), "\x1b[31m<script>") || !strings.Contains(coloured.String(), "\x1b[32mok\x1b[0m") {
		t.Errorf("%q", coloured.String())
	}
}

func TestDocumentForAModel(t *testing.T) {
	got := everyBlock().Model(0)
	for _, l := range strings.Split(got, "\n") {
		if strings.HasPrefix(l, "warning: ours") || strings.Contains(l, "\x1b") || strings.Contains(l, "\u202e") {
			t.Errorf("%q in\n%s", l, got)
		}
	}
	if len(everyBlock().Model(30)) >= len(got) || !strings.Contains(got, "12  ") {
		t.Error(got)
	}
}

func TestDocumentAsHTML(t *testing.T) {
	html, err := everyBlock().HTML(&present.HTMLOptions{Hue: func(string) string { return "s3" }})
	if err != nil {
		t.Fatal(err)
	}
	got := string(html)
	for _, want := range []string{`<a href="/tools/git.log" class="tool s3">git.log</a>`, `<span class="is-ok"><bdi>ok</bdi></span>`,
		`<span class="ln on"><span class="no">10</span><code>    b(a)</code>`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	for _, bad := range []string{"<script>", "\x1b", "\u202e"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in\n%s", bad, got)
		}
	}
}
