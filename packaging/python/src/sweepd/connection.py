"""One connection to a daemon, or to a reader of a database file: JSON-RPC 2.0, one message a line
(docs/PROTOCOL.md)."""

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Union

from .errors import UnavailableError, error_from

MAX_LINE_BYTES = 4 << 20  # the daemon refuses more


def state_folder() -> Path:
    """The state folder as sweepctl finds it, without --state-dir."""
    if os.environ.get("SWEEPD_STATE_DIR"):
        return Path(os.environ["SWEEPD_STATE_DIR"])
    xdg = os.environ.get("XDG_STATE_HOME", "")
    base = Path(xdg) if xdg.startswith("/") else Path.home() / ".local/state"
    return base / "sweepd"


def program(name: str) -> str:
    """The path of `sweepctl` or `sweepd`: $SWEEPCTL, $SWEEPD, else that of this package if pip installed it with its
    programs, else the one in PATH; sweepd also beside sweepctl."""
    own = Path(__file__).parent / "programs/bin" / name
    chosen = os.environ.get(name.upper()) or (str(own) if own.exists() else shutil.which(name))
    if not chosen and name == "sweepd":
        beside = Path(program("sweepctl")).resolve().parent / name
        chosen = str(beside) if beside.exists() else None
    if not chosen:
        raise UnavailableError(f"no `{name}` in PATH; add its folder to PATH, or set {name.upper()} to its path")
    return chosen


class Connection:
    """Sends requests one at a time. Not for use by several threads at once."""

    def __init__(self, peer: socket.socket, reader: Optional["subprocess.Popen[bytes]"] = None) -> None:
        self._socket = peer
        self._reader = reader
        self._lines = peer.makefile("rb")
        self._next_id = 1

    @classmethod
    def to_daemon(cls, folder: Path, start: bool) -> "Connection":
        """Connects to the daemon of a state folder, and starts it if it does not run."""
        try:
            return cls(_connect(folder))
        except OSError as error:
            if not start:
                raise UnavailableError(f"no daemon listens on {folder / 'sweepd.sock'}: {error.strerror}") from None
        # sweepctl knows how: it waits for a daemon that starts or ends, and says why one does not start.
        started = subprocess.run([program("sweepctl"), "--state-dir", str(folder), "status"], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if started.returncode != 0:
            raise UnavailableError(started.stderr.decode(errors="replace").strip() or "the daemon did not start")
        try:
            return cls(_connect(folder))
        except OSError as error:
            raise UnavailableError(f"the daemon of {folder} was started, but does not listen: {error.strerror}") from None

    @classmethod
    def to_file(cls, database: Path) -> "Connection":
        """Starts a reader of a database file, which ends with the connection."""
        if not database.exists():
            raise UnavailableError(f"no database file `{database}`")
        ours, theirs = socket.socketpair()
        with theirs:
            reader = subprocess.Popen([program("sweepd"), "--read", str(database)], stdin=theirs.fileno(),
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return cls(ours, reader)

    def call(self, method: str, params: Dict[str, Any]) -> Dict[str, Any]:
        """The result of one request. Raises the daemon's error."""
        identity = self._next_id
        self._next_id += 1
        line = json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}).encode() + b"\n"
        if len(line) > MAX_LINE_BYTES:
            raise UnavailableError(f"the request `{method}` has {len(line)} bytes; the daemon takes at most {MAX_LINE_BYTES}")
        try:
            self._socket.sendall(line)
        except OSError:
            pass  # what the other side said before it closed is read below
        while True:
            message = self._read()
            # A daemon with too many clients refuses before it reads a request.
            refused = message.get("id") is None and "error" in message
            if message.get("id") == identity or refused:
                if "error" in message:
                    raise error_from(message["error"])
                result: Dict[str, Any] = message["result"]
                return result

    def notifications(self) -> Iterator[Dict[str, Any]]:
        """The `params` of each notification, for as long as they come."""
        while True:
            message = self._read()
            if "method" in message:
                yield message["params"]

    def close(self) -> None:
        self._lines.close()
        self._socket.close()
        if self._reader is not None:
            self._reader.wait()
            if self._reader.stderr is not None:
                self._reader.stderr.close()

    def _read(self) -> Dict[str, Any]:
        try:
            line = self._lines.readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise UnavailableError(self._why_closed())
        message: Dict[str, Any] = json.loads(line)
        return message

    def _why_closed(self) -> str:
        if self._reader is None:
            return "the daemon closed the connection; what was submitted is kept"
        assert self._reader.stderr is not None
        said = self._reader.stderr.read().decode(errors="replace").strip()
        return said or "the reader of the database file ended"


def _connect(folder: Path) -> socket.socket:
    """Connects by way of the folder's descriptor, since a socket's name has at most 107 bytes."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        peer.connect(f"/proc/self/fd/{descriptor}/sweepd.sock")
    except BaseException:
        peer.close()
        raise
    finally:
        os.close(descriptor)
    return peer


def database_in(path: Union[str, "os.PathLike[str]"]) -> Path:
    """The database file that a path means: itself, or that of a state folder."""
    given = Path(path)
    return given / "results.db" if given.is_dir() else given
