"""What `phase` and `step` of sweepd_metrics do in a program that is observed: the program says itself where they are."""

import contextlib

from . import report


class ByHand:
    def __init__(self, loop):
        self.loop = loop
        loop.hooked = False
        loop.restart()
        loop.observer.begin_by_hand()

    def _safely(self, what, *args):
        if not self.loop.on:
            return
        try:
            what(*args)
        except Exception as error:  # pylint: disable=broad-except
            self.loop.on = False
            report.failed(what.__name__, error)

    @contextlib.contextmanager
    def phase(self, name):
        outer = self.loop.phase
        self._safely(self.loop.open, name)
        try:
            yield
        finally:
            self._safely(self._leave, outer)

    def _leave(self, outer):
        self.loop.close()
        if outer is not None:
            self.loop.open(outer)

    def step(self):
        self._safely(self._end_step)

    def _end_step(self):
        loop = self.loop
        if loop.begin is None:  # nothing says where the first step began
            loop.observer.begin_step(0)
            loop.begin = loop.observer.mark(None)
            return
        loop.ended = loop.close() if loop.phase is not None else loop.observer.mark(None)
        loop.hand_over()
