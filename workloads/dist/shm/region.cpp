#include "workloads/dist/shm/region.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

namespace sweepd::shm {
namespace {

constexpr std::uint64_t kMagic = 0x73776565706401;  // "sweepd", layout 1
constexpr std::size_t kControlBytes = (sizeof(Control) + kPage - 1) / kPage * kPage;
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// All slots together fit into the last-level cache, and one chunk into a core's L2.
constexpr std::size_t kStagingBytes = 4 << 20;
constexpr std::size_t kLargestChunk = 256 << 10;

std::size_t chunk_for(int world_size) {
  const auto ranks = static_cast<std::size_t>(world_size);
  const std::size_t share = kStagingBytes / (2 * ranks * (ranks + 1));
  return std::clamp(share / kPage * kPage, kPage, kLargestChunk);
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(fmt::format("shm: {}: {}", what, std::strerror(error)));
}

}  // namespace

std::size_t Region::machine_memory() {
  const auto pages = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_PHYS_PAGES)));
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / kPage * kPage;
}

Region::Region(UniqueFd fd, int world_size, std::size_t heap_bytes)
    : fd_(std::move(fd)), world_size_(world_size), heap_bytes_(heap_bytes) {
  const auto ranks = static_cast<std::size_t>(world_size);
  chunk_bytes_ = chunk_for(world_size);
  staging_bytes_ = 2 * ranks * (ranks + 1) * chunk_bytes_;
  total_bytes_ = kControlBytes + staging_bytes_ + ranks * heap_bytes_;
  void* memory = ::mmap(nullptr, total_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                        fd_.get(), 0);
  if (memory == MAP_FAILED) {
    fail(fmt::format("cannot map {} bytes of addresses ({} ranks; see `ulimit -v`)", total_bytes_,
                     world_size),
         errno);
  }
  base_ = static_cast<std::byte*>(memory);
}

Region::~Region() {
  if (base_ != nullptr) ::munmap(base_, total_bytes_);
}

std::shared_ptr<Region> Region::create(int world_size, std::size_t heap_bytes) {
  if (world_size < 1 || world_size > kMaxRanks) {
    throw std::invalid_argument(
        fmt::format("shm: world_size is {}; it can be 1 to {}", world_size, kMaxRanks));
  }
  heap_bytes = heap_bytes / kPage * kPage;
  UniqueFd fd(::memfd_create("sweepd", MFD_CLOEXEC));
  if (!fd) fail("cannot make shared memory (memfd_create)", errno);
  const auto ranks = static_cast<std::size_t>(world_size);
  const std::size_t fixed = kControlBytes + 2 * ranks * (ranks + 1) * chunk_for(world_size);
  // Allocated now: a page that is missing later would end the process by SIGBUS.
  if (::ftruncate(fd.get(), static_cast<off_t>(fixed + ranks * heap_bytes)) != 0) {
    fail(fmt::format("cannot size shared memory to {} bytes", fixed + ranks * heap_bytes), errno);
  }
  const int error = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(fixed));
  if (error != 0) fail(fmt::format("no room for {} bytes of shared memory", fixed), error);
  std::shared_ptr<Region> region(new Region(std::move(fd), world_size, heap_bytes));
  Control& control = *new (region->base_) Control;
  control.magic = kMagic;
  control.world_size = world_size;
  control.heap_bytes = heap_bytes;
  return region;
}

std::shared_ptr<Region> Region::open(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) fail("cannot open rank 0's shared memory, " + path.string(), errno);
  Control* control =
      static_cast<Control*>(::mmap(nullptr, sizeof(Control), PROT_READ, MAP_SHARED, fd.get(), 0));
  if (control == MAP_FAILED) fail("cannot map " + path.string(), errno);
  const std::uint64_t magic = control->magic;
  const int world_size = control->world_size;
  const std::uint64_t heap_bytes = control->heap_bytes;
  ::munmap(control, sizeof(Control));
  if (magic != kMagic) {
    throw std::runtime_error(fmt::format(
        "shm: {} is not shared memory of this program; are all ranks from the same build?",
        path.string()));
  }
  return std::shared_ptr<Region>(new Region(std::move(fd), world_size, heap_bytes));
}

std::byte* Region::slot(std::uint64_t turn, int from, int to) {
  const auto ranks = static_cast<std::size_t>(world_size_);
  const std::size_t index = ((turn % 2) * ranks + static_cast<std::size_t>(from)) * ranks;
  return base_ + kControlBytes + (index + static_cast<std::size_t>(to)) * chunk_bytes_;
}

std::byte* Region::result(std::uint64_t turn, int rank) {
  const auto ranks = static_cast<std::size_t>(world_size_);
  const std::size_t index = (turn % 2) * ranks + static_cast<std::size_t>(rank);
  return base_ + kControlBytes + (2 * ranks * ranks + index) * chunk_bytes_;
}

std::byte* Region::heap(int rank) {
  return base_ + kControlBytes + staging_bytes_ + static_cast<std::size_t>(rank) * heap_bytes_;
}

std::int64_t Region::heap_offset(const void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto first = reinterpret_cast<std::uintptr_t>(heap(0));
  const auto end = reinterpret_cast<std::uintptr_t>(base_) + total_bytes_;
  if (address < first || address + bytes > end) return -1;
  return static_cast<std::int64_t>(address - reinterpret_cast<std::uintptr_t>(base_));
}

}  // namespace sweepd::shm
