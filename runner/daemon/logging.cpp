#include "runner/daemon/logging.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/printable.h"

namespace sweepd {
namespace {

class PrintableFormatter : public spdlog::formatter {
 public:
  explicit PrintableFormatter(std::string pattern)
      : pattern_(std::move(pattern)), formatter_(pattern_) {}
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    spdlog::details::log_msg clean = message;
    const std::string text =
        printable_lines(std::string_view(message.payload.data(), message.payload.size()));
    clean.payload = text;
    formatter_.format(clean, to);
    message.color_range_start = clean.color_range_start;
    message.color_range_end = clean.color_range_end;
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<PrintableFormatter>(pattern_);
  }

 private:
  std::string pattern_;
  spdlog::pattern_formatter formatter_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> printable_formatter(std::string pattern) {
  return std::make_unique<PrintableFormatter>(std::move(pattern));
}

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
    spdlog::set_formatter(printable_formatter("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v"));
    return {};
  } catch (const std::exception& e) {
    return Error{ErrorCode::kIo, std::string("cannot write the log: ") + e.what()};
  }
}

}  // namespace sweepd
