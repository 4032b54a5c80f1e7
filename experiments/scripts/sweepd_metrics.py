"""What a Python program tells sweepd: one JSON object a line, see "Other programs" in schemas/sweep.md.

    import sweepd_metrics as sweepd
    torch = sweepd.require("torch", "pip install torch")       # or the trial ends `skipped`
    sweepd.step(0, {"forward": 1.25, "step": 4.0}, warmup=True)
    sweepd.memory("step", peak_allocated=1024)
    sweepd.fact("torch", torch.__version__)

By hand, without sweepd, the lines go to standard output.
"""

import importlib
import json
import os
import sys

EXIT_SKIPPED = 77

_descriptor = os.environ.get("SWEEPD_METRICS_FD")
_lines = os.fdopen(int(_descriptor), "w", buffering=1) if _descriptor else sys.stdout


def _write(**line):
    print(json.dumps(line), file=_lines, flush=True)


def step(number, time_ms, warmup, **metrics):
    """`time_ms` and each metric: a number, or a number by phase."""
    _write(step=number, warmup=warmup, time=time_ms, **metrics)


def setup(**metrics_ms):
    """What happened once, before the steps: `compile_time` ..."""
    _write(step=0, warmup=False, **{name: {"setup": value} for name, value in metrics_ms.items()})


def memory(phase, peak_allocated, **others):
    _write(memory=phase, peak_allocated=peak_allocated, **others)


def fact(name, value):
    _write(fact=name, **({"text": value} if isinstance(value, str) else {"number": value}))


def skip(reason):
    """Ends the program: this machine lacks something, and `reason` says how to get it."""
    _write(skipped=reason)
    sys.exit(EXIT_SKIPPED)


def out_of_memory(phase, requested):
    """Ends the program."""
    _write(oom=phase, requested=requested)
    sys.exit(1)


def require(module, how_to_get_it):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        skip(f"{sys.executable} cannot import {module} ({error}): {how_to_get_it}, "
             "or name another Python in SWEEPD_PYTHON before sweepd starts")
