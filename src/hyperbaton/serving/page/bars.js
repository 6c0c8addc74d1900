// A table with a bar for the first number of each row: positive to the right, negative to the left.

import { make, table } from "./elements.js";
import { term } from "./terms.js";

// rows: { name, value, cells: the value as text, then the other cells }
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
  inside.style.left = `${Math.min(zero, end)}%`; // the content security policy forbids style attributes
  inside.style.width = `${Math.abs(end - zero)}%`;
  const axis = make("span", { class: "axis" });
  axis.style.left = `${zero}%`;
  return make("td", { class: "bars", "aria-hidden": "true" }, make("span", { class: "track" }, inside, axis));
}
