// Switches for distortion models, sliders for the limit, the search's width and all weights.

import { button, folding, limitName, make, refill } from "./elements.js";

const STACKS = [1, 2, 5, 10, 20, 50, 100, 200, 250];
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
    const own = new Set(system.distortion.map(({ name }) => name));
    const others = [...new Set(system.features.map(({ part }) => part))].filter((part) => !own.has(part) && part !== "unknown");
    refill(this.body,
      make("fieldset", {}, make("legend", {}, "Search"),
        this.choice("limit", "Distortion limit", LIMITS, system.limit, limitName),
        this.choice("stack", "Hypotheses in a stack", STACKS.filter((size) => 2 * size <= column.page.limits.pops), system.search.stack_size, String)),
      make("fieldset", {}, make("legend", {}, "Distortion models"), system.distortion.map(({ name }) => this.model(name))),
      make("fieldset", {}, make("legend", {}, "Other features"), others.map((part) => this.weights(part))),
      button("Reset all", () => this.reset(), { class: "quiet", "data-key": "reset" }));
  }

  reset() {
    this.column.change({ limit: undefined, stack: undefined, off: undefined, weights: undefined, rank: undefined });
    this.draw();
  }

  // A slider over a list of values; the system's own value is one of them.
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
    return make("div", { class: "slider" }, make("span", {}, title), output, slider);
  }

  model(name) {
    const off = this.column.settings.off ?? [];
    const toggle = make("input", {
      type: "checkbox", role: "switch", name, checked: !off.includes(name),
      onchange: () => {
        const others = (this.column.settings.off ?? []).filter((one) => one !== name);
        const now = toggle.checked ? others : [...others, name];
        this.column.change({ off: now.length ? now : undefined, rank: undefined });
      },
    });
    return make("div", { class: "model" }, make("label", { class: "switch" }, toggle, name), this.weights(name));
  }

  // The weights of a part; if there are several, they are shown on demand.
  weights(part) {
    const features = this.column.system.features.filter((feature) => feature.part === part);
    const sliders = features.map((feature) => this.weight(feature));
    if (sliders.length < 2) return sliders;
    return make("details", {}, make("summary", {}, `${part}: ${sliders.length} weights`), sliders);
  }

  weight({ name, weight }) {
    const now = this.column.settings.weights?.[name] ?? weight;
    const most = Math.max(1, 2 * Math.abs(weight), Math.abs(now));
    const slider = make("input", { type: "range", min: -most, max: most, step: most / 100, value: now, name, "aria-label": name });
    const field = make("input", { type: "number", step: "any", value: round(now), "aria-label": `${name}, as a number` });
    const back = button("↺", () => set(weight), { "aria-label": `reset ${name}`, title: `reset to ${round(weight)}` });
    const set = (value) => {
      slider.value = value;
      field.value = round(value);
      back.classList.toggle("unneeded", value === weight);
      const weights = { ...this.column.settings.weights, [name]: value };
      if (value === weight) delete weights[name];
      this.column.change({ weights: Object.keys(weights).length ? weights : undefined, rank: undefined });
    };
    slider.addEventListener("input", () => set(Number(slider.value)));
    field.addEventListener("change", () => Number.isFinite(field.valueAsNumber) && set(field.valueAsNumber));
    back.classList.toggle("unneeded", now === weight);
    return make("div", { class: "weight" }, make("span", { class: "name" }, name), field, back, slider);
  }
}

const round = (value) => String(Number(value.toPrecision(3)));
