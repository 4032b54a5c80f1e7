#include "workloads/flash/flash_cpu.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "runner/base/instruction_sets.h"
#include "workloads/flash/parallel_for.h"

namespace sweepd {
namespace {

using flash::Element;
using flash::Kernels;

const Kernels*& chosen() {
  static const Kernels* kernels = usable_cpu_kernels().front();
  return kernels;
}

Element element_of(at::ScalarType type) {
  if (type == at::kHalf) return Element::kFp16;
  return type == at::kBFloat16 ? Element::kBf16 : Element::kFp32;
}

// The kernels need the elements of a row to be adjacent; heads and rows may have any strides.
at::Tensor with_adjacent_columns(const at::Tensor& tensor) {
  return tensor.stride(3) == 1 || tensor.size(3) == 1 ? tensor : tensor.contiguous();
}

void* head_data(const at::Tensor& tensor, std::int64_t head) {
  const std::int64_t heads = tensor.size(1);
  const std::int64_t offset = head / heads * tensor.stride(0) + head % heads * tensor.stride(1);
  return static_cast<char*>(tensor.data_ptr()) + offset * tensor.element_size();
}

flash::Matrix matrix(const at::Tensor& tensor, std::int64_t head) {
  return {head_data(tensor, head), tensor.stride(2)};
}

flash::MutableMatrix mutable_matrix(const at::Tensor& tensor, std::int64_t head) {
  return {head_data(tensor, head), tensor.stride(2)};
}

flash::Head head_of(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    const FlashOptions& options, std::int64_t head) {
  return {matrix(q, head),
          matrix(k, head),
          matrix(v, head),
          q.size(2),
          q.size(3),
          options.mask == AttentionMask::kCausal,
          static_cast<float>(options.scale)};
}

// Runs task(item, thread) for each item. A thread takes the next item when it is done with one.
template <class Task>
void share_out(std::int64_t items, std::int64_t threads, const Task& task) {
  std::atomic<std::int64_t> next{0};
  parallel_for(0, threads, 1, [&](std::int64_t begin, std::int64_t end) {
    // In a nested or smaller pool one call gets several threads' shares.
    for (std::int64_t thread = begin; thread < end; ++thread) {
      for (std::int64_t item = next++; item < items; item = next++) task(item, thread);
    }
  });
}

std::int64_t threads_for(std::int64_t items) {
  return std::max<std::int64_t>(1, std::min<std::int64_t>(items, at::get_num_threads()));
}

// Allocated by torch, so that it is counted and limited like everything else: 64-byte aligned.
at::Tensor floats(std::int64_t rows, std::int64_t count) {
  return at::empty({rows, (count + 15) / 16 * 16}, at::kFloat);
}

float* row(const at::Tensor& tensor, std::int64_t index) {
  return tensor.data_ptr<float>() + index * tensor.stride(0);
}

flash::Tile wanted(const FlashTile& tile) {
  return {tile.rows, tile.columns};
}

std::string refusal(at::Device, at::ScalarType, std::int64_t head_dim, FlashProducts products) {
  if (products == FlashProducts::k3xTf32) return "3xtf32 needs a GPU's tensor cores";
  if (head_dim <= flash::kMaxWidth) return "";
  return "its tiles hold head dimensions to " + std::to_string(flash::kMaxWidth);
}

FlashOutput forward(const at::Tensor& q_in, const at::Tensor& k_in, const at::Tensor& v_in,
                    const FlashOptions& options) {
  const Kernels& kernels = chosen_cpu_kernels();
  const at::Tensor q = with_adjacent_columns(q_in), k = with_adjacent_columns(k_in),
                   v = with_adjacent_columns(v_in);
  const std::int64_t heads = q.size(0) * q.size(1), length = q.size(2);
  at::Tensor o = at::empty_like(q);
  at::Tensor lse = at::empty({q.size(0), q.size(1), length}, at::kFloat);

  const Element element = element_of(q.scalar_type());
  const flash::Tile tile = kernels.forward_tile(wanted(options.tile));
  const std::int64_t rows = tile.rows, blocks = (length + rows - 1) / rows;
  const std::int64_t threads = threads_for(heads * blocks);
  const at::Tensor workspace = floats(threads, kernels.forward_floats(q.size(3), tile));
  share_out(heads * blocks, threads, [&](std::int64_t item, std::int64_t thread) {
    const std::int64_t head = item / blocks;
    // Starts at the last row: with a causal mask the last rows take longest, and should not start
    // last.
    const std::int64_t first = (blocks - 1 - item % blocks) * rows;
    kernels.forward(
        element,
        {head_of(q, k, v, options, head), mutable_matrix(o, head),
         lse.data_ptr<float>() + head * length, first, std::min(rows, length - first), tile},
        row(workspace, thread));
  });
  return {o, lse};
}

// Divides the columns into `parts` ranges of about the same work. Returns where number `part`
// begins.
std::int64_t column_at(std::int64_t part, std::int64_t parts, std::int64_t length, bool causal) {
  const double share = static_cast<double>(part) / static_cast<double>(parts);
  const double at = causal ? 1 - std::sqrt(1 - share) : share;
  return part == parts ? length : static_cast<std::int64_t>(at * static_cast<double>(length));
}

struct BackwardInputs {
  at::Tensor d_o, q, k, v, o, lse;
  FlashOptions options;
};

flash::BackwardTask backward_task(const BackwardInputs& in, const FlashGradients& out,
                                  std::int64_t head, std::int64_t part, std::int64_t parts) {
  const std::int64_t length = in.q.size(2);
  const bool causal = in.options.mask == AttentionMask::kCausal;
  flash::BackwardTask task;
  task.head = head_of(in.q, in.k, in.v, in.options, head);
  task.o = matrix(in.o, head);
  task.d_o = matrix(in.d_o, head);
  task.lse = in.lse.data_ptr<float>() + head * length;
  task.dk = mutable_matrix(out.dk, head);
  task.dv = mutable_matrix(out.dv, head);
  task.first = column_at(part, parts, length, causal);
  task.count = column_at(part + 1, parts, length, causal) - task.first;
  return task;
}

// A head is one task if there is at least one for every thread. Otherwise its columns are divided,
// and each part has its own sums, so that the result does not depend on the order of the threads.
void backward_into(const BackwardInputs& in, const FlashGradients& out) {
  const Kernels& kernels = chosen_cpu_kernels();
  const std::int64_t heads = in.q.size(0) * in.q.size(1), length = in.q.size(2);
  const std::int64_t width = in.q.size(3), pool = at::get_num_threads();
  const std::int64_t parts = std::min(length, heads >= pool ? 1 : (pool + heads - 1) / heads);
  const std::int64_t threads = threads_for(heads * parts);
  const Element element = element_of(in.q.scalar_type());
  const flash::Tile tile = kernels.backward_tile(wanted(in.options.tile));
  const at::Tensor workspace = floats(threads, kernels.backward_floats(width, tile));
  const at::Tensor sums =
      floats(parts == 1 ? threads : heads * parts, length * flash::padded_width(width));

  const auto finish = [&](std::int64_t head, std::int64_t first_sum) {
    kernels.finish_dq(element, {mutable_matrix(out.dq, head), row(sums, first_sum), sums.stride(0),
                                parts, length, width, static_cast<float>(in.options.scale)});
  };
  share_out(heads * parts, threads, [&](std::int64_t item, std::int64_t thread) {
    const std::int64_t head = item / parts;
    const std::int64_t sum = parts == 1 ? thread : item;
    flash::BackwardTask task = backward_task(in, out, head, item % parts, parts);
    task.dq_sum = row(sums, sum);
    task.tile = tile;
    std::fill_n(task.dq_sum, sums.size(1), 0.0F);
    kernels.backward(element, task, row(workspace, thread));
    if (parts == 1) finish(head, sum);
  });
  if (parts > 1) {
    share_out(heads, threads_for(heads),
              [&](std::int64_t head, std::int64_t) { finish(head, head * parts); });
  }
}

FlashGradients backward(const at::Tensor& d_o, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v, const at::Tensor& o, const at::Tensor& lse,
                        const FlashOptions& options) {
  const BackwardInputs in{with_adjacent_columns(d_o),
                          with_adjacent_columns(q),
                          with_adjacent_columns(k),
                          with_adjacent_columns(v),
                          with_adjacent_columns(o),
                          lse.contiguous(),
                          options};
  const FlashGradients out{at::empty_like(in.q), at::empty_like(in.k), at::empty_like(in.v)};
  backward_into(in, out);
  return out;
}

}  // namespace

std::vector<const flash::Kernels*> usable_cpu_kernels() {
  std::vector<const Kernels*> usable;
#if defined(__x86_64__)
  if (has_avx512()) usable.push_back(&flash::kAvx512Kernels);
  if (has_avx2()) usable.push_back(&flash::kAvx2Kernels);
#endif
  usable.push_back(&flash::kPortableKernels);
  return usable;
}

const flash::Kernels& chosen_cpu_kernels() {
  return *chosen();
}

void choose_cpu_kernels(const flash::Kernels& kernels) {
  chosen() = &kernels;
}

const FlashKernels& cpu_flash_kernels() {
  static constexpr FlashKernels kKernels{&refusal, &forward, &backward};
  return kKernels;
}

}  // namespace sweepd
