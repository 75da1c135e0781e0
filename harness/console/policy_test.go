package console_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
)

// matrix is the table of who may call what: of each row its tools, and a word for each
// holder.
func matrix(page string) map[string]string {
	out := map[string]string{}
	_, page, _ = strings.Cut(page, `class="matrix"`)
	page, _, _ = strings.Cut(page, "</table>")
	text := regexp.MustCompile(`<[^>]*>`)
	for _, row := range strings.Split(page, "<tr>")[1:] {
		tools, cells, _ := strings.Cut(row, "</td>")
		var words []string
		for _, m := range regexp.MustCompile(`class="sr">([^<]+)<`).FindAllStringSubmatch(cells, -1) {
			words = append(words, m[1])
		}
		for _, id := range strings.Fields(text.ReplaceAllString(tools, " ")) {
			out[html.UnescapeString(id)] = strings.Join(words, " ")
		}
	}
	return out
}

func TestTheMatrixSaysWhatThePolicyDecides(t *testing.T) {
	w := demo(t)
	page := w.signIn(t, "").page("/policy")
	got := matrix(page)
	holders := []string{"", "ann", "chief", "dev", "finance", "nightly", "support"}
	for i := range w.catalog.Registry.Tools {
		tool := &w.catalog.Registry.Tools[i]
		var want []string
		for _, token := range holders {
			p := *w.policy
			p.Token = token
			switch w.catalog.Decide(&p, tool, nil).Verdict {
			case policy.IsDenied:
				want = append(want, "denied")
			case policy.NeedsApproval:
				want = append(want, "needs approval")
			default:
				want = append(want, "allowed")
			}
		}
		if got[tool.ID] != strings.Join(want, " ") {
			t.Errorf("%s: %q, want %q", tool.ID, got[tool.ID], want)
		}
	}
	contains(t, page, "for the token support calls of ledger.* are denied", "<code>-deny</code>", "shop.delete_*",
		"approves and rejects calls of other tokens")
}

func TestAQuestionNamesTheRuleThatDecides(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	for _, q := range []struct{ token, tool, args, want string }{
		{"support", "shop.refund_payment", "", "needs approval"},
		{"support", "shop.refund_payment", `{"amount":200}`, `needs approval</span> <a`},
		{"support", "shop.refund_payment", `{"amount":20}`, "it is not marked as read-only and needs approval"},
		{"support", "shop.get_order", `{"id":20}`, "allowed"},
		{"support", "shop.refund_payment", `{"amount":200`, "The arguments are invalid"},
		{"support", "shop.refund_payment", `{"a":1,"a":2}`, "duplicate key"},
		{"support", "ledger.get_entry", "", "denied by the rule &#34;ledger.*&#34;"},
		{"nightly", "chat.post_message", "", "allowed"},
		{"dev", "shop.delete_order", "", "denied by -deny shop.delete_*"},
		{"dev", "shop.get_ordr", "", "No tool has this ID."},
		{"nobody", "shop.get_order", "", "This token does not exist"},
		{"dev", "<script>\u202e", "", "No tool has this ID."},
	} {
		page := c.page("/policy?" + url.Values{"token": {q.token}, "tool": {q.tool}, "args": {q.args}}.Encode())
		_, page, _ = strings.Cut(page, `id="may"`)
		page, _, _ = strings.Cut(page, "</section>")
		_, answer, _ := strings.Cut(page, "</form>")
		if !strings.Contains(answer, q.want) {
			t.Errorf("%+v: %s", q, answer)
		}
		lacks(t, page, "<script>")
	}
}

// Who may not see all sees what holds for itself, and no name of others.
func TestATokenSeesItsOwnPolicy(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "support")
	page := body(c.page("/policy"))
	contains(t, page, "calls of mail.send_mail need approval")
	for _, name := range []string{"ann", "chief", "finance", "nightly", "operator", "token dev", ">dev<"} {
		lacks(t, page, ">"+name, "token "+name)
	}
	if got := matrix(page); got["ledger.get_entry"] != "" || got["mail.send_mail"] != "needs approval" {
		t.Errorf("%v", got)
	}
	lacks(t, page) // a phrase of some token's run
	contains(t, c.page("/policy?token=finance&tool=ledger.get_entry"), "This token does not exist, or you may not see its rules.")
}

func TestHostileNamesInThePolicyAreText(t *testing.T) {
	w := emptyDemo(t)
	const bad = "\"><script>alert(1)</script>\u202e"
	w.catalog.Rules = append(w.catalog.Rules, policy.Rule{Pattern: "shop.*", Then: policy.NeedsApproval, Token: bad})
	w.catalog.Rights[bad] = []catalog.Right{catalog.Approve}
	if _, err := w.run("dev", "UseTools(\"launch "+strings.Repeat("x", 3000)+"<script>\")", nil); err != nil {
		t.Fatal(err)
	}
	w.policy.Approved = []string{"<b>*"}
	page := w.signIn(t, "").page("/policy")
	page = regexp.MustCompile(`value="[^"]*"`).ReplaceAllString(page, "") // what a form sends back is as it is
	lacks(t, page, "<script>alert", "\u202e", "<b>*")
	contains(t, page, `\u202e`)
}
