// Prints what codemirror.js is made of: its checksum, and of each package that has a
// part in it the version, the checksum and the licence.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

const read = (file) => readFileSync(file, "utf8");
const { inputs } = Object.values(JSON.parse(read("meta.json")).outputs)[0];
const names = [...new Set(Object.keys(inputs).map((f) => f.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean))].sort();
const lock = JSON.parse(read("package-lock.json")).packages;
const licences = new Map(); // the text → the copyright notices → the packages that have them
const packages = names.map((name) => {
  const dir = "node_modules/" + name, { version, integrity, license } = lock[dir];
  if (license !== "MIT") throw new Error(`${name} has the licence ${license}`);
  const text = read(`${dir}/${readdirSync(dir).find((f) => /^licen[sc]e/i.test(f))}`).trim();
  const notice = text.match(/^Copyright .*$/m)[0];
  const terms = text.replace(/^MIT License\s+/, "").replace(notice, "").trim();
  if (/copyright \(c\)/i.test(terms)) throw new Error(`${name} has several copyright notices`);
  const of = licences.get(terms) ?? new Map();
  licences.set(terms, of.set(notice, [...(of.get(notice) ?? []), name]));
  return `${name} ${version} ${integrity}`;
});
const sum = createHash("sha256").update(readFileSync("codemirror.js")).digest("hex");
console.log(`codemirror.js, made by .ci/codemirror/build

sha256 ${sum}

Packages (npm), all under the MIT licence:
${packages.join("\n")}`);
for (const [terms, of] of licences) {
  console.log(`\n${"-".repeat(80)}\nMIT License\n`);
  for (const [notice, names] of of) console.log(`${notice}\n  ${names.join(", ")}`);
  console.log(`\n${terms}`);
}
