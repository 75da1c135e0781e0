package console_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The bundle of CodeMirror is the one that was made by .ci/codemirror/build.
func TestTheVendoredEditorIsTheOneWrittenDown(t *testing.T) {
	bundle, err := os.ReadFile("static/codemirror.js")
	if err != nil {
		t.Fatal(err)
	}
	told, err := os.ReadFile("static/codemirror.txt")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(bundle)
	if want := "\nsha256 " + hex.EncodeToString(sum[:]) + "\n"; !strings.Contains(string(told), want) {
		t.Errorf("codemirror.txt does not say %q", want)
	}
	if len(bundle) > 410_000 {
		t.Errorf("it has %d bytes, at most 410,000 are meant", len(bundle))
	}
}

// answer is what the editor's own requests are answered with.
func answer[T any](c *client, method, path string, form url.Values) T {
	c.t.Helper()
	resp, body := c.do(method, path, form, "Accept", "application/json")
	var v T
	if resp.StatusCode != http.StatusOK {
		c.t.Fatalf("%s %s: %s\n%.500s", method, path, resp.Status, body)
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		c.t.Fatalf("%s %s: %v\n%.500s", method, path, err, body)
	}
	return v
}

type checkAnswer struct {
	OK              bool
	May, Label      string
	Inputs, Checked string
	Marks           []struct {
		Kind           string
		From, To, Line int
		Message, Hint  string
		Fixes          []struct {
			From, To int
			Text     string
		}
	}
}

