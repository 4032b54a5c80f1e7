#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runner/base/hash.h"
#include "runner/model/sweep/trial.h"
#include "runner/sweepfile/sweep/sweepfile.h"
#include "runner/sweepfile/yaml/product.h"
#include "runner/sweepfile/yaml/rule_index.h"

namespace sweepd {
namespace {

using sweepfile::Dimension;
using sweepfile::RuleIndex;

// Writes trial keys for many trials of one workload that differ in a few parameters. Gives the
// result of key_of(def, trial) without formatting and sorting every parameter again. A property
// test compares the two.
class KeyWriter {
 public:
  explicit KeyWriter(const WorkloadDef& def);

  // Returns `|name=value` as the key hashes it, or "" for a default and for scheduling parameters.
  std::string part_of(std::size_t param, const Value& value) const;

  void set(std::size_t param, const std::string& part) { parts_[rank_[param]] = part; }
  void set_all(const Trial& trial);
  TrialKey key();

 private:
  const WorkloadDef& def_;
  std::string prefix_;
  std::vector<std::size_t> rank_;   // each parameter's position in the key's alphabetical order
  std::vector<std::string> parts_;  // by rank
  std::string text_;                // reused
};

KeyWriter::KeyWriter(const WorkloadDef& def)
    : def_(def),
      prefix_(def.name + "/" + std::to_string(def.version)),
      rank_(def.params.size()),
      parts_(def.params.size()) {
  std::vector<std::size_t> order(def.params.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // key_of sorts `name=value`. No name contains `=`, so the order is that of the names with `=`
  // appended (`a1=` is before `a=`, though `a` is before `a1`).
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return def.params[a].name + "=" < def.params[b].name + "=";
  });
  for (std::size_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
}

std::string KeyWriter::part_of(std::size_t param, const Value& value) const {
  const ParamDef& def = def_.params[param];
  if (!is_in_key(def, value)) return "";
  return "|" + def.name + "=" + key_text(def, value);
}

void KeyWriter::set_all(const Trial& trial) {
  for (std::size_t i = 0; i < trial.values.size(); ++i) set(i, part_of(i, trial.values[i]));
}

TrialKey KeyWriter::key() {
  text_ = prefix_;
  for (const std::string& part : parts_) text_ += part;
  return hash128(text_);
}

Trial base_trial(const Sweep& sweep, const WorkloadDef& def) {
  Trial trial = default_trial(def);
  for (const Setting& setting : sweep.params) trial.values[setting.param] = setting.value;
  return trial;
}

// Whether `a` is at least `b` for scheduling. A timeout of 0 means never, so it is the largest.
bool schedules_more(const ParamDef& def, const Value& a, const Value& b) {
  if (def.name == "timeout" && a != b) {
    if (std::get<std::int64_t>(a) == 0) return true;
    if (std::get<std::int64_t>(b) == 0) return false;
  }
  return a >= b;
}

// Collects points into an Expansion, each key once in each pool.
class Collector {
 public:
  Collector(const WorkloadDef& def, std::size_t points, const DeviceOfPool& device_of)
      : def_(def), pool_(pool_param(def)), points_(points) {
    for (std::size_t i = 0; i < def.params.size(); ++i) {
      if (def.params[i].role == ParamRole::kScheduling) scheduling_.push_back(i);
    }
    if (device_of) device_ = def.index_of("device");
    device_of_ = device_of;
    out.trials.reserve(points);
  }

  void add(const Trial& trial, TrialKey key) {
    out.trials.push_back({trial, std::move(key)});
    if (device_) resolve_device(out.trials.back());
    // The view stays valid: `trials` never grows beyond its reserve, so no key moves.
    const auto [first, added] =
        index_of(trial).try_emplace(std::string_view(out.trials.back().key), out.trials.size() - 1);
    if (added) return;
    out.trials.pop_back();
    ++out.duplicates;
    Trial& kept = out.trials[first->second].trial;
    for (const std::size_t param : scheduling_) {
      if (schedules_more(def_.params[param], trial.values[param], kept.values[param])) {
        kept.values[param] = trial.values[param];
      }
    }
  }

  Expansion out;

 private:
  using Index = std::unordered_map<std::string_view, std::size_t>;

  // Most sweeps have one pool.
  Index& index_of(const Trial& trial) {
    const std::string& pool = pool_ ? std::get<std::string>(trial.values[*pool_]) : no_pool_;
    if (last_ != nullptr && pool == last_pool_) return *last_;
    const auto [entry, added] = indices_.try_emplace(pool);
    if (added) entry->second.reserve(points_);
    last_pool_ = pool;
    return *(last_ = &entry->second);
  }

