// Lists unknown words.

import { button, make } from "./elements.js";
import { languages } from "./languages.js";

export function unknownWords(answer, { derivations, rank, system, page }) {
  const { segmentation, unknown_steps: steps } = derivations[rank];
  const spans = steps.map((step) => segmentation[step]).sort(([one], [other]) => one - other);
  const words = spans.flatMap(([start, end]) => answer.source.slice(start, end));
  if (!words.length) return null;
  const n = answer.source.length, done = answer.settings.drop_unknown ? "omitted" : "copied";
  return make("p", {},
    `${words.length} of ${n} ${n === 1 ? "word" : "words"} ${words.length === 1 ? "is" : "are"} unknown and ${done}: `,
    make("i", {}, words.join(" ")), ". ",
    2 * words.length > n ? whatItReads(system, page) : null);
}

// A text with mostly unknown words is probably in another language.
function whatItReads(system, page) {
  const { reads, source } = languages(system), [example] = system.examples;
  if (!reads && !example) return null;
  return [`This system reads ${reads ?? "other text"}`,
    example ? [", for example ", button(example.text, () => page.load(example.text), { class: "example", lang: source })] : null, "."];
}
