"""The client: every question to the daemon, in Python's types."""

import os
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from .connection import Connection, database_in, state_folder
from .submission import Submission
from .sweep import Sweep, text_of
from .table import Table, as_frame

PathText = Union[str, "os.PathLike[str]"]
Names = Union[str, Sequence[str]]
Source = Union[PathText, Sweep, Mapping[str, Any], Sequence[Union[Sweep, Mapping[str, Any]]]]

# As sweepctl: what decides which programs are found. A file's own names are added.
_VARIABLES = ("PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "PYTHONPATH")


def connect(state_dir: Optional[PathText] = None, database: Optional[PathText] = None, start: bool = True) -> "Client":
    """A client of the daemon of a state folder, which it starts unless `start` is False; or, with `database`, of a
    database file (or the one in a state folder), without any daemon. The connection is made at the first question.
    """
    if state_dir is not None and database is not None:
        raise ValueError("state_dir and database exclude each other: expected one of them")
    return Client(Path(state_dir) if state_dir is not None else None,
                  database_in(database) if database is not None else None, start)


class Client:
    """Asks one daemon, or one database file. `connect` makes it."""

    def __init__(self, folder: Optional[Path], database: Optional[Path], start: bool) -> None:
        self._open: Optional[Connection] = None
        self._folder, self._database, self._start = folder, database, start

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. The next question makes another."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def another(self) -> "Client":
        """A client with a connection of its own."""
        return Client(self._folder, self._database, self._start)

    def call(self, method: str, **params: Any) -> Dict[str, Any]:
        """One request of docs/PROTOCOL.md; parameters that are None are left out."""
        if self._open is None:
            self._open = (Connection.to_file(self._database) if self._database is not None
                          else Connection.to_daemon(self._folder or state_folder(), self._start))
        try:
            return self._open.call(method, {name: value for name, value in params.items() if value is not None})
        except BaseException as error:
            # After an interrupt or a closed connection the rest of a reply may still come, so it is not used again.
            if getattr(error, "code", None) is None:
                self.close()
            raise

    def table(self, workload: Optional[str] = None, *, sweep: Optional[str] = None, rows: Names = (), columns: Names = (),
              cell: str = "{mean}", where: Optional[Mapping[str, Any]] = None, metric: Optional[str] = None,
              unit: Optional[str] = None, baseline: Optional[Mapping[str, Any]] = None, pool: Names = (),
              with_: Names = (), frame: Optional[bool] = None, **more: Any) -> Any:
        """A table of results, as `sweepctl query` makes it; figures are unrounded.

        `cell` is a figure (`median`) or a template (`{median:.1f}`). `where` is a value or several by name. A cell that
        would pool over a parameter that is neither named nor fixed raises MistakeError, unless `pool` has it. `with_` adds
        columns behind each figure's: `n`, `attempts`, `verdict`, `outcome`, `attempt`. Other keywords are members of a query (docs/PROTOCOL.md). Returns a DataFrame whose `attrs` have units and notes, or a
        Table (see `Table`) without pandas or if `frame` is False.

        >>> table = sweepd.table("noop", sweep="naps", rows=["warmup"], where={"phase": "step"}, cell="n", frame=False)
        >>> [row["warmup"] for row in table]
        [0, 1]
        """
        reply = self.call(
            "query", workload=workload, sweep=sweep, rows=_names(rows), columns=_names(columns),
            cell=cell if "{" in cell else "{" + cell + "}", where=_filters(where), metric=metric, unit=unit,
            baseline={name: _text(value) for name, value in (baseline or {}).items()} or None,
            pool="all" if pool == "all" else _names(pool) or None, **{"with": _names(with_) or None}, **more)
        return self.framed(Table.from_reply(reply["table"]), frame)

    def samples(self, workload: Optional[str] = None, *, sweep: Optional[str] = None, metric: str = "time",
                where: Optional[Mapping[str, Any]] = None, ranks: bool = False, warmup: bool = False,
                frame: Optional[bool] = None) -> Any:
        """Every measured value, one a row: the parameters that vary, `repeat`, `step`, `phase`, and the value, in a
        column with the name of the metric. With `ranks` each rank has rows of its own; without it, a row has the
        slowest rank's. With `warmup` the steps of warm-up are there too.

        >>> samples = sweepd.samples(sweep="naps", where={"warmup": 1, "phase": "step"}, frame=False)
        >>> [(row["step"], row["phase"], row["time"] > 0.9) for row in samples]
        [(1, 'step', True), (2, 'step', True), (3, 'step', True)]
        >>> samples.units
        {'time': 'ms'}
        """
        name = workload or self._workload_of(sweep)
        params = [each["name"] for each in self.workloads(name)[0]["params"] if each["role"] != "scheduling"]
        question = {"workload": workload, "sweep": sweep, "metric": metric, "where": _filters(where)}
        reply = self.call("query", rows=params, cell="{n}", only_varying=True, **question)
        varying = [column["name"] for column in reply["table"]["columns"] if column["name"] in params]
        rows = varying + ["repeat"] + ["rank"] * ranks + ["step", "phase"]
        reply = self.call("query", rows=rows, cell="{mean}", warmup=warmup, **question)
        return self.framed(Table.from_reply(reply["table"]), frame)

    def report(self, sweep: Optional[str] = None, frame: Optional[bool] = None, newest: bool = False) -> List[Any]:
        """The tables that a sweep declares; of the latest sweep without a name. With `newest`, of each point the newest
        result, whichever sweep measured it, instead of the sweep's own.
        """
        reply = self.call("report", sweep=sweep, newest=newest or None)
        return [self.framed(Table.from_reply(table), frame) for table in reply["tables"]]

    def compare(self, a: str, b: Optional[str] = None, *, by: Optional[str] = None,
                where: Optional[Mapping[str, Any]] = None, frame: Optional[bool] = None, **more: Any) -> Any:
        """Which of two sweeps is faster, or of two values of a parameter (`by="precision=fp32,bf16"`), and how sure that
        is: a row for each point (docs/COMPARING.md). Other keywords are `metric`, `phase`, `tolerance`, `confidence`, and
        `kernels=True` for the kernels of profiles (docs/WHY_SLOW.md).
        """
        chosen = [f"{name}={','.join(values)}" for name, values in (_filters(where) or {}).items()]
        reply = self.call("compare", a=a, b=b, by=by, where=chosen or None, **more)
        return self.framed(Table.from_reply(reply["table"]), frame)

    def sweeps(self, limit: int = 50) -> List[Dict[str, Any]]:
        """The sweeps, newest first; 0 is all of them."""
        found: List[Dict[str, Any]] = self.call("list", limit=limit)["sweeps"]
        return found

    def workloads(self, workload: Optional[str] = None) -> List[Dict[str, Any]]:
        """What can be measured, with parameters, phases and passes."""
        found: List[Dict[str, Any]] = self.call("workloads", workload=workload)["workloads"]
        return found

    def plan(self, source: Source, *, set: Optional[Mapping[str, Any]] = None) -> List[Dict[str, Any]]:
        """What `submit` would run, without running it: one plan for each sweep (docs/PROTOCOL.md, "a plan")."""
        found: List[Dict[str, Any]] = self.call("plan", **_request(source, set))["sweeps"]
        return found

    def submit(self, source: Source, *, set: Optional[Mapping[str, Any]] = None, reuse: str = "same",
               notify: Optional[str] = None) -> Submission:
        """Queues sweeps: those of a file, of a Sweep or several, of dictionaries with the keys of a sweep file, or of
        YAML (a text with a line break). `set` replaces parameters and axes, as --set. `reuse` says which earlier results
        count: `same` (of the same code on this machine as it is now), `any` or `none`. `notify` is a command that the
        daemon runs with /bin/sh once a sweep has ended, as --notify.

        >>> sweepd.submit("sweep: [no]\\nworkload: noop\\n")
        Traceback (most recent call last):
        ...
        sweepd.errors.MistakeError: <python>:1:8: error: sweep: expected a single value, not a list
        ...
        """
        reply = self.call("submit", reuse=reuse, notify=notify, **_request(source, set))
        return Submission(self, reply["sweeps"])

    def watch(self, sweep: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """The progress of a sweep (docs/PROTOCOL.md, `progress`) until it is over."""
        self.call("watch", sweep=sweep)
        assert self._open is not None
        for news in self._open.notifications():
            yield news
            if news["over"]:
                return

    def framed(self, table: Table, frame: Optional[bool]) -> Any:
        return as_frame(table, frame)

    def _workload_of(self, sweep: Optional[str]) -> str:
        workload: str = self.call("show", what=sweep, limit=1)["sweep"]["workload"]
        return workload


def _names(names: Names) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _filters(where: Optional[Mapping[str, Any]]) -> Optional[Dict[str, List[str]]]:
    """`{"model": "small", "context": [128, 256]}` as lists of texts."""
    if not where:
        return None
    return {name: [_text(each) for each in ([value] if isinstance(value, str) or not hasattr(value, "__iter__") else value)]
            for name, value in where.items()}


def _request(source: Source, changes: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """`text`, `file`, `set`, `folder` and `environment` of a sweep file."""
    file, folder = "<python>", os.getcwd()
    if isinstance(source, Sweep):
        text = source.text
    elif isinstance(source, Mapping):
        text = text_of(source)
    elif isinstance(source, str) and "\n" in source:
        text = source
    elif isinstance(source, (str, os.PathLike)):
        path = Path(source)
        text, file, folder = path.read_text(encoding="utf-8"), str(path), str(path.absolute().parent)
    else:
        text = "---\n".join(each.text if isinstance(each, Sweep) else text_of(each) for each in source)
    changed = [f"{name}={','.join(values)}" for name, values in (_filters(changes) or {}).items()]
    words = set(re.findall(r"[A-Za-z0-9_]+", text)) | set(_VARIABLES)
    environment = [f"{name}={value}" for name, value in os.environ.items() if name in words]
    return {"text": text, "file": file, "set": changed, "folder": folder, "environment": environment}
