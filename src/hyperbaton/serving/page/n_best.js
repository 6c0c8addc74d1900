// The n-best list with the score of each part, and the orders in it. A click shows a translation.

import { marked } from "./differences.js";
import { button, make, number, table } from "./elements.js";
import { partNames, partScores, visits } from "./parts.js";
import { term } from "./terms.js";

export const SHOWN = 10; // the maximum that the server explains

export function nBest(answer, column) {
  const parts = partNames(answer), list = answer.n_best.slice(0, SHOWN);
  const rows = list.map((one, rank) => {
    const scores = partScores(answer, one);
    return [shows(column, rank, "translation"), text(marked(one.text, rank ? list[0].text : null)),
      number(one.score), ...parts.map((part) => number(scores[part]))];
  });
  return make("div", { class: "lists" },
    table("n-best", "Best translations; click on a rank to show one", ["rank", "translation", ...["score", ...parts].map((name) => term(name))], rows),
    orders(answer, column));
}

// Groups translations by the order in which they visit the source words; a click shows the best.
function orders({ source, n_best: list }, column) {
  const ranks = Map.groupBy(list.keys(), (rank) => String(visits(list[rank])));
  const rows = [...ranks.values()].map(([rank, ...others]) => [shows(column, rank, "order"),
    text(visits(list[rank]).map((place) => source[place]).join(" ")), String(1 + others.length), number(list[rank].score)]);
  return table("orders", `${rows.length === 1 ? "One order" : `${rows.length} orders`} of the source words in the best ${list.length} translations`,
    ["rank", "order", "translations", term("score")], rows);
}

const text = (children) => make("td", { class: "text" }, children);
const shows = (column, rank, what) => make("th", { scope: "row" }, rank >= SHOWN ? String(rank + 1)
  : button(String(rank + 1), () => column.change({ rank: rank || undefined, step: undefined }), {
    "aria-label": `show ${what} ${rank + 1}`, "aria-pressed": rank === column.rank, "data-key": `${what} ${rank}`,
  }));
