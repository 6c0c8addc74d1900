// Why this translation, and why this step: bars of what the parts of the score say for it (right)
// and against it (left). Contributions by themselves mislead, since all translations get most of
// them; so the bars are differences from a rival, unless all of it is asked for.

import { bars } from "./bars.js";
import { make, number, signed, table } from "./elements.js";
import { isSameOrder, partNames, partScores } from "./parts.js";
import { term } from "./terms.js";

export const RIVALS = {
  "runner-up": "difference from the runner-up",
  order: "difference from the best other order",
  none: "what each part adds",
};
export const REST = "estimate of the rest";

// Of a whole translation of the list, which is compared with the best of the others.
export function whyTranslation(answer, rank, against) {
  const own = answer.n_best[rank], scores = partScores(answer, own);
  const rival = rivalOf(answer, rank, against);
  if (!rival) return partBars("What each part adds to the score", "adds", answer, scores);
  const isMissing = against === "order" && isSameOrder(rival, own);
  const caption = make("span", {}, isMissing ? "No other order is in the list. " : null,
    "For it (right) and against it (left), compared with ", make("q", {}, rival.text));
  return partBars(caption, "difference", answer, subtract(scores, partScores(answer, rival)));
}

function rivalOf({ n_best: list }, rank, against) {
  if (against === "none") return null;
  const others = list.filter((_, number) => number !== rank);
  return (against === "order" && others.find((one) => !isSameOrder(one, list[rank]))) || others[0];
}

// Of a step, which is compared with the best of what else could have been taken.
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
    const caption = isLast ? "What this step and the end of the sentence add to the score" : "What this step adds to the score";
    return partBars(caption, "adds", answer, Object.fromEntries(scores));
  }
  const chosen = taken.alternatives.find((one) => one.chosen);
  const caption = make("span", {}, "For this step (right) and against it (left), compared with ", make("q", {}, phraseOf(rival)));
  return partBars(caption, "difference", answer, subtract(withRest(chosen), withRest(rival)));
}

// Each other phrase that could have been taken, relative to the one that was. A row adds up to its
// total: the reordering models, and the others together.
export function alternatives(answer, { alternatives: shown }) {
  const chosen = withRest(shown.find((one) => one.chosen));
  const models = answer.distortion_models;
  const others = [...partNames(answer).slice(models.length), REST].filter((part) => shown.some((one) => withRest(one)[part]));
  const rows = shown.map((one) => ({ one, difference: subtract(withRest(one), chosen) }));
  const sum = (difference, parts) => signed(parts.reduce((total, part) => total + difference[part], 0));
  const columns = (parts) => rows.map(({ one, difference }) => [name(one), ...parts.map((part) => signed(difference[part]))]);
  return [
    table("alternatives", "What could have been taken here, relative to what was (✓)",
      ["phrase", ...["jump", "total", ...models, "others"].map((name) => term(name))],
      rows.map(({ one, difference }) => [name(one), jumpOf(one), sum(difference, [...models, ...others]),
        ...models.map((part) => signed(difference[part])), sum(difference, others)])),
    make("details", {}, make("summary", {}, "The others one by one"),
      table("other-parts", "The other parts of the score, relative to what was taken (✓)", ["phrase", ...others.map((name) => term(name))], columns(others))),
  ];
}

const name = (one) => make("th", { scope: "row", class: one.chosen ? "chosen" : null }, phraseOf(one), one.chosen ? " ✓" : "");
const jumpOf = ({ jump }) => (jump ? signed(jump, 0) : "0");
const phraseOf = ({ source_words: source, target_words: target }) => `${source.join(" ")} → ${target.join(" ") || "(nothing)"}`;
const withRest = ({ part_scores: scores, future }) => ({ ...scores, [REST]: future });

function subtract(own, other) {
  return Object.fromEntries(Object.entries(own).map(([part, score]) => [part, score - other[part]]));
}

// The penalty of unknown words has no bar: it would make all others too short to see.
function partBars(caption, head, answer, scores) {
  const shown = [...partNames(answer), REST].filter((part) => Math.abs(scores[part] ?? 0) >= 0.005);
  if (!shown.length) return make("p", { class: "quiet" }, "No part of the score makes a difference.");
  return bars("bars-of-step", caption, ["part", head], shown.map((part) => (
    { name: part, value: part === "unknown" ? 0 : scores[part], cells: [signed(scores[part])] })));
}
