// What the page shows, as the part of its address behind the #, so that a link restores it:
//
//     #text=kare+wa+hon+o+yonda&a={"limit":0}&b={"off":["msd"]}
//
// `a` and `b` are the columns; they have only what differs from the system's own settings.

const isString = (value) => typeof value === "string";
const isCount = (value) => Number.isInteger(value) && value >= 0;
const isList = (isItem) => (value) => Array.isArray(value) && value.every(isItem);

// Links come from anywhere: fields of other names or kinds are left out, and named.
const FIELDS = {
  model: isString,
  name: isString, // of the column
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

// The text, the columns, and what had to be left out, in words.
export function readLink(hash, systems) {
  const parameters = new URLSearchParams(hash.replace(/^#/, "")), faults = [];
  const columns = NAMES.filter((name) => parameters.has(name)).map((name) => fields(name, parameters.get(name), faults));
  for (const { model, weights } of columns) {
    const system = systems.find(({ name }) => name === model) ?? systems[0];
    if (model !== undefined && model !== system.name) faults.push(`there is no system “${model}” here`);
    const others = Object.keys(weights ?? {}).filter((weight) => !system.features.some(({ name }) => name === weight));
    if (others.length) faults.push(`${system.name} has no feature ${others.join(", ")}`);
  }
  return { text: parameters.get("text"), columns: columns.length ? columns : [{}], faults };
}

export function writeLink({ text, columns }) {
  const parameters = new URLSearchParams({ text });
  const isPlain = columns.length === 1 && !Object.keys(columns[0]).length;
  if (!isPlain) columns.forEach((settings, number) => parameters.set(NAMES[number], JSON.stringify(settings)));
  history.replaceState(null, "", `#${parameters}`);
}

function fields(column, text, faults) {
  let content = null;
  try {
    content = JSON.parse(text);
  } catch {
    // it is no object either
  }
  if (!isObject(content)) {
    faults.push(`“${column}” cannot be read`);
    return {};
  }
  const isKnown = ([name, value]) => Object.hasOwn(FIELDS, name) && FIELDS[name](value);
  const entries = Object.entries(content);
  faults.push(...entries.filter((entry) => !isKnown(entry)).map(([name]) => `“${name}” of “${column}”`));
  return Object.fromEntries(entries.filter(isKnown));
}
