"""What `sweepctl compare` says about equal runs and about a slowdown of known size, with the repeats that `sweepctl noise`
recommends.

First `sweepctl noise` measures a workload and recommends a number of repeats. Then new processes are measured, in turns: a, the
same again, and one whose steps are made 5 % longer (`slowdown`). So many of each as that number form a comparison, and no two
comparisons of equal sides share a process. `sweepctl compare` at its defaults judges each, as it would for a user. Of a noisy workload
there are fewer comparisons, because each takes so many processes.
"""

import json
import sys
import time

from bench.tools import Daemon, percentile

SLOWDOWN = 0.05
COMPARISONS = 500  # of equal sides, and as many with a slowdown, of each workload
LIMIT_S = 1000  # a workload whose processes are too many or too long for this gets fewer comparisons
# A share so small that no time is spun: the same program under another name, so that the sides can be told apart.
EQUAL = 1e-9
MOST_REPEATS = 10000  # that a trial may have
# With the processes of the calibration; `noise` tries an eighth of them a side. A process is short, so that the two sides take turns
# often: the machine's other guests come and go within seconds.
MATMUL = ("matmul 256", "workload: matmul\nparams: {size: 256, warmup: 1, steps: 5, threads: 1}\n", 3000)


def first_row(text):
    table = json.loads(text)
    return dict(zip([column["name"] for column in table["columns"]], table["rows"][0]))


def submit(daemon, text):
    # Without --again, the calibration's processes would be the first repeats of a, and b would not have run in turns with them.
    done = daemon.run("submit", "-", "--again", "--wait", text=text)
    if done.returncode not in (0, 4):
        raise RuntimeError(done.stderr)


def recommended(daemon, text, processes):
    """The repeats that `sweepctl noise` recommends after measuring, or None, and its whole row."""
    row = first_row(daemon.ctl("noise", "-", "--processes", str(processes), "--format", "json", text="sweep: calibration\n" + text))
    print(f"noise: {row}", file=sys.stderr)
    return None if str(row["repeats"]).startswith(">") else int(row["repeats"]), row


def verdict(daemon, sweep, b, repeats):
    """What `compare` calls b against a, and the ratio."""
    row = first_row(daemon.ctl("compare", sweep, "--by", f"slowdown=0,{b:g}", "--format", "json",
                               "--where", "repeat=" + ",".join(map(str, repeats))))
    return row["verdict"], row["ratio"]


def compare_in_turns(daemon, text, a_side, pairs):
    """Measures that many pairs of equal sides and of a slowed one, and returns what `compare` says of each."""
    equal, slowed = [], []
    for first in range(0, pairs, MOST_REPEATS // a_side):
        count = min(pairs - first, MOST_REPEATS // a_side)
        sweep = f"pairs-{first}"
        # Both b's are neighbours of a. A seed of its own, so that no two sweeps share a trial.
        submit(daemon, f"sweep: {sweep}\nmatrix: {{slowdown: [{EQUAL:g}, 0, {SLOWDOWN:g}]}}\n"
               + text.replace("params: {", f"params: {{repeats: {a_side * count}, seed: {first}, "))
        windows = [range(begin, begin + a_side) for begin in range(0, a_side * count, a_side)]
        equal += [verdict(daemon, sweep, EQUAL, window) for window in windows]
        slowed += [verdict(daemon, sweep, SLOWDOWN, window) for window in windows]
    return equal, slowed


def measure(page, name, text, calibration, limit_s=LIMIT_S):
    with Daemon() as daemon:
        begin = time.monotonic()
        a_side, row = recommended(daemon, text, calibration)
        process_s = (time.monotonic() - begin) / calibration
        page.add(f"{name}: spread between processes", "%", [float(row["spread"])], f"of {calibration} processes, by `sweepctl noise`")
        if a_side is None:
            page.section(f"{name} is too noisy here", f"`sweepctl noise` recommends no number of repeats: with {row['repeats'].strip('>')} processes a side, "
                         f"{row['found']:.1f} % of its pairs showed a slowdown of {SLOWDOWN:.0%}, and {row['false alarms']:.1f} % of the equal ones were called "
                         "faster or slower. So nothing more was measured.")
            return
        pairs = max(1, min(COMPARISONS, int(limit_s / (3 * a_side * process_s))))
        begin = time.monotonic()
        equal, slowed = compare_in_turns(daemon, text, a_side, pairs)
        print(f"noise: {name}: {3 * a_side * pairs} processes in {time.monotonic() - begin:.0f} s", file=sys.stderr)
    differences = [100 * abs(float(ratio) - 1) for _, ratio in equal]
    alarms = sum(word in ("faster", "slower") for word, _ in equal)
    found = sum(word == "slower" for word, _ in slowed)
    how = f"{a_side} processes a side"
    print(f"noise: {name}: of {len(equal)} each, {alarms} false alarms, {found} slowdowns found, {how}", file=sys.stderr)
    page.add(f"{name}: equal sides called faster or slower", "%", [100 * alarms / len(equal)], f"{alarms} of {len(equal)} comparisons, {how}", at_most=1)
    page.add(f"{name}: slowdowns of {SLOWDOWN:.0%} called slower", "%", [100 * found / len(slowed)], f"{found} of {len(slowed)} comparisons, {how}", at_least=95)
    page.add(f"{name}: difference of equal sides, median", "%", [percentile(differences, 0.5)], "of abs(b / a - 1)")
    page.add(f"{name}: difference of equal sides, 95th percentile", "%", [percentile(differences, 0.95)], "of abs(b / a - 1)")


def run(page):
    measure(page, *MATMUL)
