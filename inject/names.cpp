#include "inject/names.h"

#include <sys/mman.h>

#include <cstring>

namespace sweepd::inject {
namespace {

constexpr std::size_t kBlockBytes = 1U << 20;
constexpr std::size_t kMostBytes = 64U << 20;  // of all texts

std::uint32_t hash_of(const char* text, std::size_t bytes) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (std::size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 16777619U;
  }
  return hash;
}

// Appends a character as UTF-8, and returns how many bytes it took.
std::size_t put_utf8(std::uint32_t point, char* to) {
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = 0xFFFD;
  if (point < 0x80) {
    to[0] = static_cast<char>(point);
    return 1;
  }
  const std::size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  to[0] = static_cast<char>((0xFF00U >> (more + 1) & 0xFFU) | point >> (6 * more));
  for (std::size_t i = 1; i <= more; ++i) {
    to[i] = static_cast<char>(0x80U | (point >> (6 * (more - i)) & 0x3FU));
  }
  return more + 1;
}

}  // namespace

const char* NameTable::keep(const char* text, std::size_t bytes) {
  if (bytes > free_bytes_) {
    if (all_bytes_ + kBlockBytes > kMostBytes) return nullptr;
    void* block =
        ::mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    free_text_ = static_cast<char*>(block);
    free_bytes_ = kBlockBytes;
    all_bytes_ += kBlockBytes;
  }
  char* kept = free_text_;
  std::memcpy(kept, text, bytes);
  free_text_ += bytes;
  free_bytes_ -= bytes;
  return kept;
}

std::uint32_t NameTable::id_of(const char* text, std::size_t bytes) {
  if (bytes == 0) return 0;
  if (bytes > kMostText) bytes = kMostText;
  const std::uint32_t hash = hash_of(text, bytes);
  std::size_t slot = hash % kSlots;
  for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
    const Name& name = names_[slots_[slot]];
    if (name.hash == hash && name.bytes == bytes && std::memcmp(name.text, text, bytes) == 0) {
      return slots_[slot];
    }
  }
  if (count_ + 1 >= kMostNames) return 0;
  const char* kept = keep(text, bytes);
  if (kept == nullptr) return 0;
  ++count_;
  names_[count_] = {kept, hash, static_cast<std::uint32_t>(bytes)};
  slots_[slot] = count_;
  return count_;
}

std::uint32_t NameTable::id_of(const wchar_t* text) {
  std::size_t bytes = 0;
  for (; *text != 0 && bytes + 4 <= kMostText; ++text) {
    bytes += put_utf8(static_cast<std::uint32_t>(*text), scratch_ + bytes);
  }
  return id_of(scratch_, bytes);
}

}  // namespace sweepd::inject
