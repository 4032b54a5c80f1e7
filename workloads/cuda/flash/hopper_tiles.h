// The order in which the persistent blocks of Hopper's forward go through the tiles (a batch, a
// head, a block of rows of q). It is fixed by the shape and the number of blocks.
//
// Lines (batches x heads) are taken in sections, so that all blocks work on a few k and v at a
// time, which then stay in the L2 cache. Within a section, row blocks are outside and lines inside.
//  - Under a causal mask a section is those lines whose k and v are 32 MiB together, as in
//    FlashAttention-3's schedulers. The last section goes from the longest row block to the
//    shortest, and the ones before it alternate: neighbours in the order are about equally long,
//    also where two sections meet, and the shortest tiles come last.
//  - Without a mask all tiles are equally long, and a section is one line, as in
//    FlashAttention-3's StaticPersistentTileScheduler.
// The order is dealt to the blocks in rounds, forwards and backwards in turn: the block with the
// longest tile of a round gets the shortest of the next. At the leaderboard's shape the busiest of
// 132 blocks has 1.02 times the mean number of steps. If each section began with the longest tile
// and was dealt forwards, it would have 1.14 times.
//
// FlashAttention-3 instead lets blocks of a causal problem draw their tiles from a counter in
// global memory. That would gain 1 to 3 percent of balance, and adapt to SMs that another kernel
// occupies. It would cost memory that each launch has to zero, an atomic and a broadcast to all
// warps for each tile, and the test on a CPU, where blocks run one after the other.
#pragma once

#include "workloads/cuda/flash/problem.h"

namespace sweepd::gpu {

struct ForwardTile {
  int batch, head, row_block;
};

struct ForwardTiles {
  static constexpr int kL2Bytes = 32 << 20;

  int heads, lines, row_blocks;
  int section;  // lines

  static constexpr ForwardTiles of(const Problem& p, int rows) {
    const int lines = p.batch * p.heads;
    // k and v take 2 bytes an element.
    const int fitting = kL2Bytes / (4 * p.head_dim) / p.sequence;
    const int section = !p.causal || fitting < 1 ? 1 : fitting < lines ? fitting : lines;
    return {p.heads, lines, blocks_of(p.sequence, rows), section};
  }

  // Fits an int, because each tile has at least one row of o in memory.
  constexpr int count() const { return lines * row_blocks; }

  // Returns the place in the order of a block's tile in a round; at or beyond count() if it has
  // none, in this round and later.
  constexpr int place(int round, int block, int blocks) const {
    return round * blocks + (round % 2 == 0 ? block : blocks - 1 - block);
  }

  constexpr ForwardTile at(int place) const {
    const int number = place / (section * row_blocks), first = number * section;
    const int inside = place - first * row_blocks;
    const int size = lines - first < section ? lines - first : section;
    const int row = inside / size, line = first + inside % size;
    const bool longest_first = (blocks_of(lines, section) - 1 - number) % 2 == 0;
    return {line / heads, line % heads, longest_first ? row_blocks - 1 - row : row};
  }
};

}  // namespace sweepd::gpu
