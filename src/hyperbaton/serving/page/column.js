// A column: one system with its settings, and everything about its translation of the sentence. The
// page has one column, or two to compare.

import { marked } from "./differences.js";
import { button, folding, make, number, refill } from "./elements.js";
import { heatMaps } from "./heat_maps.js";
import { languages } from "./languages.js";
import { nBest, SHOWN } from "./n_best.js";
import { spanOptions } from "./options.js";
import { Picture } from "./picture.js";
import { effects, stacks, sweep } from "./search_views.js";
import { explain, Problem } from "./server.js";
import { SettingsPanel } from "./settings.js";
import { Stepper } from "./steps.js";
import { term } from "./terms.js";
import { tree } from "./tree.js";
import { unknownWords } from "./unknown.js";
import { WhyNot } from "./why_not.js";

const PAUSE = 150; // milliseconds without a change before a request is sent
const MANY = 100; // length of the n-best list that is searched for other orders
const OF_SENTENCE = ["rank", "step", "order", "force", "span"]; // settings that hold for one sentence only
const isWide = matchMedia("(min-width: 62rem)");

export class Column {
  // page: { text, systems, limits, columns, isComparing, load(), changed(), answered(), … }
  constructor(page, settings, close = null) {
    Object.assign(this, { page, settings, close });
    this.title = make("h2", { class: "title" });
    this.problem = make("div", { class: "problem", role: "alert" });
    this.translation = make("output", { class: "translation", "aria-live": "polite", tabindex: -1 });
    this.summary = make("p", { class: "quiet summary" });
    this.unknown = make("div", { class: "unknown", role: "status" });
    this.drawing = make("div");
    this.stepper = new Stepper(this);
    const whyNot = new WhyNot(this);
    this.views = Object.entries({
      why: ["Why not?", (answer) => whyNot.draw(answer)],
      heat: ["Heat maps", heatMaps],
      options: ["Translations of words and phrases", spanOptions],
      list: ["n-best list and orders", nBest],
      search: ["The search", stacks],
      effects: ["Effect of limit and beam", effects],
    }).map(([name, [title, draw]]) => this.view(name, title, draw));
    this.results = make("div", { class: "results", hidden: true },
      make("div", { class: "stage" }, make("div", {}, this.drawing, this.stepper.element), this.stepper.why),
      this.stepper.others, this.views.map(({ element }) => element));
    this.panel = new SettingsPanel(this);
    this.element = make("section", { class: "column" }, this.head(),
      make("div", { class: "lead" }, this.problem, this.translation, this.summary, this.unknown),
      this.panel.element, this.results);
  }

  get system() {
    return this.page.systems.find(({ name }) => name === this.settings.model) ?? this.page.systems[0];
  }

  // The name in the link, or that of the system.
  get name() {
    return this.settings.name ?? this.system.name;
  }

  get rank() {
    return Math.min(this.settings.rank ?? 0, this.derivations.length - 1);
  }

  get derivations() {
    return this.answer.trees ?? this.answer.derivations;
  }

  weight(name) {
    return this.settings.weights?.[name] ?? this.system.features.find((feature) => feature.name === name)?.weight;
  }

  // A model is off if it is switched off, if all its weights are 0, or if the system does not have it.
  isOff(model) {
    const features = this.system.features.filter(({ part }) => part === model);
    return (this.settings.off ?? []).includes(model) || features.every(({ name }) => !this.weight(name));
  }

  head() {
    const choose = make("select", { name: "model", onchange: () => this.use(choose.value) },
      this.page.systems.map(({ name }) => make("option", { value: name, selected: name === this.system.name }, name)));
    return make("div", { class: "head" }, this.title,
      make("label", {}, "System ", choose),
      this.close && button("Close", this.close, { class: "quiet close" }));
  }

  // Changes the system. A single column loads an example if the new system reads another language;
  // two columns share their sentence.
  use(model) {
    const before = this.system;
    this.forget();
    this.change({ model, name: undefined, off: undefined, weights: undefined, limit: undefined, stack: undefined });
    this.panel.draw();
    this.page.showExamples();
    const [example] = this.system.examples;
    if (example && !this.page.isComparing && !readsAlike(before, this.system)) this.page.load(example.text);
  }

  view(name, title, draw) {
    const body = make("div");
    const opened = (isOpen) => this.opened(name, isOpen);
    return { name, body, draw, element: folding(title, this.isOpen(name), opened, body) };
  }

  drawView(name) {
    const { body, draw, element } = this.views.find((view) => view.name === name);
    if (!this.answer || !this.isOpen(name) || element.hidden) return;
    const drawn = draw(this.answer, this);
    if (body.firstChild !== drawn) refill(body, drawn); // keeps the focus of input fields
  }

  isOpen(name) {
    return (this.settings.open ?? (isWide.matches && !this.page.isComparing ? ["settings", "why"] : [])).includes(name);
  }

  opened(name, isOpen) {
    if (isOpen === this.isOpen(name)) return;
    const names = ["settings", ...this.views.map((view) => view.name)];
    const open = names.filter((other) => (other === name ? isOpen : this.isOpen(other)));
    this.change({ open }, { asks: ["effects", "list"].includes(name) && isOpen });
    if (name !== "settings") this.drawView(name);
  }

