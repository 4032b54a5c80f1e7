// FlashAttention forward for Hopper: wgmma fed by TMA, d up to 128, fp16 and bf16.
//
// Rows in shared memory are as wide as kDim, 64 or 128; TMA fills what the head dimension leaves
// with zeros. Products along d stop at kDepth, those that make columns of d do not, because wgmma
// reads whole panels of 64 there. Columns beyond the head dimension are not stored.
//
// One warpgroup of a block copies, and the others compute 64 rows of q each: three of them for d
// 64, two for d 128, as the registers allow. Blocks of 128 keys alternate between two stages. With
// d 64 the exponentials take as long as the products (an SM makes 16 per clock, or 4,096 FLOPs, and
// each score needs one of the former and 256 of the latter). Two things hide them:
//  - within a warpgroup the scores of the next keys are computed while the softmax of these runs;
//  - between warpgroups a token circulates, so that while one uses the tensor cores the others do
//    their softmax (FlashAttention-3's two ideas, Shah et al. 2024).
//
// Blocks are persistent: there is one for each SM, and it goes through tiles in the order of
// hopper_tiles.h. The copying warpgroup runs ahead into the next tile while the others finish this
// one. A warpgroup rounds its 64 rows of o into their own shared memory, from where the copy
// engine stores them during the next tile.
#pragma once

#include "workloads/cuda/flash/hopper.cuh"
#include "workloads/cuda/flash/hopper_softmax.cuh"
#include "workloads/cuda/flash/hopper_tiles.h"

namespace sweepd::gpu {

template <Element kType, int kDim, int kDepth = kDim>
struct HopperForward {
  static_assert(kDim == 64 || kDim == 128);
  static_assert(kDepth % 16 == 0 && kDepth > kDim - 64 && kDepth <= kDim);
  static constexpr int kConsumers = kDim == 64 ? 3 : 2, kThreads = 128 * (kConsumers + 1);
  // 128 + 3 x 128 threads share 65,536 registers: 32 + 3 x 160 = 4 x 128; 24 + 2 x 240 = 3 x 168.
  static constexpr int kCopyRegisters = kDim == 64 ? 32 : 24;
  static constexpr int kRegisters = kDim == 64 ? 160 : 240;
  static constexpr int kRows = 64 * kConsumers, kKeys = 128, kStages = 2, kPanels = kDim / 64;
  static constexpr int kBlocksPerSm = 1;  // two would need twice the existing registers
  static constexpr int kStoredRows = 64;  // of o, by a warpgroup

  static constexpr int kPanelBytes = kKeys * 128;  // of k and v
  static constexpr int kStageBytes = kPanels * kPanelBytes;
  static constexpr int kQBytes = kRows * kDim * 2;
  static constexpr int kOPanel = kStoredRows * 128, kOBytes = kPanels * kOPanel;  // of a warpgroup
  static constexpr int kOAt = kQBytes + 2 * kStages * kStageBytes;
  static constexpr int kBarrierAt = kOAt + kConsumers * kOBytes;
  static constexpr int kSharedBytes = kBarrierAt + 8 * (2 + 4 * kStages);
  static_assert(kSharedBytes <= 227 * 1024);

  float s[kKeys / 2];  // 64 x 128 scores, then probabilities
  float o[kDim / 2];
  std::uint32_t probabilities[kKeys / 16][4];
  float m[2], l[2];

  SWEEPD_DEVICE static void run(const Problem& p, const TensorMaps& maps) {
    trap_unless(shared_base() % 1024 == 0);
    const int warpgroup = uniform(thread_index() / 128);
    if (thread_index() == 0) {
      init_barrier(q_full(), 1);
      init_barrier(q_empty(), 4 * kConsumers);  // each warp arrives once
      for (int stage = 0; stage < kStages; ++stage) {
        init_barrier(k_full(stage), 1);
        init_barrier(v_full(stage), 1);
        init_barrier(k_empty(stage), 4 * kConsumers);
        init_barrier(v_empty(stage), 4 * kConsumers);
      }
      fence_barrier_init();
    }
    sync_block();
    if (warpgroup == 0) {
      give_registers<kCopyRegisters>();
      if (thread_index() == 0) copy(p, maps);
    } else {
      take_registers<kRegisters>();
      HopperForward consumer;
      consumer.compute(p, maps, warpgroup - 1);
    }
  }