  void resolve_device(ExpandedTrial& point) const {
    Value& device = point.trial.values[*device_];
    if (device != Value(std::string(kAutoDevice))) return;
    device = std::string(device_of_(pool_of(def_, point.trial)));
    point.key = key_of(def_, point.trial);
  }

  const WorkloadDef& def_;
  std::vector<std::size_t> scheduling_;
  std::optional<std::size_t> pool_, device_;
  DeviceOfPool device_of_;
  std::size_t points_;
  std::map<std::string, Index> indices_;
  const std::string no_pool_;
  std::string last_pool_;
  Index* last_ = nullptr;
};

// Walks the product with one trial and one key that change in place: there may be a million points,
// each differing from the last one in an axis or two.
class Walker {
 public:
  Walker(const Sweep& sweep, const WorkloadDef& def)
      : dimensions_(sweepfile::dimensions_of(sweep)),
        counters_(dimensions_.size(), 0),
        trial_(base_trial(sweep, def)),
        keys_(def),
        rules_(sweep.exclude, dimensions_, trial_) {
    keys_.set_all(trial_);
    for (const Dimension& dimension : dimensions_) {
      auto& parts = parts_.emplace_back();
      for (const Axis* axis : dimension.axes) {
        auto& of_axis = parts.emplace_back();
        for (const Value& value : axis->values) {
          of_axis.push_back(keys_.part_of(axis->param, value));
        }
      }
    }
    for (std::size_t d = 0; d < dimensions_.size(); ++d) show(d);
  }

  void walk(Collector& collector) {
    const auto empty = [](const Dimension& dimension) { return dimension.length == 0; };
    if (std::any_of(dimensions_.begin(), dimensions_.end(), empty)) return;
    set_rules_from(0);
    do {
      if (const auto rule = rules_.first_match()) {
        ++collector.out.excluded[*rule];
      } else {
        collector.add(trial_, keys_.key());
      }
    } while (advance());
  }

 private:
  void show(std::size_t d) {
    const Dimension& dimension = dimensions_[d];
    if (dimension.length == 0) return;
    for (std::size_t a = 0; a < dimension.axes.size(); ++a) {
      const Axis& axis = *dimension.axes[a];
      trial_.values[axis.param] = axis.values[counters_[d]];
      keys_.set(axis.param, parts_[d][a][counters_[d]]);
    }
  }

  // The last dimension changes fastest, as the digits of a clock do.
  bool advance() {
    for (std::size_t d = dimensions_.size(); d-- > 0;) {
      counters_[d] = (counters_[d] + 1) % dimensions_[d].length;
      show(d);
      if (counters_[d] == 0) continue;
      set_rules_from(d);
      return true;
    }
    return false;
  }

  void set_rules_from(std::size_t first) {
    for (std::size_t d = first; d < dimensions_.size(); ++d) rules_.set(d, counters_[d]);
  }

  std::vector<Dimension> dimensions_;
  std::vector<std::size_t> counters_;
  Trial trial_;
  KeyWriter keys_;
  RuleIndex rules_;
  std::vector<std::vector<std::vector<std::string>>> parts_;  // by dimension, axis, counter
};

}  // namespace

std::int64_t count_points(const Sweep& sweep) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t points = sweepfile::has_product(sweep) ? 1 : 0;
  for (const Dimension& dimension : sweepfile::dimensions_of(sweep)) {
    if (__builtin_mul_overflow(points, dimension.length, &points)) return kMax;
  }
  if (__builtin_add_overflow(points, sweep.include.size(), &points)) return kMax;
  return points;
}

Expansion expand(const Sweep& sweep, const WorkloadDef& def, const DeviceOfPool& device_of) {
  Collector collector(def, static_cast<std::size_t>(count_points(sweep)), device_of);
  collector.out.excluded.assign(sweep.exclude.size(), 0);
  if (sweepfile::has_product(sweep)) Walker(sweep, def).walk(collector);

  const Trial base = base_trial(sweep, def);
  KeyWriter keys(def);
  for (const auto& point : sweep.include) {
    Trial trial = base;
    for (const Setting& setting : point) trial.values[setting.param] = setting.value;
    keys.set_all(trial);
    collector.add(trial, keys.key());
  }
  return std::move(collector.out);
}

}  // namespace sweepd
