// The page: a sentence, and one or two columns that explain its translation.

import { Column } from "./column.js";
import { differencesOf } from "./comparing.js";
import { button, make, refill } from "./elements.js";
import { languages } from "./languages.js";
import { readLink, writeLink } from "./link.js";
import { models, whenBack } from "./server.js";
import { startTheme } from "./theme.js";

const [box, columnsBox, compare, copy, comparison, notice, skip, examplesBox] = [
  "text", "columns", "compare", "copy", "comparison", "notice", "skip", "examples",
].map((id) => document.getElementById(id));
const PAUSE = 150; // milliseconds; browsers limit how often the address may change

class Page {
  constructor(systems, limits, { text, columns, faults }) {
    Object.assign(this, { systems, limits });
    this.text = text ?? systems[0].examples[0]?.text ?? "";
    this.isComparing = columns.length > 1;
    this.columns = columns.map((settings, number) => this.column(settings, number));
    if (faults.length) this.notice(`Parts of this link were ignored: ${faults.join("; ")}.`);
  }

  column(settings, number) {
    return new Column(this, settings, number ? () => this.shut() : null);
  }

  start() {
    box.value = this.text;
    box.addEventListener("input", () => this.say(box.value));
    box.addEventListener("keydown", (event) => this.entered(event));
    compare.addEventListener("click", () => this.compare());
    copy.addEventListener("click", () => this.copy());
    skip.addEventListener("click", (event) => this.skip(event));
    document.addEventListener("keydown", (event) => this.pressed(event));
    this.arrange();
    for (const column of this.columns) column.ask();
  }

  say(text, how) {
    this.text = text.replace(/\s*\n\s*/g, " ");
    for (const column of this.columns) {
      column.forget();
      column.ask(how);
    }
    this.changed();
  }

  load(text) {
    box.value = text;
    this.say(text);
  }

  // Enter translates, Shift-Enter breaks the line. Enter that confirms an input method is ignored.
  entered(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.say(box.value, { atOnce: true });
  }

  // Arrow keys step through the derivation, unless the focused element uses them.
  pressed(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], wide = event.target.closest(".wide");
    if (!by || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.matches("input, select, textarea") || (wide && wide.scrollWidth > wide.clientWidth)) return;
    event.preventDefault();
    this.columns[0].stepper.goBy(by);
  }

  // Following the link would change the address, which stores the settings.
  skip(event) {
    event.preventDefault();
    this.columns[0].translation.focus();
  }

  async copy() {
    this.write();
    try {
      await navigator.clipboard.writeText(location.href);
      this.notice("Link copied.");
    } catch {
      prompt("Copy this link:", location.href); // browsers allow the clipboard on secure connections only
    }
  }

  notice(text) {
    notice.textContent = text;
  }

  // The second column starts as a copy of the first.
  compare() {
    this.isComparing = true;
    this.columns.push(this.column(structuredClone(this.columns[0].settings), 1));
    for (const column of this.columns) column.rearrange();
    this.arrange();
    this.columns[1].ask();
  }

  shut() {
    this.isComparing = false;
    this.columns.pop().end();
    this.columns[0].rearrange();
    this.arrange();
    this.answered();
    compare.focus();
  }

  arrange() {
    columnsBox.replaceChildren(...this.columns.map(({ element }) => element));
    columnsBox.classList.toggle("two", this.isComparing);
    compare.hidden = this.isComparing;
    this.showExamples();
    this.nameColumns();
  }

  showExamples() {
    const { system } = this.columns[0], lang = languages(system).source ?? "";
    box.lang = lang;
    examplesBox.replaceChildren(...system.examples.map(({ text, caption }) => button(
      [make("span", { lang }, text), caption ? make("small", {}, caption) : null], () => this.load(text))));
  }

  changed() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.write(), PAUSE);
    this.nameColumns();
  }

  write() {
    writeLink({ text: this.text, columns: this.columns.map(({ settings }) => settings) });
  }

  // Titles two columns with their systems' names and lists their differences above them.
  nameColumns() {
    const [first, second] = this.columns;
    comparison.hidden = !second;
    if (!second) return refill(comparison);
    this.columns.forEach(({ name, title, element }, number) => {
      title.textContent = first.name === second.name ? `${name} ${"AB"[number]}` : name;
      element.ariaLabel = title.textContent;
    });
    refill(comparison, this.columns.map(({ title, translation }) => make("p", { class: "one-of-two" },
      make("b", {}, title.textContent, ": "), [...translation.cloneNode(true).childNodes])),
    make("b", {}, "Differences: "),
      differencesOf(first, second).join(", ") || "none yet; change the system or the settings of one column",
      first.text !== null && first.text === second.text ? ". The translations are the same." : ".");
  }

  answered() {
    const [first, second] = this.columns;
    first.mark(second?.text ?? null);
    second?.mark(first.text);
    this.nameColumns();
  }

  reconnect() {
    this.waiting ??= whenBack().then(() => {
      this.waiting = null;
      for (const column of this.columns) column.ask();
    });
  }
}

startTheme(document.getElementById("theme"));
addEventListener("hashchange", () => location.reload()); // another link was pasted
try {
  const { models: systems, limits } = await models();
  new Page(systems, limits, readLink(location.hash, systems)).start();
} catch (problem) {
  columnsBox.replaceChildren(make("p", { class: "problem", role: "alert" }, [problem.message, ...(problem.hints ?? [])].join("; ")));
  if (!problem.isGone) throw problem;
  await whenBack();
  location.reload();
}
