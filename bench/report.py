"""The table and the JSON file that every benchmark ends with: rows of {job, settings, ours, peer, peer_value, unit, ratio, goal, met}."""
import json
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    flags = re.search(r"flags\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    wanted = ("avx2", "avx512f", "avx512bw", "avx512_vnni", "avx512_vpopcntdq", "avx512_bf16", "amx_int8")
    return {"cpu": cpu[1] if cpu else platform.processor(), "cores": os.cpu_count(), "isa": [f for f in wanted if flags and f in flags[1].split()],
            "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20, "kernel": platform.release(), "load": os.getloadavg()[0]}


class Report:
    def __init__(self, name, limits=None): self.name, self.rows, self.limits = name, [], limits or {}

    def add(self, job, settings, ours, peer, peer_value, unit, goal, higher_is_better=True):
        ratio = (ours / peer_value if higher_is_better else peer_value / ours) if ours and peer_value else 0
        self.rows.append({"job": job, "settings": settings, "ours": ours, "peer": peer, "peer_value": peer_value, "unit": unit, "ratio": round(ratio, 3),
                          "goal": goal, "met": ratio >= goal if goal is not None else None})
        row = self.rows[-1]
        print(f"  {job:34} {settings:22} {fmt(ours):>12} {fmt(peer_value):>12} {unit:8} ratio {ratio:7.2f}  goal {goal if goal is not None else '-':>5}  {'' if row['met'] is None else 'met' if row['met'] else 'MISSED'}", flush=True)

    def finish(self):
        folder = ROOT / "bench-results"
        folder.mkdir(exist_ok=True)
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps({"benchmark": self.name, "commit": commit, "machine": machine(), "limits": self.limits, "rows": self.rows}, indent=1) + "\n")
        print(f"\n{path.relative_to(ROOT)} written; machine: {machine()}")


def fmt(value):
    if value is None: return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"
