// What all pages of the console add where scripts may run: the theme, "/" to the
// search field, and parts that follow what happens. Nothing here is needed to read a
// page. Texts are never made markup here: parts come from the server's templates.

export const $ = (s, at = document) => at.querySelector(s);
export const $$ = (s, at = document) => [...at.querySelectorAll(s)];

// el makes an element; strings among its children are texts.
export function el(tag, props = {}, ...kids) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...kids);
  return e;
}

// post sends a form's fields and returns the answer.
export function post(url, fields = {}) {
  return fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "follow" });
}

// inField says that a key is meant for what is typed into.
export const inField = (e) => !!e.target.closest?.("input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable],.cm-host") || e.ctrlKey || e.metaKey || e.altKey;

{ // the theme: as the system, light, dark
  const button = $("#theme"), root = document.documentElement, words = ["auto", "light", "dark"];
  button?.addEventListener("click", () => {
    const now = words[(words.indexOf(root.dataset.theme ?? "auto") + 1) % 3];
    if (now === "auto") delete root.dataset.theme; else root.dataset.theme = now;
    button.setAttribute("aria-label", `Theme: ${now}`);
    button.lastElementChild.textContent = now;
    fetch("/theme?to=" + now, { method: "POST" });
  });
}

addEventListener("keydown", (e) => {
  if (e.key === "/" && !inField(e)) {
    const field = $("input[type=search]");
    if (field) { e.preventDefault(); field.focus(); field.select(); }
  }
});

// refresh gets the page again and replaces its parts that have changed: elements with
// an id and data-part. A part in which somebody is typing, or with data-part="keep"
// while it has the focus, stays.
let busy = false, again = false;
export async function refresh() {
  if (document.hidden) return; // it is got when it is seen again
  if (busy) { again = true; return; }
  busy = true;
  try {
    const answer = await fetch(location.href, { headers: { "X-Part": "1" } });
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of $$("[data-part][id]")) {
        const now = page.getElementById(part.id);
        if (!now || now.isEqualNode(part)) continue;
        if (part.contains(document.activeElement) && (part.dataset.part === "keep" || inField({ target: document.activeElement }))) continue;
        const id = part.contains(document.activeElement) ? document.activeElement.id : "";
        const fresh = document.importNode(now, true);
        part.replaceWith(fresh);
        if (id) document.getElementById(id)?.focus({ preventScroll: true });
        fresh.dispatchEvent(new CustomEvent("part", { bubbles: true }));
      }
    }
  } catch { /* the stream says when the server is there again */ }
  busy = false;
  if (again) { again = false; setTimeout(refresh, 200); }
}

{ // what happens on the server. A page that nobody sees holds no connection (browsers
  // have six for a server) and catches up when it is seen again.
  const topics = document.body.dataset.live, mark = $("#live");
  let source = null;
  const say = (on) => { if (mark) { mark.hidden = false; mark.classList.toggle("off", !on); mark.textContent = on ? "live" : "not live"; } };
  function follow(catchUp) {
    source = new EventSource("/events?topics=" + encodeURIComponent(topics));
    source.onopen = () => { say(true); if (catchUp) refresh(); catchUp = true; };
    source.onerror = () => say(false);
    source.onmessage = (e) => { if (document.dispatchEvent(new CustomEvent("news", { detail: e.data, cancelable: true }))) refresh(); };
  }
  const look = (catchUp) => {
    if (document.hidden) { source?.close(); source = null; } else if (!source) follow(catchUp);
  };
  if (topics) {
    look(false);
    addEventListener("visibilitychange", () => look(true));
    addEventListener("pagehide", () => { source?.close(); source = null; });
    addEventListener("pageshow", (e) => { if (e.persisted) look(true); });
  }
}
