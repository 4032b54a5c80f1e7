// The softmax of Hopper's forward, on the accumulator of a warpgroup's scores.
#pragma once

#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

// Turns a thread's scores of two rows into probabilities. m, the rows' largest scores, and l, the
// sums of this thread's probabilities, go on from the keys before; `shrink` is the factor for what
// was summed with the former m. `scale` is positive and in units of log2.
template <int kCount>
SWEEPD_DEVICE void soften_rows(float (&s)[kCount], float scale, float (&m)[2], float (&l)[2],
                               float (&shrink)[2]) {
  // Two chains a row, because the next maximum or sum of one would wait for the last.
  float largest[2][2] = {{m[0], s[4]}, {m[1], s[6]}};
  SWEEPD_UNROLL
  for (int j = 0; j < kCount / 4; ++j) {
    SWEEPD_UNROLL
    for (int half = 0; half < 2; ++half) {
      float& most = largest[half][j % 2];
      most = fmaxf(most, fmaxf(s[4 * j + 2 * half], s[4 * j + 2 * half + 1]));
    }
  }
  float shift[2], sum[2][2] = {};
  SWEEPD_UNROLL
  for (int half = 0; half < 2; ++half) {
    const float most = max_of_quad(fmaxf(largest[half][0], largest[half][1]));
    shift[half] = most == -INFINITY ? 0 : most * scale;
    shrink[half] = exp2_of(m[half] * scale - shift[half]);
    m[half] = most;
  }
  SWEEPD_UNROLL
  for (int j = 0; j < kCount / 4; ++j) {
    SWEEPD_UNROLL
    for (int e = 4 * j; e < 4 * j + 4; ++e) {
      const int half = e / 2 % 2;
      s[e] = exp2_of(s[e] * scale - shift[half]);
      sum[half][e % 2] += s[e];
    }
  }
  SWEEPD_UNROLL
  for (int half = 0; half < 2; ++half) {
    l[half] = l[half] * shrink[half] + (sum[half][0] + sum[half][1]);
  }
}

}  // namespace sweepd::gpu
