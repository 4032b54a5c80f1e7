#include "runner/wire/fork_server.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runner/base/overload.h"
#include "runner/wire/json_text.h"

namespace sweepd {

namespace {

std::optional<nlohmann::json> parse_object(std::string_view message) {
  nlohmann::json parsed = parse_json(message);
  if (!parsed.is_object()) return std::nullopt;
  return parsed;
}

std::optional<int> integer_of(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int>();
}

std::string text_of(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string to_message(const ForkServerCommand& command) {
  return std::visit(
      Overload{[](const ForkCommand& fork) {
                 return to_json_line(nlohmann::json{{"fork", fork.folder.string()},
                                                    {"rank", fork.rank},
                                                    {"environment", fork.environment}});
               },
               [](const ReapCommand& reap) {
                 return to_json_line(nlohmann::json{{"reap", reap.pid}});
               }},
      command);
}

std::string to_message(const ForkServerReply& reply) {
  nlohmann::json message = nlohmann::json::object();
  if (reply.ready) message["ready"] = true;
  if (reply.pid > 0) message["pid"] = reply.pid;
  if (reply.code) message["code"] = *reply.code;
  if (reply.signal) message["signal"] = *reply.signal;
  if (!reply.error.empty()) message["error"] = reply.error;
  return to_json_line(message);
}

std::optional<ForkServerCommand> command_from(std::string_view message) {
  const auto object = parse_object(message);
  if (!object) return std::nullopt;
  if (const auto pid = integer_of(*object, "reap")) return ReapCommand{*pid};
  ForkCommand fork{text_of(*object, "fork"), integer_of(*object, "rank").value_or(0), {}};
  if (fork.folder.empty()) return std::nullopt;
  for (const nlohmann::json& entry : object->value("environment", nlohmann::json::array())) {
    if (!entry.is_string()) return std::nullopt;
    fork.environment.push_back(entry.get<std::string>());
  }
  return fork;
}

std::optional<ForkServerReply> reply_from(std::string_view message) {
  const auto object = parse_object(message);
  if (!object) return std::nullopt;
  ForkServerReply reply;
  reply.ready = object->contains("ready");
  reply.pid = integer_of(*object, "pid").value_or(0);
  reply.code = integer_of(*object, "code");
  reply.signal = integer_of(*object, "signal");
  reply.error = text_of(*object, "error");
  return reply;
}

namespace {

// Space for one descriptor sent with a packet.
union Ancillary {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

}  // namespace

bool send_packet(int socket, std::string_view message, int descriptor) {
  iovec part{const_cast<char*>(message.data()), message.size()};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  Ancillary ancillary{};
  if (descriptor >= 0) {
    packet.msg_control = ancillary.bytes;
    packet.msg_controllen = sizeof ancillary.bytes;
    ancillary.header.cmsg_level = SOL_SOCKET;
    ancillary.header.cmsg_type = SCM_RIGHTS;
    ancillary.header.cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(&ancillary.header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &packet, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

std::optional<std::string> receive_packet(int socket, UniqueFd* descriptor) {
  std::string text(kMaxForkMessageBytes, '\0');
  iovec part{text.data(), text.size()};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  Ancillary ancillary{};
  packet.msg_control = ancillary.bytes;
  packet.msg_controllen = sizeof ancillary.bytes;
  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &packet, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(received));
  if (packet.msg_controllen >= CMSG_LEN(sizeof(int)) && ancillary.header.cmsg_level == SOL_SOCKET &&
      ancillary.header.cmsg_type == SCM_RIGHTS) {
    int received_fd = -1;
    std::memcpy(&received_fd, CMSG_DATA(&ancillary.header), sizeof received_fd);
    UniqueFd owned(received_fd);
    if (descriptor != nullptr) *descriptor = std::move(owned);
  }
  return text;
}

}  // namespace sweepd
