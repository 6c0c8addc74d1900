// The source words as a bar: which are translated, and which just now.

import { make } from "./elements.js";

// After so many of the steps; after all of them no word is the current one.
export function coverageBar({ source }, taken, steps, isWhole) {
  const current = isWhole ? null : steps[taken - 1];
  return make("ol", { class: "coverage", "aria-label": "Source words" }, source.map((word, place) => {
    const isNow = current && place >= current.source[0] && place < current.source[1];
    const isCovered = taken && Boolean(steps[taken - 1].covered[place]);
    const kind = isNow ? "now" : isCovered ? "covered" : "open";
    return make("li", { class: kind }, word, make("span", { class: "hidden" }, ` (${kind})`));
  }));
}
