// Tests the client's side of the socket against a server that sends each test's script.
#include "runner/client/session/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <functional>
#include <future>
#include <thread>

#include "runner/base/ids.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {
namespace {

using nlohmann::json;
using testing::HasSubstr;

void send_text(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string read_line(int fd) {
  std::string line;
  char byte = 0;
  while (::recv(fd, &byte, 1, 0) == 1 && byte != '\n') line += byte;
  return line;
}

class ConnectionTest : public testing::Test {
 protected:
  ConnectionTest() {
    std::filesystem::create_directories(state_.path());
    listener_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, state_.socket().c_str(), sizeof name.sun_path - 1);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
  }
  ~ConnectionTest() override {
    if (server_.joinable()) server_.join();
    std::filesystem::remove_all(state_.path());
  }

  // Connects; the server runs `script` on its end, then hangs up.
  DaemonConnection serve(std::function<void(int fd)> script) {
    server_ = std::thread([this, script = std::move(script)] {
      const UniqueFd fd(::accept(listener_.get(), nullptr, nullptr));
      script(fd.get());
    });
    return std::move(DaemonConnection::open(state_, Autostart::kNo)).value();
  }
  // Reads one request, then sends `text`.
  DaemonConnection answering(std::string text) {
    return serve([text = std::move(text)](int fd) {
      read_line(fd);
      send_text(fd, text);
    });
  }

  StateFolder state_{std::filesystem::temp_directory_path() / ("sweepd-client-" + random_id())};
  UniqueFd listener_;
  std::thread server_;
};

TEST_F(ConnectionTest, AsksInOneLineAndGetsTheResult) {
  std::string asked;
  DaemonConnection connection = serve([&asked](int fd) {
    asked = read_line(fd);
    send_text(fd, R"({"jsonrpc":"2.0","id":1,"result":{"pid":4242}})"
                  "\n");
  });
  const auto result = connection.call("status", {{"a", "b\nc"}});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ((*result)["pid"], 4242);
  server_.join();
  EXPECT_EQ(json::parse(asked),
            json::parse(R"({"jsonrpc":"2.0","id":1,"method":"status","params":{"a":"b\nc"}})"));
}

TEST_F(ConnectionTest, ARequestMayBeLargerThanAnyBuffer) {
  std::size_t got = 0;
  DaemonConnection connection = serve([&got](int fd) {
    std::string text;
    char chunk[65536];
    while (text.empty() || text.back() != '\n') {
      const ssize_t n = ::recv(fd, chunk, sizeof chunk, 0);
      if (n <= 0) return;
      text.append(chunk, static_cast<std::size_t>(n));
    }
    got = text.size();
    send_text(fd, R"({"jsonrpc":"2.0","id":1,"result":")" + std::string(3'000'000, 'y') + "\"}\n");
  });
  const auto result = connection.call("submit", {{"text", std::string(2'000'000, 'x')}});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->get<std::string>().size(), 3'000'000U);
  server_.join();
  EXPECT_GT(got, 2'000'000U);
}

TEST_F(ConnectionTest, NotificationsBetweenDoNotDisturbTheReply) {
  DaemonConnection connection =
      answering(R"({"jsonrpc":"2.0","method":"progress","params":{"n":1}})"
                "\n"
                R"({"jsonrpc":"2.0","id":1,"result":7})"
                "\n"
                R"({"jsonrpc":"2.0","method":"progress","params":{"n":2}})"
                "\n");
  EXPECT_EQ(*connection.call("watch", json::object()), 7);
  EXPECT_EQ((*connection.next_notification())["params"]["n"], 2);
  EXPECT_EQ(connection.next_notification().error().code, ErrorCode::kUnavailable);
}

TEST_F(ConnectionTest, TheAnswerToAnotherRequestIsNotOurs) {
  DaemonConnection connection = answering(R"({"jsonrpc":"2.0","id":99,"result":"another's"})"
                                          "\n"
                                          R"({"jsonrpc":"2.0","id":1,"result":"ours"})"
                                          "\n");
  EXPECT_EQ(*connection.call("status", json::object()), "ours");
}

// The server would send after ten seconds, but learns first that the client gave up.
TEST_F(ConnectionTest, WaitingForNewsEndsWhenItsTimeIsUp) {
  std::promise<void> gave_up;
  DaemonConnection connection = serve([told = gave_up.get_future().share()](int fd) {
    if (told.wait_for(std::chrono::seconds(10)) == std::future_status::ready) return;
    send_text(fd, R"({"jsonrpc":"2.0","method":"progress","params":{"n":1}})"
                  "\n");
  });
  const auto none = connection.next_notification(milliseconds(20));
  gave_up.set_value();
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_FALSE(none->has_value());
}

TEST(News, OfAnotherKindIsNoneAndUnreadableIsAnError) {
  const json other = {{"method", "plan_rows"}, {"params", json::object()}};
  const auto none = news_of<rpc::Progress>(other);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
  const auto broken = news_of<rpc::Progress>({{"method", "progress"}, {"params", {{"sweep", 7}}}});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().message,
            "the daemon's progress cannot be read: `sweep`: expected a string, got 7");
}

TEST_F(ConnectionTest, AnErrorKeepsItsKindAndItsWords) {
  DaemonConnection connection =
      answering(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no sweep `x`"}})"
                "\n");
  const auto result = connection.call("show", json::object());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(result.error().message, "no sweep `x`");
}

TEST_F(ConnectionTest, MalformedRepliesAreErrorsNotCrashes) {
  for (const char* reply :
       {"garbage", "3", "[]", "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":3}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":\"x\",\"message\":\"m\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":7}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":null}"}) {
    DaemonConnection connection = answering(std::string(reply) + "\n");
    const auto result = connection.call("status", json::object());
    ASSERT_FALSE(result) << reply;
    EXPECT_EQ(result.error().code, ErrorCode::kInternal) << reply;
    server_.join();
  }
}

TEST_F(ConnectionTest, ADaemonThatGoesAwayIsSaidSo) {
  for (const char* torn : {"", R"({"jsonrpc":"2.0","id":1,"res)"}) {
    DaemonConnection connection = answering(torn);
    const auto result = connection.call("status", json::object());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(result.error().message, HasSubstr("closed the connection"));
    server_.join();
  }
}

// The server refuses and hangs up without reading anything, so that sending already fails.
TEST_F(ConnectionTest, WhyItWasRefusedIsHeardThoughTheRequestCouldNotBeSent) {
  DaemonConnection connection = serve([](int fd) {
    send_text(fd, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"too many"}})"
                  "\n");
  });
  server_.join();
  const auto result = connection.call("status", json::object());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(result.error().message, "too many");
}

TEST(Connection, WithoutADaemonTheSocketIsNamed) {
  const StateFolder state(std::filesystem::temp_directory_path() / ("sweepd-none-" + random_id()));
  const auto opened = DaemonConnection::open(state, Autostart::kNo);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(opened.error().message, HasSubstr(state.socket().string()));
}

}  // namespace
}  // namespace sweepd
