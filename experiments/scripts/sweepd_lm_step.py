#!/usr/bin/env python3
"""sweepd's own lm_step with the options of lm_step.py, so that its step stands in one table with Python's.

Runs the sweep-worker that runs this script once more, as an attempt of its own inside this one's folder, and passes on
what it measures. Needs no torch in Python.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import sweepd_metrics as sweepd
import torch_timing

# The names of `compile` in the table, and in lm_step.
KINDS = {"sweepd": "eager", "sweepd_cuda_graph": "cuda_graph", "sweepd_fused": "eager", "sweepd_fused_graph": "cuda_graph",
         "sweepd_aot_inductor": "aot_inductor"}
FUSED = {"attention": "flash", "fused_linear": "on", "fused_norm": "on", "fused_rotary": "on", "fused_swiglu": "on"}


def find_worker():
    """The program that started this one; by hand, $SWEEPD_WORKER or the one of the source tree or bundle."""
    parent = Path(f"/proc/{os.getppid()}/exe").resolve()
    if parent.name.startswith("sweep-worker"):
        # In a bundle or a package the program itself does not find LibTorch; what starts it does.
        launcher = parent.parent.parent / "bin" / parent.name
        return launcher if parent.parent.name == "libexec" and launcher.exists() else parent
    if os.environ.get("SWEEPD_WORKER"):
        return Path(os.environ["SWEEPD_WORKER"])
    for folder in Path(__file__).resolve().parents:
        for below in ("bin/sweep-worker", "build/release/bin/sweep-worker"):
            if (folder / below).exists():
                return folder / below
    sweepd.skip("no sweep-worker found: name it in SWEEPD_WORKER")


def request_of(arguments):
    params = {name: str(getattr(arguments, name)) for name in
              ("model", "context", "batch", "precision", "mode", "device", "warmup", "steps", "threads", "seed")}
    params["compile"] = KINDS[arguments.compile]
    if arguments.compile.startswith("sweepd_fused"):
        params.update(FUSED)
        if arguments.precision == "bf16" and arguments.mode == "train_step":
            params["weight_copies"] = "kept"
    params["memory_limit"] = f"{arguments.memory_limit}B"
    # The lease is that of this process: its cores, and its GPU by CUDA_VISIBLE_DEVICES.
    rank = {"cores": sorted(os.sched_getaffinity(0)), "gpu_uuid": "", "gpu_index": -1}
    return {"attempt": "0" * 16, "trial": "0" * 32, "workload": "lm_step", "repeat": 0,
            "pass": os.environ.get("SWEEPD_PASS", "timing"), "params": params, "lease": [rank]}


def tell_step(event):
    times = {}
    for phase, metric, value in event["samples"]:
        times.setdefault(metric, {})[phase] = value
    if "setup_time" in times:
        del times["setup_time"]  # this program's own replaces it
        if times:
            sweepd.setup(**{metric: by_phase["setup"] for metric, by_phase in times.items()})
    else:
        sweepd.step(event["step"], times.pop("time"), event["warmup"], **times)


def tell_end(event):
    outcome = event["outcome"]
    if outcome == "skipped":
        sweepd.skip(event["reason"])
    if outcome == "oom":
        sweepd.out_of_memory(event["phase"], event["requested"])
    if outcome != "done":
        raise SystemExit(f"{outcome}: {event.get('message', '')}")


def tell(event):
    kind = event["event"]
    if kind == "step":
        tell_step(event)
    elif kind == "memory":
        known = ("peak_allocated", "peak_reserved", "at_start", "at_end", "device_in_use")
        sweepd.memory(event["phase"], **{name: event[name] for name in known if name in event})
    elif kind == "fact":
        sweepd.fact(event["name"], event["text"] if "text" in event else event["number"])
    elif kind == "end":
        tell_end(event)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--context", type=int, default=256)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--mode", default="train_step")
    parser.add_argument("--compile", default="sweepd", choices=KINDS)
    torch_timing.add_run_arguments(parser)
    return parser.parse_args()


def main():
    folder = Path(tempfile.mkdtemp(prefix="attempt-", dir=".")).absolute()
    (folder / "request.json").write_text(json.dumps(request_of(parse_arguments())))
    subprocess.run([find_worker(), "--run", folder], env={**os.environ, "RANK": "0"}, check=True)
    with open(folder / "events.0.ndjson", encoding="utf-8") as events:
        for line in events:
            tell(json.loads(line))


if __name__ == "__main__":
    main()
