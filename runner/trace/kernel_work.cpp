#include "runner/trace/kernel_work.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace sweepd::trace {
namespace {

class Assignment {
 public:
  Assignment(const TraceIndex& index, const SpanIndex& operators)
      : index_(index), timeline_(index.timeline()), operators_(operators) {}

  std::vector<std::int32_t> make() {
    std::unordered_map<std::size_t, std::size_t> best;  // kernel, by operator
    for (std::size_t i = 0; i < timeline_.work.size(); ++i) {
      const auto op = operator_of(i);
      if (!op) continue;
      const auto [found, first] = best.try_emplace(*op, i);
      if (!first &&
          does_rather(work_of(*op).kernel_class, candidate(i), candidate(found->second))) {
        found->second = i;
      }
    }
    std::vector<std::int32_t> of_kernels(timeline_.work.size(), kUnknownWork);
    for (std::size_t i = 0; i < timeline_.work.size(); ++i) {
      const auto op = operator_of(i);
      if (!op) continue;
      const std::size_t doer = best.at(*op);
      if (doer == i) of_kernels[i] = timeline_.operators[*op].work;
      if (doer != i && timeline_.work[doer].name == timeline_.work[i].name) {
        of_kernels[i] = kSharedWork;
      }
    }
    return of_kernels;
  }

 private:
  // The operator whose work the kernel may do.
  std::optional<std::size_t> operator_of(std::size_t kernel) const {
    const DeviceWork& work = timeline_.work[kernel];
    const HostCall* launch = index_.launch_of(kernel);
    if (work.kind != WorkKind::kKernel || launch == nullptr || work.graph != 0) return std::nullopt;
    if (launch->kind == CallKind::kGraphLaunch) return std::nullopt;
    const auto op = operators_.at(launch->thread, launch->begin_ns);
    return op && timeline_.operators[*op].work >= 0 ? op : std::nullopt;
  }

  const OperatorWork& work_of(std::size_t op) const {
    return timeline_.operator_work[static_cast<std::size_t>(timeline_.operators[op].work)];
  }

  KernelCandidate candidate(std::size_t kernel) {
    const DeviceWork& work = timeline_.work[kernel];
    return {class_of_kernel(kernel), work.end_ns - work.begin_ns};
  }

  KernelClass class_of_kernel(std::size_t kernel) {
    const NameId name = timeline_.work[kernel].name;
    const auto [found, first] = classes_.try_emplace(name);
    if (first) found->second = class_of(timeline_.names[name], "");
    return found->second;
  }

  const TraceIndex& index_;
  const Timeline& timeline_;
  const SpanIndex& operators_;
  std::unordered_map<NameId, KernelClass> classes_;
};

}  // namespace

bool does_rather(KernelClass work, const KernelCandidate& kernel, const KernelCandidate& other) {
  const bool fits = kernel.kernel_class == work;
  return fits == (other.kernel_class == work) ? kernel.ns > other.ns : fits;
}

std::vector<std::int32_t> work_of_kernels(const TraceIndex& index, const SpanIndex& operators) {
  return Assignment(index, operators).make();
}

void WorkOfCalls::add(const OperatorWork* work, double ns) {
  ns_ += ns;
  if (work == nullptr) return;
  known_ns_ += ns;
  flops_ += work->flops;
  bytes_ += work->bytes;
  if (work->flops > 0) arithmetic_ = work->arithmetic;
}

void WorkOfCalls::store(KernelStats& row) const {
  if (known_ns_ <= 0 || 2 * known_ns_ < ns_ || bytes_ <= 0) return;
  const double all = ns_ / known_ns_;
  row.bytes = bytes_ * all;
  if (flops_ <= 0) return;
  row.flops = flops_ * all;
  row.arithmetic = arithmetic_;
  if (row.arithmetic == "fp32" && row.name.find("tf32") != std::string::npos) {
    row.arithmetic = "tf32";
  }
}

}  // namespace sweepd::trace
