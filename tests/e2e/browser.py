# SPDX-License-Identifier: BSD-2-Clause
"""A headless Chromium that looks at one page, driven over its debugging pipe.

    with Browser(size=(1280, 900)) as browser:
        browser.open("/tmp/page.html")
        browser.evaluate("document.title")
        browser.click("#types button")
        browser.errors, browser.requests     what it complained of, what it asked the network for

The pipe has JSON messages, each closed by a zero byte: the browser reads them from descriptor 3 and
writes to 4. Requests for the page itself are not counted.
"""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120  # seconds for one answer: what hangs must not hang for ever


def find():
    """The browser's program, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, size=(1280, 900), dark=False):
        self.size, self.dark = size, dark
        self.errors, self.requests = [], []
        self.number, self.page, self.rest = 0, None, b""

    # ---- life

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="gctrace-browser.")
        to_it, self.to = os.pipe()
        self.back, from_it = os.pipe()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_it, from_it)]

        def arrange():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--remote-debugging-pipe",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--disable-extensions", "--lang=en",
             "--user-data-dir=" + self.directory, "about:blank"],
            preexec_fn=arrange, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in high + [to_it, from_it]:
            os.close(fd)
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.page = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1],
                 deviceScaleFactor=1, mobile=False)
        scheme = "dark" if self.dark else "light"
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
        return self

    def __exit__(self, *unused):
        try:
            self.page = None
            self.ask("Browser.close")
            self.process.wait(20)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.directory, ignore_errors=True)

    # ---- the protocol

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.page:
            message["sessionId"] = self.page
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(time.monotonic() + PATIENCE)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self, deadline):
        """The next message; what happened meanwhile is noted."""
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError("the browser does not answer")
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.rest += piece
        line, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(line)
        self.note(message.get("method"), message.get("params"))
        return message

    def note(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and \
                params["type"] in ("error", "warning", "assert"):
            self.errors.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent" and params["request"]["url"] != self.url:
            self.requests.append(params["request"]["url"])

    # ---- what a person does

    url = "about:blank"

    def open(self, path):
        """Answers how many seconds it took until all was drawn."""
        began = time.monotonic()
        self.url = pathlib.Path(path).resolve().as_uri()
        self.ask("Page.navigate", url=self.url)
        while self.evaluate("document.readyState") != "complete" or \
                self.evaluate("location.href") != self.url:
            time.sleep(0.01)
        self.settle()
        return time.monotonic() - began

    def settle(self):
        """Until what was begun has been drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def evaluate(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True,
                          awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def click(self, selector):
        """In the middle of the first element that is meant, with the mouse."""
        box = self.evaluate(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            element.scrollIntoView({{ block: "center" }});
            const {{ x, y, width, height }} = element.getBoundingClientRect();
            return [x + width / 2, y + height / 2];
        }})()""")
        if not box:
            raise RuntimeError(f"there is no {selector}")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left",
                     clickCount=1)
        self.settle()

    def key(self, key, text=None):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **({"text": text} if text and
                                                                     kind == "keyDown" else {}))

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def picture(self, path, whole=False):
        clip = {}
        if whole:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"captureBeyondViewport": True, "clip": {**size, "scale": 1}}
        answer = self.ask("Page.captureScreenshot", format="png", **clip)
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))
