"""`step_ends: NAME`: the end of each call of a function of the program ends a step."""

import functools
import inspect
import sys

_MOST_LOOKS = 100  # one at each forward


def _owner_of(name):
    """(object, attribute) of `name`, looked for in the program's main file, then as MODULE.NAME; None before it exists."""
    parts = name.split(".")
    roots = [(sys.modules.get("__main__"), parts)]
    roots += [(sys.modules.get(".".join(parts[:count])), parts[count:]) for count in range(len(parts) - 1, 0, -1)]
    for owner, path in roots:
        for part in path[:-1]:
            owner = getattr(owner, part, None)
        if owner is not None and callable(getattr(owner, path[-1], None)):
            return owner, path[-1]
    return None


def _runs_now(function):
    code = getattr(function, "__code__", None)
    frame = sys._getframe()
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


class Function:
    """Replaces the function by one that calls it, as soon as there is one."""

    def __init__(self, name, loop, safely):
        self.name, self.loop, self.safely = name, loop, safely
        self.found = False
        self.looked = 0
        self.skips = False  # its first call began before it was found

    def look(self):
        if self.found:
            return
        owner = _owner_of(self.name)
        if owner is None:
            self.looked += 1
            if self.looked >= _MOST_LOOKS:
                self.must_be_found()
            return
        self.found = True
        found = inspect.getattr_static(*owner)
        kind = type(found) if isinstance(found, (staticmethod, classmethod)) else None
        function = found.__func__ if kind else getattr(*owner)
        self.skips = _runs_now(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            if self.skips:
                self.skips = False
                self.safely(self.loop.restart)
            try:
                return function(*args, **kwargs)
            finally:
                if self.loop.here():
                    self.safely(self.end)

        setattr(*owner, kind(call) if kind else call)

    def must_be_found(self):
        if not self.found:
            raise LookupError(f"step_ends: neither the program's file nor an imported module has a function `{self.name}`; "
                              "write NAME, CLASS.NAME or MODULE.NAME")

    def end(self):
        loop = self.loop
        if loop.phase is not None:
            loop.ended = loop.close()
        elif loop.begin is not None:
            loop.ended = loop.observer.mark(None)
