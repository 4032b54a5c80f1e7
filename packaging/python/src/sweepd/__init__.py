"""Submit sweeps to sweepd, and read its results as tables.

>>> import sweepd
>>> sweep = sweepd.Sweep("naps", "noop", params={"sleep": "1ms", "steps": 3}, matrix={"warmup": [0, 1]})
>>> run = sweepd.submit(sweep).wait(progress=False)
>>> run.counts["done"]
2
>>> table = sweepd.table(sweep="naps", rows="warmup", columns="phase", cell="n", frame=False)
>>> table.columns
['warmup', 'idle', 'step']
>>> table["step"]
[3, 3]

The functions of this module talk to the daemon of the default state folder and start it if it does not run.
`connect` chooses another folder, or a database file without any daemon; the client that it returns has the
same functions as methods.
"""

import inspect
from typing import Any, Callable, Optional

from .client import Client, connect
from .errors import Error, MistakeError, NotAllDoneError, NotFoundError, UnavailableError
from .submission import Submission
from .sweep import Sweep
from .table import Table

__version__ = "0.1.0"
__all__ = [
    "Client", "Error", "MistakeError", "NotAllDoneError", "NotFoundError", "Submission", "Sweep", "Table",
    "UnavailableError", "compare", "connect", "default_client", "plan", "report", "samples", "submit", "sweeps",
    "table", "workloads",
]

_default: Optional[Client] = None


def default_client() -> Client:
    """The client of the default state folder, made at the first call."""
    global _default
    if _default is None:
        _default = connect()
    return _default


def _of_default_client(method: Callable[..., Any]) -> Callable[..., Any]:
    """The function that calls this method of the default client."""
    name = method.__name__

    def function(*args: Any, **keywords: Any) -> Any:
        return getattr(default_client(), name)(*args, **keywords)

    function.__name__, function.__qualname__, function.__doc__ = name, name, method.__doc__
    signature = inspect.signature(method)
    parameters = list(signature.parameters.values())[1:]  # without self
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


table = _of_default_client(Client.table)
samples = _of_default_client(Client.samples)
report = _of_default_client(Client.report)
compare = _of_default_client(Client.compare)
sweeps = _of_default_client(Client.sweeps)
workloads = _of_default_client(Client.workloads)
plan = _of_default_client(Client.plan)
submit = _of_default_client(Client.submit)
