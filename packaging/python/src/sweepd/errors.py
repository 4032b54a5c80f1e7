"""What goes wrong, as exceptions. docs/PROTOCOL.md has the daemon's codes."""

import re
from typing import Any, Dict, List, Optional

# The daemon speaks of options of sweepctl. These are keywords here: of names, of values by name, and switches.
_NAMES = ("by", "columns", "metric", "phase", "pool", "reuse", "rows", "sweep", "unit")
_BY_NAME = ("baseline", "set", "where")
_OPTION = re.compile(rf"--({'|'.join((*_NAMES, *_BY_NAME, 'newest'))})\b(?: ([^\s,;:`()]+(?:,[^\s,;:`()]+)*))?")


class Error(Exception):
    """Base of all errors of this package. `code` is the daemon's, or None."""

    def __init__(self, message: str, code: Optional[int] = None) -> None:
        super().__init__(message.rstrip("\n"))
        self.code = code


class MistakeError(Error):
    """A request or a sweep file is wrong. `diagnostics` has each mistake of a file with `file`, `line`,
    `column`, `length`, `message` and `help`; it is empty if no file is to blame."""

    def __init__(self, message: str, code: Optional[int] = None, diagnostics: Optional[List[Dict[str, Any]]] = None) -> None:
        super().__init__(message, code)
        self.diagnostics = diagnostics or []


class NotFoundError(Error):
    """There is no such sweep, trial, attempt or workload."""


class UnavailableError(Error):
    """The daemon, or a program that it needs, is not there."""


class NotAllDoneError(Error):
    """Some attempts of a sweep ended otherwise than `done`. `problems` has them, as docs/PROTOCOL.md's
    "an attempt that ended"."""

    def __init__(self, message: str, problems: List[Dict[str, Any]]) -> None:
        super().__init__(message)
        self.problems = problems


def in_python(message: str) -> str:
    """The message with the keywords of this package where the daemon names options and commands of sweepctl.

    >>> in_python("add --columns pass or --where pass=timing, or say --pool all; `--newest` shows more")
    'add columns="pass" or where={"pass": "timing"}, or say pool="all"; `newest=True` shows more'
    >>> in_python("add --rows model,batch; name a sweep with --sweep; `sweepctl workloads noop` lists them")
    'add rows=["model", "batch"]; name a sweep with sweep=...; `sweepd.workloads("noop")` lists them'
    """
    message = re.sub(r"sweepctl workloads (\w+)", r'sweepd.workloads("\1")', message)
    message = message.replace("sweepctl submit FILE", "sweepd.submit(FILE)")
    return _OPTION.sub(_keyword, message)


def _keyword(option: "re.Match[str]") -> str:
    name, value = option[1], option[2]
    if name == "newest":
        return "newest=True" + (f" {value}" if value else "")
    if value is None:
        return name if option.string.startswith(":", option.end()) else f"{name}=..."
    if name in _BY_NAME:
        of, _, wanted = value.partition("=")
        return f'{name}={{"{of}": {_listed(wanted) if wanted else "..."}}}'
    return f'{name}="{value}"' if name == "by" else f"{name}={_listed(value)}"


def _listed(value: str) -> str:
    parts = [f'"{part}"' for part in value.split(",")]
    return parts[0] if len(parts) == 1 else f"[{', '.join(parts)}]"


def error_from(reply: Dict[str, Any]) -> Error:
    """The exception for the `error` of a reply."""
    code = int(reply.get("code", 0))
    message = in_python(str(reply.get("message", "the daemon sent an error without a message")))
    if code in (-32600, -32601, -32602, -32700):
        return MistakeError(message, code, (reply.get("data") or {}).get("diagnostics"))
    kinds = {-32001: NotFoundError, -32005: UnavailableError}
    return kinds.get(code, Error)(message, code)
