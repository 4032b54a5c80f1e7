// Listens on the state folder's socket and passes each accepted client to a Session.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runner/base/files.h"
#include "runner/base/result.h"
#include "runner/daemon/serving/session.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

class Server {
 public:
  static constexpr std::size_t kMaxClients = 512;

  Server(boost::asio::io_context& io, const StateFolder& state, Services& services,
         AnswerRequest answer);
  ~Server();

  // Call only while holding the state folder's lock: an old socket file is removed.
  Result<void> listen();
  // Listens on a new socket if the socket's file was deleted or replaced.
  void keep_socket();
  void close();
  bool has_clients() const;
  // Accepts no new clients, sends queued replies, then calls `done`. Waits at most a second for
  // clients that do not read.
  void finish(std::function<void()> done);

 private:
  using Acceptor = boost::asio::local::stream_protocol::acceptor;
  Result<Acceptor> bind();
  bool owns_socket_file() const;
  void remove_socket_file() const;  // unless it is another daemon's
  bool make_room();
  boost::asio::awaitable<void> accept_clients();
  boost::asio::awaitable<void> wait_for_sessions(std::function<void()> done);

  boost::asio::io_context& io_;
  const StateFolder& state_;
  Services& services_;
  AnswerRequest answer_;
  Acceptor acceptor_;
  std::optional<FileId> socket_file_;
  std::vector<std::weak_ptr<Session>> sessions_;
};

}  // namespace sweepd
