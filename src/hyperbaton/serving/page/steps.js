// Steps through a derivation: shows the coverage, the reasons for each step and its alternatives.

import { coverageBar } from "./coverage.js";
import { button, jump, make, refill } from "./elements.js";
import { alternatives, RIVALS, whyStep, whyTranslation } from "./why.js";

const PACE = 1400; // milliseconds

export class Stepper {
  constructor(column) {
    this.column = column;
    this.play = button("▶ Play", () => (this.playing ? this.stop() : this.start()), { class: "play" });
    this.controls = [
      button("|◀", () => this.go(0), { "aria-label": "before the first step" }),
      button("◀", () => this.goBy(-1), { "aria-label": "step back", class: "back" }),
      button("▶", () => this.goBy(1), { "aria-label": "next step", class: "forward" }),
      button("▶|", () => this.go(this.whole), { "aria-label": "all steps" }),
      this.play,
    ];
    this.title = make("p", { class: "step-title", "aria-live": "polite" });
    this.words = make("div");
    this.bars = make("div");
    this.others = make("div", { class: "alternatives-box" });
    const group = make("div", { class: "controls", role: "group", "aria-label": "Steps; also with arrow keys" }, this.controls);
    group.addEventListener("keydown", (event) => this.pressed(event));
    this.element = make("section", { class: "steps" }, make("h2", {}, "Step by step"), group, this.title, this.words);
    this.against = this.chooseRival();
    this.why = make("section", { class: "why" }, make("h2", {}, "Why"), this.against, this.bars);
  }

  chooseRival() {
    const chosen = this.column.settings.against ?? "runner-up";
    const choose = make("select", {
      name: "against", "aria-label": "What the bars show",
      onchange: () => {
        this.column.change({ against: choose.value === "runner-up" ? undefined : choose.value }, { asks: choose.value === "order" });
        this.draw();
      },
    }, Object.entries(RIVALS).map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
    return choose;
  }

  show(answer, derivation, picture) {
    Object.assign(this, { answer, derivation, picture });
    this.draw();
  }

  // The view of all steps comes after the last step; the page starts with it.
  get whole() {
    return this.derivation.steps.length + 1;
  }

  get step() {
    return Math.min(this.column.settings.step ?? this.whole, this.whole);
  }

  go(step) {
    for (const { stepper } of this.column.page.columns) stepper.stop();
    this.move(step);
  }

  goBy(steps) {
    if (this.answer) this.go(this.step + steps);
  }

  // Two columns step together.
  move(step) {
    const place = step >= this.whole ? undefined : Math.max(0, step);
    for (const { stepper } of this.column.page.columns) stepper.take(place);
  }

  take(step) {
    if (!this.answer) return;
    const before = this.step;
    this.column.change({ step }, { asks: false });
    this.draw();
    if (this.step === before + 1 && this.step < this.whole) this.picture.move(before);
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
    const steps = { Home: 0, End: this.whole };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.go(steps[event.key]);
  }

  draw() {
    const { answer, derivation, step } = this, { rank, settings } = this.column;
    const n = derivation.steps.length, isWhole = step === this.whole;
    const taken = step && !isWhole ? derivation.steps[step - 1] : null;
    this.picture.showUntil(step);
    this.title.textContent = isWhole ? `All ${n} steps`
      : taken ? `Step ${step} of ${n}: ${taken.source_words.join(" ")} → ${taken.target_words.join(" ") || "(nothing)"}, jump ${jump(taken.jump)}`
      : `Before the first of ${n} steps`;
    const said = derivation.tokens.slice(0, taken ? taken.target[1] : 0).join(" ");
    refill(this.words, coverageBar(answer, this.column.system, isWhole ? n : step, derivation.steps, isWhole), isWhole ? null : make("p", { class: "so-far" }, said || "…"), events(taken));
    this.against.hidden = !taken && !isWhole;
    refill(this.bars, isWhole ? whyTranslation(answer, rank, settings.against) : taken && whyStep(answer, derivation, step, settings.against));
    refill(this.others, taken && alternatives(answer, taken));
  }
}

// What models score one by one, such as operations, with log probabilities.
function events(step) {
  return Object.entries(step?.events ?? {}).map(([model, listed]) => make("p", { class: "events" },
    `${model}: ${listed.map(([text, score]) => `${text} ${score.toFixed(2)}`).join(", ")}`));
}
