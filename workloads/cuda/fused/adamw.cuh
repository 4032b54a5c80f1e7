// AdamW of many tensors in one launch.
#pragma once

#include "workloads/cuda/fused/fused.cuh"

namespace sweepd::gpu {

// The two bias corrections need more digits than fp32 has (1 - 0.999), so one thread computes them
// in double for its block.
template <Element kGradient>
struct AdamWUpdate : FusedKernel {
  static constexpr int kSharedBytes = 2 * 4, kResident = 4;
  // Four elements, so that a warp's accesses to fp32 have no gaps.
  static constexpr int kWidth = 4;
  using Floats = Vector<Element::kFp32, kWidth>;
  using Gradients = Vector<kGradient, kWidth>;

  SWEEPD_DEVICE void run(const AdamWTask& t) {
    prepare(t);
    const int chunks = t.ends[t.size - 1];
    int index = 0;
    for (int chunk = block_x(); chunk < chunks; chunk += grid_x()) {
      while (chunk >= t.ends[index]) ++index;
      const AdamWTensor whole = t.tensors[index];
      const int before = index == 0 ? 0 : t.ends[index - 1];
      const std::int64_t begin = static_cast<std::int64_t>(chunk - before) * AdamWTask::kChunk;
      const std::int64_t left = whole.count - begin;
      update(whole, begin, left < AdamWTask::kChunk ? static_cast<int>(left) : AdamWTask::kChunk);
    }
  }

 private:
  float step_size, root_correction, keep, beta2, new1, new2, eps;

  SWEEPD_DEVICE void prepare(const AdamWTask& t) {
    if (thread_index() == 0) {
      const double updates = static_cast<double>(*t.updates);
      shared_floats()[0] = static_cast<float>(t.lr / (1 - pow(t.beta1, updates)));
      shared_floats()[1] = static_cast<float>(sqrt(1 - pow(t.beta2, updates)));
    }
    sync_block();
    step_size = shared_floats()[0];
    root_correction = shared_floats()[1];
    keep = static_cast<float>(1 - t.lr * t.weight_decay);
    beta2 = static_cast<float>(t.beta2);
    eps = static_cast<float>(t.eps);
    new1 = static_cast<float>(1 - t.beta1);
    new2 = static_cast<float>(1 - t.beta2);
  }

  struct Weight {
    float p, m, v;
  };
  SWEEPD_DEVICE Weight updated(const Weight& old, float g) const {
    const float m = old.m + (g - old.m) * new1;
    const float v = old.v * beta2 + g * g * new2;
    const float p = old.p * keep - m / (sqrtf(v) / root_correction + eps) * step_size;
    return {p, m, v};
  }

  SWEEPD_DEVICE void update(const AdamWTensor& t, std::int64_t begin, int count) const {
    const bool aligned = Floats::aligned(t.p) && Floats::aligned(t.m) && Floats::aligned(t.v) &&
                         Gradients::aligned(t.g) && Gradients::aligned(t.copy);
    const int vectors = aligned ? count / kWidth : 0;
    by_vector(t, begin, static_cast<unsigned>(vectors));
    for (int i = vectors * kWidth + thread_index(); i < count; i += kThreads) {
      const std::int64_t at = begin + i;
      const Weight now = updated({t.p[at], t.m[at], t.v[at]}, load<kGradient>(t.g, at));
      t.p[at] = now.p;
      t.m[at] = now.m;
      t.v[at] = now.v;
      if (t.copy != nullptr) store<kGradient>(t.copy, at, now.p);
    }
  }

  SWEEPD_DEVICE void by_vector(const AdamWTensor& t, std::int64_t begin, unsigned vectors) const {
    struct Loaded {
      std::int64_t at;
      Floats p, m, v;
      Gradients g;
    };
    two_by_two(
        static_cast<unsigned>(thread_index()), kThreads, vectors,
        [&](unsigned i) {
          const std::int64_t at = begin + static_cast<std::int64_t>(i) * kWidth;
          return Loaded{
              at, load_streamed(Floats::place(t.p, at)), load_streamed(Floats::place(t.m, at)),
              load_streamed(Floats::place(t.v, at)), load_streamed(Gradients::place(t.g, at))};
        },
        [&](Loaded now) {
          Gradients copy;
          SWEEPD_UNROLL
          for (int k = 0; k < kWidth; k += 2) {
            const Weight one = updated({now.p[k], now.m[k], now.v[k]}, now.g[k]);
            const Weight two = updated({now.p[k + 1], now.m[k + 1], now.v[k + 1]}, now.g[k + 1]);
            now.p.set(k, one.p, two.p);
            now.m.set(k, one.m, two.m);
            now.v.set(k, one.v, two.v);
            copy.set(k, one.p, two.p);
          }
          store_streamed(Floats::place(t.p, now.at), now.p);
          store_streamed(Floats::place(t.m, now.at), now.m);
          store_streamed(Floats::place(t.v, now.at), now.v);
          if (t.copy != nullptr) *Gradients::place(t.copy, now.at) = copy;
        });
  }
};

}  // namespace sweepd::gpu
