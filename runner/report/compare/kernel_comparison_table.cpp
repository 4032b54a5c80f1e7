#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "runner/base/text.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/compare/comparison_pairing.h"
#include "runner/report/compare/kernel_comparison.h"

namespace sweepd {
namespace {

using report::counted;

Cell kernel_text(std::string text) {
  return {std::move(text), std::nullopt};
}

Cell kernel_ms(double ms) {
  return {report::format_number(ms, {.precision = 3, .type = 'f'}), ms};
}

std::string calls_text(double calls) {
  const bool whole = std::abs(calls - std::round(calls)) < 0.05;
  return fmt::format("{:.{}f}", calls, whole ? 0 : 1);
}

Cell calls_cell(const KernelDifference& kernel) {
  const std::string a = calls_text(kernel.a_calls), b = calls_text(kernel.b_calls);
  if (a == b) return {a, kernel.b_calls};
  return kernel_text(a + " -> " + b);
}

class KernelRows {
 public:
  KernelRows(const ComparedKernels& compared, double tolerance)
      : compared_(compared), tolerance_(tolerance) {
    for (const KernelDifference& kernel : compared.kernels) moved_ms_ += std::abs(kernel.ms());
    constexpr double kLeastOfMoved = 0.01;
    has_shares_ = std::abs(compared.total.ms()) > kLeastOfMoved * moved_ms_;
  }

  // A share of nearly nothing says nothing.
  bool cancel_each_other() const { return !has_shares_ && moved_ms_ > 0; }

  std::vector<Cell> row_of(const KernelDifference& kernel) const {
    const std::string difference =
        report::format_number(kernel.ms(), {.sign = true, .precision = 3, .type = 'f'});
    Cell share;
    if (has_shares_) {
      const double percent = kernel.ms() == 0 ? 0 : 100 * kernel.ms() / compared_.total.ms();
      share = {report::format_number(percent, {.precision = 1, .type = 'f'}), percent};
    }
    return {kernel_text(kernel.name),
            kernel_text(kernel.kernel_class),
            kernel_ms(kernel.a_ms),
            kernel_ms(kernel.b_ms),
            {difference, kernel.ms()},
            calls_cell(kernel),
            share,
            kernel_text(std::string(change_of(kernel, tolerance_)))};
  }

 private:
  const ComparedKernels& compared_;
  const double tolerance_;
  double moved_ms_ = 0;
  bool has_shares_ = false;
};

std::string listed_numbers(const std::set<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " and "));
}

// "ranks: 1 against 2"
void note_other_number(const ProfiledSide& a, const ProfiledSide& b, const char* what,
                       std::int64_t StepKernels::*number, Table& table) {
  std::set<std::int64_t> of_a, of_b;
  for (const StepKernels& profile : a.profiles) of_a.insert(profile.*number);
  for (const StepKernels& profile : b.profiles) of_b.insert(profile.*number);
  if (of_a == of_b) return;
  table.notes.push_back(
      fmt::format("the profiles differ in {0}: {1} against {2}; times are means "
                  "over the {0}",
                  what, listed_numbers(of_a), listed_numbers(of_b)));
  ++table.warnings;
}

void note_attempts(const ProfiledSide& a, const ProfiledSide& b, Table& table) {
  for (const ProfiledSide* side : {&a, &b}) {
    const auto note = [&](std::size_t n, const char* what) {
      if (n == 0) return;
      table.notes.push_back(
          fmt::format("{} of `{}` {}", counted(n, "profile"), side->side.name, what));
    };
    note(side->suspect, "suspect, counted nevertheless");
    note(side->invalid, "invalid and left out");
    note(side->not_done, "not done or without kernels, and left out");
  }
}

using Differences = std::vector<std::pair<std::string, std::string>>;  // names and both values

std::string joined(const Differences& differences) {
  std::vector<std::string> all;
  for (const auto& [name, text] : differences) all.push_back(fmt::format("{}={}", name, text));
  return join(all, ", ");
}

