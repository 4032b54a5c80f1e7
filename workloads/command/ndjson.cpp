#include "workloads/command/ndjson.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "runner/base/nesting.h"
#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/json_text.h"

namespace sweepd::command {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kNdjson = "ndjson";

struct Leaf {
  std::string name;  // its keys, with dots between
  const OrderedJson* value;
};

void add_leaves(const OrderedJson& object, const std::string& above, std::vector<Leaf>& leaves) {
  for (const auto& [key, value] : object.items()) {
    std::string name = above;
    if (!name.empty()) name += '.';
    name += key;
    if (value.is_object()) {
      add_leaves(value, name, leaves);
    } else {
      leaves.push_back({name, &value});
    }
  }
}

// `{'loss': 2}` of Python and `{rank 0}` are none.
bool is_begun_object(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const std::string_view rest = trim(text.substr(1));
  return rest.starts_with('"') || rest.starts_with('}');
}

bool has_step(const OrderedJson& object) {
  for (auto item = object.begin(); item != object.end(); ++item) {
    if (FieldNames::is_step(item.key())) return true;
  }
  return false;
}

// Whether the line is one that only a program which knows sweepd writes.
bool is_line_of_sweepd(const OrderedJson& object) {
  if (has_step(object)) return false;
  const auto has = [&](const char* key, auto is_kind) {
    const auto found = object.find(key);
    return found != object.end() && is_kind(*found);
  };
  const auto is_text = [](const OrderedJson& value) { return value.is_string(); };
  const auto is_list = [](const OrderedJson& value) { return value.is_array(); };
  const auto is_alone = [&](const OrderedJson& value) {
    return value.is_object() && object.size() == 1;
  };
  return has("memory", is_text) || has("fact", is_text) || has("skipped", is_text) ||
         has("oom", is_text) || has("work", is_alone) || has("held", is_list) ||
         has("blocks", is_list) || has("timeline", is_list);
}

std::optional<bool> truth(const OrderedJson& value) {
  if (value.is_boolean()) return value.get<bool>();
  const auto number = number_in_json(value);
  return number ? std::optional(*number != 0) : std::nullopt;
}

std::int64_t step_in(const std::string& name, const OrderedJson& value) {
  const auto number = number_in_json(value);
  const auto step = number ? step_number(*number) : std::nullopt;
  if (!step) {
    throw std::runtime_error(
        fmt::format("`{}` is {}; expected an integer from 0", name, brief(value.dump())));
  }
  return *step;
}

}  // namespace

std::vector<Report> NdjsonLines::read(std::string_view line, std::int64_t number) {
  const std::string_view text = trim(line);
  if (!is_begun_object(text)) return {};
  const auto refuse = [&](std::string_view why) {
    refuse_report(kNdjson, fmt::format("line {}: {}: `{}`", number, why, text.substr(0, 200)));
  };
  if (is_nested_too_deeply(text)) refuse("it is " + nested_too_deeply());
  const JsonText parsed = parse_json(text);
  if (!parsed.value.is_object()) {
    refuse(fmt::format("it is not a JSON object: column {}: {}", parsed.mistake_at + 1,
                       parsed.mistake));
  }
  try {
    return read_value(parsed.value, /*is_document=*/false);
  } catch (const std::runtime_error& mistake) {
    refuse(mistake.what());
    return {};
  }
}

