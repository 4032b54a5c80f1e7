#include "db/query/planning/plan_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/query/planning/identity.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/attempt/verdict.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

// What an attempt may be: ended with an outcome, or open.
std::vector<std::string> states() {
  std::vector<std::string> words = outcome_words();
  words.insert(words.end(), {"queued", "running"});
  return words;
}

Result<Value> one_of_words(const std::string& name, const std::string& text,
                           const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), text) != words.end()) return Value(text);
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{}: `{}` is not one of {}{}", name, text, join(words, ", "),
                           did_you_mean(text, words))};
}

Value allow(const std::string& name, const std::string& text, std::vector<std::string>& unknown) {
  std::string both = fmt::format("{} `{}`", name, text);
  if (std::find(unknown.begin(), unknown.end(), both) == unknown.end()) {
    unknown.push_back(std::move(both));
  }
  return Value(text);
}

// Accepts words that the catalog knows or that some result has.
Result<Value> known_or_stored(ReaderState& state, const std::string& name, const std::string& text,
                              const std::vector<std::string>& words, UnknownNames unknown) {
  const bool known = std::find(words.begin(), words.end(), text) != words.end();
  if (known || state.names.find(text)) return Value(text);
  if (unknown != nullptr) return allow(name, text, *unknown);
  return one_of_words(name, text, words);
}

std::vector<std::string> phases_of(const WorkloadDef& def) {
  std::vector<std::string> phases = def.phases;
  phases.insert(phases.begin(), "setup");
  phases.push_back("step");
  return phases;
}

// These are valid before anything was measured, so that a report says `skipped` instead of
// rejecting the metric.
std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const KnownMetric& metric : known_metrics()) {
    if (metric.when != KnownMetric::When::kSomeSteps) names.push_back(metric.name);
  }
  return names;
}

std::vector<std::string> texts_of(Query& query) {
  std::vector<std::string> texts;
  while (query.next()) texts.push_back(query.text(0));
  return texts;
}

// Returns the names of figures or facts among the workload's results, each as a metric.
std::vector<std::string> named_metrics(ReaderState& state, const WorkloadDef& def,
                                       FigureSource source) {
  Query query(state.connection,
              source == FigureSource::kFigure
                  ? "SELECT DISTINCT 'figure.' || n.text FROM figure f JOIN trial t ON t.id = "
                    "f.trial JOIN name n ON n.id = f.name WHERE t.workload = ? ORDER BY 1"
                  : "SELECT DISTINCT 'fact.' || n.text FROM fact f JOIN attempt a ON a.row = "
                    "f.attempt JOIN trial t ON t.id = a.trial JOIN name n ON n.id = f.name WHERE "
                    "t.workload = ? ORDER BY 1");
  query.bind(def.name);
  return texts_of(query);
}

// Returns the texts that a source's column contains. Only read to suggest a correction.
std::vector<std::string> stored_texts(ReaderState& state, ResultColumn column) {
  std::string names;
  switch (column) {
    case ResultColumn::kFact:
      names = "SELECT name FROM fact";
      break;
    case ResultColumn::kFigure:
      names = "SELECT name FROM figure";
      break;
    case ResultColumn::kRange:
      names = "SELECT range FROM kernel UNION SELECT range FROM allocation";
      break;
    case ResultColumn::kOrigin:
      names = "SELECT origin FROM allocation";
      break;
    case ResultColumn::kClass:
      names = "SELECT class FROM kernel";
      break;
    case ResultColumn::kOperator:
      names = "SELECT operator FROM operator UNION SELECT short_name FROM kernel";
      break;
    default:
      names = "SELECT kernel FROM kernel UNION SELECT short_name FROM kernel";
  }
  Query query(state.connection, "SELECT text FROM name WHERE id IN (" + names + ") ORDER BY 1");
  return texts_of(query);
}

// Accepts a name that no result has yet, as long as there are no results to compare it with.
Result<Value> stored_or_first(ReaderState& state, ResultColumn column, const std::string& name,
                              const std::string& text, UnknownNames unknown) {
  if (state.names.find(text)) return Value(text);
  if (unknown != nullptr) return allow(name, text, *unknown);
  const auto known = stored_texts(state, column);
  if (known.empty()) return Value(text);
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{}: no result has `{}`; there are {}{}", name, text, some_of(known),
                           did_you_mean(text, known))};
}

