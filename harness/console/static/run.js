// The page of a run: connects lines, bars, rows of the table and the panel; adds keys, zoom
// and the thread. The server draws everything except ticks, two paths, and links on the bars
// of long runs. A part that the server sends again is connected again.
import { $, $$, el, inField, keysOn } from "./console.js";

const svg = (tag, attrs) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  return e;
};
const most = 200, kin = 60; // maximum calls for a line through the calls of main, of a goroutine
const number = (a) => +(a.getAttribute("href").split("#c")[1] ?? 0); // of #c12, ?calls=2#c112

// The state that survives a refresh of the timeline: chosen call, zoom, pressed buttons.
const kept = { chosen: 0, x: 0, w: 100, fold: null, thread: true };
const panels = new Map(); // HTML of ended calls, by number
let s = null; // the timeline

const detail = $("#detail"), say = $("#say");

class Timeline {
  constructor(root) {
    this.root = root;
    const data = JSON.parse($("#data", root).textContent);
    this.data = data;
    this.bars = new Map($$(".lane a", root).map((a) => [number(a), a]).filter(([n]) => n));
    this.rows = new Map($$(".row[id]", root).map((r) => [r.id, r]));
    // ordered by start
    this.calls = data.calls.map(([n, row, t, ms, g, look, lane, tool]) => {
      const [hue, word] = data.looks[look].split("|");
      return { n, row: data.rows[row], t, ms, g: data.paths[g], look: hue, word, bad: / x/.test(hue), lane, tool };
    });
    this.at = new Map(this.calls.map((c, i) => [c.n, i]));
    this.byRow = Map.groupBy(this.calls, (c) => c.row);
    this.byPath = Map.groupBy(this.calls, (c) => c.g);
    this.lines = [...this.rows.keys()].filter((id) => this.byRow.has(id)); // in page order
    this.rowsOfTable();
    this.zs = $$("svg.z", root);
    this.strips = $$(".lane[data-from]", root);
    this.axis = $("#axis", root);
    this.under = $(".under", root);
    this.thread = $("#thread", root);
    this.chain = $("#chain", root);
    this.lit = [];
    this.on = [];
    this.over = "";
    this.step = 0;
    for (const b of this.bars.values()) b.setAttribute("tabindex", "-1");
    if (data.many) for (const l of $$("svg.lane[aria-hidden]:not(.prints)", root)) l.removeAttribute("aria-hidden"); // without JavaScript, screen readers read only the table
    for (const b of $$("#fold, #thr, .zoom", root)) b.hidden = false;
    this.listen();
  }

  rowsOfTable() { this.table = new Map($$(".calls tbody tr").map((r) => [+r.id.slice(1), r])); }
  // span returns the position and the width of a bar, in percent of the run.
  span(c) {
    const x = this.x(c.t);
    return [x, !c.ms && / (made|rec)/.test(c.look) ? .8 : Math.max(this.x(c.t + c.ms) - x, .12)];
  }
  // bar returns the link of a call. In long runs, where a lane is a path, it creates the link
  // on first use.
  bar(n) {
    const c = !this.bars.has(n) && this.call(n), lane = c && $$(".l", this.rows.get(c.row))[c.lane];
    if (lane) {
      const [x, width] = this.span(c), ms = c.ms < 1000 ? +c.ms.toFixed(1) + " ms" : +(c.ms / 1000).toFixed(2) + " s";
      const a = svg("a", { href: this.table.has(n) ? "#c" + n : `?calls=${Math.ceil(n / 100)}#c${n}`, tabindex: -1,
        "aria-label": `call ${n} of ${this.data.total}, line ${c.row.replace(/.*L/, "")}, ${this.data.tools[c.tool]}, ${ms}${c.word && ", " + c.word}` });
      a.append(svg("rect", { class: "b " + c.look, x: x + "%", width: width + "%", height: 10 }));
      lane.append(a);
      this.bars.set(n, a);
    }
    return this.bars.get(n);
  }
  rect(n) { return this.bar(n)?.firstElementChild; }
  // hit returns the number of the call under a pointer, or 0.
  hit(e) {
    const a = e.target.closest?.(".lane a"), lane = e.target.closest?.(".l");
    if (a || !lane) return a ? number(a) : 0;
    const at = this.percent(e), row = lane.closest(".row"), i = $$(".l", row).indexOf(lane);
    const far = (c) => { const [x, w] = this.span(c); return Math.max(x - at, at - x - w); };
    return this.byRow.get(row.id).filter((c) => c.lane === i).reduce((a, c) => far(c) < far(a) ? c : a).n;
  }
  // percent returns the position of a pointer, in percent of the run.
  percent(e) {
    const r = this.axis.getBoundingClientRect();
    return ((e.clientX - r.left) / r.width * 100 - kept.x) / kept.w * 100;
  }
  call(n) { return this.calls[this.at.get(n)]; }
  // isStrip reports whether the lane of a call shows a density strip. Its bars are invisible
  // until the lane is zoomed, but take the focus, which zooms it.
  isStrip(c) { return !!c && !!this.rows.get(c.row).querySelector(".lane.strip:not(.close)"); }