  // The grid: no more blocks than run at the same time, and none without a tile.
  static constexpr int blocks(const Problem& p, int multiprocessors) {
    const int tiles = ForwardTiles::of(p, kRows).count(), running = kBlocksPerSm * multiprocessors;
    return tiles < running ? tiles : running;
  }

  // The place of eight columns of a row of a warpgroup's o: swizzled as TMA expects it, so that
  // eight rows are in 32 different banks.
  static constexpr int o_offset(int row, int chunk) {
    return chunk / 8 * kOPanel + row * 128 + (chunk % 8 ^ row % 8) * 16;
  }

 private:
  SWEEPD_DEVICE static Shared at(int offset) { return shared_base() + static_cast<Shared>(offset); }
  SWEEPD_DEVICE static Shared q() { return at(0); }
  SWEEPD_DEVICE static Shared k(int stage) { return at(kQBytes + stage * kStageBytes); }
  SWEEPD_DEVICE static Shared v(int stage) { return at(kQBytes + (kStages + stage) * kStageBytes); }
  SWEEPD_DEVICE static Shared kept_o(int consumer) { return at(kOAt + consumer * kOBytes); }
  SWEEPD_DEVICE static Shared barrier(int number) { return at(kBarrierAt + 8 * number); }
  SWEEPD_DEVICE static Shared q_full() { return barrier(0); }
  SWEEPD_DEVICE static Shared q_empty() { return barrier(1); }
  SWEEPD_DEVICE static Shared k_full(int stage) { return barrier(2 + stage); }
  SWEEPD_DEVICE static Shared v_full(int stage) { return barrier(2 + kStages + stage); }
  SWEEPD_DEVICE static Shared k_empty(int stage) { return barrier(2 + 2 * kStages + stage); }
  SWEEPD_DEVICE static Shared v_empty(int stage) { return barrier(2 + 3 * kStages + stage); }

  SWEEPD_DEVICE static int key_blocks(const Problem& p, const ForwardTile& tile) {
    const int rows_end = (tile.row_block + 1) * kRows;
    const int end = p.causal && rows_end < p.sequence ? rows_end : p.sequence;
    return (end + kKeys - 1) / kKeys;
  }

  // One thread issues all TMA loads. Keys go from the diagonal down, so that the masked blocks come
  // first. A tile's first k comes before its q, because the place of k is free earlier.
  SWEEPD_DEVICE static void copy(const Problem& p, const TensorMaps& maps) {
    const ForwardTiles tiles = ForwardTiles::of(p, kRows);
    int step = 0;  // blocks of keys; stages and phases run on from tile to tile
    SWEEPD_NO_UNROLL
    for (int round = 0;; ++round) {
      const int place = tiles.place(round, block_x(), grid_x());
      if (place >= tiles.count()) return;
      const ForwardTile tile = tiles.at(place);
      const int last = (key_blocks(p, tile) - 1) * kKeys;
      SWEEPD_NO_UNROLL
      for (int key = last; key >= 0; key -= kKeys, ++step) {
        const int stage = step % kStages, free = step / kStages % 2 ^ 1;
        wait(k_empty(stage), free);
        copy_stage(k(stage), maps.k, k_full(stage), key, tile);
        if (key == last) copy_q(maps.q, tile, round);
        wait(v_empty(stage), free);
        copy_stage(v(stage), maps.v, v_full(stage), key, tile);
      }
    }
  }
  SWEEPD_DEVICE static void copy_q(const TensorMap& map, const ForwardTile& tile, int round) {
    wait(q_empty(), round % 2 ^ 1);
    arrive_expecting(q_full(), kQBytes);
    for (int panel = 0; panel < kPanels; ++panel) {
      load_box(q() + static_cast<Shared>(panel * kRows * 128), map, q_full(), panel * 64,
               tile.row_block * kRows, tile.head, tile.batch);
    }
  }
  SWEEPD_DEVICE static void copy_stage(Shared to, const TensorMap& map, Shared full, int key,
                                       const ForwardTile& tile) {
    arrive_expecting(full, kStageBytes);
    for (int panel = 0; panel < kPanels; ++panel) {
      load_box(to + static_cast<Shared>(panel * kPanelBytes), map, full, panel * 64, key, tile.head,
               tile.batch);
    }
  }

