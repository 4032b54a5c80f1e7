// FlashAttention backward for Hopper: wgmma fed by TMA, d up to 128, fp16 and bf16.
//
// Rows in shared memory are as wide as kDim, 64 or 128; TMA fills what the head dimension leaves
// with zeros. Products along d stop at kDepth, those that make columns of d do not, because wgmma
// reads whole panels of 64 there. Columns beyond the head dimension are not stored.
//
// A block has 128 rows of k and v, 64 for each of two computing warpgroups, and iterates over q and
// d_o, which a third warpgroup copies two stages ahead. Scores are transposed, with keys as rows,
// so that probabilities and their gradients stay in registers from the sums of one product to the
// left operand of the next. Only dq needs them from all keys: ds goes to shared memory. The copy
// engine adds a warpgroup's 64 x 64 of dq to global memory in the order in which the threads hold
// it; StoreHopperDq reorders it.
//
//   s^T = k q^T    p^T = exp2(s^T scale - lse)    dp^T = v d_o^T    ds^T = p^T (dp^T - delta)
//   dv = p^T d_o   dk = scale ds^T q              dq = scale ds k
//
// The two warpgroups run apart, so that one can compute exponentials while the other's products
// keep the tensor cores busy. They meet in ds alone, and late: a warpgroup signals that its half is
// there, queues dk and the next step's scores, and only then needs the other's half for dq. So each
// may be two products ahead. Those scores also run while dq is on its way out.
//
// Shared memory is the narrowest place (docs/GPU_KERNELS.md counts its clocks), so the left
// operands of dv and dk are in registers.
#pragma once

#include "workloads/cuda/flash/hopper.cuh"
#include "workloads/cuda/flash/hopper_store.cuh"

namespace sweepd::gpu {

template <Element kType, int kDim, int kDepth = kDim>
struct HopperBackward {
  static_assert(kDim == 64 || kDim == 128);
  static_assert(kDepth % 16 == 0 && kDepth > kDim - 64 && kDepth <= kDim);
  static constexpr int kConsumers = 2, kThreads = 384;
  static constexpr int kCopyRegisters = 24, kRegisters = 240;  // 24 + 2 x 240 = 3 x 168
  static constexpr int kKeys = 128, kStages = 2, kDsBuffers = 2, kPanels = kDim / 64;
  // Rows of q in a step. With these numbers each warpgroup's share of dq is 64 x 64: of the rows
  // for d 64, of the columns for d 128.
  static constexpr int kRows = kDim == 64 ? 128 : 64;
  static constexpr bool kDqByRows = kDim == 64;

  static constexpr int kKeyPanel = kKeys * 128, kRowPanel = kRows * 128;
  static constexpr int kKeyBytes = kPanels * kKeyPanel, kRowBytes = kPanels * kRowPanel;
  static constexpr int kDsBytes = kRows / 64 * kKeyPanel;  // panels of 64 rows of q; a line per key
  static constexpr int kDqBytes = 64 * 64 * 4;             // of a warpgroup
  static constexpr int kLineBytes = kRows * 4;             // of lse and of delta
  static constexpr int kVAt = kKeyBytes, kQAt = 2 * kKeyBytes;
  static constexpr int kDoAt = kQAt + kStages * kRowBytes;
  static constexpr int kDsAt = kDoAt + kStages * kRowBytes;
  static constexpr int kDqAt = kDsAt + kDsBuffers * kDsBytes;
  static constexpr int kLinesAt = kDqAt + kConsumers * kDqBytes;
  static constexpr int kBarrierAt = kLinesAt + 2 * kStages * kLineBytes;
  static constexpr int kSharedBytes = kBarrierAt + 8 * (1 + 4 * kStages + kDsBuffers);
  static_assert(kSharedBytes <= 227 * 1024);

  float dk[kDim / 2], dv[kDim / 2];
  float s[kRows / 2], dp[kRows / 2];  // 64 keys x kRows
  std::uint32_t probabilities[kRows / 16][4], ds[kRows / 16][4];

  SWEEPD_DEVICE static void run(const Problem& p, const TensorMaps& maps) {
    trap_unless(shared_base() % 1024 == 0);
    const int warpgroup = uniform(thread_index() / 128);
    if (thread_index() == 0) {
      init_barrier(kv_full(), 1);
      for (int stage = 0; stage < kStages; ++stage) {
        init_barrier(q_full(stage), 1);
        init_barrier(do_full(stage), 1);
        init_barrier(q_empty(stage), 4 * kConsumers);  // each warp arrives once
        init_barrier(do_empty(stage), 4 * kConsumers);
      }
      for (int buffer = 0; buffer < kDsBuffers; ++buffer) {
        init_barrier(ds_full(buffer), 4 * kConsumers);
      }
      fence_barrier_init();
    }
    sync_block();
    if (warpgroup == 0) {
      give_registers<kCopyRegisters>();
      if (thread_index() == 0) copy(p, maps);
    } else {
      take_registers<kRegisters>();
      HopperBackward consumer;
      consumer.compute(p, warpgroup - 1);
    }
  }

