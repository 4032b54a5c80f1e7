#include "runner/worker/print_work.h"

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/event.h"
#include "runner/wire/message.h"
#include "runner/worker/journal/measured.h"
#include "runner/worker/journal/reread.h"
#include "runner/worker/plugins/plugin_workload.h"

namespace sweepd {
namespace {

using nlohmann::json;

// The trial of a line.
struct Question {
  const WorkloadEntry* entry = nullptr;
  std::vector<std::pair<std::string, Value>> values;
  bool asks_for_code = false;
};

struct WorkQuestion {
  std::string workload, ask = "work";
  NamedTexts params;
  std::optional<WorkloadDef> program;
  static void visit(auto& self, auto&& field) {
    field("workload", self.workload, "");
    field("ask", self.ask, "", MayLack());
    field("params", self.params, "");
    field("program", self.program, "");
  }
};

// Names a folder instead of a workload.
struct RereadQuestion {
  std::string folder;
  NamedTexts params;
  static void visit(auto& self, auto&& field) {
    field("folder", self.folder, "");
    field("params", self.params, "");
  }
};

Result<Question> read_question(const Registry& registry, const json& parsed) {
  if (!parsed.is_object())
    return Error{ErrorCode::kInvalidArgument, "the line is not a JSON object"};
  WorkQuestion asked;
  if (const auto read = from_message(parsed, asked); !read) return read.error();
  if (asked.ask != "work" && asked.ask != "code") {
    return Error{ErrorCode::kInvalidArgument, "ask: `" + asked.ask + "` is neither work nor code"};
  }
  auto measured = find_measured(registry, asked.workload, asked.program);
  if (!measured) return measured.error();
  auto values = values_from_texts(measured->def, asked.params);
  if (!values) return values.error();
  const auto entry = loaded_entry(*measured, *values);
  if (!entry) return entry.error();
  return Question{entry->entry, std::move(*values), asked.ask == "code"};
}

Result<bool> answer_reread(const Registry& registry, const json& parsed) {
  RereadQuestion asked;
  if (const auto read = from_message(parsed, asked); !read) return read.error();
  return reread(registry, asked.folder, asked.params);
}

std::string answer(const Question& question) {
  const auto run = read_params<RunParams>(question.values);
  if (!question.asks_for_code) {
    return event_to_line(WorkEvent{checked_work(*question.entry, question.values, run)});
  }
  const auto& code = question.entry->code;
  return to_json_line(json{{"code", code ? code(question.values, run) : ""}});
}

}  // namespace

std::string work_line(const Registry& registry, std::string_view request) {
  const auto error = [](const std::string& why) { return to_json_line(json{{"error", why}}); };
  const json parsed = parse_json(request);
  if (parsed.is_object() && parsed.value("ask", json()) == "reread") {
    const auto done = answer_reread(registry, parsed);
    return done ? to_json_line(json{{"reread", *done}}) : error(done.error().message);
  }
  const auto question = read_question(registry, parsed);
  if (!question) return error(question.error().message);
  try {
    return answer(*question);
  } catch (const std::exception& e) {
    return error(e.what());
  }
}

bool print_work(const Registry& registry, std::FILE* in, std::FILE* out) {
  char* line = nullptr;
  std::size_t capacity = 0;
  for (ssize_t n = 0; (n = ::getline(&line, &capacity, in)) > 0;) {
    const std::string_view text = trim({line, static_cast<std::size_t>(n)});
    if (text.empty()) continue;
    const std::string answer = work_line(registry, text) + "\n";
    if (std::fwrite(answer.data(), 1, answer.size(), out) != answer.size()) break;
    if (std::fflush(out) != 0) break;
  }
  std::free(line);
  return std::fflush(out) == 0 && std::ferror(out) == 0;
}

}  // namespace sweepd
