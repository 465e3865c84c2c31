#!/usr/bin/env python3
"""Runs every fuzzer of a build for a number of inputs. usage: run_fuzzers.py BUILD_DIR [RUNS [NAME]]

Prints executions and coverage of each; the last line is "N passed, N failed". A crash leaves its input in BUILD_DIR/fuzz-artifacts.
"""
import pathlib
import re
import subprocess
import sys
import time


def main():
    build, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    only = sys.argv[3] if len(sys.argv) > 3 else None
    seeds = pathlib.Path(__file__).resolve().parents[1] / "fuzz/corpus"
    artifacts = build / "fuzz-artifacts"
    artifacts.mkdir(exist_ok=True)
    passed = failed = 0
    for target in sorted(p for p in (build / "fuzz").glob("*_fuzz") if p.is_file()):
        if only and target.name != only: continue
        grown = build / "fuzz-corpus" / target.name
        grown.mkdir(parents=True, exist_ok=True)
        folders = [grown] + ([seeds / target.name] if (seeds / target.name).is_dir() else [])
        began = time.monotonic()
        result = subprocess.run([target, f"-runs={runs}", "-max_len=4096", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={artifacts}/{target.name}-", *folders],
                                capture_output=True, text=True, errors="replace")
        executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", result.stderr)
        coverage = re.findall(r"cov: (\d+)", result.stderr)
        print(f"{target.name}: {int(executed[1]) if executed else 0:,} inputs, {coverage[-1] if coverage else '?'} edges, {time.monotonic() - began:.0f} s, exit {result.returncode}", flush=True)
        if result.returncode:
            failed += 1
            print(result.stderr[-3000:])
        else: passed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__": main()
