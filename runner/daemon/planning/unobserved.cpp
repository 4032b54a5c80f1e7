#include "runner/daemon/planning/unobserved.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/model/template_text.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostOfASource = 1 << 20;

std::string text_of(const WorkloadDef& def, const Trial& trial, std::string_view param) {
  return def.find(param) == nullptr ? "" : trial.text(def, param);
}

bool imports_torch(std::string_view line) {
  line = trim(line);
  for (const std::string_view statement : {"import torch", "from torch"}) {
    if (!line.starts_with(statement)) continue;
    constexpr std::string_view kAfter = " .,;\t";
    return line.size() == statement.size() ||
           kAfter.find(line[statement.size()]) != std::string_view::npos;
  }
  return false;
}

bool file_imports_torch(const fs::path& file) {
  const auto source = read_regular(file, Links::kFollow, kMostOfASource);
  return source && std::ranges::any_of(split(*source, '\n'), imports_torch);
}

// The first word of the command line that is a script, where the program finds it.
fs::path script_of(const WorkloadDef& def, const Trial& trial) {
  const fs::path origin = text_of(def, trial, "submitted_from");
  const auto words = cut_words(text_of(def, trial, "argv"));
  if (!words) return {};
  for (const std::string& word : *words) {
    if (!word.ends_with(".py")) continue;
    for (const fs::path& folder : {origin / text_of(def, trial, "cwd"), origin}) {
      std::error_code error;
      if (fs::is_regular_file(folder / word, error)) return folder / word;
    }
  }
  return {};
}

}  // namespace

std::string unobserved_torch(const WorkloadDef& def, const Trial& trial) {
  if (text_of(def, trial, "observe") != "nothing") return "";
  const fs::path script = script_of(def, trial);
  if (script.empty()) return "";
  std::vector<fs::path> sources{script};
  for (const std::string& part : split(text_of(def, trial, "code"), ' ')) {
    const std::string name = part.substr(0, part.rfind(':'));
    if (name.ends_with(".py")) sources.push_back(script.parent_path() / name);
  }
  const auto found = std::ranges::find_if(sources, file_imports_torch);
  if (found == sources.end()) return "";
  return fmt::format(
      "{} imports torch: `observe: torch` would measure phases, memory and kernels of the "
      "unchanged program (docs/YOUR_MODEL.md)",
      found->filename().string());
}

}  // namespace sweepd
