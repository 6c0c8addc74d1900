"""Makes the pictures of the page and of a report that README.md and docs/ show.

    python -m tools.screenshots                    in a folder that is removed; takes minutes
    python -m tools.screenshots --folder FOLDER    keeps the demo there for the next time

The report is that of `hyperbaton demo`, the page that of `hyperbaton serve --demo`. Needs chromium
and chromedriver, as the tests of both pages do.
"""

import argparse
import base64
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image

from tests.browser import Browser, started, why_not
from tests.child_processes import started as started_command

PICTURES = Path(__file__).parent.parent / "docs/pictures"
HYPERBATON = [sys.executable, "-m", "hyperbaton"]
WIDTH, PAGE_HEIGHT, COLUMNS_HEIGHT = 1200, 1000, 880  # pixels
MOST_BYTES = 200_000
TEXT = "sensei wa tomodachi ni tegami o okutta ."
STEP_3 = {"text": TEXT, "a": '{"step":3}'}
TWO_LIMITS = {"text": TEXT, "a": "{}", "b": '{"limit":0}'}
OTHER_ORDER = {"text": TEXT, "a": '{"order":"0-1 2 3-6 7","open":["why"]}'}
IS_TRANSLATED = (
    "document.querySelector('.translation')?.textContent && document.querySelector('svg')"
)
BELOW_FINDINGS = "return document.querySelector('#findings').getBoundingClientRect().bottom"
IS_ORDERED = "document.querySelector('.requested')"
WHY_NOT_BOX = (
    "const box = document.querySelector('.requested').closest('details').getBoundingClientRect();"
    "return [box.x - 8, box.y - 8, box.width + 16, box.height + 16]"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, help="for the demo; kept")
    given = parser.parse_args().folder
    if missing := why_not():
        sys.exit(missing)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([*HYPERBATON, "demo"], cwd=folder, check=True)
        profile = Path(temporary, "profile")
        with started(profile) as browser:
            light = [{"name": "prefers-color-scheme", "value": "light"}]
            browser.chrome("Emulation.setEmulatedMedia", {"features": light})
            take_report(browser, folder / "hyperbaton-demo" / "ja-en" / "report.html")
            take_page(browser, folder)


def take_report(browser: Browser, report: Path) -> None:
    """Its title, its first chart and its findings."""
    browser.open(report.resolve().as_uri(), WIDTH)
    take(browser, PICTURES / "report.png", browser.run(BELOW_FINDINGS))


def take_page(browser: Browser, folder: Path) -> None:
    """README's sentence: at a step in the middle, with two limits, and in another order."""
    command = [*HYPERBATON, "serve", "--demo", "--port", "0"]
    with started_command(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().strip()
        show(browser, address, STEP_3)
        take(browser, PICTURES / "serve.png", PAGE_HEIGHT)
        show(browser, address, TWO_LIMITS)
        take(browser, PICTURES / "page-compare.png", COLUMNS_HEIGHT)
        show(browser, address, OTHER_ORDER)
        browser.until(IS_ORDERED)
        take_box(browser, PICTURES / "page-why-not.png", *browser.run(WHY_NOT_BOX))


def show(browser: Browser, address: str, link: dict[str, str]) -> None:
    """Opens the page as a link describes it."""
    browser.open("about:blank", WIDTH, PAGE_HEIGHT)  # a change of the link alone loads nothing
    browser.open(f"{address}#{urlencode(link)}", WIDTH, PAGE_HEIGHT)
    browser.until(IS_TRANSLATED)


def take(browser: Browser, path: Path, height: float) -> None:
    """The upper part of the page."""
    take_box(browser, path, 0, 0, WIDTH, height)


def take_box(
    browser: Browser, path: Path, left: float, top: float, width: float, height: float
) -> None:
    """A part of the page, in few colours."""
    clip = {"x": left, "y": top, "width": width, "height": height, "scale": 1}
    shot = browser.chrome("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    with Image.open(io.BytesIO(base64.b64decode(shot["data"]))) as image:
        image.convert("RGB").quantize(256).save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path}: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"{path} is larger than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()
