#include "runner/model/measurement/collective_note.h"

#include <fmt/format.h>

#include <charconv>

namespace sweepd {
namespace {

constexpr std::string_view kLeft = " left";

}  // namespace

std::string text_of(const CollectiveNote& note) {
  return fmt::format("{} {}{}", note.operation, note.number,
                     note.at == CollectiveNote::At::kLeft ? kLeft : "");
}

std::optional<CollectiveNote> collective_note_from(std::string_view text) {
  CollectiveNote note;
  if (text.ends_with(kLeft)) {
    note.at = CollectiveNote::At::kLeft;
    text.remove_suffix(kLeft.size());
  }
  const std::size_t space = text.find(' ');
  if (space == 0 || space == std::string_view::npos) return std::nullopt;
  note.operation = text.substr(0, space);
  const std::string_view number = text.substr(space + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), note.number);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return note;
}

}  // namespace sweepd
