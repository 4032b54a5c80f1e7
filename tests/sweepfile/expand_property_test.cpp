// Compares expansion with a slow, obvious reference: nested loops over names, and key_of per point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

const WorkloadDef& lm() {
  return *catalog().find("lm_step");
}

// A few parameters of every kind: choice, integer, bytes, duration, real; identity and scheduling.
const std::vector<std::pair<std::string, std::vector<std::string>>>& pool() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> params{
      {"model", {"tiny", "small", "xl"}},     {"context", {"64", "128", "2K"}},
      {"d_model", {"0", "1", "2"}},           {"d_ff", {"0", "10", "20"}},
      {"memory_limit", {"0", "1GiB"}},        {"min_time", {"0", "1s", "1500ms"}},
      {"relative_error", {"0", "1%", "0.5"}}, {"repeats", {"1", "3", "2"}},
      {"timeout", {"0", "1h", "30m"}},        {"priority", {"-1", "0", "5"}}};
  return params;
}

Axis axis_of(std::size_t i, std::size_t length) {
  Axis axis;
  axis.param = *lm().index_of(pool()[i].first);
  for (std::size_t k = 0; k < length; ++k) {
    const auto& texts = pool()[i].second;
    axis.values.push_back(*lm().params[axis.param].parse(texts[k % texts.size()]));
  }
  return axis;
}

Setting setting_of(std::size_t i) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(0, pool()[i].second.size());
  const Axis axis = axis_of(i, k + 1);
  return {axis.param, axis.values.back()};
}

// Each parameter is in one section, as in a file.
Sweep any_sweep() {
  Sweep sweep;
  sweep.workload = "lm_step";
  sweep.zip.resize(*rc::gen::inRange<std::size_t>(0, 3));
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < sweep.zip.size(); ++i) {
    lengths.push_back(*rc::gen::inRange<std::size_t>(1, 5));
  }
  for (std::size_t i = 0; i < pool().size(); ++i) {
    const int section = *rc::gen::inRange(0, 6);
    if (section == 0) {
      sweep.params.push_back(setting_of(i));
    } else if (section <= 2) {
      sweep.matrix.push_back(
          axis_of(i, *rc::gen::inRange<std::size_t>(1, pool()[i].second.size() + 1)));
    } else if (section == 3 && !sweep.zip.empty()) {
      const std::size_t group = *rc::gen::inRange<std::size_t>(0, sweep.zip.size());
      sweep.zip[group].axes.push_back(axis_of(i, lengths[group]));
    }
  }
  std::erase_if(sweep.zip, [](const ZipGroup& group) { return group.axes.empty(); });
  const auto names =
      rc::gen::container<std::set<std::size_t>>(rc::gen::inRange<std::size_t>(0, pool().size()));
  const int most_rules = *rc::gen::element(3, 3, 3, 150);  // 64 rules fill one word of the index
  for (int rules = *rc::gen::inRange(0, most_rules); rules > 0; --rules) {
    ExcludeRule rule;
    for (const std::size_t i : *names) {
      if (most_rules > 3 && *rc::gen::inRange(0, 3) == 0) continue;
      rule.keys.push_back(axis_of(i, *rc::gen::inRange<std::size_t>(1, 3)));
    }
    if (!rule.keys.empty()) sweep.exclude.push_back(rule);
  }
  for (int points = *rc::gen::inRange(0, 4); points > 0; --points) {
    std::vector<Setting> point;
    for (const std::size_t i : *names) point.push_back(setting_of(i));
    sweep.include.push_back(point);
  }
  return sweep;
}

struct Reference {
  std::vector<Trial> points;  // with duplicates, in order
  std::vector<std::int64_t> excluded;
};

