#!/usr/bin/env python3
"""Compares tiercel with a real Elasticsearch 9.2, answer by answer, on random request scripts.

usage: run.py [--requests N] [--level core|full] [--show N] [SEED ...]      default: seeds 1 to 30, 400 requests each
       run.py --record SEED ...     records answers into tests/oracle/recorded, which `./dev test` replays without a JVM
       run.py --recorded            replays those against a tiercel of the development build (what the test does)
TIERCEL_BINARY names the server to test, ORACLE_URL a running Elasticsearch. Exit status 1 on any difference of status or body.
"""
import argparse
import gzip
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root / "tools"))
from server_process import Server  # noqa: E402

RECORDED = here / "recorded"


def run(*command): return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True)


def script(seed, args, folder):
    path = folder / f"{args.level}-{seed}-{args.requests}.requests.ndjson"
    text = run(here / "generate.py", "--seed", seed, "--requests", args.requests, "--level", args.level).stdout
    if not path.exists() or path.read_text() != text: path.write_text(text)
    return path


def oracle_url():
    if os.environ.get("ORACLE_URL"): return os.environ["ORACLE_URL"]
    return subprocess.run([here / "elasticsearch.sh", "start"], check=True, capture_output=True, text=True).stdout.strip()


def answers(url, requests, force=False):
    path = requests.with_name(requests.name.replace("requests", "answers"))
    if force or not path.exists() or path.stat().st_mtime < requests.stat().st_mtime: path.write_text(run(here / "replay.py", "record", url, requests).stdout)
    return path


def compare(server, requests, want, show):
    result = run(here / "replay.py", "compare", server.url, requests, want, "--show", show)
    print(result.stdout, result.stderr, sep="", end="", flush=True)
    return result.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", nargs="*", type=int)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--level", choices=["core", "full"], default="core")
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--recorded", action="store_true")
    args = parser.parse_args()
    folder = root / "build/oracle"
    folder.mkdir(parents=True, exist_ok=True)
    binary = os.environ.get("TIERCEL_BINARY", root / "build" / ("dev" if args.recorded else "release") / "apps/tiercel/tiercel")
    good = bad = 0
    if args.recorded:
        pairs = []
        for packed in sorted(RECORDED.glob("*.requests.ndjson.gz")):
            for kind in ("requests", "answers"):
                (folder / packed.name.replace("requests", kind)[:-3]).write_bytes(gzip.decompress((RECORDED / packed.name.replace("requests", kind)).read_bytes()))
            pairs.append((folder / packed.name[:-3], folder / packed.name.replace("requests", "answers")[:-3]))
    else:
        url = oracle_url()
        pairs = [(path := script(seed, args, folder), answers(url, path, args.record)) for seed in args.seeds or range(1, 31)]
    if args.record:
        RECORDED.mkdir(exist_ok=True)
        for pair in pairs:
            for path in pair: (RECORDED / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        return
    with Server(binary) as server:
        for requests, want in pairs:
            print(f"{requests.name}: ", end="", flush=True)
            if compare(server, requests, want, args.show): good += 1
            else: bad += 1
    print(f"{good} passed, {bad} failed")
    sys.exit(1 if bad or not good else 0)


if __name__ == "__main__": main()
