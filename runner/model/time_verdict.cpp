#include "runner/model/time_verdict.h"
#include "runner/model/known_metric.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace sweepd {
namespace {

enum class Limit { kNone, kFromZero, kAboveZero };

Limit limit_of(std::string_view metric) {
  if (metric == "time" || metric == "host_time") return Limit::kAboveZero;
  return unit_of_metric(metric) == "ms" ? Limit::kFromZero : Limit::kNone;
}

bool holds(Limit limit, double value) {
  if (limit == Limit::kNone) return true;
  return std::isfinite(value) && (limit == Limit::kAboveZero ? value > 0 : value >= 0);
}

struct Wrong {
  const Sample* first = nullptr;
  std::int64_t count = 0, of = 0;
};

}  // namespace

Judgement judge_times(std::span<const Sample> samples) {
  std::map<std::pair<std::string_view, std::string_view>, Wrong> by_place;  // phase, metric
  std::string_view metric;
  Limit limit = Limit::kNone;
  bool any = false;
  for (const Sample& sample : samples) {
    if (sample.metric != metric) {
      metric = sample.metric;
      limit = limit_of(metric);
    }
    if (holds(limit, sample.value)) continue;
    any = true;
    Wrong& wrong = by_place[{sample.phase, sample.metric}];
    if (wrong.count++ == 0) wrong.first = &sample;
  }
  Judgement judgement;
  if (!any) return judgement;
  for (const Sample& sample : samples) {
    const auto wrong = by_place.find({sample.phase, sample.metric});
    if (wrong != by_place.end()) ++wrong->second.of;
  }
  for (const auto& [place, wrong] : by_place) {
    const Sample& first = *wrong.first;
    const std::string rank = first.rank > 0 ? fmt::format(" of rank {}", first.rank) : "";
    add_reason(
        judgement, Verdict::kInvalid,
        fmt::format(
            "{} of {} values of {} in {} are not valid times: the first is {} ms, in step {}{}",
            wrong.count, wrong.of, place.second, place.first, first.value, first.step, rank));
  }
  return judgement;
}

}  // namespace sweepd
