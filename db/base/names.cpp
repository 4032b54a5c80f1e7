#include "db/base/names.h"

#include <cassert>

namespace sweepd {

void Names::remember(std::int64_t id, const std::string& text) {
  ids_[text] = id;
  texts_[id] = text;
}

std::optional<std::int64_t> Names::find(const std::string& text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  Query query(connection_, "SELECT id FROM name WHERE text = ?");
  query.bind(text);
  if (!query.next()) return std::nullopt;
  remember(query.integer(0), text);
  return query.integer(0);
}

std::int64_t Names::id(const std::string& text) {
  if (const auto known = find(text)) return *known;
  Query(connection_, "INSERT INTO name (text) VALUES (?)").bind(text).run();
  const std::int64_t added = connection_.database().getLastInsertRowid();
  remember(added, text);
  return added;
}

std::int64_t Names::uncached_id(const std::string& text) {
  Query query(connection_, "SELECT id FROM name WHERE text = ?");
  query.bind(text);
  if (query.next()) return query.integer(0);
  Query(connection_, "INSERT INTO name (text) VALUES (?)").bind(text).run();
  return connection_.database().getLastInsertRowid();
}

const std::string& Names::text(std::int64_t id) {
  if (const auto known = texts_.find(id); known != texts_.end()) return known->second;
  Query query(connection_, "SELECT text FROM name WHERE id = ?");
  query.bind(id);
  [[maybe_unused]] const bool found = query.next();
  assert(found);
  remember(id, query.text(0));
  return texts_[id];
}

void Names::forget() {
  ids_.clear();
  texts_.clear();
}

}  // namespace sweepd
