package console_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "write testdata/words.txt")

// The words of all pages are in one file, to be read in one sitting. Texts of scripts, tools
// and servers are an ellipsis there, numbers are 0, and a line stands where it comes first.
func TestTheWordsOfAllPages(t *testing.T) {
	w := demo(t)
	operator, dev := w.signIn(t, ""), w.signIn(t, "dev")
	until(t, "the pending calls are counted", func() bool { return strings.Contains(operator.page("/"), "16 pending calls") })
	var out strings.Builder
	out.WriteString("# The words of the console's pages. go test ./harness/console -run TestTheWords -update writes this file.\n")
	ids := strings.NewReplacer(slices.Collect(func(yield func(string) bool) {
		for _, id := range w.runs {
			_ = yield(id) && yield("RUN")
		}
	})...)
	seen := map[string]bool{}
	add := func(name, page string) {
		var lines []string
		for _, line := range wordsOf(t, ids.Replace(page)) {
			if !seen[line] {
				seen[line] = true
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(&out, "\n## %s\n%s\n", name, strings.Join(lines, "\n"))
		}
	}
	for _, p := range w.places(t) {
		add(p.name, operator.page(p.path))
	}
	for _, p := range []place{{"a token's overview", "/"}, {"a token's run", "/runs/" + w.runs["log"]}, {"a token's approvals", "/approvals"},
		{"a token's servers", "/servers"}, {"a token's policy", "/policy"}, {"a saved script", "/scripts/late_orders"}} {
		add(p.name, dev.page(p.path))
	}
	for _, p := range []place{{"a call", "/runs/" + w.runs["late"] + "/calls/1"}, {"an unresolved call", "/runs/" + w.runs["uncertain"] + "/calls/2"}, {"comparing", "/runs/" + w.runs["late"] + "/diff"}, {"no such run", "/runs/none"},
		{"no such tool", "/tools/none"}, {"no such server", "/servers/none"}, {"no such filter", "/runs?since=soon"}, {"no such token", "/policy?token=none&tool=shop.get_order"}} {
		_, page := operator.get(p.path)
		add(p.name, page)
	}
	_, page := operator.post("/tools/shop.refund_payment/try", nil)
	add("a wrong form", page)
	_, page = operator.post("/tools/mail.send_mail/try", map[string][]string{"json": {`{"to": "a@shop.example", "subject": "a", "body": "b"}`}})
	add("a call to confirm", page)
	_, page = (&client{Client: w.signIn(t, "").Client, t: t, w: w}).post("/logout", nil)
	add("the door", page)

	file := filepath.Join("testdata", "words.txt")
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("the pages say something else (-update writes it):\n%s", diff)
	}
}

var (
	wordsAgo    = regexp.MustCompile(`\b(now|\d+ (s|min|h) ago)\b`)
	wordsTime   = regexp.MustCompile(`\b((yesterday|tomorrow), )?\d\d:\d\d(:\d\d)?(\.\d+)?\b`)
	wordsDay    = regexp.MustCompile(`\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( \d{4})?\b`)
	wordsTook   = regexp.MustCompile(`[\d.,]+ ?(µs|ms|s|min)\b( \d+ s\b)?`) // "1 min 3 s" is one
	wordsNumber = regexp.MustCompile(`\d[\d,.]*\b`)
	wordsGap    = regexp.MustCompile(`(…[\s,;·×]*)+…`)
	wordsSpace  = regexp.MustCompile(` ([,.;:?)”])`)
)

// wordsOf returns the words of a page, a line for each block, also those of its attributes.
func wordsOf(t testing.TB, page string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	line := &strings.Builder{}
	end := func() {
		s := strings.Join(strings.Fields(line.String()), " ")
		line.Reset()
		for _, x := range []struct {
			of *regexp.Regexp
			is string
		}{{wordsAgo, "TIME"}, {wordsTime, "TIME"}, {wordsDay, "TIME"}, {wordsTook, "0 ms"}, {wordsNumber, "0"}, {wordsGap, "…"}, {wordsSpace, "$1"}} {
			s = x.of.ReplaceAllString(s, x.is)
		}
		if strings.Trim(s, "…0 ×–·") != "" {
			lines = append(lines, s)
		}
	}
	attribute := func(n *html.Node, name string) string {
		i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
		if i < 0 {
			return ""
		}
		return n.Attr[i].Val
	}
	isTheirs := func(n *html.Node) bool {
		classes := strings.Fields(attribute(n, "class"))
		return slices.Contains([]string{"bdi", "time", "svg", "option", "textarea"}, n.Data) ||
			slices.ContainsFunc([]string{"theirs", "tool", "mono", "well", "c-tool", "src"}, func(c string) bool { return slices.Contains(classes, c) }) ||
			n.Data == "a" && strings.HasPrefix(attribute(n, "href"), "/runs/") && n.FirstChild != nil && strings.Contains(attribute(n, "href"), textOf(n))
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			line.WriteString(n.Data)
			return
		case n.Type == html.ElementNode && (slices.Contains([]string{"script", "style", "template"}, n.Data) || attribute(n, "id") == "detail"): // which call that is depends on time
			return
		}
		block := n.Type == html.ElementNode && !slices.Contains([]string{"a", "b", "i", "span", "bdi", "code", "em", "q", "time", "svg", "kbd", "sup"}, n.Data)
		if block {
			end()
		}
		for _, name := range []string{"title", "aria-label", "placeholder"} {
			if v := attribute(n, name); v != "" && !isTheirs(n) {
				lines = append(lines, name+": "+wordsNumber.ReplaceAllString(wordsTime.ReplaceAllString(v, "TIME"), "0"))
			}
		}
		line.WriteString(" ")
		defer line.WriteString(" ")
		if isTheirs(n) {
			line.WriteString("…")
		} else {
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c)
			}
		}
		if block {
			end()
		}
	}
	walk(doc)
	end()
	return lines
}

// textOf returns the text of an element.
func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var s string
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s += textOf(c)
	}
	return strings.TrimSpace(s)
}
