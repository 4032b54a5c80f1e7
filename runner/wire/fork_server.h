// The messages between sweepd and `sweep-worker --serve` over a SOCK_SEQPACKET pair, one JSON
// object per packet. The server's end is its stdin. It exits when sweepd's end is closed.
//
//   server:  {"ready":true}                                  once, when it has loaded
//   sweepd:  {"fork":"<attempt folder>","rank":0,"environment":["MASTER_PORT=23456"]}
//            and with it the rank's place (wire/rank_pidfile.h), open: a path could lead a late
//            fork to the place of the attempt that was queued again
//   child:   {"pid":4242}                                    it has taken its place
//            {"pid":4242,"error":"cannot open ..."}          it ends, and must be reaped too
//   server:  {"error":"fork: ..."}                           there is no child
//   sweepd:  {"reap":4242}                                   one that has ended or will soon
//   server:  {"code":0} or {"signal":9} or {"error":"..."}
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runner/base/unique_fd.h"

namespace sweepd {

inline constexpr std::size_t kMaxForkMessageBytes{32 << 10};  // a path and a few variables

struct ForkCommand {
  std::filesystem::path folder;
  int rank = 0;
  std::vector<std::string> environment;  // "NAME=value": variables that differ from the server's
};
struct ReapCommand {
  pid_t pid = 0;
};
using ForkServerCommand = std::variant<ForkCommand, ReapCommand>;

struct ForkServerReply {
  bool ready = false;
  pid_t pid = 0;
  std::optional<int> code, signal;
  std::string error;  // "" for none
};

std::string to_message(const ForkServerCommand& command);
std::string to_message(const ForkServerReply& reply);

// Return nothing if the text is not such a message.
std::optional<ForkServerCommand> command_from(std::string_view message);
std::optional<ForkServerReply> reply_from(std::string_view message);

// Sends or receives one packet, with a descriptor unless that is negative. Returns false, or
// nothing, if the other side is gone.
bool send_packet(int socket, std::string_view message, int descriptor = -1);
std::optional<std::string> receive_packet(int socket, UniqueFd* descriptor = nullptr);

}  // namespace sweepd
