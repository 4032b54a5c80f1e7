#include "runner/daemon/formulas/code_of_trials.h"

#include "runner/daemon/formulas/ask_worker.h"
#include "runner/wire/json_reader.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

// A worker that takes longer hangs. A trial takes some 50 µs on an idle machine.
constexpr Duration kCodeLimit = seconds(20), kMorePerTrial{1'000'000};

Result<std::string> code_from_line(std::string_view line) {
  const nlohmann::json answer = parse_json(line);
  std::string code, error;
  JsonReader reader(answer);
  reader.optional("error", error);
  reader.optional("code", code);
  if (const auto read = reader.result(); !read) return read.error();
  if (!error.empty()) return Error{ErrorCode::kInvalidArgument, error};
  return code;
}

}  // namespace

Result<std::vector<std::string>> code_of_trials(const std::filesystem::path& worker,
                                                const WorkloadDef& def,
                                                const std::vector<const Trial*>& trials) {
  std::string questions;
  for (const Trial* trial : trials) questions += work_question(def, *trial, Ask::kCode);
  const Duration limit{kCodeLimit.ns + kMorePerTrial.ns * static_cast<std::int64_t>(trials.size())};
  const auto answers = ask_work(worker, questions, trials.size(), limit);
  if (!answers) return answers.error();
  std::vector<std::string> codes;
  for (const std::string& line : *answers) {
    auto code = code_from_line(line);
    if (!code) return code.error();
    codes.push_back(std::move(*code));
  }
  return codes;
}

}  // namespace sweepd
