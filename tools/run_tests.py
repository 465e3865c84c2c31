#!/usr/bin/env python3
"""Runs the tests of a build tree through CTest and prints how many single tests ran.

usage: run_tests.py BUILD_DIR [--label LABEL] [FILTER]
The last line is "N passed, N failed". Exit status 1 when anything failed or nothing ran.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

GTEST_RAN = re.compile(r"^\s*(?:\d+: )?\[\s+PASSED\s+\] (\d+) tests?\.", re.M)
GTEST_FAILED = re.compile(r"^\s*(?:\d+: )?\[\s+FAILED\s+\] (\d+) tests?,", re.M)
GTEST_SKIPPED = re.compile(r"^\s*(?:\d+: )?\[\s+SKIPPED\s+\] (\d+) tests?,", re.M)
PLAIN = re.compile(r"^\s*(?:\d+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$", re.M)


def totals(text):
    passed = sum(map(int, GTEST_RAN.findall(text)))
    failed = sum(map(int, GTEST_FAILED.findall(text)))
    skipped = sum(map(int, GTEST_SKIPPED.findall(text)))
    for ok, bad, skip in PLAIN.findall(text):
        passed, failed, skipped = passed + int(ok), failed + int(bad), skipped + int(skip or 0)
    return passed, failed, skipped


def outputs_of_failures(text):
    """(name, lines) of every CTest entry that did not pass; with --verbose each line of its output begins with its number."""
    for number, name in re.findall(r"^\s*\d+/\d+ Test\s+#(\d+): (\S+) \.*\s*\*\*\*", text, re.M):
        yield name, re.findall(rf"^{number}: (.*)$", text, re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--label")
    parser.add_argument("filter", nargs="?")
    args = parser.parse_args()
    log = pathlib.Path(args.build) / "tests.log"
    command = ["ctest", "--test-dir", args.build, "--verbose", "--no-tests=error", "--timeout", "600", "-j", str(os.cpu_count() or 2)]
    if args.label: command += ["-L", args.label]
    if args.filter: command += ["-R", args.filter]
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        for line in process.stdout:
            out.write(line)
            if re.match(r"\s*\d+/\d+ Test\s+#", line) or re.match(r"\s*(?:\d+: )?.*(\[  FAILED  \]|Failure$|SKIPPED|ERROR: )", line): print(line, end="", flush=True)
        status = process.wait()
    text = log.read_text(errors="replace")
    passed, failed, skipped = totals(text)
    for name, output in outputs_of_failures(text):
        lines = [line for line in output if not re.match(r"\[(       OK|-----*| RUN     ) ?\]|$", line)]  # GoogleTest's progress
        print(f"--- {name}: the end of its output\n" + "\n".join(lines[-40:]))
    if status and not failed: failed = 1  # a test that died did not count itself
    print(f"full output: {log}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if status or failed or not passed else 0)


if __name__ == "__main__": main()
