#include <limits>

#include "runner/trace/work_inputs.h"

namespace sweepd::trace {
namespace {

// Where a fused attention has its inputs: query, key and value follow each other, as (batch, heads,
// sequence, d) or (batch, sequence, heads, d).
constexpr std::size_t kNoLengths = std::numeric_limits<std::size_t>::max();
enum class Heads : std::uint8_t { kBeforeSequence, kAfterSequence };
enum class Direction : std::uint8_t { kForward, kBackward };
struct AttentionCall {
  std::string_view name;
  Direction direction;
  Heads heads;
  std::size_t query, lengths, causal;  // `lengths`: of sequences packed into one
};
constexpr AttentionCall kAttentions[] = {
    {"_flash_attention_forward", Direction::kForward, Heads::kAfterSequence, 0, 3, 8},
    {"_flash_attention_backward", Direction::kBackward, Heads::kAfterSequence, 1, kNoLengths, 11},
    {"_efficient_attention_forward", Direction::kForward, Heads::kAfterSequence, 0, 4, 9},
    {"_efficient_attention_backward", Direction::kBackward, Heads::kAfterSequence, 1, 6, 14},
    {"_cudnn_attention_forward", Direction::kForward, Heads::kBeforeSequence, 0, 4, 10},
    {"_cudnn_attention_backward", Direction::kBackward, Heads::kBeforeSequence, 1, kNoLengths, 14},
    {"_scaled_dot_product_cudnn_attention", Direction::kForward, Heads::kBeforeSequence, 0,
     kNoLengths, 6},
    {"_scaled_dot_product_cudnn_attention_backward", Direction::kBackward, Heads::kBeforeSequence,
     1, kNoLengths, 14},
    {"_scaled_dot_product_flash_attention_for_cpu", Direction::kForward, Heads::kBeforeSequence, 0,
     kNoLengths, 4},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", Direction::kBackward,
     Heads::kBeforeSequence, 1, kNoLengths, 7},
};

// A flag, or the kind of mask of _efficient_attention_forward.
bool is_causal(WorkInputs inputs, std::size_t index) {
  if (index >= inputs.size()) return false;
  const std::string& value = inputs[index].value;
  return value == "True" || value == "1" || value == "2";
}

std::optional<OperatorWork> work_of_attention(WorkInputs inputs, const AttentionCall& call) {
  const OperatorInput* query = tensor_of(inputs, call.query, 4);
  const OperatorInput* key = tensor_of(inputs, call.query + 1, 4);
  const OperatorInput* value = tensor_of(inputs, call.query + 2, 4);
  if (query == nullptr || key == nullptr || value == nullptr || query->type != key->type) {
    return std::nullopt;
  }
  if (call.lengths < inputs.size() && is_tensor(inputs[call.lengths])) return std::nullopt;
  const std::size_t heads = call.heads == Heads::kBeforeSequence ? 1 : 2, sequence = 3 - heads;
  const double rows = size_at(*query, 0) * size_at(*query, heads) * size_at(*query, sequence);
  const double keys = size_at(*key, sequence), d = size_at(*query, 3), d_v = size_at(*value, 3);
  const double inputs_size = elements(query->dims) + elements(key->dims) + elements(value->dims);
  const double output_size = rows * d_v;
  const ElementType* type = type_of(*query);
  OperatorWork work{2 * rows * keys * (d + d_v), (inputs_size + output_size) * type->bytes,
                    type->arithmetic};
  if (call.direction == Direction::kBackward) {
    work.flops = 2 * rows * keys * (3 * d + 2 * d_v);
    work.bytes *= 2;  // each has a gradient
  }
  if (is_causal(inputs, call.causal) && query->dims[sequence] == key->dims[sequence]) {
    work.flops /= 2;
  }
  return work;
}

}  // namespace

bool is_fused_attention(std::string_view name) {
  return find_by_name(kAttentions, name) != nullptr;
}

std::optional<OperatorWork> attention_work(std::string_view name, WorkInputs inputs) {
  const AttentionCall* call = find_by_name(kAttentions, name);
  if (call == nullptr) return std::nullopt;
  return work_of_attention(inputs, *call);
}

}  // namespace sweepd::trace
