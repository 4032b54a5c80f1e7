// Single values: a parameter's name, a typed value, a word of a fixed set, a line of text. Every
// reader reports a mistake and then returns nothing, so that the caller can continue.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/sweep/sweep.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// "`rows`: expected a list of names, found a map"
void report_kind(Reporter& report, std::string_view what, std::string_view expected,
                 const Node& found, std::string_view help = "");

// Returns true if the node is a map or list, else reports. An empty section (`exclude:` with every
// line below it commented out) is a mistake too: ignoring it would run unwanted points.
bool expect_map(Reporter& report, std::string_view what, const Node& node,
                std::string_view help = "");
bool expect_list(Reporter& report, std::string_view what, std::string_view expected,
                 const Node& node, std::string_view help = "");

std::optional<std::string> read_text(Reporter& report, std::string_view what, const Node& node);
std::optional<bool> read_boolean(Reporter& report, std::string_view what, const Node& node);

// Accepts one of `words`, or reports an error that lists them and names the nearest.
std::optional<std::string> read_word(Reporter& report, std::string_view what,
                                     const std::vector<std::string>& words, const Node& node);

// Passes each key of a map to its field and reports unknown keys with the nearest name. `unknown`
// may give better help for a key.
struct Field {
  std::string name;
  std::function<void(const Node& key, const Node& value)> read;
};
void read_fields(Reporter& report, std::string_view what, const Node& map,
                 const std::vector<Field>& fields,
                 const std::function<std::string(const std::string& key)>& unknown = {});

// Message and help for a value that ParamDef::parse refused. The nearest choice moves to the help.
struct Refusal {
  std::string message;
  std::string help;
};
Refusal refusal_of(const ParamDef& def, const Error& error, std::string_view written);

// Returns the parameter that a key names. If `def` is null (the workload itself is unknown),
// returns nothing and does not report.
std::optional<std::size_t> read_param(Reporter& report, const WorkloadDef* def, const Node& key);

// The help for a list inside a list of values.
inline constexpr std::string_view kOneValue = "a list holds single values only";
// `several` is the help shown if there is a list instead of one value.
std::optional<Value> read_value(Reporter& report, const ParamDef& def, const Node& node,
                                std::string_view several);

// The same for what may also be the items of a list: the value of a parameter that is one.
std::optional<Value> read_value_or_list(Reporter& report, const ParamDef& def, const Node& node,
                                        std::string_view several);

}  // namespace sweepd::sweepfile
