"""A crowd of clients that ask, watch and submit while a long queue runs: what they wait for, and what they cost."""

import asyncio
import json
import random
import time
from collections import defaultdict

PACE_S = 1.0       # a client's mean pause between two requests
SUBMIT_PACE_S = 5.0
LIMIT_S = 30       # an answer that comes later counts as none
LINE = 64 << 20    # bytes
DROPPED_S = 600    # within which a client that does not read must be cut off


def sweep(name, first, count, priority=0):
    seeds = ", ".join(map(str, range(first, first + count)))
    return f"sweep: {name}\nworkload: noop\nparams: {{warmup: 1, steps: 1, priority: {priority}}}\nmatrix: {{seed: [{seeds}]}}\n"


class Connection:
    def __init__(self, state):
        self.path, self.number = str(state / "sweepd.sock"), 0

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_unix_connection(self.path, limit=LINE)
        return self

    async def __aexit__(self, *_):
        self.writer.close()

    async def send(self, method, **params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.writer.write(json.dumps(message).encode() + b"\n")
        await self.writer.drain()

    async def message(self):
        line = await self.reader.readline()
        if not line:
            raise ConnectionError("the daemon hung up")
        return json.loads(line)

    async def ask(self, method, **params):
        await self.send(method, **params)
        while "id" not in (answer := await self.message()):
            pass  # a notification of `watch`
        return answer


class Crowd:
    """Six of ten ask, three watch and one submits. Besides them, one keeps the queue long and one never reads."""

    def __init__(self, daemon, clients, queue, seed=1):
        self.daemon, self.clients, self.queue = daemon, clients, queue
        self.random = random.Random(seed)
        self.over = False
        self.took_s = defaultdict(list)  # by method
        self.unanswered = []             # what came instead of a result
        self.watched = self.notes = 0    # sweeps that a client watched to their end; what it was sent meanwhile
        self.dropped_after_s = None      # the client that does not read
        self.late_s = []                 # how late this program itself was
        self.feed = max(10, queue // 10)  # trials of a sweep that keeps the queue long
        self.fed = 0                     # how many of these there are
        self.oldest = 0                  # the first of them that has not ended

    # Each of these is one client.

    async def asked(self, connection, method, **params):
        begin = time.perf_counter()
        try:
            answer = await asyncio.wait_for(connection.ask(method, **params), LIMIT_S)
        except asyncio.TimeoutError:
            self.unanswered.append(f"{method}: no answer within {LIMIT_S} s")
            raise
        self.took_s[method].append(time.perf_counter() - begin)
        if "result" not in answer:
            self.unanswered.append(f"{method}: {answer.get('error')}")
        return answer.get("result")

    async def asker(self):
        async with Connection(self.daemon.state) as connection:
            while not self.over:
                await self.pause(PACE_S)
                name = f"feed{self.random.randrange(self.fed)}"
                method, params = self.random.choice([
                    ("query", {"sweep": name, "rows": ["steps"], "columns": ["phase"], "pool": ["seed"]}),
                    ("query", {"sweep": name, "rows": ["steps"], "columns": ["phase"], "pool": ["seed"]}),
                    ("list", {}), ("show", {"what": name}), ("status", {})])
                await self.asked(connection, method, **params)

    async def watcher(self):
        while not self.over:
            async with Connection(self.daemon.state) as connection:
                number = self.oldest
                if await self.asked(connection, "watch", sweep=f"feed{number}") is None:
                    return
                while not self.over:
                    note = await asyncio.wait_for(connection.message(), LIMIT_S)
                    self.notes += 1
                    if note["params"].get("over"):
                        self.watched += 1
                        self.oldest = max(self.oldest, number + 1)
                        break

    async def submitter(self, number):
        first = (number + 1) * 10**9
        async with Connection(self.daemon.state) as connection:
            while not self.over:
                await self.pause(SUBMIT_PACE_S)
                await self.asked(connection, "submit", text=sweep(f"small{number}", first, 5, priority=1))
                first += 5

    async def feeder(self):
        async with Connection(self.daemon.state) as connection:
            while not self.over:
                status = await connection.ask("status")
                if status["result"]["queued"] >= self.queue:
                    await asyncio.sleep(0.2)
                    continue
                await connection.ask("submit", text=sweep(f"feed{self.fed}", self.fed * self.feed, self.feed))
                self.fed += 1

    async def stalled(self):
        """Asks for long answers and reads none of them."""
        async with Connection(self.daemon.state) as connection:
            begin = time.perf_counter()
            connection.writer.transport.pause_reading()
            try:
                while time.perf_counter() - begin < DROPPED_S:
                    await asyncio.wait_for(connection.send("workloads"), DROPPED_S)
            except asyncio.TimeoutError:
                pass
            except OSError:
                self.dropped_after_s = time.perf_counter() - begin

    async def clock(self):
        while not self.over:
            begin = time.perf_counter()
            await asyncio.sleep(0.02)
            self.late_s.append(time.perf_counter() - begin - 0.02)

    async def pause(self, mean_s):
        await asyncio.sleep(self.random.uniform(0, 2 * mean_s))

    async def guarded(self, client):
        try:
            await client
        except (OSError, asyncio.TimeoutError) as why:
            self.unanswered.append(f"a client was cut off: {why!r}")

    async def crowd(self, seconds):
        self.over = False
        begin_ns = time.time_ns()
        submitters = max(1, self.clients // 10)
        watchers = max(1, self.clients * 3 // 10)
        clients = [self.submitter(i) for i in range(submitters)] + [self.watcher() for _ in range(watchers)]
        clients += [self.asker() for _ in range(self.clients - len(clients))]
        tasks = [asyncio.create_task(self.guarded(client)) for client in [*clients, self.clock(), self.feeder()]]
        stalled = asyncio.create_task(self.guarded(self.stalled()))
        await asyncio.sleep(seconds)
        # On a busy machine a few seconds may be too short for any sweep to end.
        while not self.watched and time.time_ns() - begin_ns < (seconds + LIMIT_S) * 1e9:
            await asyncio.sleep(0.1)
        self.over = True
        await asyncio.gather(*tasks)
        end_ns = time.time_ns()
        await stalled
        return begin_ns, end_ns

    async def nobody(self, seconds):
        """Only the queue is kept long; the time begins once it is."""
        self.over = False
        feeder = asyncio.create_task(self.feeder())
        async with Connection(self.daemon.state) as connection:
            while (await connection.ask("status"))["result"]["queued"] < self.queue:
                await asyncio.sleep(0.05)
        begin_ns = time.time_ns()
        await asyncio.sleep(seconds)
        self.over = True
        await feeder
        return begin_ns, time.time_ns()
