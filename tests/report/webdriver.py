"""A browser without a window, driven through ChromeDriver (the WebDriver protocol, by HTTP and JSON)."""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.request

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars"]


def missing():
    """A word for what the tests cannot do without; None: all is there."""
    lacking = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    return f"no {' and no '.join(lacking)}: scripts/deps browser installs them" if lacking else None


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp()
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                break
        self.base = f"http://127.0.0.1:{port[1]}/session"
        options = {"args": [*FLAGS, f"--user-data-dir={self.profile}"], "binary": shutil.which("chromium")}
        answer = self.ask("POST", "", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                                                         "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += "/" + answer["sessionId"]

    def ask(self, method, path, data=None):
        request = urllib.request.Request(self.base + path, method=method, data=None if data is None else json.dumps(data).encode(),
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, path, width=1280, height=1000, dark=False, fragment=""):
        self.command("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.command("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri() + fragment})

    def command(self, name, parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def console(self):
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))
