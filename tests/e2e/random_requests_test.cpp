// Calls every method of the protocol with well-formed requests of random members: each gets one
// answer, and the daemon keeps running.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "runner/base/unique_fd.h"
#include "tests/e2e/random_requests.h"
#include "tests/e2e/sandbox.h"
#include "tests/fault_seed.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// Everything but -32603, a bug.
const std::set<int> kCodes{-32602, -32001, -32002, -32003, -32004, -32005, -32006};

class Line {
 public:
  explicit Line(const fs::path& socket) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, socket.c_str(), sizeof name.sun_path - 1);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  }
  void send(const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = ::send(fd_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  }
  // The next message that is no notification; null after a minute, or when the daemon hangs up.
  json next() {
    for (;;) {
      const std::size_t end = text_.find('\n');
      if (end != std::string::npos) {
        json message = json::parse(text_.substr(0, end), nullptr, /*allow_exceptions=*/false);
        text_.erase(0, end + 1);
        if (message.is_object() && message.contains("method")) continue;
        return message;
      }
      pollfd ready{fd_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 60'000) != 1) return nullptr;
      char piece[65536];
      const ssize_t n = ::recv(fd_.get(), piece, sizeof piece, 0);
      if (n <= 0) return nullptr;
      text_.append(piece, static_cast<std::size_t>(n));
    }
  }

 private:
  UniqueFd fd_;
  std::string text_;
};

std::string line_of(int id, const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method +
         R"(","params":)" + params + "}\n";
}

// The defect of the answer to this request; "" if there is none.
std::string mistake_in(json answer, int id, const RandomRequest& request) {
  if (!answer.is_object()) return "no answer";
  if (!request.is_json) {
    const bool refused = answer.contains("error") && answer["error"].value("code", 0) == -32700;
    return refused ? "" : "it is not JSON, and was not refused";
  }
  if (answer["id"] != id) return "it answers something else";
  if (answer.contains("result") == answer.contains("error"))
    return "neither a result nor an error, or both";
  if (answer.contains("result")) return request.wrong.empty() ? "" : "a wrong member was accepted";
  const int code = answer["error"].value("code", 0);
  const std::string message = answer["error"].value("message", "");
  if (!kCodes.contains(code) || message.empty()) return "an error without a type or a reason";
  if (request.wrong.empty()) return "";
  const bool named =
      std::any_of(request.wrong.begin(), request.wrong.end(), [&](const std::string& member) {
        return message.find("`" + member + "`") != std::string::npos;
      });
  return code == -32602 && named ? "" : "the error names no wrong member";
}

struct RandomRequests : testing::Test {
  const Sandbox box;
  const fs::path given = box.folder() / "given";
  RequestMaker maker{fault_seed(), given};
  int id = 0;

  void SetUp() override {
    fs::create_directories(given / "folder");
    std::ofstream(given / "empty").flush();
    ASSERT_EQ(::mkfifo((given / "fifo").c_str(), 0600), 0);
    box.ctl({"submit", "-", "--wait"}, RequestMaker::kSweep);
    ASSERT_EQ(box.ctl({"backup", (given / "copy.db").string()}).exit_code, 0);
    know();
  }

  void know() {
    const std::string sweep = box.sql("select uid from sweep order by submitted_ns desc limit 1");
    const std::string attempt = box.sql("select uid from attempt order by random() limit 1");
    for (const char* member : {"sweep", "what", "a", "b"}) {
      for (const std::string& name :
           {std::string("rnd"), std::string("other"), sweep, sweep.substr(0, 6)}) {
        maker.know(member, name);
      }
    }
    maker.know("what", box.sql("select key from trial order by random() limit 1"));
    for (const char* member : {"what", "attempt"}) maker.know(member, attempt);
  }

  // Returns whether the daemon can take more requests.
  bool ask(Line& line, const MethodRule& method) {
    const RandomRequest request = maker.next(method);
    const std::string sent = line_of(++id, request.method, request.params);
    line.send(sent);
    const json answer = line.next();
    const std::string mistake = mistake_in(answer, id, request);
    EXPECT_EQ(mistake, "") << sent.substr(0, 2000) << answer.dump().substr(0, 1000);
    // Answers come in order, so a second one would come before this one.
    line.send(line_of(++id, "status", "{}"));
    const json next = line.next();
    const bool works =
        next.is_object() && next.contains("id") && next.at("id") == id && next.contains("result");
    EXPECT_TRUE(works) << "after " << sent.substr(0, 2000) << next.dump().substr(0, 1000);
    return works;
  }

  void expect_nothing_outside() {
    const std::set<std::string> allowed{"fresh", "copy.db", "empty", "folder", "fifo", "none"};
    for (const auto& entry : fs::directory_iterator(given)) {
      EXPECT_TRUE(allowed.contains(entry.path().filename())) << entry.path();
    }
    for (const fs::path& folder :
         {box.folder(), given, box.state(), box.state() / "runs", fs::path("/"),
          fs::temp_directory_path(), fs::current_path(), fs::current_path().parent_path()}) {
      EXPECT_FALSE(fs::exists(folder / RequestMaker::kEscaped)) << folder;
    }
  }
};

void expect_the_methods_of_the_page() {
  std::ifstream file(PROTOCOL_PAGE);
  std::string line;
  std::vector<std::string> described, listed;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line == "| method | parameters | result |") inside = true;
    if (line.empty()) inside = false;
    if (inside && line.starts_with("| `"))
      described.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  for (const MethodRule& method : method_rules()) listed.push_back(method.name);
  EXPECT_FALSE(described.empty());
  EXPECT_EQ(listed, described);
}

TEST_F(RandomRequests, OfEveryMethodGetOneAnswerAndTheDaemonGoesOn) {
  expect_the_methods_of_the_page();
  const pid_t daemon = box.daemon_pid();
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    Line line(box.state() / "sweepd.sock");
    for (const MethodRule& method : method_rules()) {
      if (!ask(line, method)) return;
    }
    if (round % 3 != 2) continue;
    box.ctl({"resume", "--device", "cpu"});  // and deleted sweeps come back
    box.ctl({"submit", "-"}, RequestMaker::kSweep);
    know();
  }
  EXPECT_EQ(box.daemon_pid(), daemon);
  expect_nothing_outside();
  // Paused sweeps resume, and submitted ones end.
  box.ctl({"resume", "--device", "cpu"});
  box.ctl({"resume", "--all"});
  const Ran last =
      box.ctl({"submit", "-", "--wait"}, "sweep: last\nworkload: noop\nparams: {steps: 3}\n");
  EXPECT_EQ(last.exit_code, 0) << last.out << last.err;
  EXPECT_EQ(box.sql("pragma integrity_check"), "ok");
  EXPECT_EQ(box.sql("pragma foreign_key_check"), "");
}

}  // namespace
}  // namespace sweepd::e2e
