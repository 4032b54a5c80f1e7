#include "runner/sweepfile/node.h"

#include <algorithm>

namespace sweepd::sweepfile {

const Node::Entry* entry_in(const Node& map, std::string_view key) {
  const auto found = std::ranges::find_if(
      map.entries, [&](const Node::Entry& entry) { return entry.key->text == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

const Node* value_in(const Node& map, std::string_view key) {
  const Node::Entry* entry = entry_in(map, key);
  return entry == nullptr ? nullptr : entry->value.get();
}

}  // namespace sweepd::sweepfile
