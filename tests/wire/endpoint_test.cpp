#include "runner/wire/endpoint.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "runner/base/ids.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

// Starts without the three variables and restores them afterwards.
class EndpointTest : public testing::Test {
 protected:
  EndpointTest() {
    for (const char* name : {"SWEEPD_STATE_DIR", "XDG_STATE_HOME", "HOME"}) {
      const char* value = std::getenv(name);
      before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
      ::unsetenv(name);
    }
  }
  ~EndpointTest() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
  }
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  static std::string folder(const std::string& option = "") {
    return StateFolder::from_environment(option).path();
  }

  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(EndpointTest, TheNearestWishWins) {
  set("HOME", "/home/ada");
  EXPECT_EQ(folder(), "/home/ada/.local/state/sweepd");
  set("XDG_STATE_HOME", "/xdg");
  EXPECT_EQ(folder(), "/xdg/sweepd");
  set("SWEEPD_STATE_DIR", "/own");
  EXPECT_EQ(folder(), "/own");
  EXPECT_EQ(folder("/option"), "/option");
}

TEST_F(EndpointTest, EmptyVariablesAreAsIfTheyWereNotThere) {
  set("HOME", "/home/ada");
  set("XDG_STATE_HOME", "");
  set("SWEEPD_STATE_DIR", "");
  EXPECT_EQ(folder(), "/home/ada/.local/state/sweepd");
}

TEST_F(EndpointTest, ARelativeXdgPathIsIgnoredAsTheSpecificationSays) {
  set("HOME", "/home/ada");
  set("XDG_STATE_HOME", "state");
  EXPECT_EQ(folder(), "/home/ada/.local/state/sweepd");
}

TEST_F(EndpointTest, OwnPathsMayBeRelativeToTheWorkingFolder) {
  EXPECT_EQ(folder("some/../state"), (fs::current_path() / "state").string());
  set("SWEEPD_STATE_DIR", "./state");
  EXPECT_EQ(folder(), (fs::current_path() / "state").string());
}

TEST_F(EndpointTest, WithoutAHomeTheFolderIsStillAnAbsoluteOne) {
  for (const char* home : {"", "relative"}) {
    set("HOME", home);
    EXPECT_TRUE(fs::path(folder()).is_absolute()) << folder();
  }
  ::unsetenv("HOME");
  EXPECT_TRUE(fs::path(folder()).is_absolute()) << folder();
}

TEST_F(EndpointTest, EverythingLiesInTheFolder) {
  const StateFolder state("/s");
  EXPECT_EQ(state.socket(), "/s/sweepd.sock");
  EXPECT_EQ(state.database(), "/s/results.db");
  EXPECT_EQ(state.runs(), "/s/runs");
  EXPECT_EQ(state.lock(), "/s/lock");
  EXPECT_EQ(state.log(), "/s/sweepd.log");
  EXPECT_EQ(state.catalog(), "/s/catalog.json");
}

// Binds and connects through the address, as the daemon and the client do.
void expect_reachable(const StateFolder& state) {
  const SocketAddress address = socket_address(state);
  ASSERT_LT(address.path.size(), sizeof(sockaddr_un::sun_path));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.path.c_str(), address.path.size() + 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&name);
  const UniqueFd server(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(server.get(), generic, sizeof name), 0) << strerror(errno);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  EXPECT_TRUE(fs::is_socket(state.socket())) << "it lies where its name says";
  const UniqueFd client(::socket(AF_UNIX, SOCK_STREAM, 0));
  EXPECT_EQ(::connect(client.get(), generic, sizeof name), 0) << strerror(errno);
}

// A socket's address holds 107 bytes. The lengths are one less, exactly that, one more, and far
// more.
TEST_F(EndpointTest, APathOfAnyLengthCanBeReached) {
  const fs::path root = fs::temp_directory_path() / ("sweepd-endpoint-" + random_id());
  const std::size_t own = root.string().size() + 1 + std::strlen("/sweepd.sock");
  for (const std::size_t length : {106U, 107U, 108U, 300U}) {
    fs::path folder = root;
    for (std::size_t left = length - own; left > 0;) {
      const std::size_t part = std::min<std::size_t>(left, 200);
      folder /= std::string(part, 'x');
      left -= part;
      if (left > 0) --left;  // the slash
    }
    fs::create_directories(folder);
    const StateFolder state(folder);
    ASSERT_EQ(state.socket().string().size(), length);
    EXPECT_EQ(socket_address(state).folder.get() >= 0, length > 107);
    expect_reachable(state);
    fs::remove_all(root);
  }
}

}  // namespace
}  // namespace sweepd
