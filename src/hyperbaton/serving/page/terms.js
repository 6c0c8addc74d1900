// A sentence about every term: under the mouse as a title, and on a click for everybody.

import { button, make } from "./elements.js";

const TERMS = {
  score: "The sum of all parts: weights times features. Higher is better.",
  hypotheses: "Partial translations that the search has made.",
  limit: "The longest jump that the search may make, in words.",
  stack: "How many partial translations of equally many words the search keeps.",
  jump: "Source words between the end of the last phrase and the start of this one; 0 goes on in order, below 0 goes back.",
  total: "The score so far, what the step adds, and the estimate of the rest: the search compares these.",
  "estimate of the rest": "The search’s guess of what the words that are left will add.",
  others: "All other parts of the score together, and the estimate of the rest.",
  translation: "How likely the phrase pairs are, from counts of the training text, in both directions.",
  phrase_penalty: "A fixed amount for each phrase: the system prefers few long phrases, or many short ones.",
  word_penalty: "A fixed amount for each target word: the system prefers long translations, or short ones.",
  lm: "The language model: how fluent the target words are in this order.",
  unknown: "A price for each word that the system does not know.",
  linear: "Linear distortion: minus the number of words that a jump passes over.",
  msd: "Lexicalised reordering: how likely this phrase is to follow in order, to swap with the one before it, or to stand elsewhere.",
  dpr: "Distance phrase reordering: how likely this phrase is to move, and how far.",
  gaps: "How many gaps of untranslated words a step leaves open.",
  "nine-class": "How likely the next source word is to be as far away as it is, in nine classes of distance.",
  oracle: "A price for every word that comes later than in the reference.",
  pair: "How likely this source word is to be the next one after the last, from the words around both.",
  sequence: "Like pair, and from all words between them as well.",
  parse: "How likely translation and jump are together, from features of the parse tree.",
};

// Features are explained by their part ("msd.backward.swap"), a second model of a kind by the kind.
export const isTerm = (name) => name.split(".")[0].replace(/\d+$/, "") in TERMS;

export function term(name, text = name) {
  if (!isTerm(name)) return text;
  const sentence = TERMS[name.split(".")[0].replace(/\d+$/, "")];
  return button(text, ({ currentTarget }) => tell(currentTarget, sentence), {
    class: "term", title: sentence, "aria-label": text === "?" ? `what is ${name}?` : text,
  });
}

const about = make("p", { class: "about", popover: true, role: "status" });

// Below the term; a click elsewhere or Escape closes it.
function tell(element, sentence) {
  const { left, bottom } = element.getBoundingClientRect();
  if (!about.isConnected) document.body.append(about);
  about.textContent = sentence;
  about.showPopover();
  about.style.left = `${Math.max(0, Math.min(left, innerWidth - about.offsetWidth - 8))}px`;
  about.style.top = `${bottom + 4}px`;
}
