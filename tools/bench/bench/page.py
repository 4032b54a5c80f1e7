"""The table of one benchmark, and docs/results/cpu/NAME.md around it."""

import datetime
import os
import platform
import subprocess
from pathlib import Path

from bench.tools import BIN, REPO, median, percentile


def shown(value):
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}" if abs(value) >= 0.001 or value == 0 else f"{value:.2g}"


def first_line(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or ["unknown"])[0]


def field(path, key):
    for line in Path(path).read_text().splitlines():
        if line.startswith(key):
            return line.split(":", 1)[1].strip()
    return "unknown"


class Page:
    def __init__(self, name, title):
        self.name = name
        self.title = title
        self.rows = []
        self.sections = []
        self.load = [os.getloadavg()[0]]

    def add(self, name, unit, values, how, at_most=None, at_least=None):
        """A row: `values` are repeats of one figure; its limit, in the same unit, is one of the last two."""
        self.load.append(os.getloadavg()[0])
        self.rows.append((name, unit, list(values), how, at_most, at_least))

    def section(self, title, text):
        self.sections.append((title, text))

    def table(self):
        lines = ["| name | measured | spread | limit | met | n | how |", "|---|---:|---:|---:|---|---:|---|"]
        for name, unit, values, how, at_most, at_least in self.rows:
            spread = f"{shown(percentile(values, 0.05))} to {shown(percentile(values, 0.95))}" if len(values) > 1 else ""
            limit, met = "", ""
            if at_most is not None:
                limit, met = f"≤ {shown(at_most)} {unit}", median(values) <= at_most
            if at_least is not None:
                limit, met = f"≥ {shown(at_least)} {unit}", median(values) >= at_least
            met = {"": "", True: "yes", False: "**no**"}[met]
            lines.append(f"| {name} | {shown(median(values))} {unit} | {spread} | {limit} | {met} | {len(values)} | {how} |")
        sections = [f"\n## {title}\n\n{text}" for title, text in self.sections]
        return "\n".join(lines + sections)

    def machine(self):
        memory = int(field("/proc/meminfo", "MemTotal").split()[0]) / 2**20
        commit = first_line(["git", "-C", REPO, "rev-parse", "--short=12", "HEAD"])
        dirty = subprocess.run(["git", "-C", REPO, "diff", "--quiet", "HEAD"], check=False).returncode != 0
        return [
            ("CPU", f"{field('/proc/cpuinfo', 'model name')}, {len(os.sched_getaffinity(0))} cores"),
            ("memory", f"{memory:.1f} GiB"),
            ("system", f"{platform.freedesktop_os_release().get('PRETTY_NAME', platform.system())}, Linux {platform.release()}"),
            ("sweepd", f"{first_line([BIN / 'sweepd', '--version'])}; sources at {commit}{' with changes' if dirty else ''}"),
            ("compiler", first_line(["c++", "--version"])),
            ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
            ("load of the machine", f"{min(self.load):.1f} to {max(self.load):.1f} (1-minute average, before and during the run)"),
        ]

    def write(self, path, command=None):
        command = command or f"tools/bench/run --write {self.name}"
        about = "\n".join(f"| {key} | {value} |" for key, value in self.machine())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"""# {self.title}

Written by `{command}`; the limits are the project's own.

| | |
|---|---|
{about}

{self.table()}
""")
        print(f"written: {path}")
