#include "runner/daemon/understood.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/say.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

std::string short_number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string memory_line(const PhaseMemory& memory) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::optional<Bytes>& size) {
    if (size) parts.push_back(fmt::format("{} {}", what, to_human(*size)));
  };
  add("peak allocated", memory.peak_allocated);
  add("peak reserved", memory.peak_reserved);
  add("at start", memory.at_start);
  add("at end", memory.at_end);
  add("in use", memory.device_in_use);
  return fmt::format("memory of {}: {}", memory.phase, fmt::join(parts, ", "));
}

void print_metrics(const AttemptRecord& record) {
  std::vector<Sample> samples;
  for (const Sample& sample : record.samples) {
    if (sample.phase != "setup") samples.push_back(sample);
  }
  if (samples.empty()) return say("metrics: none\n");
  say("{}", render(metrics_table(samples), Format::kText, 0));
}

void print_counts(const AttemptRecord& record) {
  const auto count = [](std::size_t n, const char* what) {
    if (n > 0) say("{}: {}\n", what, n);
  };
  count(record.held_memory.size(), "held tensors");
  count(record.allocations.size(), "allocations");
  count(record.kernels.size(), "kernels");
  count(record.operators.size(), "operators");
}

}  // namespace

Table metrics_table(const std::vector<Sample>& samples) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<const Sample*>> by;
  for (const Sample& sample : samples) {
    const auto key = std::pair{sample.metric, sample.phase};
    if (!by.contains(key)) order.push_back(key);
    by[key].push_back(&sample);
  }
  Table table;
  table.title = "Metrics";
  table.columns = {{"metric", "", Align::kLeft},  {"phase", "", Align::kLeft},
                   {"values", "", Align::kRight}, {"warm-up", "", Align::kRight},
                   {"first", "", Align::kRight},  {"median", "", Align::kRight},
                   {"last", "", Align::kRight}};
  for (const auto& key : order) {
    const auto& values = by[key];
    std::vector<double> measured;
    for (const Sample* sample : values) {
      if (!sample->warmup) measured.push_back(sample->value);
    }
    const std::string median = measured.empty() ? "—" : short_number(summarize(measured).median);
    table.rows.push_back({{key.first, {}},
                          {key.second, {}},
                          {std::to_string(values.size()), {}},
                          {std::to_string(values.size() - measured.size()), {}},
                          {short_number(values.front()->value), {}},
                          {median, {}},
                          {short_number(values.back()->value), {}}});
  }
  return table;
}

void print_understood(const AttemptRecord& record) {
  say("\n");
  print_metrics(record);
  for (const PhaseMemory& memory : record.memory) say("{}\n", memory_line(memory));
  print_counts(record);
  for (const Fact& fact : record.facts) {
    say("fact {}: {}\n", fact.name, fact.number ? short_number(*fact.number) : fact.text);
  }
  const std::string why = describe(record.ending);
  say("outcome: {}{}{}\n", name_of(outcome_of(record.ending)), why.empty() ? "" : ": ", why);
  const Verdict verdict = record.judgement.verdict;
  for (const std::string& reason : record.judgement.reasons) {
    say("{}: {}\n", verdict == Verdict::kValid ? "note" : name_of(verdict), reason);
  }
}

}  // namespace sweepd
