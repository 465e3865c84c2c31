#!/usr/bin/env python3
"""Runs the benchmarks and prints a table of ratios; docs/benchmarks.md explains each and records the last figures.

usage: ./dev bench [elasticsearch|http|micro] [--quick]        default: all of them
"""
import argparse
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modules = {"http": "over_http", "micro": "micro", "elasticsearch": "beside_elasticsearch"}  # names that shadow no package
    parser.add_argument("name", nargs="?", choices=list(modules))
    parser.add_argument("--quick", action="store_true", help="a small corpus and short runs: a smoke test, not a measurement")
    args = parser.parse_args()
    for name in [args.name] if args.name else modules:
        print(f"{name}:")
        importlib.import_module(modules[name]).run(args)


if __name__ == "__main__": main()