// The code and machine in which the sides differ. The code of a trace is the content of its
// `files`, so it says nothing where these differ.
Differences other_machines(const ProfiledSide& a, const ProfiledSide& b,
                           const Differences& points) {
  report::RanAtPoint of_a, of_b;
  for (const auto& [side, point] : {std::pair{&a.side, &of_a}, std::pair{&b.side, &of_b}}) {
    for (const ResultRow& row : side->results.rows) {
      report::add_what_ran(side->results, row, side->ran, *point);
    }
  }
  report::SideDifferences differences;
  differences.add(of_a, of_b);
  Differences all = differences.texts();
  const bool other_files =
      std::ranges::any_of(points, [](const auto& each) { return each.first == "files"; });
  std::erase_if(all, [&](const auto& each) { return other_files && each.first == "code"; });
  return all;
}

void note_times(const ComparedKernels& compared, const ProfiledSide& a, const ProfiledSide& b,
                Table& table) {
  table.notes.push_back(
      fmt::format("times and {} are of one step: means of {} of `{}` and {} of "
                  "`{}`",
                  compared.operators ? "calls" : "launches", counted(a.profiles.size(), "profile"),
                  a.side.name, counted(b.profiles.size(), "profile"), b.side.name));
  if (!compared.operators) return;
  const auto on_gpu = [](const ProfiledSide& side) {
    return std::ranges::any_of(side.profiles, &StepKernels::on_gpu);
  };
  table.notes.push_back(
      on_gpu(a) || on_gpu(b)
          ? "not every profile has kernels of a GPU, so operators are compared: on a GPU by the "
            "time of the kernels that they launched, on a CPU by their self time"
          : "the profiles are of a CPU, so operators are compared, by their self time");
}

}  // namespace

Table kernel_comparison_table(const ComparedKernels& compared, const ProfiledSide& a,
                              const ProfiledSide& b, double tolerance) {
  Table table;
  const char* what = compared.operators ? "operator" : "kernel";
  table.title = fmt::format("{} of {} against {}", compared.operators ? "Operators" : "Kernels",
                            b.side.name, a.side.name);
  table.columns = {{what, "", Align::kLeft},
                   {"class", "", Align::kLeft},
                   {a.side.name, "ms", Align::kRight},
                   {b.side.name, "ms", Align::kRight},
                   {"difference", "ms", Align::kRight},
                   {compared.operators ? "calls" : "launches", "", Align::kRight},
                   {"share", "%", Align::kRight},
                   {"change", "", Align::kLeft}};
  const KernelRows rows(compared, tolerance);
  const std::size_t shown = std::min(kMostKernelRows, compared.kernels.size());
  KernelDifference rest;
  for (std::size_t i = 0; i < compared.kernels.size(); ++i) {
    const KernelDifference& kernel = compared.kernels[i];
    i < shown ? table.rows.push_back(rows.row_of(kernel)) : add_up(rest, kernel);
  }
  if (const std::size_t more = compared.kernels.size() - shown; more > 0) {
    rest.name = counted(more, fmt::format("more {}", what));
    table.rows.push_back(rows.row_of(rest));
  }
  KernelDifference total = compared.total;
  total.name = "total";
  table.rows.push_back(rows.row_of(total));
  for (Cell& cell : table.rows.back()) cell.bold = !cell.text.empty();
  note_times(compared, a, b, table);
  if (rows.cancel_each_other()) {
    table.notes.emplace_back("the differences cancel each other, so no share is shown");
  }
  const Differences points = report::ComparisonPairing(a.side.results, b.side.results).differ();
  if (!points.empty()) table.notes.push_back("the sides differ in " + joined(points));
  note_attempts(a, b, table);
  if (const auto machines = other_machines(a, b, points); !machines.empty()) {
    table.notes.push_back(fmt::format("the sides {}differ in {}: every difference contains that",
                                      points.empty() ? "" : "also ", joined(machines)));
    ++table.warnings;
  }
  note_other_number(a, b, "ranks", &StepKernels::ranks, table);
  note_other_number(a, b, "steps", &StepKernels::steps, table);
  return table;
}

}  // namespace sweepd
