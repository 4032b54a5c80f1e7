"""Runs a C++ benchmark: JSON lines on its standard output (tools/bench/bench_output.h)."""

import json
import subprocess

from bench.tools import BIN


def run(page, program):
    done = subprocess.run([BIN / program], check=True, stdout=subprocess.PIPE, text=True)  # its errors go to ours
    for line in done.stdout.splitlines():
        row = json.loads(line)
        page.add(row["name"], row["unit"], row["values"], row["how"], row.get("at_most"), row.get("at_least"))
