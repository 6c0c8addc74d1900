// The tree of a derivation with hierarchical rules: the server's drawing, and its rules.

import { make, number, signed, table } from "./elements.js";
import { parsed } from "./picture.js";

export function tree({ svg, rules }) {
  const picture = make("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Drawing" }, parsed(svg));
  const rows = rules.map(({ depth, left, right, is_chain, source, target, adds }) => {
    const rule = `${"\u2003".repeat(depth)}${is_chain ? `S → ${left}` : `X → ${left} | ${right || "(nothing)"}`}`;
    return [make("th", { scope: "row", class: "text" }, rule), source.join(":"), target.join(":"), is_chain && !adds ? number(0) : signed(adds)];
  });
  return [make("div", { class: "picture" }, picture),
    table("rules", "Rules; those in the gaps of a rule follow it", ["rule", "source", "target", "adds"], rows)];
}
