#include "runner/worker/passes/profile_summary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/kernel_class.h"
#include "runner/trace/profile_rows.h"

namespace sweepd {
namespace {

using Shape = std::array<std::int64_t, 3>;
struct KernelKey {
  std::string phase, range, name;
  Shape grid{}, block{};
  auto operator<=>(const KernelKey&) const = default;
};
using OperatorKey = std::tuple<std::string, std::string, std::string>;  // phase, range, name

std::string or_else(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

double duration_ns(const auto& record) {
  return static_cast<double>(record.end_ns - record.begin_ns);
}

const OperatorRecord* launcher_of(const Recording& recording, const KernelRecord& kernel) {
  if (kernel.launcher == kNoParent) return nullptr;
  return &recording.operators[static_cast<std::size_t>(kernel.launcher)];
}

struct Calls {
  std::vector<double> ns;
  std::int64_t registers = 0, shared_bytes = 0;
};

KernelStats statistics(const KernelKey& key, const Calls& calls) {
  KernelStats kernel;
  kernel.phase = key.phase;
  kernel.range = key.range;
  kernel.name = key.name;
  kernel.grid = key.grid;
  kernel.block = key.block;
  kernel.registers = calls.registers;
  kernel.shared = Bytes{calls.shared_bytes};
  set_times(kernel, calls.ns);
  return kernel;
}

std::vector<KernelStats> kernels_of(const Recording& recording, KernelSource source,
                                    const std::vector<double>& self_ns) {
  std::map<KernelKey, Calls> calls;
  if (source == KernelSource::kOperators) {
    for (std::size_t i = 0; i < recording.operators.size(); ++i) {
      const OperatorRecord& op = recording.operators[i];
      calls[{or_else(op.phase, "step"), or_else(op.range, "other"), op.name, {}, {}}].ns.push_back(
          self_ns[i]);
    }
  } else {
    for (const KernelRecord& kernel : recording.kernels) {
      const OperatorRecord* op = launcher_of(recording, kernel);
      Calls& of = calls[{or_else(op != nullptr ? op->phase : "", "step"),
                         or_else(op != nullptr ? op->range : "", "other"), kernel.name, kernel.grid,
                         kernel.block}];
      of.ns.push_back(duration_ns(kernel));
      of.registers = std::max(of.registers, kernel.registers);
      of.shared_bytes = std::max(of.shared_bytes, kernel.shared_bytes);
    }
  }
  std::vector<KernelStats> kernels;
  for (const auto& [key, each] : calls) kernels.push_back(statistics(key, each));
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return kernels;
}

OperatorKey key_of(const OperatorRecord& op) {
  return {or_else(op.phase, "step"), or_else(op.range, "other"), op.name};
}

// Visits the operator and its callers, once per name. The outer call already includes the time of
// recursive ones, so `visit` gets the outermost of each name.
template <class Visit>
void each_caller(const Recording& recording, std::int64_t index, Visit visit) {
  std::map<OperatorKey, const OperatorRecord*> outermost;
  for (; index != kNoParent; index = recording.operators[static_cast<std::size_t>(index)].parent) {
    const OperatorRecord& op = recording.operators[static_cast<std::size_t>(index)];
    outermost[key_of(op)] = &op;
  }
  for (const auto& [key, op] : outermost) visit(key);
}

bool is_recursive(const Recording& recording, const OperatorRecord& op) {
  const OperatorKey key = key_of(op);
  for (std::int64_t up = op.parent; up != kNoParent;
       up = recording.operators[static_cast<std::size_t>(up)].parent) {
    if (key_of(recording.operators[static_cast<std::size_t>(up)]) == key) return true;
  }
  return false;
}

std::vector<OperatorStats> operators_of(const Recording& recording,
                                        const std::vector<double>& self_ns) {
  std::map<OperatorKey, OperatorStats> rows;
  for (std::size_t i = 0; i < recording.operators.size(); ++i) {
    const OperatorRecord& op = recording.operators[i];
    OperatorStats& row = rows[key_of(op)];
    ++row.calls;
    row.self_cpu_ns += self_ns[i];
    if (!is_recursive(recording, op)) row.total_cpu_ns += duration_ns(op);
  }
  for (const KernelRecord& kernel : recording.kernels) {
    const OperatorRecord* op = launcher_of(recording, kernel);
    if (op == nullptr) continue;
    rows[key_of(*op)].self_device_ns += duration_ns(kernel);
    each_caller(recording, kernel.launcher,
                [&](const OperatorKey& key) { rows[key].total_device_ns += duration_ns(kernel); });
  }
  std::vector<OperatorStats> operators;
  for (auto& [key, row] : rows) {
    std::tie(row.phase, row.range, row.name) = key;
    operators.push_back(std::move(row));
  }
  std::stable_sort(operators.begin(), operators.end(),
                   [](const auto& a, const auto& b) { return a.self_cpu_ns > b.self_cpu_ns; });
  return operators;
}

}  // namespace

std::vector<double> self_times_ns(const std::vector<OperatorRecord>& operators) {
  std::vector<double> self;
  self.reserve(operators.size());
  for (const OperatorRecord& op : operators) self.push_back(duration_ns(op));
  for (const OperatorRecord& op : operators) {
    if (op.parent != kNoParent) self[static_cast<std::size_t>(op.parent)] -= duration_ns(op);
  }
  for (double& ns : self) ns = std::max(0.0, ns);
  return self;
}

ProfileSummary summarize_recording(const Recording& recording, KernelSource source) {
  const std::vector<double> self = self_times_ns(recording.operators);
  return {kernels_of(recording, source, self), operators_of(recording, self)};
}

void add_occupancy(std::vector<KernelStats>& kernels, const DeviceInfo& device) {
  trace::TracedDevice on;
  const std::string& capability = device.compute_capability;  // "9.0"
  const char* const end = capability.data() + capability.size();
  const auto major = std::from_chars(capability.data(), end, on.capability_major);
  if (major.ec != std::errc() || major.ptr == end) return;
  std::from_chars(major.ptr + 1, end, on.capability_minor);
  on.multiprocessors = static_cast<std::int32_t>(device.multiprocessors.value_or(0));
  for (KernelStats& kernel : kernels) trace::set_occupancy(kernel, on);
}

std::vector<RangePassage> passages_of(const Recording& recording, KernelSource source) {
  std::map<std::string, std::int64_t> passages;  // so far, by range
  std::vector<std::int64_t> numbers;             // of each span
  for (const SpanRecord& span : recording.ranges) numbers.push_back(passages[span.name]++);

  std::map<std::tuple<std::string, std::string, std::int64_t>, double> times;
  const auto add = [&](const OperatorRecord& op, double ns) {
    if (op.span == kNoSpan || static_cast<std::size_t>(op.span) >= numbers.size()) return;
    const std::int64_t number = numbers[static_cast<std::size_t>(op.span)];
    times[{"step", op.range, number}] += ns;
    if (!op.phase.empty()) times[{op.phase, op.range, number}] += ns;
  };
  if (source == KernelSource::kOperators) {
    const std::vector<double> self = self_times_ns(recording.operators);
    for (std::size_t i = 0; i < self.size(); ++i) add(recording.operators[i], self[i]);
  } else {
    for (const KernelRecord& kernel : recording.kernels) {
      if (const OperatorRecord* op = launcher_of(recording, kernel)) add(*op, duration_ns(kernel));
    }
  }
  std::vector<RangePassage> result;
  for (const auto& [key, ns] : times) {
    result.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), ns});
  }
  return result;
}

