#include "runner/base/ids.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <random>

namespace sweepd {
namespace {

// Counts forks, in the child, so that parent and child never draw the same bytes.
std::atomic<std::uint32_t> forks{0};

// A large sweep draws one id per attempt, so this makes one system call for 64 of them.
class Pool {
 public:
  std::uint64_t draw() {
    const std::uint32_t now = forks.load(std::memory_order_relaxed);
    if (next_ == ids_.size() || forks_ != now) {
      fill();
      forks_ = now;
    }
    return ids_[next_++];
  }

 private:
  void fill() {
    // The kernel returns up to 256 bytes completely or not at all, so each half is within that
    // limit.
    constexpr std::size_t kHalf = sizeof(ids_) / 2;
    auto* bytes = reinterpret_cast<unsigned char*>(ids_.data());
    for (const std::size_t offset : {std::size_t{0}, kHalf}) {
      if (getrandom(bytes + offset, kHalf, 0) == static_cast<ssize_t>(kHalf)) continue;
      std::random_device device;  // for a kernel without the call
      for (std::size_t i = offset; i < offset + kHalf; i += sizeof(unsigned)) {
        const unsigned word = device();
        std::memcpy(bytes + i, &word, sizeof(word));
      }
    }
    next_ = 0;
  }

  std::array<std::uint64_t, 64> ids_{};
  std::size_t next_ = 64;
  std::uint32_t forks_ = 0;
};

}  // namespace

bool is_id(std::string_view text) {
  constexpr std::size_t kLongestId = 64;  // the longest is a key, of 32
  return !text.empty() && text.size() <= kLongestId &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string random_id() {
  static const int kWatching =
      pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(kWatching);
  thread_local Pool pool;
  return fmt::format("{:016x}", pool.draw());
}

bool is_sweep_name(std::string_view text, std::size_t longest) {
  const auto fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace sweepd
