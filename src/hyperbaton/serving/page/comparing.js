// Lists the differences between two columns: "limit 6 → 0".

import { limitName } from "./elements.js";

const MOST = 4; // weights to name

export function differencesOf(first, second) {
  const differences = [];
  const compare = (name, of) => {
    const [one, other] = [first, second].map(of);
    if (one !== other) differences.push(`${name} ${one} → ${other}`);
  };
  const models = namesOf("distortion", first, second);
  compare("system", ({ system }) => system.name);
  compare("limit", ({ settings, system }) => limitName(settings.limit ?? system.limit));
  compare("stack", ({ settings, system }) => String(settings.stack ?? system.search.stack_size));
  for (const model of models) compare(model, (column) => (column.isOff(model) ? "off" : "on"));
  const off = models.filter((model) => first.isOff(model) || second.isOff(model));
  const weights = namesOf("features", first, second).filter((name) => {
    const [one, other] = [first, second].map((column) => column.weight(name));
    return one !== undefined && other !== undefined && one !== other && !off.includes(partOf(first, name));
  });
  for (const name of weights.slice(0, MOST)) compare(name, (column) => String(Number(column.weight(name).toPrecision(3))));
  if (weights.length > MOST) differences.push(`${weights.length - MOST} more weights`);
  return differences;
}

const namesOf = (what, ...columns) => [...new Set(columns.flatMap(({ system }) => system[what].map(({ name }) => name)))];
const partOf = ({ system }, feature) => system.features.find(({ name }) => name === feature).part;