 private:
  SWEEPD_DEVICE static Shared at(int offset) { return shared_base() + static_cast<Shared>(offset); }
  SWEEPD_DEVICE static Shared k() { return at(0); }
  SWEEPD_DEVICE static Shared v() { return at(kVAt); }
  SWEEPD_DEVICE static Shared q(int stage) { return at(kQAt + stage * kRowBytes); }
  SWEEPD_DEVICE static Shared d_o(int stage) { return at(kDoAt + stage * kRowBytes); }
  SWEEPD_DEVICE static Shared ds_at(int buffer) { return at(kDsAt + buffer * kDsBytes); }
  SWEEPD_DEVICE static Shared dq(int consumer) { return at(kDqAt + consumer * kDqBytes); }
  SWEEPD_DEVICE static Shared lse(int stage) { return at(kLinesAt + stage * kLineBytes); }
  SWEEPD_DEVICE static Shared delta(int stage) {
    return at(kLinesAt + (kStages + stage) * kLineBytes);
  }
  SWEEPD_DEVICE static Shared kv_full() { return at(kBarrierAt); }
  SWEEPD_DEVICE static Shared barrier(int kind, int stage) {
    return at(kBarrierAt + 8 * (1 + kind * kStages + stage));
  }
  SWEEPD_DEVICE static Shared q_full(int stage) { return barrier(0, stage); }
  SWEEPD_DEVICE static Shared do_full(int stage) { return barrier(1, stage); }
  SWEEPD_DEVICE static Shared q_empty(int stage) { return barrier(2, stage); }
  SWEEPD_DEVICE static Shared do_empty(int stage) { return barrier(3, stage); }
  SWEEPD_DEVICE static Shared ds_full(int buffer) { return barrier(4, buffer); }

  SWEEPD_DEVICE static int first_key() { return block_x() * kKeys; }
  // Under a causal mask, rows above the block's first key do not see any of it.
  SWEEPD_DEVICE static int begin_of(const Problem& p) { return p.causal ? first_key() / kRows : 0; }
  SWEEPD_DEVICE static int end_of(const Problem& p) { return (p.sequence + kRows - 1) / kRows; }
  SWEEPD_DEVICE static std::int64_t line(const Problem& p) {
    return (static_cast<std::int64_t>(block_z()) * p.heads + block_y()) * padded_rows(p.sequence);
  }

  // One thread issues all TMA copies.
  SWEEPD_DEVICE static void copy(const Problem& p, const TensorMaps& maps) {
    arrive_expecting(kv_full(), 2 * kKeyBytes);
    copy_tile(k(), kKeyPanel, maps.k, kv_full(), first_key());
    copy_tile(v(), kKeyPanel, maps.v, kv_full(), first_key());
    const int begin = begin_of(p), end = end_of(p);
    SWEEPD_NO_UNROLL
    for (int block = begin; block < end; ++block) {
      const int step = block - begin, stage = step % kStages, free = step / kStages % 2 ^ 1;
      const std::int64_t row = line(p) + block * kRows;
      wait(q_empty(stage), free);
      arrive_expecting(q_full(stage), kRowBytes + kLineBytes);
      copy_tile(q(stage), kRowPanel, maps.q, q_full(stage), block * kRows);
      load_bytes(lse(stage), p.lse_log2 + row, kLineBytes, q_full(stage));
      wait(do_empty(stage), free);
      arrive_expecting(do_full(stage), kRowBytes + kLineBytes);
      copy_tile(d_o(stage), kRowPanel, maps.d_o, do_full(stage), block * kRows);
      load_bytes(delta(stage), p.delta + row, kLineBytes, do_full(stage));
    }
  }
  SWEEPD_DEVICE static void copy_tile(Shared to, int panel_bytes, const TensorMap& map, Shared full,
                                      int row) {
    for (int panel = 0; panel < kPanels; ++panel) {
      load_box(to + static_cast<Shared>(panel * panel_bytes), map, full, panel * 64, row, block_y(),
               block_z());
    }
  }

