// The parts of the score: their values for a translation, and their order on the page.

// The score of each part: a sum of weighted features.
export function partScores({ parts, weights }, { features }) {
  const sum = (names) => names.reduce((total, name) => total + features[name] * weights[name], 0);
  return Object.fromEntries(Object.entries(parts).map(([part, names]) => [part, sum(names)]));
}

// The names of all parts, reordering models first.
export function partNames({ parts, distortion_models: models }) {
  return [...models, ...Object.keys(parts).filter((part) => !models.includes(part))];
}

// The source words in the order in which a translation takes them.
export function visits({ segmentation }) {
  return segmentation.flatMap(([start, end]) => Array.from({ length: end - start }, (_, n) => start + n));
}

export const isSameOrder = (one, other) => String(visits(one)) === String(visits(other));
