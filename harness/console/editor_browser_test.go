package console_test

import (
	"fmt"
	"testing"

	keys "github.com/chromedp/cdproto/input"
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
	b.waitText("#may", "effects by tickets.create_ticket")
	b.waitText("#run", "Run with 1 effect")
	b.waitText("#inputs", "200 where nothing is sent")

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
	b.waitText("#ledger", "It would return")
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
	b.waitText("#ledger", "14 times sent")
	b.wait(`document.querySelector("#code").dataset.checked === "ok"`)
	b.picture("editor-ledger", true)
	b.size(360, 740)
	b.fits("editor at 360")
	b.picture("editor-ledger-360", true)
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
