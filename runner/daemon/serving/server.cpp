#include "runner/daemon/serving/server.h"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runner/wire/rpc.h"

namespace sweepd {

namespace asio = boost::asio;
using asio::local::stream_protocol;

namespace {

// The folder's mode already keeps other users out. This check holds even after a change of that
// mode.
bool is_same_user(stream_protocol::socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

void refuse(stream_protocol::socket& socket, const char* why) {
  const std::string line = error_line(nullptr, {RpcCode::kResourceExhausted, why, nullptr});
  boost::system::error_code ignored;
  socket.write_some(asio::buffer(line), ignored);
}

}  // namespace

Server::Server(asio::io_context& io, const StateFolder& state, Services& services,
               AnswerRequest answer)
    : io_(io), state_(state), services_(services), answer_(answer), acceptor_(io) {}

Server::~Server() {
  close();
}

Result<Server::Acceptor> Server::bind() {
  ::unlink(state_.socket().c_str());
  const SocketAddress address = socket_address(state_);
  Acceptor acceptor(io_);
  boost::system::error_code error;
  acceptor.open(stream_protocol(), error);
  const mode_t old = ::umask(0177);  // the socket is created with mode 0600
  if (!error) acceptor.bind(stream_protocol::endpoint(address.path), error);
  ::umask(old);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Error{ErrorCode::kIo,
                 "cannot listen on " + state_.socket().string() + ": " + error.message()};
  }
  return acceptor;
}

bool Server::owns_socket_file() const {
  return socket_file_ && file_id(state_.socket()) == socket_file_;
}

void Server::remove_socket_file() const {
  if (owns_socket_file()) ::unlink(state_.socket().c_str());
}

void Server::keep_socket() {
  if (!acceptor_.is_open() || owns_socket_file()) return;
  auto fresh = bind();
  if (!fresh) {
    spdlog::error("the socket is gone: {}", fresh.error().message);
    return;
  }
  spdlog::warn("{} was deleted or replaced: listening on a new one", state_.socket().string());
  acceptor_ = std::move(*fresh);
  socket_file_ = file_id(state_.socket());
}

Result<void> Server::listen() {
  auto acceptor = bind();
  if (!acceptor) return acceptor.error();
  acceptor_ = std::move(*acceptor);
  socket_file_ = file_id(state_.socket());
  asio::co_spawn(
      io_, [this] { return accept_clients(); },
      [](const std::exception_ptr& failure) {
        if (failure) spdlog::critical("the accept loop ended");
      });
  return {};
}

void Server::close() {
  boost::system::error_code ignored;
  if (acceptor_.is_open()) {
    acceptor_.close(ignored);
    remove_socket_file();
  }
  for (const auto& weak : sessions_) {
    if (const auto session = weak.lock()) session->close();
  }
  sessions_.clear();
}

void Server::finish(std::function<void()> done) {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  remove_socket_file();
  for (const auto& weak : sessions_) {
    if (const auto session = weak.lock()) session->finish();
  }
  asio::co_spawn(io_, wait_for_sessions(std::move(done)), asio::detached);
}

bool Server::has_clients() const {
  return std::any_of(sessions_.begin(), sessions_.end(), [](const auto& weak) {
    const auto session = weak.lock();
    return session && session->is_open();
  });
}

asio::awaitable<void> Server::wait_for_sessions(std::function<void()> done) {
  asio::steady_timer pause(io_);
  for (int i = 0; i < 500; ++i) {
    if (!has_clients()) break;
    pause.expires_after(std::chrono::milliseconds(2));
    co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  done();
}

// Closes connections that have never sent a request, if they would keep others out.
bool Server::make_room() {
  std::erase_if(sessions_, [](const auto& weak) {
    const auto session = weak.lock();
    return !session || !session->is_open();
  });
  if (sessions_.size() < kMaxClients) return true;
  const auto silent = std::find_if(sessions_.begin(), sessions_.end(), [](const auto& weak) {
    const auto session = weak.lock();
    return session && !session->has_asked();
  });
  if (silent == sessions_.end()) return false;
  silent->lock()->close();
  sessions_.erase(silent);
  return true;
}

asio::awaitable<void> Server::accept_clients() {
  while (acceptor_.is_open()) {
    auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
    if (error && !acceptor_.is_open()) co_return;
    if (error == asio::error::operation_aborted) continue;  // the acceptor has another socket now
    if (error) {
      // Probably out of descriptors. Waits until some are free, without busy-waiting.
      spdlog::error("cannot accept a client: {}", error.message());
      asio::steady_timer pause(io_, std::chrono::milliseconds(200));
      co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
      continue;
    }
    if (!is_same_user(socket)) continue;
    if (!make_room()) {
      refuse(socket, "too many clients are connected");
      continue;
    }
    auto session = std::make_shared<Session>(std::move(socket), services_, answer_);
    sessions_.push_back(session);
    session->start();
    if (!acceptor_.is_open()) session->finish();  // it came at the last moment
  }
}

}  // namespace sweepd
