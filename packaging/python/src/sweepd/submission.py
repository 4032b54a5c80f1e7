"""What was submitted: waiting for it, and its results."""

import importlib
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from .errors import NotAllDoneError

if TYPE_CHECKING:
    from .client import Client


class Submission:
    """The sweeps of one `submit`. `sweeps` has what the daemon said of each: `id`, `name`, `trials`, `queued`,
    `reused`, `joined` (docs/PROTOCOL.md, "a submitted sweep"). After `wait`, `counts` says how many attempts ended
    how, and `problems` has those that are not `done`."""

    def __init__(self, client: "Client", sweeps: List[Dict[str, Any]]) -> None:
        self._client = client
        self.sweeps = sweeps
        self.counts: Dict[str, int] = {}
        self.problems: List[Dict[str, Any]] = []

    @property
    def ids(self) -> List[str]:
        return [sweep["id"] for sweep in self.sweeps]

    def wait(self, progress: Optional[bool] = None, check: bool = False) -> "Submission":
        """Waits until every attempt has ended. Ctrl-C ends the waiting alone: the sweeps go on.

        `progress` shows a bar of tqdm; None does so in a notebook or a terminal if tqdm is installed. With `check`,
        attempts that ended otherwise than `done` raise NotAllDoneError.
        """
        counts: Dict[str, int] = {}
        self.problems = []
        for sweep in self.sweeps:
            for name, number in self._wait_for(sweep, progress).items():
                counts[name] = counts.get(name, 0) + number
        self.counts = counts
        bad = counts.get("ended", 0) - counts.get("done", 0)
        if check and bad:
            shown = "; ".join(f"{each['label'] or 'the only trial'}: {each['outcome']} ({each['detail']})"
                              for each in self.problems[:3])
            raise NotAllDoneError(f"{bad} of {counts['total']} attempts are not done: {shown}", self.problems)
        return self

    def _wait_for(self, sweep: Dict[str, Any], progress: Optional[bool]) -> Dict[str, int]:
        bar = _bar(sweep["name"], progress)
        try:
            with self._client.another() as client:
                for news in client.watch(sweep["id"]):
                    self.problems += [each for each in news["ended"] if each["outcome"] != "done"]
                    if bar is not None:
                        bar.total, bar.n = news["counts"]["total"], news["counts"]["ended"]
                        bar.refresh()
                    if news["over"]:
                        counts: Dict[str, int] = news["counts"]
                        return counts
        finally:
            if bar is not None:
                bar.close()
        raise AssertionError("a watched sweep ends")

    def tables(self, frame: Optional[bool] = None) -> List[Any]:
        """The tables that the sweeps declare, in the order of the file."""
        return [table for each in self.ids for table in self._client.report(each, frame=frame)]

    def table(self, title: str, frame: Optional[bool] = None) -> Any:
        """The declared table of this title, or whose title begins so."""
        titles = []
        for each in self.ids:
            for table in self._client.report(each, frame=False):
                titles.append(table.title)
                if table.title.lower().startswith(title.lower()):
                    return self._client.framed(table, frame)
        raise KeyError(f"no table `{title}`; there are {', '.join(f'`{each}`' for each in titles) or 'none'}")

    def samples(self, **keywords: Any) -> Any:
        """As `Client.samples`, of this sweep."""
        if len(self.sweeps) != 1:
            raise ValueError(f"{len(self.sweeps)} sweeps were submitted; name one: samples(sweep=run.ids[0])")
        return self._client.samples(sweep=self.ids[0], **keywords)

    def __repr__(self) -> str:
        said = ", ".join(f"{each['name']}: {each['trials']} trials, {each['queued']} attempts to run"
                         + (f", {each['reused']} reused" if each.get("reused") else "") for each in self.sweeps)
        return f"<Submission {said}>"


def _bar(name: str, progress: Optional[bool]) -> Any:
    if progress is False:
        return None
    notebook = "ipykernel" in sys.modules
    if progress is None and not notebook and not sys.stderr.isatty():
        return None
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ModuleNotFoundError:
        if progress:
            raise
        return None
    return tqdm(desc=name, unit="attempt", leave=notebook)
