// The best translations with what each part of the score gives them. Each can be looked at.

import { marked } from "./differences.js";
import { button, make, number, table } from "./elements.js";
import { partNames, partScores } from "./parts.js";

export function nBest(answer, column) {
  const parts = partNames(answer);
  const shown = column.rank;
  const rows = answer.n_best.map((one, rank) => [
    make("th", { scope: "row" }, button(String(rank + 1), () => column.change({ rank: rank || undefined, step: undefined }), {
      "aria-label": `show translation ${rank + 1}`, "aria-pressed": rank === shown, "data-key": `rank ${rank}`,
    })),
    make("td", { class: "text" }, marked(one.text, rank ? answer.n_best[0].text : null)),
    number(one.score),
    ...parts.map((part) => number(partScores(answer, one)[part])),
  ]);
  return table("n-best", "Best translations; a click on a number shows it", ["rank", "translation", "score", ...parts], rows);
}
