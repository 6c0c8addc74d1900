// Heat maps of the models' tables for the sentence, such as P(next word | current word).

import { make, number } from "./elements.js";

export function heatMaps({ heat_maps: maps }) {
  if (!maps.length) {
    return make("p", { class: "quiet" }, "The active distortion models have no heat maps; pair, sequence and the class models do.");
  }
  return make("div", { class: "multiples" }, maps.map(heatMap));
}

function heatMap(map) {
  const pointed = make("output", { class: "quiet" }, `rows: ${map.row_title || "—"}; columns: ${map.column_title || "—"}`);
  const largest = Math.max(1e-9, ...map.values.flat().filter((value) => value !== null));
  const body = make("tbody", {}, map.values.map((row, y) => make("tr", {},
    make("th", { scope: "row" }, map.rows[y]), row.map((value) => cell(value, largest)))));
  body.addEventListener("pointerover", ({ target }) => {
    if (!target.matches("td")) return;
    const y = target.parentNode.sectionRowIndex, x = target.cellIndex - 1, value = map.values[y][x];
    pointed.textContent = `${map.rows[y]} → ${map.columns[x]}: ${value === null ? "none" : number(value, 4)}`;
  });
  const heads = map.columns.map((text) => make("th", { scope: "col" }, text));
  return make("figure", { class: "heat" },
    make("figcaption", {}, map.title),
    make("div", { class: "wide", role: "group", tabindex: 0, "aria-label": map.title },
      make("table", {}, make("thead", {}, make("tr", {}, make("td"), heads)), body)),
    pointed);
}

function cell(value, largest) {
  if (value === null) return make("td");
  const share = Math.sqrt(Math.max(0, value) / largest); // so that small probabilities remain distinguishable
  const element = make("td", { class: share > 0.7 ? "hot" : share < 0.1 ? "cold" : null },
    number(value).replace(/^0\./, "."));
  element.style.setProperty("--heat", `${Math.round(100 * share)}%`);
  return element;
}
