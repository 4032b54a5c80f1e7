#define USE_DISTRIBUTED
#define USE_C10D_GLOO
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "workloads/dist/backends.h"
#include "workloads/torch/rendezvous.h"

namespace sweepd {
namespace {

// An attempt has one deadline, which the daemon keeps. A timeout here could only come earlier with
// a less precise message. (Thirty days is the largest value that overflows no conversion to
// nanoseconds inside.)
constexpr std::chrono::milliseconds kNever = std::chrono::hours(24 * 30);

// Returns a tensor on the same memory, which it does not own: the caller keeps its tensor until the
// operation is complete. Gloo's threads release their tensors some time after wait() has returned.
// Until then a tensor that they own would live on, and count, beyond its step.
at::Tensor lend(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.options().requires_grad(false));
}

// On one host by the interface's name, because the host's name need not resolve.
auto device() {
  const std::string interface = variable_or_empty("SWEEPD_INTERFACE");
  if (!interface.empty()) return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  if (nodes_of_ranks() == 1) return c10d::ProcessGroupGloo::createDeviceForInterface("lo");
  return c10d::ProcessGroupGloo::createDeviceForHostname(address_towards_first_node());
}

class GlooCollectives final : public Collectives {
 public:
  explicit GlooCollectives(const Context& context)
      : rank_(context.rank), world_size_(context.world_size) {
    auto store = rendezvous_store(context, kNever);
    auto options = c10d::ProcessGroupGloo::Options::create(kNever);
    options->devices.push_back(device());
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(std::move(store), rank_, world_size_,
                                                         std::move(options));
  }

  std::string_view backend() const override { return "gloo"; }
  int rank() const override { return rank_; }
  int world_size() const override { return world_size_; }

  void barrier() override { group_->barrier()->wait(); }

  double largest(double mine) override {
    const at::Tensor value = at::full({1}, mine, at::kDouble);
    std::vector<at::Tensor> tensors{value};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    group_->allreduce(tensors, options)->wait();
    return value.item<double>();
  }

  void all_reduce(at::Tensor tensor) override {
    std::vector<at::Tensor> tensors{lend(tensor)};
    group_->allreduce(tensors)->wait();
  }

  // c10d has no reduce-scatter over Gloo: it reduces a copy of the whole and keeps a part, which
  // takes as long as an all-reduce. Done here, the copy is freed as soon as possible.
  void reduce_scatter(at::Tensor output, const at::Tensor& input) override {
    const at::Tensor sum = input.clone();
    all_reduce(sum);
    const std::int64_t part = output.numel();
    output.view({-1}).copy_(sum.view({-1}).narrow(0, rank_ * part, part));
  }

  void all_gather(at::Tensor output, const at::Tensor& input) override {
    at::Tensor from = lend(input), to = lend(output);
    group_->_allgather_base(to, from)->wait();
  }

  void broadcast(at::Tensor tensor, int root) override {
    std::vector<at::Tensor> tensors{lend(tensor)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    group_->broadcast(tensors, options)->wait();
  }

 private:
  int rank_, world_size_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

}  // namespace

std::unique_ptr<Collectives> make_gloo_collectives(Context& context) {
  if (context.device.kind() != "cpu") {
    throw std::invalid_argument("backend gloo works on device cpu; on cuda use nccl");
  }
  // Gloo writes to its sockets without MSG_NOSIGNAL. A lost peer must be an error of the operation,
  // which names it, and not kill this rank with SIGPIPE.
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_unique<GlooCollectives>(context);
}

}  // namespace sweepd
