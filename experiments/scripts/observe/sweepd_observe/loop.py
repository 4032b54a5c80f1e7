"""Follows a training loop and hands its steps to the pass."""

import sys
import threading
from typing import NamedTuple, Optional

from . import report


class Turns:
    """Notices optimizers that step in turns, each of which ends a step, as the two of a GAN."""

    def __init__(self):
        self.last, self.before = frozenset(), set()
        self.optimizers = set()  # that do

    def add(self, stepped):
        now = frozenset(stepped)
        if not now:
            return
        if now in self.before and not now & self.last:
            self.optimizers |= now | self.last
        self.before.add(now)
        self.last = now

    def tell(self):
        if self.optimizers:
            report.fact("warning.optimizers", f"{len(self.optimizers)} optimizers step in turns: a step here is one of theirs; "
                        "set `step_ends` to the function that does a whole step")


class Step(NamedTuple):
    spans: list             # (phase, begin, end) in marks of the pass
    begin: object
    end: object
    own: Optional[tuple]    # (begin, end) of what the observer itself did within the step
    forwards: int


class Loop:
    """Follows the training loop. `observer` is the pass: timing, memory or profile.

    A step is over with the mark of what ends it, but it is handed to the pass only when something else begins, since
    a second optimizer may belong to it.
    """

    def __init__(self, observer, step_ends):
        self.observer = observer
        self.step_ends = step_ends
        self.on = True
        self.hooked = True         # False: the program says itself where its steps are
        self.thread = threading.get_ident()
        self.phase = None          # "forward", "backward" or "optimizer", while it is open
        self.opened = None         # its mark
        self.in_optimizer = False  # a closure may call forward and backward inside
        self.in_module = False     # an outermost one
        self.raised = None         # the phase that the last exception left
        self.number = 0            # steps handed over
        self.begin = None          # the step's first mark
        self.turns = Turns()
        self._new_step()

    def _new_step(self):
        self.spans = []            # (phase, begin, end)
        self.ended = None          # the mark that ends the step
        self.own = None            # the marks around the hand-over of the step before, which is none of the program's
        self.waited = None         # the mark of the first forward, until which batches were made
        self.gap = None            # the end of a backward or optimizer, after which batches may be made
        self.forwards = 0
        self.stepped_in_backward = False  # optimizers that run as soon as a gradient is there
        self.stepped = set()       # optimizers

    def here(self):
        """Whether the hooks count: not in threads of the program and of autograd, nor in processes that it forked."""
        return self.on and self.hooked and threading.get_ident() == self.thread

    def open(self, phase):
        if self.ended is not None:
            self.hand_over()
        elif self.begin is None:
            self.observer.begin_step(self.number)
        mark = self.observer.mark(phase)
        self.raised = None
        if phase == "forward" and self.gap is not None:
            self.spans.append(("data", self.gap, mark))
        self.gap = mark if phase == "forward" and self.gap is not None else None
        if self.phase is not None:
            self._add_span(mark)
        elif self.begin is None:
            self.begin = mark
        elif not self.spans:
            self.waited = mark
        self.phase, self.opened = phase, mark

    def close(self):
        mark = self.observer.mark(None)
        self._add_span(mark)
        if self.hooked and not self.in_optimizer:
            self.gap = mark if self.phase in ("backward", "optimizer") else None
        self.phase = None
        return mark

    def _add_span(self, mark):
        if not self.spans and self.waited is not None:
            self.spans.append(("data", self.begin, self.waited))
        self.spans.append((self.phase, self.opened, mark))

    def forget(self):
        """Forgets the phase that was opened last, because it is evaluation."""
        self.observer.drop()
        self.phase = None
        if self.number == 0 and not self.spans:
            self.begin = None

    def restart(self):
        """Drops what was recorded since the last step."""
        self.observer.restart()
        self.phase = self.begin = None
        self._new_step()

    def _tell(self):
        self.observer.end_step(Step(self.spans, self.begin, self.ended, self.own, self.forwards))
        self.turns.add(self.stepped)
        self.number += 1

    def hand_over(self):
        ended, before = self.ended, self.observer.mark(None)
        self._tell()
        if self.number >= self.observer.steps:
            self.on = False
            self.observer.finish()
            self.turns.tell()
            report.end_program()
        self._new_step()
        self.begin = ended
        self.observer.begin_step(self.number)
        self.own = (before, self.observer.mark(None))

    def at_exit(self):
        """The program ended by itself."""
        if not self.on:
            return
        self.on = False
        if hasattr(sys, "last_type") and (self.raised or self.phase):  # an exception ends the program
            report.phase(self.raised or self.phase)
        if self.ended is not None:
            self._tell()
        self.observer.finish()
        self.turns.tell()
        if self.number < self.observer.steps:
            report.fact("observe.missing_steps", self.observer.steps - self.number)
