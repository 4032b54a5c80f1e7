"""The blocks of a step: what is kept of them, and what they say about each phase."""

_MANY_BLOCKS, _MOST_BLOCKS, _LARGE_BLOCK, _MOST_POINTS = 1000, 5000, 1 << 20, 2000


class Changes:
    """Allocations and releases in order, from a moment at which the blocks `before` were allocated."""

    def __init__(self, before, names):
        self.allocated = sum(before.values())
        self.live = {}      # address: index in blocks
        self.blocks = []    # [bytes, allocated ns, freed ns or None, phase, origin]
        self.named = set()  # indices in blocks
        self.points = []    # [ns, action, address, bytes, allocated after it, phase]
        self.phases = {}    # phase: [at start, peak, at end]
        self.phase = "step"
        for address, size in before.items():
            self._add_block(address, size, 0, "before", "")
        self.name(names)
        self._touch("step")

    def _add_block(self, address, size, ns, phase, origin):
        self.live[address] = len(self.blocks)
        self.blocks.append([size, ns, None, phase, origin])

    def name(self, names):
        """Blocks that are live now, by address."""
        for address, name in names.items():
            if address in self.live:
                self.blocks[self.live[address]][4] = name
                self.named.add(self.live[address])

    def _touch(self, phase):
        one = self.phases.setdefault(phase, [self.allocated, self.allocated, self.allocated])
        one[1] = max(one[1], self.allocated)
        one[2] = self.allocated

    def enter(self, ns, phase):
        self.phase = phase
        self._touch(phase)
        self.points.append([ns, "phase", 0, 0, self.allocated, phase])

    def allocate(self, ns, address, size, origin):
        if address in self.live:  # its release was not seen
            self.free(ns, address)
        self._add_block(address, size, ns, self.phase, origin)
        self._change(ns, "allocate", address, size, size)

    def free(self, ns, address):
        index = self.live.pop(address, None)
        if index is not None:
            self.blocks[index][2] = ns
            self._change(ns, "free", address, self.blocks[index][0], -self.blocks[index][0])

    def _change(self, ns, action, address, size, by):
        self.allocated += by
        self.points.append([ns, action, address, size, self.allocated, self.phase])
        self._touch("step")
        if self.phase != "step":
            self._touch(self.phase)


def kept_points(points):
    """At most about _MOST_POINTS: every phase, and of each stretch the highest and the lowest."""
    if len(points) <= _MOST_POINTS:
        return list(enumerate(points))
    stretch = -(-len(points) * 2 // _MOST_POINTS)
    kept = {i for i, point in enumerate(points) if point[1] == "phase"} | {0, len(points) - 1}
    for begin in range(0, len(points), stretch):
        part = range(begin, min(begin + stretch, len(points)))
        kept |= {min(part, key=lambda i: points[i][4]), max(part, key=lambda i: points[i][4])}
    return [(i, points[i]) for i in sorted(kept)]


def kept_blocks(blocks, named):
    order = sorted(range(len(blocks)), key=lambda i: -blocks[i][0])
    kept = [i for place, i in enumerate(order) if place < _MANY_BLOCKS or blocks[i][0] >= _LARGE_BLOCK or i in named]
    return [(i, blocks[i]) for i in sorted(kept[:_MOST_BLOCKS])]