  // ---- connections
  light(list) {
    for (const e of this.lit) e.classList.remove("near");
    this.lit = list.filter(Boolean);
    for (const e of this.lit) e.classList.add("near");
  }
  hover(n, row) {
    const c = this.call(n);
    if (c) this.light([this.rect(n), this.rows.get(c.row), this.table.get(n)]);
    else this.light(this.byRow.has(row) ? [this.rows.get(row)] : []);
    this.later(n || kept.chosen);
  }
  // choose selects a call. from says what selected it: "", "bar", "key", "panel", "link".
  choose(n, { focus = true, from = "" } = {}) {
    if (!(n > 0)) return; // before the first call, or after the last
    const c = this.call(n);
    if (!c) { // not drawn
      if (from) { kept.chosen = n; this.mark(null, this.table.get(n)); show(n, from); }
      return;
    }
    kept.chosen = n;
    if (from) this.reveal(c);
    const bar = this.bar(n);
    this.mark(c, this.table.get(n));
    bar.setAttribute("tabindex", "0"); // one Tab stop; arrow keys reach the others
    if (focus) bar.focus({ preventScroll: true });
    if (this.stop && this.stop !== bar) this.stop.setAttribute("tabindex", "-1"); // after the focus left it; before, it would cost a layout
    this.stop = bar;
    if (from) {
      show(n, from);
      this.rows.get(c.row)?.scrollIntoView({ block: "nearest" });
      if (from !== "link") history.replaceState(null, "", "#c" + n);
    }
    if (from === "panel") say.textContent = bar.getAttribute("aria-label");
    this.later();
  }
  mark(c, row) {
    for (const e of this.on) e.classList.remove("on", "kin");
    this.on = [row].filter(Boolean);
    if (c) this.on.push(this.rect(c.n), this.rows.get(c.row));
    for (const e of this.on) e?.classList.add("on");
    const of = c?.g ? this.byPath.get(c.g) : [];
    if (of.length <= kin) for (const k of of) {
      this.rect(k.n).classList.add("kin");
      this.on.push(this.rect(k.n));
    }
  }

