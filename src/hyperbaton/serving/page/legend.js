// The legend of a drawing, with only the signs that occur in it; `last` is its last item.

import { jump, make } from "./elements.js";

export function legend({ segmentation, unknown_steps: unknown }, last) {
  const jumps = segmentation.map(([start], step) => ({ step: step + 1, words: start - (step ? segmentation[step - 1][1] : 0) }));
  const forward = jumps.find(({ words }) => words > 0), back = jumps.find(({ words }) => words < 0);
  const label = ({ step, words }) => make("b", {}, `${step}: ${jump(words)}`);
  return make("ul", { class: "legend", "aria-label": "Legend" },
    make("li", {}, make("b", {}, "1, 2, …"), " the order in which phrases are translated"),
    make("li", {}, key("link"), " aligned words"),
    forward && make("li", {}, key("forward"), label(forward), ` step ${forward.step} jumps over ${wordsOf(forward.words)}`),
    back && make("li", {}, key("back"), label(back), ` step ${back.step} goes back ${wordsOf(-back.words)}`),
    unknown.length ? make("li", {}, key("unknown"), make("b", {}, "?"), " an unknown word") : null,
    make("li", {}, last));
}

const key = (kind) => make("span", { class: `key ${kind}-key` });
const wordsOf = (n) => (n === 1 ? "1 word" : `${n} words`);