func TestACheckMarksTheScript(t *testing.T) {
	c := demo(t).signIn(t, "support")
	check := func(script string) checkAnswer {
		t.Helper()
		return answer[checkAnswer](c, "POST", "/editor/check", url.Values{"script": {script}})
	}
	// Offsets are UTF-16 units of the script with single newlines, which forms send as two.
	script := "// größer 🎈\r\n_ = \"🎈\"; o, err := shop.GetOrder(shop.GetOrderParams{Idd: 1})\r\nif err != nil { panic(err) }\r\nReturn(o)\r\n"
	got := check(script)
	if got.OK || got.May != "" || got.Label != "Run" || len(got.Marks) != 1 {
		t.Fatalf("%+v", got)
	}
	m := got.Marks[0]
	units := []rune{} // all of the script's runes but 🎈 are one unit
	for _, r := range strings.ReplaceAll(script, "\r\n", "\n") {
		if units = append(units, r); r > 0xffff {
			units = append(units, 0)
		}
	}
	if word := string(units[m.From:m.To]); word != "Idd" || m.Line != 2 || m.Kind != "bad" {
		t.Errorf("the mark is on %q: %+v", word, m)
	}
	if len(m.Fixes) != 1 || m.Fixes[0].From != m.From || m.Fixes[0].To != m.To || m.Fixes[0].Text != "ID" {
		t.Errorf("fixes %+v", m.Fixes)
	}

	got = check("n := \"eins\"\n_ = Input(\"wo<b>rd\", &n)\nvar limit []int\n_ = Input(\"limit\", &limit)\nUseTools(\"get one order of the shop\")\n" +
		"o, err := shop.GetOrder(shop.GetOrderParams{id: 1})\nif err != nil { panic(err) }\nReturn(o)")
	if !got.OK || got.May != "only reads" || got.Label != "Run: only reads" {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{`name="in.wo&lt;b&gt;rd"`, "string; if empty: &#34;eins&#34;", `name="in.limit"`, "[]int"} {
		if !strings.Contains(strings.NewReplacer("<bdi>", "", "</bdi>", "").Replace(got.Inputs), want) {
			t.Errorf("no %s in %s", want, got.Inputs)
		}
	}
	if len(got.Marks) != 1 || got.Marks[0].Kind != "wait" || got.Marks[0].Line != 6 || !strings.Contains(got.Marks[0].Message, "→ ID") {
		t.Errorf("the warning is %+v", got.Marks)
	}
	if !strings.Contains(got.Checked, "get one order of the shop") || !strings.Contains(got.Checked, "shop.GetOrder") {
		t.Errorf("no phrase in %s", got.Checked)
	}

	got = check("r, err := shop.RefundPayment(shop.RefundPaymentParams{Order: 1, Amount: 2})\nif err != nil { panic(err) }\nReturn(r)")
	if got.May != "may have effects through shop.refund_payment (needs approval)" || got.Label != "Run with 1 effect" {
		t.Errorf("%q, %q", got.May, got.Label)
	}
}

// The page works without JavaScript.
func TestTheEditorIsAForm(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "compile")
	c := w.signIn(t, "support")
	const script = "name := \"x\"\n_ = Input(\"name\", &name)\n" +
		"t, err := tickets.CreateTicket(tickets.CreateTicketParams{Queue: \"shop\", Title: name})\nif err != nil { panic(err) }\nReturn(t.Key)\n"
	form := url.Values{"script": {strings.ReplaceAll(script, "\n", "\r\n")}, "in.name": {"Ann & Bob"}}
	status, page := c.post("/editor/check", form)
	if status != http.StatusOK || !strings.Contains(page, "no errors") || !strings.Contains(page, `value="Ann &amp; Bob"`) {
		t.Fatalf("%d\n%s", status, page)
	}
	effects := w.shop.effects.Load()
	form.Set("dry", "1")
	resp, page := c.do("POST", "/editor/run", form)
	run := resp.Request.URL.Query().Get("run")
	if resp.StatusCode != http.StatusOK || run == "" {
		t.Fatalf("%s at %s\n%s", resp.Status, resp.Request.URL, page)
	}
	until(t, "the dry run ends", func() bool { page = c.page("/editor?run=" + run); return strings.Contains(page, "nothing was changed") })
	for _, want := range []string{"not sent", "answer made up", "Ann \\u0026 Bob", `value="Ann &amp; Bob"`, "it would return"} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "\\u0026", "&amp;")) {
			t.Errorf("no %q in the page", want)
		}
	}
	if n := w.shop.effects.Load() - effects; n != 0 {
		t.Errorf("the dry run had %d effects", n)
	}
	if status, _ := w.signIn(t, "dev").get("/editor?run=" + run); status != http.StatusNotFound {
		t.Errorf("another viewer gets %d", status)
	}

	form.Del("dry")
	resp, _ = c.do("POST", "/editor/run", form)
	if !strings.HasPrefix(resp.Request.URL.Path, "/runs/") {
		t.Errorf("a run leads to %s", resp.Request.URL)
	}
	made, err := w.store.Load(strings.TrimPrefix(resp.Request.URL.Path, "/runs/"))
	if err != nil {
		t.Fatal(err)
	}
	if made.Begin.Subject != "support" || made.Begin.Dry {
		t.Errorf("the run is %+v", made.Begin)
	}

	form.Set("name", "tell_shop")
	form.Set("about", "Tell the shop")
	resp, page = c.do("POST", "/editor/save", form)
	if resp.Request.URL.String() != w.url+"/editor?script=tell_shop" || !strings.Contains(page, "Saved.") || !strings.Contains(page, "Tell the shop") {
		t.Errorf("saving leads to %s\n%s", resp.Request.URL, page)
	}
	if status, _ := w.signIn(t, "dev").get("/editor?script=tell_shop"); status != http.StatusNotFound {
		t.Errorf("another viewer sees the saved script: %d", status)
	}
	form.Set("script", "Return(x)")
	if _, page := c.post("/editor/save", form); !strings.Contains(page, "the check found errors") || !strings.Contains(page, "undefined: x") || !strings.Contains(page, "Return(x)") {
		t.Errorf("a wrong script: %s", page)
	}
	form.Set("name", "../x")
	if _, page := c.post("/editor/save", form); !strings.Contains(page, "was not saved") {
		t.Errorf("a wrong name: %s", page)
	}

	form.Set("script", "// keep me\n"+strings.Repeat("// much\n", 1<<18))
	for _, what := range []string{"run", "check"} { // which the host refuses
		for token, why := range map[string]string{"": "the script has more than", "support": "log for the reason"} {
			if status, page := w.signIn(t, token).post("/editor/"+what, form); status != http.StatusOK || !strings.Contains(page, why) ||
				!strings.Contains(page, "// keep me") {
				t.Errorf("%s of a long script as %q: %d %.3000s", what, token, status, page)
			}
		}
		if resp, _ := c.do("GET", "/editor/"+what, nil); resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/editor" {
			t.Errorf("GET /editor/%s leads to %s: %s", what, resp.Request.URL, resp.Status)
		}
	}
}

