"""Sweeps written in Python. `text` is the same YAML that a file would have (schemas/sweep.md)."""

import json
from typing import Any, Dict, List, Mapping, Optional, Union


class Sweep:
    """One sweep, of a workload or of a program. Keywords are the keys of a sweep file.

    >>> sweep = Sweep("sizes", "matmul", params={"steps": 10}, matrix={"size": [256, 512], "precision": ["fp32", "bf16"]})
    >>> sweep.table("Time", rows=["size"], columns=["precision"], cell="{median:.2f}", unit="ms")
    Sweep('sizes')
    >>> print(sweep.text, end="")
    sweep: "sizes"
    workload: "matmul"
    params: {"steps": 10}
    matrix: {"size": [256, 512], "precision": ["fp32", "bf16"]}
    tables:
      - {"title": "Time", "rows": ["size"], "columns": ["precision"], "cell": "{median:.2f}", "unit": "ms"}
    >>> own = Sweep("own", program="mm", parameters={"size": 256}, params={"argv": "mm.py", "args": "auto"})
    >>> print(own.text.splitlines()[1])
    program: "mm"
    """

    def __init__(self, name: str, workload: Optional[str] = None, *, program: Union[None, str, Mapping[str, Any]] = None,
                 params: Optional[Mapping[str, Any]] = None, matrix: Optional[Mapping[str, Any]] = None,
                 **keys: Any) -> None:
        if (workload is None) == (program is None):
            found = "neither" if workload is None else f"workload={workload!r} and program={program!r}"
            raise ValueError(f"Sweep({name!r}): expected either a workload or a program, not {found}")
        self.keys: Dict[str, Any] = {"sweep": name}
        if program is None:
            self.keys["workload"] = workload
        else:
            self.keys["program"] = program
        if params:
            self.keys["params"] = dict(params)
        if matrix:
            self.keys["matrix"] = dict(matrix)
        self.keys.update(keys)

    def table(self, title: str, **keys: Any) -> "Sweep":
        """Adds a table. Keywords are its keys."""
        self.keys.setdefault("tables", []).append({"title": title, **keys})
        return self

    def plot(self, title: str, **keys: Any) -> "Sweep":
        """Adds a plot. Keywords are its keys."""
        self.keys.setdefault("plots", []).append({"title": title, **keys})
        return self

    @property
    def text(self) -> str:
        """The sweep as YAML. JSON is YAML too, so each value is written as JSON."""
        return text_of(self.keys)

    def __repr__(self) -> str:
        return f"Sweep({self.keys['sweep']!r})"


def text_of(keys: Mapping[str, Any]) -> str:
    """One document of a sweep file."""
    lines: List[str] = []
    for key, value in keys.items():
        if isinstance(value, (list, tuple)) and value and all(isinstance(each, Mapping) for each in value):
            lines.append(f"{key}:")
            lines += [f"  - {_json(each)}" for each in value]
        else:
            lines.append(f"{key}: {_json(value)}")
    return "\n".join(lines) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """What json does not know: ranges, sets, numpy's numbers and arrays."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (range, set, frozenset)):
        return list(value)
    return str(value)
