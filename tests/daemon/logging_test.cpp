// Tests that the log can be read at a terminal.
#include "runner/daemon/logging.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

namespace sweepd {
namespace {

TEST(Logging, QuotesStrangersWithoutWhatATerminalTakesForACommand) {
  std::ostringstream written;
  spdlog::logger logger("test", std::make_shared<spdlog::sinks::ostream_sink_st>(written));
  logger.set_formatter(printable_formatter("%l %v"));
  logger.warn("pool {}: {}", "h\x1b]0;x\x07", "\u009b31m");
  EXPECT_EQ(written.str(), "warning pool h ]0;x : ?31m\n");
}

}  // namespace
}  // namespace sweepd
