// Builds elements and writes numbers; nothing here knows what they mean.

// Attributes that are functions become listeners ("onclick"); true is an attribute without a value;
// false, null and undefined leave the attribute out. ARIA says true and false in words.
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

// A table in a box of its own, which scrolls where it is too wide; `kind` is its class. Cells that
// are elements are taken as they are; the first of each row names it.
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

// A part of the page that is opened on demand; `opened` is told whether it is open.
export function folding(title, isOpen, opened, ...children) {
  const element = make("details", { open: isOpen }, make("summary", {}, title), children);
  element.addEventListener("toggle", () => opened(element.open));
  return element;
}

// Puts other children into an element. What had the focus is followed by what has the same data-key.
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
