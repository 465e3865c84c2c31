"""Load for the end-to-end benchmarks: wrk for queries, threads with prebuilt bodies for bulk."""
import http.client
import os
import pathlib
import re
import subprocess
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent


def wrk(url, path, bodies, connections, seconds, paths=False):
    """Requests a second, p50 and p99 in ms. Raises when a request failed."""
    environment = {**os.environ, "BODIES": str(bodies), "REQUEST_PATH": path, "BODIES_ARE": "paths" if paths else "bodies"}
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", HERE / "wrk.lua", url], env=environment, capture_output=True, text=True)
    found = re.search(r"RESULT (\d+) (\d+) ([\d.]+) (\d+) (\d+) (\d+)", out.stdout)
    if not found: raise RuntimeError(out.stdout + out.stderr)
    count, errors, duration, p50, p99 = int(found[1]), int(found[2]), float(found[3]), int(found[4]), int(found[5])
    if errors: raise RuntimeError(f"{errors} of {count} requests failed: {url}{path} {bodies}")
    return {"rate": count / duration, "p50_ms": p50 / 1000, "p99_ms": p99 / 1000}


def bulk(url, index, bodies, clients, documents):
    """Documents a second for sending every prebuilt body once, from `clients` threads with a connection each."""
    host = urllib.parse.urlparse(url).netloc
    waiting, lock, failures = list(reversed(bodies)), threading.Lock(), []

    def run():
        connection = http.client.HTTPConnection(host, timeout=300)
        while True:
            with lock:
                if not waiting: break
                body = waiting.pop()
            connection.request("POST", f"/{index}/_bulk", body, {"content-type": "application/x-ndjson"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200 or b'"errors":true' in text: failures.append(text[:500])
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(clients)]
    began = time.perf_counter()
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    seconds = time.perf_counter() - began
    if failures: raise RuntimeError(f"bulk failed: {failures[0]}")
    return documents / seconds
