#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runner/base/printable.h"
#include "runner/base/units.h"
#include "runner/client/session/client.h"
#include "runner/wire/json_values.h"

namespace sweepd {
namespace {

using Json = nlohmann::ordered_json;

Error wrong(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

struct Assignment {
  std::string name, value;
};
Result<Assignment> assignment_of(const std::string& word) {
  const std::size_t equal = word.find('=');
  if (equal == 0 || equal == std::string::npos) {
    return wrong(fmt::format("emit: `{}` is not NAME=VALUE, such as time=1.25", word));
  }
  return Assignment{word.substr(0, equal), word.substr(equal + 1)};
}

Result<double> number_of(const Assignment& assignment) {
  double value = 0;
  const char* end = assignment.value.data() + assignment.value.size();
  const auto [stop, error] = std::from_chars(assignment.value.data(), end, value);
  if (error == std::errc{} && stop == end) return value;
  return wrong(fmt::format("emit: {}: `{}` is not a number", assignment.name, assignment.value));
}

// `time=1.25` is of the whole step, `time.forward=0.5` of a phase.
Result<void> add_metric(Json& metrics, const Assignment& assignment) {
  const auto value = number_of(assignment);
  if (!value) return value.error();
  const std::size_t dot = assignment.name.find('.');
  const std::string phase = dot == std::string::npos ? "step" : assignment.name.substr(dot + 1);
  metrics[assignment.name.substr(0, dot)][phase] = number_to_json(*value);
  return {};
}

using Words = std::vector<std::string>;

Result<Json> step_line(const Words& words) {
  if (words.size() < 3) return wrong("emit: expected `step NUMBER NAME=VALUE ...`");
  const auto number = parse_integer(words[1]);
  if (!number) return wrong("emit: step: " + number.error().message);
  Json line{{"step", *number}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto assignment = assignment_of(words[i]);
    if (!assignment) return assignment.error();
    if (assignment->name == "warmup") {
      const auto warmup = parse_boolean(assignment->value);
      if (!warmup) return wrong("emit: warmup: " + warmup.error().message);
      line["warmup"] = *warmup;
    } else if (auto added = add_metric(line, *assignment); !added) {
      return added.error();
    }
  }
  return line;
}

Result<Json> metrics_line(const Words& words) {
  if (words.size() < 2) return wrong("emit: expected `metrics NAME=VALUE ...`");
  Json metrics = Json::object();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto assignment = assignment_of(words[i]);
    if (!assignment) return assignment.error();
    if (auto added = add_metric(metrics, *assignment); !added) return added.error();
  }
  return Json{{"metrics", std::move(metrics)}};
}

Result<Json> memory_line(const Words& words) {
  if (words.size() < 3) return wrong("emit: expected `memory PHASE peak_allocated=BYTES ...`");
  Json line{{"memory", words[1]}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto assignment = assignment_of(words[i]);
    if (!assignment) return assignment.error();
    const auto bytes = parse_bytes(assignment->value);
    if (!bytes) return wrong(fmt::format("emit: {}: {}", assignment->name, bytes.error().message));
    line[assignment->name] = bytes->value;
  }
  return line;
}

Result<Json> fact_line(const Words& words) {
  if (words.size() != 2) return wrong("emit: expected `fact NAME=VALUE`");
  const auto assignment = assignment_of(words[1]);
  if (!assignment) return assignment.error();
  if (const auto number = number_of(*assignment)) {
    return Json{{"fact", assignment->name}, {"number", number_to_json(*number)}};
  }
  return Json{{"fact", assignment->name}, {"text", assignment->value}};
}

Result<Json> line_of(const Words& words) {
  const std::string& what = words.front();
  if (what == "step") return step_line(words);
  if (what == "metrics") return metrics_line(words);
  if (what == "memory") return memory_line(words);
  if (what == "fact") return fact_line(words);
  if (what == "skip" && words.size() == 2) return Json{{"skipped", words[1]}};
  if (what == "oom" && words.size() == 2) return Json{{"oom", words[1]}};
  return wrong(
      fmt::format("emit: `{}`; expected step, metrics, memory, fact, `skip REASON` or "
                  "`oom PHASE`",
                  fmt::join(words, " ")));
}

// Of a program that sweepd started, to its report; else to standard output.
Result<void> write_line(const std::string& line) {
  const char* named = std::getenv("SWEEPD_METRICS_FD");
  const int fd = named == nullptr || *named == 0 ? STDOUT_FILENO : std::atoi(named);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = ::write(fd, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return Error{ErrorCode::kIo, fmt::format("emit: descriptor {} (SWEEPD_METRICS_FD): {}", fd,
                                               std::strerror(errno))};
    }
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Exit emit(const Words& words) {
  const auto line = line_of(words);
  if (!line) return report_error(line.error());
  // Standard output may be a terminal.
  const auto written = write_line(printable_json(to_json_line(*line)) + "\n");
  return written ? Exit::kOk : report_error(written.error());
}

}  // namespace

void add_emit(Command& app, Client& client) {
  auto words = std::make_shared<std::vector<std::string>>();
  Command* command =
      app.add_subcommand("emit", "Report a figure from a script that sweepd measures");
  command
      ->add_option("WORDS", *words,
                   "step N NAME=VALUE ...; metrics NAME=VALUE ...; memory PHASE NAME=BYTES ...; "
                   "fact NAME=VALUE; skip REASON; oom PHASE")
      ->required();
  command->footer(
      "NAME.PHASE=VALUE is a phase's value. Times are in ms. `warmup=true` marks a warm-up step. "
      "Outside\n"
      "sweepd the line goes to standard output. See schemas/sweep.md.\n"
      "Example: sweepctl emit step 3 time=1.25 time.load=0.5 gflops=12");
  command->callback([&client, words] { client.action = [words] { return emit(*words); }; });
}

}  // namespace sweepd
