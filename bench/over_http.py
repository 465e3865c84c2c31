"""HTTP's share: bulk over HTTP against the engine alone, GET by id against a server that does nothing, and what an idle server costs."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request

from beside_elasticsearch import bodies, call, create, documents, queries
from load_generator import bulk, wrk
from report import ROOT, Report

sys.path.insert(0, str(ROOT / "tools"))
from demo import Corpus, DIMS  # noqa: E402
from server_process import Server, free_port  # noqa: E402

BUILD = ROOT / "build/bench"


def resident_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"): return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS")


def engine_alone(work, lines, threads, corpus):
    """The engine's own rates, from engine_bench."""
    data = work / "engine-data"
    shutil.rmtree(data, ignore_errors=True)
    (work / "documents.ndjson").write_bytes(b"\n".join(lines) + b"\n")
    out = subprocess.run([BUILD / "bench/engine_bench", data, work / "documents.ndjson", ROOT / "demo/index.json", str(threads), corpus.queries, str(DIMS)], check=True, capture_output=True, text=True).stdout
    shutil.rmtree(data, ignore_errors=True)
    return json.loads(out)


def echo(seconds, paths, body_bytes, io_threads):
    """wrk's result against a bare Boost.Beast server that answers every request with `body_bytes`."""
    port = free_port()
    process = subprocess.Popen([BUILD / "bench/http_echo", str(port), str(body_bytes), str(io_threads)])
    try:
        time.sleep(0.3)
        return wrk(f"http://127.0.0.1:{port}", "/", paths, 64, seconds, paths=True)
    finally:
        process.kill()
        process.wait()


def run(args):
    corpus = Corpus(None)
    work = ROOT / "build/bench-work"
    work.mkdir(parents=True, exist_ok=True)
    plain, lines = documents(corpus, 4000 if args.quick else 1 << 30)
    threads, rounds, seconds = os.cpu_count() or 2, 2 if args.quick else 3, 2 if args.quick else 5
    report = Report("http")
    alone = [engine_alone(work, lines, threads, corpus) for _ in range(1 if args.quick else 2)]
    report.add("exact kNN scan", f"{threads} threads", statistics.median(a["scan_bytes_per_s"] for a in alone) / 1e9, "read bandwidth", statistics.median(a["read_bytes_per_s"] for a in alone) / 1e9, "GB/s", 0.85)
    with Server(BUILD / "apps/tiercel/tiercel", keep=True) as server:
        rates = []
        for _ in range(rounds):
            create(server.url, "bench", True)
            rates.append(bulk(server.url, "bench", bodies(lines), threads, len(lines)))
        report.add("bulk over HTTP", f"{threads} clients", statistics.median(rates), "engine alone", statistics.median(a["index_docs_per_s"] for a in alone), "docs/s", 0.7)
    for name, documents_of, vectors in (("GET by id, with 384 floats", lines, True), ("GET by id", plain, False)):
        # The load generator has a core of its own, as if it were another machine: both servers get one I/O thread less than there are cores.
        io_threads = max(1, threads - 1)
        with Server(BUILD / "apps/tiercel/tiercel", arguments=["-E", f"http.threads={io_threads}"]) as one:
            create(one.url, "bench", vectors)
            bulk(one.url, "bench", bodies(documents_of), threads, len(documents_of))
            gets(report, name, one.url, queries(work, len(documents_of), corpus)["get"], rounds, seconds, io_threads)
    idle(report, server)
    shutil.rmtree(server.data, ignore_errors=True)
    report.finish()


def gets(report, name, url, paths, rounds, seconds, io_threads):
    """GET by id from one segment against an echo of as many bytes."""
    call(url, "POST", "/bench/_forcemerge?max_num_segments=1")
    call(url, "POST", "/bench/_flush")
    some = paths.read_text().split()[:200]
    body_bytes = sum(len(urllib.request.urlopen(url + path).read()) for path in some) // len(some)
    wrk(url, "/", paths, 64, seconds, paths=True)
    ours, floor = [], []
    for _ in range(rounds):
        ours.append(wrk(url, "/", paths, 64, seconds, paths=True))
        floor.append(echo(seconds, paths, body_bytes, io_threads))
    report.add(name, f"64 connections, {body_bytes} B", statistics.median(r["rate"] for r in ours), "bare Beast echo", statistics.median(r["rate"] for r in floor), "req/s", 0.8)
    p50, p99 = (statistics.median(r[key] for r in ours) for key in ("p50_ms", "p99_ms"))
    report.add(f"{name}, p99", "64 connections", p99, "4 x p50", 4 * p50, "ms", 1.0, higher_is_better=False)


def idle(report, full):
    """Start-up time and memory of an idle server on the index that was just built."""
    ready, resident = [], []
    for _ in range(3):
        server = Server(BUILD / "apps/tiercel/tiercel", data=full.data)
        server.start()
        ready.append(server.ready_seconds * 1000)
        time.sleep(2)
        resident.append(resident_mb(server.process.pid))
        server.stop()
    report.add("ready", "demo index", statistics.median(ready), "goal", 300, "ms", 1.0, higher_is_better=False)
    report.add("idle memory", "demo index", statistics.median(resident), "goal", 60, "MiB", 1.0, higher_is_better=False)
