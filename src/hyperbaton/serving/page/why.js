// Explains a translation or a step by bars: parts of the score that favour it (right) and oppose it
// (left). Most of a contribution is common to all translations, so the bars show differences from a
// rival, unless the user asks for the contributions themselves.

import { bars } from "./bars.js";
import { make, number, signed, table } from "./elements.js";
import { isSameOrder, partNames, partScores } from "./parts.js";
import { term } from "./terms.js";

export const RIVALS = {
  "runner-up": "difference from the runner-up",
  order: "difference from the best other order",
  none: "contribution of each part",
};
export const REST = "estimate of the rest";

// Bars for a translation of the n-best list, compared with the best of the others.
export function whyTranslation(answer, rank, against) {
  const chosen = answer.n_best[rank], scores = partScores(answer, chosen);
  const rival = rivalOf(answer, rank, against);
  if (!rival) return partBars("Contribution of each part to the score", "adds", answer, scores);
  const isMissing = against === "order" && isSameOrder(rival, chosen);
  const caption = make("span", {}, isMissing ? "The list has no other order. " : null,
    "Parts that favour it (right) or oppose it (left), compared with ", make("q", {}, rival.text));
  return partBars(caption, "difference", answer, subtract(scores, partScores(answer, rival)));
}

function rivalOf({ n_best: list }, rank, against) {
  if (against === "none") return null;
  const others = list.filter((_, number) => number !== rank);
  return (against === "order" && others.find((one) => !isSameOrder(one, list[rank]))) || others[0];
}

// Bars for a step, compared with the best alternative.
export function whyStep(answer, derivation, step, against) {
  const taken = derivation.steps[step - 1], isLast = step === derivation.steps.length;
  const added = (feature) => taken.contributions[feature] + (isLast ? derivation.end.contributions[feature] : 0);
  const rows = Object.keys(taken.values).filter(added).map((name) => [
    term(name), signed(added(name)), number(added(name) / answer.weights[name]), number(answer.weights[name], 3),
  ]);
  return [
    stepBars(answer, taken, isLast, added, against),
    make("details", {}, make("summary", {}, "Feature by feature"),
      table("features-of-step", "Weighted features of this step", ["feature", "adds", "value", "weight"], rows)),
  ];
}

function stepBars(answer, taken, isLast, added, against) {
  const rival = against === "none" ? null : taken.alternatives.find((one) => !one.chosen);
  if (!rival) {
    const scores = Object.entries(answer.parts).map(([part, features]) => [part, features.map(added).reduce((a, b) => a + b, 0)]);
    const caption = isLast ? "Contribution of this step and the end of the sentence" : "Contribution of this step";
    return partBars(caption, "adds", answer, Object.fromEntries(scores));
  }
  const chosen = taken.alternatives.find((one) => one.chosen);
  const caption = make("span", {}, "Parts that favour this step (right) or oppose it (left), compared with ", make("q", {}, phraseOf(rival)));
  return partBars(caption, "difference", answer, subtract(withRest(chosen), withRest(rival)));
}

// The alternatives of a step, relative to the phrase taken. The total of a row is the sum of the
// reordering models and of all other parts.
export function alternatives(answer, { alternatives: shown }) {
  const chosen = withRest(shown.find((one) => one.chosen));
  const models = answer.distortion_models;
  const others = [...partNames(answer).slice(models.length), REST].filter((part) => shown.some((one) => withRest(one)[part]));
  const rows = shown.map((one) => ({ one, difference: subtract(withRest(one), chosen) }));
  const sum = (difference, parts) => signed(parts.reduce((total, part) => total + difference[part], 0));
  const columns = (parts) => rows.map(({ one, difference }) => [name(one), ...parts.map((part) => signed(difference[part]))]);
  return [
    table("alternatives", "Alternatives at this step, relative to the phrase taken (✓)",
      ["phrase", ...["jump", "total", ...models, "others"].map((name) => term(name))],
      rows.map(({ one, difference }) => [name(one), jumpOf(one), sum(difference, [...models, ...others]),
        ...models.map((part) => signed(difference[part])), sum(difference, others)])),
    make("details", {}, make("summary", {}, "Other parts one by one"),
      table("other-parts", "Other parts of the score, relative to the phrase taken (✓)", ["phrase", ...others.map((name) => term(name))], columns(others))),
  ];
}

const name = (one) => make("th", { scope: "row", class: one.chosen ? "chosen" : null }, phraseOf(one), one.chosen ? " ✓" : "");
const jumpOf = ({ jump }) => (jump ? signed(jump, 0) : "0");
const phraseOf = ({ source_words: source, target_words: target }) => `${source.join(" ")} → ${target.join(" ") || "(nothing)"}`;
const withRest = ({ part_scores: scores, future }) => ({ ...scores, [REST]: future });

function subtract(own, other) {
  return Object.fromEntries(Object.entries(own).map(([part, score]) => [part, score - other[part]]));
}

// The penalty of unknown words has no bar, because it would dwarf all others.
function partBars(caption, head, answer, scores) {
  const shown = [...partNames(answer), REST].filter((part) => Math.abs(scores[part] ?? 0) >= 0.005);
  if (!shown.length) return make("p", { class: "quiet" }, "No part of the score differs.");
  return bars("bars-of-step", caption, ["part", head], shown.map((part) => (
    { name: part, value: part === "unknown" ? 0 : scores[part], cells: [signed(scores[part])] })));
}
