// A table of numbers with a bar for the first of each row: to the right of zero what is added, to the
// left what is taken away.

import { make, table } from "./elements.js";
import { term } from "./terms.js";

// rows: { name, value, cells: the value as text, and what else stands in the row }
export function bars(kind, caption, heads, rows) {
  const values = rows.map(({ value }) => value);
  const low = Math.min(0, ...values), high = Math.max(0, ...values);
  const place = (value) => (high > low ? (100 * (value - low)) / (high - low) : 0);
  const [name, first, ...others] = heads;
  return table(kind, caption, [name, first, "", ...others], rows.map(({ name, value, cells: [text, ...more] }) => [
    term(name), text, bar(place(0), place(value)), ...more,
  ]));
}

function bar(zero, end) {
  const inside = make("span", { class: end < zero ? "bar minus" : "bar" });
  inside.style.left = `${Math.min(zero, end)}%`; // the policy forbids attributes, not properties
  inside.style.width = `${Math.abs(end - zero)}%`;
  const axis = make("span", { class: "axis" });
  axis.style.left = `${zero}%`;
  return make("td", { class: "bars", "aria-hidden": "true" }, make("span", { class: "track" }, inside, axis));
}
