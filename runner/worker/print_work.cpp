#include "runner/worker/print_work.h"

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/event.h"
#include "runner/wire/json_reader.h"
#include "runner/wire/json_text.h"
#include "runner/worker/measured.h"
#include "runner/worker/reread.h"

namespace sweepd {
namespace {

using nlohmann::json;

// The trial of a line.
struct Question {
  const WorkloadEntry* entry = nullptr;
  std::vector<std::pair<std::string, Value>> values;
  bool asks_for_code = false;
};

// The names and texts of `params`; `reader` is one of `question`.
NamedTexts read_texts(const json& question, JsonReader<json>& reader) {
  NamedTexts texts;
  reader.object("params", [&](JsonReader<json>& params) {
    for (const auto& [name, value] : question["params"].items()) {
      params.required(name.c_str(), texts.emplace_back(name, "").second);
    }
  });
  return texts;
}

Result<Question> read_question(const Registry& registry, const json& parsed) {
  if (!parsed.is_object())
    return Error{ErrorCode::kInvalidArgument, "the line is not a JSON object"};
  std::string workload, ask = "work";
  JsonReader reader(parsed);
  reader.required("workload", workload);
  reader.optional("ask", ask);
  const NamedTexts texts = read_texts(parsed, reader);
  if (const auto read = reader.result(); !read) return read.error();
  if (ask != "work" && ask != "code") {
    return Error{ErrorCode::kInvalidArgument, "ask: `" + ask + "` is neither work nor code"};
  }
  std::optional<WorkloadDef> program;
  if (const json* declared = reader.find("program")) {
    auto read = workload_from_json(*declared);
    if (!read) return Error{read.error().code, "program: " + read.error().message};
    program = std::move(*read);
  }
  auto measured = find_measured(registry, workload, program);
  if (!measured) return measured.error();
  auto values = values_from_texts(measured->def, texts);
  if (!values) return values.error();
  return Question{measured->entry, std::move(*values), ask == "code"};
}

// {"ask":"reread",...} names a folder instead of a workload.
Result<bool> answer_reread(const Registry& registry, const json& parsed) {
  std::string ask, folder;
  JsonReader reader(parsed);
  reader.required("ask", ask);
  reader.required("folder", folder);
  const NamedTexts texts = read_texts(parsed, reader);
  if (const auto read = reader.result(); !read) return read.error();
  return reread(registry, folder, texts);
}

std::string answer(const Question& question) {
  const auto run = read_params<RunParams>(question.values);
  if (!question.asks_for_code) {
    return event_to_line(WorkEvent{question.entry->work(question.values, run)});
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
