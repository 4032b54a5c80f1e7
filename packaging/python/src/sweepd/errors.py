"""What goes wrong, as exceptions. docs/PROTOCOL.md has the daemon's codes."""

from typing import Any, Dict, List, Optional


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


def error_from(reply: Dict[str, Any]) -> Error:
    """The exception for the `error` of a reply."""
    code = int(reply.get("code", 0))
    message = str(reply.get("message", "the daemon sent an error without a message"))
    if code in (-32600, -32601, -32602, -32700):
        return MistakeError(message, code, (reply.get("data") or {}).get("diagnostics"))
    kinds = {-32001: NotFoundError, -32005: UnavailableError}
    return kinds.get(code, Error)(message, code)
