// Goes through a derivation phrase by phrase: what is covered, what the step's features add to the
// score, and what else could have been taken.

import { bars } from "./bars.js";
import { coverageBar } from "./coverage.js";
import { button, jump, make, number, refill, signed, table } from "./elements.js";

const PACE = 1400; // milliseconds

export class Stepper {
  constructor(column) {
    this.column = column;
    this.play = button("▶ Play", () => (this.playing ? this.stop() : this.start()), { class: "play" });
    this.controls = [
      button("|◀", () => this.go(0), { "aria-label": "before the first step" }),
      button("◀", () => this.go(this.step - 1), { "aria-label": "step back", class: "back" }),
      button("▶", () => this.go(this.step + 1), { "aria-label": "next step", class: "forward" }),
      button("▶|", () => this.go(this.whole), { "aria-label": "all of it" }),
      this.play,
    ];
    this.title = make("p", { class: "step-title", "aria-live": "polite" });
    this.body = make("div");
    const group = make("div", { class: "controls", role: "group", "aria-label": "Steps; also with arrow keys" }, this.controls);
    group.addEventListener("keydown", (event) => this.pressed(event));
    this.element = make("section", { class: "steps" }, make("h2", {}, "Step by step"), group, this.title, this.body);
  }

  show(answer, derivation, picture) {
    Object.assign(this, { answer, derivation, picture });
    this.draw();
  }

  // After the last step comes a look at all of it, with which one begins.
  get whole() {
    return this.derivation.steps.length + 1;
  }

  get step() {
    return Math.min(this.column.settings.step ?? this.whole, this.whole);
  }

  go(step) {
    this.stop();
    this.move(step);
  }

  move(step) {
    const place = Math.max(0, Math.min(step, this.whole));
    this.column.change({ step: place === this.whole ? undefined : place }, { asks: false });
    this.draw();
  }

  start() {
    this.move(this.step === this.whole ? 0 : this.step + 1);
    this.play.textContent = "⏸ Pause";
    this.playing = setInterval(() => {
      this.move(this.step + 1);
      if (this.step === this.whole) this.stop();
    }, PACE);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    this.play.textContent = "▶ Play";
  }

  pressed(event) {
    const steps = { ArrowLeft: this.step - 1, ArrowRight: this.step + 1, Home: 0, End: this.whole };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.go(steps[event.key]);
  }

  draw() {
    const { answer, derivation, step } = this;
    this.picture.showUntil(step);
    const n = derivation.steps.length;
    if (step === this.whole) {
      this.title.textContent = `All ${n} steps`;
      refill(this.body, partBars("What each part adds to the score", derivation.part_scores));
      return;
    }
    const taken = step ? derivation.steps[step - 1] : null;
    this.title.textContent = taken
      ? `Step ${step} of ${n}: ${taken.source_words.join(" ")} → ${taken.target_words.join(" ") || "(nothing)"}, jump ${jump(taken.jump)}`
      : `Before the first of ${n} steps`;
    const said = derivation.tokens.slice(0, taken ? taken.target[1] : 0).join(" ");
    refill(this.body,
      coverageBar(answer.source, taken),
      make("p", { class: "said" }, said || "…"),
      taken && contributions(answer, derivation, step),
      taken && alternatives(taken));
  }
}

// The penalty of unknown words has no bar: it would make all others too short to see.
function partBars(caption, scores) {
  const rows = Object.entries(scores).filter(([, score]) => score);
  return bars("bars-of-step", caption, ["part", "adds"], rows.map(([name, score]) => (
    { name, value: name === "unknown" ? 0 : score, cells: [signed(score)] })));
}

// What each part of the score adds at a step; the last one ends the sentence, too.
function contributions(answer, derivation, step) {
  const taken = derivation.steps[step - 1], isLast = step === derivation.steps.length;
  const added = (feature) => taken.contributions[feature] + (isLast ? derivation.end.contributions[feature] : 0);
  const scores = Object.entries(answer.parts).map(([part, features]) => [part, features.map(added).reduce((a, b) => a + b, 0)]);
  const caption = isLast ? "What this step and the end of the sentence add to the score" : "What this step adds to the score";
  const rows = Object.keys(taken.values).filter(added).map((name) => [
    name, signed(added(name)), number(added(name) / answer.weights[name]), number(answer.weights[name], 3),
  ]);
  return [
    partBars(caption, Object.fromEntries(scores)),
    make("details", {}, make("summary", {}, "Feature by feature"),
      table("features-of-step", "Weighted features", ["feature", "adds", "value", "weight"], rows)),
  ];
}

function alternatives(taken) {
  const shown = taken.alternatives;
  const chosen = shown.find((one) => one.chosen);
  const parts = Object.keys(chosen.part_scores).filter((part) => shown.some((one) => one.part_scores[part]));
  const rows = shown.map((one) => [
    make("th", { scope: "row", class: one.chosen ? "chosen" : null },
      `${one.source_words.join(" ")} → ${one.target_words.join(" ") || "(nothing)"}`, one.chosen ? " ✓" : ""),
    jump(one.jump),
    signed(one.total - chosen.total),
    number(one.future),
    ...parts.map((part) => signed(one.part_scores[part])),
  ]);
  return table("alternatives", "What could have been taken here; totals relative to what was (✓)",
    ["phrase", "jump", "total", "estimate of the rest", ...parts], rows);
}