  // ---- the thread: the path of main through its calls; the chain: a goroutine from its start
  x(t) { // percent of the run
    for (const [a, b, x0, x1] of this.data.segs) if (t <= b) return b > a ? x0 + (x1 - x0) * Math.max(0, t - a) / (b - a) : x0;
    return 100;
  }
  px(t) { return (kept.x + this.x(t) * kept.w / 100) / 100 * this.under.clientWidth; }
  later(n = kept.chosen) { cancelAnimationFrame(this.soon); this.soon = requestAnimationFrame(() => this.draw(n)); }
  draw(n) {
    if (!this.under.clientWidth) return; // no room on small screens
    const zero = this.under.getBoundingClientRect().top;
    const path = (list, d) => {
      for (const c of list) {
        const bar = this.rect(c.n)?.getBoundingClientRect();
        if (!bar?.height || this.isStrip(c)) continue;
        const top = (bar.top - zero + bar.height / 2).toFixed(1);
        d += d ? `V${top}H${this.px(c.t).toFixed(1)}` : `M${this.px(0).toFixed(1)} ${top}H${this.px(c.t).toFixed(1)}`;
        d += `m${(this.px(c.t + c.ms) - this.px(c.t)).toFixed(1)} 0`;
      }
      return d;
    };
    this.thread.setAttribute("d", kept.thread && this.calls.length <= most ? path(this.byPath.get("") ?? [], "") : "");
    const c = this.call(n), go = c?.g.match(/^(?:.*\/)?(\d+):\d+#[^/]*$/);
    const start = go && this.rows.get(c.row.replace(/\d+$/, go[1])); // the line that started the goroutine
    const all = start ? this.byPath.get(c.g) : [];
    this.chain.setAttribute("d", all.length && all.length <= kin ? path(all, `M${this.px(all[0].t).toFixed(1)} ${start.offsetTop + 10}`) : "");
  }

  // ---- zoom: every lane is an SVG within an SVG, with x and width in percent
  zoom(x, w) {
    w = Math.min(4000, Math.max(100, w));
    x = Math.min(0, Math.max(100 - w, x));
    kept.x = x; kept.w = w;
    for (const l of this.strips) l.classList.toggle("close", w / 100 >= +l.dataset.from);
    cancelAnimationFrame(this.asked);
    this.asked = requestAnimationFrame(() => this.apply());
  }
  apply() {
    for (const z of this.zs) { z.setAttribute("x", kept.x + "%"); z.setAttribute("width", kept.w + "%"); }
    this.ticks();
    this.draw(kept.chosen);
  }
  around(f, mid = 50) { this.zoom(mid - (mid - kept.x) * f, kept.w * f); }
  // reveal zooms and scrolls so that a call's bar is visible.
  reveal(c) {
    const lane = this.bar(c.n).closest(".lane"), least = +(lane.dataset.from ?? 0) * 100;
    const w = Math.max(kept.w, least), at = this.x(c.t);
    const x = kept.x + at * kept.w / 100;
    if (w !== kept.w || x < 0 || x > 96) {
      this.zoom(40 - at * w / 100, w);
      if (w !== 100) for (const z of $$("svg.z", lane)) { z.setAttribute("x", kept.x + "%"); z.setAttribute("width", kept.w + "%"); }
    }
  }
  // ticks: steps of 1, 2 or 5, at least about 80 px apart; none within a pause
  ticks() {
    const wide = this.axis.clientWidth * kept.w / 1e4; // pixels per percent of the run
    const first = this.data.segs.find(([a, b, x0, x1]) => b > a && x1 > x0);
    if (!first || !wide) return;
    const least = (first[1] - first[0]) / (first[3] - first[2]) * 80 / wide, ten = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].find((k) => k * ten >= least) * ten;
    if (step === this.step) return;
    this.step = step;
    const texts = [], marks = [];
    this.data.segs.forEach(([a, b, x0, x1], i) => {
      for (let t = i ? step : 0; t < b - a || (t === 0 && !i); t += step) {
        const x = b > a ? x0 + (x1 - x0) * t / (b - a) : x0;
        if (t > 0 && (x1 - x) * wide < 60) continue;
        if (texts.length > 2000) break;
        const text = svg("text", { x: x + "%", y: 13, dx: 4 });
        text.textContent = (i ? "+" : "") + (!t ? "0" : t >= 120e3 || step >= 60e3 ? +(t / 60e3).toFixed(2) + " min" : t >= 1000 ? +(t / 1000).toFixed(3) + " s" : +t.toFixed(3) + " ms");
        texts.push(text);
        marks.push(svg("line", { x1: x + "%", x2: x + "%", y1: 0, y2: "100%" }));
      }
    });
    const names = $("#ticks", this.root), lines = $("#lines", this.root);
    names.replaceChildren(...texts, ...$$(".w", names));
    lines.replaceChildren(...marks, ...$$(".brk, .now", lines));
  }

