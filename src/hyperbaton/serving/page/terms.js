// Explains every term in a sentence, shown on hover and on a click.

import { button, make } from "./elements.js";

const TERMS = {
  score: "The sum of all parts: weights times features. Higher is better.",
  hypotheses: "Partial translations created by the search.",
  limit: "The longest jump that the search may make, in words.",
  stack: "How many partial translations that cover the same number of words the search keeps.",
  jump: "Source words between the end of the previous phrase and the start of this one: 0 continues in order, a negative jump goes back.",
  total: "The score so far, plus the contribution of the step and the estimate of the rest; the search compares totals.",
  "estimate of the rest": "The search’s estimate of the score of the remaining words.",
  others: "All other parts of the score together, and the estimate of the rest.",
  translation: "How likely the phrase pairs are in both directions, from counts in the training text.",
  phrase_penalty: "A fixed amount for each phrase: the system prefers few long phrases, or many short ones.",
  word_penalty: "A fixed amount for each target word: the system prefers long translations, or short ones.",
  lm: "The language model: how fluent the target words are in this order.",
  unknown: "A penalty for each unknown word.",
  glue: "A fixed amount for each step that only puts spans one after the other.",
  linear: "Linear distortion: minus the number of words that a jump skips.",
  msd: "Lexicalised reordering: how likely this phrase is to follow in order (monotone), to swap with the previous one, or to go elsewhere (discontinuous).",
  dpr: "Distance phrase reordering: how likely this phrase is to move, and how far.",
  gaps: "How many gaps of untranslated words a step leaves.",
  "nine-class": "How likely this distance to the next source word is, in nine distance classes.",
  oracle: "A penalty for every word that comes later than in the reference.",
  pair: "How likely this source word is to follow the previous one, given the words around both.",
  sequence: "Like pair, but also given all words between the two.",
  parse: "How likely this translation and jump are together, given features of the parse tree.",
};

// A feature ("msd.backward.swap") is explained by its part; a second model of a kind ("msd2") by the kind.
export const isTerm = (name) => name.split(".")[0].replace(/\d+$/, "") in TERMS;

export function term(name, text = name) {
  if (!isTerm(name)) return text;
  const sentence = TERMS[name.split(".")[0].replace(/\d+$/, "")];
  return button(text, ({ currentTarget }) => tell(currentTarget, sentence), {
    class: "term", title: sentence, "aria-label": text === "?" ? `what is ${name}?` : text,
  });
}

const about = make("p", { class: "about", popover: true, role: "status" });

// Shows the sentence below the term; a click elsewhere or Escape closes it.
function tell(element, sentence) {
  const { left, bottom } = element.getBoundingClientRect();
  if (!about.isConnected) document.body.append(about);
  about.textContent = sentence;
  about.showPopover();
  about.style.left = `${Math.max(0, Math.min(left, innerWidth - about.offsetWidth - 8))}px`;
  about.style.top = `${bottom + 4}px`;
}
