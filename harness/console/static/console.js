// JavaScript of all pages: the theme, "/" for the search field, and live parts. Pages are
// readable without it. It never turns texts into markup: parts come from the server's
// templates.

export const $ = (s, at = document) => at.querySelector(s);
export const $$ = (s, at = document) => [...at.querySelectorAll(s)];

// el creates an element; string children are texts.
export function el(tag, props = {}, ...kids) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...kids);
  return e;
}

// inField reports whether a key event belongs to an input field or a browser shortcut.
export const inField = (e) => !!e.target.closest?.("input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable],.cm-host") || e.ctrlKey || e.metaKey || e.altKey;

// keysOn reports whether keys without Ctrl or Alt are shortcuts. The page of approvals has the
// switch.
export const keysOn = () => localStorage.getItem("usetools_keys") !== "off";

{ // the theme: auto, light or dark
  const button = $("#theme"), root = document.documentElement, words = ["auto", "light", "dark"];
  button.hidden = false;
  button?.addEventListener("click", () => {
    const now = words[(words.indexOf(root.dataset.theme ?? "auto") + 1) % 3];
    if (now === "auto") delete root.dataset.theme; else root.dataset.theme = now;
    button.setAttribute("aria-label", `Theme: ${now}`);
    button.lastElementChild.textContent = now;
    fetch("/theme?to=" + now, { method: "POST" });
  });
}

addEventListener("keydown", (e) => {
  if (e.key === "/" && keysOn() && !inField(e)) {
    const field = $("input[type=search]");
    if (field) { e.preventDefault(); field.focus(); field.select(); }
  }
});

// The last HTML of each part from the server. New HTML is compared with it, because scripts
// change the displayed part.
const sent = new Map();
for (const p of document.body.dataset.live ? $$("[data-part][id]") : []) sent.set(p.id, p.outerHTML);

// held reports whether a part is in use: it has an open menu, typed text or, with data-part
// "keep", the focus.
const held = (part, at) => $("details:is(.menu,.ask)[open]", part) || $$("input,textarea", part).some((f) => f.value !== f.defaultValue)
  || part.contains(at) && (part.dataset.part === "keep" || inField({ target: at }));

// known returns a selector for the same element in a new copy of its part.
const known = (e) => e.localName + ["id", "href", "name", "value", "data-zoom"].map((a) => e.hasAttribute(a) ? `[${a}="${CSS.escape(e.getAttribute(a))}"]` : "").join("");

// refresh fetches the page and replaces changed parts: elements with an id and data-part.
// Parts in use are replaced later.
let busy = false, again = false, late = false;
export async function refresh() {
  if (document.hidden) return; // fetched when the page is visible again
  if (busy) { again = true; return; }
  busy = true;
  try {
    const answer = await fetch(location.href, { headers: { "X-Part": "1" } });
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      late = false;
      for (const part of $$("[data-part][id]")) {
        const now = page.getElementById(part.id), html = now?.outerHTML, at = document.activeElement;
        if (!now || html === sent.get(part.id)) continue;
        if (held(part, at)) { late = true; continue; }
        sent.set(part.id, html);
        if (now.isEqualNode(part)) continue;
        const back = part.contains(at) && known(at), i = back && $$(back, part).indexOf(at);
        const fresh = document.importNode(now, true);
        part.replaceWith(fresh);
        fresh.dispatchEvent(new CustomEvent("part", { bubbles: true }));
        if (back) $$(back, fresh)[i]?.focus({ preventScroll: true });
      }
      follow(page.body.dataset.live);
    } else if (answer.status === 401) say(false, "signed out: open the page again");
  } catch { /* the stream reconnects when the server is available */ }
  busy = false;
  if (again) { again = false; setTimeout(refresh, 200); }
}
for (const end of ["focusout", "toggle", "reset"]) addEventListener(end, () => { if (late) setTimeout(refresh); }, true);

// Server-sent events. A hidden page holds no connection (browsers permit six for each server)
// and catches up when it is visible again.
let source = null, topics = "", anew = 0;
function say(on, text = on ? "live" : "not live") {
  const mark = $("#live");
  if (mark) { mark.hidden = false; mark.classList.toggle("off", !on); mark.textContent = text; }
}
function stop() { source?.close(); source = null; }
function listen(catchUp) {
  if (document.hidden) return stop();
  if (source || !topics) return;
  source = new EventSource("/events?topics=" + encodeURIComponent(topics));
  source.onopen = () => { say(true); if (catchUp) refresh(); catchUp = true; };
  source.onerror = () => {
    say(false);
    if (source?.readyState !== 2) return; // the browser reconnects
    stop(); // a status other than 200 closes it for good
    refresh(); // shows if the browser is signed out
    clearTimeout(anew);
    anew = setTimeout(() => listen(true), 5000);
  };
  source.onmessage = (e) => { if (document.dispatchEvent(new CustomEvent("news", { detail: e.data, cancelable: true }))) refresh(); };
}
// follow listens for topics. A page without topics keeps its previous ones.
function follow(now) {
  if (!now || now === topics) return;
  const catchUp = topics !== "";
  topics = now;
  stop();
  listen(catchUp);
}
follow(document.body.dataset.live);
addEventListener("visibilitychange", () => listen(true));
addEventListener("pagehide", stop);
addEventListener("pageshow", (e) => { if (e.persisted) listen(true); });
