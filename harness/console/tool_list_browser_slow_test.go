//go:build slow

package console_test

import "testing"

// The answer to a phrase comes while it is typed, its address is that of the page, and
// it is said to who does not see it.
func TestToolsAreFoundWhileAPhraseIsTyped(t *testing.T) {
	b := demo(t).openTab(t, "")
	b.open("/tools")
	b.click("#q")
	b.press("refund a customer")
	b.waitText("#h-v", "shop.RefundPayment")
	b.wait(`location.search == "?q=refund+a+customer"`)
	b.waitText("#chosen", "func shop.RefundPayment")
	b.wait(`document.querySelector("#toolsaid").textContent.includes("means shop.refund_payment")`)
	b.wait(`document.activeElement.id == "q"`)
	b.click(`input[name=server][value=git]`)
	b.wait(`document.querySelector("#result").dataset.said.includes("0 tools") || ` +
		`[...document.querySelectorAll(".toolt .tool")].every(e => e.textContent.startsWith("git."))`)
	b.wait(`location.search.includes("server=git")`)
}

// A form says beside its fields what is wrong, asks before an effect, and is usable by
// all in each of these states.
func TestAToolIsTriedInTheBrowser(t *testing.T) {
	w := newDemo(t, "compile")
	b := w.openTab(t, "")
	b.allowing("422")
	looks := func(name string) {
		b.accessible(name)
		b.like("prefers-color-scheme", "dark")
		b.accessible(name + ", dark")
		b.like()
		b.size(360, 740)
		b.fits(name + " at 360")
		b.accessible(name + ", 360 px")
		b.size(1440, 1000)
	}
	b.open("/tools?server=git&server=shop")
	looks("a list")
	b.open("/tools/shop.refund_payment")
	looks("a tool")
	b.fill(`[name="a/order"]`, "12a")
	b.fill(`[name="a/amount"]`, "5")
	b.click("#try .btn.first")
	b.waitText("#try", "must be a whole number")
	looks("an error")
	eval[string](b, `document.querySelector('[name="a/order"]').value = ""`)
	b.fill(`[name="a/order"]`, "10371")
	b.click("#try .btn.first")
	b.waitText("#askargs", `{"amount":5,"order":10371}`)
	looks("a call that is shown")
	b.click(".askp .btn.first")
	b.wait(`location.pathname.startsWith("/runs/")`)
}
