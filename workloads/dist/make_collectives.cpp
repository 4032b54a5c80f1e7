#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/text.h"
#include "runner/model/measurement/collective_note.h"
#include "workloads/api/failure.h"
#include "workloads/dist/backends.h"
#include "workloads/torch/collectives.h"

namespace sweepd {
namespace {

void require_contiguous(const char* operation, const at::Tensor& tensor) {
  if (tensor.defined() && tensor.is_contiguous()) return;
  throw std::invalid_argument(fmt::format("{}: its tensors must be contiguous", operation));
}

// Checks that `whole` has one part of `part`'s size for each rank.
void require_parts(const char* operation, const at::Tensor& whole, const at::Tensor& part,
                   int ranks) {
  require_contiguous(operation, whole);
  require_contiguous(operation, part);
  if (whole.scalar_type() != part.scalar_type()) {
    throw std::invalid_argument(
        fmt::format("{}: input and output are of different types", operation));
  }
  if (whole.numel() == part.numel() * ranks) return;
  throw std::invalid_argument(
      fmt::format("{}: {} elements for {} rank(s) with {} each; expected {}", operation,
                  whole.numel(), ranks, part.numel(), part.numel() * ranks));
}

// Wraps a backend with the parts that all backends share: each operation is noted when it is
// entered and left (runner/model/measurement/collective_note.h), its tensors are checked, and
// errors name the operation. With one rank there are no peers and no backend.
class CheckedCollectives final : public Collectives {
 public:
  // `backend` may be null if world_size is 1. `note` may be empty. Throws as described in
  // Collectives.
  CheckedCollectives(std::string_view name, int rank, int world_size,
                     std::unique_ptr<Collectives> backend,
                     std::function<void(std::string_view)> note)
      : name_(name),
        rank_(rank),
        world_size_(world_size),
        backend_(std::move(backend)),
        note_(std::move(note)) {}

  std::string_view backend() const override { return name_; }
  int rank() const override { return rank_; }
  int world_size() const override { return world_size_; }

  void barrier() override {
    run("barrier", [&] { backend_->barrier(); });
  }

  double largest(double mine) override {
    run("largest", [&] { mine = backend_->largest(mine); });
    return mine;
  }

  void all_reduce(at::Tensor tensor) override {
    require_contiguous("all_reduce", tensor);
    run("all_reduce", [&] { backend_->all_reduce(tensor); });
  }

  void reduce_scatter(at::Tensor output, const at::Tensor& input) override {
    require_parts("reduce_scatter", input, output, world_size_);
    if (!backend_ && !output.is_same(input)) output.view({-1}).copy_(input.view({-1}));
    run("reduce_scatter", [&] { backend_->reduce_scatter(output, input); });
  }

  void all_gather(at::Tensor output, const at::Tensor& input) override {
    require_parts("all_gather", output, input, world_size_);
    if (!backend_ && !output.is_same(input)) output.view({-1}).copy_(input.view({-1}));
    run("all_gather", [&] { backend_->all_gather(output, input); });
  }

  void broadcast(at::Tensor tensor, int root) override {
    require_contiguous("broadcast", tensor);
    if (root < 0 || root >= world_size_) {
      throw std::invalid_argument(
          fmt::format("broadcast: there is no rank {}; world size is {}", root, world_size_));
    }
    run("broadcast", [&] { backend_->broadcast(tensor, root); });
  }

  at::Tensor empty(at::IntArrayRef sizes, const at::TensorOptions& options) override {
    return backend_ ? backend_->empty(sizes, options) : Collectives::empty(sizes, options);
  }

 private:
  // A rank whose note has no "left" was in the operation.
  template <class Operation>
  void run(const char* operation, Operation&& body) {
    const std::int64_t number = ++operations_;
    note({operation, number, CollectiveNote::At::kEntered});
    try {
      if (backend_) body();
    } catch (const OutOfMemory&) {
      throw;
    } catch (const c10::OutOfMemoryError&) {
      throw;  // the device has the figures
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(
          fmt::format("{} {} over {}: {}", operation, number, name_, error.what()));
    } catch (const c10::Error& error) {
      fail(operation, number, error.what_without_backtrace());
    } catch (const std::exception& error) {
      fail(operation, number, error.what());
    }
    note({operation, number, CollectiveNote::At::kLeft});
  }

  [[noreturn]] void fail(const char* operation, std::int64_t number, std::string_view why) const {
    throw std::runtime_error(fmt::format("{} {} over {}: {}", operation, number, name_, why));
  }

  void note(const CollectiveNote& note) const {
    if (note_) note_(text_of(note));
  }

  std::string name_;
  int rank_, world_size_;
  std::unique_ptr<Collectives> backend_;
  std::function<void(std::string_view)> note_;
  std::int64_t operations_ = 0;
};

using Backends = std::map<std::string, MakeBackend, std::less<>>;

Backends& backends() {
  static Backends all{{"gloo", make_gloo_collectives}, {"nccl", make_nccl_collectives}};
  return all;
}

}  // namespace

void add_backend(std::string_view name, MakeBackend make) {
  backends().emplace(name, make);
}

MakeBackend backend_named(std::string_view name) {
  const auto found = backends().find(name);
  if (found != backends().end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, make] : backends()) names.push_back(known);
  throw std::invalid_argument(fmt::format("backend `{}` is unknown{}; expected {}", name,
                                          did_you_mean(name, names), join(names, ", ")));
}

std::unique_ptr<Collectives> make_collectives(std::string_view backend, Context& context) {
  const MakeBackend make = backend_named(backend);
  if (context.note) context.note(kRendezvousNote);
  const Instant begin = now_instant();
  // A single rank has no peers, but with NCCL it can still show its cost.
  const bool talks = context.world_size > 1 || backend == "nccl";
  auto joined = std::make_unique<CheckedCollectives>(backend, context.rank, context.world_size,
                                                     talks ? make(context) : nullptr, context.note);
  joined->barrier();
  if (context.setup != nullptr) {
    const auto took = static_cast<double>((now_instant() - begin).ns) / 1e6;
    context.setup->add("setup", "rendezvous_time", took);
  }
  return joined;
}

}  // namespace sweepd
