"""Headless Chromium, driven through chromedriver's WebDriver protocol with the standard library."""

import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip
PATIENCE = 120  # seconds; a busy machine is slow to start a browser


def why_not() -> str:
    """What is missing, if anything is."""
    if not (shutil.which("chromium") or shutil.which("google-chrome")):
        return "there is no chromium"
    return "" if shutil.which("chromedriver") else "there is no chromedriver"


class Browser:
    def __init__(self, address: str, folder) -> None:
        self._session = address
        options = {
            "binary": shutil.which("chromium") or shutil.which("google-chrome"),
            "args": [*ARGUMENTS, f"--user-data-dir={folder}"],
        }
        # a busy machine is slow to do what a script waits for
        wanted = {
            "timeouts": {"script": 1000 * PATIENCE},
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        answer = self._post("/session", capabilities={"alwaysMatch": wanted})
        self._session = f"{address}/session/{answer['sessionId']}"

    def open(self, address: str, width: int, height: int = 900) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.chrome("Emulation.setDeviceMetricsOverride", size)
        self._post("/url", url=address)

    def run(self, script: str):
        """What the body of a function returns."""
        return self._post("/execute/sync", script=script, args=[])

    def until(self, condition: str) -> None:
        """Waits in the browser, which is cheaper than to ask it again and again."""
        self.run(
            "return new Promise((resolve) => { (function look() {"
            f" if ({condition}) resolve(); else setTimeout(look, 10); }})(); }})"
        )

    def text(self, selector: str):
        """The text of an element, or nothing while there is none."""
        return self.run(f"return document.querySelector({json.dumps(selector)})?.textContent")

    def click(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def focus(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")

    def type(self, text: str) -> None:
        """Into what has the focus, instead of what it has."""
        self.run("document.activeElement.select()")
        self.chrome("Input.insertText", {"text": text})

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.chrome("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": key})

    def drag(self, selector: str, onto: str) -> None:
        """With the mouse, from the middle of an element to that of another one."""
        middle = (
            "const box = document.querySelector(%s); box.scrollIntoView({block: 'center'});"
            "const r = box.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]"
        )
        places = [self.run(middle % json.dumps(one)) for one in (selector, onto)]
        for kind, (x, y) in zip(
            ("mousePressed", "mouseMoved", "mouseMoved", "mouseReleased"),
            (places[0], places[0], places[1], places[1]),
            strict=True,
        ):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self.chrome("Input.dispatchMouseEvent", event | {"buttons": 1})

    def chrome(self, command: str, parameters: dict):
        return self._post("/goog/cdp/execute", cmd=command, params=parameters)

    def messages(self) -> list[str]:
        """What the page has said on the console since the last time, errors of scripts included."""
        return [entry["message"] for entry in self._post("/se/log", type="browser")]

    def close(self) -> None:
        self._request("DELETE", "", None)

    def _post(self, path: str, **content):
        return self._request("POST", path, content)

    def _request(self, method: str, path: str, content):
        request = urllib.request.Request(
            self._session + path,
            None if content is None else json.dumps(content).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(json.load(error)["value"]["message"]) from None


@contextmanager
def started(folder):
    with subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as driver:
        try:
            for line in driver.stdout:
                if found := re.search(r"started successfully on port (\d+)", line):
                    break
            else:
                raise RuntimeError("chromedriver did not start")
            browser = Browser(f"http://127.0.0.1:{found[1]}", folder)
            try:
                yield browser
            finally:
                browser.close()
        finally:
            driver.terminate()


def luminance(color):
    """Of `rgb(1, 2, 3)`, as in WCAG 2."""
    inside = color[color.index("(") + 1 : -1]
    shares = [float(part) / 255 for part in inside.split(",")[:3]]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