  SWEEPD_DEVICE void compute(const Problem& p, int consumer) {
    SWEEPD_UNROLL
    for (int i = 0; i < kDim / 2; ++i) dk[i] = dv[i] = 0;
    const int begin = begin_of(p), steps = end_of(p) - begin;
    wait(kv_full(), 0);
    begin_scores(consumer, 0);
    wait_for_products<0>();
    settle(s);
    SWEEPD_NO_UNROLL
    for (int index = 0;; ++index) {
      begin_gradients(consumer, index);
      if (index > 0) add_dq(p, consumer, begin + index - 1);
      share(p, consumer, begin + index, index);
      if (index + 1 == steps) break;
      wait_for_products<1>();  // for dv, so that its left operand's registers are free
      settle(dv);
      release(do_empty(index % kStages));
      begin_scores(consumer, index + 1);
      wait_for_products<1>();  // for dk
      settle(dk);
      release(q_empty(index % kStages));
      float sums[32];
      begin_dq(sums, consumer, index);
      wait_until_dq_is_read(consumer);
      wait_for_products<0>();
      settle(s);
      settle(sums);
      keep_dq(sums, consumer);
    }
    float sums[32];
    begin_dq(sums, consumer, steps - 1);
    wait_until_dq_is_read(consumer);
    wait_for_products<0>();
    settle(dv);
    settle(dk);
    settle(sums);
    keep_dq(sums, consumer);
    add_dq(p, consumer, begin + steps - 1);
    const int first = first_key() + 64 * consumer;
    store_sums<kType, kDim>(p, p.dv, dv, first, 1);
    store_sums<kType, kDim>(p, p.dk, dk, first, p.scale);
    // The block's shared memory must stay until the copy engine has read the last of dq.
    if (thread_index() % 128 == 0) wait_for_bulk();
  }

  SWEEPD_DEVICE static void release(Shared barrier) {
    if (thread_index() % 32 == 0) arrive(barrier);
  }

  // s, once stage `index` of q is there.
  SWEEPD_DEVICE void begin_scores(int consumer, int index) {
    const int stage = index % kStages;
    wait(q_full(stage), index / kStages % 2);
    forget(s);
    begin_products();
    keys_by_rows(s, k(), q(stage), consumer);
    commit_products();
  }
  // dp, once stage `index` of d_o is there.
  SWEEPD_DEVICE void begin_gradients(int consumer, int index) {
    const int stage = index % kStages;
    wait(do_full(stage), index / kStages % 2);
    forget(dp);
    begin_products();
    keys_by_rows(dp, v(), d_o(stage), consumer);
    commit_products();
  }

  // From scores to ds, for itself in registers and for both in shared memory; begins dv and dk.
  SWEEPD_DEVICE void share(const Problem& p, int consumer, int block, int index) {
    const int stage = index % kStages, buffer = index % kDsBuffers;
    soften(p, consumer, block * kRows, lse(stage));
    wait_for_products<0>();
    settle(dp);
    differentiate(delta(stage));
    begin_products();
    sum_rows(dv, probabilities, d_o(stage));
    commit_products();
    // Two buffers suffice: the other warpgroup has read this one before it filled the next, which
    // this one has waited for.
    keep_ds(consumer, buffer);
    fence_for_async();
    sync_warp();
    release(ds_full(buffer));
    begin_products();
    sum_rows(dk, ds, q(stage));
    commit_products();
  }

  // The warpgroup's 64 x 64 of dq, once both halves of ds are there.
  SWEEPD_DEVICE static void begin_dq(float (&sums)[32], int consumer, int index) {
    const int buffer = index % kDsBuffers;
    wait(ds_full(buffer), index / kDsBuffers % 2);
    begin_products();
    multiply_by_keys(sums, consumer, buffer);
    commit_products();
  }

  // Computes the warpgroup's 64 keys x kRows.
  SWEEPD_DEVICE static void keys_by_rows(float (&sums)[kRows / 2], Shared keys, Shared rows,
                                         int consumer) {
    const std::uint64_t left = describe(keys + static_cast<Shared>(consumer * 64 * 128));
    const std::uint64_t right = describe(rows);
    SWEEPD_UNROLL
    for (int i = 0; i < kDepth / 16; ++i) {
      const int inside = i % 4 * 32;
      product<kType, kRows, Major::kK, Major::kK>(sums, moved(left, i / 4 * kKeyPanel + inside),
                                                  moved(right, i / 4 * kRowPanel + inside), i > 0);
    }
  }
  // sum += left (64 keys x kRows) rows (kRows x d).
  SWEEPD_DEVICE static void sum_rows(float (&sum)[kDim / 2],
                                     const std::uint32_t (&left)[kRows / 16][4], Shared rows) {
    const std::uint64_t right = describe(rows, kRowPanel);
    SWEEPD_UNROLL
    for (int i = 0; i < kRows / 16; ++i) {
      product<kType, kDim, Major::kMn>(sum, left[i], moved(right, i * 2048), true);
    }
  }
  // Computes the warpgroup's 64 x 64 of ds k.
  SWEEPD_DEVICE static void multiply_by_keys(float (&sums)[32], int consumer, int buffer) {
    const Shared panel = static_cast<Shared>(consumer * kKeyPanel);
    const std::uint64_t left = describe(ds_at(buffer) + (kDqByRows ? panel : 0));
    const std::uint64_t right = describe(k() + (kDqByRows ? 0 : panel));
    SWEEPD_UNROLL
    for (int i = 0; i < kKeys / 16; ++i) {
      product<kType, 64, Major::kMn, Major::kMn>(sums, moved(left, i * 2048),
                                                 moved(right, i * 2048), i > 0);
    }
  }

