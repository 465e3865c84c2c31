#!/usr/bin/env python3
"""Cuts the demo corpus out of the full one: the packages nearest to the example queries, every important one, and a sample.

usage: make_demo.py DATA_DIR [--documents N]
Reads debian-packages.ndjson.zst, debian-embeddings.f16, queries.f32, queries.txt and queries-nearest.i32 (100 neighbours a row), writes
demo/packages.ndjson.zst, demo/packages.f16.zst, demo/queries.f32 and demo/queries.txt. The same input gives the same output.
"""
import argparse
import json
import pathlib
import random
import struct
import subprocess

DIMS, QUERIES, NEIGHBOURS = 384, 100, 100


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--documents", type=int, default=4000)
    args = parser.parse_args()
    out = pathlib.Path(__file__).resolve().parents[1] / "demo"
    lines = subprocess.run(["zstd", "-dc", args.data / "debian-packages.ndjson.zst"], check=True, capture_output=True).stdout.splitlines()
    near = struct.unpack(f"<{QUERIES * NEIGHBOURS}i", (args.data / "queries-nearest.i32").read_bytes()[:QUERIES * NEIGHBOURS * 4])
    chosen = {near[query * NEIGHBOURS + rank] for query in range(QUERIES) for rank in range(12)}
    chosen |= {i for i, line in enumerate(lines) if json.loads(line)["priority"] in ("required", "important", "standard")}
    rest = [i for i in range(len(lines)) if i not in chosen]
    chosen |= set(random.Random(1).sample(rest, args.documents - len(chosen)))
    rows = sorted(chosen)
    vectors = (args.data / "debian-embeddings.f16").read_bytes()
    size = DIMS * 2
    compress = lambda name, data: subprocess.run(["zstd", "-19", "-q", "-f", "-o", out / name], input=data, check=True)
    compress("packages.ndjson.zst", b"".join(lines[i] + b"\n" for i in rows))
    compress("packages.f16.zst", b"".join(vectors[i * size:(i + 1) * size] for i in rows))
    (out / "queries.f32").write_bytes((args.data / "queries.f32").read_bytes()[:QUERIES * DIMS * 4])
    (out / "queries.txt").write_text("".join((args.data / "queries.txt").read_text().splitlines(keepends=True)[:QUERIES]))
    print(f"{len(rows)} documents")


if __name__ == "__main__": main()
