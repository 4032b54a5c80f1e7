#include "runner/daemon/formulas/ask_worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/daemon/formulas/run_worker.h"
#include "runner/model/vocabulary/program.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"

namespace sweepd {
Result<std::string> ask_worker(const std::filesystem::path& worker, std::string_view option,
                               std::string_view input, Duration limit) {
  auto run = run_worker(worker, option, input, limit);
  if (!run) return run.error();
  if (run->exit_code != 0) return Error{ErrorCode::kUnavailable, how_it_ended(*run)};
  return std::move(run->text);
}

std::string work_question(const WorkloadDef& def, const Trial& trial, Ask ask) {
  nlohmann::json params = nlohmann::json::object();
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    const ParamDef& param = def.params[i];
    if (trial.values[i] != param.default_value) params[param.name] = param.text(trial.values[i]);
  }
  nlohmann::json question{{"workload", def.name}, {"params", params}};
  if (!def.base.empty()) question["program"] = to_json(declaration_of(def));
  if (ask == Ask::kCode) question["ask"] = "code";
  return to_json_line(question) + "\n";
}

std::string reread_question(const std::filesystem::path& folder,
                            const std::vector<std::pair<std::string, std::string>>& reading) {
  nlohmann::json params = nlohmann::json::object();
  for (const auto& [name, text] : reading) params[name] = text;
  const nlohmann::json question{
      {"ask", "reread"}, {"folder", folder.string()}, {"params", std::move(params)}};
  return to_json_line(question) + "\n";
}

std::vector<std::string> lines_of(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t end = 0; lines.size() < most; text.remove_prefix(end + 1)) {
    end = text.find('\n');
    if (end == std::string_view::npos) break;
    lines.emplace_back(text.substr(0, end));
  }
  return lines;
}

Result<std::vector<std::string>> ask_work(const std::filesystem::path& worker,
                                          std::string_view questions, std::size_t count,
                                          Duration limit) {
  const auto answers = ask_worker(worker, "--work", questions, limit);
  if (!answers) return answers.error();
  auto lines = lines_of(*answers, count);
  if (lines.size() == count) return lines;
  return Error{ErrorCode::kUnavailable, fmt::format("`{} --work` answered {} of {} questions",
                                                    worker.string(), lines.size(), count)};
}

}  // namespace sweepd
