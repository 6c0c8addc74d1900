// Switches for distortion models; sliders for the limit, the stack size and all weights.

import { button, folding, limitName, make, refill } from "./elements.js";
import { term } from "./terms.js";

const STACKS = [1, 2, 5, 10, 20, 50, 100, 200, 250];
const MOST = 3; // largest multiple of a weight
const LIMITS = [...Array(13).keys(), 15, 20, "inf"];

export class SettingsPanel {
  constructor(column) {
    this.column = column;
    this.body = make("div", { class: "settings-body" });
    this.element = folding("Settings", column.isOpen("settings"), (isOpen) => column.opened("settings", isOpen), this.body);
    this.element.className = "settings";
    this.draw();
  }

  draw() {
    const { column } = this, { system } = column;
    const models = new Set(system.distortion.map(({ name }) => name));
    const others = [...new Set(system.features.map(({ part }) => part))].filter((part) => !models.has(part) && part !== "unknown");
    refill(this.body,
      make("fieldset", {}, make("legend", {}, "Search"),
        system.hierarchical ? null : this.choice("limit", "Distortion limit", LIMITS, system.limit, limitName),
        this.choice("stack", "Hypotheses per stack", STACKS.filter((size) => 2 * size <= column.page.limits.pops), system.search.stack_size, String)),
      system.hierarchical ? null : make("fieldset", {}, make("legend", {}, "Distortion models"), system.distortion.map(({ name }) => this.model(name))),
      make("fieldset", {}, make("legend", {}, "Other features"), others.map((part) => this.weights(part))),
      button("Reset all", () => this.reset(), { class: "quiet", "data-key": "reset" }));
  }

  reset() {
    this.column.change({ limit: undefined, stack: undefined, off: undefined, weights: undefined, rank: undefined });
    this.draw();
  }

  // A slider over a list of values, which includes the system's value.
  choice(field, title, values, own, show) {
    const choices = values.includes(own) ? values : [...values, own].sort((a, b) => (a === "inf" ? 1 : b === "inf" ? -1 : a - b));
    const now = this.column.settings[field] ?? own;
    const output = make("output", {}, show(now));
    const slider = make("input", {
      type: "range", min: 0, max: choices.length - 1, value: Math.max(0, choices.indexOf(now)), name: field,
      "aria-label": title, "aria-valuetext": show(now),
      oninput: () => {
        const value = choices[slider.value];
        output.textContent = show(value);
        slider.setAttribute("aria-valuetext", show(value));
        this.column.change({ [field]: value === own ? undefined : value });
      },
    });
    return make("div", { class: "slider" }, term(field, title), output, slider);
  }

  model(name) {
    const toggle = make("input", {
      type: "checkbox", role: "switch", name, checked: !this.column.isOff(name), onchange: () => this.toggle(name, toggle.checked),
    });
    return make("div", { class: "model" }, make("label", { class: "switch" }, toggle, name), term(name, "?"), this.weights(name));
  }

  // A model that was off because its weights are 0 gets the system's weights back.
  toggle(model, isOn) {
    const { settings, system } = this.column;
    const off = (settings.off ?? []).filter((one) => one !== model);
    if (!isOn) off.push(model);
    const isZero = ([name, weight]) => !weight && system.features.some((feature) => feature.name === name && feature.part === model);
    const weights = Object.entries(settings.weights ?? {}).filter((entry) => !isOn || !isZero(entry));
    this.column.change({ off: off.length ? off : undefined, weights: weights.length ? Object.fromEntries(weights) : undefined, rank: undefined });
    this.draw();
  }

  // The weights of a part; several weights are folded.
  weights(part) {
    const features = this.column.system.features.filter((feature) => feature.part === part);
    const sliders = features.map((feature) => this.weight(feature));
    if (sliders.length < 2) return sliders;
    return make("details", {}, make("summary", {}, `${part}: ${sliders.length} weights`), sliders);
  }

  // The slider of a weight other than 0 goes from ×0 to ×3; the field takes any number.
  weight({ name, weight, part }) {
    const now = this.column.weight(name), unit = weight || 1;
    const range = weight ? { min: 0, max: MOST } : { min: -1, max: 1 };
    const slider = make("input", { type: "range", ...range, step: 0.05, value: now / unit, name, "aria-label": name });
    const field = make("input", { type: "number", step: "any", "aria-label": `${name}, as a number` });
    const back = button("↺", () => set(weight), { "aria-label": `reset ${name}`, title: `reset to ${round(weight)}` });
    const times = make("output", { class: "times" });
    const show = (value) => {
      field.value = round(value);
      times.textContent = weight && value !== weight ? ` ×${round(value / weight)}` : "";
      slider.setAttribute("aria-valuetext", weight ? `${round(value)}, ${round(value / weight)} times the original` : round(value));
      back.classList.toggle("unneeded", value === weight);
    };
    const set = (value) => {
      slider.value = value / unit;
      show(value);
      const weights = { ...this.column.settings.weights, [name]: value };
      if (value === weight) delete weights[name];
      this.column.change({ weights: Object.keys(weights).length ? weights : undefined, rank: undefined });
      const toggle = this.body.querySelector(`[role=switch][name="${CSS.escape(part)}"]`);
      if (toggle) toggle.checked = !this.column.isOff(part);
    };
    slider.addEventListener("input", () => set(Number(slider.value) * unit));
    field.addEventListener("change", () => Number.isFinite(field.valueAsNumber) && set(field.valueAsNumber));
    show(now);
    return make("div", { class: "weight" }, make("span", { class: "name" }, term(name), times), field, back, slider);
  }
}

const round = (value) => String(Number(value.toPrecision(3)));
