// The best translations of a span of source words, selected by clicks on its ends.

import { button, make, number, table } from "./elements.js";

export function spanOptions(answer, column) {
  const { source, options } = answer;
  const [start, end] = column.settings.span ?? options[0]?.source ?? [0, 0];
  const selected = options.find(({ source: span }) => span[0] === start && span[1] === end);
  const choose = (place) => {
    // a click outside the span extends it, a click inside starts a new one
    const span = place < start ? [place, end] : place >= end ? [start, place + 1] : [place, place + 1];
    column.change({ span }, { asks: false });
    column.drawView("options");
  };
  const words = source.map((word, place) => button(word, () => choose(place), {
    "aria-pressed": place >= start && place < end, "data-key": `word ${place}`,
  }));
  const rows = (selected?.options ?? []).map(({ target_words: target, score, unknown }) => [
    (target.join(" ") || "(nothing)") + (unknown ? " (unknown word, copied)" : ""), number(score),
  ]);
  const phrase = source.slice(start, end).join(" ");
  return make("div", {},
    make("p", { class: "quiet" }, "Select words: a click outside the selection extends it, a click inside starts a new one."),
    make("div", { class: "words", role: "group", "aria-label": "Words" }, words),
    rows.length
      ? table("options", `The best ${rows.length} of ${selected.n_options} translations of “${phrase}”, scored without context`, ["translation", "score"], rows)
      : make("p", {}, `The system has no translation for “${phrase}” as one phrase.`));
}
