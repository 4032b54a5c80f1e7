#include "runner/model/vocabulary/outcome.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "runner/base/overload.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

std::string in_phase(const std::string& phase) {
  return phase.empty() ? "" : ", in " + phase;
}

std::string signal_text(int signal) {
  const std::string name = signal_name(signal);
  return name.starts_with("SIG") ? fmt::format("{} ({})", name, signal) : name;
}

}  // namespace

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : std::string("SIG") + name;
}

std::optional<Outcome> find_outcome(std::string_view name) {
  for (const OutcomeInfo& info : kOutcomes) {
    if (info.word == name) return info.outcome;
  }
  return std::nullopt;
}

Result<Outcome> outcome_from(std::string_view name) {
  if (const auto outcome = find_outcome(name)) return *outcome;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}` is not an outcome; expected one of {}{}", name,
                           join(outcome_words(), ", "), did_you_mean(name, outcome_words()))};
}

const std::vector<std::string>& outcome_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const OutcomeInfo& info : kOutcomes) all.emplace_back(info.word);
    return all;
  }();
  return words;
}

const std::vector<std::string>& problem_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> problems;
    for (const OutcomeInfo& info : kOutcomes) {
      if (info.retried) problems.emplace_back(info.word);
    }
    return problems;
  }();
  return words;
}

Ending empty_ending(Outcome outcome) {
  Ending ending;
  const auto emplace = [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((static_cast<Outcome>(I) == outcome ? (ending.detail.emplace<I>(), 0) : 0), ...);
  };
  emplace(std::make_index_sequence<std::variant_size_v<EndingDetail>>());
  return ending;
}

std::string describe(const Ending& ending) {
  const std::string text = std::visit(
      Overload{
          [](const Done&) { return std::string(); },
          [](const Oom& e) {
            const std::string limit = e.limit.value > 0 ? " of " + to_human(e.limit) : "";
            return fmt::format("out of memory: asked for {} with {} in use{}{}",
                               to_human(e.requested), to_human(e.in_use), limit, in_phase(e.phase));
          },
          [](const Timeout& e) {
            return fmt::format("took longer than {}{}", to_text(e.limit), in_phase(e.phase));
          },
          [](const Crashed& e) {
            if (e.signal) return "killed by " + signal_text(*e.signal) + in_phase(e.phase);
            if (e.exit_code) {
              return fmt::format("exit code {} without a result{}", *e.exit_code,
                                 in_phase(e.phase));
            }
            return "the process vanished without a result" + in_phase(e.phase);
          },
          [](const Failed& e) { return e.message + in_phase(e.phase); },
          [](const Cancelled& e) { return e.reason; },
          [](const Skipped& e) { return e.reason; },
      },
      ending.detail);
  return ending.rank > 0 && !text.empty() ? fmt::format("rank {}: {}", ending.rank, text) : text;
}

}  // namespace sweepd
