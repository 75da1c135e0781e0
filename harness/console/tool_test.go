package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// fieldOf is what an input element of a page has as its value.
func fieldOf(t testing.TB, body, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?:input|button)[^>]* name="` + regexp.QuoteMeta(name) + `"[^>]* value="([^"]*)"`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no field %q in %.3000s", name, body)
	}
	return html.UnescapeString(m[1])
}

func TestAReadIsCalledAtOnce(t *testing.T) {
	w := newDemo(t, "compile")
	before := w.shop.effects.Load()
	c := w.signIn(t, "")
	resp, _ := c.do(http.MethodPost, "/tools/shop.get_order/try", url.Values{"a/id": {"10372"}})
	id := strings.TrimPrefix(resp.Request.URL.Path, "/runs/")
	run, err := w.store.Load(id)
	if err != nil || run.Begin.Name != "call shop.get_order" {
		t.Fatalf("%s: %v, %+v", resp.Request.URL, err, run)
	}
	if n := w.shop.effects.Load() - before; n != 0 {
		t.Errorf("a read made %d effects", n)
	}
	if body := c.page("/tools/shop.get_order"); !strings.Contains(body, "/runs/"+id) {
		t.Error("the run is not among the tool's latest")
	}
}

func TestWhatIsWrongIsSaidBesideItsFieldAndNothingTypedIsLost(t *testing.T) {
	c := demo(t).signIn(t, "")
	status, body := c.post("/tools/shop.refund_payment/try",
		url.Values{"a/order": {"12a"}, "a/reason": {`late "parcel" <b>`}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", status)
	}
	if v := fieldOf(t, body, "a/order"); v != "12a" {
		t.Errorf("typed 12a, and the form has %q", v)
	}
	if v := fieldOf(t, body, "a/reason"); v != `late "parcel" <b>` {
		t.Errorf("the form has %q", v)
	}
	for _, want := range []string{`id="e:a/order"><bdi>must be a whole number`, `id="e:a/amount"><bdi>is required`, `aria-invalid="true"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	status, body = c.post("/tools/shop.refund_payment/try", url.Values{"json": {`{"order": 1, "amount": "much"}`}})
	if status != http.StatusUnprocessableEntity || !strings.Contains(body, `id="e:a/amount"><bdi>`) || !strings.Contains(body, "<details open>") {
		t.Errorf("%d: JSON with a wrong amount is not told beside the amount", status)
	}
}

func TestAnEffectIsShownAsItIsSentAndMadeOnce(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "compile")
	c := w.signIn(t, "")
	const path = "/tools/shop.refund_payment/try"
	before := w.shop.effects.Load()
	status, body := c.post(path, url.Values{"a/order": {"10371"}, "a/amount": {"9007199254740993.10"}, "a/reason": {"a <b>\u202e"}})
	if status != http.StatusOK || !strings.Contains(body, "9007199254740993.10") || !strings.Contains(body, `\u202e`) {
		t.Fatalf("%d: the call is not shown as it is sent: %s", status, body)
	}
	args, yes := fieldOf(t, body, "args"), fieldOf(t, body, "yes")
	if want := "{\"amount\":9007199254740993.10,\"order\":10371,\"reason\":\"a <b>\u202e\"}"; args != want {
		t.Errorf("args %s, want %s", args, want)
	}
	for name, form := range map[string]url.Values{
		"another call":   {"args": {strings.Replace(args, "10371", "10372", 1)}, "yes": {yes}},
		"no digest":      {"args": {args}, "yes": {"1"}},
		"another digest": {"args": {args}, "yes": {yes[:len(yes)-1] + "x"}},
		"another time":   {"args": {args}, "yes": {"2" + yes[1:]}},
	} {
		if status, body := c.post(path, form); status != http.StatusOK || !strings.Contains(body, "Check it again") {
			t.Errorf("%s: %d", name, status)
		}
	}
	if _, body := w.signIn(t, "chief").post(path, url.Values{"args": {args}, "yes": {yes}}); !strings.Contains(body, "Check it again") {
		t.Error("another viewer's yes counts")
	}
	if status, body := c.post(path, url.Values{"args": {args}, "back": {"1"}}); status != http.StatusOK ||
		fieldOf(t, body, "a/amount") != "9007199254740993.10" || strings.Contains(body, "Approve and call it") {
		t.Errorf("%d: a no does not lead back to the form", status)
	}
	if n := w.shop.effects.Load() - before; n != 0 {
		t.Fatalf("%d effects before the yes", n)
	}
	resp, _ := c.do(http.MethodPost, path, url.Values{"args": {args}, "yes": {yes}})
	run, err := w.store.Load(strings.TrimPrefix(resp.Request.URL.Path, "/runs/"))
	if err != nil {
		t.Fatal(resp.Request.URL, err)
	}
	if got := string(run.Calls[0].Args.JSON); len(run.Calls) != 1 || !strings.Contains(got, "9007199254740993.10") {
		t.Errorf("the record has %s", got)
	}
	if status, body := c.post(path, url.Values{"args": {args}, "yes": {yes}}); status != http.StatusConflict {
		t.Errorf("the second yes: %d %.300s", status, body)
	}
	if n := w.shop.effects.Load() - before; n != 1 {
		t.Errorf("%d effects", n)
	}
}

func TestWhoMayNotCallAToolCannotTryIt(t *testing.T) {
	w := newDemo(t, "compile")
	before := w.shop.calls.Load()
	operator, support, finance := w.signIn(t, ""), w.signIn(t, "support"), w.signIn(t, "finance")
	if status, body := operator.post("/tools/shop.delete_order/try", url.Values{"json": {`{"id": 10371}`}}); status != http.StatusForbidden ||
		!strings.Contains(body, "was not sent") {
		t.Errorf("what policy denies: %d", status)
	}
	if status, body := support.get("/tools/ledger.book_entry"); status != http.StatusNotFound {
		t.Errorf("a tool that is not the viewer's: %d %.500s", status, body)
	}
	if status, _ := support.post("/tools/ledger.book_entry/try", url.Values{"json": {"{}"}}); status != http.StatusNotFound {
		t.Errorf("a tool that is not the viewer's: %d", status)
	}
	form := url.Values{"a/order": {"10371"}, "a/amount": {"500"}}
	status, body := finance.post("/tools/shop.refund_payment/try", form)
	if status != http.StatusOK || !strings.Contains(body, "Another person must approve") || strings.Contains(body, `name="yes"`) {
		t.Errorf("a holder may say yes to itself: %d", status)
	}
	if status, body := finance.post("/tools/shop.refund_payment/try", url.Values{"args": {`{"order":10371,"amount":500}`},
		"yes": {"1-x-y"}}); status != http.StatusOK || !strings.Contains(body, "Another person must approve") {
		t.Errorf("a holder may say yes to itself: %d", status)
	}
	if n := w.shop.calls.Load() - before; n != 0 {
		t.Errorf("%d calls", n)
	}
	if status, body := operator.get("/tools/shop.nothing"); status != http.StatusNotFound || !strings.Contains(body, "No such tool") {
		t.Errorf("an unknown tool: %d", status)
	}
}
