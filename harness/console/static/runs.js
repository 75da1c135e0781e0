// The list of runs: keeps the two ticked runs to compare while rows come and go.
import { $, $$ } from "./console.js";

const button = $("#do-compare"), boxes = () => $$("input[name=run]");
let ticked = boxes().filter((b) => b.checked).map((b) => b.value); // oldest tick first

function show() {
  for (const b of boxes()) b.checked = ticked.includes(b.value);
  button.disabled = ticked.length !== 2;
}

document.addEventListener("change", (e) => {
  if (e.target.name !== "run") return;
  ticked = ticked.filter((id) => id !== e.target.value);
  if (e.target.checked) ticked = [...ticked, e.target.value].slice(-2);
  show();
});
document.addEventListener("part", () => {
  const there = boxes().map((b) => b.value);
  ticked = ticked.filter((id) => there.includes(id));
  show();
});
addEventListener("pageshow", show);
show();
