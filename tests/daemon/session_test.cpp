// Tests a session whose client is silent or does not read.
#include "runner/daemon/serving/session.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>

#include "runner/base/ids.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/serving/services.h"
#include "tests/sweepfile/catalog.h"

namespace sweepd {
namespace {

class SessionTest : public testing::Test {
 protected:
  // The first is the session's end, the second is ours.
  std::pair<std::shared_ptr<Session>, UniqueFd> connect() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    Session::Socket socket(io_);
    socket.assign(boost::asio::local::stream_protocol(), ends[0]);
    return {std::make_shared<Session>(std::move(socket), services_, call_handler),
            UniqueFd(ends[1])};
  }

  StateFolder state_{std::filesystem::temp_directory_path() / ("sweepd-session-" + random_id())};
  Catalog catalog_ = test::catalog();
  boost::asio::io_context io_{1};
  ReaderPool readers_{state_.database(), catalog_, 1, seconds(1)};
  ReadServices services_{state_, state_.database(), catalog_, readers_, readers_};
};

TEST_F(SessionTest, WhoeverAsksNothingIsCutOffAndWhoeverAskedIsNot) {
  const auto [asker, asking] = connect();
  const std::string line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no such\"}\n";
  ASSERT_EQ(::send(asking.get(), line.data(), line.size(), 0), static_cast<ssize_t>(line.size()));
  asker->start(std::chrono::milliseconds(500));
  while (!asker->has_asked() && asker->is_open()) io_.run_one();
  const auto [silent, other_end] = connect();
  silent->start(std::chrono::milliseconds(600));  // its time ends after the other's
  while (silent->is_open()) io_.run_one();
  EXPECT_TRUE(asker->is_open());
  EXPECT_FALSE(silent->has_asked());
  char byte = 0;
  EXPECT_EQ(::recv(other_end.get(), &byte, 1, 0), 0) << "closed";
  asker->close();
  io_.run();
}

TEST_F(SessionTest, WhoeverDoesNotReadIsCutOffBeforeTheMemoryIsFull) {
  const auto [session, other_end] = connect();
  session->start();
  const std::string megabyte(1 << 20, 'x');
  std::size_t taken = 0;
  while (taken < 1000 && session->send(megabyte)) {
    ++taken;
    io_.poll();
  }
  EXPECT_FALSE(session->is_open());
  EXPECT_GE(taken, 64U);  // docs/PROTOCOL.md: 64 MiB
  EXPECT_LE(taken, 66U);
  io_.run();
}

}  // namespace
}  // namespace sweepd
