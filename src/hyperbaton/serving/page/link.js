// Stores the state of the page in its address after the #, so that a link restores it:
//
//     #text=kare+wa+hon+o+yonda&a={"limit":0}&b={"off":["msd"]}
//
// `a` and `b` are the columns, with only the settings that differ from the system's.

const isString = (value) => typeof value === "string";
const isCount = (value) => Number.isInteger(value) && value >= 0;
const isList = (isItem) => (value) => Array.isArray(value) && value.every(isItem);

// Links are untrusted: fields with other names or types are ignored and reported.
const FIELDS = {
  model: isString,
  name: isString, // of the column
  off: isList(isString), // distortion models that are switched off
  weights: (value) => isObject(value) && Object.values(value).every(Number.isFinite),
  limit: (value) => value === "inf" || isCount(value),
  stack: (value) => isCount(value) && value > 0,
  rank: (value) => isCount(value) && value < 10, // of the translation shown, in the n-best list
  step: isCount, // steps taken
  against: isString, // the rival from which the bars show differences
  order: isString,
  force: isString,
  span: (value) => isList(isCount)(value) && value.length === 2,
  open: isList(isString), // parts of the page
};
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const NAMES = ["a", "b"];

// Reads the text, the columns, and the parts that were ignored, in words.
export function readLink(hash, systems) {
  const parameters = new URLSearchParams(hash.replace(/^#/, "")), faults = [];
  const columns = NAMES.filter((name) => parameters.has(name)).map((name) => fields(name, parameters.get(name), faults));
  for (const { model, weights } of columns) {
    const system = systems.find(({ name }) => name === model) ?? systems[0];
    if (model !== undefined && model !== system.name) faults.push(`this server has no system “${model}”`);
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
    // not an object either
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
