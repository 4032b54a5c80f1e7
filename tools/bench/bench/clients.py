"""What a client waits for, and what clients that do nothing cost."""

import socket
import time

from bench.tools import BIN, Daemon, median, timed

ROUNDS = 10
CALLS = 10
IDLE_CLIENTS = 100
WINDOW_S = 5


def connect(daemon, count):
    clients = []
    for _ in range(count):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(daemon.state / "sweepd.sock"))
        clients.append(client)
    return clients


def cpu_while_idle(daemon):
    begin = daemon.cpu_ns()
    time.sleep(WINDOW_S)
    return (daemon.cpu_ns() - begin) / (WINDOW_S * 1e9) * 100


def run(page):
    command = [BIN / "sweepctl", "status"]
    with Daemon() as daemon:
        for _ in range(5):
            timed(command, env=daemon.environment)
        alone, crowded = [], []
        for _ in range(ROUNDS):
            alone += [timed(command, env=daemon.environment) for _ in range(CALLS)]
            clients = connect(daemon, IDLE_CLIENTS)
            crowded += [timed(command, env=daemon.environment) for _ in range(CALLS)]
            for client in clients:
                client.close()
        idle = cpu_while_idle(daemon)
        clients = connect(daemon, IDLE_CLIENTS)
        time.sleep(0.2)
        with_clients = cpu_while_idle(daemon)
        for client in clients:
            client.close()
    page.add("`sweepctl status`", "ms", [s * 1e3 for s in alone], "wall time of the process, its start included", 20)
    page.add(f"the same with {IDLE_CLIENTS} idle clients, ratio", "ratio", [median(crowded) / median(alone)],
             f"medians of {len(alone)} each, in turns of {CALLS}", 1.1)
    page.add("daemon's CPU with nobody connected", "%", [idle], f"of one core, over {WINDOW_S} s")
    page.add(f"daemon's CPU with {IDLE_CLIENTS} idle clients", "%", [with_clients], f"of one core, over {WINDOW_S} s", 0.1)