std::optional<double> softmax_share(const std::vector<KernelStats>& kernels,
                                    std::string_view phase) {
  double softmax = 0, products = 0;
  for (const KernelStats& kernel : kernels) {
    if (kernel.phase != phase) continue;
    const KernelClass is = class_of(kernel.name, phase);
    if (is == KernelClass::kSoftmax && kernel.range == "attention.softmax") {
      softmax += kernel.total_ns;
    }
    if (is == KernelClass::kMatmul &&
        (kernel.range == "attention.scores" || kernel.range == "attention.output")) {
      products += kernel.total_ns;
    }
  }
  if (products <= 0) return std::nullopt;
  return softmax / (softmax + products);
}

double busiest_ms(const Recording& recording, KernelSource source) {
  std::map<std::uint64_t, double> busy_ns;  // by stream, or thread
  if (source == KernelSource::kDevice) {
    for (const KernelRecord& kernel : recording.kernels) {
      busy_ns[kernel.stream] += duration_ns(kernel);
    }
  } else {
    const std::vector<double> self = self_times_ns(recording.operators);
    for (std::size_t i = 0; i < self.size(); ++i) {
      if (recording.operators[i].thread == 0) busy_ns[0] += self[i];
    }
  }
  double most = 0;
  for (const auto& [stream, ns] : busy_ns) most = std::max(most, ns);
  return most / 1e6;
}

std::int64_t differing_kernels(const std::vector<KernelStats>& a,
                               const std::vector<KernelStats>& b) {
  std::map<OperatorKey, std::int64_t> more;
  for (const KernelStats& kernel : a)
    more[{kernel.phase, kernel.range, kernel.name}] += kernel.calls;
  for (const KernelStats& kernel : b)
    more[{kernel.phase, kernel.range, kernel.name}] -= kernel.calls;
  return std::count_if(more.begin(), more.end(), [](const auto& e) { return e.second != 0; });
}

}  // namespace sweepd
