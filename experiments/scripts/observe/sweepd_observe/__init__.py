"""Observes the training steps of a program that uses PyTorch, from outside: `observe: torch` in a sweep file.

    data        from the end of a step to the first forward of the next: batches, logging, checkpoints
    forward     from the outermost call of a torch.nn.Module to the beginning of the backward, the loss included
    backward    torch.autograd.backward
    optimizer   Optimizer.step, without forwards and backwards inside it (closures)
    step        from the end of one step to the end of the next; the first begins with its forward

A step ends when the optimizer has stepped, or as $SWEEPD_STEP_ENDS says: backward, forward, or the name of a function.
Several forwards and backwards before that belong to one step. A forward whose output needs no gradient is evaluation
and counts as `data`. After the steps of the pass the program ends with exit code 0.
"""

import os

from . import hooks, memory, profile, report, timing
from .by_hand import ByHand

_loop = _by_hand = None


def by_hand():
    """For sweepd_metrics: from the first call on the program says itself where its steps are. None: it is not observed."""
    global _by_hand
    if _by_hand is None and _loop is not None:
        _by_hand = ByHand(_loop)
    return _by_hand


def start(torch):
    """Called once, when the program has imported torch. A mistake here is a fact of the attempt, not its end."""
    global _loop
    try:
        warmup, steps = int(os.environ["SWEEPD_WARMUP"]), int(os.environ["SWEEPD_STEPS"])
        make = {"timing": timing.Timing, "memory": memory.Memory, "profile": profile.Profile}[os.environ["SWEEPD_PASS"]]
        report.fact("torch", torch.__version__)
        _loop = hooks.install(torch, make(torch, warmup, steps), os.environ.get("SWEEPD_STEP_ENDS") or "optimizer")
    except Exception as error:  # pylint: disable=broad-except
        report.failed("start", error)
