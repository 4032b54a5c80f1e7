"""The timing pass: the spans of each step become one line. Nothing waits for the device."""

import contextlib
import os
import time

from . import report
from .observer import Observer


_PAUSE_NS = 500_000_000  # between two times of writing; a program that is killed loses the steps since then


class HostClock:
    def __init__(self):
        self.mark = time.perf_counter_ns

    def is_past(self, _):
        return True

    def elapsed_ms(self, begin, end):
        return (end - begin) / 1e6

    host_ms = None


class DeviceClock:
    """A mark is an event on the current stream, and the time of the host beside it."""

    def __init__(self, cuda):
        self._cuda = cuda

    def mark(self):
        event = self._cuda.Event(enable_timing=True)
        event.record()
        return event, time.perf_counter_ns()

    def is_past(self, mark):
        return mark[0].query()

    def elapsed_ms(self, begin, end):
        return begin[0].elapsed_time(end[0])

    def host_ms(self, begin, end):
        return (end[1] - begin[1]) / 1e6


class FlopCount:
    """FLOPs of the first step, which is warm-up, by phase: those of PyTorch's FlopCounterMode.

    Recomputed are those of modules that run during the backward (activation checkpoints), and one of the five products
    of an attention kernel's backward, which computes the scores again.
    """

    def __init__(self):
        from torch.utils.flop_counter import FlopCounterMode
        self._counter = FlopCounterMode(display=False)
        self._counter.__enter__()
        self.restart()
        self._without_formula = set()  # classes of modules
        self._by_modules, self._inside = 0, False

    def _counted(self):
        """FLOPs so far, and those of them that were recomputed."""
        by_operator = self._counter.get_flop_counts().get("Global", {})
        attention = sum(flops for name, flops in by_operator.items() if "attention" in str(name) and "backward" in str(name))
        return self._counter.get_total_flops(), self._by_modules + attention // 5

    def restart(self):
        self._phase, self._before = None, (0, 0)
        self._flops, self._again = {}, {}  # by phase

    def drop(self):
        """Drops what came after the last boundary, because it is evaluation."""
        self._phase = None

    def enter(self, phase):
        now = self._counted()
        if self._phase is not None:
            for sums, number, before in zip((self._flops, self._again), now, self._before):
                sums[self._phase] = sums.get(self._phase, 0) + number - before
        self._phase, self._before = phase, now

    @contextlib.contextmanager
    def recomputation(self):
        if self._inside:  # a module of a module
            yield
            return
        before, self._inside = self._counter.get_total_flops(), True
        try:
            yield
        finally:  # a checkpoint leaves its last module by an exception
            self._by_modules += self._counter.get_total_flops() - before
            self._inside = False

    @contextlib.contextmanager
    def recurrence(self, module):
        before = self._counter.get_total_flops()
        yield
        if self._counter.get_total_flops() == before:
            self._without_formula.add(type(module).__name__)

    def end(self):
        self.enter(None)
        self._counter.__exit__(None, None, None)
        again = {phase: flops for phase, flops in self._again.items() if flops}
        recomputed = {"recomputed": {**again, "step": sum(again.values())}} if again else {}
        report.write(work={**self._flops, "step": sum(self._flops.values())}, **recomputed)
        if self._without_formula:
            report.fact("warning.flops", f"flops: count has no formula for {', '.join(sorted(self._without_formula))}, so the "
                        "FLOPs are a lower bound; write `flops` as a formula")


class Timing(Observer):
    def __init__(self, torch, warmup, steps):
        super().__init__(torch)
        self.steps = warmup + steps
        self._clock = self._flops = None
        self._waiting = []  # steps that are not written, since writing each by itself would take 0.1 ms of it
        self._number = 0
        self._written_ns = 0
        self._forwards = set()

    def begin_program(self):
        self._clock = DeviceClock(self.torch.cuda) if self.uses_device else HostClock()
        report.fact("observe.clock", "events of the device" if self.uses_device else "the host")

    def begin_step(self, number):
        if number == 0 and self._flops is None and os.environ.get("SWEEPD_COUNT_FLOPS"):
            self._flops = FlopCount()
            self.wraps_modules = True

    def around(self, module, loop):
        if self._flops is None:
            return contextlib.nullcontext()
        if loop.phase == "backward":
            return self._flops.recomputation()
        if isinstance(module, self.torch.nn.RNNBase):
            return self._flops.recurrence(module)
        return contextlib.nullcontext()

    def drop(self):
        if self._flops is not None:
            self._flops.drop()

    def restart(self):
        if self._flops is not None:
            self._flops.restart()

    def mark(self, phase):
        if self._flops is not None:
            self._flops.enter(phase)
        return self._clock.mark()

    def end_step(self, step):
        if self._flops is not None:
            self._flops.end()
            self._flops = None
            self.wraps_modules = False
        self._waiting.append(step)
        self._forwards.add(step.forwards)
        now = time.monotonic_ns()
        if now - self._written_ns < _PAUSE_NS:
            return
        self._written_ns = now
        while self._waiting and self._clock.is_past(self._waiting[0].end):
            self._write(self._waiting.pop(0))

    def finish(self):
        if self._waiting and self.uses_device:
            self.torch.cuda.synchronize()
        for step in self._waiting:
            self._write(step)
        if self._forwards and max(self._forwards) > 1:
            report.fact("observe.forwards_per_step", max(self._forwards))

    def _write(self, step):
        line = {"time": self._sums(step, self._clock.elapsed_ms)}
        if self._clock.host_ms is not None:
            line["host_time"] = self._sums(step, self._clock.host_ms)
        report.write(step=self._number, **line)
        self._number += 1

    @staticmethod
    def _sums(step, elapsed_ms):
        sums = {}
        for phase, first, last in step.spans:
            sums[phase] = sums.get(phase, 0) + elapsed_ms(first, last)
        sums["step"] = elapsed_ms(step.begin, step.end)
        if step.own is not None:  # it lies between the steps, so within `data`
            own = elapsed_ms(*step.own)
            for phase in {"data", "step"} & sums.keys():
                sums[phase] = max(0.0, sums[phase] - own)
        return sums
