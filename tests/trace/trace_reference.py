#!/usr/bin/env python3
"""Prints what a trace of torch.profiler says of each device, for tests: computed apart from runner/trace.

    tests/trace/trace_reference.py FILE...     a line of JSON for each file, plain or .gz

Times are ns. `busy_ns` is the union of kernels, copies and fills, `largest_gap_ns` the longest time between them.
"""

import argparse
import gzip
import json
from decimal import Decimal


def device_figures(events):
    spans = sorted((int(e["ts"] * 1000), int((e["ts"] + e["dur"]) * 1000)) for e in events)
    kernels = [int(e["dur"] * 1000) for e in events if e["cat"] == "kernel"]
    busy = gap = 0
    end = spans[0][0]
    for begin, until in spans:
        gap = max(gap, begin - end)
        busy += max(0, until - max(begin, end))
        end = max(end, until)
    return {"kernels": len(kernels), "kernel_ns": sum(kernels), "busy_ns": busy, "largest_gap_ns": gap}


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("files", nargs="+", metavar="FILE")
for file in parser.parse_args().files:
    with (gzip.open if file.endswith(".gz") else open)(file, "rt", encoding="utf-8") as text:
        everything = json.load(text, parse_float=Decimal)["traceEvents"]
    work = [e for e in everything if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    devices = sorted({e["args"]["device"] for e in work})
    print(json.dumps({str(d): device_figures([e for e in work if e["args"]["device"] == d]) for d in devices}))
