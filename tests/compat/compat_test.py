#!/usr/bin/env python3
"""Data directories that earlier builds wrote still open, verify clean and give the answers they gave.

usage: compat_test.py BINARY             every directory kept in this folder
       compat_test.py BINARY --record N  write format-N.tar.gz and format-N.json with this build

Record when a number in docs/format/ changes, and never again for that number: the file is what users have on their disks. The directory
holds segments, merged and not, deletes in both, and a log that a kill left behind.
"""
import json
import pathlib
import random
import signal
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from server_process import Server  # noqa: E402

MAPPINGS = {
    "properties": {
        "title": {"type": "text", "fields": {"raw": {"type": "keyword", "ignore_above": 40}}}, "tag": {"type": "keyword"}, "long": {"type": "long"},
        "byte": {"type": "byte"}, "double": {"type": "double"}, "half": {"type": "half_float"}, "unsigned": {"type": "unsigned_long"}, "yes": {"type": "boolean"},
        "when": {"type": "date"}, "ip": {"type": "ip"}, "object": {"properties": {"inner": {"type": "integer"}}}, "nested": {"type": "nested"},
        "float_vector": {"type": "dense_vector", "dims": 8, "similarity": "cosine"}, "byte_vector": {"type": "dense_vector", "dims": 8, "element_type": "byte", "similarity": "l2_norm"},
        "bit_vector": {"type": "dense_vector", "dims": 16, "element_type": "bit"},
    }
}
QUERIES = [
    {"query": {"match": {"title": "quick river"}}, "size": 5}, {"query": {"match_phrase": {"title": "stone river"}}, "size": 3}, {"query": {"term": {"tag": "b"}}, "sort": ["long"], "size": 4},
    {"query": {"range": {"when": {"gte": "2020-02-01", "lt": "2020-03-01"}}}, "sort": [{"long": "desc"}], "size": 3}, {"query": {"term": {"ip": "10.0.0.0/25"}}, "track_total_hits": True, "size": 0},
    {"query": {"wildcard": {"title.raw": "*river*"}}, "sort": ["long"], "size": 2}, {"query": {"exists": {"field": "object.inner"}}, "track_total_hits": True, "size": 0},
    {"knn": {"field": "float_vector", "query_vector": [1, 0, -1, .5, 0, 2, 1, -2], "k": 5, "num_candidates": 5}, "size": 5, "_source": False},
    {"knn": {"field": "byte_vector", "query_vector": [1, 0, -1, 5, 0, 2, 1, -2], "k": 3, "num_candidates": 5}, "size": 3, "_source": False},
    {"knn": {"field": "bit_vector", "query_vector": [85, -3], "k": 3, "num_candidates": 5}, "size": 3, "_source": False},
    {"size": 0, "aggs": {"t": {"terms": {"field": "tag"}, "aggs": {"s": {"stats": {"field": "double"}}, "u": {"max": {"field": "unsigned"}}}}, "d": {"date_histogram": {"field": "when", "calendar_interval": "month"}},
                         "c": {"cardinality": {"field": "title.raw"}}, "y": {"terms": {"field": "yes"}}, "i": {"terms": {"field": "ip", "size": 2}}, "h": {"avg": {"field": "half"}}}},
]


def document(rng, i):
    words = "quick slow stone river hill tree of the a under over white".split()
    full = {
        "title": " ".join(rng.choice(words) for _ in range(rng.randint(2, 12))), "tag": rng.sample("abcde", rng.randint(0, 3)), "long": i * 1_000_003, "byte": i % 100 - 50, "double": rng.random() * 1e6,
        "half": rng.randint(0, 100) / 4, "unsigned": 2**64 - 1 - i, "yes": i % 3 == 0, "when": f"2020-{i % 12 + 1:02}-{i % 28 + 1:02}T0{i % 10}:00:00Z", "ip": f"10.0.{i % 2}.{i % 256}", "object": {"inner": i},
        "nested": [{"k": i, "v": "x"}], "float_vector": [round(rng.gauss(0, 1), 4) for _ in range(8)], "byte_vector": [rng.randint(-128, 127) for _ in range(8)], "bit_vector": [rng.randint(-128, 127) for _ in range(2)],
        f"dynamic_{i % 3}": ["text", i + 0.5, True][i % 3],
    }
    return {key: value for key, value in full.items() if key == "long" or rng.random() < 0.9}


