// The page of pending calls: counts the ticked calls, handles keys, and shows when the calls
// have changed. Only the buttons of the form send an answer.

import { $, $$, inField, keysOn } from "./console.js";

const ask = $("#ask"), form = ask && $("form", ask), yes = $("#yes"), no = $("#no"), word = $("#word");
const ticks = form ? $$("tbody input[name=ids], .each input[name=ids]:not([disabled])", form) : [];
const all = $("#tick-all");

// count updates the number of ticked calls in the button.
function count() {
  if (!yes || !ticks.length) return;
  const n = ticks.filter((t) => t.checked).length;
  yes.firstElementChild.textContent = n === ticks.length ? `Approve these ${n}` : n ? `Approve these ${n} of ${ticks.length}` : "No call ticked";
  yes.disabled = no.disabled = !n;
  if (all) { all.checked = n === ticks.length; all.indeterminate = n > 0 && n < ticks.length; }
}
if (form) {
  if (all) {
    all.hidden = false;
    all.addEventListener("change", () => { for (const t of ticks) t.checked = all.checked; count(); });
  }
  form.addEventListener("change", count);
  form.addEventListener("submit", (e) => { // only once
    if (form.dataset.sent) { e.preventDefault(); return; }
    form.dataset.sent = "1";
    setTimeout(() => { for (const b of $$("button[name]", form)) b.disabled = true; });
  });
  word?.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && !e.isComposing) { e.preventDefault(); if (!e.repeat) form.requestSubmit(no); }
    if (e.key === "Escape") ask.focus();
  });
  // The address of this question, so that a refresh fetches the same one.
  const id = form.elements.at.value;
  if (location.pathname === "/approvals") history.replaceState(null, "", "/approvals/" + id);
  addEventListener("pageshow", () => { delete form.dataset.sent; for (const b of $$("button[name]", form)) b.disabled = false; count(); });
  count();
}

// The panel does not change while a person reads it. It shows a notice if its calls have
// changed.
const state = () => $("#inbox a[aria-current]")?.dataset.state ?? "";
let shown = state();
document.addEventListener("part", (e) => {
  if (e.target.id === "waits") location.reload(); // the first question: the code above is bound to no form
  const changed = $("#changed");
  if (e.target.id !== "inbox" || !changed || state() === shown) return;
  shown = state();
  $("a", changed).href = shown ? location.pathname : "/approvals";
  changed.hidden = false;
});

{ // keyboard shortcuts, which can be turned off
  const help = $("#keys"), button = help && $("button", help);
  let on = keysOn();
  const tell = () => { button.setAttribute("aria-pressed", on); help.classList.toggle("off", !on); };
  if (help) {
    help.hidden = false;
    tell();
    button.addEventListener("click", () => { on = !on; localStorage.setItem("usetools_keys", on ? "on" : "off"); tell(); });
  }
  const links = () => $$("#inbox a");
  // step moves to the next row, and from the last row to the next question.
  function step(by) {
    const at = ticks.indexOf(document.activeElement);
    const next = ticks[at < 0 ? (by > 0 ? 0 : -1) : at + by];
    if (next) { next.focus(); return; }
    const list = links(), here = list.findIndex((a) => a.ariaCurrent);
    list[here + by]?.click();
  }
  addEventListener("keydown", (e) => {
    const typing = inField(e) && e.target.type !== "checkbox";
    if (!on || !ask || typing || e.ctrlKey || e.metaKey || e.altKey || e.repeat) return;
    switch (e.key.toLowerCase()) {
      case "j": step(1); break;
      case "k": step(-1); break;
      case "x": {
        const t = document.activeElement;
        if (!ticks.includes(t)) return;
        t.checked = !t.checked;
        count();
        break;
      }
      case "y": // only if the question has the focus
        if (!yes || yes.disabled) return;
        if (ask.contains(document.activeElement)) form.requestSubmit(yes); else ask.focus();
        break;
      case "n":
        if (!word) return;
        setTimeout(() => word.focus()); // after the key event, so that the key is not typed into the field
        break;
      default: return;
    }
    e.preventDefault();
  });
}
