#!/usr/bin/env python3
"""`tiercel load` against a scripted endpoint that pushes back, fails and refuses. usage: load_test.py BINARY"""
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

BINARY = sys.argv.pop(1)


class Endpoint(http.server.ThreadingHTTPServer):
    """Answers bulk requests item by item through `judge(attempt, document) -> (status, error)`; `refuse(n)` may answer the n-th request whole."""
    def __init__(self, judge=lambda attempt, document: (201, None), refuse=lambda n: None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.judge, self.refuse = judge, refuse
        self.requests, self.attempts, self.stored, self.paths, self.lock = 0, {}, [], [], threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(data)

    def do_HEAD(self): self.answer(404, {})

    def do_PUT(self):
        self.server.paths.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
        self.answer(200, {"acknowledged": True})

    def do_POST(self):
        server = self.server
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        with server.lock: server.paths.append((self.path, None))
        if not self.path.endswith("_bulk"): return self.answer(200, {})
        with server.lock:
            server.requests += 1
            whole = server.refuse(server.requests)
        if whole: return self.answer(whole, {"error": {"type": "es_rejected_execution_exception", "reason": "queue full"}, "status": whole})
        items, lines = [], body.splitlines()
        with server.lock:
            for action, source in zip(lines[::2], lines[1::2]):
                document = json.loads(source)
                key = json.dumps(document, sort_keys=True)
                server.attempts[key] = server.attempts.get(key, 0) + 1
                status, error = server.judge(server.attempts[key], document)
                if status < 300: server.stored.append((json.loads(action)["index"].get("_id"), document))
                items.append({"index": {"status": status, **({"error": error} if error else {})}})
        self.answer(200, {"errors": any(i["index"]["status"] > 299 for i in items), "items": items})


class LoadTest(unittest.TestCase):
    def load(self, endpoint, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "input"
            path.write_text(text)
            return subprocess.run([BINARY, "load", "things", path, "--url", f"http://127.0.0.1:{endpoint.server_port}/", *arguments], capture_output=True, text=True, timeout=60)

    def lines(self, n): return "".join(json.dumps({"n": i, "name": f"x{i}"}) + "\n" for i in range(n))

    def test_sends_everything_once_with_ids_and_refreshes(self):
        endpoint = Endpoint()
        result = self.load(endpoint, self.lines(250), "--id-field", "name", "--batch-docs", "40", "--connections", "3")
        self.assertEqual((result.returncode, result.stderr.count("refused")), (0, 0), result.stderr)
        self.assertEqual(sorted(d["n"] for _, d in endpoint.stored), list(range(250)))
        self.assertTrue(all(key == f"x{d['n']}" for key, d in endpoint.stored))
        self.assertIn(("/things/_refresh", None), endpoint.paths)
        self.assertIn("250 documents indexed into [things]", result.stdout)

    def test_retries_requests_and_items_refused_with_429(self):
        endpoint = Endpoint(judge=lambda attempt, d: (429, {"type": "es_rejected_execution_exception", "reason": "busy"}) if d["n"] % 5 == 0 and attempt == 1 else (201, None),
                            refuse=lambda n: 429 if n == 2 else None)
        result = self.load(endpoint, self.lines(100), "--batch-docs", "25")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(d["n"] for _, d in endpoint.stored), list(range(100)))
        self.assertIn("sent again after push-back", result.stdout)

    def test_gives_up_after_the_retries_and_says_so(self):
        result = self.load(Endpoint(refuse=lambda n: 429), self.lines(10), "--retries", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("10 refused: still refused with 429 after 2 attempts", result.stderr)

    def test_counts_refusals_by_reason(self):
        judge = lambda attempt, d: (400, {"type": "document_parsing_exception", "reason": f"[1:{d['n'] % 90 + 5}] failed to parse field [n] of type [long] in document with id '{d['n']}'"}) if d["n"] < 30 else (201, None)
        result = self.load(Endpoint(judge=judge), self.lines(50))
        self.assertEqual(result.returncode, 1)
        self.assertIn("30 refused: document_parsing_exception: failed to parse field [n] of type [long]\n", result.stderr)

    def test_creates_the_index_and_stops_at_the_limit(self):
        endpoint = Endpoint()
        with tempfile.NamedTemporaryFile("w", suffix=".json") as body:
            body.write('{"mappings":{}}')
            body.flush()
            result = self.load(endpoint, self.lines(50), "--create-with", body.name, "--limit", "7")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(endpoint.paths[0], ("/things", b'{"mappings":{}}'))
        self.assertEqual(len(endpoint.stored), 7)

    def test_broken_input_is_exit_2_and_names_the_record(self):
        result = self.load(Endpoint(), '[{"a":1},{"b":')
        self.assertEqual(result.returncode, 2)
        self.assertIn("record 2: the JSON array is cut off", result.stderr)
        missing = subprocess.run([BINARY, "load", "x", "/no/such/file"], capture_output=True, text=True)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("No such file", missing.stderr)


if __name__ == "__main__":
    runner = unittest.main(exit=False)
    bad = len(runner.result.failures) + len(runner.result.errors)
    print(f"{runner.result.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad or not runner.result.testsRun else 0)