def fill(server):
    rng = random.Random(17)
    assert server.request("PUT", "/things", {"settings": {"number_of_shards": 2, "refresh_interval": -1}, "mappings": MAPPINGS, "aliases": {"some": {"filter": {"term": {"tag": "a"}}}}})[0] == 200
    for batch in range(6):
        lines = []
        for i in range(batch * 60, batch * 60 + 60):
            lines += [json.dumps({"index": {"_id": f"id-{i}"}}), json.dumps(document(rng, i))]
            if i % 7 == 3: lines.append(json.dumps({"delete": {"_id": f"id-{rng.randrange(i)}"}}))
            if i % 11 == 5: lines += [json.dumps({"update": {"_id": f"id-{i}"}}), json.dumps({"doc": {"tag": "updated"}})]
        status, answer, _ = server.request("POST", "/things/_bulk", "\n".join(lines) + "\n")
        refused = [result for item in answer["items"] for result in item.values() if result["status"] == 400]
        assert status == 200 and not refused, refused[:1]
        if batch < 4: server.request("POST", "/things/_flush")
        if batch == 2: server.request("POST", "/things/_forcemerge?max_num_segments=1")
    server.request("PUT", "/closed/_doc/1?refresh=true", {"a": 1})
    server.request("POST", "/closed/_close")


def answers(server):
    server.request("POST", "/things/_refresh")
    got = []
    for query in QUERIES:
        _, answer, _ = server.request("POST", "/things/_search", query)
        got.append({"request": query, "hits": answer["hits"], "aggregations": answer.get("aggregations")})
    got.append({"documents": [server.request("GET", f"/things/_doc/id-{i}")[1] for i in range(0, 360, 5)]})
    got.append({"mapping": server.request("GET", "/things/_mapping")[1], "aliases": server.request("GET", "/_alias")[1], "count": server.request("GET", "/some/_count")[1]})
    return got


def record(binary, number):
    with Server(binary) as server:
        fill(server)
        expected = answers(server)
        server.stop(signal.SIGKILL)
        with tarfile.open(HERE / f"format-{number}.tar.gz", "w:gz") as tar:
            for path in sorted((server.data / "data").rglob("*")):
                if path.is_file() and path.name != ".lock": tar.add(path, path.relative_to(server.data))
    (HERE / f"format-{number}.json").write_text("[\n" + ",\n".join(json.dumps(e, sort_keys=True) for e in expected) + "\n]\n")


def check(binary, archive):
    """Problems, as lines."""
    expected = json.loads(archive.with_name(archive.name.replace(".tar.gz", ".json")).read_text())
    with tempfile.TemporaryDirectory(prefix="tiercel-compat-") as folder:
        with tarfile.open(archive) as tar: tar.extractall(folder, filter="data")
        for when in ("as kept", "once opened and stopped"):
            verify = subprocess.run([binary, "verify", "--quiet", f"{folder}/data"], capture_output=True, text=True)
            if verify.returncode: yield f"verify, {when}: {verify.stdout}{verify.stderr}"
            with Server(binary, data=folder) as server:
                for want, got in zip(expected, answers(server)):
                    if want != json.loads(json.dumps(got)): yield f"{when}: expected {json.dumps(want)[:1500]}\n got {json.dumps(got)[:1500]}"


def main():
    binary = sys.argv[1]
    if "--record" in sys.argv: return record(binary, int(sys.argv[3]))
    archives = sorted(HERE.glob("format-*.tar.gz"))
    failed = 0
    for archive in archives:
        problems = list(check(binary, archive))
        failed += bool(problems)
        print(*[f"{archive.name}: {problem}" for problem in problems], sep="\n")
    print(f"{len(archives) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not archives else 0)


if __name__ == "__main__": main()
