// One client's connection. Requests are read and answered one at a time, in order; notifications
// are sent between replies. A client that does not read is disconnected once its backlog is full,
// so that it never uses up the daemon's memory or time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include "runner/daemon/serving/reply.h"

namespace sweepd {

class Session : public std::enable_shared_from_this<Session> {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;

  Session(Socket socket, Services& services, AnswerRequest answer);
  Session(Socket socket, ReadServices& services, AnswerRequest answer);  // for read requests only

  // A client that has sent no request by then is disconnected: it may be a forgotten connection.
  static constexpr std::chrono::seconds kFirstRequest{30};

  void start(std::chrono::nanoseconds first_request = kFirstRequest);
  // Queues one line. Returns false if the session is closed or its backlog is full (it is then
  // closed).
  bool send(std::string line);
  void close();
  // Closes once all requests are answered and all queued lines are sent. Later requests get an
  // error.
  void finish();
  bool is_open() const { return socket_.is_open(); }
  bool has_asked() const { return has_asked_; }

 private:
  boost::asio::awaitable<void> read_requests();
  boost::asio::awaitable<void> write_lines();
  boost::asio::awaitable<void> reply_to(std::string line);
  void close_when_sent();

  Socket socket_;
  ReadServices& reading_;
  Services* all_ = nullptr;  // null: only reading is possible
  AnswerRequest answer_;
  std::deque<std::string> outgoing_;
  std::size_t backlog_bytes_ = 0;
  boost::asio::steady_timer wake_writer_;
  boost::asio::steady_timer silence_;  // runs until the first request
  bool has_asked_ = false;
  bool closing_ = false;  // close after the last line was sent
};

}  // namespace sweepd
