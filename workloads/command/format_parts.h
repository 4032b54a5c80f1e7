// What the readers of formats share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

// Reads "1.5", "+2", "1e-3", "inf" or "-nan". Returns nothing if the text has anything else in it.
std::optional<double> number_in(std::string_view text);

// The same of a number as people print it: "12,345.6" too, whose groups behind the first have three
// digits. "0,123" and "12,5" are none.
std::optional<double> number_in_print(std::string_view text);
// Whether a comma in a number separates no thousands: "12,5", "0,123", "1.234,5".
bool has_decimal_comma(std::string_view text);

// The number of a step: an integer from 0. Above 2^53 not every integer is a double.
std::optional<std::int64_t> step_number(double value);

// Throws std::runtime_error "reports: FORMAT: WHY".
[[noreturn]] void refuse_report(std::string_view format, std::string_view why);

// Lower-case letters, digits and the characters of `also`; everything else becomes a `_`.
std::string plain_name(std::string_view text, std::string_view also);

Sample sample_of(std::string phase, std::string metric, double value);
// A step that is no warm-up: programs with a format of their own warm up by themselves.
StepReport step_of(std::int64_t number, std::vector<Sample> samples);
// Figures of the whole run.
StepReport once_of(std::vector<Sample> samples);
// The fact `warning.NAME`, which makes the attempt `suspect` (model/reported_warnings.h).
FactReport warning_of(std::string_view name, std::string text);

// What steps may be named and worth is the same in every format. Throws like refuse_report.
std::vector<Report> checked_reports(std::string_view format, std::vector<Report> reports);

// The line without what a terminal takes for a command: "\x1b[31mstep" is "step".
std::string without_colours(std::string_view line);

// The parts of the line between spaces and tabs.
std::vector<std::string> words_in(std::string_view line);

}  // namespace sweepd::command
