#!/usr/bin/env python3
"""Runs the official clients' tests against a server of this build. usage: run.py BINARY CLIENT_HOME (build/clients)"""
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[1] / "tools"))
from server_process import Server  # noqa: E402


def main():
    binary, home = sys.argv[1], pathlib.Path(sys.argv[2])
    passed = failed = 0
    with Server(binary) as server:
        for command in ([home / "venv/bin/python", here / "python_test.py", server.url],
                        ["node", here / "javascript_test.mjs", server.url, home]):
            result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
            text = result.stdout + result.stderr
            counts = re.search(r"^(\d+) passed, (\d+) failed", text, re.M)
            good, bad = map(int, counts.groups()) if counts else [int(n[1]) if (n := re.search(rf"^(?:# |ℹ ){word} (\d+)", text, re.M)) else 0 for word in ("pass", "fail")]
            if result.returncode and not bad: bad = 1
            if bad or not good: print(text[-6000:])
            passed, failed = passed + good, failed + (bad if good or bad else 1)
            print(f"{pathlib.Path(command[1]).name}: {good} good, {bad} bad")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__": main()
