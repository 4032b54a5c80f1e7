#include <fmt/format.h>

#include "runner/client/client.h"
#include "runner/client/output.h"
#include "runner/client/table_options.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

struct CompareOptions {
  rpc::Compare::Request request;
  std::string fail_if = "never";
  std::string format = "text";
};

Exit compare(Client& client, const CompareOptions& options) {
  for (const std::string* name : {&options.request.a, &options.request.b}) {
    if (const auto checked = check_name("a sweep", *name); !checked) {
      return report_error(checked.error());
    }
  }
  const auto reply = client.call<rpc::Compare>(options.request);
  if (!reply) return report_error(reply.error());
  const auto printed = print_table(reply->table, options.format);
  if (!printed) return report_error(printed.error());
  const bool slower = reply->slower > 0, faster = reply->faster > 0;
  const bool fails = (options.fail_if == "slower" && slower) ||
                     (options.fail_if == "changed" && (slower || faster)) ||
                     (options.fail_if == "unclear" && (slower || reply->unclear > 0));
  if (!fails) return Exit::kOk;
  fmt::print(stderr, "{} faster, {} slower, {} same, {} unclear\n", reply->faster, reply->slower,
             reply->same, reply->unclear);
  return Exit::kFailure;
}

}  // namespace

void add_compare(Command& app, Client& client) {
  auto options = std::make_shared<CompareOptions>();
  rpc::Compare::Request& request = options->request;
  Command* command =
      app.add_subcommand("compare", "Say at which points the second of two is faster or slower");
  command->add_option("A", request.a, "a sweep (name or id)");
  command->add_option("B", request.b, "the sweep to compare with it, unless --by is given");
  command->add_option("--by", request.by,
                      "NAME=A,B: compare two values of a parameter, in sweep A or in all results "
                      "of --workload");
  command->add_option("--workload", request.workload, "all results of this workload, without A");
  command->add_option("--where", request.where,
                      "NAME=VALUE[,VALUE...]: only results with one of these values");
  command->add_option("--metric", request.metric, "time, host_time or setup_time")
      ->capture_default_str();
  command->add_option("--phase", request.phase, "step, forward ...")->capture_default_str();
  command->add_option("--tolerance", request.tolerance, "a difference up to this is none")
      ->capture_default_str();
  command->add_option("--confidence", request.confidence, "of the intervals")
      ->capture_default_str();
  command
      ->add_option("--fail-if", options->fail_if,
                   "exit with 1 if a point is slower, changed, or unclear or slower")
      ->one_of({"never", "slower", "changed", "unclear"})
      ->capture_default_str();
  add_format_option(*command, options->format);
  command->footer(
      "Example: sweepctl compare before after --fail-if slower\n"
      "         sweepctl compare lm-end-to-end --by precision=fp32,bf16 --phase forward \\\n"
      "           --format md");
  command->callback([&client, options] {
    client.action = [&client, options] { return compare(client, *options); };
  });
}

}  // namespace sweepd
