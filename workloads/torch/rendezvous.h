// How the ranks of an attempt find each other: through a file of its folder on one host, and
// through a TCP store on the first node if a cluster's manager placed them. A file with locks is
// not safe on a network file system.
#pragma once

#ifndef USE_DISTRIBUTED
#define USE_DISTRIBUTED
#endif
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "workloads/api/workload.h"
#include "workloads/torch/nodes.h"

namespace sweepd {

// `timeout`: an attempt has one deadline, which the daemon keeps, so it is far away.
inline c10::intrusive_ptr<c10d::Store> rendezvous_store(const Context& context,
                                                        std::chrono::milliseconds timeout) {
  c10::intrusive_ptr<c10d::Store> store;
  if (is_on_cluster()) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(std::stoi(variable_or_empty("MASTER_PORT")));
    options.isServer = context.rank == 0;
    options.numWorkers = context.world_size;
    options.waitWorkers = false;
    options.timeout = timeout;
    store = c10::make_intrusive<c10d::TCPStore>(variable_or_empty("MASTER_ADDR"), options);
  } else {
    store = c10::make_intrusive<c10d::FileStore>((context.folder / "rendezvous").string(),
                                                 context.world_size);
  }
  store->setTimeout(timeout);
  return store;
}

// The address of this host on the way to the first node, as text. The kernel's routing table gives
// it; nothing is sent.
inline std::string address_towards_first_node() {
  const std::string first = variable_or_empty("MASTER_ADDR");
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(first.c_str(), "9", &hints, &found); error != 0) {
    throw std::runtime_error("the first node's name `" + first +
                             "` cannot be resolved: " + ::gai_strerror(error) +
                             "; SWEEPD_INTERFACE chooses an interface by its name");
  }
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  std::array<char, NI_MAXHOST> text{};
  const int fd = ::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool known = fd >= 0 && ::connect(fd, found->ai_addr, found->ai_addrlen) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
                     ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(),
                                   text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  if (fd >= 0) ::close(fd);
  ::freeaddrinfo(found);
  if (!known) throw std::runtime_error("there is no way to the first node, `" + first + "`");
  return text.data();
}

}  // namespace sweepd