std::vector<Report> NdjsonLines::read_file(std::string_view text) {
  const std::vector<std::string> lines = split(text, '\n');
  const auto is_blank = [](const std::string& line) { return trim(line).empty(); };
  const auto first = std::ranges::find_if_not(lines, is_blank);
  if (first == lines.end()) return {};
  const bool is_begun = trim(*first).starts_with('{') && !trim(*first).ends_with('}');
  const bool is_alone = std::all_of(std::next(first), lines.end(), is_blank);
  std::vector<Report> reports;
  const auto take = [&](std::vector<Report> found) {
    std::ranges::move(found, std::back_inserter(reports));
  };
  if (!trim(*first).starts_with('[') && !is_begun && !is_alone) {
    std::int64_t number = 0;
    for (const std::string& line : lines) {
      ++number;
      // A program that is ended while it writes leaves a part of a line.
      const bool is_last = number == std::ssize(lines);
      is_cut_ = is_last && is_begun_object(trim(line)) && !is_nested_too_deeply(line) &&
                parse_json(line).value.is_discarded();
      if (!is_cut_) take(read(line, number));
    }
    return reports;
  }
  if (is_nested_too_deeply(text)) refuse_report(kNdjson, "it is " + nested_too_deeply());
  const JsonText parsed = parse_json(text);
  if (parsed.value.is_discarded()) {
    refuse_report(kNdjson, fmt::format("it is not JSON: {}: {}",
                                       place_in_text(text, parsed.mistake_at), parsed.mistake));
  }
  try {
    if (parsed.value.is_object()) return read_value(parsed.value, /*is_document=*/true);
    for (const Json& item : parsed.value) {
      if (item.is_object()) take(read_value(item, /*is_document=*/false));
    }
  } catch (const std::runtime_error& mistake) {
    refuse_report(kNdjson, mistake.what());
  }
  return reports;
}

std::vector<Report> NdjsonLines::read_value(const Json& object, bool is_document) {
  if (is_line_of_sweepd(object)) {
    auto report = parse_report(object.dump());
    if (!report) throw std::runtime_error(report.error().message);
    return {std::move(*report)};
  }
  const auto metrics = object.find("metrics");
  if (metrics != object.end() && metrics->is_object() && object.size() == 1) {
    return read_object(*metrics, /*once=*/true);
  }
  return read_object(object, is_document && !has_step(object));
}

std::vector<Report> NdjsonLines::read_object(const Json& object, bool once) {
  std::vector<Leaf> leaves;
  add_leaves(object, "", leaves);
  std::vector<std::string> names;
  for (const Leaf& leaf : leaves) names.push_back(leaf.name);
  std::vector<FieldNames::Field> fields = names_.fields_of(names);
  StepReport report;
  report.once = once;
  if (once) report.warmup = false;
  std::optional<std::int64_t> step;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto& [name, value] = leaves[i];
    FieldNames::Field& field = fields[i];
    if (field.kind == FieldNames::Kind::kStep && !once) {
      step = step_in(name, *value);
      continue;
    }
    if (field.kind == FieldNames::Kind::kWarmup && !once && truth(*value)) {
      report.warmup = truth(*value);
      continue;
    }
    const auto number = number_in_json(*value);
    if (!number || field.kind != FieldNames::Kind::kFigure) {
      omit(name);
      continue;
    }
    names_.store(field);
    const FigureName& figure = field.figure;
    report.samples.push_back(sample_of(figure.phase, figure.metric, *number * figure.scale));
    const std::string mistake = mistake_in_sample(report.samples.back());
    if (!mistake.empty()) throw std::runtime_error(mistake);
  }
  if (report.samples.empty()) return {};
  if (once) return {std::move(report)};
  report.step = step.value_or(step_of_figures(report.samples));
  step_ = std::max(step_, report.step);
  for (const Sample& sample : report.samples) {
    next_step_[{sample.metric, sample.phase}] = report.step + 1;
  }
  return {std::move(report)};
}

std::int64_t NdjsonLines::step_of_figures(const std::vector<Sample>& samples) const {
  std::int64_t step = step_;
  for (const Sample& sample : samples) {
    const auto next = next_step_.find({sample.metric, sample.phase});
    if (next != next_step_.end()) step = std::max(step, next->second);
  }
  return step;
}

std::string NdjsonLines::omissions() const {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> texts;
  for (const auto& [name, count] : omitted_) {
    if (texts.size() == kMost) {
      texts.push_back(fmt::format("and {} more", omitted_.size() - kMost));
      break;
    }
    texts.push_back(
        fmt::format("`{}` in {} {}", brief(name), count, count == 1 ? "line" : "lines"));
  }
  if (is_cut_) texts.emplace_back("the last line, which is cut");
  return join(texts, ", ");
}

}  // namespace sweepd::command
