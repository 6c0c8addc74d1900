// Words of two texts that the other does not have at the same place of their common order.

import { make } from "./elements.js";

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

// A text as words, spaces and signs; where words are not divided by spaces, too.
const wordsOf = (text) => [...segmenter.segment(text)].map(({ segment }) => segment);

// A text as nodes, with <mark> around the words that differ from another one.
export function marked(text, other) {
  const words = wordsOf(text);
  if (other == null) return [text];
  const kept = common(words, wordsOf(other));
  return words.map((word, place) => (kept.has(place) || !word.trim() ? word : make("mark", {}, word)));
}

// Places of the words of a longest common subsequence.
export function common(words, others) {
  // lengths[i][j]: of the rests words[i:] and others[j:]
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--) {
    for (let j = others.length - 1; j >= 0; j--) {
      lengths[i][j] = words[i] === others[j]
        ? lengths[i + 1][j + 1] + 1
        : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const kept = new Set();
  for (let i = 0, j = 0; i < words.length && j < others.length;) {
    if (words[i] === others[j]) {
      kept.add(i);
      i++, j++;
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
    else j++;
  }
  return kept;
}
