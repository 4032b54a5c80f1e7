#include "runner/wire/fork_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

TEST(ForkServerMessages, CommandsComeBackAsTheyWere) {
  const ForkCommand fork{"/state/runs/00c0ffee", 2, {"MASTER_PORT=23456", "EMPTY="}};
  EXPECT_EQ(
      to_message(fork),
      R"({"environment":["MASTER_PORT=23456","EMPTY="],"fork":"/state/runs/00c0ffee","rank":2})");
  const auto read = command_from(to_message(fork));
  ASSERT_TRUE(read);
  const auto& same = std::get<ForkCommand>(*read);
  EXPECT_EQ(same.folder, fork.folder);
  EXPECT_EQ(same.rank, 2);
  EXPECT_EQ(same.environment, fork.environment);
  EXPECT_EQ(std::get<ReapCommand>(*command_from(R"({"reap":4242})")).pid, 4242);
}

TEST(ForkServerMessages, RepliesComeBackAsTheyWere) {
  ForkServerReply ready;
  ready.ready = true;
  EXPECT_EQ(to_message(ready), R"({"ready":true})");
  EXPECT_TRUE(reply_from(R"({"ready":true})")->ready);
  const auto started = reply_from(to_message(ForkServerReply{false, 4242, {}, {}, ""}));
  EXPECT_EQ(started->pid, 4242);
  EXPECT_FALSE(started->ready);
  EXPECT_EQ(started->error, "");
  const auto ended = reply_from(to_message(ForkServerReply{false, 0, 0, {}, ""}));
  EXPECT_EQ(ended->code, 0);
  EXPECT_EQ(ended->signal, std::nullopt);
  EXPECT_EQ(reply_from(to_message(ForkServerReply{false, 0, {}, 9, ""}))->signal, 9);
  EXPECT_EQ(reply_from(R"({"error":"fork: no memory"})")->error, "fork: no memory");
}

TEST(ForkServerMessages, WhatIsNoneIsNone) {
  for (const char* text : {"", "{", "[]", "7", "{}", R"({"fork":""})", R"({"fork":7})",
                           R"({"fork":"/x","environment":[7]})", R"({"reap":"4242"})"}) {
    EXPECT_FALSE(command_from(text)) << text;
  }
  for (const char* text : {"", "{", "[]", "\"ready\""}) EXPECT_FALSE(reply_from(text)) << text;
}

TEST(ForkServerMessages, APacketIsWholeAndAClosedSocketIsTheEnd) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  EXPECT_TRUE(send_packet(ours.get(), "one"));
  EXPECT_TRUE(send_packet(ours.get(), "two"));
  EXPECT_EQ(receive_packet(theirs.get()), "one");
  EXPECT_EQ(receive_packet(theirs.get()), "two");
  ours.reset();
  EXPECT_EQ(receive_packet(theirs.get()), std::nullopt);
  EXPECT_FALSE(send_packet(theirs.get(), "three"));  // and no SIGPIPE
}

}  // namespace
}  // namespace sweepd
