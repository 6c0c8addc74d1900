// The page: a sentence, and one or two columns that say everything about it.

import { Column } from "./column.js";
import { button, make } from "./elements.js";
import { readLink, writeLink } from "./link.js";
import { models } from "./server.js";
import { startTheme } from "./theme.js";

const box = document.getElementById("text");
const columnsBox = document.getElementById("columns");
const compare = document.getElementById("compare");
const PAUSE = 150; // milliseconds; browsers refuse to write an address many times a second

class Page {
  constructor({ models: systems, limits }, { text, columns }) {
    Object.assign(this, { systems, limits });
    this.text = text ?? systems[0].examples[0]?.text ?? "";
    this.columns = columns.map((settings, number) => this.column(settings, number));
  }

  column(settings, number) {
    return new Column(this, settings, number ? () => this.shut() : null);
  }

  start() {
    box.value = this.text;
    box.addEventListener("input", () => this.say(box.value));
    compare.addEventListener("click", () => this.compare());
    this.arrange();
    for (const column of this.columns) column.ask();
  }

  say(text) {
    this.text = text.replace(/\s*\n\s*/g, " ");
    for (const column of this.columns) {
      column.forget();
      column.ask();
    }
    this.changed();
  }

  // A second column begins as a copy of the first.
  compare() {
    const column = this.column(structuredClone(this.columns[0].settings), 1);
    this.columns.push(column);
    this.arrange();
    this.changed();
    column.ask();
  }

  shut() {
    this.columns.pop().end();
    this.arrange();
    this.changed();
    this.answered();
    compare.focus();
  }

  arrange() {
    columnsBox.replaceChildren(...this.columns.map(({ element }) => element));
    columnsBox.classList.toggle("two", this.columns.length > 1);
    compare.hidden = this.columns.length > 1;
    this.showExamples();
  }

  showExamples() {
    const { examples } = this.columns[0].system;
    document.getElementById("examples").replaceChildren(...examples.map(({ text, caption }) => button(text, () => {
      box.value = text;
      this.say(text);
    }, { title: caption })));
  }

  changed() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      writeLink({ text: this.text, columns: this.columns.map(({ settings }) => settings) });
    }, PAUSE);
  }

  answered() {
    const [first, second] = this.columns;
    first.mark(second?.text ?? null);
    second?.mark(first.text);
  }
}

startTheme(document.getElementById("theme"));
addEventListener("hashchange", () => location.reload()); // another link was pasted
try {
  new Page(await models(), readLink(location.hash)).start();
} catch (problem) {
  columnsBox.replaceChildren(make("p", { class: "problem", role: "alert" }, [problem.message, ...(problem.hints ?? [])].join("; ")));
  throw problem;
}
