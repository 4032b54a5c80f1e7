#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/text.h"
#include "runner/model/collective_note.h"
#include "workloads/api/failure.h"
#include "workloads/dist/backends.h"
#include "workloads/dist/checked_collectives.h"
#include "workloads/dist/shm_collectives.h"
#include "workloads/torch/nodes.h"

namespace sweepd {
namespace {

using MakeBackend = std::unique_ptr<Collectives> (*)(Context&);

MakeBackend backend_named(std::string_view name) {
  if (name == "gloo") return make_gloo_collectives;
  if (name == "shm") return make_shm_collectives;
  if (name == "nccl") return make_nccl_collectives;
  const std::vector<std::string> names{"gloo", "shm", "nccl"};
  throw std::invalid_argument(fmt::format("backend `{}` is unknown{}; expected {}", name,
                                          did_you_mean(name, names), join(names, ", ")));
}

}  // namespace

std::unique_ptr<Collectives> make_collectives(std::string_view backend, Context& context) {
  const MakeBackend make = backend_named(backend);
  if (backend == "shm" && nodes_of_ranks() > 1) {
    throw Unavailable(
        fmt::format("backend shm needs all ranks on one host, and these are on {} nodes; use gloo",
                    nodes_of_ranks()));
  }
  if (context.note) context.note(kRendezvousNote);
  const Instant begin = now_instant();
  // A single rank has no peers, but with NCCL it can still show its cost.
  const bool talks = context.world_size > 1 || backend == "nccl";
  auto joined = make_checked_collectives(backend, context.rank, context.world_size,
                                         talks ? make(context) : nullptr, context.note);
  joined->barrier();
  if (context.setup != nullptr) {
    const auto took = static_cast<double>((now_instant() - begin).ns) / 1e6;
    context.setup->add("setup", "rendezvous_time", took);
  }
  return joined;
}

}  // namespace sweepd
