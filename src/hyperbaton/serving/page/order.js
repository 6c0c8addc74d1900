// The source phrases in translation order, which the user changes by dragging, buttons or arrow keys.

import { button, make, refill } from "./elements.js";

// "4 0-2 3" as spans, half-open, and back
export const readOrder = (text) => text.split(/\s+/).map((part) => {
  const [first, last = first] = part.split("-").map(Number);
  return [first, last + 1];
});
export const writeOrder = (spans) => spans.map(([start, end]) => (end - start > 1 ? `${start}-${end - 1}` : start)).join(" ");

export class OrderList {
  // changed is called with the spans in their new order
  constructor(changed) {
    this.changed = changed;
    this.element = make("ol", { class: "order", "aria-label": "Source phrases in the order of translation" });
  }

  show(words, spans) {
    this.spans = spans;
    refill(this.element, spans.map((span, place) => this.item(words, span, place)));
  }

  item(words, [start, end], place) {
    const text = words.slice(start, end).join(" ");
    const item = make("li", { class: "chip", "data-place": place },
      button("◀", () => this.move(place, place - 1), { "aria-label": `${text}: move earlier`, disabled: place === 0, "data-key": `earlier ${start}` }),
      make("span", { class: "grip", tabindex: 0, "data-key": `grip ${start}`, "aria-label": `${text}, place ${place + 1}; arrow keys move it`, role: "button" }, text),
      button("▶", () => this.move(place, place + 1), { "aria-label": `${text}: move later`, disabled: place === this.spans.length - 1, "data-key": `later ${start}` }));
    const grip = item.children[1];
    grip.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: place - 1, ArrowRight: place + 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.move(place, to);
    });
    grip.addEventListener("pointerdown", (event) => this.drag(event, item, place));
    return item;
  }

  move(from, to) {
    if (to < 0 || to >= this.spans.length) return;
    const spans = this.spans.slice();
    spans.splice(to, 0, ...spans.splice(from, 1));
    this.changed(spans);
  }

  // The item follows the pointer; releasing it changes the order.
  drag(event, item, from) {
    const grip = event.target;
    const over = ({ clientX, clientY }) => {
      const other = document.elementsFromPoint(clientX, clientY).find((one) => one.matches?.(".chip") && one !== item);
      if (!other || other.parentNode !== this.element) return;
      const isBefore = item.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING;
      other[isBefore ? "before" : "after"](item);
      grip.setPointerCapture(event.pointerId);
    };
    const end = ({ type }) => {
      item.classList.remove("dragged");
      grip.removeEventListener("pointermove", over);
      const to = type === "pointerup" ? [...this.element.children].indexOf(item) : from;
      if (to !== from) this.move(from, to);
      else this.element.append(...[...this.element.children].sort((a, b) => a.dataset.place - b.dataset.place));
    };
    item.classList.add("dragged");
    grip.setPointerCapture(event.pointerId);
    grip.addEventListener("pointermove", over);
    grip.addEventListener("pointerup", end, { once: true });
    grip.addEventListener("pointercancel", end, { once: true });
  }
}
