// Texts by id, each stored once. Needs no constructor and never calls malloc. The caller locks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sweepd::inject {

inline constexpr std::size_t kMostNames = 65536;
inline constexpr std::size_t kMostText = 32768;  // bytes of a name; longer ones are cut

class NameTable {
 public:
  // The id of a text; 0 for the empty one, and when the table is full.
  std::uint32_t id_of(const char* text, std::size_t bytes);
  // As UTF-8.
  std::uint32_t id_of(const wchar_t* text);

  std::uint32_t last() const { return count_; }  // ids are 1 to last()
  const char* text(std::uint32_t id) const { return names_[id].text; }
  std::size_t bytes(std::uint32_t id) const { return names_[id].bytes; }

 private:
  struct Name {
    const char* text;
    std::uint32_t hash, bytes;
  };
  static constexpr std::size_t kSlots = 2 * kMostNames;

  const char* keep(const char* text, std::size_t bytes);

  Name names_[kMostNames];
  std::uint32_t slots_[kSlots];  // id; 0: empty
  std::uint32_t count_;
  char* free_text_;
  std::size_t free_bytes_;
  std::size_t all_bytes_;
  char scratch_[kMostText];
};

}  // namespace sweepd::inject
