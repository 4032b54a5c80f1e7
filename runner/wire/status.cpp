#include "runner/wire/status.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runner/base/files.h"

namespace sweepd {
namespace {

// Native byte order, because only this machine's processes read it. All zeros is the default
// Status.
//   0   int64  step + 1
//   8   48 B   phase, zero-padded
//   56  64 B   note, zero-padded
//   120 8 B    reserved
constexpr std::size_t kSize = 128;
constexpr std::size_t kPhaseAt = 8, kPhaseSize = 48;
constexpr std::size_t kNoteAt = 56, kNoteSize = 64;

Error failed(const std::filesystem::path& file, const char* action, int error) {
  return {ErrorCode::kIo, file.string() + ": " + action + ": " + std::strerror(error)};
}

// Writes the whole field each time, so that nothing of a longer earlier text remains.
template <std::size_t N>
void store_text(char* to, std::string_view text) {
  std::array<char, N> field{};
  std::memcpy(field.data(), text.data(), std::min(text.size(), N - 1));
  std::memcpy(to, field.data(), N);
}

}  // namespace

Result<StatusWriter> StatusWriter::open(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd) return failed(file, "cannot create", errno);
  // Reserves real blocks: storing into a hole on a full disk would raise SIGBUS in a timed step.
  if (const int error = ::posix_fallocate(fd.get(), 0, kSize); error != 0) {
    return failed(file, "cannot reserve 128 bytes", error);
  }
  void* page = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (page == MAP_FAILED) return failed(file, "cannot map", errno);
  return StatusWriter(static_cast<char*>(page));
}

StatusWriter::StatusWriter(StatusWriter&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)) {}

StatusWriter::~StatusWriter() {
  if (page_ != nullptr) ::munmap(page_, kSize);
}

void StatusWriter::set_step(std::int64_t step) {
  const std::int64_t stored = step + 1;
  std::memcpy(page_, &stored, sizeof(stored));
}

void StatusWriter::set_phase(std::string_view phase) {
  store_text<kPhaseSize>(page_ + kPhaseAt, phase);
}

void StatusWriter::set_note(std::string_view note) {
  store_text<kNoteSize>(page_ + kNoteAt, note);
}

Status read_status(const std::filesystem::path& file) {
  const auto fd = open_regular(file, Links::kRefuse);
  std::array<char, kSize> page{};
  if (!fd || ::read(fd->get(), page.data(), kSize) != static_cast<ssize_t>(kSize)) return {};
  Status status;
  std::int64_t stored = 0;
  std::memcpy(&stored, page.data(), sizeof(stored));
  status.step = stored - 1;
  status.phase = std::string(page.data() + kPhaseAt, ::strnlen(page.data() + kPhaseAt, kPhaseSize));
  status.note = std::string(page.data() + kNoteAt, ::strnlen(page.data() + kNoteAt, kNoteSize));
  return status;
}

}  // namespace sweepd
