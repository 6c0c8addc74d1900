// The source words as a bar: which are translated, and which just now.

import { make } from "./elements.js";

export function coverageBar(words, step) {
  return make("ol", { class: "coverage", "aria-label": "Source words" }, words.map((word, place) => {
    const isNow = step !== null && place >= step.source[0] && place < step.source[1];
    const isCovered = step !== null && Boolean(step.covered[place]);
    const kind = isNow ? "now" : isCovered ? "covered" : "open";
    return make("li", { class: kind }, word, make("span", { class: "hidden" }, ` (${kind})`));
  }));
}
