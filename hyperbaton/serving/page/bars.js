// A table of numbers with a bar for each: to the right of zero what is added, to the left what is
// taken away.

import { make, table } from "./elements.js";

// rows: { name, value, cells: what stands between name and bar, title }
export function bars(kind, caption, heads, rows) {
  const values = rows.map(({ value }) => value);
  const low = Math.min(0, ...values), high = Math.max(0, ...values);
  const place = (value) => (high > low ? (100 * (value - low)) / (high - low) : 0);
  return table(kind, caption, [...heads, ""], rows.map(({ name, value, cells }) => [
    name, ...cells, bar(place(0), place(value)),
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
