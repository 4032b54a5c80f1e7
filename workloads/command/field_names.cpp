#include "workloads/command/field_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/known_metric.h"

namespace sweepd::command {
namespace {

constexpr std::array<std::string_view, 4> kStepNames{"step", "iter", "iteration", "global_step"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kUnitWords{
    {{"ns", "ns"},
     {"nsec", "ns"},
     {"nanoseconds", "ns"},
     {"us", "us"},
     {"\u00b5s", "us"},  // the micro sign
     {"\u03bcs", "us"},  // the Greek letter
     {"usec", "us"},
     {"microseconds", "us"},
     {"ms", "ms"},
     {"msec", "ms"},
     {"msecs", "ms"},
     {"milliseconds", "ms"},
     {"s", "s"},
     {"sec", "s"},
     {"secs", "s"},
     {"second", "s"},
     {"seconds", "s"}}};

std::optional<double> scale_of_word(std::string_view word) {
  const auto found =
      std::ranges::find(kUnitWords, word, &std::pair<std::string_view, std::string_view>::first);
  return found == kUnitWords.end() ? std::nullopt : milliseconds_in(found->second);
}

// Of "wall time (s)", "time [ms]", "step_ms", "ms/iter".
std::optional<double> scale_in_name(std::string_view name) {
  name = trim(name);
  if (name.ends_with(')') || name.ends_with(']')) {
    const std::size_t open = name.find_last_of("([");
    if (open == std::string_view::npos) return std::nullopt;
    return scale_of_word(trim(name.substr(open + 1, name.size() - open - 2)));
  }
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    if (const auto scale = scale_of_word(trim(name.substr(0, slash)))) return scale;
  }
  const std::size_t last = name.find_last_of(" _");
  return last == std::string_view::npos ? std::nullopt : scale_of_word(name.substr(last + 1));
}

// `train/loss` and `train.loss` name the same key.
std::string with_dots(std::string_view name) {
  std::string dotted(name);
  std::ranges::replace(dotted, '/', '.');
  return dotted;
}

std::string quoted_names(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back("`" + brief(name) + "`");
  return join(texts, ", ");
}

}  // namespace

FieldNames::FieldNames(std::string_view map) {
  for (const std::string& line : split(map, '\n')) {
    const std::string_view text = trim(line);
    if (text.empty()) continue;
    constexpr std::string_view kIs = " = ";
    const std::size_t equal = text.find(kIs);
    try {
      if (equal == std::string_view::npos) throw std::invalid_argument("expected `OURS = THEIRS`");
      add(trim(text.substr(0, equal)), trim(text.substr(equal + kIs.size())));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("reports: map: `{}`: {}", brief(text), error.what()));
    }
  }
}

void FieldNames::add(std::string_view ours, std::string_view theirs) {
  Mapped mapped{{}, std::string(theirs)};
  if (ours == "step" || ours == "warmup") {
    mapped.field.kind = ours == "step" ? Kind::kStep : Kind::kWarmup;
  } else {
    const auto figure = parse_figure_name(ours);
    if (!figure) throw std::invalid_argument(figure.error().message);
    mapped.field.figure = *figure;
    const bool is_time = unit_of_metric(figure->metric) == "ms";
    if (is_time && !figure->has_unit) {
      mapped.field.figure.scale = scale_in_name(theirs).value_or(1);
    }
  }
  if (theirs.empty()) throw std::invalid_argument("it names no column and no key");
  if (has(mapped.field)) throw std::invalid_argument("the map has another one");
  if (find(theirs) != nullptr) {
    throw std::invalid_argument(fmt::format("`{}` is mapped twice", brief(theirs)));
  }
  if (mapped.field.kind == Kind::kFigure) names_.stored(mapped.field.figure.metric);
  map_.push_back(std::move(mapped));
}

bool FieldNames::is_step(std::string_view name) {
  return std::ranges::find(kStepNames, name) != kStepNames.end();
}

const FieldNames::Mapped* FieldNames::find(std::string_view theirs) const {
  const auto exact = std::ranges::find(map_, theirs, &Mapped::theirs);
  if (exact != map_.end()) return &*exact;
  const auto keys = std::ranges::find_if(
      map_, [&](const Mapped& mapped) { return with_dots(mapped.theirs) == theirs; });
  return keys == map_.end() ? nullptr : &*keys;
}

bool FieldNames::has(const Field& field) const {
  return std::ranges::any_of(map_, [&](const Mapped& mapped) {
    return mapped.field.kind == field.kind &&
           (field.kind != Kind::kFigure || (mapped.field.figure.metric == field.figure.metric &&
                                            mapped.field.figure.phase == field.figure.phase));
  });
}

std::vector<FieldNames::Field> FieldNames::fields_of(const std::vector<std::string>& names) {
  const auto is_there = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end() && !is_mapped(name);
  };
  std::string_view step;
  if (!has({Kind::kStep})) {
    const auto found = std::ranges::find_if(kStepNames, is_there);
    if (found != kStepNames.end()) step = *found;
  }
  std::vector<Field> fields;
  for (const std::string& name : names) {
    fields.push_back(field_of(name, !step.empty() && name == step));
    if (map_.empty() || std::ranges::find(there_, name) != there_.end()) continue;
    constexpr std::size_t kMost = 30;
    if (there_.size() < kMost) there_.push_back(name);
    // Not `find`, which is const.
    for (Mapped& mapped : map_) {
      if (mapped.theirs == name || with_dots(mapped.theirs) == name) mapped.seen = true;
    }
  }
  return fields;
}

FieldNames::Field FieldNames::field_of(const std::string& name, bool is_step) const {
  if (const Mapped* mapped = find(name)) return mapped->field;
  Field field;
  if (is_step) {
    field.kind = Kind::kStep;
  } else if (name == "warmup") {
    field.kind = Kind::kWarmup;
  } else {
    const ShownFigure shown = figure_of_name(name);
    field.figure = {shown.metric, shown.phase};
  }
  Field as_stored = field;
  as_stored.figure.metric = stored_metric_name(field.figure.metric);
  if (name == "step" && !is_step && has({Kind::kStep})) as_stored.kind = Kind::kStep;
  if (has(as_stored)) field.kind = Kind::kTaken;
  return field;
}

void FieldNames::store(Field& field) {
  if (std::exchange(field.is_stored, true)) return;
  field.figure.metric = names_.stored_of_stranger(field.figure.metric);
}

std::vector<Report> FieldNames::finish() const {
  std::vector<Report> reports;
  for (FactReport& fact : names_.facts()) reports.emplace_back(std::move(fact));
  if (std::string text = unmatched(); !text.empty()) {
    reports.emplace_back(FactReport{"map.unmatched", std::nullopt, std::move(text)});
  }
  return reports;
}

std::string FieldNames::unmatched() const {
  std::vector<std::string> missing;
  for (const Mapped& mapped : map_) {
    if (mapped.seen) continue;
    missing.push_back("`" + brief(mapped.theirs) + "`" + did_you_mean(mapped.theirs, there_));
  }
  if (missing.empty()) return "";
  return join(missing, ", ") +
         (there_.empty() ? "; there were no names" : "; there were " + quoted_names(there_));
}

}  // namespace sweepd::command
