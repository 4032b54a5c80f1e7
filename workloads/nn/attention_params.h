// Parameters of the workload `attention`, and the facts about a step without running it.
// Includes no torch header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/model/measurement/work.h"
#include "runner/model/vocabulary/param.h"

namespace sweepd {

// A `dtype`: fp32 tensors, multiplied by tensor cores with operands split into two of tf32.
inline constexpr std::string_view kDtype3xTf32 = "3xtf32";

struct AttentionParams {
  std::string implementation = "naive";
  std::int64_t batch = 8;
  std::int64_t heads = 1;
  std::int64_t sequence = 1024;
  std::int64_t d_head = 64;
  bool causal = false;
  std::string dtype = "fp32";
  std::string mode = "both";
  std::string compile = "eager";
  std::int64_t block_q = 0;
  std::int64_t block_k = 0;

  void visit(auto& field) {
    field("implementation", implementation,
          "naive: S x S scores in memory; sdpa_*: torch's kernel of that name, pinned; flash: "
          "sweepd's own FlashAttention-2",
          one_of({"naive", "sdpa_math", "sdpa_flash", "sdpa_efficient", "sdpa_cudnn", "flash"}),
          Matters());
    field("batch", batch, "sequences of one step", at_least(1), at_most(1 << 20), GrowsMemory(),
          Matters());
    field("heads", heads, "heads of each sequence", at_least(1), at_most(4096), GrowsMemory(),
          Matters());
    field("sequence", sequence, "rows of Q, K and V", at_least(1), at_most(1 << 22), GrowsMemory(),
          Matters());
    field("d_head", d_head, "columns of Q, K and V", at_least(1), at_most(1024), GrowsMemory(),
          Matters());
    field("causal", causal, "row i sees only rows 0 to i of K and V", Matters());
    field("dtype", dtype,
          "type of Q, K, V and the gradients; fp32 is never TF32; 3xtf32: fp32, with products of "
          "three TF32 products, only `flash` on a GPU",
          one_of({"fp32", "3xtf32", "fp16", "bf16"}), Matters());
    field(
        "mode", mode,
        "what a step does; `forward` keeps nothing for a backward, `backward` repeats the backward "
        "of one forward",
        one_of({"forward", "backward", "both"}), Matters());
    field("compile", compile,
          "eager: operator by operator; cuda_graph: each phase captured once, then replayed; "
          "aot_inductor: a package that tools/aot_compile made, only for `naive`",
          one_of({"eager", "cuda_graph", "aot_inductor"}));
    field("block_q", block_q,
          "flash on a CPU: rows of Q in a tile, forward and backward, a multiple of 16; 0 is the "
          "kernel's own",
          at_least(0), at_most(1024));
    field("block_k", block_k, "flash on a CPU: rows of K in a tile, like block_q", at_least(0),
          at_most(1024));
  }
};

enum class AttentionMode { kForward, kBackward, kBoth };
AttentionMode attention_mode_from(const std::string& name);  // throws std::invalid_argument

// Throws std::invalid_argument for combinations that `compile` does not support, naming those it
// does.
void require_compilable(const AttentionParams& params);
// Throws std::invalid_argument for 3xtf32 of another implementation than `flash`.
void require_products(const AttentionParams& params);
// Throws std::invalid_argument for tiles that no kernel has, or that belong to another
// implementation.
void require_tiles(const AttentionParams& params);

// FLOPs of the two matrix products of the forward, `4 B h S^2 d`, and of the backward: twice that
// from stored probabilities, 2.5 times if the kernel computes the scores again. With a causal mask
// the phases count the half that the mask leaves; the figures give both conventions.
WorkPerStep work_of(const AttentionParams& params);

}  // namespace sweepd
