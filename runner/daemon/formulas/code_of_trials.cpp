#include "runner/daemon/formulas/code_of_trials.h"

#include "runner/daemon/formulas/ask_worker.h"
#include "runner/wire/message.h"

namespace sweepd {
namespace {

// A worker that takes longer hangs. A trial takes some 50 µs on an idle machine.
constexpr Duration kCodeLimit = seconds(20), kMorePerTrial{1'000'000};

struct CodeAnswer {
  std::string error, code;
  static void visit(auto& self, auto&& field) {
    field("error", self.error, "", Sparse());
    field("code", self.code, "", Sparse());
  }
};

Result<std::string> code_from_line(std::string_view line) {
  CodeAnswer answer;
  if (const auto read = from_message(parse_json(line), answer); !read) {
    return Error{ErrorCode::kInvalidArgument, read.error().message};
  }
  if (!answer.error.empty()) return Error{ErrorCode::kInvalidArgument, answer.error};
  return answer.code;
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
