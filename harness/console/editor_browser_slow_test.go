//go:build slow

package console_test

import (
	"fmt"
	"strings"
	"testing"

	keys "github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const editedScript = `UseTools("list the shop's orders by status", "open a ticket")

limit := 200
_ = Input("limit", &limit)

paid, err := shop.ListOrders(shop.ListOrdersParams{Status: "paid", Limti: limit})
if err != nil {
	panic(err)
}
for _, o := range paid.Orders {
	if o.Total < 1000 {
		continue
	}
	t, err := tickets.CreateTicket(tickets.CreateTicketParams{
		Queue: "shop",
		Title: fmt.Sprintf("Order %d is worth a call", o.ID),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(t.Key, o.Customer)
}
Return(len(paid.Orders))
`

// inEditor is an expression in the shadow root of the editor.
const inEditor = `document.querySelector(".cm-host").shadowRoot`

// A script is marked while it is typed, mended by a button, completed from the tools,
// and run dry.
func TestEditing(t *testing.T) {
	w := newDemo(t, "late", "dry")
	b := w.openTab(t, "")
	b.open("/editor")
	b.wait(inEditor + `.activeElement?.classList.contains("cm-content")`)
	b.picture("editor-empty", false)
	b.insert(editedScript)
	b.wait(inEditor + `.querySelectorAll(".mark").length === 1`)
	b.wait(`document.querySelector("#run").disabled`)
	for _, scheme := range []string{"light", "dark"} {
		b.like("prefers-color-scheme", scheme)
		b.picture("editor-marks-"+scheme, true)
	}
	b.like()
	b.press(kb.F8)
	b.wait(inEditor + `.querySelector(".cm-announced")?.textContent.includes("unknown field Limti")`)
	mend := func(says string) {
		t.Helper()
		b.wait(fmt.Sprintf(`[...%s.querySelectorAll(".mark button")].find((x) => x.textContent.includes(%q))`, inEditor, says))
		eval[bool](b, fmt.Sprintf(`([...%s.querySelectorAll(".mark button")].find((x) => x.textContent.includes(%q)).click(), true)`, inEditor, says))
	}
	mend("Use Limit")
	b.wait(`document.querySelector("#code").dataset.checked === "ok" && !document.querySelector("#run").disabled`)
	b.waitText("#may", "effects through tickets.create_ticket")
	b.waitText("#run", "Run with 1 effect")
	b.waitText("#inputs", "if empty: 200")

	// nothing has run by typing; Ctrl-Enter runs it dry
	runs := func() (n int) {
		for range w.store.List(t.Context(), nil) {
			n++
		}
		return n
	}
	before := runs()
	if before != len(w.runs) {
		t.Errorf("there are %d runs, want %d: nothing runs by typing", before, len(w.runs))
	}
	b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.waitText("#ledger", "not sent")
	b.waitText("#ledger", "it would return")
	if n := runs(); n != before+1 {
		t.Errorf("there are %d runs, want %d", n, before+1)
	}

	// completions: after a variable, in a literal, of a server
	complete := func(text, want string) {
		t.Helper()
		b.press(kb.Escape)
		b.insert(text)
		b.do(chromedp.KeyEvent(" ", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.wait(fmt.Sprintf(`%s.querySelector(".cm-tooltip-autocomplete")?.textContent.includes(%q)`, inEditor, want))
	}
	eval[bool](b, `(window.focus(), true)`)
	b.press(kb.End)
	complete("\nfor _, o := range paid.Orders { o.", "Customer")
	b.picture("editor-completion", false)
	complete("ID }\nshop.GetOrder(shop.GetOrderParams{", "ID")
	complete("})\ntickets.", "ListChanges")
	complete("X\nstrings.", "ToUpper")

	b = w.openTab(t, "")
	b.open("/editor?run=" + w.runs["dry"])
	b.waitText("#ledger", "not sent")
	b.wait(`[...document.querySelectorAll("#ledger tr")].some((r) => r.cells[0].textContent === "shop.get_order" && r.cells[1].textContent === "14")`)
	b.wait(`document.querySelector("#code").dataset.checked === "ok"`)
	b.picture("editor-ledger", true)
	b.size(360, 740)
	b.fits("editor at 360")
	b.picture("editor-ledger-360", true)
}

// A save that fails leaves the page and the draft as they are; one that does not ends the
// draft. What is typed after coming back is guarded again.
func TestADraftLivesUntilItIsSaved(t *testing.T) {
	w := newDemo(t, "short")
	b := w.openTab(t, "support")
	dialogs := chromedp.Events(b.ctx, page.JavascriptDialogOpening)
	go func() { // yes, leave
		for range dialogs {
			if _, err := chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}); err != nil {
				return
			}
		}
	}()
	guarded := func(want bool) {
		t.Helper()
		if got := eval[bool](b, `!dispatchEvent(new Event("beforeunload", { cancelable: true }))`); got != want {
			t.Errorf("leaving asks first: %v, want %v", got, want)
		}
	}
	text := func(want string) {
		t.Helper()
		b.wait(fmt.Sprintf(`%s.querySelector(".cm-content").innerText.trim() === %q`, inEditor, want))
	}
	ready := func() {
		t.Helper()
		b.wait(`document.querySelector(".cm-host")?.shadowRoot.querySelector(".cm-content")`)
	}
	typed := func(s string) {
		t.Helper()
		eval[bool](b, fmt.Sprintf(`(%s.querySelector(".cm-content").focus(), true)`, inEditor))
		b.insert(s)
	}
	b.open("/editor")
	ready()
	typed("Return(1)")
	b.wait(`!document.querySelector("#run").disabled && document.querySelector("#code").dataset.checked === "ok"`)
	b.click("#keep summary")
	b.fill("#keep [name=name]", "no name!")
	b.click("#save")
	b.waitText("#unsaved", "Not saved: ")
	text("Return(1)")
	guarded(true)
	b.open("/editor") // the draft is there again
	ready()
	text("Return(1)")
	b.waitText("#draft", "draft of")

	b.click("#run") // it leads away without a question, and back
	b.wait(`location.pathname.startsWith("/runs/")`)
	eval[bool](b, `(history.back(), true)`)
	b.wait(`location.pathname === "/editor" && document.querySelector(".cm-host")`)
	text("Return(1)")
	guarded(true)

	b.click("#keep summary")
	b.fill("#keep [name=name]", "one")
	b.press(kb.Enter) // in the field of the name
	b.wait(`location.search === "?script=one" && document.querySelector(".cm-host")`)
	text("Return(1)")
	guarded(false)
	if got := eval[int](b, `sessionStorage.length`); got != 0 {
		t.Errorf("%d drafts of a script that is saved", got)
	}
	b.open("/editor")
	ready()
	guarded(false)
	if got := eval[string](b, inEditor+`.querySelector(".cm-content").textContent`); !strings.HasPrefix(got, "UseTools(") {
		t.Errorf("an empty editor says %q", got)
	}
	b.picture("editor-start", false)
}

// axe finds nothing in an editor with marks and a ledger.
func TestTheEditorIsAccessible(t *testing.T) {
	w := demo(t)
	b := w.openTab(t, "")
	for _, run := range []string{"dry", "compile"} {
		b.open("/editor?run=" + w.runs[run])
		b.wait(`document.querySelector("#code").dataset.checked`)
		for _, scheme := range []string{"light", "dark"} {
			b.like("prefers-color-scheme", scheme)
			b.accessible(run + " " + scheme)
		}
		b.like()
	}
}

// insert writes a text at once where the focus is.
func (b *tab) insert(text string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, keys.InsertText, keys.InsertTextParams{Text: text}); err != nil {
		b.t.Fatal(err)
	}
}
