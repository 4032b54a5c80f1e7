#include "runner/client/commands/show_kernels.h"

#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/output.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

void add_kernel_options(Command& command, KernelOptions& options) {
  Option* kernels = command.add_flag(
      "--kernels", options.wanted,
      "for a profile pass, or a sweep with one profile: list the kernels of its step");
  const auto with_kernels = [&](Option* option) { option->needs(kernels)->capture_default_str(); };
  with_kernels(
      command
          .add_option("--by", options.by,
                      "with --kernels: one row per kernel name, launch shape, range or class")
          ->one_of({"name", "launch", "range", "class"}));
  with_kernels(command.add_option("--phase", options.phase,
                                  "with --kernels: only this phase [default: the whole step]"));
  with_kernels(command.add_option("--top", options.top,
                                  "with --kernels: only this many rows, the largest; 0 is all"));
  with_kernels(
      command.add_option("--rank", options.rank, "with --kernels: the kernels of this rank"));
  with_kernels(command
                   .add_option("--layout", options.layout,
                               "with --kernels: columns like those of `nsys stats`, or the "
                               "operator table of torch.profiler")
                   ->one_of({"nsys", "pytorch"}));
}

Exit show_kernels(Client& client, const std::string& attempt, const KernelOptions& options,
                  const std::string& format) {
  const auto reply = client.call<rpc::Kernels>({.attempt = attempt,
                                                .by = options.by,
                                                .layout = options.layout,
                                                .phase = options.phase,
                                                .rank = options.rank,
                                                .top = options.top});
  if (!reply) return report_error(reply.error());
  if (const auto printed = print_tables(reply->tables, format); !printed) {
    return report_error(printed.error());
  }
  if (format == "text" && reply->trace) {
    say("\ntrace (ui.perfetto.dev, chrome://tracing): {}\n", *reply->trace);
  }
  return Exit::kOk;
}

}  // namespace sweepd
