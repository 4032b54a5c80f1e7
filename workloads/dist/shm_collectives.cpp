// The `shm` backend: ranks of one host communicate through shared memory (described in
// workloads/dist/shm/group.h), with CPU tensors of fp32, fp64, fp16, bf16, int32 and int64. `empty`
// returns tensors that all ranks can access, which all_reduce sums in place. They count like any
// tensor's memory, and may outlive the collectives.
//
// One thread of each rank moves the data, independent of the rank's number of threads.
//
// The ranks find each other through the file `shm.address` in the attempt's folder, which is
// removed once they have.
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "workloads/api/failure.h"
#include "workloads/cpu/counting_allocator.h"
#include "workloads/dist/backends.h"
#include "workloads/dist/shm/join.h"
#include "workloads/torch/nodes.h"

namespace sweepd {
namespace {

shm::Type type_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return shm::Type::kFp32;
    case at::kDouble:
      return shm::Type::kFp64;
    case at::kHalf:
      return shm::Type::kFp16;
    case at::kBFloat16:
      return shm::Type::kBf16;
    case at::kInt:
      return shm::Type::kInt32;
    case at::kLong:
      return shm::Type::kInt64;
    default:
      throw std::invalid_argument(fmt::format(
          "backend shm cannot add {}; it knows Float, Double, Half, BFloat16, Int, Long",
          c10::toString(tensor.scalar_type())));
  }
}

std::size_t count_of(const at::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.numel());
}

// The block of a tensor; it counts like any other tensor's.
class SharedBlock {
 public:
  SharedBlock(std::shared_ptr<shm::Heap> heap, std::size_t bytes)
      : heap_(std::move(heap)),
        counted_(static_cast<std::int64_t>(bytes)),
        data_(heap_->allocate(bytes)) {
    try {
      CountingAllocator::install().charge(data_, counted_);
    } catch (...) {
      heap_->release(data_);
      throw;
    }
  }
  ~SharedBlock() {
    CountingAllocator::install().refund(data_, counted_);
    heap_->release(data_);
  }
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  void* data() { return data_; }

 private:
  std::shared_ptr<shm::Heap> heap_;
  std::int64_t counted_;
  void* data_;
};

class ShmCollectives final : public Collectives {
 public:
  explicit ShmCollectives(const Context& context) {
    shm::Place place;
    place.folder = context.folder;
    place.rank = context.rank;
    place.world_size = context.world_size;
    // No timeout here: an attempt has one deadline, which the daemon keeps.
    group_ = shm::join_group(place);
  }

  std::string_view backend() const override { return "shm"; }
  int rank() const override { return group_->rank(); }
  int world_size() const override { return group_->world_size(); }

  void barrier() override { group_->barrier(); }
  double largest(double mine) override { return group_->largest(mine); }

  void all_reduce(at::Tensor tensor) override {
    const shm::Type type = type_of(tensor);
    group_->all_reduce(tensor.mutable_data_ptr(), count_of(tensor), type);
  }

  void reduce_scatter(at::Tensor output, const at::Tensor& input) override {
    const shm::Type type = type_of(output);
    group_->reduce_scatter(output.mutable_data_ptr(), input.const_data_ptr(), count_of(output),
                           type);
  }

  void all_gather(at::Tensor output, const at::Tensor& input) override {
    group_->all_gather(output.mutable_data_ptr(), input.const_data_ptr(), input.nbytes());
  }

  void broadcast(at::Tensor tensor, int root) override {
    group_->broadcast(tensor.mutable_data_ptr(), tensor.nbytes(), root);
  }

  at::Tensor empty(at::IntArrayRef sizes, const at::TensorOptions& options) override {
    if (options.device().type() != at::kCPU) return at::empty(sizes, options);
    const std::size_t bytes =
        static_cast<std::size_t>(c10::multiply_integers(sizes)) * options.dtype().itemsize();
    auto block = std::make_shared<SharedBlock>(group_->heap(), bytes);
    return at::from_blob(
        block->data(), sizes, [block](void*) mutable { block.reset(); }, options);
  }

 private:
  std::unique_ptr<shm::Group> group_;
};

std::unique_ptr<Collectives> make_shm_collectives(Context& context) {
  if (context.device.kind() != "cpu") {
    throw std::invalid_argument("backend shm works on device cpu; on cuda use nccl");
  }
  if (nodes_of_ranks() > 1) {
    throw Unavailable(
        fmt::format("backend shm needs all ranks on one host, and these are on {} nodes; use gloo",
                    nodes_of_ranks()));
  }
  return std::make_unique<ShmCollectives>(context);
}

[[maybe_unused]] const bool kAdded = (add_backend("shm", make_shm_collectives), true);

}  // namespace

}  // namespace sweepd