void cross(const Sweep& sweep, std::size_t depth, const Trial& trial, std::vector<Trial>& out) {
  if (depth == sweep.matrix.size() + sweep.zip.size()) {
    out.push_back(trial);
    return;
  }
  if (depth < sweep.matrix.size()) {
    const Axis& axis = sweep.matrix[depth];
    for (const Value& value : axis.values) {
      Trial next = trial;
      next.values[axis.param] = value;
      cross(sweep, depth + 1, next, out);
    }
    return;
  }
  const ZipGroup& group = sweep.zip[depth - sweep.matrix.size()];
  for (std::size_t i = 0; i < group.axes[0].values.size(); ++i) {
    Trial next = trial;
    for (const Axis& axis : group.axes) next.values[axis.param] = axis.values[i];
    cross(sweep, depth + 1, next, out);
  }
}

bool excludes(const ExcludeRule& rule, const Trial& trial) {
  return std::all_of(rule.keys.begin(), rule.keys.end(), [&](const Axis& key) {
    return std::count(key.values.begin(), key.values.end(), trial.values[key.param]) > 0;
  });
}

Reference reference(const Sweep& sweep) {
  Reference result;
  result.excluded.resize(sweep.exclude.size());
  Trial base = default_trial(lm());
  for (const Setting& s : sweep.params) base.values[s.param] = s.value;
  std::vector<Trial> product;
  if (!sweep.matrix.empty() || !sweep.zip.empty() || sweep.include.empty()) {
    cross(sweep, 0, base, product);
  }
  for (const Trial& trial : product) {
    std::size_t rule = 0;
    while (rule < sweep.exclude.size() && !excludes(sweep.exclude[rule], trial)) ++rule;
    if (rule < sweep.exclude.size()) {
      ++result.excluded[rule];
    } else {
      result.points.push_back(trial);
    }
  }
  for (const auto& point : sweep.include) {
    Trial trial = base;
    for (const Setting& s : point) trial.values[s.param] = s.value;
    result.points.push_back(trial);
  }
  return result;
}

