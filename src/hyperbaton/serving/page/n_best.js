// The best translations with what each part of the score gives them. Each can be looked at.

import { marked } from "./differences.js";
import { button, make, number, table } from "./elements.js";

export function nBest(answer, column) {
  const parts = Object.entries(answer.parts);
  const shown = column.rank;
  const rows = answer.n_best.map((one, rank) => [
    make("th", { scope: "row" }, button(String(rank + 1), () => column.change({ rank: rank || undefined, step: undefined }), {
      "aria-label": `show translation ${rank + 1}`, "aria-pressed": rank === shown, "data-key": `rank ${rank}`,
    })),
    make("td", { class: "text" }, marked(one.text, rank ? answer.n_best[0].text : null)),
    number(one.score),
    ...parts.map(([, features]) => number(features.reduce((sum, name) => sum + one.features[name] * answer.weights[name], 0))),
  ]);
  return table("n-best", "Best translations; a click on a number shows it", ["", "translation", "score", ...parts.map(([part]) => part)], rows);
}