  // Called when a second column opens or closes: settings are folded while two are compared.
  rearrange() {
    const { isComparing } = this.page;
    this.change({ open: this.settings.open?.filter((name) => name !== "settings" || !isComparing) }, { asks: false });
    this.panel.element.open = this.isOpen("settings");
    for (const { name, element } of this.views) {
      element.open = this.isOpen(name);
      this.drawView(name);
    }
  }

  // Undefined settings fall back to those of the system.
  change(settings, { asks = true } = {}) {
    for (const [name, value] of Object.entries(settings)) {
      if (value === undefined) delete this.settings[name];
      else this.settings[name] = value;
    }
    this.page.changed();
    if (asks) this.ask();
  }

  // Forgets the settings of the old sentence.
  forget() {
    this.stepper.stop();
    for (const name of OF_SENTENCE) delete this.settings[name];
  }

  question() {
    const { text } = this.page, { settings, system } = this;
    const rank = settings.rank ?? 0, off = new Set(settings.off);
    const n_best = Math.min(this.isOpen("list") || settings.against === "order" ? MANY : SHOWN, this.page.limits.n_best);
    const question = { text, model: system.name, distinct: true, n_best, derivations: rank + 1, options: 8 };
    const isOn = ({ part }) => !off.has(part);
    const weights = system.features.filter(isOn).filter(({ name }) => name in (settings.weights ?? {}));
    question.weights = Object.fromEntries(weights.map(({ name }) => [name, settings.weights[name]]));
    if (off.size) question.distortion = system.distortion.map(({ name }) => name).filter((name) => !off.has(name));
    if (settings.limit !== undefined) question.limit = settings.limit;
    if (settings.stack) question.search = { stack_size: settings.stack, pop_limit: settings.stack };
    if (settings.order) question.order = settings.order;
    else if (settings.force) question.force = settings.force;
    if (this.isOpen("effects") && !system.hierarchical) Object.assign(question, sweep(this.page.limits));
    return question;
  }

  // Sends a request after a pause, and aborts the previous one.
  async ask({ atOnce = false } = {}) {
    this.asked?.abort();
    const request = (this.asked = new AbortController());
    this.element.setAttribute("aria-busy", "true");
    if (!atOnce) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (request.signal.aborted) return;
    try {
      const answer = this.page.text.trim() ? await explain(this.question(), request.signal) : null;
      if (request === this.asked) this.show(answer);
    } catch (error) {
      if (request !== this.asked) return;
      if (!(error instanceof Problem)) throw error;
      if (this.isOfLink(error)) return this.askPlainly(error);
      this.fail(error);
    }
    this.element.removeAttribute("aria-busy");
  }

  // Whether the settings of a link may have caused the error: then the page has nothing to show.
  isOfLink({ isGone }) {
    return !isGone && this.answer === undefined && Object.keys(this.settings).some((name) => name !== "model");
  }

  askPlainly({ message }) {
    this.page.notice(`The settings of this link were ignored, because the server rejects them: ${message}.`);
    this.settings = this.settings.model ? { model: this.settings.model } : {};
    this.panel.draw();
    this.change({});
  }

  end() {
    this.asked?.abort();
    this.asked = null;
    this.stepper.stop();
  }

  show(answer) {
    this.answer = answer;
    this.problem.replaceChildren();
    this.element.classList.remove("stale");
    this.results.hidden = !answer;
    refill(this.summary, answer && this.summarise());
    refill(this.unknown, answer && unknownWords(answer, this));
    if (answer) {
      this.draw(answer, this.derivations[this.rank]);
    }
    this.page.answered();
  }

  // A tree has no steps, and of the views only the n-best list.
  draw(answer, derivation) {
    const isTree = Boolean(answer.trees), { stepper } = this;
    for (const part of [stepper.element, stepper.why, stepper.others]) part.hidden = isTree;
    if (isTree) {
      refill(this.drawing, tree(derivation));
    } else {
      const picture = new Picture(derivation, (step) => stepper.go(step + 1), languages(this.system));
      refill(this.drawing, picture.element);
      stepper.show(answer, derivation, picture);
    }
    for (const { name, element } of this.views) {
      element.hidden = isTree && name !== "list";
      this.drawView(name);
    }
  }

  summarise() {
    const { search } = this.answer;
    return [term("score"), ` ${number(this.derivations[this.rank].score)}, ${search.hypotheses.toLocaleString("en")} `, term("hypotheses"),
      this.rank ? `; number ${this.rank + 1} of the n-best list` : ""];
  }

  get text() {
    return this.answer ? this.derivations[this.rank].text : null;
  }

  // Shows the translation and marks words that the other column does not have.
  mark(other) {
    this.translation.lang = languages(this.system).target ?? "";
    this.translation.replaceChildren(...(this.text === null ? [] : marked(this.text, other)));
  }

  fail(problem) {
    this.element.classList.add("stale");
    this.problem.replaceChildren(make("p", {}, problem.message), ...problem.hints.map((hint) => make("p", { class: "quiet" }, hint)));
    if (problem.isGone) this.page.reconnect();
  }
}

function readsAlike(one, other) {
  const [first, second] = [one, other].map(({ examples }) => JSON.stringify(examples));
  return first === second || (languages(one).reads !== undefined && languages(one).reads === languages(other).reads);
}
