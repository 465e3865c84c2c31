"""Tiercel and Elasticsearch 9.2 side by side: the same documents and requests over HTTP, in turns, on this machine.

Elasticsearch runs from its Maven artifacts with a 4 GB heap and Java vector kernels (its native library is not among them), one shard, one
segment, after a warm-up of its JIT. Goals are ratios of ours to its; latencies are reported beside them.
"""
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time
import urllib.request

from load_generator import bulk, wrk
from report import ROOT, Report

sys.path.insert(0, str(ROOT / "tools"))
from demo import Corpus, DIMS  # noqa: E402
from server_process import Server  # noqa: E402

WORDS = "server library data network file python image music kernel compiler graph game editor parser module font database audio video shell".split()
CLIENTS = (1, 8)
GOALS = {"get": 5, "match": 3, "bool": 3, "terms": 4, "histogram": 6, "knn": 2}


def call(url, method, path, body=None):
    request = urllib.request.Request(url + path, None if body is None else json.dumps(body).encode(), {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=600) as answer: return json.loads(answer.read() or b"{}")


def documents(corpus, limit):
    """The corpus as JSON lines without embeddings, and with them as the Python client prints them."""
    import struct
    lines = subprocess.run(["zstd", "-dc", corpus.documents], check=True, capture_output=True).stdout.splitlines()[:limit]
    raw = corpus.vectors.read_bytes() if corpus.vectors.suffix != ".zst" else subprocess.run(["zstd", "-dc", corpus.vectors], check=True, capture_output=True).stdout
    with_vectors = []
    for i, line in enumerate(lines):
        row = struct.unpack_from(f"<{DIMS}e", raw, i * DIMS * 2)
        with_vectors.append(line[:-1] + b', "embedding": ' + json.dumps(row).encode() + b"}")
    return lines, with_vectors


def bodies(lines, size=500):
    out = []
    for start in range(0, len(lines), size):
        out.append(b"".join(b'{"index":{"_id":"%d"}}\n%s\n' % (start + i, line) for i, line in enumerate(lines[start:start + size])))
    return out


def queries(folder, count, corpus):
    """Request files, one body a line, by job."""
    rng = random.Random(5)
    two = lambda: " ".join(rng.sample(WORDS, 2))
    size_range = lambda: {"range": {"installed_size_kb": {"gte": rng.randrange(0, 200), "lt": rng.randrange(1000, 100000)}}}
    with open(corpus.queries, "rb") as file: vectors = [__import__("struct").unpack(f"<{DIMS}f", file.read(DIMS * 4)) for _ in range(100)]
    vector = lambda: [float(f"{x:.6g}") for x in rng.choice(vectors)]
    jobs = {
        "match": lambda: {"query": {"match": {"description": two()}}},
        "bool": lambda: {"query": {"bool": {"must": [{"match": {"description": two()}}], "filter": [size_range()], "should": [{"term": {"section": "libs"}}]}}},
        "terms": lambda: {"size": 0, "query": size_range(), "aggs": {"by": {"terms": {"field": "maintainer"}, "aggs": {"kb": {"sum": {"field": "installed_size_kb"}}}}}},
        "histogram": lambda: {"size": 0, "query": size_range(), "aggs": {"by": {"histogram": {"field": "download_size_bytes", "interval": 100000, "min_doc_count": 1}, "aggs": {"section": {"terms": {"field": "section"}}}}}},
        "knn": lambda: {"size": 10, "_source": False, "knn": {"field": "embedding", "query_vector": vector(), "k": 10, "num_candidates": 10}},
    }
    paths = {}
    for name, make in jobs.items():
        paths[name] = folder / f"{name}.txt"
        paths[name].write_text("".join(json.dumps(make()) + "\n" for _ in range(200)))
    paths["get"] = folder / "get.txt"
    paths["get"].write_text("".join(f"/bench/_doc/{rng.randrange(count)}\n" for _ in range(2000)))
    return paths


def disk_bytes(url): return int(call(url, "GET", "/_stats")["_all"]["primaries"]["store"]["size_in_bytes"])


def create(url, index, vectors):
    body = json.loads((ROOT / "demo/index.json").read_text())
    if not vectors: del body["mappings"]["properties"]["embedding"]
    body["settings"]["index.refresh_interval"] = "-1"
    call(url, "DELETE", f"/{index}?ignore_unavailable=true")
    call(url, "PUT", f"/{index}", body)


def run(args):
    corpus = Corpus(None)
    work = ROOT / "build/bench-work"
    work.mkdir(parents=True, exist_ok=True)
    limit = 8000 if args.quick else 1 << 30
    plain, embedded = documents(corpus, limit)
    rounds, seconds = (2, 2) if args.quick else (3, 3)
    es = os.environ.get("ORACLE_URL") or subprocess.run([ROOT / "tests/oracle/elasticsearch.sh", "start", "19203", "4g"], check=True, capture_output=True, text=True,
                                                        env={**os.environ, "ORACLE_HOME": str(pathlib.Path.home() / ".cache/oracle-bench")}).stdout.strip()
    report = Report("elasticsearch", {"documents": len(plain), "peer": "Elasticsearch 9.2.0, 4 GB heap, Java vector kernels"})
    with Server(ROOT / "build/bench/apps/tiercel/tiercel") as server:
        urls = {"ours": server.url, "es": es}
        measure_bulk(report, urls, plain, embedded, rounds)
        files = queries(work, len(plain), corpus)
        # Documents of both sides are the same only without vectors: Elasticsearch 9.2 leaves those out of the answers.
        for vectors, lines, jobs in ((False, plain, GOALS.keys() - {"knn"}), (True, embedded, {"knn"})):
            sizes = {}
            for who, url in urls.items(): sizes[who] = fill(url, lines, vectors)
            report.add("bytes on disk", "with 384 floats" if vectors else "text and keywords", sizes["ours"] / 1e6, "Elasticsearch", sizes["es"] / 1e6, "MB", 1.0, higher_is_better=False)
            measure_queries(report, urls, {job: files[job] for job in GOALS if job in jobs}, rounds, seconds)
    if not os.environ.get("ORACLE_URL"):
        subprocess.run([ROOT / "tests/oracle/elasticsearch.sh", "stop"], env={**os.environ, "ORACLE_HOME": str(pathlib.Path.home() / ".cache/oracle-bench")})
    report.finish()


def fill(url, lines, vectors):
    """One segment in index bench; its bytes on disk once what it was merged from is gone."""
    create(url, "bench", vectors)
    bulk(url, "bench", bodies(lines), 2, len(lines))
    for action in ("_forcemerge?max_num_segments=1", "_refresh", "_flush"): call(url, "POST", f"/bench/{action}")
    time.sleep(5)
    return disk_bytes(url)


def measure_bulk(report, urls, plain, embedded, rounds):
    sample = slice(0, 16000)
    for label, lines, goal in (("text and keywords", plain[sample], 2), ("with 384 floats", embedded[sample], 2)):
        sent = bodies(lines)
        vectors = label.startswith("with")
        for who in ("es", "ours"):  # the JIT's warm-up; ours for fairness
            create(urls[who], "warm", vectors)
            bulk(urls[who], "warm", sent, 2, len(lines))
        for clients in CLIENTS:
            rates = {"ours": [], "es": []}
            for _ in range(rounds):
                for who, url in urls.items():
                    create(url, "warm", vectors)
                    rates[who].append(bulk(url, "warm", sent, clients, len(lines)))
            report.add(f"bulk, {label}", f"{clients} client{'s' * (clients > 1)}", statistics.median(rates["ours"]), "Elasticsearch", statistics.median(rates["es"]), "docs/s", goal)
        for url in urls.values(): call(url, "DELETE", "/warm")


def measure_queries(report, urls, files, rounds, seconds):
    for job, bodies_file in files.items():
        paths, goal = job == "get", GOALS[job]
        # Elasticsearch would answer a repeated aggregation from its request cache: its engine is measured, not that.
        path = "/bench/_search?request_cache=false"
        for url in urls.values(): wrk(url, path, bodies_file, 8, seconds, paths)  # warm-up
        for clients in CLIENTS:
            got = {"ours": [], "es": []}
            for _ in range(rounds):
                for who, url in urls.items(): got[who].append(wrk(url, path, bodies_file, clients, seconds, paths))
            middle = {who: {key: statistics.median(r[key] for r in results) for key in results[0]} for who, results in got.items()}
            settings = f"{clients} client{'s' * (clients > 1)}"
            report.add(job, settings, middle["ours"]["rate"], "Elasticsearch", middle["es"]["rate"], "req/s", goal)
            report.add(f"{job} p99", settings, middle["ours"]["p99_ms"], "Elasticsearch", middle["es"]["p99_ms"], "ms", 1, higher_is_better=False)
