#include "runner/daemon/serving/session.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "runner/daemon/serving/services.h"
#include "runner/wire/rpc.h"

namespace sweepd {

namespace asio = boost::asio;
using asio::awaitable;

namespace {

constexpr auto kUseTuple = asio::as_tuple(asio::use_awaitable);
// A result of a hundred thousand cells is about 5 MB. A client with a larger backlog does not read.
constexpr std::size_t kMaxBacklogBytes = 64U << 20;

// A result with more values is written as text on another thread: ten thousand values take some
// milliseconds.
constexpr std::size_t kManyValues = 10'000;

// Subtracts the value's weight from `left`: 1, and 1 for each hundred bytes of text. Stops at 0.
void count_values(const nlohmann::json& value, std::size_t& left) {
  const std::size_t own =
      1 + (value.is_string() ? value.get_ref<const std::string&>().size() / 100 : 0);
  left -= std::min(left, own);
  if (!value.is_structured()) return;
  for (const nlohmann::json& inner : value) {
    if (left == 0) return;
    count_values(inner, left);
  }
}

bool is_large(const nlohmann::json& value) {
  std::size_t left = kManyValues;
  count_values(value, left);
  return left == 0;
}

void log_failure(const std::exception_ptr& error) {
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    spdlog::error("a session ended: {}", e.what());
  }
}

}  // namespace

Session::Session(Socket socket, Services& services, AnswerRequest answer)
    : Session(std::move(socket), static_cast<ReadServices&>(services), answer) {
  all_ = &services;
}

Session::Session(Socket socket, ReadServices& services, AnswerRequest answer)
    : socket_(std::move(socket)),
      reading_(services),
      answer_(answer),
      wake_writer_(socket_.get_executor()),
      silence_(socket_.get_executor()) {
  wake_writer_.expires_at(std::chrono::steady_clock::time_point::max());
}

void Session::start(std::chrono::nanoseconds first_request) {
  auto self = shared_from_this();
  silence_.expires_after(first_request);
  silence_.async_wait([self](const boost::system::error_code& error) {
    if (!error) self->close();
  });
  const auto executor = socket_.get_executor();
  asio::co_spawn(
      executor, [self] { return self->read_requests(); }, log_failure);
  asio::co_spawn(
      executor, [self] { return self->write_lines(); }, log_failure);
}

bool Session::send(std::string line) {
  if (!socket_.is_open() || closing_) return false;
  if (backlog_bytes_ + line.size() > kMaxBacklogBytes) {
    spdlog::warn("a client does not read its messages; closing its connection");
    close();
    return false;
  }
  backlog_bytes_ += line.size();
  outgoing_.push_back(std::move(line));
  wake_writer_.cancel();
  return true;
}

void Session::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
  wake_writer_.cancel();
  silence_.cancel();
}

// Requests already sent are still read and answered; then reading ends.
void Session::finish() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_receive, ignored);
  silence_.cancel();
}

void Session::close_when_sent() {
  closing_ = true;
  wake_writer_.cancel();
  silence_.cancel();
}

awaitable<void> Session::read_requests() {
  std::string buffer;
  while (socket_.is_open()) {
    const auto [error, n] = co_await asio::async_read_until(
        socket_, asio::dynamic_buffer(buffer, kMaxLineBytes), '\n', kUseTuple);
    if (error == asio::error::not_found) {
      send(error_line(
          nullptr, {RpcCode::kResourceExhausted,
                    "a line may be at most " + std::to_string(kMaxLineBytes) + " bytes", nullptr}));
      close_when_sent();
      co_return;
    }
    if (error) {
      // The other side may have closed only its sending half, as `echo ... | socat` does. The reply
      // must still reach it.
      close_when_sent();
      co_return;
    }
    std::string line = buffer.substr(0, n - 1);
    buffer.erase(0, n);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    has_asked_ = true;
    silence_.cancel();
    co_await reply_to(std::move(line));
  }
}

awaitable<void> Session::reply_to(std::string line) {
  ParsedRequest parsed = parse_request(line);
  const nlohmann::json& id = parsed.request.id;
  if (!parsed.ok) {
    send(error_line(id, parsed.error));
    co_return;
  }
  Reply reply = co_await answer_(reading_, all_, *this, parsed.request);
  if (parsed.request.is_notification) co_return;
  if (reply.error) {
    send(error_line(id, *reply.error));
    co_return;
  }
  // This frees the result on that thread, too.
  const auto write = [&id, &reply] {
    const nlohmann::json result = std::exchange(reply.result, nullptr);
    return result_line(id, result);
  };
  std::string text;
  if (is_large(reply.result)) {
    text = co_await reading_.readers.compute(write);
  } else {
    text = write();
  }
  if (text.size() > kMaxBacklogBytes) {
    text = error_line(
        id, {RpcCode::kResourceExhausted,
             fmt::format("the answer has {} MB, more than the limit of {} MB; ask for less",
                         text.size() >> 20, kMaxBacklogBytes >> 20),
             nullptr});
  }
  send(std::move(text));
}

awaitable<void> Session::write_lines() {
  while (socket_.is_open()) {
    if (outgoing_.empty()) {
      if (closing_) break;
      co_await wake_writer_.async_wait(kUseTuple);
      continue;
    }
    const auto [error, n] =
        co_await asio::async_write(socket_, asio::buffer(outgoing_.front()), kUseTuple);
    if (error) break;
    backlog_bytes_ -= outgoing_.front().size();
    outgoing_.pop_front();
  }
  close();
}

}  // namespace sweepd
