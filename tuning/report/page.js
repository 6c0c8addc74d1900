// A click on a column header sorts the table: numbers by value, largest first; text from A to Z. A
// second click reverses the order. Empty cells stay at the end.
const NUMBER = /^[-−+]?\d+(\.\d+)?\s*([*†↑↓%]|±.*)?$/;
function keyOf(cell) {
  const text = cell.textContent.trim();
  if (text === "∞") return Infinity;
  return NUMBER.test(text.replace(/,/g, "")) ? parseFloat(text.replace("−", "-").replace(/,/g, "")) : text;
}
function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a === b ? 0 : a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const rows = [...table.tBodies[0].rows];
      const keys = new Map(rows.map((row) => [row, keyOf(row.cells[column])]));
      const numeric = rows.some((row) => typeof keys.get(row) === "number");
      const last = head.getAttribute("aria-sort");
      const down = last ? last === "ascending" : numeric;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        if (x === "" || y === "") return (x === "") - (y === "");
        return (down ? -1 : 1) * compareKeys(x, y);
      });
      table.tBodies[0].append(...rows);
    });
  });
}
// A button copies the text below it, or selects it if the browser does not allow copying.
for (const text of document.querySelectorAll(".copied")) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
  text.before(button);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: copy with Ctrl-C";
    }
  });
}
