"""Looks at the page: what it shows, as texts and numbers."""

import json
from urllib.parse import quote

import pytest

TEXT = "kare wa hon o yonda"  # he read a book
SHORT = "hon o katta"  # bought a book
TRANSLATION = ".translation"
ALL = ["settings", "why", "heat", "options", "list", "search", "effects"]
SLIDE = (
    "const slider = document.querySelectorAll('.column')[{column}]"
    ".querySelector('[type=range][name={name}]');"
    "slider.value = {value}; slider.dispatchEvent(new Event('input'));"
)
CELLS = (
    "return [...document.querySelectorAll('{selector} tbody tr')].map("
    " (row) => [...row.cells].map((cell) => cell.textContent))"
)


def link(server, text=TEXT, **settings):
    columns = [settings] if settings.get("columns") is None else settings["columns"]
    named = zip("ab", columns, strict=False)
    fields = "".join(f"&{name}={quote(json.dumps(column))}" for name, column in named)
    return f"http://127.0.0.1:{server.port}/#text={quote(text)}{fields}"


def no_message(page):
    """Neither errors of scripts nor violations of the policy."""
    assert page.messages() == []


def becomes(page, selector, text):
    one = f"document.querySelector({json.dumps(selector)})"
    page.until(f"{one}?.textContent === {json.dumps(text)}")


def settled(page):
    page.until("!document.querySelector('[aria-busy]')")


def shown_score(page, number=0):
    settled(page)
    summary = page.run(f"return document.querySelectorAll('.summary')[{number}].textContent")
    return float(summary.removeprefix("score ").partition(",")[0].replace("−", "-"))


def close_to(score):
    return pytest.approx(score, abs=0.006)  # two digits are shown


def as_number(text):
    return float(text.replace("−", "-"))
