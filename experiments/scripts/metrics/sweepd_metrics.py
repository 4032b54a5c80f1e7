"""What a Python program tells sweepd: one JSON object a line, see "Other programs" in schemas/sweep.md.

    import sweepd_metrics as sweepd
    torch = sweepd.require("torch", "pip install torch")       # or the trial ends `skipped`
    size = sweepd.params().get("size", 512)                    # what the sweep file declares
    for number in sweepd.steps():                              # warm-up and measured steps
        sweepd.step(number, {"forward": 1.25, "step": 4.0}, gflops=12)
    sweepd.metrics(joules=2.5)                                 # once, for the whole run
    sweepd.memory("step", peak_allocated=1024)
    sweepd.fact("torch", torch.__version__)

sweepd sets PYTHONPATH, so the import works in any program that it starts. By hand, without sweepd, the
lines go to standard output. Values may be of any type that `float` takes: numpy's, tensors of one element.
"""

import importlib
import json
import math
import os
import re
import sys

EXIT_SKIPPED = 77

_descriptor = os.environ.get("SWEEPD_METRICS_FD")
_lines = os.fdopen(int(_descriptor), "w", buffering=1) if _descriptor else sys.stdout


def _plain(value):
    """The value as JSON has it. JSON has no numbers that are not finite, and knows nothing of numpy."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if value is None or isinstance(value, (str, bool, int)):
        return value
    number = float(value)
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


def _write(**line):
    print(json.dumps(_plain(line)), file=_lines, flush=True)


def params():
    """The parameters that the sweep file declares, by name, each of the type that it declares: texts and choices
    stay texts. By hand, SWEEPD_PARAM_size=512 sets one; what looks like a number is one then."""
    declared = os.environ.get("SWEEPD_PARAMS")
    if declared:
        return json.loads(declared)
    prefix = "SWEEPD_PARAM_"
    return {name[len(prefix):]: _guessed(text) for name, text in os.environ.items() if name.startswith(prefix)}


def _guessed(text):
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?(0|[1-9][0-9]*)", text):
        return int(text)
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text) and math.isfinite(float(text)):
        return float(text)
    return text


def steps(warmup=2, measured=10):
    """The numbers of the steps that the trial asks for; by hand, those of the arguments."""
    return range(int(os.environ.get("SWEEPD_WARMUP", warmup)) + int(os.environ.get("SWEEPD_STEPS", measured)))


def step(number, time_ms=None, warmup=None, **metrics):
    """`time_ms` and each metric: a number, or a number by phase. Without `warmup`, as many steps as the trial
    says are warm-up."""
    line = {"step": int(number)}
    if warmup is not None:
        line["warmup"] = bool(warmup)
    if time_ms is not None:
        line["time"] = time_ms
    _write(**line, **metrics)


def metrics(**values):
    """What is known once for the whole run: a number, or a number by phase."""
    _write(metrics=values)


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
