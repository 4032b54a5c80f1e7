#include "runner/wire/memory_json.h"

#include "runner/wire/record_json.h"

namespace sweepd {

using Ordered = nlohmann::ordered_json;

nlohmann::json to_json(const std::vector<MemoryPicture>& pictures) {
  nlohmann::json list = nlohmann::json::array();
  for (const MemoryPicture& picture : pictures) {
    Ordered json = {{"rank", picture.rank}, {"subject", picture.subject}};
    json["held"] = Ordered::array();
    for (const auto& [kind, size] : picture.held) {
      json["held"].push_back(Ordered::array({kind, size.value}));
    }
    put_rows(json, "points", picture.timeline);
    list.emplace_back(nlohmann::json(json));
  }
  return list;
}

Result<std::vector<MemoryPicture>> memory_pictures_from_json(const nlohmann::json& json) {
  const Ordered whole = {{"pictures", Ordered(json)}};
  JsonReader reader(whole);
  std::vector<MemoryPicture> pictures;
  reader.each("pictures", [&](JsonReader<Ordered>& element) {
    MemoryPicture& picture = pictures.emplace_back();
    element.required("rank", picture.rank);
    element.required("subject", picture.subject);
    element.each_value("held", [&](const Ordered& held, const std::string& path) {
      auto& [kind, size] = picture.held.emplace_back();
      if (!held.is_array() || held.size() != 2 || !detail::read_json(held[0], kind).empty() ||
          !detail::read_json(held[1], size).empty()) {
        element.fail(path, "expected [kind, bytes]");
      }
    });
    read_rows(element, "points", picture.timeline);
  });
  if (const auto read = reader.result(); !read) return read.error();
  return pictures;
}

}  // namespace sweepd
