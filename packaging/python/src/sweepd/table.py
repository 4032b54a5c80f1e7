"""Tables as the daemon makes them, as plain Python or as pandas DataFrames."""

import importlib
from typing import Any, Dict, Iterator, List, Optional, Union

Value = Union[None, bool, int, float, str]


class Table:
    """A table without pandas: rows of values by column, and what the daemon says about them.

    `table[i]` is a row as a dictionary, `table["name"]` a column as a list. A figure that is missing, as of
    a point that ran out of memory, is None; `text(i, name)` is what a printed table shows there, such as
    `OOM`. `units` has the unit of each column that has one, `notes` the sentences below the table, and
    `warnings` those of them that one must know before using the figures.

    >>> table = Table.from_reply({"title": "", "notes": [], "columns": [
    ...     {"name": "model", "unit": "", "align": "left"}, {"name": "step", "unit": "ms", "align": "right"}],
    ...     "rows": [[{"text": "small"}, {"text": "1.50", "number": 1.5}], [{"text": "2.7B"}, {"text": "OOM"}]]})
    >>> table["step"], table.text(1, "step"), table.units
    ([1.5, None], 'OOM', {'step': 'ms'})
    >>> table[0]
    {'model': 'small', 'step': 1.5}
    """

    def __init__(self, title: str, columns: List[str], units: Dict[str, str], rows: List[List[Value]],
                 texts: List[List[str]], notes: List[str], warnings: List[str]) -> None:
        self.title, self.columns, self.units = title, columns, units
        self.notes, self.warnings = notes, warnings
        self._rows, self._texts = rows, texts

    @classmethod
    def from_reply(cls, reply: Dict[str, Any]) -> "Table":
        """From `table` of docs/PROTOCOL.md."""
        columns = _unlike([column["name"] for column in reply["columns"]])
        units = {name: column["unit"] for name, column in zip(columns, reply["columns"]) if column["unit"]}
        cells = reply["rows"]
        numeric = [column["align"] == "right" and any("number" in row[i] for row in cells)
                   for i, column in enumerate(reply["columns"])]
        rows = [[_value(cell, numeric[i]) for i, cell in enumerate(row)] for row in cells]
        notes = list(reply.get("notes", []))
        count = reply.get("warnings", 0)
        return cls(reply.get("title", ""), columns, units, rows, [[cell["text"] for cell in row] for row in cells],
                   notes, notes[len(notes) - count:])

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Dict[str, Value]]:
        return (dict(zip(self.columns, row)) for row in self._rows)

    def __getitem__(self, key: Union[int, str]) -> Any:
        if isinstance(key, str):
            at = self._index(key)
            return [row[at] for row in self._rows]
        return dict(zip(self.columns, self._rows[key]))

    def text(self, row: int, column: str) -> str:
        """What a printed table shows there."""
        return self._texts[row][self._index(column)]

    def __str__(self) -> str:
        heads = [f"{name} ({self.units[name]})" if name in self.units else name for name in self.columns]
        widths = [max(map(len, column)) for column in zip(heads, *self._texts)]
        lines = [f"**{self.title}**", ""] if self.title else []
        lines += ["| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |"
                  for row in [heads, ["-" * width for width in widths], *self._texts]]
        lines += [""] * bool(self.notes) + [f"- {note}" for note in self.notes]
        return "\n".join(lines)

    __repr__ = __str__

    def to_pandas(self) -> Any:
        """A DataFrame; `attrs` has `title`, `units`, `notes` and `warnings`."""
        pandas = importlib.import_module("pandas")
        frame = pandas.DataFrame({name: self[name] for name in self.columns}, columns=self.columns)
        frame.attrs.update(title=self.title, units=self.units, notes=self.notes, warnings=self.warnings)
        return frame

    def _index(self, column: str) -> int:
        if column not in self.columns:
            raise KeyError(f"no column `{column}`; there are {', '.join(self.columns)}")
        return self.columns.index(column)


def as_frame(table: Table, frame: Optional[bool]) -> Any:
    """A DataFrame if `frame`, a Table if it is False; None is a DataFrame where pandas is installed."""
    if frame is False:
        return table
    try:
        return table.to_pandas()
    except ModuleNotFoundError:
        if frame:
            raise
        return table


def _value(cell: Dict[str, Any], numeric: bool) -> Value:
    number, text = cell.get("number"), cell["text"]
    if number is None:
        return None if numeric or not text else text
    return int(number) if number == int(number) and text.lstrip("-").isdigit() else number


def _unlike(names: List[str]) -> List[str]:
    """The names, with `.1`, `.2` ... behind those that occur again, as pandas reads such files."""
    seen: Dict[str, int] = {}
    out = []
    for name in names:
        count = seen.get(name, 0)
        seen[name] = count + 1
        out.append(f"{name}.{count}" if count else name)
    return out
