// FlashAttention-2 in fp32 without tensor cores: each sum is a chain of fused multiply-adds, so
// that fp32 means fp32 (tf32 keeps 10 bits of the fraction). Any d up to 128, any GPU. Written for
// correctness: a warp has four rows, and its lanes are 32 columns of scores, then columns of the
// result.
#pragma once

#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

// 32 rows of an fp32 matrix in shared memory. Rows are one float longer than d, so that 32 lanes
// that read one column of 32 rows access 32 banks.
struct FloatTile {
  static constexpr int kRows = 32, kMaxDim = 128, kStride = kMaxDim + 1;
  static constexpr int kFloats = kRows * kStride;
  float* data;

  SWEEPD_DEVICE const float* row(int index) const { return data + index * kStride; }
  // All 256 threads call it. Rows beyond the end are zeros.
  SWEEPD_DEVICE void load(const Problem& p, const Matrix& matrix, int first, int head,
                          int batch) const {
    for (int i = thread_index(); i < kRows * p.head_dim; i += 256) {
      const int row = i / p.head_dim, column = i % p.head_dim;
      const bool inside = first + row < p.sequence;
      data[row * kStride + column] =
          inside ? row_of<const float>(matrix, batch, head, first + row)[column] : 0;
    }
  }
};

SWEEPD_DEVICE float dot(const float* a, const float* b, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum = fmaf(a[i], b[i], sum);
  return sum;
}

// Shared by all three kernels: eight warps of four rows, and a warp's 4 x 32 scores in shared
// memory, where every lane reads them.
struct FloatKernel {
  static constexpr int kThreads = 256, kTile = 32, kRowsPerWarp = 4, kSlices = 4;  // 4 x 32 = 128

  SWEEPD_DEVICE static FloatTile tile(int index) {
    return {shared_floats() + index * FloatTile::kFloats};
  }
  SWEEPD_DEVICE static float* scores(int tiles, int set) {
    return shared_floats() + tiles * FloatTile::kFloats + set * kTile * kTile +
           thread_index() / 32 * kRowsPerWarp * kTile;
  }
  static constexpr int shared_bytes(int tiles, int sets) {
    return (tiles * FloatTile::kFloats + sets * kTile * kTile) * 4;
  }
  SWEEPD_DEVICE static int lane() { return thread_index() % 32; }
  SWEEPD_DEVICE static int row(int i) { return thread_index() / 32 * kRowsPerWarp + i; }

  // Adds scores[row] times the tile to sum[row], for this lane's columns.
  SWEEPD_DEVICE static void accumulate(float (&sum)[kRowsPerWarp][kSlices], const float* score,
                                       FloatTile right, int head_dim) {
    SWEEPD_UNROLL
    for (int c = 0; c < kSlices; ++c) {
      const int column = c * 32 + lane();
      if (column >= head_dim) continue;
      for (int j = 0; j < kTile; ++j) {
        const float value = right.row(j)[column];
        SWEEPD_UNROLL
        for (int i = 0; i < kRowsPerWarp; ++i) {
          sum[i][c] = fmaf(score[i * kTile + j], value, sum[i][c]);
        }
      }
    }
  }

  SWEEPD_DEVICE static void store(const Problem& p, const Matrix& matrix,
                                  const float (&sum)[kRowsPerWarp][kSlices],
                                  const float (&factor)[kRowsPerWarp], int first) {
    SWEEPD_UNROLL
    for (int i = 0; i < kRowsPerWarp; ++i) {
      if (first + row(i) >= p.sequence) continue;
      float* to = row_of<float>(matrix, block_z(), block_y(), first + row(i));
      SWEEPD_UNROLL
      for (int c = 0; c < kSlices; ++c) {
        const int column = c * 32 + lane();
        if (column < p.head_dim) to[column] = sum[i][c] * factor[i];
      }
    }
  }
};

// Grid {blocks_of(S, 32), heads, batch}, also for the two below.
struct FloatForward : FloatKernel {
  static constexpr int kSharedBytes = shared_bytes(3, 1);

  SWEEPD_DEVICE void run(const Problem& p) {
    const FloatTile q = tile(0), k = tile(1), v = tile(2);
    float* score = scores(3, 0);
    const int first = block_x() * kTile, head = block_y(), batch = block_z();
    float o[kRowsPerWarp][kSlices] = {}, m[kRowsPerWarp], l[kRowsPerWarp] = {};
    for (float& value : m) value = -INFINITY;
    q.load(p, p.q, first, head, batch);

    const int end = p.causal ? block_x() + 1 : blocks_of(p.sequence, kTile);
    for (int block = 0; block < end; ++block) {
      sync_block();
      k.load(p, p.k, block * kTile, head, batch);
      v.load(p, p.v, block * kTile, head, batch);
      sync_block();
      const int key = block * kTile + lane();
      SWEEPD_UNROLL
      for (int i = 0; i < kRowsPerWarp; ++i) {
        float s = dot(q.row(row(i)), k.row(lane()), p.head_dim) * p.scale;
        if (key >= p.sequence || (p.causal && key > first + row(i))) s = -INFINITY;
        float largest = fmaxf(m[i], s);
        for (int mask = 16; mask > 0; mask /= 2) {
          largest = fmaxf(largest, shuffle_xor(largest, mask));
        }
        const float shift = largest == -INFINITY ? 0 : largest;
        const float shrink = expf(m[i] - shift);
        m[i] = largest;
        const float probability = expf(s - shift);
        l[i] = l[i] * shrink + probability;  // for this lane's columns
        SWEEPD_UNROLL
        for (int c = 0; c < kSlices; ++c) o[i][c] *= shrink;
        score[i * kTile + lane()] = probability;
      }
      sync_warp();
      accumulate(o, score, v, p.head_dim);
      sync_warp();
    }

    float share[kRowsPerWarp];
    SWEEPD_UNROLL
    for (int i = 0; i < kRowsPerWarp; ++i) {
      for (int mask = 16; mask > 0; mask /= 2) l[i] += shuffle_xor(l[i], mask);
      share[i] = 1 / l[i];
      const int line = first + row(i);
      if (lane() == 0 && line < p.sequence) {
        p.lse[(static_cast<std::int64_t>(batch) * p.heads + head) * p.sequence + line] =
            m[i] + logf(l[i]);
      }
    }
    store(p, p.o, o, share, first);
  }
};

