// The page of tools: searches while a phrase is typed.
import { $ } from "./console.js";

const form = $("#find"), field = $("#q"), tools = $("#tools"), said = $("#toolsaid"), count = $("#toolcount");
document.addEventListener("part", (e) => {
  if (e.target.id === "notools") location.reload(); // the list appeared or disappeared
  if (e.target.id === "result" && count) count.textContent = e.target.dataset.count;
});
const pause = 90, quiet = 700; // ms after a key until the search, and until its result is announced

if (form && tools) {
  const apply = $("#narrow");
  if (apply) apply.hidden = true;
  if (matchMedia("(max-width: 760px)").matches) $(".facets").open = false;

  let asked = null, timer = 0, telling = 0, shown = address();

  function address() {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) query.append(name, value);
    return form.getAttribute("action") + (query.size ? "?" + query : "");
  }

  async function ask() {
    const to = address();
    if (to === shown) return;
    asked?.abort();
    const mine = asked = new AbortController();
    try {
      const answer = await fetch(to, { headers: { "X-Part": "result" }, signal: mine.signal });
      if (!answer.ok) return form.submit();
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== asked) return;
      shown = to;
      history.replaceState(history.state, "", to);
      const open = $(".feats", tools)?.open;
      for (const id of ["result", "chosen"]) document.getElementById(id)?.replaceWith(document.importNode(part.getElementById(id), true));
      if (open && $(".feats", tools)) $(".feats", tools).open = true;
      const result = $("#result");
      tools.classList.toggle("flat", !$(".whyt, #h-v", result));
      if (count) count.textContent = result.dataset.count;
      clearTimeout(telling);
      telling = setTimeout(() => { said.textContent = result.dataset.said; }, quiet);
    } catch (e) {
      if (e.name !== "AbortError") { shown = ""; said.textContent = "The server did not answer."; }
    }
  }
  const soon = () => { clearTimeout(timer); timer = setTimeout(ask, pause); };
  field.addEventListener("input", soon);
  tools.addEventListener("change", (e) => { if (e.target.form === form) soon(); });
  form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(timer); ask(); });
}

// A tool's page: buttons copy texts, and an approval is sent once.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    } catch { button.textContent = "Not allowed"; }
  });
}
for (const once of document.querySelectorAll("form[data-once]")) {
  let sent = false;
  once.addEventListener("submit", (e) => { if (sent) e.preventDefault(); sent = true; });
}
