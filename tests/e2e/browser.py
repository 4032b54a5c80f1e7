"""Chromium without a window, by its debugging protocol over two pipes: https://chromedevtools.github.io/devtools-protocol/."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time


def program():
    """The path of a Chromium, or None."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """One page. Nothing is loaded from the network. `errors` has what the page's console complained of."""

    def __init__(self):
        self.errors = []
        self._number = 0
        self._rest = b""
        self._folder = tempfile.mkdtemp(prefix="sweepd-browser-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def in_child():
            # Chromium reads from 3 and writes to 4. Both ends go out of the way first.
            for descriptor, place in ((os.dup(to_browser), 3), (os.dup(from_browser), 4)):
                os.dup2(descriptor, place)

        self._process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={self._folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=in_child,
            start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self._session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def close(self):
        # The browser's own processes write into its folder too, and outlive it by a moment.
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        deadline = time.monotonic() + 10
        while os.path.exists(self._folder):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self._folder} is still written to")
            shutil.rmtree(self._folder, ignore_errors=True)

    def ask(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._read()
            if reply.get("id") == self._number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]

    def open(self, url):
        self._loaded = False
        self.ask("Page.navigate", url=url)
        while not self._loaded:
            self._read()

    def value(self, script):
        """What a line of JavaScript gives."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, script, seconds=30):
        """Waits until a line of JavaScript is true."""
        deadline = time.monotonic() + seconds
        while not self.value(f"Boolean({script})"):
            if time.monotonic() > deadline:
                raise TimeoutError(script)
            time.sleep(0.05)

    def resize(self, width, height=900):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def _read(self):
        while b"\0" not in self._rest:
            got = os.read(self._in, 1 << 20)
            if not got:
                raise RuntimeError("the browser ended")
            self._rest += got
        line, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Page.loadEventFired":
            self._loaded = True
        return message
