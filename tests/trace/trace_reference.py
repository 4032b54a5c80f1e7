#!/usr/bin/env python3
"""Prints what a trace of torch.profiler says of each device, for tests: computed apart from runner/trace.

    tests/trace/trace_reference.py FILE...     a line of JSON for each file, plain or .gz

Times are ns. `busy_ns` is the union of kernels, copies and fills, `largest_gap_ns` the longest time between them.
With --flops it prints the FLOPs of products (mm, addmm, bmm) and of attention by the shapes of the operators.
"""

import argparse
import gzip
import json
import math
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


def product_flops(event):
    skip = {"aten::mm": 0, "aten::bmm": 0, "aten::addmm": 1}.get(event["name"])
    dims = event.get("args", {}).get("Input Dims")
    if skip is None or not dims:
        return 0
    left, right = dims[skip : skip + 2]
    return 2 * math.prod(left) * right[-1]


def attention_flops(event):
    dims = event.get("args", {}).get("Input Dims")
    if event["name"] != "aten::_flash_attention_forward" or not dims:
        return 0
    (batch, queries, heads, d), keys = dims[0], dims[1][1]
    return 4 * batch * heads * queries * keys * d


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--flops", action="store_true")
parser.add_argument("files", nargs="+", metavar="FILE")
arguments = parser.parse_args()
for file in arguments.files:
    with (gzip.open if file.endswith(".gz") else open)(file, "rt", encoding="utf-8") as text:
        everything = json.load(text, parse_float=Decimal)["traceEvents"]
    if arguments.flops:
        operators = [e for e in everything if e.get("cat") == "cpu_op"]
        print(json.dumps({"products": sum(map(product_flops, operators)), "attention": sum(map(attention_flops, operators))}))
        continue
    work = [e for e in everything if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    devices = sorted({e["args"]["device"] for e in work})
    print(json.dumps({str(d): device_figures([e for e in work if e["args"]["device"] == d]) for d in devices}))
