// The editor: CodeMirror in place of the textarea, with checks while typing and completions
// for tools. Typing never runs anything.
import { $, $$, el } from "./console.js";

const form = $("#ed"), code = $("#code"), area = $("#script");
const cm = await import(code.dataset.engine);

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const get = async (url) => {
  const answer = await fetch(url, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
};
// ask sends the form; signal aborts it.
const ask = (url, more, signal) => fetch(url, {
  method: "POST", signal, headers: { Accept: "application/json" },
  body: new URLSearchParams({ script: view.state.doc.toString(), ...inputs(), ...more }),
});
const inputs = () => Object.fromEntries($$("#inputs input").map((i) => [i.name, i.value]));
// part returns an element of HTML from the server.
const part = (html, id) => document.importNode(new DOMParser().parseFromString(html, "text/html").getElementById(id), true);

// ---- names: completions, fetched once ------------------------------

const asked = new Map(); // responses by address
const names = (query) => {
  const url = "/editor/names" + query;
  if (!asked.has(url)) asked.set(url, get(url).catch(() => { asked.delete(url); return {}; }));
  return asked.get(url);
};
const packages = async () => (await names("")).names ?? [];
const members = async (pkg) => (await names("?of=" + encodeURIComponent(pkg))).names ?? [];
const fields = async (pkg, type) => (await names(`?of=${encodeURIComponent(pkg)}&type=${encodeURIComponent(type)}`)).types?.[type] ?? [];

// ---- Go, as far as completions need it -----------------------------------

const token = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"?|`[^`]*`?|'(?:\\.|[^'\\\n])*'?|[\p{L}_][\p{L}\d_]*|\d[\w.]*|:=|\S/gu;
const tokens = (text) => (text.match(token) ?? []).filter((t) => !t.startsWith("//") && !t.startsWith("/*"));
const isName = (t) => t !== undefined && /^[\p{L}_]/u.test(t);
const close = { ")": "(", "]": "[", "}": "{" };

// opening returns the index of the bracket that the one at i closes.
function opening(ts, i) {
  for (let depth = 0; i >= 0; i--) {
    if (close[ts[i]]) depth++;
    else if ("([{".includes(ts[i]) && --depth === 0) return i;
  }
  return -1;
}

// chain returns the parts of an operand that ends before i, a.B[…].C as a, B, [], C, or null
// for anything else.
function chain(ts, i) {
  const parts = [];
  for (let k = i - 1; k >= 0;) {
    if (ts[k] === "]") { k = opening(ts, k) - 1; parts.unshift("[]"); continue; }
    if (!isName(ts[k])) return null;
    parts.unshift(ts[k]);
    if (ts[k - 1] !== ".") return parts;
    k -= 2;
  }
  return null;
}

// operand returns the operand that begins at i, and the token after it.
function operand(ts, i) {
  if (!isName(ts[i])) return null;
  const parts = [ts[i++]];
  for (;;) {
    if (ts[i] === "." && isName(ts[i + 1])) { parts.push(ts[i + 1]); i += 2; } else if (ts[i] === "[") {
      let depth = 0;
      for (; i < ts.length; i++) { if ("([{".includes(ts[i])) depth++; else if (close[ts[i]] && --depth === 0) break; }
      parts.push("[]"); i++;
    } else return { parts, next: ts[i] };
  }
}

// A type is { pkg, type }: Go as written in the package of a server.
const bare = (t) => t && { ...t, type: t.type.replace(/^\*/, "") };
const element = (t) => {
  const m = bare(t)?.type.match(/^(?:\[\]|map\[\w+\])(.+)$/);
  return m ? { pkg: t.pkg, type: m[1] } : null;
};
async function member(t, name) {
  t = bare(t);
  if (!t || !/^\w+$/.test(t.type)) return null;
  const f = (await fields(t.pkg, t.type)).find((f) => f.name === name && f.kind === "property");
  return f ? { pkg: t.pkg, type: f.type } : null;
}

// declaration returns the last declaration of a name: its position, and its type or the start
// of its value after :=.
function declaration(ts, name) {
  for (let i = ts.length - 1; i >= 0; i--) {
    if (ts[i] !== name || ts[i - 1] === ".") continue;
    if (ts[i - 1] === "var" && isName(ts[i + 1]) && ts[i + 2] === "." && isName(ts[i + 3])) return { at: i, type: { pkg: ts[i + 1], type: ts[i + 3] } };
    let first = i, end = i + 1;
    while (ts[first - 1] === "," && isName(ts[first - 2])) first -= 2;
    while (ts[end] === "," && isName(ts[end + 1])) end += 2;
    if (ts[end] === ":=") return { at: first, from: end + 1, nth: (i - first) / 2 };
  }
  return null;
}

// typeOf returns the type of an operand, or null if it is not obvious.
async function typeOf(ts, parts, depth = 0) {
  const d = depth < 20 && declaration(ts, parts[0]);
  if (!d) return null;
  let t = d.type ?? await valueType(ts, d, depth);
  for (const p of parts.slice(1)) t = p === "[]" ? element(t) : await member(t, p);
  return t;
}

async function valueType(ts, d, depth) {
  const before = ts.slice(0, d.at);
  let i = d.from;
  if (ts[i] === "range") {
    const o = operand(ts, i + 1);
    return o && d.nth === 1 && o.next === "{" ? element(await typeOf(before, o.parts, depth + 1)) : null;
  }
  if (ts[i] === "&") i++;
  const o = d.nth === 0 && operand(ts, i);
  if (!o) return null;
  const [pkg, name] = o.parts;
  if (o.parts.length === 2 && (o.next === "(" || o.next === "{") && !declaration(before, pkg)) {
    if (o.next === "{") return { pkg, type: name };
    const f = (await members(pkg)).find((f) => f.name === name);
    return f?.result ? { pkg, type: f.result } : null;
  }
  return o.next === "(" || o.next === "{" ? null : typeOf(before, o.parts, depth + 1);
}

// literal returns the type of the struct literal that contains the end, if a field name may
// begin there.
function literal(ts) {
  if (!["{", ","].includes(ts.at(-1))) return null;
  for (let i = ts.length - 1; i >= 0; i--) {
    if (close[ts[i]]) i = opening(ts, i);
    else if (ts[i] === "{") return isName(ts[i - 1]) && ts[i - 2] === "." && isName(ts[i - 3]) ? { pkg: ts[i - 3], type: ts[i - 1] } : null;
    else if (ts[i] === "(" || ts[i] === "[") return null;
  }
  return null;
}

// ---- completions -----------------------------------------------------------

const words = ("break case chan const continue default defer else for func go if import interface map range return select struct switch type var " +
  "any bool byte error float64 int int64 rune string true false nil append cap clear close copy delete len make max min new panic recover").split(" ");
const own = {
  UseTools: ["(phrases ...string) error", "declares in plain words which tools the script needs"],
  Return: ["(v any)", "sets the script's value"], Input: ["(name string, v any) error", "reads a value that was sent with the script"],
  Stored: ["(id string, v any) error", "reads an earlier large result"], RunScript: ["(name string, inputs any) (any, error)", "runs a saved script"],
};

function option(n, pkg, inLiteral) {
  const o = { label: n.name, type: n.kind, detail: n.kind === "function" && n.type ? n.says : n.says };
  if (n.doc || n.type && n.kind === "function") o.info = () => el("div", {}, ...n.kind === "function" && n.type ? [el("code", { textContent: n.type })] : [], el("p", { textContent: n.doc ?? "" }));
  if (inLiteral) o.apply = n.name + ": ";
  if (n.kind === "function" && n.type) {
    o.apply = (view, _, from, to) => {
      const called = view.state.sliceDoc(to, to + 1) === "(";
      const open = n.params ? `${n.name}(${pkg}.${n.params}{` : n.name + "(", text = called ? n.name : open + (n.params ? "})" : ")");
      view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + (called || !n.params ? text.length : open.length) }, userEvent: "input.complete" });
    };
  }
  return o;
}

