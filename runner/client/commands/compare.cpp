#include <fmt/format.h>

#include <utility>

#include "runner/base/say.h"
#include "runner/client/render/output.h"
#include "runner/client/render/table_options.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

struct CompareOptions {
  rpc::Compare::Request request;
  std::string fail_if = "never";
  std::string format = "text";
  std::string notes = "few";
};

// Returns where `@FILE` begins, behind any number of `@previous`; npos if there is none.
std::size_t find_file(const std::string& side) {
  constexpr std::string_view kPrevious = "@previous";
  std::size_t at = side.find('@');
  while (at != std::string::npos && std::string_view(side).substr(at).starts_with(kPrevious)) {
    const std::size_t end = at + kPrevious.size();
    if (end == side.size()) return std::string::npos;
    if (side[end] != '@') break;
    at = end;
  }
  return at;
}

// Splits SWEEP@FILE.db. A sweep's name has no `@`.
Result<void> split_side(std::string& name, std::string& database) {
  const std::size_t at = find_file(name);
  if (at != std::string::npos) {
    const std::string file = name.substr(at + 1);
    if (at == 0 || file.empty()) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("`{}`: expected SWEEP@FILE, such as before@/mnt/h200/results.db", name)};
    }
    database = database_file(file);
    name.resize(at);
  }
  return check_name("a sweep", name);
}

Exit compare(Client& client, const CompareOptions& options) {
  rpc::Compare::Request request = options.request;
  if (request.kernels && options.fail_if != "never") {
    return report_error({ErrorCode::kInvalidArgument,
                         fmt::format("--fail-if {} with --kernels: kernels are not judged; compare "
                                     "the times of steps, without --kernels",
                                     options.fail_if)});
  }
  for (const auto& [name, database] :
       {std::pair{&request.a, &request.a_database}, std::pair{&request.b, &request.b_database}}) {
    if (const auto split = split_side(*name, *database); !split) {
      return report_error(split.error());
    }
  }
  const auto reply = client.call<rpc::Compare>(request);
  if (!reply) return report_error(reply.error());
  const auto printed =
      print_table(with_chosen_notes(reply->table, options.notes, options.format), options.format);
  if (!printed) return report_error(printed.error());
  const bool slower = reply->slower > 0, faster = reply->faster > 0;
  const bool fails = (options.fail_if == "slower" && slower) ||
                     (options.fail_if == "changed" && (slower || faster)) ||
                     (options.fail_if == "unclear" && (slower || reply->unclear > 0));
  if (!fails) return Exit::kOk;
  say(stderr, "{} faster, {} slower, {} same, {} unclear\n", reply->faster, reply->slower,
      reply->same, reply->unclear);
  return Exit::kFailure;
}

}  // namespace

void add_compare(Command& app, Client& client) {
  auto options = std::make_shared<CompareOptions>();
  rpc::Compare::Request& request = options->request;
  Command* command =
      app.add_subcommand("compare", "Compare two sweeps, or two values of a parameter");
  command->add_option(
      "A", request.a,
      "a sweep (name or id); NAME@previous is the one of that name before the latest, SWEEP@FILE "
      "one of the database FILE, which is only read");
  command->add_option("B", request.b, "the sweep to compare with it, unless --by is given");
  command->add_option(
      "--by", request.by,
      "NAME=A,B: compare two values of a parameter, host, device_name or code (or the beginning "
      "of its hash), in sweep A or in all results of --workload");
  command->add_option("--workload", request.workload, "all results of this workload, without A");
  command->add_option("--where", request.where,
                      "NAME=VALUE[,VALUE...]: only results with one of these values");
  command->add_flag("--kernels", request.kernels,
                    "compare the kernels of profiles: which appeared, vanished or take another "
                    "time, and how much of the difference each explains");
  command
      ->add_option("--metric", request.metric,
                   "a time or a bandwidth, such as time or algbw, or one declared with `better`")
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
  add_newest_option(*command, request.newest);
  add_format_option(*command, options->format);
  add_notes_option(*command, options->notes);
  command->footer(
      "Example: sweepctl compare before after --fail-if slower\n"
      "         sweepctl compare lm-end-to-end --by precision=fp32,bf16 --phase forward \\\n"
      "           --format md\n"
      "         sweepctl compare lm-end-to-end lm-end-to-end@/mnt/h200/results.db\n"
      "         sweepctl compare lm-end-to-end --by precision=fp32,bf16 --kernels --where "
      "context=32");
  command->callback([&client, options] {
    client.action = [&client, options] { return compare(client, *options); };
  });
}

}  // namespace sweepd
