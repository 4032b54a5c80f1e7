#include "runner/client/commands/pausing.h"

#include <fmt/format.h>

namespace sweepd {

void add_pause_options(Command& command, PauseOptions& options, const std::string& which) {
  command.add_option("SWEEP", options.sweeps,
                     "names (of each its latest sweep), ids or unique prefixes of ids");
  command.add_flag("--all", options.all, which);
  command
      .add_option("--device", options.devices,
                  "instead of sweeps: these devices of this machine, such as cpu or cuda:0,cuda:1; "
                  "cuda is all GPUs")
      ->delimiter(',');
}

Result<void> check(const PauseOptions& options, std::string_view verb) {
  const bool other = options.all || !options.devices.empty();
  if (options.sweeps.empty() == other) return {};
  return Error{
      ErrorCode::kInvalidArgument,
      other ? fmt::format("{}: SWEEP, --all and --device exclude each other: expected one of them",
                          verb)
            : fmt::format("{}: expected names of sweeps, --all, or --device", verb)};
}

}  // namespace sweepd
