// The tree of one YAML document, with the place of every value. Replaces YAML::Node, which hides
// duplicate keys and expands aliases without limit. Immutable once built.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd::sweepfile {

// Where yaml-cpp saw a value begin. Its length is computed only for the few values that a
// diagnostic names (source_text.h): computing it for each would be quadratic in the length of a
// line.
struct Mark {
  int line = 0;    // from 1
  int column = 0;  // from 1, in bytes
  bool alias = false;
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;  // aliases share their children

struct Node {
  enum class Kind { kNothing, kScalar, kList, kMap };
  struct Entry {
    NodePtr key;  // a scalar; texts are unique
    NodePtr value;
  };

  Kind kind = Kind::kNothing;
  Mark mark;
  std::string text;            // kScalar; whether it was quoted does not matter
  std::vector<NodePtr> items;  // kList
  std::vector<Entry> entries;  // kMap, in file order
  int depth = 0;               // levels of maps and lists, including this one
  std::size_t nodes = 1;       // including everything below it
  std::size_t text_bytes = 0;

  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }
};

// Return the entry of a key, or its value; null if the map does not have it.
inline const Node::Entry* entry_in(const Node& map, std::string_view key) {
  const auto found = std::ranges::find_if(
      map.entries, [&](const Node::Entry& entry) { return entry.key->text == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

inline const Node* value_in(const Node& map, std::string_view key) {
  const Node::Entry* entry = entry_in(map, key);
  return entry == nullptr ? nullptr : entry->value.get();
}

// "a map", "a list", "a single value", "nothing": for "expected ..., found ...".
const char* describe(Node::Kind kind);

}  // namespace sweepd::sweepfile
