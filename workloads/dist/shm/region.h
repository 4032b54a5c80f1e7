// The memory that the ranks of one trial on one host share.
//
// It is an anonymous file (memfd) without a name in /dev/shm or elsewhere, so nothing remains of it
// once its processes have ended in any way, and the size of /dev/shm does not matter. Other
// ranks open it as /proc/<pid>/fd/<n>. It contains, in this order:
//
//   Control   the barrier, the ranks' processes and each rank's next call
//   staging   slots through which messages in private memory pass (bounded: about 4 MiB)
//   heaps     one for each rank: tensors that all ranks can access (heap.h)
//
// The heaps are as large as the machine's memory, but use only what is allocated in them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "runner/base/unique_fd.h"

namespace sweepd::shm {

constexpr std::size_t kPage = 4096;

constexpr int kMaxRanks = 64;

enum class Op : std::uint32_t {
  kBarrier,
  kLargest,
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast
};

// A rank's next call. It must be the same on all ranks.
struct Call {
  Op op = Op::kBarrier;
  std::uint32_t type = 0;  // a Type
  std::int32_t root = 0;
  std::uint64_t count = 0;    // elements
  std::uint64_t address = 0;  // tensor that peers read or write, in the rank's process
  std::int64_t offset = -1;   // the same from the region's start, if it is in a heap
  double value = 0;           // of kLargest
};

struct Peer {
  std::atomic<std::int32_t> pid{0};  // 0: has not come yet
  std::atomic<std::uint64_t> start_ticks{0};
  std::atomic<std::uint64_t> control{0};      // address of Control in the rank's process
  std::atomic<std::uint32_t> reaches_all{0};  // whether it may read the memory of every other rank
  std::atomic<std::uint32_t> left{0};
};

// Data that all ranks write has a cache line to itself.
struct Control {  // NOLINT(clang-analyzer-optin.performance.Padding)
  std::uint64_t magic = 0;
  std::int32_t world_size = 0;
  std::uint64_t heap_bytes = 0;
  alignas(64) std::atomic<std::uint32_t> arrived{0};
  alignas(64) std::atomic<std::uint32_t> generation{0};  // a futex
  alignas(64) std::atomic<std::uint32_t> sleepers{0};
  // The rank that others name in errors: the first one found gone, not those that left because of
  // it.
  std::atomic<std::int32_t> first_gone{-1};
  Peer peers[kMaxRanks];
  alignas(64) Call calls[2][kMaxRanks];
};

class Region {
 public:
  // Throws std::runtime_error that names the size if there is no room for it.
  static std::shared_ptr<Region> create(int world_size, std::size_t heap_bytes = machine_memory());
  static std::shared_ptr<Region> open(const std::filesystem::path& path);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  Control& control() { return *reinterpret_cast<Control*>(base_); }
  int world_size() const { return world_size_; }
  int fd() const { return fd_.get(); }
  std::byte* base() { return base_; }

  // Staging: in `turn`, a rank fills its own slot of that turn, a chunk for every rank, and its own
  // result. All are read in the next turn, so two of each suffice.
  std::size_t chunk_bytes() const { return chunk_bytes_; }
  std::byte* slot(std::uint64_t turn, int from, int to);
  std::byte* result(std::uint64_t turn, int rank);

  std::size_t heap_bytes() const { return heap_bytes_; }
  std::byte* heap(int rank);
  // Offset from base(); -1 if the memory is not in a heap.
  std::int64_t heap_offset(const void* begin, std::size_t bytes);

  static std::size_t machine_memory();

 private:
  Region(UniqueFd fd, int world_size, std::size_t heap_bytes);

  UniqueFd fd_;
  int world_size_;
  std::size_t heap_bytes_, chunk_bytes_, staging_bytes_, total_bytes_;
  std::byte* base_ = nullptr;
};

}  // namespace sweepd::shm
