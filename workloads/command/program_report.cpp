#include "workloads/command/program_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "runner/base/nesting.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/metric_name.h"
#include "workloads/command/json_text.h"
#include "workloads/command/metric_names.h"

namespace sweepd::command {
namespace {

using json = nlohmann::ordered_json;  // phases keep the order of the report

// Inside this file a mistake in a line is an exception, which parse_report turns into an Error.
class Mistake : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

double number(const std::string& name, const json& value) {
  if (const auto number = number_in_json(value)) return *number;
  throw Mistake(fmt::format("`{}` is {}; expected a number", name, value.dump()));
}

// Programs that were written for sweepd 0.1 end these names in `_bytes`.
std::string older(const char* name) {
  return std::string(name) + "_bytes";
}

std::optional<Bytes> bytes(const json& object, const char* name) {
  auto found = object.find(name);
  if (found == object.end()) found = object.find(older(name));
  if (found == object.end()) return std::nullopt;
  const double value = number(name, *found);
  constexpr double kMax = 0x1p62;
  if (!(value >= 0 && value <= kMax)) {
    throw Mistake(fmt::format("`{}` is {}; expected bytes", name, found->dump()));
  }
  return Bytes{static_cast<std::int64_t>(value)};
}

std::string text(const json& object, const char* name) {
  const json& value = object.at(name);
  if (!value.is_string()) {
    throw Mistake(fmt::format("`{}` is {}; expected a text", name, value.dump()));
  }
  return value.get<std::string>();
}

// The names of `sizes` may end in `_bytes`.
void only(const json& object, std::vector<std::string> names,
          const std::vector<const char*>& sizes = {}) {
  names.insert(names.end(), sizes.begin(), sizes.end());
  for (const auto& [name, value] : object.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (std::any_of(sizes.begin(), sizes.end(),
                    [&key = name](const char* size) { return key == older(size); })) {
      continue;
    }
    throw Mistake(
        fmt::format("`{}` is unknown beside `{}`{}", name, names[0], did_you_mean(name, names)));
  }
}

void add_sample(StepReport& report, const std::string& metric, const std::string& phase,
                const json& value) {
  Sample sample;
  sample.phase = phase;
  sample.metric = metric;
  sample.value = number(metric, value);
  const std::string mistake = mistake_in_sample(sample);
  if (!mistake.empty()) throw Mistake(mistake);
  report.samples.push_back(std::move(sample));
}

void add_metric(StepReport& report, const std::string& name, const json& value,
                MetricNames& names) {
  if (name.empty()) throw Mistake("the name of a metric is empty");
  const ShownFigure figure = figure_of_name(name);
  const std::string& metric = names.stored(figure.metric);
  // Before its value: the name may be the mistake.
  if (const std::string mistake = mistake_in_metric(metric); !mistake.empty()) {
    throw Mistake(mistake);
  }
  if (!value.is_object()) return add_sample(report, metric, figure.phase, value);
  if (figure.metric != name) {
    throw Mistake(fmt::format("`{}` names a phase, and its value has others", name));
  }
  for (const auto& [phase, of_phase] : value.items()) add_sample(report, metric, phase, of_phase);
}

StepReport step_report(const json& object, MetricNames& names) {
  StepReport report;
  for (const auto& [name, value] : object.items()) {
    if (name == "step") {
      if (!value.is_number_integer() || value.get<std::int64_t>() < 0) {
        throw Mistake(fmt::format("`step` is {}; expected an integer from 0", value.dump()));
      }
      report.step = value.get<std::int64_t>();
    } else if (name == "warmup") {
      if (!value.is_boolean()) {
        throw Mistake(fmt::format("`warmup` is {}; expected true or false", value.dump()));
      }
      report.warmup = value.get<bool>();
    } else {
      add_metric(report, name, value, names);
    }
  }
  if (report.samples.empty()) throw Mistake("a step without a metric such as `time`");
  return report;
}

// Metrics of the whole run: as of a step 0 that is not warm-up.
StepReport once_report(const json& object, MetricNames& names) {
  only(object, {"metrics"});
  const json& metrics = object["metrics"];
  if (!metrics.is_object()) {
    throw Mistake(fmt::format("`metrics` is {}; expected an object", metrics.dump()));
  }
  for (const char* reserved : {"step", "warmup"}) {
    if (metrics.contains(reserved)) {
      throw Mistake(
          fmt::format("`{}` belongs to a step, and `metrics` are of the whole run", reserved));
    }
  }
  StepReport report = step_report(metrics, names);
  report.warmup = false;
  report.once = true;
  return report;
}

PhaseMemory memory_report(const json& object) {
  PhaseMemory memory;
  std::vector<const char*> sizes;
  PhaseMemory::visit(memory, [&]<class T>(const char* name, T& size, const char*, const auto&...) {
    if constexpr (std::is_same_v<T, std::optional<Bytes>>) {
      sizes.push_back(name);
      size = bytes(object, name);
    }
  });
  only(object, {"memory"}, sizes);
  if (!memory.peak_allocated) throw Mistake("`peak_allocated` is missing");
  memory.phase = text(object, "memory");
  const std::string mistake = mistake_in_phase(memory.phase);
  if (!mistake.empty()) throw Mistake(mistake);
  return memory;
}

// FLOPs by phase.
std::vector<std::pair<std::string, double>> flops_report(const json& object, const char* name) {
  const json& phases = object[name];
  if (!phases.is_object())
    throw Mistake(fmt::format("`{}` is {}; expected an object", name, phases.dump()));
  std::vector<std::pair<std::string, double>> found;
  for (const auto& [phase, flops] : phases.items()) {
    if (const std::string mistake = mistake_in_phase(phase); !mistake.empty())
      throw Mistake(mistake);
    const double amount = number(phase, flops);
    if (!(amount >= 0 && amount <= 1e30)) {
      throw Mistake(
          fmt::format("the {} of `{}` is {}; expected FLOPs from 0", name, phase, flops.dump()));
    }
    found.emplace_back(phase, amount);
  }
  return found;
}

WorkReport work_report(const json& object) {
  only(object, {"work", "recomputed"});
  WorkReport work;
  for (const auto& [phase, flops] : flops_report(object, "work")) {
    work.phases.push_back({phase, flops, 0});
  }
  if (!object.contains("recomputed")) return work;
  for (const auto& [phase, flops] : flops_report(object, "recomputed")) {
    const auto of_phase = std::ranges::find(work.phases, phase, &PhaseWork::phase);
    if (of_phase == work.phases.end() || of_phase->flops < flops) {
      throw Mistake(fmt::format("`recomputed` of `{}` is {}; expected at most its work", phase,
                                object["recomputed"][phase].dump()));
    }
    of_phase->recomputed_flops = flops;
  }
  return work;
}

std::int64_t whole(const json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  throw Mistake(fmt::format("{} is not a whole number", value.dump()));
}

std::string word(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  throw Mistake(fmt::format("{} is not a text", value.dump()));
}

// Calls `row` with each row of the list, which has `columns` values.
template <class Row>
void each_row(const json& rows, std::size_t columns, Row row) {
  if (!rows.is_array()) throw Mistake("expected a list of rows");
  for (const json& each : rows) {
    if (!each.is_array() || each.size() != columns) {
      throw Mistake(fmt::format("a row is {}; expected {} values", each.dump(), columns));
    }
    row(each);
  }
}

// One of `held`, `blocks` and `timeline`.
ObservedMemory blocks_report(const json& object) {
  ObservedMemory memory;
  if (object.contains("held")) {
    only(object, {"held"});
    each_row(object["held"], 3, [&](const json& row) {
      memory.held.push_back({0, word(row[0]), word(row[1]), {whole(row[2])}});
    });
  } else if (object.contains("blocks")) {
    only(object, {"blocks"});
    each_row(object["blocks"], 7, [&](const json& row) {
      Allocation block{0,  whole(row[0]), {whole(row[1])}, {whole(row[2])},
                       {}, word(row[4]),  word(row[5]),    word(row[6])};
      if (!row[3].is_null()) block.freed = Duration{whole(row[3])};
      memory.allocations.push_back(std::move(block));
    });
  } else {
    only(object, {"timeline"});
    each_row(object["timeline"], 8, [&](const json& row) {
      memory.timeline.push_back({0,
                                 whole(row[0]),
                                 {whole(row[1])},
                                 word(row[2]),
                                 static_cast<std::uint64_t>(whole(row[3])),
                                 {whole(row[4])},
                                 {whole(row[5])},
                                 {whole(row[6])},
                                 word(row[7])});
    });
  }
  return memory;
}

FactReport fact_report(const json& object) {
  only(object, {"fact", "text", "number"});
  FactReport fact;
  fact.name = text(object, "fact");
  if (fact.name.empty()) throw Mistake("the name of a fact is empty");
  if (object.contains("text") == object.contains("number")) {
    throw Mistake("a fact has either `text` or `number`");
  }
  if (object.contains("text")) {
    fact.text = text(object, "text");
  } else {
    fact.number = number("number", object["number"]);
  }
  return fact;
}

OomReport oom_report(const json& object) {
  only(object, {"oom"}, {"requested", "in_use"});
  return {text(object, "oom"), bytes(object, "requested").value_or(Bytes{}),
          bytes(object, "in_use").value_or(Bytes{})};
}

Report report_of(const json& object, MetricNames& names) {
  if (object.contains("step")) return step_report(object, names);
  if (object.contains("metrics")) return once_report(object, names);
  if (object.contains("memory")) return memory_report(object);
  if (object.contains("work")) return work_report(object);
  for (const char* list : {"held", "blocks", "timeline"}) {
    if (object.contains(list)) return blocks_report(object);
  }
  if (object.contains("fact")) return fact_report(object);
  if (object.contains("oom")) return oom_report(object);
  if (object.contains("skipped")) {
    only(object, {"skipped"});
    return SkipReport{text(object, "skipped")};
  }
  throw Mistake(
      "it has none of `step`, `metrics`, `memory`, `held`, `blocks`, `timeline`, `work`, `fact`, "
      "`skipped` "
      "and `oom`");
}

}  // namespace

std::string mistake_in_sample(const Sample& sample) {
  if (std::string mistake = mistake_in_metric(sample.metric); !mistake.empty()) return mistake;
  if (std::string mistake = mistake_in_phase(sample.phase); !mistake.empty()) return mistake;
  if (unit_of_metric(sample.metric) != "ms" || !(sample.value < 0)) return "";
  return fmt::format("`{}` of {} is {}; expected ms, from 0", sample.metric, sample.phase,
                     sample.value);
}

Result<Report> parse_report(std::string_view line) {
  MetricNames names;
  return parse_report(line, names);
}

Result<Report> parse_report(std::string_view line, MetricNames& names) {
  if (is_nested_too_deeply(line)) {
    return Error{ErrorCode::kInvalidArgument, "it is " + nested_too_deeply()};
  }
  const JsonText parsed = parse_json(line);
  const json& object = parsed.value;
  if (!object.is_object()) {
    const bool begun = trim(line).starts_with('{');
    return Error{ErrorCode::kInvalidArgument,
                 begun ? fmt::format("it is not a JSON object: column {}: {}",
                                     parsed.mistake_at + 1, parsed.mistake)
                       : "it is not a JSON object"};
  }
  try {
    return report_of(object, names);
  } catch (const Mistake& mistake) {
    return Error{ErrorCode::kInvalidArgument, mistake.what()};
  }
}

}  // namespace sweepd::command