RC_GTEST_PROP(Expand, AgreesWithNestedLoops, ()) {
  const Sweep sweep = any_sweep();
  const Expansion expansion = expand(sweep, lm());
  const Reference expected = reference(sweep);

  RC_ASSERT(expansion.excluded == expected.excluded);
  std::vector<TrialKey> order;  // of first appearance
  std::map<TrialKey, std::vector<Trial>> by_key;
  for (const Trial& trial : expected.points) {
    auto& same = by_key[key_of(lm(), trial)];
    if (same.empty()) order.push_back(key_of(lm(), trial));
    same.push_back(trial);
  }
  RC_ASSERT(expansion.trials.size() == order.size());
  RC_ASSERT(expansion.duplicates ==
            static_cast<std::int64_t>(expected.points.size() - order.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    RC_ASSERT(expansion.trials[i].key == order[i]);
    RC_ASSERT(key_of(lm(), expansion.trials[i].trial) == order[i]);
  }
}

RC_GTEST_PROP(Expand, SchedulingIsTheLargestOfItsPoints, ()) {
  const Sweep sweep = any_sweep();
  std::map<TrialKey, Trial> largest;
  for (const Trial& trial : reference(sweep).points) {
    auto [entry, added] = largest.try_emplace(key_of(lm(), trial), trial);
    Trial& kept = entry->second;
    for (const std::string name : {"repeats", "priority", "timeout"}) {
      const std::size_t param = *lm().index_of(name);
      const auto never_last = [&](const Trial& t) {
        const std::int64_t value = t.integer(lm(), name);
        return name == "timeout" && value == 0 ? INT64_MAX : value;
      };
      if (never_last(trial) > never_last(kept)) kept.values[param] = trial.values[param];
    }
  }
  for (const ExpandedTrial& trial : expand(sweep, lm()).trials) {
    RC_ASSERT(trial.trial.values == largest.at(trial.key).values);
  }
}

RC_GTEST_PROP(Expand, CountIsThePointsBeforeExclusion, ()) {
  Sweep sweep = any_sweep();
  const Reference all = reference(sweep);
  std::int64_t removed = 0;
  for (const std::int64_t n : all.excluded) removed += n;
  RC_ASSERT(count_points(sweep) == static_cast<std::int64_t>(all.points.size()) + removed);
}

// In the key, names are ordered with their `=`: `a1=` comes before `a=`.
TEST(Expand, KeysOfNamesThatBeginAlike) {
  WorkloadDef def;
  def.name = "w";
  for (const std::string name : {"a", "a1", "a_b", "aB"}) {
    ParamDef param;
    param.name = name;
    param.default_value = std::int64_t{0};
    def.params.push_back(param);
  }
  Sweep sweep;
  for (std::size_t i = 0; i < 4; ++i) sweep.params.emplace_back(Setting{i, Value(std::int64_t{1})});
  const Expansion expansion = expand(sweep, def);
  ASSERT_EQ(expansion.trials.size(), 1U);
  EXPECT_EQ(expansion.trials[0].key, key_of(def, expansion.trials[0].trial));
}

Axis numbers(const std::string& param, std::int64_t first, std::int64_t last) {
  Axis axis{*lm().index_of(param), {}};
  for (std::int64_t i = first; i <= last; ++i) axis.values.emplace_back(i);
  return axis;
}

// Two axes of `side` values each.
Sweep square(std::int64_t side) {
  Sweep sweep;
  sweep.workload = "lm_step";
  sweep.matrix = {numbers("seed", 1, side), numbers("context", 1, side)};
  return sweep;
}

void expect_all_points(std::int64_t side) {
  const Expansion expansion = expand(square(side), lm());
  ASSERT_EQ(expansion.trials.size(), static_cast<std::size_t>(side * side));
  EXPECT_EQ(expansion.duplicates, 0);
  const ExpandedTrial& last = expansion.trials.back();
  EXPECT_EQ(last.key, key_of(lm(), last.trial));
}

// Each rule excludes one point.
void expect_points_without_those_of_rules(std::int64_t side) {
  Sweep sweep = square(side);
  const std::int64_t rules = 29 * side;
  for (std::int64_t i = 0; i < rules; ++i) {
    const std::int64_t context = 1 + i % side, seed = 1 + i / side;
    sweep.exclude.push_back(
        {{numbers("context", context, context), numbers("seed", seed, seed)}, 0});
  }
  const Expansion expansion = expand(sweep, lm());
  EXPECT_EQ(expansion.trials.size(), static_cast<std::size_t>(side * side - rules));
  EXPECT_EQ(expansion.excluded, std::vector<std::int64_t>(rules, 1));
}

TEST(Expand, TenThousandPointsAndThousandsOfRules) {
  expect_all_points(100);
  expect_points_without_those_of_rules(100);
}

// A sanitizer checks each access to memory, which would take minutes here.
#if !defined(SWEEPD_UNDER_ASAN) && !defined(SWEEPD_UNDER_TSAN)
// Checking one rule after the other took a hundred seconds.
TEST(NightlyExpand, AMillionPointsAndThousandsOfRules) {
  expect_all_points(1000);
  expect_points_without_those_of_rules(1000);
}
#endif

// An axis this long has lists of rules instead of bits.
TEST(Expand, ALongAxisAndThousandsOfRules) {
  Sweep sweep;
  sweep.workload = "lm_step";
  sweep.matrix = {numbers("context", 1, 40'000), numbers("seed", 1, 3)};
  for (std::int64_t i = 1; i <= 4000; ++i) {
    sweep.exclude.push_back({{numbers("context", i, i + 1), numbers("seed", 1, 2)}, 0});
  }
  sweep.exclude.push_back({{numbers("seed", 3, 3)}, 0});
  const Expansion expansion = expand(sweep, lm());
  std::vector<std::int64_t> expected(4000, 2);  // the first match counts
  expected.front() = 4;
  expected.push_back(40'000);
  EXPECT_EQ(expansion.excluded, expected);
  EXPECT_EQ(expansion.trials.size(), 120'000U - 8002 - 40'000);
}

}  // namespace
}  // namespace sweepd::test
