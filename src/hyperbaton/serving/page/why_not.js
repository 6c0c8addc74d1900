// “Why not?”: scores an order or translation of the user's choice, and shows which features prefer it.

import { bars } from "./bars.js";
import { marked } from "./differences.js";
import { button, make, number, refill, signed } from "./elements.js";
import { OrderList, readOrder, writeOrder } from "./order.js";
import { Picture } from "./picture.js";

export class WhyNot {
  constructor(column) {
    this.column = column;
    this.order = new OrderList((spans) => this.want({ order: writeOrder(spans) }));
    this.wanted = make("input", {
      type: "text", name: "wanted", autocomplete: "off", value: column.settings.force ?? "",
      oninput: () => this.want({ force: this.wanted.value.trim() || undefined }),
    });
    this.result = make("div", { "aria-live": "polite" });
    this.element = make("div", {},
      make("p", { class: "quiet" }, "Drag source phrases into another order (or use their arrows), or type the translation that you expected."),
      this.order.element,
      make("p", {},
        button("Single words", () => this.split(), { "data-key": "split" }), " ",
        button("Reset order", () => this.want({}), { "data-key": "own" })),
      make("label", { class: "field" }, "Expected translation", this.wanted),
      this.result);
  }

  // An order and a translation exclude each other.
  want({ order, force }) {
    this.column.change({ order, force });
    this.drawOrder();
  }

  split() {
    const words = this.spans().flatMap(([start, end]) => Array.from({ length: end - start }, (_, n) => [start + n, start + n + 1]));
    this.want({ order: writeOrder(words) });
  }

  spans() {
    const { order } = this.column.settings;
    return order ? readOrder(order) : this.answer.derivations[0].segmentation;
  }

  drawOrder() {
    this.order.show(this.answer.source, this.spans());
    if (document.activeElement !== this.wanted) this.wanted.value = this.column.settings.force ?? "";
  }

  draw(answer) {
    this.answer = answer;
    this.drawOrder();
    refill(this.result, answer.requested ? requested(answer) : []);
    return this.element;
  }
}

function requested(answer) {
  const { kind, error, lacks, no_phrase: noPhrase, adds, derivation, differences } = answer.requested;
  if (error) return [make("p", { class: "problem" }, [error.message, error.expected, error.advice].filter(Boolean).join("; "))];
  const best = answer.derivations[0];
  return [
    make("p", { class: "translation requested" }, marked(derivation.text, best.text)),
    ...(kind === "force" ? outOfReach(lacks, noPhrase) : []),
    kind === "force" && adds.length ? make("p", { class: "quiet" }, `Words added: ${adds.join(" ")}`) : null,
    make("p", { class: "verdict" }, verdict(differences.score, derivation.score, best.score)),
    new Picture(derivation).element,
    comparison("comparison", "Parts that favour it (right) or oppose it (left)", "part", differences.parts, best.part_scores, derivation.part_scores),
    make("details", {}, make("summary", {}, "Feature by feature"),
      comparison("features", "Weighted features", "feature", differences.features, weighted(best, answer), weighted(derivation, answer))),
  ];
}

// Missing words: some are in no phrase, others only in phrases that do not fit.
function outOfReach(lacks, noPhrase) {
  const dropped = lacks.filter((word) => !noPhrase.includes(word));
  return [
    noPhrase.length ? make("p", { class: "problem lacks" }, `No phrase contains ${quoted(noPhrase)}.`) : null,
    dropped.length ? make("p", { class: "problem dropped" }, `${quoted(dropped)} ${dropped.length > 1 ? "were" : "was"} dropped: phrases exist, but they do not fit the rest.`) : null,
    lacks.length ? make("p", { class: "quiet" }, "This is the closest translation that the system can produce.") : null,
  ];
}

const quoted = (words) => words.map((word) => `“${word}”`).join(", ");

function verdict(difference, score, best) {
  const scores = `${number(score)} against ${number(best)}`;
  if (Math.abs(difference) < 0.005) return `It scores the same as the system’s choice: ${scores}.`;
  if (difference < 0) return `It scores ${number(-difference)} less than the system’s choice: ${scores}.`;
  return `It scores ${number(difference)} more than the system’s choice, ${scores}: the search missed it. A larger stack may find it.`;
}

function weighted({ features }, { weights }) {
  return Object.fromEntries(Object.entries(features).map(([name, value]) => [name, value * weights[name]]));
}

function comparison(kind, caption, what, differences, own, wanted) {
  const rows = Object.entries(differences)
    .filter(([name]) => own[name] || wanted[name])
    .map(([name, value]) => ({ name, value, cells: [signed(value), number(own[name]), number(wanted[name])] }));
  return bars(kind, caption, [what, "difference", "system’s", "yours"], rows);
}