  // ---- pointer and keys: one listener each
  listen() {
    const { root, axis } = this, bar = (t) => { const a = t.closest?.(".lane a"); return a ? number(a) : 0; };
    root.addEventListener("pointermove", (e) => {
      const n = this.hit(e), row = e.target.closest(".row")?.id ?? "", key = n + ":" + row;
      if (key !== this.over) { this.over = key; this.hover(n, row); }
    });
    root.addEventListener("pointerleave", () => { this.over = ""; this.hover(0, ""); });
    root.addEventListener("click", (e) => {
      const zoom = e.target.closest("[data-zoom]");
      if (zoom) { zoom.dataset.zoom === "0" ? this.zoom(0, 100) : this.around(zoom.dataset.zoom === "+" ? 1.6 : 1 / 1.6); return; }
      const n = this.hit(e);
      if (n) { if (!e.ctrlKey && !e.metaKey) { e.preventDefault(); this.choose(n, { from: "bar" }); } return; }
      const row = e.target.closest(".row"), list = row && this.byRow.get(row.id);
      if (e.target.closest(".strip") && list) { // the call nearest in time
        const at = this.percent(e);
        this.choose(list.reduce((a, c) => Math.abs(this.x(c.t) - at) < Math.abs(this.x(a.t) - at) ? c : a).n, { from: "bar" });
      } else if (list && !e.target.closest("a,button") && !String(getSelection())) this.choose(list[0].n, { from: "bar" });
    });
    root.addEventListener("focusin", (e) => {
      const n = bar(e.target);
      if (n && (n !== kept.chosen || this.isStrip(this.call(n)))) this.choose(n, { focus: false, from: "bar" });
    });
    root.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const n = bar(e.target);
      if (n && this.keys[e.key]) { e.preventDefault(); this.choose(this.keys[e.key](), { from: "key" }); return; }
      if (e.key === "+" || e.key === "-") this.around(e.key === "+" ? 1.6 : 1 / 1.6);
      else if (e.key === "0") this.zoom(0, 100);
      else if (e.key === "Enter" && n) { e.preventDefault(); detail.classList.add("open"); detail.focus(); }
    });
    root.addEventListener("wheel", (e) => {
      if (!e.ctrlKey || !e.target.closest(".time,.stime")) return;
      e.preventDefault();
      const r = axis.getBoundingClientRect();
      this.around(e.deltaY < 0 ? 1.2 : 1 / 1.2, (e.clientX - r.left) / r.width * 100);
    }, { passive: false });
    let brush, from;
    axis.addEventListener("pointerdown", (e) => {
      if (e.button) return;
      from = e.clientX - axis.getBoundingClientRect().left;
      brush = el("div", { id: "brush" });
      axis.append(brush);
      axis.setPointerCapture(e.pointerId);
    });
    axis.addEventListener("pointermove", (e) => {
      if (!brush) return;
      const to = e.clientX - axis.getBoundingClientRect().left;
      brush.style.left = Math.min(from, to) + "px";
      brush.style.width = Math.abs(to - from) + "px";
    });
    const end = (e) => {
      if (!brush) return;
      const w = axis.clientWidth, to = e.clientX - axis.getBoundingClientRect().left, a = Math.min(from, to) / w * 100, b = Math.max(from, to) / w * 100;
      brush.remove(); brush = null;
      if (e.type === "pointerup" && b - a > 1) { const f = 100 / (b - a); this.zoom((kept.x - a) * f, kept.w * f); }
    };
    axis.addEventListener("pointerup", end);
    axis.addEventListener("pointercancel", end);
    axis.addEventListener("dblclick", () => this.zoom(0, 100));
    for (const b of $$("#fold, #thr", root)) b.addEventListener("click", () => this.press(b, b.getAttribute("aria-pressed") !== "true"));

    const { calls, lines } = this, now = () => this.call(kept.chosen) ?? calls[0], i = () => this.at.get(now().n);
    const near = (row) => row && this.byRow.get(row).reduce((a, c) => Math.abs(c.t - now().t) < Math.abs(a.t - now().t) ? c : a).n;
    const bad = calls.filter((c) => c.bad);
    this.keys = {
      ArrowRight: () => calls[i() + 1]?.n, ArrowLeft: () => calls[i() - 1]?.n, Home: () => calls[0].n, End: () => calls.at(-1).n,
      ArrowDown: () => near(lines[lines.indexOf(now().row) + 1]), ArrowUp: () => near(lines[lines.indexOf(now().row) - 1]),
      "]": () => (bad.find((c) => this.at.get(c.n) > i()) ?? bad[0])?.n, "[": () => (bad.findLast((c) => this.at.get(c.n) < i()) ?? bad.at(-1))?.n,
    };
  }
  press(button, on) {
    if (!button) return;
    button.setAttribute("aria-pressed", on);
    if (button.id === "fold") { kept.fold = on; this.root.classList.toggle("fold", on); } else kept.thread = on;
    this.later();
  }
}

