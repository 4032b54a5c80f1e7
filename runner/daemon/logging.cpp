#include "runner/daemon/logging.h"

#include <fmt/format.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <vector>

namespace sweepd {

Result<void> start_logging(const StateFolder& state, Ground ground) {
  std::error_code error;
  std::filesystem::create_directories(state.path(), error);
  if (error) {
    return Error{ErrorCode::kIo, fmt::format("cannot create the state folder {}: {}; choose "
                                             "another with --state-dir or $SWEEPD_STATE_DIR",
                                             state.path().string(), error.message())};
  }
  try {
    std::vector<spdlog::sink_ptr> sinks{std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
        state.log().string(), 10'000'000, 3)};
    if (ground == Ground::kForeground) {
      sinks.push_back(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    }
    auto logger = std::make_shared<spdlog::logger>("sweepd", sinks.begin(), sinks.end());
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
    return {};
  } catch (const std::exception& e) {
    return Error{ErrorCode::kIo, std::string("cannot write the log: ") + e.what()};
  }
}

}  // namespace sweepd
