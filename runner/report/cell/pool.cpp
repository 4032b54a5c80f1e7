#include "runner/report/cell/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runner/model/measurement/pooled_stats.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/model/vocabulary/known_metric.h"

namespace sweepd::report {
namespace {

Stats pool_moments(std::span<const ResultRow* const> rows, std::string_view metric) {
  PooledStats sums;
  double time = 0;
  for (const ResultRow* row : rows) {
    sums.add(row->stats);
    time += static_cast<double>(row->stats.n) / row->stats.mean;
  }
  Stats pooled = sums.pooled();
  if (!is_bandwidth(metric)) return pooled;
  // The mean of a bandwidth is its bytes by its time. About it the squares are larger.
  const auto n = static_cast<double>(pooled.n);
  const double apart = n / time - pooled.mean;
  pooled.mean += apart;
  if (pooled.n > 1) pooled.std = std::sqrt((sums.squares + n * apart * apart) / (n - 1));
  return pooled;
}

// Returns every sample of every row, or nothing if one row lacks its samples.
std::optional<std::vector<double>> all_samples(std::span<const ResultRow* const> rows) {
  std::vector<double> samples;
  for (const ResultRow* row : rows) {
    if (static_cast<std::int64_t>(row->samples.size()) == row->stats.n) {
      samples.insert(samples.end(), row->samples.begin(), row->samples.end());
    } else if (row->stats.n == 1) {
      samples.push_back(row->stats.mean);
    } else {
      return std::nullopt;
    }
  }
  return samples;
}

double agreed(std::span<const ResultRow* const> rows, double ResultRow::*member) {
  const double first = rows.front()->*member;
  const bool same = std::all_of(rows.begin(), rows.end(),
                                [&](const ResultRow* row) { return row->*member == first; });
  return same ? first : 0;
}

}  // namespace

Pooled pool(std::span<const ResultRow* const> rows, std::string_view metric) {
  Pooled pooled;
  if (rows.empty()) return pooled;
  if (rows.size() == 1) {
    pooled.stats = rows.front()->stats;
    pooled.order_known = rows.front()->attempts == 1;
  } else if (const auto samples = all_samples(rows)) {
    pooled.stats = summarize_metric(metric, *samples);
    pooled.order_known = true;
  } else {
    pooled.stats = pool_moments(rows, metric);
  }
  pooled.flops = agreed(rows, &ResultRow::flops);
  pooled.bytes = agreed(rows, &ResultRow::bytes);
  pooled.tokens = agreed(rows, &ResultRow::tokens);
  pooled.recomputed_flops = agreed(rows, &ResultRow::recomputed_flops);
  pooled.peak_flops_per_s = agreed(rows, &ResultRow::peak_flops_per_s);
  pooled.peak_bytes_per_s = agreed(rows, &ResultRow::peak_bytes_per_s);
  for (const ResultRow* row : rows) {
    pooled.verdict = std::max(pooled.verdict, row->verdict);
    if (!row->times_only) {
      pooled.verdict_of_count = std::max(pooled.verdict_of_count, row->verdict);
    }
    pooled.unsteady |= !row->unsteady.empty();
  }
  pooled.error = error_of_mean(rows, metric);
  return pooled;
}

namespace {

Error not_read(std::string_view name, std::string_view what) {
  return {
      ErrorCode::kInvalidArgument,
      fmt::format("{} of several attempts in one cell needs {}, which were not read", name, what)};
}

}  // namespace

Result<std::optional<double>> Figures::get(std::string_view name) const {
  const CellName* known = find_cell_name(name);
  if (known == nullptr || pooled_.stats.n == 0) return std::optional<double>();
  if (known->kind == NameKind::kMoment) return moment(name);
  if (known->kind == NameKind::kWord) return std::optional<double>();
  if (known->kind == NameKind::kError) return error_of_mean(name);
  if (known->kind == NameKind::kCompared) return compared(*known);
  const bool by_mean = known->kind == NameKind::kDerived && basis_ == RateBasis::kMean;
  if (by_mean) return derived(name);
  if (!pooled_.order_known) return not_read(name, "their samples");
  if (known->kind == NameKind::kOrder) return std::optional<double>(convert_(order(name)));
  return derived(name);
}

std::optional<double> Figures::moment(std::string_view name) const {
  const Stats& stats = pooled_.stats;
  if (name == "n") return static_cast<double>(stats.n);
  if (name == "mean") return convert_(stats.mean);
  if (name == "min") return convert_(stats.min);
  if (name == "max") return convert_(stats.max);
  if (name == "sum") return convert_(stats.mean * static_cast<double>(stats.n));
  // One value has no spread; "± 0.0" would claim that it was measured.
  if (name == "std" && stats.n > 1) return convert_(stats.std);
  if (name != "floor") return std::nullopt;
  const auto from_seconds = conversion("s", unit_);
  const std::optional<double> floor = floor_s();
  return floor && from_seconds ? std::optional<double>(convert_((*from_seconds)(*floor)))
                               : std::nullopt;
}

// With one of two peaks unknown there is no floor: the unknown one may be the higher.
std::optional<double> Figures::floor_s() const {
  const Pooled& p = pooled_;
  if (!(p.flops > 0) && !(p.bytes > 0)) return std::nullopt;
  if (p.flops > 0 && !(p.peak_flops_per_s > 0)) return std::nullopt;
  if (p.bytes > 0 && !(p.peak_bytes_per_s > 0)) return std::nullopt;
  const double compute = p.flops > 0 ? p.flops / p.peak_flops_per_s : 0;
  const double memory = p.bytes > 0 ? p.bytes / p.peak_bytes_per_s : 0;
  return std::max(compute, memory);
}

double Figures::order(std::string_view name) const {
  if (name == "p05") return pooled_.stats.p05;
  if (name == "p95") return pooled_.stats.p95;
  return name == "mad" ? pooled_.stats.mad : pooled_.stats.median;
}

std::optional<double> Figures::derived(std::string_view name) const {
  const Stats& stats = pooled_.stats;
  const double shown = basis_ == RateBasis::kMean ? stats.mean : stats.median;
  if (name == "tokens_per_joule") {
    const bool known = unit_ == "J" && shown > 0 && pooled_.tokens > 0;
    return known ? std::optional<double>(pooled_.tokens / shown) : std::nullopt;
  }
  const auto to_seconds = conversion(unit_, "s");
  const double seconds = to_seconds ? (*to_seconds)(shown) : 0;
  if (!(seconds > 0)) return std::nullopt;
  const auto known = [](double value, bool exists) {
    return exists ? std::optional<double>(value) : std::nullopt;
  };
  const Pooled& p = pooled_;
  if (name == "tokens_per_s") return known(p.tokens / seconds, p.tokens > 0);
  const double model_flops = p.flops - p.recomputed_flops;
  if (name == "tflops") return known(model_flops / seconds / 1e12, p.flops > 0);
  if (name == "hardware_tflops") return known(p.flops / seconds / 1e12, p.flops > 0);
  if (name == "gbps") return known(p.bytes / seconds / 1e9, p.bytes > 0);
  if (name == "mfu" || name == "hfu") {
    const double flops = name == "mfu" ? model_flops : p.flops;
    return known(flops / seconds / p.peak_flops_per_s, p.flops > 0 && p.peak_flops_per_s > 0);
  }
  if (name == "reached") {
    const std::optional<double> floor = floor_s();
    return known(floor.value_or(0) / seconds, floor.has_value());
  }
  return known(p.bytes / seconds / p.peak_bytes_per_s, p.bytes > 0 && p.peak_bytes_per_s > 0);
}

Result<std::optional<double>> Figures::error_of_mean(std::string_view name) const {
  if (!pooled_.error.separate) return not_read(name, "the means of the attempts");
  const std::optional<double>& error = name == "sem" ? pooled_.error.sem : pooled_.error.ci95;
  return error ? std::optional<double>(convert_(*error)) : std::nullopt;
}

// The figure of an invalid baseline cannot be trusted, so nothing is compared with it.
Result<std::optional<double>> Figures::compared(const CellName& figure) const {
  constexpr std::optional<double> kNone;
  const Pooled* baseline = partner_.pooled;
  if (baseline == nullptr || baseline->stats.n == 0) return kNone;
  if (baseline->verdict == Verdict::kInvalid) return kNone;
  if (figure.name == "p") return partner_.p;
  const bool medians = figure.compares_medians();
  if (medians && !(pooled_.order_known && baseline->order_known)) {
    return not_read(figure.name, "their samples");
  }
  const double own = medians ? pooled_.stats.median : pooled_.stats.mean;
  const double other = medians ? baseline->stats.median : baseline->stats.mean;
  const std::string_view name = figure.compared_figure();
  if (name == "baseline") return std::optional<double>(convert_(other));
  if (partner_.itself && (name == "difference" || name == "change")) return kNone;
  if (name == "difference") return std::optional<double>(convert_(own - other));
  const double divisor = name == "speedup" ? own : other;
  if (divisor == 0) return kNone;
  if (name == "speedup") return std::optional<double>(other / own);
  return std::optional<double>(name == "ratio" ? own / other : (own - other) / other);
}

bool stands_out(const Partner& partner, Bold bold) {
  const bool faster = partner.change == stats::Change::kFaster;
  const bool slower = partner.change == stats::Change::kSlower;
  if (bold == Bold::kChanged) return faster || slower;
  return (bold == Bold::kFaster && faster) || (bold == Bold::kSlower && slower);
}

}  // namespace sweepd::report