func TestTheEditorBeginsWith(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "support")
	for path, want := range map[string]string{
		"/editor?script=late_orders":        "UseTools(",
		"/editor?tool=tickets.close_ticket": "tickets.CloseTicket(tickets.CloseTicketParams{",
		"/editor?run=" + w.runs["late"]:     "tickets.CreateTicket",
	} {
		if page := c.page(path); !strings.Contains(page, want) {
			t.Errorf("%s: no %s in\n%s", path, want, page)
		}
	}
	for _, path := range []string{"/editor?script=none", "/editor?tool=no.tool", "/editor?tool=ledger.get_entry", "/editor?run=none",
		"/editor?run=" + w.runs["log"]} { // policy denies support the ledger; the run is dev's
		if status, _ := c.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

type name struct{ Name, Kind, Says, Doc, Params, Result, Type, Hue string }

func TestNamesToComplete(t *testing.T) {
	c := demo(t).signIn(t, "support")
	names := func(query string) map[string]name {
		t.Helper()
		out := map[string]name{}
		for _, n := range answer[struct{ Names []name }](c, "GET", "/editor/names"+query, nil).Names {
			out[n.Name] = n
		}
		return out
	}
	all := names("")
	if got := all["shop"]; got.Kind != "namespace" || got.Says != "4 tools" || got.Hue == "" { // one of five is denied to all
		t.Errorf("shop: %+v", got)
	}
	if _, ok := all["ledger"]; ok {
		t.Error("the ledger, which is denied, is offered")
	}
	if got := all["json"]; got.Says != "encoding/json" {
		t.Errorf("json: %+v", got)
	}
	shop := names("?of=shop")
	if got := shop["GetOrder"]; got.Params != "GetOrderParams" || got.Result != "GetOrderResult" || !strings.HasPrefix(got.Doc, "Get one order") {
		t.Errorf("GetOrder: %+v", got)
	}
	if _, ok := shop["DeleteOrder"]; ok {
		t.Error("a denied tool is offered")
	}
	if got := names("?of=strings")["ToUpper"]; got.Kind != "function" || got.Says != "(s string) string" {
		t.Errorf("ToUpper: %+v", got)
	}
	if got := names("?of=os"); got["ReadFile"].Name != "" {
		t.Errorf("a refused function is offered: %+v", got["ReadFile"])
	}
	if got := names("?of=ledger"); len(got) != 0 {
		t.Errorf("the ledger: %v", got)
	}
	types := answer[struct{ Types map[string][]name }](c, "GET", "/editor/names?of=shop&type=ListOrdersResult", nil).Types
	fields := map[string]string{}
	for _, f := range types["ListOrdersResult"] {
		fields[f.Name] = f.Says
	}
	want := map[string]string{"Orders": fields["Orders"], "Text": "() string", "JSON": "(v any) error", "Raw": "() []byte", "Images": "() []Image", "String": "() string"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
	element := strings.TrimPrefix(fields["Orders"], "[]")
	if len(types[element]) != 4 {
		t.Errorf("%s has %+v", element, types[element])
	}
	if got := answer[struct{ Types map[string][]name }](c, "GET", "/editor/names?of=ledger&type=GetEntryParams", nil).Types; len(got) != 0 {
		t.Errorf("types of a denied tool: %v", got)
	}
}