  SWEEPD_DEVICE void compute(const Problem& p, const TensorMaps& maps, int consumer) {
    const ForwardTiles tiles = ForwardTiles::of(p, kRows);
    if (consumer == kConsumers - 1) pass_token(consumer);  // the first warpgroup has it first
    int step = 0;
    SWEEPD_NO_UNROLL
    for (int round = 0;; ++round) {
      const int place = tiles.place(round, block_x(), grid_x());
      if (place >= tiles.count()) break;
      const ForwardTile tile = tiles.at(place);
      attend(p, tile, consumer, round, step);
      store(p, maps.o, tile, consumer);
    }
    if (consumer == 0) take_token(consumer);  // or its barrier would be left half arrived
    // The block's shared memory must stay until the copy engine has read the last of o.
    if (thread_index() % 128 == 0) wait_for_bulk_reads();
  }

  // Named barriers 1 to kConsumers are tokens; the next ones are of one warpgroup each.
  SWEEPD_DEVICE static void take_token(int consumer) { sync_threads(1 + consumer, 256); }
  SWEEPD_DEVICE static void pass_token(int consumer) {
    arrive_threads(consumer + 1 < kConsumers ? 2 + consumer : 1, 256);
  }
  SWEEPD_DEVICE static void sync_warpgroup(int consumer) {
    sync_threads(1 + kConsumers + consumer, 128);
  }

  SWEEPD_DEVICE void clear() {
    SWEEPD_UNROLL
    for (int i = 0; i < kDim / 2; ++i) o[i] = 0;
    m[0] = m[1] = -INFINITY;
    l[0] = l[1] = 0;
  }

  // Computes o, m and l of the warpgroup's rows. `step` counts blocks of keys, over all tiles.
  SWEEPD_DEVICE void attend(const Problem& p, const ForwardTile& tile, int consumer, int round,
                            int& step) {
    const int first = tile.row_block * kRows + 64 * consumer;
    int key = (key_blocks(p, tile) - 1) * kKeys;
    clear();
    wait(q_full(), round % 2);
    wait(k_full(step % kStages), step / kStages % 2);
    begin_products();
    scores(consumer, step % kStages);
    commit_products();
    wait_for_products<0>();
    settle(s);
    release(k_empty(step % kStages));
    if (key == 0) release(q_empty());
    float shrink[2];
    soften(p, first, key, shrink);
    pack_probabilities();

    SWEEPD_NO_UNROLL
    for (key -= kKeys; key >= 0; key -= kKeys) {
      const int former = step % kStages, former_parity = step / kStages % 2;
      ++step;
      const int stage = step % kStages;
      wait(k_full(stage), step / kStages % 2);
      take_token(consumer);
      begin_products();
      scores(consumer, stage);
      commit_products();
      wait(v_full(former), former_parity);
      begin_products();
      outputs(former);
      commit_products();
      pass_token(consumer);
      wait_for_products<1>();
      settle(s);
      release(k_empty(stage));
      if (key == 0) release(q_empty());
      soften(p, first, key, shrink);
      // The exponentials should run during the products, but ptxas would move them after the wait.
      // It moves nothing across a loop, such as that of this wait, which has long ended: v is not
      // released before.
      settle(s);
      wait(v_full(former), former_parity);
      wait_for_products<0>();
      settle(o);
      release(v_empty(former));
      SWEEPD_UNROLL
      for (int e = 0; e < kDim / 2; ++e) o[e] *= shrink[e / 2 % 2];
      pack_probabilities();
    }
    const int last = step % kStages;
    wait(v_full(last), step / kStages % 2);
    begin_products();
    outputs(last);
    commit_products();
    wait_for_products<0>();
    settle(o);
    release(v_empty(last));
    ++step;
  }

