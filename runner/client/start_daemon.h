// Starts the `sweepd` beside this program (or on PATH) for a state folder and waits until it
// listens. The error is what sweepd itself printed.
#pragma once

#include "runner/base/result.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

Result<void> start_daemon(const StateFolder& state);

// Starts `sweepd --read FILE` and returns the socket to ask it on; it ends when that closes. What
// is wrong with the file is its answer to the first question.
Result<UniqueFd> start_reader(const StateFolder& state, const std::filesystem::path& file);

}  // namespace sweepd
