// Light, dark or automatic colours; the choice is stored in the browser.

const NAME = "hyperbaton.theme";
const THEMES = ["auto", "light", "dark"];

export function startTheme(select) {
  const kept = localStorage.getItem(NAME);
  use(THEMES.includes(kept) ? kept : "auto");
  select.addEventListener("change", () => {
    localStorage.setItem(NAME, select.value);
    use(select.value);
  });

  function use(theme) {
    select.value = theme;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }
}
