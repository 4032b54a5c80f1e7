#include "runner/report/compare/kernel_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "runner/base/text.h"

namespace sweepd {
namespace {

// Why the side's first attempt does not count.
std::string why_no_profile(const ResultRow& row, const std::string& phase) {
  if (row.pending) return "it is not done yet";
  if (row.outcome != Outcome::kDone) {
    return fmt::format("it is {}: {}", name_of(row.outcome), row.note);
  }
  if (row.verdict == Verdict::kInvalid) return "it is invalid: " + row.note;
  return phase.empty() ? "it has no kernels"
                       : fmt::format("it has no kernels in phase `{}`", phase);
}

Error no_profile(const std::string& name, const std::vector<ResultRow>& rows,
                 const std::string& phase) {
  if (rows.empty()) {
    return {ErrorCode::kNotFound,
            fmt::format("`{}` has no profile: add `profile` to `passes` in its sweep file and "
                        "submit it again, or import a trace (sweepctl import)",
                        name)};
  }
  return {ErrorCode::kNotFound, fmt::format("no profile of `{}` can be compared: {}", name,
                                            why_no_profile(rows.front(), phase))};
}

Result<void> check_one_point(const ComparedSide& side) {
  const ResultSet& results = side.results;
  for (std::size_t d = 0; d < results.dimensions.size(); ++d) {
    std::set<std::uint32_t> codes;
    for (const ResultRow& row : results.rows) codes.insert(row.at[d]);
    codes.erase(kEveryValue);
    if (codes.size() < 2) continue;
    const Dimension& dimension = results.dimensions[d];
    std::vector<std::string> values;
    for (const std::uint32_t code : codes) values.push_back(dimension.values[code]);
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("`{}` has profiles of several points, which differ in {} ({}); choose "
                    "one, such as --where {}={}",
                    side.name, dimension.name, join(values, ", "), dimension.name, values.front())};
  }
  return {};
}

bool are_all_of_gpus(const ProfiledSide& side) {
  return std::ranges::all_of(side.profiles, &StepKernels::on_gpu);
}

struct SideOfKernel {
  double KernelDifference::*ms;
  double KernelDifference::*calls;
};

void add_kernels(const ProfiledSide& side, bool operators, SideOfKernel of,
                 std::map<std::string, KernelDifference>& kernels) {
  const auto attempts = static_cast<double>(side.profiles.size());
  for (const StepKernels& profile : side.profiles) {
    for (const StepKernels::Kernel& kernel :
         operators&& profile.on_gpu ? profile.operators : profile.kernels) {
      KernelDifference& sum = kernels[kernel.name];
      if (sum.kernel_class.empty()) sum.kernel_class = kernel.kernel_class;
      sum.*of.ms += kernel.ms / attempts;
      sum.*of.calls += kernel.calls / attempts;
    }
  }
}

}  // namespace

void add_up(KernelDifference& sum, const KernelDifference& kernel) {
  sum.a_ms += kernel.a_ms;
  sum.b_ms += kernel.b_ms;
  sum.a_calls += kernel.a_calls;
  sum.b_calls += kernel.b_calls;
}

Result<ProfiledSide> choose_profiles(ComparedSide side, const std::string& phase) {
  ProfiledSide chosen;
  std::vector<ResultRow> kept;
  for (const ResultRow& row : side.results.rows) {
    if (row.pending || row.outcome != Outcome::kDone || row.stats.n == 0) {
      ++chosen.not_done;
    } else if (row.verdict == Verdict::kInvalid) {
      ++chosen.invalid;
    } else {
      chosen.suspect += row.verdict == Verdict::kSuspect ? 1 : 0;
      kept.push_back(row);
    }
  }
  if (kept.empty()) return no_profile(side.name, side.results.rows, phase);
  side.results.rows = std::move(kept);
  if (const auto one = check_one_point(side); !one) return one.error();
  chosen.side = std::move(side);
  return chosen;
}

Result<ComparedKernels> compare_kernels(const ProfiledSide& a, const ProfiledSide& b) {
  if (const auto apart = refuse_shared(a.side.results, b.side.results); !apart) {
    return apart.error();
  }
  ComparedKernels compared;
  compared.operators = !are_all_of_gpus(a) || !are_all_of_gpus(b);
  for (const ProfiledSide* side : {&a, &b}) {
    const bool lacks = std::ranges::any_of(side->profiles, [](const StepKernels& profile) {
      return profile.on_gpu && profile.operators.empty();
    });
    if (!compared.operators || !lacks) continue;
    const ProfiledSide& other = side == &a ? b : a;
    return Error{ErrorCode::kFailedPrecondition,
                 fmt::format("`{}` has kernels without operators, and `{}` operators without "
                             "kernels of a GPU: there is nothing to compare",
                             side->side.name, other.side.name)};
  }
  std::map<std::string, KernelDifference> by_name;
  add_kernels(a, compared.operators, {&KernelDifference::a_ms, &KernelDifference::a_calls},
              by_name);
  add_kernels(b, compared.operators, {&KernelDifference::b_ms, &KernelDifference::b_calls},
              by_name);
  for (auto& [name, kernel] : by_name) {
    kernel.name = name;
    add_up(compared.total, kernel);
    compared.kernels.push_back(std::move(kernel));
  }
  std::ranges::stable_sort(compared.kernels, std::greater(),
                           [](const KernelDifference& kernel) { return std::abs(kernel.ms()); });
  return compared;
}

std::string_view change_of(const KernelDifference& kernel, double tolerance) {
  const bool in_a = kernel.a_ms > 0 || kernel.a_calls > 0;
  const bool in_b = kernel.b_ms > 0 || kernel.b_calls > 0;
  if (!in_a) return in_b ? "appeared" : "same";
  if (!in_b) return "vanished";
  if (std::abs(kernel.ms()) <= tolerance * kernel.a_ms) return "same";
  return kernel.ms() > 0 ? "slower" : "faster";
}

}  // namespace sweepd