async function complete(context) {
  const word = context.matchBefore(/[\p{L}_][\p{L}\d_]*/u), from = word?.from ?? context.pos;
  const text = context.state.sliceDoc(Math.max(0, from - 200_000), from);
  const last = [...text.matchAll(token)].at(-1);
  if (last && last.index + last[0].length === text.length && /^(\/\/|\/\*[^]*$|["'`])/.test(last[0]) && !/^(".*"|`[^]*`|'.*'|\/\*[^]*\*\/)$/.test(last[0].length > 1 ? last[0] : "")) return null;
  if (last?.[0].startsWith("//") && !text.slice(last.index).includes("\n")) return null;
  const ts = tokens(text), found = (options) => options.length ? { from, options, validFor: /^[\p{L}\d_]*$/u } : null;
  if (ts.at(-1) === ".") {
    const parts = chain(ts, ts.length - 1);
    if (!parts) return null;
    if (parts.length === 1 && !declaration(ts, parts[0])) return found((await members(parts[0])).map((n) => option(n, parts[0])));
    const t = bare(await typeOf(ts, parts));
    return t && /^\w+$/.test(t.type) ? found((await fields(t.pkg, t.type)).map((n) => option(n, t.pkg))) : null;
  }
  if (!word && !context.explicit) return null;
  const t = literal(ts);
  if (t) {
    const all = (await fields(t.pkg, t.type)).filter((f) => f.kind === "property");
    if (all.length) return found(all.map((n) => option(n, t.pkg, true)));
  }
  const locals = new Set(ts.filter((n, i) => isName(n) && ts[i - 1] !== "." && declaration(ts.slice(0, i + 40), n)));
  return found([
    ...(await packages()).map((n) => option(n)), ...Object.entries(own).map(([label, [detail, info]]) => ({ label, detail, info, type: "function" })),
    ...words.map((label) => ({ label, type: "keyword" })), ...[...locals].map((label) => ({ label, type: "variable", boost: 1 })),
  ]);
}

// ---- marks -------------------------------------------------------------------

const setMarks = cm.StateEffect.define();
class Said extends cm.WidgetType {
  constructor(mark) { super(); this.mark = mark; }
  eq(other) { return other.mark === this.mark; }
  toDOM(view) {
    const m = this.mark, box = el("div", { className: "mark " + m.kind });
    box.append($("#signs").content.querySelector(`.${m.kind} svg`).cloneNode(true), el("span", { className: "theirs", textContent: m.message }));
    if (m.hint) box.append(el("span", { className: "hint theirs", textContent: m.hint }));
    for (const f of m.fixes ?? []) {
      const button = el("button", { type: "button", className: "btn theirs", textContent: "Use " + f.text.replace(/^"(.*)"$/, "$1") });
      button.addEventListener("click", () => applyFix(view, m, f));
      box.append(button);
    }
    if (m.signatures?.length) box.append(el("details", {}, el("summary", { textContent: "declared as" }), ...m.signatures.map((s) => el("code", { className: "theirs", textContent: s }))));
    return el("div", { className: "said-here" }, box);
  }
  ignoreEvent() { return true; }
}

// applyFix applies a fix, at its current position.
function applyFix(view, m, f) {
  const now = view.state.field(marks).list.find((x) => x.mark === m);
  if (!now) return;
  const from = now.from + f.from - m.from;
  view.dispatch({ changes: { from, to: Math.min(from + f.to - f.from, view.state.doc.length), insert: f.text }, selection: { anchor: from + f.text.length }, userEvent: "input.mend" });
  view.focus();
  soon(0);
}

const marks = cm.StateField.define({
  create: () => ({ list: [], deco: cm.Decoration.none }),
  update(value, tr) {
    for (const e of tr.effects) if (e.is(setMarks)) value = { list: e.value.map((mark) => ({ mark, from: mark.from, to: mark.to })) };
    if (tr.docChanged && value.list.length) {
      value = { list: value.list.map((x) => ({ mark: x.mark, from: tr.changes.mapPos(x.from, 1), to: tr.changes.mapPos(x.to, -1) })) };
    }
    if (value.deco) return value;
    const doc = tr.state.doc, all = [];
    for (const x of value.list) {
      const from = Math.min(x.from, doc.length), to = Math.min(Math.max(x.to, from), doc.length);
      if (from < to) all.push(cm.Decoration.mark({ class: "sq " + x.mark.kind }).range(from, to));
      all.push(cm.Decoration.widget({ widget: new Said(x.mark), block: true, side: 1 }).range(doc.lineAt(from).to));
    }
    return { ...value, deco: cm.Decoration.set(all, true) };
  },
  provide: (f) => cm.EditorView.decorations.from(f, (v) => v.deco),
});

// nextMark moves to the next mark, and from the last to the first.
function nextMark(view) {
  const all = view.state.field(marks).list.toSorted((a, b) => a.from - b.from);
  const to = all.find((x) => x.from > view.state.selection.main.head) ?? all[0];
  if (!to) return false;
  view.dispatch({ selection: { anchor: to.from }, effects: [cm.EditorView.scrollIntoView(to.from, { y: "center" }), cm.EditorView.announce.of(`${to.mark.message}. ${to.mark.hint ?? ""}`)] });
  return true;
}

// ---- appearance ------------------------------------------------------------------

const { tags } = cm;
const colours = cm.HighlightStyle.define([
  { tag: tags.keyword, color: "var(--k)" }, { tag: tags.atom, color: "var(--typ)" }, { tag: tags.string, color: "var(--str)" },
  { tag: tags.number, color: "var(--num)" }, { tag: tags.comment, color: "var(--com)", fontStyle: "italic" },
]);
const look = cm.EditorView.theme({
  "&": { color: "var(--text)", fontSize: "var(--f2)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55rem", minHeight: "calc(100vh - 15rem)" },
  ".cm-content": { padding: ".6rem 0 5rem", caretColor: "var(--accent)", fontVariantLigatures: "none" },
  ".cm-line": { padding: "0 1rem 0 .6rem" },
  ".cm-gutters": { background: "none", border: "0", color: "var(--text3)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "3rem", padding: "0 .6rem 0 .4rem" },
  ".cm-activeLine": { background: "var(--hover)" },
  ".cm-cursor": { borderLeft: "2px solid var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-soft)" },
  "&.cm-focused .cm-matchingBracket, .cm-matchingBracket": { background: "var(--accent-soft)" },
  "&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket": { background: "var(--bad-soft)" },
  ".cm-selectionMatch, .cm-searchMatch": { background: "var(--wait-soft)" },
  ".cm-searchMatch-selected": { background: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-specialChar": { color: "var(--bad)" },
  ".start": { color: "var(--text3)", whiteSpace: "pre-wrap" },
  ".call": { color: "var(--s)", textDecoration: "underline", textDecorationThickness: "1px", textUnderlineOffset: ".25em" },
  ".typ": { color: "var(--typ)" }, ".pre": { color: "var(--accent)", fontWeight: "600" },
  ".said-here": { padding: ".1rem 1rem .35rem .6rem" },
  ".mark": { margin: "0", fontFamily: "var(--ui)", lineHeight: "1.4" },
  ".mark code": { display: "block", overflowWrap: "anywhere", whiteSpace: "pre-wrap", color: "var(--text)" },
  ".mark summary": { cursor: "pointer", minHeight: "1.72rem", color: "var(--text2)" },
  ".cm-panels": { background: "var(--sunk)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panel.cm-search": { padding: ".5rem .8rem", fontFamily: "var(--ui)", fontSize: "var(--f2)" },
  ".cm-panel.cm-search label": { fontSize: "var(--f1)" },
  ".cm-textfield, .cm-button": { background: "var(--panel)", border: "1px solid var(--edge)", borderRadius: "var(--r1)", color: "var(--text)", fontSize: "var(--f2)" },
  ".cm-tooltip": { background: "var(--raised)", color: "var(--text)", border: "1px solid var(--line2)", borderRadius: "var(--r1)", boxShadow: "0 6px 24px rgb(0 0 0 / .16)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--f1)", maxHeight: "18rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { display: "flex", gap: ".8rem", alignItems: "baseline", padding: ".28rem .7rem", maxWidth: "min(40rem, 90vw)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent-soft)", color: "var(--text)" },
  ".cm-completionLabel": { fontWeight: "600" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)" },
  ".cm-completionDetail": { marginLeft: "auto", fontStyle: "normal", color: "var(--text2)", overflow: "hidden", textOverflow: "ellipsis", unicodeBidi: "isolate" },
  ".cm-completionInfo": { padding: ".5rem .7rem", fontFamily: "var(--ui)", fontSize: "var(--f1)", maxWidth: "26rem", unicodeBidi: "isolate" },
  ".cm-completionInfo code": { display: "block", overflowWrap: "anywhere", color: "var(--text2)", marginBottom: ".3rem" },
});

let hues = new Map(); // colour classes by package of a server
const calls = cm.ViewPlugin.fromClass(class {
  constructor(view) { this.decorations = paint(view); }
  update(u) { if (u.docChanged || u.viewportChanged || u.transactions.some((t) => t.effects.some((e) => e.is(painted)))) this.decorations = paint(u.view); }
}, { decorations: (p) => p.decorations });
const painted = cm.StateEffect.define();
class Start extends cm.WidgetType { toDOM() { return el("span", { className: "start", textContent: area.placeholder }); } }
function paint(view) {
  const all = view.state.doc.length ? [] : [cm.Decoration.widget({ widget: new Start(), side: 1 }).range(0)];
  for (const { from, to } of view.visibleRanges) {
    for (const m of view.state.sliceDoc(from, to).matchAll(/(?<![\p{L}\d_.])([\p{L}_][\p{L}\d_]*)(?:\.([\p{L}_][\p{L}\d_]*)(\()?)?/gu)) {
      const hue = m[2] && hues.get(m[1]), at = from + m.index, word = m[0].replace("(", "");
      const kind = hue ? (m[3] ? "call " + hue : "typ") : m[1] in own && !m[2] ? "pre" : "";
      if (kind && !/string|comment/.test(cm.syntaxTree(view.state).resolveInner(at, 1).name)) all.push(cm.Decoration.mark({ class: kind }).range(at, at + word.length));
    }
  }
  return cm.Decoration.set(all);
}

// ---- checking while typing -------------------------------------------------------

const run = $("#run"), dry = $("#dry"), may = $("#may");
let checking = null, timer = 0;
// soon schedules a check after a pause in typing.
function soon(ms = 400) {
  clearTimeout(timer);
  checking?.abort();
  timer = setTimeout(check, ms);
}

async function check() {
  const mine = checking = new AbortController(), doc = view.state.doc;
  let said;
  try {
    const answer = await ask("/editor/check", {}, mine.signal);
    if (!answer.ok) throw new Error("the server said: " + answer.status);
    said = await answer.json();
  } catch (e) {
    if (mine.signal.aborted) return;
    $("#checked").replaceChildren(el("div", { className: "probs" }, el("span", { className: "st wait", textContent: "The script could not be checked: " + e.message })));
    return;
  }
  if (mine.signal.aborted || !view.state.doc.eq(doc)) return;
  view.dispatch({ effects: setMarks.of(said.marks.filter((m) => m.line)) });
  $("#checked").replaceWith(part(said.checked, "checked"));
  const fresh = part(said.inputs, "inputs"), old = $("#inputs"), key = (e) => $$("label, span", e).map((x) => x.textContent).join("\n");
  if (key(fresh) !== key(old)) {
    const at = document.activeElement?.closest("#inputs") ? document.activeElement.name : "";
    old.replaceWith(fresh);
    if (at) $$("input", fresh).find((i) => i.name === at)?.focus();
  }
  run.disabled = !said.ok;
  run.textContent = said.label;
  may.textContent = said.may && `A run ${said.may}.`;
  code.dataset.checked = said.ok ? "ok" : "bad";
}

// ---- runs ---------------------------------------------------------------------------

let running = 0;
async function dryRun() {
  const mine = ++running, ledger = () => $("#ledger"), say = (kind, text) => ledger().replaceChildren(
    el("header", {}, el("h2", { id: "h-l", textContent: "Dry run" })), el("div", { className: "in" }, el("p", { className: "said " + kind, textContent: text })));
  say("", "The dry run is running.");
  const doc = view.state.doc;
  try {
    const answer = await ask("/editor/run", { dry: "1" });
    if (!answer.ok) throw new Error("the server said: " + answer.status);
    const id = (await answer.json()).run;
    for (let ms = 60; ; ms = Math.min(2 * ms, 1000)) {
      await wait(ms);
      const page = await fetch("/editor?run=" + encodeURIComponent(id), { headers: { "X-Part": "1" } });
      if (!page.ok) throw new Error("the server said: " + page.status);
      const now = part(await page.text(), "ledger");
      if (mine !== running) return;
      if ($("[data-under-way]", now)) continue;
      ledger().replaceWith(now);
      break;
    }
    stale = el("span", { className: "t1", textContent: new Date().toTimeString().slice(0, 5) });
    $("#h-l").after(stale);
    if (!view.state.doc.eq(doc)) outdated();
  } catch (e) {
    if (mine === running) say("bad", "The dry run was not started: " + e.message);
  }
}
let stale = null;
const outdated = () => { if (stale && !stale.dataset.old) { stale.dataset.old = "1"; stale.append(", before your last change"); } };

// ---- the draft -----------------------------------------------------------------------

const base = area.value, key = "draft " + form.dataset.draft;
let saved = base, leaving = false, draft = null; // saved: the last saved text
try { draft = JSON.parse(sessionStorage.getItem(key)); } catch { /* no draft */ }
if (draft?.base !== base || draft.script === base) draft = null;
function keep() {
  try {
    if (!changed()) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify({ base, script: view.state.doc.toString(), inputs: inputs(), at: Date.now() }));
  } catch { /* only a draft */ }
}
const changed = () => ![base, saved].includes(view.state.doc.toString());
addEventListener("pageshow", () => { leaving = false; }); // also if the browser restores the page
addEventListener("beforeunload", (e) => { if (!leaving && changed()) e.preventDefault(); });

// save saves the script under a name. On success it discards the draft and leaves the page.
async function save() {
  const failed = $("#unsaved"), doc = view.state.doc.toString();
  failed.textContent = "";
  try {
    const answer = await ask("/editor/save", Object.fromEntries($$("#keep input").map((i) => [i.name, i.value])));
    if (!answer.ok) throw new Error("the server said: " + answer.status);
    const { page, error } = await answer.json();
    if (error) throw new Error(error);
    saved = doc;
    keep();
    location.assign(page);
  } catch (e) {
    failed.textContent = "Not saved: " + e.message;
    soon(0);
  }
}

// ---- initialization ---------------------------------------------------------------------

const host = el("div", { className: "cm-host" }), shadow = host.attachShadow({ mode: "open" }), inner = el("div");
const sheet = el("link", { rel: "stylesheet", href: code.dataset.sheet });
shadow.append(sheet, inner);
const view = new cm.EditorView({
  root: shadow, parent: inner,
  state: cm.EditorState.create({
    doc: draft?.script ?? base,
    extensions: [
      cm.Prec.highest(cm.keymap.of([{ key: "Mod-Enter", run: () => { dryRun(); return true; } }, { key: "F8", run: nextMark }])),
      cm.lineNumbers(), cm.highlightSpecialChars(), cm.history(), cm.drawSelection(), cm.EditorView.lineWrapping, cm.indentOnInput(), cm.indentUnit.of("\t"),
      cm.EditorState.tabSize.of(4), cm.StreamLanguage.define(cm.go), cm.syntaxHighlighting(colours), cm.bracketMatching(), cm.closeBrackets(),
      cm.autocompletion({ override: [complete], icons: false }), cm.highlightActiveLine(), cm.highlightSelectionMatches(), cm.search({ top: true }), marks, calls, look,
      cm.keymap.of([...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.searchKeymap, ...cm.historyKeymap, cm.indentWithTab, ...cm.defaultKeymap]),
      cm.EditorView.contentAttributes.of({ "aria-label": "Script, in Go. Escape and then Tab leaves it.", spellcheck: "false", autocapitalize: "off" }),
      cm.EditorView.updateListener.of((u) => { if (u.docChanged) { soon(); outdated(); keep(); } }),
    ],
  }),
});
area.hidden = true;
area.after(host);
code.classList.add("on");
$("label[for=script]", code).remove();
$("#check").hidden = true;
window.addEventListener("hashchange", () => view.requestMeasure());

if (draft) {
  for (const i of $$("#inputs input")) i.value = draft.inputs?.[i.name] ?? i.value;
  const undo = el("button", { type: "button", className: "btn bare", textContent: "Discard the draft" });
  undo.addEventListener("click", () => { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: base } }); $("#draft").hidden = true; view.focus(); });
  $("#draft").replaceChildren(`draft of ${new Date(draft.at).toTimeString().slice(0, 5)}`, undo);
  $("#draft").hidden = false;
}

form.addEventListener("submit", (e) => {
  area.value = view.state.doc.toString();
  leaving = e.submitter === run;
  if (leaving) return;
  e.preventDefault();
  if (e.submitter === dry) dryRun(); else if ([e.submitter, document.activeElement].some((x) => x?.closest("#keep"))) save(); else soon(0);
});
form.addEventListener("input", (e) => { if (e.target.closest?.("#inputs")) { soon(); keep(); } });
$("#checked").parentNode.addEventListener("click", (e) => {
  const line = e.target.closest?.("[data-line]")?.dataset.line;
  if (!line) return;
  e.preventDefault();
  view.dispatch({ selection: { anchor: view.state.doc.line(Math.min(+line, view.state.doc.lines)).from }, scrollIntoView: true });
  view.focus();
});
addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.defaultPrevented && form.contains(e.target)) { e.preventDefault(); dryRun(); } });

packages().then((all) => {
  hues = new Map(all.filter((n) => n.hue).map((n) => [n.name, n.hue]));
  view.dispatch({ effects: painted.of(null) });
});
if (view.state.doc.length) soon(0); else view.focus();