// Accepts an id, a prefix or a name, as everywhere. A filter may list several.
Result<Value> parse_sweep(ReaderState& state, const std::string& text) {
  Query query(state.connection,
              "SELECT uid FROM sweep WHERE uid = ?1 OR name = ?1 OR (length(?1) >= 4 AND "
              "uid >= ?1 AND uid < ?1 || 'g') "
              "ORDER BY uid = ?1 DESC, name = ?1 DESC, submitted_ns DESC, id DESC LIMIT 1");
  query.bind(text);
  if (query.next()) return Value(query.text(0));
  const auto sweep = find_sweep(state, text);
  if (!sweep) return sweep.error();
  return Value(sweep->id);
}

const std::vector<PlannedFilter>::const_iterator filter_of(
    const std::vector<PlannedFilter>& filters, const ColumnRef& column) {
  return std::find_if(filters.begin(), filters.end(),
                      [&](const PlannedFilter& f) { return f.column == column; });
}

bool is_numeric(ValueType type) {
  return type == ValueType::kInteger || type == ValueType::kReal || type == ValueType::kBytes ||
         type == ValueType::kDuration;
}

// Whether the table has a row of the metric.
bool is_stored(ReaderState& state, const char* table, const std::string& metric) {
  const auto id = state.names.find(metric);
  if (!id) return false;
  Query stored(state.connection, fmt::format("SELECT 1 FROM {} WHERE metric = ? LIMIT 1", table));
  stored.bind(*id);
  return stored.next();
}

}  // namespace

std::vector<std::string> dimensions_of(const WorkloadDef& def) {
  std::vector<std::string> names = def.param_names();
  const auto& common = result_column_names();
  names.insert(names.end(), common.begin(), common.end());
  return names;
}

Result<void> check_metric(ReaderState& state, const WorkloadDef& def, const std::string& metric,
                          UnknownNames unknown) {
  std::vector<std::string> names = metric_names();
  names.emplace_back("figure");
  names.emplace_back("fact");
  if (std::find(names.begin(), names.end(), metric) != names.end()) return {};
  if (find_metric(def.metrics, metric) != nullptr) return {};  // blank until it is reported
  for (const MetricDef& declared : def.metrics) names.push_back(declared.name);
  if (metric.starts_with(kRangeTimePrefix)) return {};  // blank until a profile exists
  const FigureSource source = source_of_metric(metric);
  if (source == FigureSource::kFigure || source == FigureSource::kFact) {
    names = named_metrics(state, def, source);
    const bool known = std::find(names.begin(), names.end(), metric) != names.end();
    if (known || (names.empty() && !name_within(metric).empty())) return {};
  } else if (is_stored(state, "summary", metric)) {
    return {};
  }
  if (unknown != nullptr) {
    allow("metric", metric, *unknown);
    return {};
  }
  if (is_stored(state, "sample", metric)) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("metric: all values of `{}` are of warm-up steps; measure with fewer of "
                    "them (`warmup`)",
                    metric)};
  }
  for (const FigureSource other : {FigureSource::kFigure, FigureSource::kFact}) {
    if (other == source) continue;
    const auto more = named_metrics(state, def, other);
    names.insert(names.end(), more.begin(), more.end());
  }
  // `parameters` for figure.parameters: too far in spelling for a suggestion.
  for (const std::string& name : names) {
    if (name_within(name) == metric) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("metric: `{}` has no samples (did you mean `{}`?)", metric, name)};
    }
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("metric: results of `{}` have no `{}`; there are {}{}", def.name, metric,
                           join(names, ", "), did_you_mean(metric, names))};
}

Result<ColumnRef> resolve_name(const WorkloadDef& def, const std::string& name,
                               std::string_view where) {
  if (const auto index = def.index_of(name)) return ColumnRef(*index);
  const auto& common = result_column_names();
  const auto found = std::find(common.begin(), common.end(), name);
  if (found != common.end()) {
    return ColumnRef(static_cast<ResultColumn>(found - common.begin()));
  }
  std::vector<std::string> names = def.param_names();
  names.insert(names.end(), common.begin(), common.end());
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{}: `{}` is neither a parameter of `{}` nor one of {}{}", where, name,
                           def.name, join(common, ", "), did_you_mean(name, names))};
}