  // Turns scores into probabilities.
  SWEEPD_DEVICE void soften(const Problem& p, int consumer, int row, Shared lines) {
    const int lane = thread_index() % 32, first = first_key() + 64 * consumer;
    const int key = first + thread_index() / 32 % 4 * 16 + lane / 4;
    const float scale = p.scale * kLog2E;
    SWEEPD_UNROLL
    for (int j = 0; j < kRows / 8; ++j) {
      float lse[2];
      load_shared(lse[0], lse[1], lines + static_cast<Shared>((j * 8 + lane % 4 * 2) * 4));
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) s[4 * j + e] = exp2_of(s[4 * j + e] * scale - lse[e % 2]);
    }
    // Also zeroes keys beyond the end: their scores are 0, and lse may be far below that.
    if (first + 64 > p.sequence || (p.causal && first + 63 > row)) {
      SWEEPD_UNROLL
      for (int i = 0; i < kRows / 2; ++i) {
        const int mine = key + i / 2 % 2 * 8, query = row + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (mine >= p.sequence || (p.causal && mine > query)) s[i] = 0;
      }
    }
  }

  SWEEPD_DEVICE void differentiate(Shared lines) {
    const int lane = thread_index() % 32;
    SWEEPD_UNROLL
    for (int j = 0; j < kRows / 8; ++j) {
      float delta[2];
      load_shared(delta[0], delta[1], lines + static_cast<Shared>((j * 8 + lane % 4 * 2) * 4));
      SWEEPD_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int i = 4 * j + 2 * half, slot = j % 2 * 2 + half;
        ds[j / 2][slot] = pack<kType>(s[i] * (dp[i] - delta[0]), s[i + 1] * (dp[i + 1] - delta[1]));
        probabilities[j / 2][slot] = pack<kType>(s[i], s[i + 1]);
      }
    }
  }

  // Stores ds^T in shared memory, swizzled as TMA would, where wgmma reads it as an MN-major left
  // operand.
  SWEEPD_DEVICE void keep_ds(int consumer, int buffer) const {
    const int lane = thread_index() % 32;
    const int key = 64 * consumer + thread_index() / 32 % 4 * 16 + lane % 16;
    SWEEPD_UNROLL
    for (int i = 0; i < kRows / 16; ++i) {
      const int chunk = 2 * i + lane / 16;  // of 8 rows of q
      const int offset = chunk / 8 * kKeyPanel + key * 128 + (chunk % 8 ^ key % 8) * 16;
      store_matrices(ds_at(buffer) + static_cast<Shared>(offset), ds[i]);
    }
  }

  // The place of dq may be written again after this: the copy engine has read the former step's.
  SWEEPD_DEVICE static void wait_until_dq_is_read(int consumer) {
    if (thread_index() % 128 == 0) wait_for_bulk_reads();
    sync_threads(2 + consumer, 128);
  }
  SWEEPD_DEVICE static void keep_dq(const float (&sums)[32], int consumer) {
    SWEEPD_UNROLL
    for (int i = 0; i < 8; ++i) {
      store_shared(dq(consumer) + static_cast<Shared>((i * 128 + thread_index() % 128) * 16),
                   sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]);
    }
  }
  SWEEPD_DEVICE static void add_dq(const Problem& p, int consumer, int block) {
    fence_for_async();  // here, where the stores of keep_dq have ended
    sync_threads(2 + consumer, 128);
    if (thread_index() % 128 == 0) {
      float* to = p.dq_sum + (line(p) + block * kRows) * kDim + consumer * (kDqBytes / 4);
      add_bulk(to, dq(consumer), kDqBytes);
    }
  }
};

}  // namespace sweepd::gpu