  SWEEPD_DEVICE static void release(Shared empty) {
    if (thread_index() % 32 == 0) arrive(empty);
  }

  SWEEPD_DEVICE void scores(int consumer, int stage) {
    const std::uint64_t left = describe(q() + static_cast<Shared>(consumer * 64 * 128));
    const std::uint64_t right = describe(k(stage));
    SWEEPD_UNROLL
    for (int i = 0; i < kDepth / 16; ++i) {
      const int inside = i % 4 * 32;
      product<kType, kKeys, Major::kK, Major::kK>(s, moved(left, i / 4 * kRows * 128 + inside),
                                                  moved(right, i / 4 * kPanelBytes + inside),
                                                  i > 0);
    }
  }
  SWEEPD_DEVICE void outputs(int stage) {
    const std::uint64_t right = describe(v(stage), kPanelBytes);
    SWEEPD_UNROLL
    for (int i = 0; i < kKeys / 16; ++i) {
      product<kType, kDim, Major::kMn>(o, probabilities[i], moved(right, i * 2048), true);
    }
  }

  // Turns scores into probabilities. `shrink` is the factor for older sums.
  SWEEPD_DEVICE void soften(const Problem& p, int first, int key, float (&shrink)[2]) {
    const int lane = thread_index() % 32, row = first + thread_index() / 32 % 4 * 16 + lane / 4;
    if (key + kKeys > p.sequence || (p.causal && key + kKeys - 1 > first)) {
      SWEEPD_UNROLL
      for (int i = 0; i < kKeys / 2; ++i) {
        const int column = key + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (column >= p.sequence || (p.causal && column > row + i / 2 % 2 * 8)) s[i] = -INFINITY;
      }
    }
    soften_rows(s, p.scale * kLog2E, m, l, shrink);
  }

  SWEEPD_DEVICE void pack_probabilities() {
    SWEEPD_UNROLL
    for (int i = 0; i < kKeys / 16; ++i) {
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) {
        probabilities[i][e] = pack<kType>(s[8 * i + 2 * e], s[8 * i + 2 * e + 1]);
      }
    }
  }

  SWEEPD_DEVICE void store(const Problem& p, const TensorMap& map, const ForwardTile& tile,
                           int consumer) {
    const int lane = thread_index() % 32, warp_row = thread_index() / 32 % 4 * 16;
    const int first = tile.row_block * kRows + 64 * consumer;
    float share[2];
    SWEEPD_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int row = first + warp_row + lane / 4 + half * 8;
      const float sum = sum_of_quad(l[half]);
      share[half] = 1 / sum;
      if (lane % 4 == 0 && row < p.sequence) {
        const std::int64_t line = static_cast<std::int64_t>(tile.batch) * p.heads + tile.head;
        p.lse[line * p.sequence + row] = (m[half] * p.scale * kLog2E + log2_of(sum)) * kLn2;
      }
    }
    if (thread_index() % 128 == 0) wait_for_bulk_reads();  // of the former tile's o
    sync_warpgroup(consumer);
    SWEEPD_UNROLL
    for (int i = 0; i < kDim / 16; ++i) {
      std::uint32_t both[4];
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) {
        both[e] = pack<kType>(o[8 * i + 2 * e] * share[e % 2], o[8 * i + 2 * e + 1] * share[e % 2]);
      }
      const int offset = o_offset(warp_row + lane % 16, 2 * i + lane / 16);
      store_matrices(kept_o(consumer) + static_cast<Shared>(offset), both);
    }
    fence_for_async();
    sync_warpgroup(consumer);
    if (thread_index() % 128 != 0) return;
    for (int panel = 0; panel < kPanels; ++panel) {
      store_box(map, kept_o(consumer) + static_cast<Shared>(panel * kOPanel), panel * 64, first,
                tile.head, tile.batch);
    }
  }
};

}  // namespace sweepd::gpu