Result<Value> parse_filter_value(ReaderState& state, const WorkloadDef& def,
                                 const ColumnRef& column, const std::string& name,
                                 const std::string& text, UnknownNames unknown) {
  if (const auto* param = std::get_if<std::size_t>(&column)) {
    if (def.params[*param].computed) return parse_computed(state, def, *param, text);
    return def.params[*param].parse(text);
  }
  switch (std::get<ResultColumn>(column)) {
    case ResultColumn::kPhase:
      return known_or_stored(state, name, text, phases_of(def), unknown);
    case ResultColumn::kMetric: {
      const auto known = check_metric(state, def, text, unknown);
      return known ? Result<Value>(Value(text)) : Result<Value>(known.error());
    }
    case ResultColumn::kPass:
      return one_of_words(name, text, pass_words());
    case ResultColumn::kOutcome:
      return one_of_words(name, text, states());
    case ResultColumn::kVerdict:
      return one_of_words(name, text, verdict_words());
    case ResultColumn::kStep:
    case ResultColumn::kRepeat:
    case ResultColumn::kRank:
    case ResultColumn::kAllocation: {
      if (text == "slowest" && std::get<ResultColumn>(column) == ResultColumn::kRank) {
        return Value(kSlowestRank);
      }
      const auto number = parse_integer(text);
      if (number) return Value(*number);
      return Error{number.error().code, fmt::format("{}: {}", name, number.error().message)};
    }
    case ResultColumn::kSweep:
      return parse_sweep(state, text);
    case ResultColumn::kHost:
    case ResultColumn::kDeviceName:
    case ResultColumn::kGrid:
    case ResultColumn::kBlock:
      return Value(text);
    case ResultColumn::kCode:
    case ResultColumn::kMachine:
    case ResultColumn::kBuild:
    case ResultColumn::kTorch:
    case ResultColumn::kDriver:
      return parse_identity(state, std::get<ResultColumn>(column), name, text);
    case ResultColumn::kFact:
    case ResultColumn::kFigure:
    case ResultColumn::kKernel:
    case ResultColumn::kClass:
    case ResultColumn::kRange:
    case ResultColumn::kOrigin:
    case ResultColumn::kOperator:
      return stored_or_first(state, std::get<ResultColumn>(column), name, text, unknown);
  }
  return Error{ErrorCode::kInternal, "unknown column " + name};
}

PlannedDimension describe_dimension(const WorkloadDef& def,
                                    const std::vector<PlannedFilter>& filters,
                                    const std::string& name, const ColumnRef& column) {
  PlannedDimension dimension{name, column, false, {}, ""};
  const auto filter = filter_of(filters, column);
  const bool filtered = filter != filters.end();
  if (const auto* index = std::get_if<std::size_t>(&column)) {
    const ParamDef& param = def.params[*index];
    dimension.numeric = is_numeric(param.type);
    if (filtered) {
      for (const Value& value : filter->values) dimension.preferred.push_back(param.text(value));
    } else {
      dimension.preferred = param.choices;
    }
    return dimension;
  }
  const ResultColumn common = std::get<ResultColumn>(column);
  dimension.numeric = is_integer(common);
  if (dimension.numeric || common == ResultColumn::kSweep) return dimension;
  if (filtered) {
    for (const Value& value : filter->values) {
      dimension.preferred.push_back(std::get<std::string>(value));
    }
    return dimension;
  }
  if (common == ResultColumn::kPass) dimension.preferred = pass_words();
  if (common == ResultColumn::kOutcome) dimension.preferred = states();
  if (common == ResultColumn::kVerdict) dimension.preferred = verdict_words();
  if (common == ResultColumn::kMetric) dimension.preferred = metric_names();
  if (common == ResultColumn::kPhase) {
    dimension.preferred = phases_of(def);
    dimension.preferred.pop_back();
    dimension.last = "step";
  }
  return dimension;
}

}  // namespace sweepd
