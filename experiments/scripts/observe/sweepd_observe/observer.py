"""What the three passes have in common."""

import contextlib

from . import report


class Observer:
    """Gets the marks and steps of a loop (hooks.py). `steps` is after how many of them the program ends."""

    steps = 0
    wraps_modules = False  # whether every module is called within `around`

    def __init__(self, torch):
        self.torch = torch
        self.uses_device = None  # known from the first module or optimizer of the loop
        self.roots, self.optimizers = [], []

    def saw_module(self, module):
        self._saw(module, self.roots, module.parameters)

    def saw_optimizer(self, optimizer):
        groups = getattr(optimizer, "param_groups", [])
        self._saw(optimizer, self.optimizers, lambda: (each for group in groups for each in group["params"]))

    def _saw(self, one, seen, parameters):
        if self.uses_device is None:
            self.uses_device = self.torch.cuda.is_available() and any(each.is_cuda for each in parameters())
            self._begin()
        if not any(each is one for each in seen):
            seen.append(one)

    def begin_by_hand(self):
        """Of a program that says itself where its steps are. It need not call a module."""
        if self.uses_device is None:
            self.uses_device = self.torch.cuda.is_available() and self.torch.cuda.is_initialized()
            self._begin()

    def _begin(self):
        report.phase("step")
        self.begin_program()

    def begin_program(self):
        """Called once, before the first mark."""

    def around(self, module, loop):
        """Returns the context in which each module is called, if `wraps_modules`."""
        return contextlib.nullcontext()

    def drop(self):
        """Drops what began with the last mark, because it is evaluation."""

    def restart(self):
        """Drops everything since the last step."""

    def mark(self, phase):
        """A boundary, at which `phase` begins; None: what is no phase. The mark is what `Step` has, and not None."""
        return 0

    def begin_step(self, number):
        pass

    def end_step(self, step):
        pass

    def finish(self):
        """Called after the last step, also of a program that ended before it."""
