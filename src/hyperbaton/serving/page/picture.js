// Makes the server's drawing of a derivation interactive: hovering or focusing a phrase highlights
// it, its translation and their links; a click goes to its step; taking a step animates its phrase
// from source to target.

import { button, make } from "./elements.js";
import { legend } from "./legend.js";

const LARGEST = 1.9; // maximum scale of the drawing
const MOTION = { duration: 900, easing: "ease-in-out" };
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

export class Picture {
  // chosen is an optional callback with the number of a step, from 0
  constructor(derivation, chosen = null, { source, target } = {}) {
    this.svg = parsed(derivation.svg);
    const width = Number(this.svg.getAttribute("width"));
    this.svg.style.minWidth = `${width}px`; // below that, words are too small, so the box scrolls
    this.svg.style.maxWidth = `${Math.round(LARGEST * width)}px`;
    nameSteps(this.svg, derivation.segmentation);
    for (const word of this.svg.querySelectorAll("text[data-source]")) if (source) word.setAttribute("lang", source);
    for (const word of this.svg.querySelectorAll("text[data-target]")) if (target) word.setAttribute("lang", target);
    this.enliven(derivation);
    if (chosen) this.letChoose(chosen);
    this.element = make("div", { class: "picture" },
      make("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Drawing" }, this.svg),
      legend(derivation, button("Save as SVG", () => save(derivation.svg))));
  }

  enliven(derivation) {
    this.svg.setAttribute("role", "group"); // makes its phrases focusable
    for (const phrase of this.svg.querySelectorAll(".phrase")) {
      const [start, end, targetStart, targetEnd] = derivation.segmentation[phrase.dataset.step];
      phrase.setAttribute("tabindex", 0);
      phrase.setAttribute("role", "img");
      const sides = [words(this.svg, "source", start, end), words(this.svg, "target", targetStart, targetEnd)];
      phrase.setAttribute("aria-label", `step ${Number(phrase.dataset.step) + 1}: ${sides.join(" → ")}`);
    }
    for (const kind of ["pointerover", "focusin"]) this.svg.addEventListener(kind, (event) => this.light(stepOf(event)));
    for (const kind of ["pointerleave", "focusout"]) this.svg.addEventListener(kind, () => this.light());
  }

  letChoose(chosen) {
    for (const phrase of this.svg.querySelectorAll(".phrase")) phrase.setAttribute("role", "button");
    const choose = (event) => stepOf(event) && chosen(Number(stepOf(event)));
    this.svg.addEventListener("click", choose);
    this.svg.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(event);
    });
  }

  // Highlights one step, or none.
  light(step) {
    this.svg.classList.toggle("lit", step !== undefined);
    for (const part of this.svg.querySelectorAll("[data-step]")) {
      part.classList.toggle("on", part.dataset.step === step);
    }
  }

  // Hides later steps, except for their source words.
  showUntil(steps) {
    for (const part of this.svg.querySelectorAll("[data-step]")) {
      part.classList.toggle("later", Number(part.dataset.step) >= steps);
      part.classList.toggle("now", Number(part.dataset.step) === steps - 1); // no step, if all are shown
    }
  }

  // Animates a step: its target moves from the source span, and the source words move along and fade.
  move(step) {
    for (const animation of this.svg.getAnimations({ subtree: true })) animation.cancel();
    const boxes = [...this.svg.querySelectorAll(`.phrase[data-step="${step}"] rect`)];
    if (isStill.matches || boxes.length < 2) return; // or the step has no target words
    const [[fromX, fromY], [toX, toY]] = boxes.map(middle);
    const start = `translate(${fromX - toX}px, ${fromY - toY}px)`, end = `translate(${toX - fromX}px, ${toY - fromY}px)`;
    boxes[1].animate([{ transform: start }, { transform: "none" }], MOTION);
    for (const text of this.svg.querySelectorAll(`text[data-step="${step}"]`)) {
      if (text.classList.contains("said")) text.animate([{ transform: start, opacity: 0 }, { opacity: 0, offset: 0.4 }, { transform: "none", opacity: 1 }], MOTION);
      else if (text.dataset.source) fly(text, end);
    }
  }
}

const middle = (box) => ["x", "y"].map((side, n) => box[side].baseVal.value + box[["width", "height"][n]].baseVal.value / 2);

function fly(text, end) {
  const ghost = text.cloneNode(true);
  for (const name of ["data-source", "data-step", "class"]) ghost.removeAttribute(name);
  text.after(ghost);
  const animation = ghost.animate([{ transform: "none", opacity: 1 }, { opacity: 0, offset: 0.6 }, { transform: end, opacity: 0 }], MOTION);
  animation.onfinish = animation.oncancel = () => ghost.remove();
}

const stepOf = (event) => event.target.closest("[data-step]")?.dataset.step;

export function parsed(text) {
  const parsedText = new DOMParser().parseFromString(text, "image/svg+xml");
  return document.adoptNode(parsedText.documentElement);
}

// Sets data-step on words and links, as all other elements have it, and the class `said` on the target
// side. In the SVG, source elements precede target elements.
function nameSteps(svg, segmentation) {
  const ofSource = [], ofTarget = []; // words
  segmentation.forEach(([start, end, targetStart, targetEnd], step) => {
    for (let word = start; word < end; word++) ofSource[word] = step;
    for (let word = targetStart; word < targetEnd; word++) ofTarget[word] = step;
  });
  for (const { dataset } of svg.querySelectorAll("[data-source], [data-target]")) {
    dataset.step = ofSource[dataset.source] ?? ofTarget[dataset.target];
  }
  segmentation.forEach((_, step) => {
    const [, ...texts] = svg.querySelectorAll(`text[data-step="${step}"]:not([data-source], [data-target])`);
    const [, box] = svg.querySelectorAll(`.phrase[data-step="${step}"] rect`);
    for (const part of box ? [box, texts.shift()] : []) part.classList.add("said");
    for (const label of texts) label.classList.add("label"); // of the jump
  });
  for (const word of svg.querySelectorAll("text[data-target]")) word.classList.add("said");
}

function words(svg, side, start, end) {
  const texts = svg.querySelectorAll(`text[data-${side}]`);
  return [...texts].slice(start, end).map((text) => text.textContent).join(" ");
}

function save(svg) {
  const alone = svg.replace("<svg ", '<svg color="#1d2125" '); // outside the page, there is no text colour to inherit
  const address = URL.createObjectURL(new Blob([alone], { type: "image/svg+xml" }));
  make("a", { href: address, download: "reordering.svg" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000); // some browsers start the download late
}
