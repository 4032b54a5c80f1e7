#include "runner/client/render/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "runner/base/files.h"
#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/report/cell/report.h"
#include "runner/wire/json_text.h"

namespace sweepd {

void add_format_option(Command& command, std::string& format) {
  command.add_option("--format", format, "md, csv, json, text, latex or html")
      ->one_of(format_words())
      ->capture_default_str();
}

void add_newest_option(Command& command, bool& newest) {
  command.add_flag("--newest", newest, "use the newest result of each point, from any sweep");
}

void add_with_option(Command& command, std::vector<std::string>& words) {
  command
      .add_option("--with", words,
                  "n, attempts, verdict, outcome, attempt: columns after each figure: its number "
                  "of samples, its attempts, their worst verdict, their outcomes, their ids")
      ->delimiter(',');
}

void add_notes_option(Command& command, std::string& notes) {
  command
      .add_option("--notes", notes,
                  "few: below each table at most three notes, those about marks first; all: every "
                  "note")
      ->one_of({"few", "all"})
      ->capture_default_str();
}

Table with_chosen_notes(Table table, const std::string& notes, const std::string& format,
                        const std::string& where) {
  if (notes == "all" || format == "json") return table;
  return with_few_notes(std::move(table), where);
}

std::size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

namespace {

void print_warnings(const Table& table) {
  const std::string of = table.title.empty() ? "" : table.title + ": ";
  for (std::size_t i = table.notes.size() - table.warnings; i < table.notes.size(); ++i) {
    say(stderr, "note: {}{}\n", of, table.notes[i]);
  }
}

}  // namespace

Result<void> print_table(const Table& table, const std::string& format) {
  const auto parsed = format_from(format);
  if (!parsed) return parsed.error();
  if (*parsed == Format::kCsv || *parsed == Format::kJson) print_warnings(table);
  const std::string text = render(table, *parsed, terminal_width());
  *parsed == Format::kCsv ? print_data(stdout, text) : say("{}", text);
  return {};
}

Result<void> print_tables(const std::vector<Table>& tables, const std::string& format,
                          const std::string& file) {
  const auto parsed = format_from(format);
  if (!parsed) return parsed.error();
  const std::size_t width = file == "-" ? terminal_width() : 0;
  std::string text;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Table& table : tables) {
    if (*parsed == Format::kCsv || *parsed == Format::kJson) print_warnings(table);
    if (*parsed == Format::kJson) {
      all.push_back(parse_ordered_json(to_json_text(table)));
    } else {
      text += (text.empty() ? "" : "\n") + render(table, *parsed, width);
    }
  }
  if (*parsed == Format::kJson) text = printable_json(to_indented_json(all)) + "\n";
  return write_file(file, text);
}

Result<void> write_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    print_data(stdout, text);
    return {};
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return Error{ErrorCode::kIo, "cannot write " + path + ": " + std::strerror(errno)};
}

Result<void> replace_output(const std::string& path, const std::string& text) {
  std::error_code error;
  const std::filesystem::path file = path;
  const bool special = std::filesystem::exists(file, error) &&
                       !std::filesystem::is_regular_file(file, error) &&
                       !std::filesystem::is_directory(file, error);
  return path == "-" || special ? write_file(path, text) : replace_file(file, text);
}

std::string counted(std::int64_t n, std::string_view thing) {
  return fmt::format("{} {}{}", with_thousands(n), thing, n == 1 ? "" : "s");
}

std::string hanging(std::string_view description) {
  return join(split(trim(description), '\n'), "\n  ");
}

std::size_t telling_digits(std::vector<std::string> ids) {
  std::size_t digits = 8;
  std::sort(ids.begin(), ids.end());
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const std::string &a = ids[i - 1], &b = ids[i];
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    if (a != b) digits = std::max(digits, static_cast<std::size_t>(differ - a.begin()) + 1);
  }
  return digits;
}

std::string local_time(std::int64_t ns) {
  const std::time_t seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  std::tm local{};
  localtime_r(&seconds, &local);
  char buffer[32];
  return {buffer, std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M", &local)};
}

}  // namespace sweepd