// Multiplies rows of q with all keys: dq.
struct FloatBackwardRows : FloatKernel {
  static constexpr int kSharedBytes = shared_bytes(4, 1);

  SWEEPD_DEVICE void run(const Problem& p) {
    const FloatTile q = tile(0), d_o = tile(1), k = tile(2), v = tile(3);
    float* ds = scores(4, 0);
    const int first = block_x() * kTile, head = block_y(), batch = block_z();
    const std::int64_t line =
        (static_cast<std::int64_t>(batch) * p.heads + head) * padded_rows(p.sequence) + first;
    float dq[kRowsPerWarp][kSlices] = {}, factor[kRowsPerWarp];
    for (float& value : factor) value = p.scale;
    q.load(p, p.q, first, head, batch);
    d_o.load(p, p.d_o, first, head, batch);

    const int end = p.causal ? block_x() + 1 : blocks_of(p.sequence, kTile);
    for (int block = 0; block < end; ++block) {
      sync_block();
      k.load(p, p.k, block * kTile, head, batch);
      v.load(p, p.v, block * kTile, head, batch);
      sync_block();
      const int key = block * kTile + lane();
      SWEEPD_UNROLL
      for (int i = 0; i < kRowsPerWarp; ++i) {
        const float s = dot(q.row(row(i)), k.row(lane()), p.head_dim) * p.scale;
        const float dp = dot(d_o.row(row(i)), v.row(lane()), p.head_dim);
        const bool hidden = key >= p.sequence || (p.causal && key > first + row(i));
        const float probability = exp2f(s * kLog2E - p.lse_log2[line + row(i)]);
        ds[i * kTile + lane()] = hidden ? 0 : probability * (dp - p.delta[line + row(i)]);
      }
      sync_warp();
      accumulate(dq, ds, k, p.head_dim);
      sync_warp();
    }
    store(p, p.dq, dq, factor, first);
  }
};

// Multiplies rows of k and v with all of q: dk and dv. The lanes are rows of q.
struct FloatBackwardKeys : FloatKernel {
  static constexpr int kSharedBytes = shared_bytes(4, 2);

  SWEEPD_DEVICE void run(const Problem& p) {
    const FloatTile k = tile(0), v = tile(1), q = tile(2), d_o = tile(3);
    float *probabilities = scores(4, 0), *ds = scores(4, 1);
    const int first = block_x() * kTile, head = block_y(), batch = block_z();
    const std::int64_t line =
        (static_cast<std::int64_t>(batch) * p.heads + head) * padded_rows(p.sequence);
    float dk[kRowsPerWarp][kSlices] = {}, dv[kRowsPerWarp][kSlices] = {};
    float one[kRowsPerWarp], scale[kRowsPerWarp];
    for (float& value : one) value = 1;
    for (float& value : scale) value = p.scale;
    k.load(p, p.k, first, head, batch);
    v.load(p, p.v, first, head, batch);

    const int end = blocks_of(p.sequence, kTile);
    for (int block = p.causal ? block_x() : 0; block < end; ++block) {
      sync_block();
      q.load(p, p.q, block * kTile, head, batch);
      d_o.load(p, p.d_o, block * kTile, head, batch);
      sync_block();
      const int query = block * kTile + lane();
      SWEEPD_UNROLL
      for (int i = 0; i < kRowsPerWarp; ++i) {
        const float s = dot(k.row(row(i)), q.row(lane()), p.head_dim) * p.scale;
        const float dp = dot(v.row(row(i)), d_o.row(lane()), p.head_dim);
        const int key = first + row(i);
        const bool hidden = key >= p.sequence || (p.causal && key > query);
        // Rows beyond the end have an infinite lse.
        const float probability = exp2f(s * kLog2E - p.lse_log2[line + query]);
        probabilities[i * kTile + lane()] = hidden ? 0 : probability;
        ds[i * kTile + lane()] = hidden ? 0 : probability * (dp - p.delta[line + query]);
      }
      sync_warp();
      accumulate(dv, probabilities, d_o, p.head_dim);
      accumulate(dk, ds, q, p.head_dim);
      sync_warp();
    }
    store(p, p.dv, dv, one, first);
    store(p, p.dk, dk, scale, first);
  }
};

}  // namespace sweepd::gpu
