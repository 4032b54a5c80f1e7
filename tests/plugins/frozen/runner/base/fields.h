// The description of a record's fields. JSON of messages, journals and files
// (runner/wire/message.h), the database's rows (db/base/record_rows.h), the metrics of queries, the
// tables of `show` and the column lists of docs/DATABASE.md follow from the description.
//
//   struct PhaseMemory {
//     static constexpr std::string_view kTable = "memory";
//     int rank = 0;
//     std::string phase;
//     Bytes peak_allocated;
//     static void visit(auto& self, auto&& field) {
//       field("rank", self.rank, "", Implied());
//       field("phase", self.phase, "`step` is the whole", Interned());
//       field("peak_allocated", self.peak_allocated, "largest sum of live blocks");
//     }
//   };
//
// `self` is a PhaseMemory& or a const PhaseMemory&. `field` is called with the name that JSON
// uses, the member, the field's meaning beyond its name (documentation), and any of the
// options below. The C++ type of the member decides the column: Bytes are stored as `<name>_bytes`,
// Duration and WallTime as `<name>_ns`, an array of three as `<name>_x`, `_y` and `_z`; an optional
// may be NULL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/units.h"

namespace sweepd {

// The journal does not carry the field: the file's name (rank) or the enclosing event gives it, or
// the daemon derives it from the journal.
struct Implied {};
// JSON leaves the field out while it has its default value (0 or "").
struct Sparse {};
// A number that JSON leaves out while it is not finite.
struct Finite {};
// A list of records that JSON has as arrays of their values, in the order of the description.
struct AsRows {};
// An optional that is null in JSON if it is empty. Without it the member is omitted.
struct OrNull {};
// JSON of older writers lacks the field. It keeps its default then.
struct MayLack {};
// The database stores the text once, in its table `name`, and the text's id here.
struct Interned {
  bool cached = true;  // false: texts that seldom repeat, which a cache would only collect
};
// The column's name if it does not follow from the field's name and type.
struct ColumnName {
  std::string_view name;
};
// The table of the column where it is not the record's own.
struct InTable {
  std::string_view name;
};
// How tables of `show` head the column; without it: the name, with blanks.
struct Heading {
  std::string_view text;
  std::string_view unit = "";
};

template <class Option, class... Options>
constexpr bool has_option = (std::is_same_v<Option, Options> || ...);

// The option of this type among `options`, or `fallback`.
template <class Option, class... Options>
constexpr Option option_or(Option fallback, const Options&... options) {
  [[maybe_unused]] const auto take = [&fallback](const auto& option) {
    if constexpr (std::is_same_v<std::decay_t<decltype(option)>, Option>) fallback = option;
  };
  (take(options), ...);
  return fallback;
}

template <class T>
struct OptionalTraits {
  static constexpr bool kIsOptional = false;
  using Value = T;
};
template <class T>
struct OptionalTraits<std::optional<T>> {
  static constexpr bool kIsOptional = true;
  using Value = T;
};
template <class T>
constexpr bool is_optional = OptionalTraits<std::decay_t<T>>::kIsOptional;
template <class T>
using ValueOf = typename OptionalTraits<std::decay_t<T>>::Value;

// Texts by name, in their order: an object in JSON.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

using Shape3 = std::array<std::int64_t, 3>;  // x, y, z of a launch

// The part that a column's name adds to the field's.
template <class T>
constexpr std::string_view column_suffix() {
  using Plain = ValueOf<T>;
  if constexpr (std::is_same_v<Plain, Bytes>) return "_bytes";
  if constexpr (std::is_same_v<Plain, Duration> || std::is_same_v<Plain, WallTime>) return "_ns";
  return "";
}

}  // namespace sweepd
