#include "tests/e2e/hostile_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "tests/e2e/lost_database.h"

namespace sweepd::e2e {

namespace fs = std::filesystem;

namespace {

// At the beginning of a line only if a line end within a text was printed as one.
constexpr auto kSecondLine = "second-line-of-a-text";
constexpr auto kTag = "<x-evil>";

// Where a line begins so; npos: nowhere.
std::size_t find_line(const std::string& text, const std::string& beginning) {
  if (text.starts_with(beginning)) return 0;
  return text.find("\n" + beginning);
}

// As an emulator gets it, without what the terminal's driver and `script` add.
std::string without_driver(std::string text) {
  for (const char* added : {"^D\b\b", "\r"}) {
    const std::string part = added;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
      const bool line_end = part != "\r" || (at + 1 < text.size() && text[at + 1] == '\n');
      if (line_end) {
        text.erase(at, part.size());
      } else {
        ++at;
      }
    }
  }
  return text;
}

std::string around(const std::string& text, std::size_t at) {
  const std::size_t from = at > 60 ? at - 60 : 0;
  return nlohmann::json(text.substr(from, 120))
      .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string around_control(const std::string& text) {
  const std::string clean = printable_lines(text);
  const auto [mine, theirs] = std::mismatch(text.begin(), text.end(), clean.begin(), clean.end());
  return around(text, static_cast<std::size_t>(mine - text.begin()));
}

std::string mistake_in_text(const std::string& format, const std::string& text) {
  if (!is_printable(text)) return "a control character: " + around_control(text);
  if (format == "json" && !text.empty() && !nlohmann::json::accept(text)) return "no JSON";
  if (format == "html" && text.find(kTag) != std::string::npos) return "a tag of a stranger";
  const bool lines = format == "md" || format == "latex" || format == "text";
  const std::size_t line = lines ? find_line(text, kSecondLine) : std::string::npos;
  if (line != std::string::npos) return "a line end within a cell: " + around(text, line);
  return "";
}

}  // namespace

HostileTexts::HostileTexts(std::uint64_t seed) : random_(seed) {
  aim_at("sweepd");
}

void HostileTexts::aim_at(const fs::path& folder) {
  const std::string trap = (folder / "PWNED").string();
  controls_ = {"\x1b]0;owned\x07",
               "\x1b[2J",
               "\r",
               "\b\b",
               "\x7f",
               "\u009b2J",
               "\u0085",
               "\u0090",
               "\u202e",
               "\u2066",
               "\u200f",
               "\u061c",
               "\u2028",
               "\x9b"
               "31m",
               "\xff\xfe",
               "\xc0\x80",
               "\t",
               "\x1b",
               std::string(1, '\0'),
               std::string("\n") + kSecondLine};
  words_ = {"$(touch " + trap + ")",
            "`touch " + trap + "`",
            ";touch " + trap + ";",
            "|touch " + trap,
            "&touch " + trap + "&",
            "(touch " + trap + ")",
            "' \"",
            "'",
            "\"",
            "\\",
            "\\\\*_",
            kTag,
            std::string("</script>") + kTag,
            std::string("-->") + kTag,
            std::string("\" onload=\"") + kTag,
            "{mean}",
            "{{ value x }}",
            "{",
            "%s%n",
            "| a | b |",
            "=cmd|'/C calc'!A0",
            "-o",
            "--yes",
            "é漢字🌀",
            "nan",
            "1e999",
            "' or 1=1 --",
            "$x_1^2$ & # ~",
            "\\end{tabular}",
            "*",
            "evil",
            "evil name",
            std::string(300, 'x')};
  paths_ = {"../../precious/kept",
            "../../../precious/kept",
            "../precious/kept",
            (folder / "precious" / "kept").string(),
            (folder / "precious").string(),
            "..",
            ".",
            "/"};
}

std::string HostileTexts::joined(const std::vector<const std::vector<std::string>*>& kinds) {
  std::string text;
  for (std::size_t n = below(3) == 0 ? 1 : 1 + below(4); n > 0; --n) {
    text += one_of(*kinds[below(kinds.size())]);
    if (n > 1 && below(2) == 0) text += " ";
  }
  return text;
}

std::string HostileTexts::any() {
  return joined({&controls_, &controls_, &words_, &paths_});
}

std::string HostileTexts::path() {
  return one_of(paths_);
}

std::string HostileTexts::printable() {
  return joined({&words_, &words_, &paths_});
}

std::string HostileTexts::argument() {
  std::string text = joined({&controls_, &words_});
  std::erase_if(text, [](char c) { return c == '\0' || c == '/'; });
  if (text.starts_with("-")) text.insert(0, "x");  // an option
  return text;
}

std::string Asked::format() const {
  const auto at = std::find(words.begin(), words.end(), "--format");
  return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
}

Ran ask(const Sandbox& box, const Asked& asked) {
  if (!asked.every_byte) return box.ctl(asked.words);
  std::string command = SWEEPCTL;
  for (const std::string& word : asked.words) command += " " + shell_word(word);
  Ran ran = box.run("/usr/bin/script", {"-qec", command, "/dev/null"});
  ran.out = without_driver(ran.out);
  return ran;
}

std::string mistake_in_output(const Asked& asked, const Ran& ran) {
  if (ran.exit_code >= 126 && ran.exit_code != 130)
    return fmt::format("it ended with {}", ran.exit_code);
  for (const bool of_format : {true, false}) {
    const std::string& text = of_format ? ran.out : ran.err;
    // Only the title of a picture is a separate text.
    const bool picture =
        std::find(asked.words.begin(), asked.words.end(), "plot") != asked.words.end();
    const bool lines = picture && asked.format() == "text";
    auto mistake = mistake_in_text(of_format && !lines ? asked.format() : "", text);
    if (!mistake.empty()) return mistake;
    for (const char* bug : {"-32603", "constraint failed", "terminate called"}) {
      if (text.find(bug) != std::string::npos) return fmt::format("`{}`: a bug", bug);
    }
  }
  return "";
}

bool has_hostile_text(const std::string& text) {
  return text.find("evil") != std::string::npos || text.find("precious") != std::string::npos ||
         text.find("touch ") != std::string::npos;
}

std::string mistake_in_file(const fs::path& file) {
  const std::string text = content_of(file);
  const std::string type = file.extension();
  if (type == ".png" || type == ".gz" || type == ".tgz" || type == ".db") return "";
  const bool page = type == ".html" || type == ".svg";
  return mistake_in_text(page              ? "html"
                         : type == ".json" ? "json"
                         : type == ".md"   ? "md"
                                           : "",
                         text);
}

std::map<std::string, std::string> content_below(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    found[entry.path()] = entry.is_regular_file() ? content_of(entry.path()) : "";
  }
  return found;
}

}  // namespace sweepd::e2e
