// Search statistics per stack, and translations with other limits and stack sizes.

import { bars } from "./bars.js";
import { marked } from "./differences.js";
import { limitName, make, number, table } from "./elements.js";

// Limits and stack sizes to try; the pop limit is twice the stack size and may not exceed the server's.
export const sweep = ({ pops }) => (
  { limits: [0, 1, 2, 3, 4, 6, 8, "inf"], beams: [1, 2, 5, 10, 50, 200].filter((beam) => 2 * beam <= pops) });

export function stacks({ search }) {
  const rows = search.stacks.map(({ covered, hypotheses, kept, best }) => ({
    name: String(covered), value: hypotheses, cells: [String(hypotheses), String(kept), Number.isFinite(best) ? number(best) : "–"],
  }));
  return make("div", {},
    make("p", { class: "quiet" }, `${search.hypotheses.toLocaleString("en")} hypotheses in ${number(1000 * search.seconds, 1)} ms`),
    bars("stacks", "Stacks: hypotheses by number of translated words", ["words", "created", "kept", "best"], rows));
}

export function effects(answer) {
  if (!answer.limits.length) return make("p", { class: "quiet" }, "…");
  const best = answer.derivations[0].text;
  return make("div", {},
    effectTable("Distortion limits", "limit", answer.limits.map((one) => [limitName(one.limit), one]), best),
    effectTable("Stack sizes", "hypotheses", answer.beams.map((one) => [String(one.beam), one]), best));
}

function effectTable(caption, head, rows, best) {
  return table("effects", caption, [head, "translation", "score", "created", "ms"], rows.map(([name, one]) => one.error
    ? [name, make("td", { class: "text" }, one.error.message), "", "", ""]
    : [name, make("td", { class: "text" }, marked(one.text, best)), number(one.score), String(one.hypotheses), number(1000 * one.seconds, 1)]));
}
