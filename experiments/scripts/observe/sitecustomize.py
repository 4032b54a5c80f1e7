"""Python imports this before the program when a sweep says `observe: torch`."""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_users_own():
    """The sitecustomize that Python would have found without this one."""
    path = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


class _WhenTorchIsImported:
    """A finder of modules that lets the others find `torch`, and observes it as soon as it is loaded."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_observe(module):
                load(module)
                sys.path.insert(0, _HERE)  # before the program's own folder
                try:
                    import sweepd_observe
                finally:
                    sys.path.remove(_HERE)
                sweepd_observe.start(module)

            spec.loader.exec_module = load_and_observe
        return spec


try:
    _run_the_users_own()
finally:
    if "SWEEPD_METRICS_FD" in os.environ:
        sys.meta_path.insert(0, _WhenTorchIsImported())
