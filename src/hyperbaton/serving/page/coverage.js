// A bar of the source words that shows which are translated, and which by the current step. Below each
// word is its best translation on its own.

import { make } from "./elements.js";
import { languages } from "./languages.js";

// The bar after some steps; after all of them, no word is current.
export function coverageBar({ source, options }, system, taken, steps, isWhole) {
  const current = isWhole ? null : steps[taken - 1], lang = languages(system);
  return make("ol", { class: "coverage", "aria-label": "Source words" }, source.map((word, place) => {
    const isNow = current && place >= current.source[0] && place < current.source[1];
    const isCovered = taken && Boolean(steps[taken - 1].covered[place]);
    const kind = isNow ? "now" : isCovered ? "covered" : "open";
    return make("li", { class: kind }, make("span", { lang: lang.source }, word), make("span", { class: "hidden" }, ` (${kind}) `),
      make("span", { class: "gloss", lang: lang.target }, glossOf(options, place)));
  }));
}

function glossOf(options, place) {
  const [best] = options.find(({ source: [start, end] }) => start === place && end === place + 1)?.options ?? [];
  return !best ? "–" : best.unknown ? "?" : best.target_words.join(" ") || "–";
}
