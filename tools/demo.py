#!/usr/bin/env python3
"""The demonstration: a server on 127.0.0.1:9200, a real corpus, and a tour of what it can answer.

usage: ./dev demo [--port N] [--data DIR] [--corpus DIR] [--no-tour]
The corpus is the package archive of Debian 12 with sentence embeddings. A subset of 4,000 packages comes with the project; --corpus (or
TIERCEL_DEMO_CORPUS) names a folder with the full set, and ../shared/data is taken when it is there. The server is left running.
"""
import argparse
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = ROOT / "build/release/apps/tiercel/tiercel"
INDEX, DIMS = "packages", 384
BOLD, DIM, GREEN, OFF = ("\033[1m", "\033[2m", "\033[32m", "\033[0m") if sys.stdout.isatty() else ("",) * 4


def say(text): print(f"\n{BOLD}{text}{OFF}", flush=True)


def call(base, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, {"content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer: return json.load(answer)
    except urllib.error.HTTPError as error: sys.exit(f"{method} {path}: HTTP {error.code} {error.read().decode()[:2000]}")


def answers(base):
    try:
        with urllib.request.urlopen(base, timeout=2) as answer: return json.load(answer).get("tagline") is not None
    except (OSError, ValueError): return False


def start(args, base):
    """Starts the server in the background unless one of ours answers already."""
    if answers(base):
        print(f"a server answers on {base} already: using it")
        return
    args.data.mkdir(parents=True, exist_ok=True)
    log = args.data / "server.log"
    with open(log, "ab") as out:
        process = subprocess.Popen([BINARY, "serve", "--port", str(args.port), "--data", args.data / "store"], stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
    (args.data / "server.pid").write_text(f"{process.pid}\n")
    for _ in range(200):
        if answers(base): break
        if process.poll() is not None: sys.exit(f"the server stopped at once:\n{log.read_text()[-2000:]}")
        time.sleep(0.05)
    else: sys.exit(f"the server did not answer within 10 s; see {log}")
    print(f"{GREEN}server running{OFF} on {base}, process {process.pid}, everything under {args.data}")


class Corpus:
    def __init__(self, folder):
        shared = ROOT.parent / "shared/data"
        if folder is None and (shared / "debian-packages.ndjson.zst").exists(): folder = shared
        self.full = folder is not None
        if self.full: self.documents, self.vectors, self.queries = folder / "debian-packages.ndjson.zst", folder / "debian-embeddings.f16", folder / "queries.f32"
        else: self.documents, self.vectors, self.queries = ROOT / "demo/packages.ndjson.zst", ROOT / "demo/packages.f16.zst", ROOT / "demo/queries.f32"
        for path in (self.documents, self.vectors, self.queries):
            if not path.exists(): sys.exit(f"{path}: not found")
        self.texts = (ROOT / "demo/queries.txt").read_text().splitlines()

    def embedding(self, text):
        """The sentence embedding of one of the example queries."""
        row = self.texts.index(text)
        with open(self.queries, "rb") as file:
            file.seek(row * DIMS * 4)
            return [float(f"{x:.7g}") for x in struct.unpack(f"<{DIMS}f", file.read(DIMS * 4))]


def load(args, base, corpus):
    command = [BINARY, "load", INDEX, corpus.documents, "--url", base, "--id-field", "package", "--create-with", ROOT / "demo/index.json",
               "--vectors", f"embedding={corpus.vectors}:{DIMS}"]
    if subprocess.run(command).returncode: sys.exit("loading failed")


def table(headers, rows):
    cells = [[str(c) for c in row] for row in rows]
    widths = [min(58, max(len(h), *(len(r[i]) for r in cells), 1)) for i, h in enumerate(headers)]
    cut = lambda text, width: text if len(text) <= width else text[:width - 1] + "…"
    line = lambda row: "  " + "  ".join(cut(c, w).ljust(w) for c, w in zip(row, widths)).rstrip()
    print(f"{DIM}{line(headers)}{OFF}")
    for row in cells: print(line(row))
    if not rows: print("  (nothing)")


class Tour:
    def __init__(self, args, base):
        self.base, self.folder = base, args.data / "tour"
        self.folder.mkdir(parents=True, exist_ok=True)

    def step(self, title, body, show):
        say(title)
        text = json.dumps(body, ensure_ascii=False)
        quoted = "'" + text.replace("'", "'\\''") + "'"
        if len(text) > 700:  # a vector: too long for a command line anybody would type
            path = self.folder / f"{title.split(':')[0].lower().replace(' ', '-')}.json"
            path.write_text(json.dumps(body) + "\n")
            quoted = f"@{os.path.relpath(path)}"
        print(f"{GREEN}${OFF} curl -s {self.base}/{INDEX}/_search -H 'content-type: application/json' -d {quoted}")
        began = time.perf_counter()
        answer = call(self.base, "POST", f"/{INDEX}/_search", body)
        elapsed = (time.perf_counter() - began) * 1000
        show(answer)
        total = answer["hits"]["total"]
        print(f"{DIM}  {'more than ' if total['relation'] == 'gte' else ''}{total['value']:,} hits, {elapsed:.1f} ms over HTTP{OFF}")

    def hits(self, *fields):
        def show(answer):
            table(["score", *fields], [[f"{h['_score']:.4f}" if h["_score"] is not None else "-", *(h["_source"].get(f, "") for f in fields)] for h in answer["hits"]["hits"]])
        return show

    def buckets(self, name, *metrics):
        def show(answer):
            table([name, "packages", *metrics], [[b["key"], f"{b['doc_count']:,}", *(f"{b[m]['value']:,.0f}" for m in metrics)] for b in answer["aggregations"][name]["buckets"]])
        return show


def tour(args, base, corpus):
    steps = Tour(args, base)
    source = ["package", "summary"]
    steps.step("Full text: which packages talk about image editing?",
               {"query": {"match": {"description": "image editor"}}, "_source": source, "size": 5}, steps.hits(*source))
    steps.step("Filters: small games with sound, largest first",
               {"query": {"bool": {"must": [{"match": {"description": "sound"}}], "filter": [{"term": {"section": "games"}}, {"range": {"installed_size_kb": {"lte": 2000}}}]}},
                "sort": [{"installed_size_kb": "desc"}], "_source": [*source, "installed_size_kb"], "size": 5}, steps.hits(*source, "installed_size_kb"))
    steps.step("Aggregation: the largest sections, and how much disk they want",
               {"size": 0, "track_total_hits": True, "aggs": {"section": {"terms": {"field": "section", "size": 8}, "aggs": {"total_kb": {"sum": {"field": "installed_size_kb"}}, "mean_kb": {"avg": {"field": "installed_size_kb"}}}}}},
               steps.buckets("section", "total_kb", "mean_kb"))
    question = "edit photos without a graphical interface"
    vector = corpus.embedding(question)
    knn = {"field": "embedding", "query_vector": vector, "k": 10, "num_candidates": 100}
    steps.step(f"Vectors: exact nearest neighbours of “{question}”", {"knn": knn, "_source": source, "size": 5}, steps.hits(*source))
    steps.step("Vectors with a filter: the same, among Python packages only", {"knn": {**knn, "filter": {"term": {"section": "python"}}}, "_source": source, "size": 5}, steps.hits(*source))
    steps.step("Hybrid: words and meaning together, by reciprocal rank fusion",
               {"retriever": {"rrf": {"retrievers": [{"standard": {"query": {"multi_match": {"query": question, "fields": ["summary^2", "description"]}}}}, {"knn": knn}], "rank_window_size": 50}},
                "_source": source, "size": 5}, steps.hits(*source))


def main():
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=9200)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "data", help="everything the demo writes (default: data/ in the project)")
    parser.add_argument("--corpus", type=pathlib.Path, default=os.environ.get("TIERCEL_DEMO_CORPUS"), help="folder with the full corpus")
    parser.add_argument("--no-tour", action="store_true")
    args = parser.parse_args()
    args.data = args.data.resolve()
    base, corpus = f"http://127.0.0.1:{args.port}", Corpus(args.corpus)
    say("1. Starting the server")
    start(args, base)
    say("2. Loading " + ("the full corpus of package records" if corpus.full else "4,000 package records (a subset that comes with the project)"))
    load(args, base, corpus)
    if not args.no_tour:
        say("3. A tour")
        tour(args, base, corpus)
    pid = args.data / "server.pid"
    say("The server goes on running.")
    print(f"  look around:  curl {base}/_cat/indices?v\n  stop it:      kill $(cat {os.path.relpath(pid)})\n  start again:  ./dev serve --data {os.path.relpath(args.data / 'store')}")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
