// Marks the words in which two texts differ, by a longest common subsequence.

import { make } from "./elements.js";

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

// Splits a text into words, punctuation and spaces; also works for scripts without spaces.
const piecesOf = (text) => [...segmenter.segment(text)].map(({ segment }) => segment);
const isWord = (piece) => piece.trim() !== "";

// A text as nodes, with <mark> around words that the other text lacks, and an empty <mark> where words
// of the other text are missing.
export function marked(text, other) {
  if (other == null) return [text];
  const pieces = piecesOf(text), others = piecesOf(other).filter(isWord);
  const kept = common(pieces.filter(isWord), others);
  const nodes = [];
  let place = 0, reached = 0, isReplaced = false; // positions in both texts; whether words were marked since the last common one
  const reach = (partner) => {
    const missing = others.slice(reached, partner).join(" ");
    if (missing && !isReplaced) nodes.push(make("mark", { class: "gap", title: `missing: ${missing}` }));
    [reached, isReplaced] = [partner + 1, false];
  };
  for (const piece of pieces) {
    const partner = isWord(piece) ? kept.get(place++) : null;
    if (partner === undefined) {
      nodes.push(make("mark", {}, piece));
      isReplaced = true;
      continue;
    }
    if (partner !== null) reach(partner);
    nodes.push(piece);
  }
  reach(others.length);
  return nodes;
}

// A longest common subsequence: maps positions of its words to positions in the other text.
function common(words, others) {
  // lengths[i][j]: length for words[i:] and others[j:]
  const lengths = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--) {
    for (let j = others.length - 1; j >= 0; j--) {
      lengths[i][j] = words[i] === others[j]
        ? lengths[i + 1][j + 1] + 1
        : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const kept = new Map();
  for (let i = 0, j = 0; i < words.length && j < others.length;) {
    if (words[i] === others[j]) {
      kept.set(i, j);
      i++, j++;
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
    else j++;
  }
  return kept;
}
