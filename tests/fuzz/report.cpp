#include <stdexcept>
#include <string>

#include "runner/base/text.h"
#include "tests/fuzz/target.h"
#include "workloads/command/formats.h"
#include "workloads/command/memory_words.h"
#include "workloads/command/patterns.h"

namespace sweepd::fuzz {
namespace {

using command::Report;

void require_sound(const Report& report) {
  const auto* step = std::get_if<command::StepReport>(&report);
  if (step == nullptr) return;
  require(step->step >= 0, "a step is a number from 0");
  require(!step->samples.empty(), "a step has a metric");
  for (const Sample& sample : step->samples) {
    require(command::mistake_in_sample(sample).empty(), "a sample is one that a step may have");
  }
}

// Any other exception ends the process.
template <class Read>
void read_or_refuse(const Read& read) {
  try {
    for (const Report& report : read()) require_sound(report);
  } catch (const std::runtime_error& mistake) {
    require(*mistake.what() != '\0', "a mistake has a message");
  } catch (const std::invalid_argument& mistake) {
    require(*mistake.what() != '\0', "a mistake has a message");
  }
}

}  // namespace

void report(std::string_view bytes) {
  const std::vector<std::string> lines = split(bytes, '\n');
  for (const std::string& line : lines) {
    if (const auto report = command::parse_report(line)) require_sound(*report);
    command::says_out_of_memory(line);
    require(command::requested_bytes(line).value >= 0, "a requested size is not negative");
  }
  for (const std::string& format : command::format_names()) {
    if (!command::is_of_lines(format)) {
      read_or_refuse([&] { return command::read_report_file(format, bytes); });
      continue;
    }
    command::LineFormat reader(format);
    for (const std::string& line : lines) read_or_refuse([&] { return reader.read(line); });
    read_or_refuse([&] { return reader.finish(); });
    const bool may_map = format == "csv" || format == "ndjson";
    command::LineFormat file(format, may_map ? "step = n\ntime.load:s = took (s)\nloss = a/b" : "",
                             command::CsvTable::Source::kFile);
    read_or_refuse([&] { return file.read_file(bytes); });
    read_or_refuse([&] { return file.finish(); });
  }
  // The content of a regular expression is the user's choice: one may take for ever.
  static const command::Patterns kPatterns(
      "time.forward:s = took (\\S+)\nloss = loss (\\S*)\nfact.busbw = bandwidth *: (.*)");
  command::Patterns patterns = kPatterns;
  for (const std::string& line : lines) read_or_refuse([&] { return patterns.read(line); });
  read_or_refuse([&] { return patterns.finish(); });
}

}  // namespace sweepd::fuzz
