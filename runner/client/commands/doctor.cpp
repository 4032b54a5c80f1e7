#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/doctor/findings.h"
#include "runner/client/doctor/probe.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"

namespace sweepd {
namespace {

Table table_of(const std::vector<Finding>& findings) {
  Table table;
  table.title = "Doctor";
  table.columns = {{"health", "", Align::kLeft},
                   {"what", "", Align::kLeft},
                   {"found", "", Align::kLeft},
                   {"why it matters", "", Align::kLeft},
                   {"how to fix it", "", Align::kLeft}};
  for (const Finding& finding : findings) {
    table.rows.push_back({{std::string(name_of(finding.health)), {}},
                          {finding.subject, {}},
                          {finding.found, {}},
                          {finding.why, {}},
                          {finding.mend, {}}});
  }
  return table;
}

// A table would be too wide for people: reasons and commands are printed below their finding.
void print_text(const std::vector<Finding>& findings) {
  int problems = 0, warnings = 0;
  for (const Finding& finding : findings) {
    say("{:<8} {:<13} {}\n", name_of(finding.health), finding.subject, finding.found);
    if (!finding.why.empty()) say("{:22} {}\n", "", finding.why);
    if (!finding.mend.empty()) say("{:22} -> {}\n", "", finding.mend);
    problems += finding.health == Health::kProblem ? 1 : 0;
    warnings += finding.health == Health::kWarning ? 1 : 0;
  }
  say("\n{} problem{}, {} warning{}\n", problems, problems == 1 ? "" : "s", warnings,
      warnings == 1 ? "" : "s");
}

Exit doctor(Client& client, const std::string& format) {
  const std::vector<Finding> findings = examine(probe(client.state()));
  if (format == "text") {
    print_text(findings);
  } else if (const auto printed = print_table(table_of(findings), format); !printed) {
    return report_error(printed.error());
  }
  return worst(findings) == Health::kProblem ? Exit::kFailure : Exit::kOk;
}

}  // namespace

void add_doctor(Command& app, Client& client) {
  auto format = std::make_shared<std::string>("text");
  Command* command = app.add_subcommand(
      "doctor", "Check this machine for measurements and show how to fix problems");
  add_format_option(*command, *format);
  command->footer(
      "Starts no daemon. The exit code is 1 if there is a problem, 0 if there are only warnings.\n"
      "Example: sweepctl doctor --format md");
  command->callback(
      [&client, format] { client.action = [&client, format] { return doctor(client, *format); }; });
}

}  // namespace sweepd