// ---- the panel: parts from the server, fetched when a call is chosen
let wanted = 0, shown = ""; // a call's number, and the HTML of one
async function show(n, from) {
  detail.hidden = false;
  if (from && from !== "link") detail.classList.add("open");
  wanted = n;
  if (+detail.dataset.n === n && !detail.dataset.stale) return;
  let html = panels.get(n);
  if (html === undefined) {
    await new Promise((done) => setTimeout(done, 60)); // skip calls while an arrow key is held down
    if (wanted !== n) return;
    try {
      const answer = await fetch(`/runs/${encodeURIComponent(s.data.run)}/calls/${n}`, { headers: { "X-Part": "1" } });
      html = answer.ok ? await answer.text() : null;
    } catch { html = null; }
    if (html !== null && !s.data.live) panels.set(n, html);
    if (panels.size > 300) panels.delete(panels.keys().next().value);
    if (wanted !== n) return;
  }
  if (html === null) { say.textContent = "The call could not be read."; return; }
  delete detail.dataset.stale;
  if (html === shown) return;
  shown = html;
  detail.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  detail.dataset.n = n;
  adopt();
}
function adopt() { // features that need JavaScript
  for (const b of $$("[hidden].steps, [hidden].copy", detail)) b.hidden = false;
}
const step = (by) => {
  const i = s.at.get(kept.chosen);
  const n = i === undefined ? kept.chosen + by : s.calls[i + by]?.n;
  if (n > 0) s.choose(n, { focus: false, from: "panel" });
};
adopt();
detail.addEventListener("click", async (e) => {
  const go = e.target.closest("[data-go]"), copy = e.target.closest("[data-copy]"), place = e.target.closest("a[href*='#']");
  if (go) step(+go.dataset.go);
  else if (copy) {
    try {
      await navigator.clipboard.writeText(copy.parentElement.firstElementChild.textContent);
      copy.textContent = "Copied";
    } catch { copy.textContent = "Not allowed"; }
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  } else if (place && document.getElementById(place.hash.slice(1))) {
    e.preventDefault();
    s.rows.get(place.hash.slice(1))?.scrollIntoView({ block: "center" });
    history.replaceState(null, "", place.hash);
  } else if (e.target.closest("#d-tool")) detail.classList.toggle("open"); // matters on small screens
});
detail.addEventListener("keydown", (e) => { if (e.key === "Escape") s.bar(kept.chosen)?.focus(); });
document.addEventListener("click", (e) => {
  const row = e.target.closest(".calls tbody tr");
  if (row && !e.target.closest("a") && !String(getSelection())) s.choose(+row.id.slice(1), { from: "key" });
  for (const m of $$("details.menu[open]")) if (!m.contains(e.target)) m.open = false;
});
addEventListener("keydown", (e) => {
  if (e.key === "Escape") for (const m of $$("details.menu[open]")) { m.open = false; $("summary", m).focus(); }
  if (inField(e) || !s || e.target.closest(".score,.detail")) return;
  if (keysOn() && (e.key === "[" || e.key === "]")) s.choose(s.keys[e.key](), { from: "key" });
});

const sizes = new ResizeObserver(() => { s.ticks(); s.later(); });

// ---- at the start, and after each refresh of the timeline
function begin(root) {
  s = new Timeline(root);
  if (kept.w !== 100) { s.zoom(kept.x, kept.w); s.apply(); }
  const fold = $("#fold", root), thr = $("#thr", root);
  const [, kind, id] = location.hash.match(/^#(?:(c)(\d+)|(?:s\d+)?L\d+)$/) ?? [];
  if (kept.fold === null) { // a long script initially shows only the lines with calls
    const high = $$(".row,.note", root).length * 26; // an estimate, which avoids another layout
    if (high > innerHeight && (!location.hash || kind)) s.press(fold, true);
  } else if (kept.fold) s.press(fold, true);
  if (!kept.thread) s.press(thr, false);
  if (kept.chosen) { // a part was refreshed
    s.choose(kept.chosen, { focus: false });
    panels.clear(); // the call may have ended
    detail.dataset.stale = "1";
    show(kept.chosen, "");
  } else {
    const line = kind ? null : s.byRow.get(location.hash.slice(1));
    const there = kind ? +id : line?.[0].n;
    const n = there ?? s.data.chosen;
    if (n) s.choose(n, { focus: false, from: there ? "link" : "" });
    if (n && detail.hidden) show(n, "");
  }
  sizes.disconnect();
  sizes.observe(root);
}
document.addEventListener("part", (e) => {
  if (e.target.id === "score") begin(e.target);
  else if (e.target.id === "below") { s.rowsOfTable(); s.choose(kept.chosen, { focus: false }); }
});
addEventListener("hashchange", () => { // address of a call on this page
  const n = +(location.hash.match(/^#c(\d+)$/)?.[1] ?? 0);
  if (n && s) s.choose(n, { from: "link" });
});
if ($("#score")) begin($("#score"));
