package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
)

// part is what a script on the page of tools gets while a phrase is typed.
func (c *client) part(path string) string {
	c.t.Helper()
	resp, body := c.do(http.MethodGet, path, nil, "X-Part", "result")
	if resp.StatusCode != http.StatusOK || strings.Contains(body, "<html") {
		c.t.Fatalf("GET %s: %d %.500s", path, resp.StatusCode, body)
	}
	return body
}

func TestToolsSayWhyAPhraseMeansATool(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	for _, phrase := range []string{"refund a customer", "who changed a line", "close", "shop.RefundPayment", "shop.nonsense",
		"paint the fence", "<script>alert(1)</script>", "\u202e refund"} {
		want, err := w.catalog.Explain(t.Context(), phrase, &discovery.ResolveOptions{Candidates: 8, Alone: true})
		if err != nil {
			t.Fatal(err)
		}
		body := c.part("/tools?q=" + url.QueryEscape(phrase))
		says := map[discovery.Verdict]string{discovery.Resolved: "</bdi>” means <a", discovery.Ambiguous: "could mean several tools",
			discovery.NotFound: "means no tool"}[want.Verdict]
		if !strings.Contains(body, says) {
			t.Errorf("%q is %s, and the page does not say %q", phrase, want.Verdict, says)
		}
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "\u202e") {
			t.Errorf("%q stands on the page as it was typed", phrase)
		}
		view, err := w.catalog.View()
		if err != nil {
			t.Fatal(err)
		}
		var numbers [][]string
		for i, l := range want.Tools {
			tool, ok := view.Tool(l.ID)
			if !ok {
				t.Fatal(l.ID)
			}
			row := []string{tool.Go()}
			for _, n := range []float64{l.BM25, l.Full, l.Name, l.Sentence, l.Fused, l.Score} {
				row = append(row, fmt.Sprintf("%.2f", n))
			}
			if share := fmt.Sprintf("<b>%.2f</b>", want.Candidates[i].Score); !strings.Contains(body, share) {
				t.Errorf("%q: the share %s of %s is not on the page", phrase, share, l.ID)
			}
			numbers = append(numbers, row)
		}
		_, table, _ := strings.Cut(body, `<table class="scoret">`)
		table, _, _ = strings.Cut(table, "</table>")
		var shown [][]string
		for _, row := range strings.Split(table, "<tr>") {
			var texts []string
			for _, m := range regexp.MustCompile(`<bdi>([^<]*)</bdi></th>|<td class="num">([^<]*)</td>`).FindAllStringSubmatch(row, -1) {
				texts = append(texts, m[1]+m[2])
			}
			if texts != nil {
				shown = append(shown, texts)
			}
		}
		if diff := cmp.Diff(numbers, shown); diff != "" {
			t.Errorf("%q: scores that are not those of Explain:\n%s", phrase, diff)
		}
	}
}

func TestToolsAreThoseOfTheViewer(t *testing.T) {
	w := demo(t)
	operator, support := w.signIn(t, ""), w.signIn(t, "support")
	for _, path := range []string{"/tools", "/tools?q=book+an+entry", "/tools?q=ledger.book_entry"} {
		if !strings.Contains(operator.page(path), "ledger.BookEntry") {
			t.Errorf("the operator does not see ledger.BookEntry on %s", path)
		}
		if body := support.page(path); strings.Contains(body, "ledger.BookEntry") && !strings.Contains(body, "policy denies") {
			t.Errorf("support may not call ledger.book_entry, and sees it on %s", path)
		}
	}
}

// The tools that are counted are those that a viewer is shown.
func TestToolsAreCountedForTheViewer(t *testing.T) {
	w := demo(t)
	of := map[string]string{}
	for _, token := range []string{"", "support"} {
		page := w.signIn(t, token).page("/tools")
		_, n, _ := strings.Cut(page, `id="toolcount">`)
		n, _, _ = strings.Cut(n, " tools of ")
		if of[token] = n; n == "" || !strings.Contains(page, "<span>"+n+" tools of ") {
			t.Errorf("%q: the list has %s tools, the footer another number", token, n)
		}
	}
	if of[""] == of["support"] {
		t.Error("support is shown all tools: this proves nothing")
	}
	if page := w.signIn(t, "").page("/tools?from=1"); !strings.Contains(page, ", from 2<") {
		t.Error("the list does not say where it begins")
	}
}

func TestToolsAreNarrowed(t *testing.T) {
	c := demo(t).signIn(t, "")
	tools := func(path string) (out []string) {
		_, list, _ := strings.Cut(c.part(path), `id="h-l"`)
		for _, m := range regexp.MustCompile(`c-tool"><a [^>]*><bdi>([^<]*)<`).FindAllStringSubmatch(list, -1) {
			out = append(out, m[1])
		}
		return out
	}
	for path, want := range map[string][]string{
		"/tools?server=git":                         {"git.Blame", "git.Diff", "git.Log", "git.Push"},
		"/tools?server=git&class=effect":            {"git.Push"},
		"/tools?server=git&server=mail&class=read":  {"git.Blame", "git.Diff", "git.Log", "mail.SearchMail"},
		"/tools?category=database&server=ledger":    {"ledger.BookEntry", "ledger.GetEntry", "ledger.GetPrice"},
		"/tools?server=none":                        nil,
		"/tools?server=git&from=2":                  {"git.Log", "git.Push"},
		"/tools?server=git&from=-2&class=effect":    {"git.Push"},
		"/tools?server=git&from=99999999999&q=&x=y": nil,
	} {
		if diff := cmp.Diff(want, tools(path)); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
}
