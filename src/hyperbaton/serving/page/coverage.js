// The source words as a bar: which are translated, and which just now; under each its likeliest
// translation as a single word.

import { make } from "./elements.js";
import { languages } from "./languages.js";

// After so many of the steps; if that is all of them, no word is the current one.
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
