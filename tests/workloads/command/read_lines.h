// Reads lines of output in a format; returns the reports as text.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/workloads/command/report_texts.h"
#include "workloads/command/formats.h"

namespace sweepd::command {

// The reports of all lines; the facts of the end last.
inline std::vector<std::string> texts_of_lines(const std::string& format,
                                               const std::vector<std::string>& output) {
  LineFormat reader(format);
  std::vector<std::string> found;
  for (const std::string& line : output) {
    for (std::string& text : report_texts(reader.read(line))) found.push_back(std::move(text));
  }
  for (std::string& text : report_texts(reader.finish())) found.push_back(std::move(text));
  return found;
}

// The first mistake in them; "" if there is none.
inline std::string refusal_of_lines(const std::string& format,
                                    const std::vector<std::string>& output) {
  LineFormat reader(format);
  try {
    for (const std::string& line : output) reader.read(line);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// The same of a file.
inline std::string refusal_of_file(const std::string& format, std::string_view text) {
  try {
    read_report_file(format, text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace sweepd::command
