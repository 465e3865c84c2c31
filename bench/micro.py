"""Every module's own benchmarks (Google Benchmark), one after another. Their figures are for reading, they have no goals."""
import subprocess

from report import ROOT


def run(args):
    for binary in sorted((ROOT / "build/bench/src").rglob("*_bench")):
        if binary.is_file():
            print(f"-- {binary.name}")
            subprocess.run([binary, "--benchmark_min_time=" + ("0.01" if args.quick else "0.3")], check=True)
