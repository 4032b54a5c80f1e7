// FlashAttention forward for Hopper: wgmma fed by TMA, d up to 128, fp16 and bf16.
//
// Rows in shared memory are as wide as kDim, 64 or 128; TMA fills what the head dimension leaves
// with zeros. Products along d stop at kDepth, those that make columns of d do not, because wgmma
// reads whole panels of 64 there. What is beyond the head dimension is not stored.
//
// One warpgroup of a block copies, and the others compute 64 rows of q each: three of them for d
// 64, two for d 128, as the registers allow. Blocks of 128 keys alternate between two stages. With
// d 64 the exponentials take as long as the products (an SM makes 16 per clock, or 4,096 FLOPs, and
// each score needs one of the former and 256 of the latter). Two things hide them:
//  - within a warpgroup the scores of the next keys are computed while the softmax of these runs;
//  - between warpgroups a token circulates, so that while one uses the tensor cores the others do
//    their softmax (FlashAttention-3's two ideas, Shah et al. 2024).
#pragma once

#include "workloads/cuda/flash/hopper.cuh"

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

  static constexpr int kPanelBytes = kKeys * 128;  // of k and v
  static constexpr int kStageBytes = kPanels * kPanelBytes;
  static constexpr int kQBytes = kRows * kDim * 2;
  static constexpr int kBarrierAt = kQBytes + 2 * kStages * kStageBytes;
  static constexpr int kSharedBytes = kBarrierAt + 8 * (1 + 4 * kStages);
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
      for (int stage = 0; stage < kStages; ++stage) {
        init_barrier(k_full(stage), 1);
        init_barrier(v_full(stage), 1);
        init_barrier(k_empty(stage), 4 * kConsumers);  // each warp arrives once
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
      consumer.compute(p, warpgroup - 1);
    }
  }

 private:
  SWEEPD_DEVICE static Shared at(int offset) { return shared_base() + static_cast<Shared>(offset); }
  SWEEPD_DEVICE static Shared q() { return at(0); }
  SWEEPD_DEVICE static Shared k(int stage) { return at(kQBytes + stage * kStageBytes); }
  SWEEPD_DEVICE static Shared v(int stage) { return at(kQBytes + (kStages + stage) * kStageBytes); }
  SWEEPD_DEVICE static Shared q_full() { return at(kBarrierAt); }
  SWEEPD_DEVICE static Shared k_full(int stage) { return at(kBarrierAt + 8 * (1 + stage)); }
  SWEEPD_DEVICE static Shared v_full(int stage) {
    return at(kBarrierAt + 8 * (1 + kStages + stage));
  }
  SWEEPD_DEVICE static Shared k_empty(int stage) {
    return at(kBarrierAt + 8 * (1 + 2 * kStages + stage));
  }
  SWEEPD_DEVICE static Shared v_empty(int stage) {
    return at(kBarrierAt + 8 * (1 + 3 * kStages + stage));
  }

  // Begins with the last rows, which take longest under a causal mask.
  SWEEPD_DEVICE static int first_row() { return (grid_x() - 1 - block_x()) * kRows; }
  SWEEPD_DEVICE static int key_blocks(const Problem& p) {
    const int rows_end = first_row() + kRows;
    const int end = p.causal && rows_end < p.sequence ? rows_end : p.sequence;
    return (end + kKeys - 1) / kKeys;
  }

  // One thread issues all TMA copies. Keys go from the diagonal down, so that the masked blocks
  // come first.
  SWEEPD_DEVICE static void copy(const Problem& p, const TensorMaps& maps) {
    const int head = block_y(), batch = block_z(), blocks = key_blocks(p);
    arrive_expecting(q_full(), kQBytes);
    for (int panel = 0; panel < kPanels; ++panel) {
      load_box(q() + static_cast<Shared>(panel * kRows * 128), maps.q, q_full(), panel * 64,
               first_row(), head, batch);
    }
    SWEEPD_NO_UNROLL
    for (int i = 0; i < blocks; ++i) {
      const int stage = i % kStages, free = i / kStages % 2 ^ 1, key = (blocks - 1 - i) * kKeys;
      wait(k_empty(stage), free);
      copy_stage(k(stage), maps.k, k_full(stage), key, head, batch);
      wait(v_empty(stage), free);
      copy_stage(v(stage), maps.v, v_full(stage), key, head, batch);
    }
  }
  SWEEPD_DEVICE static void copy_stage(Shared to, const TensorMap& map, Shared full, int key,
                                       int head, int batch) {
    arrive_expecting(full, kStageBytes);
    for (int panel = 0; panel < kPanels; ++panel) {
      load_box(to + static_cast<Shared>(panel * kPanelBytes), map, full, panel * 64, key, head,
               batch);
    }
  }

  SWEEPD_DEVICE void compute(const Problem& p, int consumer) {
    const int blocks = key_blocks(p), first = first_row() + 64 * consumer;
    SWEEPD_UNROLL
    for (int i = 0; i < kDim / 2; ++i) o[i] = 0;
    m[0] = m[1] = -INFINITY;
    l[0] = l[1] = 0;
    if (consumer == kConsumers - 1) arrive_threads(1, 256);  // the first warpgroup has the token

    wait(q_full(), 0);
    wait(k_full(0), 0);
    begin_products();
    scores(consumer, 0);
    commit_products();
    wait_for_products<0>();
    settle(s);
    release(k_empty(0));
    soften(p, first, (blocks - 1) * kKeys);
    pack_probabilities();

    SWEEPD_NO_UNROLL
    for (int i = 1; i < blocks; ++i) {
      const int stage = i % kStages, former = (i - 1) % kStages;
      wait(k_full(stage), i / kStages % 2);
      sync_threads(1 + consumer, 256);
      begin_products();
      scores(consumer, stage);
      commit_products();
      wait(v_full(former), (i - 1) / kStages % 2);
      begin_products();
      outputs(former);
      commit_products();
      // No warpgroup waits for the last token.
      if (consumer + 1 < kConsumers) {
        arrive_threads(2 + consumer, 256);
      } else if (i + 1 < blocks) {
        arrive_threads(1, 256);
      }
      wait_for_products<1>();
      settle(s);
      release(k_empty(stage));
      float shrink[2];
      soften(p, first, (blocks - 1 - i) * kKeys, shrink);
      // The exponentials should run during the products, but ptxas would move them after the wait.
      // It moves nothing across a loop, such as that of this wait, which has long ended.
      settle(s);
      wait(q_full(), 0);
      wait_for_products<0>();
      settle(o);
      release(v_empty(former));
      SWEEPD_UNROLL
      for (int e = 0; e < kDim / 2; ++e) o[e] *= shrink[e / 2 % 2];
      pack_probabilities();
    }
    // With a single block of keys the token was never taken.
    if (blocks == 1 && consumer == 0) sync_threads(1, 256);
    const int last = (blocks - 1) % kStages;
    wait(v_full(last), (blocks - 1) / kStages % 2);
    begin_products();
    outputs(last);
    commit_products();
    wait_for_products<0>();
    settle(o);
    store(p, first);
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

  SWEEPD_DEVICE void soften(const Problem& p, int first, int key) {
    float unused[2];
    soften(p, first, key, unused);
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
    const float scale = p.scale * kLog2E;
    SWEEPD_UNROLL
    for (int half = 0; half < 2; ++half) {
      float largest = m[half];
      SWEEPD_UNROLL
      for (int j = 0; j < kKeys / 8; ++j) {
        largest = fmaxf(largest, fmaxf(s[4 * j + 2 * half], s[4 * j + 2 * half + 1]));
      }
      largest = max_of_quad(largest);
      const float shift = largest == -INFINITY ? 0 : largest * scale;
      shrink[half] = exp2_of(m[half] * scale - shift);
      m[half] = largest;
      float sum = 0;
      SWEEPD_UNROLL
      for (int j = 0; j < kKeys / 8; ++j) {
        SWEEPD_UNROLL
        for (int e = 4 * j + 2 * half; e < 4 * j + 2 * half + 2; ++e) {
          s[e] = exp2_of(s[e] * scale - shift);
          sum += s[e];
        }
      }
      l[half] = l[half] * shrink[half] + sum;
    }
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

  SWEEPD_DEVICE void store(const Problem& p, int first) {
    const int lane = thread_index() % 32, head = block_y(), batch = block_z();
    SWEEPD_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int row = first + thread_index() / 32 % 4 * 16 + lane / 4 + half * 8;
      const float sum = sum_of_quad(l[half]);
      if (row >= p.sequence) continue;
      if (lane % 4 == 0) {
        const std::int64_t line = (static_cast<std::int64_t>(batch) * p.heads + head) * p.sequence;
        p.lse[line + row] = (m[half] * p.scale * kLog2E + log2_of(sum)) * kLn2;
      }
      const float share = 1 / sum;
      auto* to = row_of<std::uint16_t>(p.o, batch, head, row);
      SWEEPD_UNROLL
      for (int j = 0; j < kDim / 8; ++j) {
        if (j * 8 >= p.head_dim) break;
        *reinterpret_cast<std::uint32_t*>(to + j * 8 + lane % 4 * 2) =
            pack<kType>(o[4 * j + 2 * half] * share, o[4 * j + 2 * half + 1] * share);
      }
    }
  }
};

}  // namespace sweepd::gpu
