#!/usr/bin/env python3
"""Fails when a module includes one that tools/layers.toml does not allow, or when the table itself is not in order.

usage: check_layers.py [ROOT] [--self-test]
"""
import pathlib
import re
import sys
import tomllib

INCLUDE = re.compile(r'^\s*#\s*include\s*"tiercel/([a-z0-9_]+)/')


def table_problems(modules):
    """Edges of the table that do not point upwards, and names it does not define."""
    seen = []
    for module, allowed in modules.items():
        for name in allowed:
            if name not in modules: yield f"layers.toml: {module} names unknown module {name}"
            elif name not in seen: yield f"layers.toml: {module} names {name}, which stands below it"
        seen.append(module)


def include_problems(path, module, text, modules, test_extra):
    is_test = path.stem.endswith(("_test", "_bench", "_fixture", "_testing"))
    allowed = {module, *modules[module]}
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match: continue
        target = match[1]
        if target in allowed: continue
        if is_test and target in test_extra.get(module, []): continue
        yield f"{path}:{number}: module {module} may not include {target}"


def check(root):
    config = tomllib.loads((root / "tools/layers.toml").read_text())
    modules, test_extra = config["modules"], config.get("tests", {})
    problems = list(table_problems(modules))
    source = root / "src/tiercel"
    files = 0
    for folder in sorted(p for p in source.iterdir() if p.is_dir()):
        if folder.name not in modules:
            problems.append(f"{folder}: module is not in layers.toml")
            continue
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cc", ".inc"):
                files += 1
                problems += include_problems(path, folder.name, path.read_text(), modules, test_extra)
    return files, problems


def self_test():
    modules = {"base": [], "store": ["base"]}
    bad = list(include_problems(pathlib.Path("a.cc"), "base", '#include "tiercel/store/x.h"\n', modules, {}))
    good = list(include_problems(pathlib.Path("a.cc"), "store", '#include "tiercel/base/x.h"\n', modules, {}))
    assert len(bad) == 1 and not good
    assert list(table_problems({"a": ["b"], "b": []})) and not list(table_problems(modules))


def main():
    self_test()
    root = pathlib.Path(next((a for a in sys.argv[1:] if not a.startswith("-")), "."))
    files, problems = check(root)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"layers: {files} files, {len(problems)} problems")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__": main()
