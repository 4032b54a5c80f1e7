// Starts the `sweepd` beside this program (or on PATH) for a state folder and waits until it
// listens. The error is the text that sweepd printed.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

enum class Folder { kMayBeNew, kMustExist };
Result<void> start_daemon(const StateFolder& state, Folder folder = Folder::kMayBeNew);

// Starts `sweepd --read FILE` and returns the socket on which to ask it. It ends when the socket
// closes. Errors in the file are its answer to the first request.
Result<UniqueFd> start_reader(const StateFolder& state, const std::filesystem::path& file);

// Runs `sweepd --recover` with these further options. It prints its result or its error; returns
// its exit code.
Result<int> recover_state(const StateFolder& state, std::vector<std::string> options);

// Becomes `sweepd --try` with this text as its standard input. Returns only if that fails.
Error become_try(const std::string& input);

}  // namespace sweepd
