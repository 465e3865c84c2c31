#!/usr/bin/env python3
"""House rules that a machine can check: lengths, names, headers, banned words. A breach fails the tests.

usage: tidy.py [ROOT]
"""
import pathlib
import re
import subprocess
import sys

LINES_MAX = {"source": 600, "header": 330, "test": 800}
COLUMNS_MAX = 140  # clang-format wraps code at 120; string literals may pass it, in tests without a limit
PAGE = re.compile(r"\b(docs/(?:guide|design|format)/[\w-]+\.md)|\]\(((?:\.\./)*[\w/-]+\.md)\)")
FUNCTION_MAX = 80
# A file may ask for a longer function with a reason: // tidy: long function, REASON
BANNED_NAMES = re.compile(r"(util|helper|common|manager|misc)s?$")
BANNED_TEXT = [
    (re.compile(r"\b(TODO|FIXME)\b"), "promises later work"),
    (re.compile(r"#if 0\b"), "code switched off"),
]
THROW = re.compile(r"^\s*(throw\b|try\s*\{|\}\s*catch\b)")
FUNCTION_OPEN = re.compile(r"^[A-Za-z_].*\)\s*(const|noexcept|override|final|->.*|&&|&|REQUIRES\(.*\)|NO_THREAD_SAFETY_ANALYSIS|\s)*\{$")


def kind(path):
    if path.stem.endswith(("_test", "_bench", "_fixture", "_testing", "_fuzz")): return "test"
    return "header" if path.suffix == ".h" else "source"


def long_functions(lines):
    """(first line, length) of functions at namespace level longer than FUNCTION_MAX, found by clang-format's layout."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and FUNCTION_OPEN.match(line): start = number
        elif start is not None and line.startswith("}"):
            if number - start + 1 > FUNCTION_MAX: yield start, number - start + 1
            start = None


def cpp_problems(path, text):
    lines = text.splitlines()
    if len(lines) > LINES_MAX[kind(path)]: yield f"{path}: {len(lines)} lines, at most {LINES_MAX[kind(path)]}"
    if BANNED_NAMES.search(path.stem): yield f"{path}: says nothing about what is in it"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX and kind(path) != "test": yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS_MAX}"
        for pattern, what in BANNED_TEXT:
            if pattern.search(line): yield f"{path}:{number}: {what}"
    if path.suffix == ".h":
        if re.search(r"\busing namespace\b", text): yield f"{path}: using namespace in a header"
        if "#pragma once" not in text: yield f"{path}: no #pragma once"
        if not text.startswith("//"): yield f"{path}: a header opens with what it is"
    if "tidy: long function" not in text and kind(path) != "test":
        for number, length in long_functions(lines): yield f"{path}:{number}: function of {length} lines, at most {FUNCTION_MAX}"
    if kind(path) != "test" and "_adapter" not in path.stem and "tidy: exceptions stop here" not in text:
        for number, line in enumerate(lines, 1):
            if THROW.match(line): yield f"{path}:{number}: exceptions belong in an adapter"


def dead_pages(root, path, text):
    """Pages of docs/ that a file names and that do not exist."""
    for number, line in enumerate(text.splitlines(), 1):
        for from_root, relative in PAGE.findall(line):
            if not (root / from_root if from_root else root / path.parent / relative).exists(): yield f"{path}:{number}: no page {from_root or relative}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True, text=True).stdout.split("\n")
    problems, files = [], 0
    for name in names:
        path = root / name
        if path.suffix in (".h", ".cc", ".inc", ".md", ".py", ".txt") and path.exists(): problems += dead_pages(pathlib.Path(root), path.relative_to(root), path.read_text())
        if path.suffix in (".h", ".cc", ".inc") and path.exists():
            files += 1
            problems += cpp_problems(path.relative_to(root), path.read_text())
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"tidy: {files} files, {len(problems)} problems")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__": main()
