// Builds elements and formats numbers.

// Functions become listeners ("onclick"); true sets an attribute without a value; false, null and
// undefined omit it. ARIA attributes take the words true and false.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name.startsWith("aria-")) element.setAttribute(name, value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return element;
}

export function button(label, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, label);
}

// A table in a box that scrolls if it is too wide; `kind` is its class. The first cell of each row is
// its header; a cell may be an element.
export function table(kind, caption, heads, rows) {
  const isText = (number) => rows.some((cells) => cells[number]?.className === "text");
  const head = make("tr", {}, heads.map((text, number) => (
    text ? make("th", { scope: "col", class: isText(number) && "text" }, text) : make("td"))));
  const body = rows.map((cells) => make("tr", {}, cells.map((cell, number) => {
    if (cell instanceof HTMLTableCellElement) return cell;
    return number ? make("td", {}, cell) : make("th", { scope: "row" }, cell);
  })));
  return make("div", { class: "wide", role: "group", "aria-label": caption.textContent ?? caption, tabindex: 0 },
    make("table", { class: kind }, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, body)));
}

// A part of the page that can be folded; `opened` is called with its new state.
export function folding(title, isOpen, opened, ...children) {
  const element = make("details", { open: isOpen }, make("summary", {}, title), children);
  element.addEventListener("toggle", () => opened(element.open));
  return element;
}

// Replaces the children of an element; the focus moves to the new child with the same data-key.
export function refill(element, ...children) {
  const active = document.activeElement;
  const key = element.contains(active) ? active.dataset.key : undefined;
  element.replaceChildren(...children.flat(Infinity).filter((child) => child != null));
  if (key) element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

const MINUS = "\u2212";

export function number(value, digits = 2) {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", MINUS);
}

export function signed(value, digits = 2) {
  const text = number(value, digits);
  return text.startsWith(MINUS) || Number(text) === 0 ? text : `+${text}`;
}

export const jump = (words) => (words ? signed(words, 0) : "0");
export const limitName = (limit) => (limit === "inf" ? "∞" : String(limit));
