// What the page shows, as the part of its address behind the #, so that a link restores it:
//
//     #text=kare+wa+hon+o+yonda&a={"limit":0}&b={"off":["msd"]}
//
// `a` and `b` are the columns; they have only what differs from the system's own settings.

const isString = (value) => typeof value === "string";
const isCount = (value) => Number.isInteger(value) && value >= 0;
const isList = (isItem) => (value) => Array.isArray(value) && value.every(isItem);

// Links come from anywhere: fields of other names or kinds are left out.
const FIELDS = {
  model: isString,
  off: isList(isString), // distortion models that are switched off
  weights: (value) => isObject(value) && Object.values(value).every(Number.isFinite),
  limit: (value) => value === "inf" || isCount(value),
  stack: (value) => isCount(value) && value > 0,
  rank: (value) => isCount(value) && value < 10, // which of the n-best list is shown
  step: isCount, // steps that have been taken
  against: isString, // what bars are differences from
  order: isString,
  force: isString,
  span: (value) => isList(isCount)(value) && value.length === 2,
  open: isList(isString), // parts of the page
};
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const NAMES = ["a", "b"];

export function readLink(hash) {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const columns = NAMES.filter((name) => parameters.has(name)).map((name) => fields(parameters.get(name)));
  return { text: parameters.get("text"), columns: columns.length ? columns : [{}] };
}

export function writeLink({ text, columns }) {
  const parameters = new URLSearchParams({ text });
  const isPlain = columns.length === 1 && !Object.keys(columns[0]).length;
  if (!isPlain) columns.forEach((settings, number) => parameters.set(NAMES[number], JSON.stringify(settings)));
  history.replaceState(null, "", `#${parameters}`);
}

function fields(text) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    return {};
  }
  if (!isObject(content)) return {};
  const known = Object.entries(content).filter(([name, value]) => Object.hasOwn(FIELDS, name) && FIELDS[name](value));
  return Object.fromEntries(known);
}
