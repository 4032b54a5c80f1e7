// Reads lines of JSON objects that a program writes by itself. Pure.
//
// A line is a step: every number in it is a figure, named by its keys (field_names.h). An object
// under a time holds its phases; any other object is a group: `{"train":{"loss":2}}` is
// `train_loss`. Texts, booleans, null and lists are left out and counted. A line without a step
// belongs to the step at which it comes: the first line of a figure is of step 0, its next one of
// step 1, but not of a step before those of other lines.
//
// Lines of sweepd's own (program_report.h), such as a fact, memory or `skipped`, are understood
// too.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/command/field_names.h"

namespace sweepd::command {

class NdjsonLines {
 public:
  explicit NdjsonLines(FieldNames& names) : names_(names) {}

  // Return the reports of a line; nothing for one that is no object or has no number. Throw
  // std::runtime_error that names the mistake, and the line: `number`, from 1.
  std::vector<Report> read(std::string_view line, std::int64_t number);
  // The same of a whole file: lines, or one document. In a document that is a list each object is a
  // step; one that is an object without a step has figures of the whole run.
  std::vector<Report> read_file(std::string_view text);

  // "`lr_schedule` in 30 lines, the last line, which is cut"; "" if nothing was left out.
  std::string omissions() const;

 private:
  using Json = nlohmann::ordered_json;
  std::vector<Report> read_value(const Json& object, bool is_document);
  std::vector<Report> read_object(const Json& object, bool once);
  void omit(const std::string& name) { ++omitted_[name]; }
  std::int64_t step_of_figures(const std::vector<Sample>& samples) const;

  FieldNames& names_;
  std::map<std::string, std::int64_t> omitted_;
  bool is_cut_ = false;  // the last line of a file
  std::map<std::pair<std::string, std::string>, std::int64_t> next_step_;  // of metric and phase
  std::int64_t step_ = 0;                                                  // the largest so far
};

}  // namespace sweepd::command
