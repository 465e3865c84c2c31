"""A tiercel server for a test or a script: started on a free port with data of its own, stopped and removed at the end.

    with Server("build/dev/apps/tiercel/tiercel") as server:
        server.request("GET", "/_cluster/health")
"""
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, binary, data=None, port=None, arguments=(), keep=False):
        self.binary, self.keep, self.arguments = str(binary), keep or data is not None, list(arguments)
        self.data = pathlib.Path(data) if data else pathlib.Path(tempfile.mkdtemp(prefix="tiercel-test-"))
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        self.ready_seconds = None

    def start(self, timeout=30):
        self.data.mkdir(parents=True, exist_ok=True)
        self.log = open(self.data / "server.log", "a")
        began = time.monotonic()
        self.process = subprocess.Popen([self.binary, "serve", "--port", str(self.port), "--data", str(self.data / "data"), *self.arguments],
                                        stdout=self.log, stderr=subprocess.STDOUT)
        while True:
            try:
                with urllib.request.urlopen(self.url, timeout=5): break
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                if self.process.poll() is not None or time.monotonic() - began > timeout:
                    raise RuntimeError(f"the server did not start:\n{(self.data / 'server.log').read_text()[-4000:]}") from None
                time.sleep(0.005)
        self.ready_seconds = time.monotonic() - began
        return self

    def stop(self, sig=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(sig)
            try: self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        return self.process.returncode

    def __enter__(self): return self.start()

    def __exit__(self, *_):
        self.stop()
        if not self.keep: shutil.rmtree(self.data, ignore_errors=True)

    def request(self, method, path, body=None, headers=None):
        """(status, parsed JSON or text, headers); never raises for an HTTP status."""
        data = body if isinstance(body, (bytes, type(None))) else (body if isinstance(body, str) else json.dumps(body)).encode()
        asked = urllib.request.Request(self.url + path, data, {"content-type": "application/json", **(headers or {})}, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=120) as answer: status, text, head = answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error: status, text, head = error.code, error.read().decode(), error.headers
        try: return status, json.loads(text), head
        except ValueError: return status, text, head
